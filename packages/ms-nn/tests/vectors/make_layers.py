"""Records layers.json with MindSpore 2.6 itself: ``python make_layers.py`` in an environment that has it.

Each row: the expression that builds a layer, its repr, its parameters (name, shape, dtype, requires_grad, digest of the
bytes and the first values, all after ``set_seed(7)``), and what it makes of inputs drawn from ``RandomState(3)``.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import mint, nn  # noqa: F401  (used by the expressions)

# (expression, shapes of the inputs; "i5:(2, 3)" means integers below 5; None: only built), training flag
IMG = [(2, 4, 5, 4)]
VEC = [(3, 4)]
SEQ = [(2, 4, 6)]
VOL = [(1, 4, 4, 3, 4)]
CASES: list[tuple[str, list[object] | None, bool]] = [
    ("nn.Dense(4, 3)", VEC, False),
    ("nn.Dense(4, 3, has_bias=False)", VEC, False),
    ("nn.Dense(4, 3, activation='relu')", VEC, False),
    ("nn.Dense(4, 3, weight_init='normal', bias_init='ones')", [(2, 3, 4)], False),
    ("nn.Dense(4, 3, weight_init=nn_init('XavierUniform'), activation=nn.Tanh())", VEC, False),
    ("nn.Dense(4, 3, dtype=ms.float16)", None, False),
    ("nn.Conv2d(4, 6, 3)", IMG, False),
    ("nn.Conv2d(4, 6, 3, has_bias=True)", IMG, False),
    ("nn.Conv2d(4, 6, (3, 2), stride=2, pad_mode='valid')", IMG, False),
    ("nn.Conv2d(4, 6, 3, pad_mode='pad', padding=1, dilation=(2, 1))", IMG, False),
    ("nn.Conv2d(4, 6, 3, pad_mode='pad', padding=(1, 0, 2, 1), has_bias=True)", IMG, False),
    ("nn.Conv2d(4, 4, 3, group=2, has_bias=True, weight_init='he_normal')", IMG, False),
    ("nn.Conv1d(4, 6, 3)", SEQ, False),
    ("nn.Conv1d(4, 6, 3, stride=2, pad_mode='pad', padding=1, has_bias=True)", SEQ, False),
    ("nn.Conv1d(4, 6, 3, pad_mode='valid', dilation=2)", SEQ, False),
    ("nn.Conv3d(4, 6, 3)", VOL, False),
    ("nn.Conv3d(4, 6, (1, 2, 3), pad_mode='valid', has_bias=True)", VOL, False),
    ("nn.Conv2dTranspose(4, 6, 3)", IMG, False),
    ("nn.Conv2dTranspose(4, 6, (3, 2), stride=(1, 2), has_bias=True)", IMG, False),
    ("nn.Conv2dTranspose(4, 6, 3, stride=2, pad_mode='pad', padding=1, has_bias=True)", IMG, False),
    ("nn.Conv2dTranspose(4, 6, 3, stride=2, pad_mode='pad', padding=1, output_padding=1)", IMG, False),
    ("nn.Conv2dTranspose(4, 6, 3, stride=2, pad_mode='valid', dilation=2)", IMG, False),
    ("nn.Conv2dTranspose(4, 6, 3, stride=4, group=2)", IMG, False),
    ("nn.Conv1dTranspose(4, 6, 3)", SEQ, False),
    ("nn.Conv1dTranspose(4, 6, 3, stride=2, pad_mode='valid', has_bias=True)", SEQ, False),
    ("nn.Conv3dTranspose(4, 6, 3)", VOL, False),
    ("nn.Conv3dTranspose(4, 2, 2, stride=2, pad_mode='valid')", VOL, False),
    ("nn.BatchNorm1d(4)", VEC, True),
    ("nn.BatchNorm1d(4)", VEC, False),
    ("nn.BatchNorm2d(4)", IMG, True),
    ("nn.BatchNorm2d(4)", IMG, False),
    ("nn.BatchNorm2d(4, eps=1e-3, momentum=0.7, affine=False)", IMG, True),
    ("nn.BatchNorm2d(4, use_batch_statistics=True)", IMG, False),
    ("nn.BatchNorm2d(4, use_batch_statistics=False)", IMG, True),
    ("nn.BatchNorm2d(4, gamma_init=0.5, beta_init=0.25, moving_mean_init='ones', moving_var_init=2.0)", IMG, False),
    ("nn.BatchNorm3d(4)", VOL, True),
    ("nn.LayerNorm((4,))", VEC, False),
    ("nn.LayerNorm([4, 6], begin_norm_axis=1, begin_params_axis=1)", SEQ, False),
    ("nn.LayerNorm((4,), epsilon=1e-3, gamma_init=0.5, beta_init='ones')", VEC, False),
    ("nn.GroupNorm(2, 4)", IMG, False),
    ("nn.GroupNorm(4, 4, eps=1e-3, affine=False)", IMG, False),
    ("nn.Embedding(5, 3)", ["i5:(2, 4)"], False),
    ("nn.Embedding(5, 3, use_one_hot=True)", ["i5:(2, 4)"], False),
    ("nn.Embedding(5, 3, padding_idx=1)", ["i5:(2, 4)"], False),
    ("nn.Embedding(5, 3, embedding_table='zeros')", ["i5:(4,)"], False),
    ("nn.Dropout()", VEC, False),
    ("nn.Dropout(p=0.25)", VEC, False),
    ("nn.Dropout(keep_prob=0.9)", VEC, False),
    ("nn.Dropout1d()", SEQ, False),
    ("nn.Dropout2d(0.2)", IMG, False),
    ("nn.Dropout3d(p=0.3)", VOL, False),
    ("nn.Flatten()", IMG, False),
    ("nn.Flatten(2, 3)", IMG, False),
    ("nn.Unflatten(1, (2, 2))", VEC, False),
    ("nn.Identity()", VEC, False),
    ("nn.MaxPool2d()", IMG, False),
    ("nn.MaxPool2d(2, 2)", IMG, False),
    ("nn.MaxPool2d(3, 2, pad_mode='same')", IMG, False),
    ("nn.MaxPool2d((3, 2), (2, 1), pad_mode='pad', padding=1)", IMG, False),
    ("nn.MaxPool2d(2, 2, pad_mode='pad', ceil_mode=True)", IMG, False),
    ("nn.AvgPool2d(2, 2)", IMG, False),
    ("nn.AvgPool2d(3, 2, pad_mode='same')", IMG, False),
    ("nn.AvgPool2d(3, 2, pad_mode='pad', padding=1, count_include_pad=False)", IMG, False),
    ("nn.AvgPool2d(2, 2, pad_mode='pad', ceil_mode=True)", IMG, False),
    ("nn.MaxPool1d(2, 2)", SEQ, False),
    ("nn.MaxPool1d(3, 2, pad_mode='same')", SEQ, False),
    ("nn.AvgPool1d(2, 2)", SEQ, False),
    ("nn.AvgPool1d(3, 2, pad_mode='same')", SEQ, False),
    ("nn.MaxPool3d(2, 2)", VOL, False),
    ("nn.MaxPool3d(3, 2, pad_mode='same')", VOL, False),
    ("nn.MaxPool3d((1, 2, 3), (1, 2, 1), pad_mode='pad', padding=(0, 1, 1))", VOL, False),
    ("nn.MaxPool3d(2, 2)", [(2, 4, 5, 6)], False),
    ("nn.AvgPool3d(2, 2)", VOL, False),
    ("nn.AvgPool3d(3, 2, pad_mode='same')", VOL, False),
    ("nn.AvgPool3d(2, 2, pad_mode='pad', padding=1, count_include_pad=False)", VOL, False),
    ("nn.AdaptiveAvgPool1d(3)", SEQ, False),
    ("nn.AdaptiveAvgPool2d(3)", IMG, False),
    ("nn.AdaptiveAvgPool2d((None, 2))", IMG, False),
    ("nn.AdaptiveMaxPool1d(3)", SEQ, False),
    ("nn.AdaptiveMaxPool2d((3, 2))", IMG, False),
    ("nn.ReLU()", VEC, False),
    ("nn.ReLU6()", VEC, False),
    ("nn.GELU()", VEC, False),
    ("nn.GELU(approximate=False)", VEC, False),
    ("nn.FastGelu()", VEC, False),
    ("nn.Sigmoid()", VEC, False),
    ("nn.Tanh()", VEC, False),
    ("nn.Softmax()", VEC, False),
    ("nn.Softmax(axis=0)", VEC, False),
    ("nn.LogSoftmax()", VEC, False),
    ("nn.Softmin()", VEC, False),
    ("nn.Softmax2d()", IMG, False),
    ("nn.LeakyReLU()", VEC, False),
    ("nn.LeakyReLU(alpha=0.1)", VEC, False),
    ("nn.ELU()", VEC, False),
    ("nn.CELU()", VEC, False),
    ("nn.SeLU()", VEC, False),
    ("nn.SiLU()", VEC, False),
    ("nn.HSigmoid()", VEC, False),
    ("nn.HSwish()", VEC, False),
    ("nn.HShrink()", VEC, False),
    ("nn.SoftShrink()", VEC, False),
    ("nn.Softsign()", VEC, False),
    ("nn.Hardtanh()", VEC, False),
    ("nn.LogSigmoid()", VEC, False),
    ("nn.Mish()", VEC, False),
    ("nn.PReLU()", VEC, False),
    ("nn.PReLU(channel=4, w=0.1)", IMG, False),
    ("nn.RReLU()", None, False),
    ("nn.Threshold(0.1, 20)", VEC, False),
    ("nn.Tanhshrink()", VEC, False),
    ("nn.GLU()", VEC, False),
    ("nn.get_activation('relu6')", VEC, False),
    ("nn.Pad(((1, 1), (2, 0)))", VEC, False),
    ("nn.Pad(((1, 1), (2, 0)), mode='REFLECT')", [(3, 4)], False),
    ("nn.ConstantPad1d((1, 2), 0.5)", SEQ, False),
    ("nn.ConstantPad2d((1, 0, 2, 1), 0.5)", IMG, False),
    ("nn.ConstantPad3d(1, 0.5)", VOL, False),
    ("nn.ReflectionPad1d(2)", SEQ, False),
    ("nn.ReflectionPad2d((1, 0, 2, 1))", IMG, False),
    ("nn.ReflectionPad3d(1)", VOL, False),
    ("nn.ReplicationPad1d((1, 2))", SEQ, False),
    ("nn.ReplicationPad2d(1)", IMG, False),
    ("nn.ReplicationPad3d(1)", VOL, False),
    ("nn.ZeroPad2d((1, 0, 2, 1))", IMG, False),
    ("nn.MatMul()", [(5, 2, 3), (3, 4)], False),
    ("nn.MatMul(transpose_x1=True, transpose_x2=True)", [(3, 2), (4, 3)], False),
    ("nn.MatMul()", [(3,), (3,)], False),
    ("nn.BiDense(4, 3, 2)", [(5, 4), (5, 3)], False),
    ("nn.BiDense(4, 3, 2, has_bias=False)", [(2, 5, 4), (2, 5, 3)], False),
    ("nn.ReduceLogSumExp(1, True)", VEC, False),
    ("nn.ReduceLogSumExp((0, 1))", VEC, False),
    ("nn.Moments()", VEC, False),
    ("nn.Moments(axis=0, keep_dims=True)", VEC, False),
    ("nn.Moments(axis=(0, 2))", SEQ, False),
    ("nn.L1Regularizer(0.5)", VEC, False),
    ("nn.PixelShuffle(2)", IMG, False),
    ("nn.PixelUnshuffle(2)", [(2, 3, 4, 6)], False),
    ("nn.ChannelShuffle(2)", IMG, False),
    ("nn.OneHot(axis=1, depth=5, on_value=2.0, off_value=-1.0)", ["i5:(2, 3)"], False),
    ("nn.OneHot(depth=4)", ["i5:(3,)"], False),
    ("nn.SequentialCell(nn.Dense(4, 5), nn.ReLU(), nn.Dense(5, 2))", VEC, False),
    ("nn.SequentialCell([nn.Conv2d(4, 2, 3), nn.BatchNorm2d(2), nn.Flatten(), nn.Dense(40, 3)])", IMG, False),
    ("nn.CellList([nn.Dense(4, 5), nn.ReLU()])", None, False),
    ("nn.CellDict({'a': nn.Dense(4, 5), 'b': nn.ReLU()})", None, False),
    ("mint.nn.Linear(4, 3)", VEC, False),
    ("mint.nn.Linear(4, 3, bias=False)", VEC, False),
    ("mint.nn.Conv2d(4, 6, 3)", IMG, False),
    ("mint.nn.Conv2d(4, 6, 3, stride=2, padding=1, groups=2, bias=False)", IMG, False),
    ("mint.nn.Conv1d(4, 6, 3)", SEQ, False),
    ("mint.nn.Conv3d(4, 6, 3)", VOL, False),
    ("mint.nn.BatchNorm1d(4)", VEC, True),
    ("mint.nn.BatchNorm2d(4)", IMG, True),
    ("mint.nn.BatchNorm2d(4)", IMG, False),
    ("mint.nn.BatchNorm2d(4, affine=False, track_running_stats=False)", IMG, False),
    ("mint.nn.BatchNorm3d(4)", VOL, True),
    ("mint.nn.LayerNorm((4,))", VEC, False),
    ("mint.nn.LayerNorm((4,), elementwise_affine=False)", VEC, False),
    ("mint.nn.GroupNorm(2, 4)", IMG, False),
    ("mint.nn.Embedding(5, 3)", ["i5:(2, 4)"], False),
    ("mint.nn.Dropout()", VEC, False),
    ("mint.nn.Dropout2d(0.3)", IMG, False),
    ("mint.nn.Flatten()", IMG, False),
    ("mint.nn.Identity()", VEC, False),
    ("mint.nn.MaxPool2d(2)", IMG, False),
    ("mint.nn.AvgPool1d(2)", SEQ, False),
    ("mint.nn.AvgPool2d(2)", IMG, False),
    ("mint.nn.AdaptiveAvgPool1d(2)", SEQ, False),
    ("mint.nn.AdaptiveAvgPool2d((2, 3))", IMG, False),
    ("mint.nn.AdaptiveMaxPool2d(2)", IMG, False),
    ("mint.nn.ReLU()", VEC, False),
    ("mint.nn.ReLU6()", VEC, False),
    ("mint.nn.GELU()", VEC, False),
    ("mint.nn.GELU(approximate='tanh')", VEC, False),
    ("mint.nn.ELU()", VEC, False),
    ("mint.nn.GLU()", VEC, False),
    ("mint.nn.Hardshrink()", VEC, False),
    ("mint.nn.Hardsigmoid()", VEC, False),
    ("mint.nn.Hardswish()", VEC, False),
    ("mint.nn.Hardtanh()", VEC, False),
    ("mint.nn.LogSigmoid()", VEC, False),
    ("mint.nn.LogSoftmax(dim=-1)", VEC, False),
    ("mint.nn.Softmax(dim=-1)", VEC, False),
    ("mint.nn.Mish()", VEC, False),
    ("mint.nn.PReLU()", VEC, False),
    ("mint.nn.SELU()", VEC, False),
    ("mint.nn.SiLU()", VEC, False),
    ("mint.nn.Sigmoid()", VEC, False),
    ("mint.nn.Softshrink()", VEC, False),
    ("mint.nn.Tanh()", VEC, False),
    ("mint.nn.Threshold(0.1, 20)", VEC, False),
    ("mint.nn.ConstantPad1d(1, 0.5)", SEQ, False),
    ("mint.nn.ConstantPad2d(1, 0.5)", IMG, False),
    ("mint.nn.ConstantPad3d(1, 0.5)", VOL, False),
    ("mint.nn.ReflectionPad1d(1)", SEQ, False),
    ("mint.nn.ReflectionPad2d(1)", IMG, False),
    ("mint.nn.ReflectionPad3d(1)", VOL, False),
    ("mint.nn.ReplicationPad1d(1)", SEQ, False),
    ("mint.nn.ReplicationPad2d(1)", IMG, False),
    ("mint.nn.ReplicationPad3d(1)", VOL, False),
    ("mint.nn.ZeroPad1d(1)", SEQ, False),
    ("mint.nn.ZeroPad2d(1)", IMG, False),
    ("mint.nn.ZeroPad3d(1)", VOL, False),
]


def nn_init(name: str) -> object:
    from mindspore.common import initializer

    return getattr(initializer, name)()


def draw(spec: object, rng: np.random.RandomState) -> ms.Tensor:
    if isinstance(spec, str):
        high, shape = spec[1:].split(":")
        return ms.Tensor(rng.randint(0, int(high), eval(shape)).astype(np.int32))
    return ms.Tensor(rng.standard_normal(spec).astype(np.float32))


def values(tensor: ms.Tensor) -> dict[str, object]:
    array = tensor.asnumpy()
    return {"shape": list(array.shape), "dtype": str(tensor.dtype), "data": [float(f"{v:.7g}") for v in array.ravel()]}


def parameter(param: ms.Parameter) -> dict[str, object]:
    array = np.ascontiguousarray(param.asnumpy())
    return {
        "name": param.name,
        "shape": list(param.shape),
        "dtype": str(param.dtype),
        "requires_grad": param.requires_grad,
        "sha256": hashlib.sha256(array.tobytes()).hexdigest()[:16],
        "head": [float(v) for v in array.ravel()[:3]],
    }


def record(expr: str, shapes: list[object] | None, train: bool) -> dict[str, object]:
    row: dict[str, object] = {"expr": expr, "train": train}
    ms.set_seed(7)
    try:
        net = eval(expr)
        row["parameters"] = [parameter(p) for p in net.get_parameters()]
        row["names"] = [name for name, _ in net.parameters_and_names()]
        row["repr"] = repr(net)
    except Exception as error:
        row["error"] = type(error).__name__ + ": " + str(error).partition("\n\n---")[0][:120]
        return row
    if shapes is not None:
        row["inputs"] = shapes
        rng = np.random.RandomState(3)
        net.set_train(train)
        try:
            out = net(*[draw(spec, rng) for spec in shapes])
            row["outputs"] = [values(t) for t in (out if isinstance(out, tuple) else (out,))]
            if train:
                row["after"] = [[p.name, values(p)] for p in net.get_parameters() if not p.requires_grad]
        except Exception as error:
            row["forward_error"] = type(error).__name__ + ": " + str(error).partition("\n\n---")[0][:120]
    return row


if __name__ == "__main__":
    ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
    rows = [record(*case) for case in CASES]
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("layers.json")
    lines = ",\n".join(json.dumps(row) for row in rows)
    target.write_text(f'{{"mindspore": "{ms.__version__}", "rows": [\n{lines}\n]}}\n')
