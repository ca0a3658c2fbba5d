"""Division: true, whole, by rounding mode, and remainders."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.core.dispatch import common_of
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._tape import cast_np
from ms_kernels.ops.arithmetic import binary_loop, quiet
from ms_kernels.ops.elementary import trunc

__all__ = ["div", "floor_divide", "fmod", "remainder", "true_divide"]


@op(
    shape=rules.broadcast("Div"),
    dtype=rules.floating,
    vjp=lambda g, out, _input, other: (lambda: g / other, lambda: -(g * out) / other),
    loop="div",
    fuse="elementwise",
    ascend="step",
    tensor="true_divide(value)",
    ops=["true_divide(dividend, divisor)"],
    primitive="RealDiv()(x, y)",
    rename={"dividend": "input", "divisor": "other"},
    dunder="__truediv__",
)
def true_divide(input: Array, other: Array) -> Any:
    """Return ``input / other``; integers are divided in float32.

    Examples:
        >>> print(ops.true_divide(Tensor([1, 2]), 4))
        [0.25 0.5 ]

    Source: ``mindspore.ops.true_divide``.
    """
    return quiet(binary_loop, "div", np.true_divide, input, other)


@op(
    shape=rules.broadcast("FloorDiv"),
    dtype=rules.promote,
    vjp=lambda g, _out, _input, _other: (g * 0, g * 0),
    fuse="elementwise",
    ascend="floor_div",
    ops="floor_divide(input, other)",
    mint="floor_divide(input, other)",
    tensor="floor_divide(other)",
    inplace="floor_divide_(other)",
    primitive="FloorDiv()(x, y)",
    dunder="__floordiv__",
)
def floor_divide(input: Array, other: Array) -> Any:
    """Return the largest integer not above ``input / other``, in the operands' common dtype.

    Examples:
        >>> print(ops.floor_divide(Tensor([7, -7]), 2))
        [ 3 -4]

    Source: ``mindspore.ops.floor_divide``.
    """
    return quiet(binary_loop, "floor_div", np.floor_divide, input, other)


@op(
    shape=rules.broadcast("FloorMod"),
    dtype=rules.promote,
    vjp=lambda g, _out, input, other: (g, lambda: g * (floor_divide(input, other) * -1)),
    fuse="elementwise",
    ascend="remainder",
    ops=["remainder(input, other)", "floor_mod(x, y)"],
    mint="remainder(input, other)",
    tensor=["remainder(other)", "remainder(divisor)"],
    inplace="remainder_(other)",
    primitive="FloorMod()(x, y)",
    dunder="__mod__",
)
def remainder(input: Array, other: Array) -> Any:
    """Return ``input - floor(input / other) * other``: the sign is the divisor's, as in Python.

    Examples:
        >>> print(ops.remainder(Tensor([7.0, -7.0]), 3))
        [1. 2.]

    Source: ``mindspore.ops.remainder``.
    """
    return quiet(binary_loop, "remainder", np.remainder, input, other)


@op(
    shape=rules.broadcast("Fmod"),
    dtype=rules.promote,
    vjp=lambda g, _out, input, other: (g, lambda: g * (trunc(input / other) * -1)),
    fuse="elementwise",
    ascend="step",
    ops="fmod(input, other)",
    mint="fmod(input, other)",
    tensor="fmod(other)",
    inplace="fmod_(other)",
)
def fmod(input: Array, other: Array) -> Any:
    """Return the remainder of division toward zero: the sign is the dividend's, as in C.

    Examples:
        >>> print(ops.fmod(Tensor([7.0, -7.0]), 3))
        [ 1. -1.]

    Source: ``mindspore.ops.fmod``.
    """
    return quiet(binary_loop, "fmod", np.fmod, input, other)


def _div(input: Any, other: Any, rounding_mode: str | None = None) -> Any:
    if rounding_mode is None:
        return true_divide(input, other)
    if rounding_mode == "floor":
        return floor_divide(input, other)
    if rounding_mode == "trunc":
        found = trunc(true_divide(input, other))
        return cast_np(found, common_of((input, other)))
    return fail(ValueError, "div", "'rounding_mode'", "be None, 'floor' or 'trunc'", describe(rounding_mode))


@composite(
    promote=1,
    ops=["div(input, other, *, rounding_mode=None)", "divide(input, other, *, rounding_mode=None)"],
    mint=["div(input, other, *, rounding_mode=None)", "divide(input, other, *, rounding_mode=None)"],
    tensor=[
        "div(other, *, rounding_mode=None)",
        "divide(other, *, rounding_mode=None)",
        "div(value, *, rounding_mode=None)",
    ],
    inplace="div_(other, *, rounding_mode=None)",
    primitive="Div()(x, y)",
)
def div(input: Array, other: Array, rounding_mode: str | None = None) -> Any:
    """Return ``input / other``, exact, rounded down ("floor") or toward zero ("trunc").

    Raises:
        ValueError: another rounding mode.

    Examples:
        >>> print(ops.div(Tensor([7.0, -7.0]), 2, rounding_mode="trunc"))
        [ 3. -3.]

    Source: ``mindspore.ops.div``.
    """
    return _div(input, other, rounding_mode)
