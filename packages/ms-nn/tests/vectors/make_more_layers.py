"""Records more_layers.json with MindSpore 2.6 itself: ``python make_more_layers.py`` in an environment that has it.

Each row: the expression that builds a layer and its repr and parameter names, or the type of the error; and what it
makes of inputs drawn from ``RandomState(3)`` ("i5:(2, 3)": integers below 5; a number: a float32 Tensor of it).
InstanceNorm is only built: 2.6 cannot run it on a CPU. ClipByNorm only runs over all dimensions: with an axis, 2.6
takes the norms of wrong elements (windows that overlap) there.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import nn  # noqa: F401  (used by the expressions)

VOL = [(2, 3, 4, 5, 6)]
X4 = [(2, 3, 4, 5)]
IMG = [(2, 3, 4, 6)]
BAD = [
    "nn.InstanceNorm2d(0)", "nn.InstanceNorm2d(3.0)", "nn.InstanceNorm2d(True)", "nn.InstanceNorm1d(3, momentum=1)",
    "nn.InstanceNorm3d(3, momentum=1.5)", "nn.InstanceNorm2d(3, eps=0)", "nn.InstanceNorm2d(3, eps=-1.0)",
    "nn.InstanceNorm2d(3, affine=1)", "nn.InstanceNorm2d(3, gamma_init=None)", "nn.InstanceNorm2d(3, beta_init=[1])",
    "nn.AdaptiveAvgPool3d('a')", "nn.AdaptiveAvgPool3d([1, 2, 3])", "nn.AdaptiveAvgPool3d(-2)",
    "nn.AdaptiveAvgPool3d(True)", "nn.AdaptiveAvgPool3d((1, 'a', 2))", "nn.AdaptiveMaxPool3d((3, None, 2))",
    "nn.AdaptiveMaxPool3d('a')", "nn.ClipByNorm('a')", "nn.ClipByNorm((1, 'a'))", "nn.ClipByNorm(1.5)",
    "nn.ClipByNorm(True)", "nn.TimeDistributed(3, 1)", "nn.TimeDistributed(nn.ReLU(), 1.5)",
    "nn.TimeDistributed(nn.ReLU(), 1, (0, 1))", "nn.TimeDistributed(nn.ReLU(), True)",
    "nn.Conv2dBnAct(3, 4, 3, activation='zz')", "nn.Conv2dBnAct(3, 4, 3, activation=5)",
    "nn.Conv2dBnAct(3, 4, 3, activation=nn.ReLU)", "nn.Conv2dBnAct(3, 4, 3, has_bn=1)",
    "nn.Conv2dBnAct(3, 4, 3, after_fake=7)", "nn.Conv2dBnAct(3, 4, 3, activation='')",
    "nn.DenseBnAct(3, 4, activation='zz')", "nn.DenseBnAct(3, 4, activation=5)", "nn.DenseBnAct(3, 4, has_bn=1)",
]  # fmt: skip
CASES: list[tuple[str, list[object] | None]] = [
    *((expr, None) for expr in BAD),
    ("nn.InstanceNorm1d(3)", None),
    ("nn.InstanceNorm2d(3, eps=1e-3, dtype=ms.float16)", None),
    ("nn.InstanceNorm2d(3, gamma_init=2.0, momentum=0.5)", None),
    ("nn.InstanceNorm3d(3, affine=False)", None),
    ("nn.InstanceNorm1d(3)", [(2, 3)]),
    ("nn.InstanceNorm2d(3)", [(2, 3, 5)]),
    ("nn.InstanceNorm2d(3)", [(2, 4, 5, 4)]),
    ("nn.LPPool1d(1, 3)", [(2, 3, 10)]),
    ("nn.LPPool1d(2, 3, stride=2)", [(3, 10)]),
    ("nn.LPPool1d(2.0, 3, 2, True)", [(3, 10)]),
    ("nn.LPPool2d(2, 3)", [(2, 3, 6, 7)]),
    ("nn.LPPool2d(1, (2, 3), (1, 2), True)", [(2, 3, 6, 7)]),
    ("nn.MaxUnpool1d(2)", [(1, 2, 2), "i4:(1, 1, 1)"]),
    ("nn.MaxUnpool1d(3)", [(1, 1, 1), "i3:(1, 1, 1)"]),
    ("nn.MaxUnpool1d(3, stride=2, padding=1)", [(1, 2), "i1:(1, 2)"]),
    ("nn.MaxUnpool2d(2)", [(1, 1, 1, 1), "i4:(1, 1, 1, 1)"]),
    ("nn.MaxUnpool2d((3, 2), stride=2)", [(2, 1, 1), "i6:(2, 1, 1)"]),
    ("nn.MaxUnpool2d('a')", [(1, 1, 1, 1), "i4:(1, 1, 1, 1)"]),
    ("nn.MaxUnpool3d(2)", [(1, 2, 1, 1, 1), "i8:(1, 2, 1, 1, 1)"]),
    ("nn.AdaptiveAvgPool3d(3)", VOL),
    ("nn.AdaptiveAvgPool3d((3, None, 2))", VOL),
    ("nn.AdaptiveAvgPool3d(2)", X4),
    ("nn.AdaptiveAvgPool3d((1, 2))", VOL),
    ("nn.AdaptiveAvgPool3d(2)", [(3, 4, 5)]),
    ("nn.AdaptiveMaxPool3d(2)", VOL),
    ("nn.AdaptiveMaxPool3d((1, 2, 3), True)", VOL),
    ("nn.AdaptiveMaxPool3d(2, 1)", X4),
    ("nn.AdaptiveMaxPool3d((1, 2))", VOL),
    ("nn.AdaptiveMaxPool3d(0)", VOL),
    ("nn.Upsample(size=(5, 7))", IMG),
    ("nn.Upsample(size=3, mode='linear')", [(2, 3, 5)]),
    ("nn.Upsample(size=(5, 7), mode='bilinear', align_corners=True)", IMG),
    ("nn.Upsample(scale_factor=2.0, mode='bilinear', recompute_scale_factor=True)", IMG),
    ("nn.Upsample(scale_factor=2.0, mode='bilinear')", IMG),
    ("nn.Upsample(size=(5, 7), mode='bicubic')", IMG),
    ("nn.Upsample()", IMG),
    ("nn.Upsample(size=3, mode='zz')", IMG),
    ("nn.ClipByNorm()", [(2, 3, 4), 1.0]),
    ("nn.ClipByNorm()", [(2, 3, 4), 100.0]),
    ("nn.ClipByNorm()", [(2, 3, 4), 0.0]),
    ("nn.ClipByNorm()", [(2, 3, 4), -1.0]),
    ("nn.ClipByNorm()", [0.0, 0.0]),
    ("nn.ClipByNorm([0, 1, -1])", [(2, 3, 4), 1.0]),
    ("nn.ClipByNorm(1)", None),
    ("nn.ClipByNorm(9)", [(2, 3, 4), 1.0]),
    ("nn.ClipByNorm(1)", [(2, 3), (3, 2)]),
    ("nn.ClipByNorm()", ["i5:(2, 3)", 1.0]),
    *((f"nn.TimeDistributed(nn.ReLU(), {t})", X4) for t in (0, 2, -1, 7)),
    *((f"nn.TimeDistributed(nn.ReLU(), {t}, {a})", X4) for t in range(4) for a in range(4) if t or a),
    *((f"nn.TimeDistributed(nn.ReLU(), {t}, {a})", [(2, 3, 2, 2, 3)]) for t, a in ((0, 4), (1, 4), (4, 0), (-2, 1))),
    ("nn.TimeDistributed(nn.ReLU(), 1)", [(2, 3)]),
    ("nn.TimeDistributed(nn.Flatten(), 1)", IMG),
    ("nn.TimeDistributed(nn.Flatten(), 1, 0)", IMG),
    ("nn.TimeDistributed(nn.AvgPool2d(2, 2), 1, 0)", [(2, 3, 2, 4, 4)]),
    ("nn.TimeDistributed(nn.Dense(4, 2, weight_init=0.5, bias_init='ones'), 1, 0)", [(2, 3, 4)]),
    ("nn.Conv2dBnAct(3, 2, 3, weight_init='ones')", IMG),
    ("nn.Conv2dBnAct(3, 2, 3, weight_init=0.1, has_bn=True, activation='relu')", IMG),
    ("nn.Conv2dBnAct(3, 2, 3, 2, 'pad', 1, weight_init=0.1, bias_init='ones', has_bias=True, has_bn=True, eps=0.1, "
     "activation='leakyrelu', alpha=0.3)", IMG),
    ("nn.Conv2dBnAct(3, 2, 3, weight_init='ones', activation=nn.ReLU6(), after_fake=False)", IMG),
    ("nn.DenseBnAct(4, 2, weight_init='ones')", [(3, 4)]),
    ("nn.DenseBnAct(4, 2, weight_init='ones', has_bias=False, has_bn=True, activation='leakyrelu')", [(3, 4)]),
    ("nn.DenseBnAct(4, 2, weight_init=0.5, bias_init='ones', has_bn=True, eps=0.1, activation=nn.ReLU6())", [(3, 4)]),
]  # fmt: skip


def draw(spec: object, rng: np.random.RandomState) -> ms.Tensor:
    if isinstance(spec, str):
        high, shape = spec[1:].split(":")
        return ms.Tensor(rng.randint(0, int(high), eval(shape)).astype(np.int64))
    if isinstance(spec, float):
        return ms.Tensor(spec, ms.float32)
    return ms.Tensor(rng.standard_normal(spec).astype(np.float32))


def values(tensor: ms.Tensor) -> dict[str, object]:
    array = tensor.asnumpy()
    return {"shape": list(array.shape), "dtype": str(tensor.dtype), "data": [float(f"{v:.7g}") for v in array.ravel()]}


def record(expr: str, specs: list[object] | None) -> dict[str, object]:
    row: dict[str, object] = {"expr": expr, "inputs": specs}
    try:
        net = eval(expr)
        row["repr"] = repr(net)
        row["parameters"] = [[name, p.name, p.requires_grad] for name, p in net.parameters_and_names()]
    except Exception as error:
        row["error"] = type(error).__name__
        return row
    if specs is not None:
        rng = np.random.RandomState(3)
        try:
            out = net(*[draw(spec, rng) for spec in specs])
            row["outputs"] = [values(t) for t in (out if isinstance(out, tuple) else (out,))]
        except Exception as error:
            row["forward_error"] = type(error).__name__
            row["message"] = str(error)[:100]
    return row


if __name__ == "__main__":
    ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
    ms.set_seed(7)
    rows = [record(*case) for case in CASES]
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("more_layers.json")
    lines = ",\n".join(json.dumps(row) for row in rows)
    target.write_text(f'{{"mindspore": "{ms.__version__}", "rows": [\n{lines}\n]}}\n')
