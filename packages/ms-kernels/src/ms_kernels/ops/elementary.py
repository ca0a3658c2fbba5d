"""Elementary functions of one operand: powers, exponentials, logarithms, (hyperbolic) trigonometry, rounding."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ms_kernels.loops import elementwise as loops
from ms_kernels.opdef import rules
from ms_kernels.opdef.register import FLOATS, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._rows import EVERYWHERE, unary

__all__ = ["abs_", "exp", "log", "reciprocal", "rsqrt", "sigmoid", "sign", "sqrt", "square"]

LN2, LN10 = math.log(2.0), math.log(10.0)


def _erf(x: Any) -> Any:
    """erf of what is no float: through float32's loop."""
    return loops.unary("erf", x.astype(np.float32))


def _as_float(name: str) -> Any:
    return lambda x: loops.unary(name, x.astype(np.float32))


def _exact(function: Any) -> Any:
    """Integers are their own rounding (older NumPy would give floats)."""
    return lambda x: x.copy() if x.dtype.kind in "iub" else function(x)


def _sign(x: Any) -> Any:
    """NumPy has no sign of bool."""
    return x if x.dtype == bool else np.sign(x)


sign = unary(
    "sign",
    "Return -1, 0 or 1 by the sign of each element.",
    "ops.sign(Tensor([-2.0, 0.0, 3.0])) -> [-1.  0.  1.]",
    _sign,
    lambda g, _out, _input: g * 0,
    dtype=rules.same,
    primitive="Sign",
    ascend="step",
    inplace=True,
)


abs_ = unary(
    "abs",
    "Return the absolute value (of complex numbers: the modulus).",
    "ops.abs(Tensor([-1.0, 2.0])) -> [1. 2.]",
    np.abs,
    lambda g, _out, input: g * sign(input),
    dtype=lambda d: _real(d),
    aliases=("absolute",),
    primitive="Abs",
    ascend="step",
    dunder="__abs__",
    inplace=True,
)


square = unary(
    "square",
    "Return the square of each element.",
    "ops.square(Tensor([3.0, -2.0])) -> [9. 4.]",
    np.square,
    lambda g, _out, input: g * (input * 2),
    dtype=rules.same,
    primitive="Square",
    ascend="step",
    inplace=True,
)


sqrt = unary(
    "sqrt",
    "Return the square root; NaN below 0.",
    "ops.sqrt(Tensor([4.0, 9.0])) -> [2. 3.]",
    np.sqrt,
    lambda g, out, _input: g / (out * 2),
    primitive="Sqrt",
    arg="x",
    inplace=True,
)


rsqrt = unary(
    "rsqrt",
    "Return ``1 / sqrt(input)``.",
    "ops.rsqrt(Tensor([4.0, 0.25])) -> [0.5 2. ]",
    _as_float("rsqrt"),
    lambda g, out, _input: g * (out * out * out) * -0.5,
    primitive="Rsqrt",
    inplace=True,
)


reciprocal = unary(
    "reciprocal",
    "Return ``1 / input``.",
    "ops.reciprocal(Tensor([4.0, 0.5])) -> [0.25 2.  ]",
    _as_float("reciprocal"),
    lambda g, out, _input: g * (out * out) * -1,
    primitive="Reciprocal",
    inplace=True,
)


exp = unary(
    "exp",
    "Return e to the power of each element.",
    "ops.exp(Tensor([0.0, 1.0])) -> [1.        2.7182817]",
    np.exp,
    lambda g, out, _input: g * out,
    primitive="Exp",
    inplace=True,
)


exp2 = unary(
    "exp2",
    "Return 2 to the power of each element.",
    "mint.exp2(Tensor([0.0, 3.0])) -> [1. 8.]",
    np.exp2,
    lambda g, out, _input: g * (out * LN2),
    surfaces=("mint", "ops"),
    inplace=True,
)


expm1 = unary(
    "expm1",
    "Return ``exp(input) - 1``, exact near 0.",
    "ops.expm1(Tensor([0.0, 1.0])) -> [0.        1.7182819]",
    np.expm1,
    lambda g, out, _input: g * (out + 1),
    primitive="Expm1",
    inplace=True,
)


log = unary(
    "log",
    "Return the natural logarithm; -inf at 0, NaN below.",
    "ops.log(Tensor([1.0, 2.0])) -> [0.        0.6931472]",
    np.log,
    lambda g, _out, input: g / input,
    primitive="Log",
    ascend="step",
    inplace=True,
)


log1p = unary(
    "log1p",
    "Return ``log(1 + input)``, exact near 0.",
    "ops.log1p(Tensor([0.0, 1.0])) -> [0.        0.6931472]",
    np.log1p,
    lambda g, _out, input: g / (input + 1),
    primitive="Log1p",
    inplace=True,
)


log2 = unary(
    "log2",
    "Return the logarithm to base 2.",
    "ops.log2(Tensor([1.0, 8.0])) -> [0. 3.]",
    np.log2,
    lambda g, _out, input: g / (input * LN2),
    inplace=True,
)


log10 = unary(
    "log10",
    "Return the logarithm to base 10.",
    "ops.log10(Tensor([1.0, 1000.0])) -> [0. 3.]",
    np.log10,
    lambda g, _out, input: g / (input * LN10),
    inplace=True,
)


erf = unary(
    "erf",
    "Return the Gauss error function, 2/sqrt(pi) times the integral of exp(-t*t) from 0.",
    "ops.erf(Tensor([0.0, 1.0])) -> [0.        0.8427008]",
    _erf,
    lambda g, _out, input: g * (exp(input * input * -1) * (2 / math.sqrt(math.pi))),
    primitive="Erf",
    inplace=True,
)


erfc = unary(
    "erfc",
    "Return ``1 - erf(input)``, exact for large elements.",
    "ops.erfc(Tensor([0.0, 1.0])) -> [1.         0.15729921]",
    _as_float("erfc"),
    lambda g, _out, input: g * (exp(input * input * -1) * (-2 / math.sqrt(math.pi))),
    primitive="Erfc",
    inplace=True,
)


erfinv = unary(
    "erfinv",
    "Return the inverse of `erf` on (-1, 1).",
    "ops.erfinv(Tensor([0.0, 0.5])) -> [0.         0.47693628]",
    _as_float("erfinv"),
    lambda g, out, _input: g * (exp(out * out) * (math.sqrt(math.pi) / 2)),
    primitive="Erfinv",
    inplace=True,
)


sigmoid = unary(
    "sigmoid",
    "Return ``1 / (1 + exp(-input))``.",
    "ops.sigmoid(Tensor([0.0, 2.0])) -> [0.5        0.88079704]",
    _as_float("sigmoid"),
    lambda g, out, _input: g * (out * (1 - out)),
    primitive="Sigmoid",
    surfaces=(*EVERYWHERE, "mintf"),
    inplace=True,
)


floor = unary(
    "floor",
    "Return the largest integer not above each element.",
    "ops.floor(Tensor([1.5, -1.5])) -> [ 1. -2.]",
    _exact(np.floor),
    lambda g, _out, _input: g * 0,
    dtype=rules.same,
    primitive="Floor",
    ascend="step",
    inplace=True,
)


ceil = unary(
    "ceil",
    "Return the smallest integer not below each element.",
    "ops.ceil(Tensor([1.5, -1.5])) -> [ 2. -1.]",
    _exact(np.ceil),
    lambda g, _out, _input: g * 0,
    dtype=rules.same,
    primitive="Ceil",
    ascend="step",
    inplace=True,
)


trunc = unary(
    "trunc",
    "Return each element without its fraction.",
    "ops.trunc(Tensor([1.5, -1.5])) -> [ 1. -1.]",
    _exact(np.trunc),
    lambda g, _out, _input: g * 0,
    dtype=rules.same,
    primitive="Trunc",
    aliases=("fix",),
    ascend="step",
    inplace=True,
)


def _real(dtype: Any) -> Any:
    import ms_dtype as mstype

    return {mstype.complex64: mstype.float32, mstype.complex128: mstype.float64}.get(dtype, dtype)


@op(
    shape=rules.same,
    dtype=rules.same,
    vjp=lambda g, _out, _input, _decimals: g * 0,
    fuse="elementwise",
    ascend="step",
    ops="round(input, *, decimals=0)",
    mint="round(input, *, decimals=0)",
    tensor="round(decimals=0)",
    inplace="round_(decimals=0)",
    primitive=["Round()(x)", "Rint()(input_x)"],
)
def round(input: Array, decimals: int = 0) -> Any:
    """Return each element rounded to `decimals` places, halves to even.

    Examples:
        >>> print(ops.round(Tensor([0.5, 1.5, -2.7])))
        [ 0.  2. -3.]

    Source: ``mindspore.ops.round``.
    """
    if decimals == 0:
        return loops.unary("round", input) if input.dtype in FLOATS else np.rint(input).astype(input.dtype)
    wide = input.astype(np.float64) if input.dtype in FLOATS else input
    return np.round(wide, decimals).astype(input.dtype)
