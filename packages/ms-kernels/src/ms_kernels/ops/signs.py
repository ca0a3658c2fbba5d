"""Signs, neighbours in the number line, angles' units, and arithmetic that is careful with zero."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import COMPLEX, FLOATS, composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._tape import cast_np
from ms_kernels.ops.arithmetic import mul
from ms_kernels.ops.compare import equal, where

__all__ = ["copysign", "heaviside", "ldexp", "nextafter", "sgn", "signbit", "truncate_div", "xdivy"]

BOOL = "the result is bool"
_FLOAT64 = np.dtype(np.float64)


def tensor_only(name: str, arg: str, value: Any) -> None:
    """Raise unless the value is a Tensor."""
    if not isinstance(value, TensorBase):
        fail(TypeError, name, f"'{arg}'", "be a Tensor", describe(value))


def _wide(array: Any) -> Any:
    return array.astype(np.float32) if array.dtype in FLOATS and array.dtype.itemsize == 2 else array


@op(
    shape=rules.same,
    dtype=rules.same,
    vjp=lambda g, _out, _input: g * 0,
    fuse="elementwise",
    ascend="step",
    ops="sgn(input)",
    tensor="sgn()",
)
def sgn(input: Array) -> Any:
    """Return the sign of each element; of a complex number z it is ``z / |z|``, and 0 for 0.

    Examples:
        >>> print(ops.sgn(Tensor([-2.0, 0.0, 3.0])))
        [-1.  0.  1.]

    Source: ``mindspore.ops.sgn``.
    """
    if input.dtype.kind != "c":
        return input if input.dtype == bool else np.sign(input)
    size = np.abs(input)
    safe = np.where(size > 0, size, 1)
    out = np.empty_like(input)
    out.real, out.imag = input.real / safe, input.imag / safe
    return out


@op(
    shape=rules.same,
    dtype=rules.boolean,
    nondiff=BOOL,
    fuse="elementwise",
    ascend="compare",
    ops="signbit(input)",
    tensor="signbit()",
)
def signbit(input: Array) -> Any:
    """Return where the sign bit is set: below 0, and at -0.0.

    Raises:
        TypeError: the input is no Tensor.

    Examples:
        >>> print(ops.signbit(Tensor([-1.0, -0.0, 2.0])))
        [ True  True False]

    Source: ``mindspore.ops.signbit``.
    """
    return np.signbit(_wide(input)) if input.dtype.kind not in "iub" else input < 0


@op(
    shape=rules.broadcast("copysign"),
    dtype=rules.floating,
    vjp=lambda g, _out, input, other: (lambda: g * _same_sign(input, other), lambda: other * 0),
    fuse="elementwise",
    ascend="step",
    ops="copysign(x, other)",
    tensor="copysign(other)",
)
def copysign(input: Array, other: Array) -> Any:
    """Return the sizes of `x` with the signs of `other`, broadcast together; integers give float32.

    Examples:
        >>> print(ops.copysign(Tensor([1.0, -2.0]), -1))
        [-1. -2.]

    Source: ``mindspore.ops.copysign``.
    """
    return np.copysign(_wide(input), _wide(other)).astype(input.dtype)


def _same_sign(x: Any, y: Any) -> Any:
    """1 where the signs agree, -1 where not, 0 where x is 0."""
    from ms_kernels.ops.elementary import sign

    return where(signbit(y), -1, 1).astype(x.dtype) * sign(x)


@op(
    shape=rules.broadcast("NextAfter"),
    dtype=rules.promote,
    accepts=frozenset({np.dtype(np.float32), np.dtype(np.float64)}),
    nondiff="2.6 has no gradient: the step to a neighbour",
    fuse="elementwise",
    ascend="step",
    ops="nextafter(input, other)",
    tensor="nextafter(other)",
    primitive="NextAfter()(x1, x2)",
    rename={"x1": "input"},
)
def nextafter(input: Array, other: Array) -> Any:
    """Return the next number after each element of `input` on the way to `other`.

    Examples:
        >>> print(ops.nextafter(Tensor([0.0]), Tensor([1.0])))
        [1.e-45]

    Source: ``mindspore.ops.nextafter``.
    """
    return np.nextafter(input, other)


@op(
    shape=rules.broadcast("Heaviside"),
    dtype=rules.promote,
    nondiff="2.6 has no gradient: a step",
    fuse="elementwise",
    ascend="step",
    ops="heaviside(input, values)",
    tensor="heaviside(values)",
    primitive="Heaviside()(x, values)",
)
def heaviside(input: Array, values: Array) -> Any:
    """Return 0 below 0, 1 above, and at 0 the element of `values`, broadcast together.

    Examples:
        >>> print(ops.heaviside(Tensor([-1.0, 0.0, 2.0]), Tensor(0.5)))
        [0.  0.5 1. ]

    Source: ``mindspore.ops.heaviside``.
    """
    if input.dtype.kind in "iu":
        return np.where(input == 0, values, input > 0).astype(input.dtype)
    return np.heaviside(_wide(input), _wide(values)).astype(input.dtype)


@composite(promote=1, ops="ldexp(x, other)", tensor="ldexp(other)")
def ldexp(input: Array, other: Array) -> Any:
    """Return ``x * 2**other``; two tensors of integers give float32.

    Examples:
        >>> print(ops.ldexp(Tensor([0.5, 1.0]), Tensor([2, 3])))
        [2. 8.]

    Source: ``mindspore.ops.ldexp``.
    """
    tensor_only("ldexp", "x", input)
    tensor_only("ldexp", "other", other)
    kind = input._kind if input.dtype.kind == "f" else np.dtype(np.float32)
    return cast_np(input, kind) * 2.0 ** cast_np(other, kind)


def _xdivy_vjp(g: Any, out: Any, input: Any, other: Any) -> Any:
    return (
        lambda: xdivy(g, where(equal(input, 0), 1, other)) * cast_np(input != 0, g._kind),
        lambda: xdivy(-(g * out), where(equal(input, 0), 1, other)),
    )


@op(
    shape=rules.broadcast("Xdivy"),
    dtype=rules.promote,
    accepts=FLOATS | COMPLEX,
    vjp=_xdivy_vjp,
    fuse="elementwise",
    ascend="step",
    ops="xdivy(x, y)",
    tensor="xdivy(y)",
    primitive="Xdivy()(x, y)",
)
def xdivy(input: Array, other: Array) -> Any:
    """Return ``x / y``, and 0 where x is 0 whatever y is.

    Raises:
        TypeError: the elements are neither floats nor complex numbers.

    Examples:
        >>> print(ops.xdivy(Tensor([0.0, 3.0]), Tensor([0.0, 2.0])))
        [0.  1.5]

    Source: ``mindspore.ops.xdivy``.
    """
    zero = input == 0
    with np.errstate(all="ignore"):
        return np.where(zero, np.zeros_like(input), input / np.where(zero, np.ones_like(other), other)).astype(
            input.dtype
        )


def _scaled(name: str, factor: float, text: str, example: str) -> Any:
    def body(input: Any) -> Any:
        tensor_only(name, "x", input)
        if input.dtype.kind != "f":
            fail(TypeError, name, "dtype of 'x'", "be one of [Float16, Float32, Float64]", str(input.dtype))
        return mul(input, factor)

    body.__annotations__["input"] = "Array"
    body.__module__ = __name__
    body.__doc__ = (
        f"{text}\n\nRaises:\n    TypeError: the input is no Tensor of floats.\n\n"
        f"Examples:\n    >>> print(ops.{name}({example.split(' -> ')[0]}))\n    {example.split(' -> ')[1]}\n\n"
        f"Source: ``mindspore.ops.{name}``."
    )
    return composite(ops=f"{name}(x)", tensor=f"{name}()", name=name)(body)


deg2rad = _scaled("deg2rad", math.pi / 180, "Return degrees as radians.", "Tensor([180.0]) -> [3.1415927]")
rad2deg = _scaled("rad2deg", 180 / math.pi, "Return radians as degrees.", "Tensor([0.5]) -> [28.64789]")


@composite(ops=["positive(input)", "identity(x)"], tensor="positive()", primitive="Identity()(x)")
def positive(input: Array) -> Any:
    """Return the elements as they are, in a tensor of their own.

    Examples:
        >>> print(ops.positive(Tensor([1.0, -2.0])))
        [ 1. -2.]

    Source: ``mindspore.ops.positive``.
    """
    tensor_only("positive", "input", input)
    from ms_kernels.ops.cast import copy

    return copy(input)


def _infinite(name: str, sign: float, surfaces: dict[str, Any], shown: str) -> Any:
    def body(input: Any) -> Any:
        return _wide(input) == sign if input.dtype.kind != "b" else np.zeros_like(input)

    body.__annotations__["input"] = "Array"
    body.__module__ = __name__
    body.__doc__ = (
        f"Return which elements are {'+' if sign > 0 else '-'}infinity.\n\n"
        f'Examples:\n    >>> print(ops.{name}(Tensor([1.0, float("inf"), -float("inf")])))\n    {shown}\n\n'
        f"Source: ``mindspore.ops.{name}``."
    )
    return op(
        shape=rules.same,
        dtype=rules.boolean,
        nondiff=BOOL,
        fuse="elementwise",
        ascend="compare",
        ops=f"{name}(input)",
        tensor=f"{name}()",
        name=name,
        **surfaces,
    )(body)


isposinf = _infinite("isposinf", math.inf, {}, "[False  True False]")
isneginf = _infinite("isneginf", -math.inf, {"mint": "isneginf(input)"}, "[False False  True]")


@op(
    shape=rules.same,
    dtype=rules.boolean,
    nondiff=BOOL,
    fuse="elementwise",
    ascend="compare",
    ops="isreal(input)",
    tensor="isreal()",
)
def isreal(input: Array) -> Any:
    """Return which elements have no imaginary part.

    Examples:
        >>> print(ops.isreal(Tensor([1 + 0j, 2j])))
        [ True False]

    Source: ``mindspore.ops.isreal``.
    """
    return np.isreal(input)


@op(
    shape=rules.broadcast("TruncateDiv"),
    dtype=rules.promote,
    vjp=lambda g, _out, _input, _other: (g * 0, g * 0),
    fuse="elementwise",
    ascend="step",
    ops="truncate_div(x, y)",
    primitive="TruncateDiv()(x, y)",
)
def truncate_div(input: Array, other: Array) -> Any:
    """Return ``x / y`` without its fraction (toward 0), in the operands' common dtype.

    Examples:
        >>> print(ops.truncate_div(Tensor([7, -7]), 2))
        [ 3 -3]

    Source: ``mindspore.ops.truncate_div``.
    """
    if input.dtype.kind in "iu":
        with np.errstate(divide="ignore"):
            floor = np.floor_divide(input, other)
        uneven = np.where(other != 0, floor * other != input, False) & ((input < 0) != (other < 0))
        return (floor + uneven).astype(input.dtype)
    with np.errstate(all="ignore"):
        return np.trunc(_wide(input) / _wide(other)).astype(input.dtype)


@op(
    shape=rules.broadcast("TruncateMod"),
    dtype=rules.promote,
    vjp=lambda g, _out, input, other: (g, lambda: g * (truncate_div(input, other) * -1)),
    fuse="elementwise",
    ascend="step",
    ops="truncate_mod(x, y)",
    primitive=["TruncateMod()(x, y)", "Mod()(x, y)"],
)
def truncate_mod(input: Array, other: Array) -> Any:
    """Return the remainder of division toward 0: the sign is that of x.

    Examples:
        >>> print(ops.truncate_mod(Tensor([7.0, -7.0]), 3))
        [ 1. -1.]

    Source: ``mindspore.ops.truncate_mod``.
    """
    with np.errstate(all="ignore"):
        return np.fmod(_wide(input), _wide(other)).astype(input.dtype)


def _div_no_nan_vjp(g: Any, out: Any, _input: Any, other: Any) -> Any:
    return (lambda: div_no_nan(g, other), lambda: div_no_nan(-(g * out), other))


@op(
    shape=rules.broadcast("DivNoNan"),
    dtype=rules.promote,
    vjp=_div_no_nan_vjp,
    fuse="elementwise",
    ascend="step",
    primitive="DivNoNan()(x1, x2)",
    rename={"x1": "input"},
)
def div_no_nan(input: Array, other: Array) -> Any:
    """Return ``x1 / x2``, and 0 where x2 is 0.

    Examples:
        >>> print(ops.DivNoNan()(Tensor([1.0, 3.0]), Tensor([0.0, 2.0])))
        [0.  1.5]

    Source: ``mindspore.ops.DivNoNan``.
    """
    zero = other == 0
    safe = np.where(zero, np.ones_like(other), other)
    out = truncate_div.body(input, safe) if input.dtype.kind in "iu" else input / safe
    return np.where(zero, np.zeros_like(input), out).astype(input.dtype)


def _mul_no_nan_vjp(g: Any, _out: Any, input: Any, other: Any) -> Any:
    return (lambda: mul_no_nan(g, other), lambda: g * input)


@op(
    shape=rules.broadcast("MulNoNan"),
    dtype=rules.promote,
    vjp=_mul_no_nan_vjp,
    fuse="elementwise",
    ascend="step",
    primitive="MulNoNan()(x, y)",
)
def mul_no_nan(input: Array, other: Array) -> Any:
    """Return ``x * y``, and 0 where y is 0, even if x is infinite or NaN.

    Examples:
        >>> print(ops.MulNoNan()(Tensor([float("inf"), 3.0]), Tensor([0.0, 2.0])))
        [0. 6.]

    Source: ``mindspore.ops.MulNoNan``.
    """
    with np.errstate(invalid="ignore"):
        return np.where(other == 0, np.zeros_like(input), input * other).astype(input.dtype)
