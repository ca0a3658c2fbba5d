"""Activation functions, softmax and its logarithm."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ms_kernels.core.dispatch import is_recording
from ms_kernels.loops import elementwise as loops
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._rows import unary
from ms_kernels.ops._tape import cast_np
from ms_kernels.ops.compare import greater, greater_equal, less, where
from ms_kernels.ops.elementary import erf, exp, sigmoid
from ms_kernels.ops.trigonometry import tanh

__all__ = ["gelu", "logsigmoid", "relu", "relu6", "silu"]

SELU_ALPHA, SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
ONCE = "only called where gradients of gradients are not recorded"


def _typed(test: Any, like: Any) -> Any:
    """A condition as 0 and 1 in another tensor's dtype."""
    return cast_np(test, like._kind)


@op(
    shape=rules.same,
    dtype=rules.same,
    nondiff=ONCE,
    ascend="step_f32",
    primitive="LoopGrad(kind)(dy, x)",
    rename={"dy": "grad", "kind": "kind"},
)
def loop_grad(grad: Array, input: Array, kind: str) -> Any:
    """Return the gradient of an activation by its native loop; `input` is what that loop takes, input or output.

    Examples:
        >>> print(ops.LoopGrad("relu_grad")(Tensor([5.0, 5.0]), Tensor([1.0, -1.0])))
        [5. 0.]

    Source: the derivative of the activation.
    """
    return loops.binary(kind, grad, input)


def _faster(kind: str, formula: Any) -> Any:
    """A gradient rule: the native loop, or the formula in tensor ops where it has to be differentiated again."""

    def vjp(g: Any, _out: Any, input: Any) -> Any:
        if is_recording() or input._kind != g._kind:
            return formula(g, input)
        return loop_grad(g, input, kind)

    return vjp


def _gelu_slope(input: Any) -> Any:
    normal = exp(input * input * -0.5) * (1 / math.sqrt(2 * math.pi))
    return (erf(input * math.sqrt(0.5)) + 1) * 0.5 + input * normal


def _gelu_tanh_slope(input: Any) -> Any:
    k, c = math.sqrt(2 / math.pi), 0.044715
    t = tanh((input + input * input * input * c) * k)
    return (t + 1) * 0.5 + input * 0.5 * (1 - t * t) * ((input * input * (3 * c) + 1) * k)


def _silu_slope(input: Any) -> Any:
    s = sigmoid(input)
    return s * (input * (1 - s) + 1)


def _float(name: str) -> Any:
    """The loop on what is no float: integers through float32."""
    return lambda x: loops.unary(name, x.astype(np.float32))


relu = unary(
    "relu",
    "Return the element where it is positive, else 0.",
    "ops.relu(Tensor([-1.0, 2.0])) -> [0. 2.]",
    lambda x: np.maximum(x, 0),
    _faster("relu_grad", lambda g, input: g * _typed(greater(input, 0), g)),
    dtype=rules.same,
    surfaces=("mintf",),
    ascend="step",
    primitive="ReLU",
    inplace=True,
)


relu6 = unary(
    "relu6",
    "Return the element limited to [0, 6].",
    "ops.relu6(Tensor([-1.0, 2.0, 9.0])) -> [0. 2. 6.]",
    lambda x: np.clip(x, 0, 6),
    lambda g, _out, input: g * _typed(greater(input, 0), g) * _typed(less(input, 6), g),
    dtype=rules.same,
    surfaces=("ops", "mintf"),
    arg="x",
    ascend="step",
    primitive="ReLU6",
)


gelu_erf = unary(
    "gelu_erf",
    "Return ``x * Phi(x)``, Phi the normal distribution function.",
    "ops.gelu(Tensor([0.0, 1.0])) -> [0.        0.8413447]",
    _float("gelu_erf"),
    _faster("gelu_erf_grad", lambda g, input: g * _gelu_slope(input)),
    surfaces=(),
    ascend="gelu",
    primitive="GeLUErf",
)


gelu_tanh = unary(
    "gelu_tanh",
    "Return the tanh approximation of GELU.",
    "ops.gelu(Tensor([0.0, 1.0]), 'tanh') -> [0.       0.841192]",
    _float("gelu_tanh"),
    _faster("gelu_tanh_grad", lambda g, input: g * _gelu_tanh_slope(input)),
    surfaces=(),
    ascend="gelu_tanh",
    primitive="GeLU",
)


silu = unary(
    "silu",
    "Return ``x * sigmoid(x)``.",
    "ops.silu(Tensor([0.0, 1.0])) -> [0.        0.7310586]",
    _float("silu"),
    _faster("silu_grad", lambda g, input: g * _silu_slope(input)),
    surfaces=("ops", "mintf"),
    primitive="SiLU",
)


logsigmoid = unary(
    "logsigmoid",
    "Return ``log(sigmoid(x))`` without overflow.",
    "ops.logsigmoid(Tensor([0.0, 2.0])) -> [-0.6931472  -0.12692805]",
    _float("logsigmoid"),
    lambda g, _out, input: g * sigmoid(input * -1),
    surfaces=("ops", "mintf"),
    arg="x",
    primitive="LogSigmoid",
)


softplus_plain = unary(
    "softplus",
    "Return ``log(1 + exp(x))`` without overflow.",
    "ops.Softplus()(Tensor([0.0, 2.0])) -> [0.6931472 2.126928 ]",
    _float("softplus"),
    lambda g, _out, input: g * sigmoid(input),
    surfaces=(),
    primitive="Softplus",
)


mish = unary(
    "mish",
    "Return ``x * tanh(log(1 + exp(x)))``.",
    "ops.mish(Tensor([0.0, 1.0])) -> [0.         0.86509836]",
    _float("mish"),
    lambda g, _out, input: g * _mish_slope(input),
    surfaces=("ops", "mintf"),
    arg="x",
    primitive="Mish",
)


hardsigmoid = unary(
    "hsigmoid",
    "Return ``x / 6 + 1/2`` limited to [0, 1].",
    "ops.hardsigmoid(Tensor([-4.0, 0.0, 1.5])) -> [0.   0.5  0.75]",
    _float("hsigmoid"),
    lambda g, _out, input: g * _typed(less(input * input, 9), g) * (1 / 6),
    surfaces=(),
    primitive="HSigmoid",
)


hardswish = unary(
    "hswish",
    "Return ``x * hardsigmoid(x)``.",
    "ops.hardswish(Tensor([-4.0, 0.0, 1.5])) -> [-0.     0.     1.125]",
    _float("hswish"),
    lambda g, _out, input: g * _hswish_slope(input),
    surfaces=(),
    primitive="HSwish",
)


selu = unary(
    "selu",
    "Return 1.0507 times x where positive, else 1.0507 * 1.67326 * (exp(x) - 1).",
    "ops.selu(Tensor([-1.0, 1.0])) -> [-1.1113307  1.050701 ]",
    _float("selu"),
    lambda g, _out, input: g * where(greater(input, 0), SELU_SCALE, exp(input) * (SELU_SCALE * SELU_ALPHA)),
    surfaces=("ops", "mintf"),
    arg="input_x",
    primitive="SeLU",
)


def _mish_slope(input: Any) -> Any:
    t = tanh(softplus_plain(input))
    return t + input * sigmoid(input) * (1 - t * t)


def _hswish_slope(input: Any) -> Any:
    inside = _typed(less(input * input, 9), input)
    return inside * (input * (1 / 3) + 0.5) + _typed(greater_equal(input, 3), input)


@composite(ops="hardsigmoid(input)", mintf="hardsigmoid(input)")
def hard_sigmoid(input: Array) -> Any:
    """Return ``x / 6 + 1/2`` limited to [0, 1].

    Examples:
        >>> print(ops.hardsigmoid(Tensor([-4.0, 0.0, 1.5])))
        [0.   0.5  0.75]

    Source: ``mindspore.ops.hardsigmoid``.
    """
    return hardsigmoid(input)


@composite(ops="hardswish(input)", mintf="hardswish(input)")
def hard_swish(input: Array) -> Any:
    """Return ``x * hardsigmoid(x)``.

    Examples:
        >>> print(ops.hardswish(Tensor([0.0, 1.5, 4.0])))
        [0.    1.125 4.   ]

    Source: ``mindspore.ops.hardswish``.
    """
    return hardswish(input)


@composite(ops="relu(input, inplace=False)", name="relu_flag")
def relu_flag(input: Array, inplace: bool = False) -> Any:
    """Return the element where it is positive, else 0; with `inplace` the result is written over the input.

    Examples:
        >>> print(ops.relu(Tensor([-1.0, 2.0])))
        [0. 2.]

    Source: ``mindspore.ops.relu``.
    """
    if inplace:
        return input.relu_()
    return relu(input)


@composite(ops="gelu(input, approximate='none')", mintf="gelu(input, *, approximate='none')")
def gelu(input: Array, approximate: str = "none") -> Any:
    """Return ``x * Phi(x)``, exact ("none") or by the tanh approximation ("tanh").

    Raises:
        ValueError: another approximation.

    Examples:
        >>> print(ops.gelu(Tensor([0.0, 1.0])))
        [0.        0.8413447]

    Source: ``mindspore.ops.gelu``; Hendrycks and Gimpel, Gaussian Error Linear Units.
    """
    if approximate not in ("none", "tanh"):
        fail(ValueError, "gelu", "'approximate'", "be 'none' or 'tanh'", describe(approximate))
    return gelu_erf(input) if approximate == "none" else gelu_tanh(input)
