"""Records losses.json with MindSpore 2.6 itself: ``python make_losses.py`` in an environment that has it.

Each row: the expression that builds a loss, how its inputs are drawn from ``RandomState(5)`` (see ``draw``), the value
and, where the loss is reduced, the gradient of the first input.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import Tensor, mint, nn  # noqa: F401  (used by the expressions)

PAIR = ["n(3, 4)", "n(3, 4)"]
CLASSES = ["n(3, 4)", "i4(3,)"]
PROB = ["u(3, 4)", "b(3, 4)"]
CASES: list[tuple[str, list[str]]] = [
    *[(f"nn.{name}Loss(reduction='{r}')", PAIR) for name in ("L1", "MSE", "MAE") for r in ("mean", "sum", "none")],
    ("nn.L1Loss()", PAIR),
    ("nn.MSELoss()", PAIR),
    ("nn.RMSELoss()", PAIR),
    *[(f"nn.SmoothL1Loss(beta=0.5, reduction='{r}')", PAIR) for r in ("mean", "sum", "none")],
    ("nn.SmoothL1Loss()", PAIR),
    *[(f"nn.HuberLoss(reduction='{r}', delta=0.7)", PAIR) for r in ("mean", "sum", "none")],
    ("nn.HuberLoss()", PAIR),
    *[(f"nn.CrossEntropyLoss(reduction='{r}')", CLASSES) for r in ("mean", "sum", "none")],
    ("nn.CrossEntropyLoss(label_smoothing=0.1)", CLASSES),
    ("nn.CrossEntropyLoss(ignore_index=1)", CLASSES),
    ("nn.CrossEntropyLoss(weight=Tensor(np.array([0.1, 0.2, 0.3, 0.4], np.float32)))", CLASSES),
    ("nn.CrossEntropyLoss()", ["n(2, 4, 3)", "i4(2, 3)"]),
    ("nn.CrossEntropyLoss()", ["n(3, 4)", "u(3, 4)"]),
    ("nn.CrossEntropyLoss(weight=Tensor(np.array([0.1, 0.2, 0.3, 0.4], np.float32)), label_smoothing=0.2)", CLASSES),
    *[(f"nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction='{r}')", CLASSES) for r in ("mean", "sum", "none")],
    *[(f"nn.SoftmaxCrossEntropyWithLogits(reduction='{r}')", ["n(3, 4)", "u(3, 4)"]) for r in ("mean", "sum", "none")],
    *[(f"nn.NLLLoss(reduction='{r}')", CLASSES) for r in ("mean", "sum", "none")],
    ("nn.NLLLoss(weight=Tensor(np.array([0.1, 0.2, 0.3, 0.4], np.float32)), ignore_index=2)", CLASSES),
    *[(f"nn.BCELoss(reduction='{r}')", PROB) for r in ("mean", "sum", "none")],
    ("nn.BCELoss(weight=Tensor(np.array([[0.1, 0.2, 0.3, 0.4]] * 3, np.float32)))", PROB),
    *[(f"nn.BCEWithLogitsLoss(reduction='{r}')", ["n(3, 4)", "b(3, 4)"]) for r in ("mean", "sum", "none")],
    (
        "nn.BCEWithLogitsLoss(weight=Tensor(np.array([0.1, 0.2, 0.3, 0.4], np.float32)),"
        " pos_weight=Tensor(np.array([1.5, 2, 3, 0.4], np.float32)))",
        ["n(3, 4)", "b(3, 4)"],
    ),
    *[(f"nn.KLDivLoss(reduction='{r}')", ["n(3, 4)", "u(3, 4)"]) for r in ("mean", "sum", "none", "batchmean")],
    *[(f"nn.CosineEmbeddingLoss(margin=0.1, reduction='{r}')", [*PAIR, "s(3,)"]) for r in ("mean", "sum", "none")],
    *[(f"nn.SoftMarginLoss(reduction='{r}')", ["n(3, 4)", "s(3, 4)"]) for r in ("mean", "sum", "none")],
    *[(f"nn.HingeEmbeddingLoss(margin=0.8, reduction='{r}')", ["n(3, 4)", "s(3, 4)"]) for r in ("mean", "sum", "none")],
    *[
        (f"nn.MarginRankingLoss(margin=0.1, reduction='{r}')", ["n(3,)", "n(3,)", "s(3,)"])
        for r in ("mean", "sum", "none")
    ],
    *[(f"nn.TripletMarginLoss(reduction='{r}')", [*PAIR, "n(3, 4)", "one()"]) for r in ("mean", "sum", "none")],
    ("nn.TripletMarginLoss(swap=True)", [*PAIR, "n(3, 4)", "one()"]),
    ("nn.TripletMarginWithDistanceLoss()", [*PAIR, "n(3, 4)"]),
    *[(f"nn.GaussianNLLLoss(reduction='{r}', full=True)", [*PAIR, "u(3, 4)"]) for r in ("mean", "sum", "none")],
    *[(f"nn.PoissonNLLLoss(reduction='{r}')", ["n(3, 4)", "u(3, 4)"]) for r in ("mean", "sum", "none")],
    ("nn.PoissonNLLLoss(log_input=False, full=True)", ["u(3, 4)", "u(3, 4)"]),
    *[(f"nn.MultiLabelSoftMarginLoss(reduction='{r}')", ["n(3, 4)", "b(3, 4)"]) for r in ("mean", "sum", "none")],
    *[(f"nn.MultilabelMarginLoss(reduction='{r}')", ["n(3, 4)", "i4(3, 4)"]) for r in ("mean", "sum", "none")],
    *[(f"nn.MultiMarginLoss(reduction='{r}')", ["n(3, 4)", "k4(3,)"]) for r in ("mean", "sum", "none")],
    ("nn.DiceLoss(smooth=1e-2)", ["u(3, 4)", "b(3, 4)"]),
    ("nn.MultiClassDiceLoss()", ["u(3, 4)", "b(3, 4)"]),
    *[(f"nn.FocalLoss(gamma=1.5, reduction='{r}')", ["n(2, 4, 3)", "i4(2, 1, 3)"]) for r in ("mean", "sum", "none")],
    *[
        (f"mint.nn.{name}Loss(reduction='{r}')", PAIR)
        for name in ("L1", "MSE", "SmoothL1")
        for r in ("mean", "sum", "none")
    ],
    *[(f"mint.nn.CrossEntropyLoss(reduction='{r}')", CLASSES) for r in ("mean", "sum", "none")],
    ("mint.nn.NLLLoss()", CLASSES),
    ("mint.nn.BCELoss()", PROB),
    ("mint.nn.BCEWithLogitsLoss()", ["n(3, 4)", "b(3, 4)"]),
    ("mint.nn.KLDivLoss()", ["n(3, 4)", "u(3, 4)"]),
]


def draw(spec: str, rng: np.random.RandomState) -> Tensor:
    """n normal, u uniform in (0.05, 0.95), b 0 and 1, s -1 and 1, iK/kK integers below K (int32/int64), one: 1.0."""
    kind, shape = spec.split("(", 1)
    size = eval("(" + shape)
    if kind == "one":
        return Tensor(np.float32(1.0))
    if kind == "n":
        return Tensor(rng.standard_normal(size).astype(np.float32))
    if kind == "u":
        return Tensor((0.05 + 0.9 * rng.random_sample(size)).astype(np.float32))
    if kind == "b":
        return Tensor(rng.randint(0, 2, size).astype(np.float32))
    if kind == "s":
        return Tensor((rng.randint(0, 2, size) * 2 - 1).astype(np.float32))
    return Tensor(rng.randint(0, int(kind[1:]), size).astype(np.int32 if kind[0] == "i" else np.int64))


def values(tensor: Tensor) -> dict[str, object]:
    array = tensor.asnumpy()
    return {"shape": list(array.shape), "dtype": str(tensor.dtype), "data": [float(f"{v:.8g}") for v in array.ravel()]}


def record(expr: str, specs: list[str]) -> dict[str, object]:
    row: dict[str, object] = {"expr": expr, "inputs": specs}
    rng = np.random.RandomState(5)
    try:
        inputs = [draw(spec, rng) for spec in specs]
        loss = eval(expr)
        row["repr"] = repr(loss)
        row["output"] = values(loss(*inputs))
        row["grad"] = values(ms.grad(loss)(*inputs))
    except Exception as error:
        row["error"] = type(error).__name__ + ": " + str(error).partition("\n\n---")[0][:120]
    return row


if __name__ == "__main__":
    ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
    rows = [record(*case) for case in CASES]
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("losses.json")
    lines = ",\n".join(json.dumps(row) for row in rows)
    target.write_text(f'{{"mindspore": "{ms.__version__}", "rows": [\n{lines}\n]}}\n')
