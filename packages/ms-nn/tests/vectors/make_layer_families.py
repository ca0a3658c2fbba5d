"""Records layer_families.json with MindSpore 2.6 itself: ``python make_layer_families.py`` in an environment with it.

Each row: the expression that builds a layer or loss; its repr and parameters, or the type of the error; the expression
of its inputs (``n`` normal numbers, ``u`` numbers in [0, 1), ``i`` int64 and ``j`` int32 numbers below the first
argument, all from ``RandomState(5)``; ``t`` makes a Tensor) and what it makes of them. What 2.6 cannot run on a CPU in
PyNative mode is run in graph mode. EmbeddingLookup's `max_norm` is left out: 2.6 takes the norms of wrong rows there.
So is SampledSoftmaxLoss that removes accidental hits: 2.6 does not remove them on a CPU.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import nn

BAD = [
    "nn.Range(1, 8, 0)", "nn.Roll(1, (0, 1))", "nn.Roll(1.0, 0)", "nn.Norm(1, 3)", "nn.Unfold(2, [1] * 4, [1] * 4)",
    "nn.Unfold([2, 2, 2, 1], [1] * 4, [1] * 4)", "nn.SSIM(0)", "nn.SSIM('a')", "nn.SSIM(filter_size=0)",
    "nn.SSIM(filter_size=2.0)", "nn.SSIM(filter_sigma=0.0)", "nn.MSSSIM(power_factors=1)", "nn.PSNR(0.0)",
    "nn.PSNR('a')", "nn.CentralCrop(0.0)", "nn.CentralCrop(1)", "nn.CentralCrop(1.5)", "nn.LRN(2.0)", "nn.LRN(1, 2)",
    "nn.LRN(1, norm_region='x')", "nn.EmbeddingLookup(4, 2, target='GPU')", "nn.EmbeddingLookup(4, 2, sparse=1)",
    "nn.EmbeddingLookup(4, 2, vocab_cache_size=-1)", "nn.EmbeddingLookup(0, 2)", "nn.EmbeddingLookup(4, 2, max_norm=1)",
    "nn.EmbeddingLookup(4, 2, max_norm=-1.0)", "nn.MultiFieldEmbeddingLookup(10, 2, 2, operator='x')",
    "nn.MultiFieldEmbeddingLookup(10, 2, 0)", "nn.SyncBatchNorm(0)", "nn.SyncBatchNorm(3, process_groups=1)",
    "nn.SyncBatchNorm(3, process_groups=[[0, 1]])", "nn.SampledSoftmaxLoss(4, 7, 8)", "nn.SampledSoftmaxLoss(9, 7)",
    "nn.SampledSoftmaxLoss(4, 7, sampled_values=(1, 2))", "nn.SampledSoftmaxLoss(4, 7, sampled_values=1)",
    "nn.MicroBatchInterleaved(nn.ReLU(), 0)", "nn.MicroBatchInterleaved(nn.ReLU(), 2.0)",
    "nn.PipelineCell(nn.ReLU(), 0)", "nn.PipelineCell(nn.ReLU(), 2, {'relu': 0})", "nn.GradAccumulationCell(3, 1)",
    "nn.GradAccumulationCell(nn.ReLU(), 0)", "nn.ParameterUpdate(1)", "nn.SparseTensorDenseMatmul(1)",
]  # fmt: skip
FIELDS = "t([[2, 4, 6, 0, 0], [1, 3, 5, 0, 0]]), t([[1, 0.5, 3, 0, 0], [2, 1, 1, 0, 0.0]]), j(2, 2, 5)"
PLACES = "t([[0, 1], [1, 2]]), t([1.0, 2.0]), (3, 4)"
SAMPLED = "(t([0, 3, 5, 6], 'int32'), t([[0.4], [0.3], [0.2]]), t([0.5, 0.4, 0.3, 0.2]))"
CTC = "lsm(n(5, 2, 4)), t([[1, 2], [2, 3]], 'int32'), t([5, 4], 'int32'), t([2, 1], 'int32')"
CASES: list[tuple[str, str]] = [
    ("nn.DiGamma()", "u(4, 3)"), ("nn.LGamma()", "u(4, 3)"), ("nn.LGamma()", "i(5, 3)"),
    ("nn.IGamma()", "u(4, 3), u(4, 3)"), ("nn.IGamma()", "i(5, 3), i(5, 3)"), ("nn.LBeta()", "u(4, 3), u(4, 3)"),
    ("nn.Range(1, 8, 2)", ""), ("nn.Range(1, 8, 2.0)", ""), ("nn.Range(5)", ""), ("nn.Range(8, 1, -2)", ""),
    ("nn.Range(8, 1, 2)", ""), ("nn.Range(0.5, 3)", ""),
    ("nn.Tril()", "n(3, 4)"), ("nn.Tril()", "n(2, 3, 4), 1"), ("nn.Triu()", "n(3, 4)"), ("nn.Triu()", "n(3, 4), -1"),
    ("nn.Roll((1, -2), (0, 1))", ""), ("nn.Roll(1, 5)", "n(3)"),
    ("nn.Norm(axis=0)", "n(3, 4)"), ("nn.Norm()", "n(3, 4)"), ("nn.Norm(1, True)", "n(3, 4)"),
    ("nn.Norm((0, 2))", "n(2, 3, 4)"), ("nn.Norm(1, True)", "i(5, 3, 4)"),
    ("nn.ImageGradients()", "n(2, 3, 4, 5)"), ("nn.ImageGradients()", "i(9, 1, 1, 2, 2)"),
    ("nn.ImageGradients()", "n(2, 2)"),
    ("nn.CentralCrop(0.5)", "n(3, 4, 5)"), ("nn.CentralCrop(0.3)", "n(2, 1, 7, 8)"),
    ("nn.CentralCrop(1.0)", "n(3, 4, 5)"),
    ("nn.CentralCrop(0.5)", "n(4, 5)"),
    ("nn.LRN(1)", "n(2, 4, 2, 3)"), ("nn.LRN(2, 2.0, 0.5, 0.75)", "n(2, 7, 1, 2)"), ("nn.LRN()", "n(2, 2)"),
    ("nn.EmbeddingLookup(4, 2, t(A(4, 2)))", "t([[1, 0], [3, 2]])"),
    ("nn.EmbeddingLookup(4, 2, t(A(4, 2)))", "t([[1, 9], [-3, 2]], 'int32')"),
    ("nn.EmbeddingLookup(4, 2)", ""), ("nn.EmbeddingLookup(4, 2, 'ones')", "n(2)"),
    *((f"nn.MultiFieldEmbeddingLookup(10, 2, 3, t({s}A(10, 2)), operator='{o}')", FIELDS)
      for o in ("SUM", "MEAN", "MAX") for s in ("", "-")),
    ("nn.MultiFieldEmbeddingLookup(10, 2, 3)", ""),
    ("nn.MultiFieldEmbeddingLookup(10, 2, 3)", "i(5, 4), u(4), j(2, 4)"),
    ("nn.MultiFieldEmbeddingLookup(10, 2, 3)", "i(5, 2, 4), u(2, 4), i(2, 2, 4)"),
    ("nn.FractionalMaxPool2d(2, output_size=(2, 2), _random_samples=t([[[0.3, 0.6]]]))", "n(1, 1, 5, 5)"),
    ("nn.FractionalMaxPool2d((2, 3), None, (0.5, 0.4), True, t([[[0.3, 0.6]]]))", "n(1, 1, 7, 8)"),
    ("nn.FractionalMaxPool3d(2, output_size=(1, 2, 2), _random_samples=t([[[0.3, 0.6, 0.8]]]))", "n(1, 1, 4, 5, 5)"),
    ("nn.FractionalMaxPool3d(2, None, (0.5, 0.5, 0.5), True, t([[[0.3, 0.6, 0.8]]]))", "n(1, 1, 4, 5, 5)"),
    ("nn.FractionalMaxPool2d(2)", "n(1, 1, 5, 5)"),
    ("nn.SyncBatchNorm(3)", "n(2, 3, 2, 2)"), ("nn.SyncBatchNorm(3).set_train()", "n(2, 3, 2, 2)"),
    ("nn.SyncBatchNorm(3, process_groups=[[0]])", "n(4, 3)"), ("nn.SyncBatchNorm(3)", "n(2, 3, 2)"),
    ("nn.TensorArray(ms.int64, ())", ""),
    *((f"nn.CTCLoss(reduction='{r}', zero_infinity={z})", CTC) for r in ("mean", "sum", "none") for z in (False, True)),
    (f"nn.SampledSoftmaxLoss(4, 7, sampled_values={SAMPLED}, remove_accidental_hits=False)",
     "n(7, 10), n(7), t([0, 1, 2]), n(3, 10)"),
    ("nn.MicroBatchInterleaved(nn.Dense(2, 1, 'ones', 'zeros'), 2)", "n(4, 2)"),
    ("nn.MicroBatchInterleaved(nn.Dense(2, 1, 'ones', 'zeros'), 3)", "n(4, 2)"),
    ("nn.PipelineCell(nn.Dense(2, 1, 'ones', 'zeros'), 4)", "n(4, 2)"),
    ("nn.GradAccumulationCell(nn.Dense(2, 1, 'ones', 'zeros'), 2)", "n(4, 2)"),
    ("nn.ParameterUpdate(ms.Parameter(t([1.0, 2.0]), name='a'))", "n(2)"),
    ("nn.ParameterUpdate(ms.Parameter(t([1.0, 2.0]), name='a'))", "n(3)"),
    ("nn.VirtualDatasetCellTriple(lambda a, b, c: a + b * c)", "n(2), n(2), n(2)"),
    ("nn.SparseToDense()", "coo([[0, 1], [1, 2]], [1.0, 2.0], (3, 4))"),
    ("nn.SparseTensorDenseMatmul()", f"{PLACES}, n(4, 2)"), ("nn.SparseTensorDenseMatmul(True)", f"{PLACES}, n(3, 2)"),
    ("nn.SparseTensorDenseMatmul(False, True)", f"{PLACES}, n(2, 4)"),
    ("nn.Jvp(nn.ReLU())", "n(4), n(4)"), ("nn.Vjp(nn.Sigmoid())", "n(4), n(4)"),
]  # fmt: skip
GRAPH: list[tuple[str, str]] = [
    ("nn.SSIM()", "u(2, 3, 16, 17), u(2, 3, 16, 17)"),
    ("nn.SSIM(max_val=255.0, filter_size=5, filter_sigma=0.7, k1=0.02, k2=0.05)", "u(1, 2, 8, 8), u(1, 2, 8, 8)"),
    ("nn.SSIM()", "u(1, 1, 8, 8), u(1, 1, 8, 8)"), ("nn.SSIM()", "i(9, 1, 1, 16, 16), i(9, 1, 1, 16, 16)"),
    ("nn.SSIM()", "u(1, 1, 16, 16), u(1, 1, 16, 17)"),
    ("nn.MSSSIM(power_factors=(0.5, 0.3))", "u(2, 3, 32, 32), u(2, 3, 32, 32)"),
    ("nn.MSSSIM()", "u(1, 1, 32, 32), u(1, 1, 32, 32)"),
    ("nn.PSNR()", "u(2, 3, 4, 5), u(2, 3, 4, 5)"), ("nn.PSNR(255)", "i(255, 2, 3, 4, 5), i(255, 2, 3, 4, 5)"),
    ("nn.PSNR()", "u(2, 2), u(2, 2)"),
]  # fmt: skip


def tools(tensor: Any, coo: Any, log_softmax: Any) -> dict[str, Any]:
    """What the expressions of inputs use; `tensor` makes a Tensor of an array."""
    rng = np.random.RandomState(5)

    def t(values: Any, dtype: str | None = None) -> Any:
        array = np.array(values)
        return tensor(array.astype(dtype or ("float32" if array.dtype.kind == "f" else array.dtype)))

    return {
        "t": t,
        "n": lambda *shape: t(rng.standard_normal(shape)),
        "u": lambda *shape: t(rng.uniform(size=shape)),
        "i": lambda high, *shape: t(rng.randint(0, high, shape)),
        "j": lambda high, *shape: t(rng.randint(0, high, shape), "int32"),
        "A": lambda *shape: np.arange(int(np.prod(shape))).reshape(shape) / 8,
        "coo": lambda places, values, shape: coo(t(places), t(values), shape),
        "lsm": lambda x: log_softmax(x, -1),
    }


def record(expr: str, given: str) -> dict[str, Any]:
    row: dict[str, Any] = {"expr": expr, "inputs": given}
    names = tools(ms.Tensor, ms.COOTensor, ms.ops.log_softmax)
    try:
        net = eval(expr, {"nn": nn, "ms": ms, **names})
    except Exception as error:
        row["error"] = type(error).__name__
        return row
    if not any(name in expr for name in ("SSIM", "IGamma", "Jvp")):  # they show windows and cells that only help them
        row["repr"] = repr(net)
    row["parameters"] = [[name, p.name, p.requires_grad] for name, p in net.parameters_and_names()]
    if not given and "Range" not in expr:
        return row
    inputs = eval(f"({given},)" if given else "()", names)
    try:
        out = net(*inputs)
        found = out if isinstance(out, tuple) else (out,)
        row["outputs"] = [
            {"shape": list(o.shape), "dtype": str(o.dtype), "data": [float(f"{v:.8g}") for v in o.asnumpy().ravel()]}
            for o in found
        ]
    except Exception as error:
        row["forward_error"] = type(error).__name__
    return row


if __name__ == "__main__":
    ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU", pynative_synchronize=True)
    rows = [record(expr, "") for expr in BAD] + [record(*case) for case in CASES]
    ms.set_context(mode=ms.GRAPH_MODE)
    rows += [record(*case) for case in GRAPH]
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("layer_families.json")
    lines = ",\n".join(json.dumps(row) for row in rows)
    target.write_text(f'{{"mindspore": "{ms.__version__}", "rows": [\n{lines}\n]}}\n')
