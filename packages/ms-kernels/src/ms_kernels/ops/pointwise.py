"""Elementwise functions of several operands or with options: limits, mixtures, careful logarithms and products."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import fail
from ms_kernels.opdef.register import FLOATS, composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._limits import limits
from ms_kernels.ops._tape import cast_np, meet
from ms_kernels.ops.arithmetic import maximum, minimum
from ms_kernels.ops.compare import equal, greater, isinf, isnan, less, where
from ms_kernels.ops.elementary import exp, log, log1p, sqrt, trunc
from ms_kernels.ops.reduce import all_
from ms_kernels.ops.trigonometry import sin

__all__ = ["addcdiv", "addcmul", "clamp", "hypot", "isclose", "lerp", "logaddexp", "nan_to_num", "sinc", "xlogy"]


@composite(
    promote=1,
    ops=[
        "clamp(input, min=None, max=None)",
        "clamp_(input, min=None, max=None)",
        "clip(input, min=None, max=None)",
    ],
    mint=["clamp(input, min=None, max=None)", "clip(input, min=None, max=None)"],
    tensor=["clamp(min=None, max=None)", "clip(min=None, max=None)"],
    inplace="clamp_(min=None, max=None)",
)
def clamp(input: Array, min: Array | None = None, max: Array | None = None) -> Any:
    """Return the elements limited from below and above; where the limits cross, the upper one wins.

    Args:
        min, max: a number, a tensor (broadcast), or None for no limit.

    Raises:
        ValueError: both limits are None.

    Examples:
        >>> print(ops.clamp(Tensor([-2.0, 0.5, 2.0]), -1, 1))
        [-1.   0.5  1. ]

    Source: ``mindspore.ops.clamp``.
    """
    if min is None and max is None:
        fail(ValueError, "clamp", "'min' and 'max'", "not both be None")
    out = input
    if min is not None:
        out = where(less(out, min), min, out)
    if max is not None:
        out = where(greater(out, max), max, out)
    return out


@composite(
    promote=1,
    ops="addcmul(input, tensor1, tensor2, value=1)",
    mint="addcmul(input, tensor1, tensor2, *, value=1)",
    tensor="addcmul(tensor1, tensor2, value=1)",
    primitive="Addcmul()(input, tensor1, tensor2, value)",
    rename={"value": "value", "tensor2": "tensor2"},
)
def addcmul(input: Array, tensor1: Array, tensor2: Array, value: Any = 1) -> Any:
    """Return ``input + value * tensor1 * tensor2``.

    Examples:
        >>> print(ops.addcmul(Tensor([1.0]), Tensor([2.0]), Tensor([3.0]), 0.5))
        [4.]

    Source: ``mindspore.ops.addcmul``.
    """
    product = tensor1 * tensor2
    return input + (product if isinstance(value, (int, float)) and value == 1 else product * value)


@composite(
    promote=1,
    ops="addcdiv(input, tensor1, tensor2, value=1)",
    mint="addcdiv(input, tensor1, tensor2, *, value=1)",
    tensor=["addcdiv(tensor1, tensor2, value=1)"],
    primitive="Addcdiv()(input, tensor1, tensor2, value)",
    rename={"value": "value", "tensor2": "tensor2"},
)
def addcdiv(input: Array, tensor1: Array, tensor2: Array, value: Any = 1) -> Any:
    """Return ``input + value * tensor1 / tensor2``.

    Examples:
        >>> print(ops.addcdiv(Tensor([1.0]), Tensor([2.0]), Tensor([4.0]), 2))
        [2.]

    Source: ``mindspore.ops.addcdiv``.
    """
    return input + tensor1 / tensor2 * value


@composite(
    promote=1,
    ops="lerp(input, end, weight)",
    mint="lerp(input, end, weight)",
    tensor="lerp(end, weight)",
    primitive=["Lerp()(start, end, weight)", "LerpScalar()(input, end, weight)"],
    rename={"start": "input"},
)
def lerp(input: Array, end: Array, weight: Any) -> Any:
    """Return ``input + weight * (end - input)``.

    Examples:
        >>> print(ops.lerp(Tensor([1.0]), Tensor([3.0]), 0.25))
        [1.5]

    Source: ``mindspore.ops.lerp``.
    """
    return input + (end - input) * weight


@composite(promote=1, ops="logaddexp(input, other)", mint="logaddexp(input, other)", tensor="logaddexp(other)")
def logaddexp(input: Array, other: Array) -> Any:
    """Return ``log(exp(input) + exp(other))`` without overflow.

    Examples:
        >>> print(ops.logaddexp(Tensor([1000.0]), Tensor([1000.0])))
        [1000.6932]

    Source: ``mindspore.ops.logaddexp``.
    """
    high = maximum(input, other)
    return high + log1p(exp(abs(input - other) * -1))


@composite(promote=1, ops="logaddexp2(input, other)", mint="logaddexp2(input, other)", tensor="logaddexp2(other)")
def logaddexp2(input: Array, other: Array) -> Any:
    """Return ``log2(2**input + 2**other)`` without overflow.

    Examples:
        >>> print(ops.logaddexp2(Tensor([3.0]), Tensor([3.0])))
        [4.]

    Source: ``mindspore.ops.logaddexp2``.
    """
    high = maximum(input, other)
    return high + log1p(exp(abs(input - other) * -math.log(2))) * (1 / math.log(2))


@composite(
    promote=1, ops="hypot(input, other)", tensor="hypot(other)", primitive="Hypot()(x1, x2)", rename={"x1": "input"}
)
def hypot(input: Array, other: Array) -> Any:
    """Return ``sqrt(input**2 + other**2)``.

    Examples:
        >>> print(ops.hypot(Tensor([3.0]), Tensor([4.0])))
        [5.]

    Source: ``mindspore.ops.hypot``.
    """
    return sqrt(input * input + other * other)


@composite(
    promote=1, ops="xlogy(input, other)", mint="xlogy(input, other)", tensor="xlogy(other)", primitive="Xlogy()(x, y)"
)
def xlogy(input: Array, other: Array) -> Any:
    """Return ``input * log(other)``, 0 where input is 0.

    Examples:
        >>> print(ops.xlogy(Tensor([0.0, 2.0]), Tensor([0.0, 1.0])))
        [0. 0.]

    Source: ``mindspore.ops.xlogy``.
    """
    zero = equal(input, 0)
    return where(zero, 0.0, input * log(where(zero, 1, other)))


@composite(ops="sinc(input)", mint="sinc(input)", tensor="sinc()", inplace="sinc_()")
def sinc(input: Array) -> Any:
    """Return ``sin(pi x) / (pi x)``, 1 at 0.

    Examples:
        >>> print(ops.sinc(Tensor([0.0, 0.5])))
        [1.        0.6366198]

    Source: ``mindspore.ops.sinc``.
    """
    zero = equal(input, 0)
    scaled = where(zero, 1, input) * math.pi
    return where(zero, 1.0, sin(scaled) / scaled)


@composite(ops="frac(x)", mint="frac(input)", tensor="frac()")
def frac(input: Array) -> Any:
    """Return the fraction of each element, with its sign.

    Examples:
        >>> print(ops.frac(Tensor([1.5, -0.25])))
        [ 0.5  -0.25]

    Source: ``mindspore.ops.frac``.
    """
    return input - trunc(input)


@composite(
    ops="nan_to_num(input, nan=None, posinf=None, neginf=None)",
    primitive="NanToNum(nan=None, posinf=None, neginf=None)(x)",
    mint="nan_to_num(input, nan=None, posinf=None, neginf=None)",
    tensor="nan_to_num(nan=None, posinf=None, neginf=None)",
)
def nan_to_num(input: Array, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Any:
    """Return the tensor with NaN as `nan` (0), and infinities as numbers (by default the type's largest and smallest).

    Examples:
        >>> print(ops.nan_to_num(Tensor([1.0, float("nan")])))
        [1. 0.]

    Source: ``mindspore.ops.nan_to_num``.
    """
    if input.dtype.kind != "f":
        return input * 1
    lowest, highest = limits(input._kind)
    high = highest if posinf is None else posinf
    low = lowest if neginf is None else neginf
    out = where(isnan(input), 0.0 if nan is None else nan, input)
    infinite = isinf(input)
    return where(infinite, where(greater(input, 0), high, low), out)


@op(
    shape=lambda a, b, *_rest: rules.broadcast("IsClose")(a, b),
    dtype=rules.boolean,
    promote=1,
    nondiff="the result is bool",
    ascend="compare",
    batch="elementwise",
    ops="isclose(input, other, rtol=1e-5, atol=1e-8, equal_nan=False)",
    primitive="IsClose(rtol=1e-5, atol=1e-8, equal_nan=False)(input, other)",
    mint="isclose(input, other, rtol=1e-5, atol=1e-8, equal_nan=False)",
    tensor="isclose(other, rtol=1e-5, atol=1e-8, equal_nan=False)",
)
def isclose(input: Array, other: Array, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """Return where ``|input - other| <= atol + rtol * |other|``, as bool.

    Examples:
        >>> print(ops.isclose(Tensor([1.0, 2.0]), Tensor([1.0, 2.1])))
        [ True False]

    Source: ``mindspore.ops.isclose``.
    """
    if rtol < 0 or atol < 0:
        fail(ValueError, "IsClose", "'rtol' and 'atol'", "not be negative", f"{rtol} and {atol}")
    left, right = (v.astype(np.float32) if v.dtype in FLOATS and v.dtype.itemsize == 2 else v for v in (input, other))
    return np.isclose(left, right, rtol, atol, equal_nan)


@composite(
    promote=1,
    mint="allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False)",
    tensor="allclose(other, rtol=1e-05, atol=1e-08, equal_nan=False)",
)
def allclose(input: Array, other: Array, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Return whether all elements are close, as `isclose` says: a Python bool.

    Examples:
        >>> mint.allclose(Tensor([1.0]), Tensor([1.0]))
        True

    Source: ``mindspore.mint.allclose``.
    """
    return bool(all_(isclose(input, other, rtol, atol, equal_nan)))


@composite(promote=1, mint="equal(input, other)", name="same_everywhere")
def same_everywhere(input: Array, other: Array) -> bool:
    """Return whether two tensors have the same shape and elements: a Python bool.

    Raises:
        TypeError: an operand is no Tensor.

    Examples:
        >>> mint.equal(Tensor([1, 2]), Tensor([1, 2]))
        True

    Source: ``mindspore.mint.equal``.
    """
    for arg, value in (("input", input), ("other", other)):
        if not isinstance(value, TensorBase):
            fail(TypeError, "equal", f"'{arg}'", "be a Tensor", type(value).__name__)
    return input.shape == other.shape and bool(all_(equal(input, other)))


@composite(
    promote=1,
    ops=["float_power(input, exponent)", "float_power_ext(input, exponent)"],
    mint="float_power(input, exponent)",
    tensor="float_power(other)",
)
def float_power(input: Array, other: Array) -> Any:
    """Return ``input`` to the power ``exponent``, computed in float64.

    Examples:
        >>> print(mint.float_power(Tensor([1, 2]), 0.5))
        [1.         1.41421356]

    Source: ``mindspore.mint.float_power``.
    """
    wide = [cast_np(t, np.dtype(mstype.float64.np)) for t in meet(input, other)]
    return wide[0] ** wide[1]


@composite(
    promote=1,
    ops="fmax(input, other)",
    tensor="fmax(other)",
    primitive="Fmax()(x1, x2)",
    rename={"x1": "input"},
    name="fmax",
)
def fmax(input: Array, other: Array) -> Any:
    """Return the larger of two elements, broadcast together; a NaN gives way to the other.

    Examples:
        >>> print(ops.fmax(Tensor([1.0, float("nan")]), Tensor([2.0, 3.0])))
        [2. 3.]

    Source: ``mindspore.ops.fmax``.
    """
    return where(isnan(input), other, where(isnan(other), input, maximum(input, other)))


@composite(
    promote=1,
    ops="fmin(input, other)",
    tensor="fmin(other)",
    primitive="Fmin()(x1, x2)",
    rename={"x1": "input"},
    name="fmin",
)
def fmin(input: Array, other: Array) -> Any:
    """Return the smaller of two elements, broadcast together; a NaN gives way to the other.

    Examples:
        >>> print(ops.fmin(Tensor([1.0, float("nan")]), Tensor([2.0, 3.0])))
        [1. 3.]

    Source: ``mindspore.ops.fmin``.
    """
    return where(isnan(input), other, where(isnan(other), input, minimum(input, other)))
