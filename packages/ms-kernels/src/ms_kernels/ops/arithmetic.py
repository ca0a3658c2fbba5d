"""Arithmetic of two operands."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.core.dispatch import KEEP
from ms_kernels.loops import elementwise as loops
from ms_kernels.opdef import rules
from ms_kernels.opdef.register import FLOATS, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._rows import named
from ms_kernels.ops._tape import cast_np
from ms_kernels.ops.compare import equal, greater, less, where
from ms_kernels.ops.elementary import log

__all__ = ["add", "atan2", "maximum", "minimum", "mul", "neg", "pow_", "sub"]


def binary_loop(loop: str, numpy_function: Any, x: Any, y: Any) -> Any:
    """The native loop for floats, NumPy's for the rest."""
    if x.dtype in FLOATS:
        return loops.binary(loop, x, y)
    return numpy_function(x, y)


@op(
    shape=rules.broadcast("Add"),
    dtype=rules.promote,
    vjp=lambda g, _out, _input, _other, alpha: (g, g if alpha == 1 else g * alpha),
    loop="add",
    fuse="elementwise",
    ascend="step",
    ops="add(input, other)",
    mint="add(input, other, *, alpha=1)",
    tensor=["add(other)", "add(other, *, alpha=1)"],
    inplace="add_(other, *, alpha=1)",
    primitive="Add()(x, y)",
    dunder="__add__",
)
def add(input: Array, other: Array, alpha: Any = 1) -> Any:
    """Return ``input + alpha * other``, broadcast together, in their common dtype.

    Raises:
        ValueError: the shapes cannot be broadcast.
        TypeError: an operand is neither Tensor nor number.

    Examples:
        >>> print(ops.add(Tensor([1.0, 2.0]), 3))
        [4. 5.]

    Source: ``mindspore.ops.add``, ``mindspore.mint.add``.
    """
    if alpha == 1:
        return binary_loop("add", np.add, input, other) if input.dtype != bool else np.logical_or(input, other)
    return binary_loop(
        "add", np.add, input, binary_loop("mul", np.multiply, other, np.asarray(alpha).astype(other.dtype))
    )


@op(
    shape=rules.broadcast("Sub"),
    dtype=rules.promote,
    vjp=lambda g, _out, _input, _other, alpha: (g, lambda: -g if alpha == 1 else g * -alpha),
    loop="sub",
    fuse="elementwise",
    ascend="step",
    ops=["sub(input, other)", "subtract(input, other, *, alpha=1)"],
    mint="sub(input, other, *, alpha=1)",
    tensor=["sub(y)", "sub(other, *, alpha=1)"],
    inplace="sub_(other, *, alpha=1)",
    primitive="Sub()(x, y)",
    dunder="__sub__",
)
def sub(input: Array, other: Array, alpha: Any = 1) -> Any:
    """Return ``input - alpha * other``, broadcast together, in their common dtype.

    Examples:
        >>> print(ops.sub(Tensor([1.0, 2.0]), 3))
        [-2. -1.]

    Source: ``mindspore.ops.sub``, ``mindspore.mint.sub``.
    """
    if alpha != 1:
        other = binary_loop("mul", np.multiply, other, np.asarray(alpha).astype(other.dtype))
    return binary_loop("sub", np.subtract, input, other)


@op(
    shape=rules.broadcast("Mul"),
    dtype=rules.promote,
    vjp=lambda g, _out, input, other: (lambda: g * other, lambda: g * input),
    loop="mul",
    fuse="elementwise",
    ascend="step",
    ops=["mul(input, other)", "multiply(input, other)"],
    mint="mul(input, other)",
    tensor=["mul(value)", "mul(other)"],
    inplace="mul_(other)",
    primitive="Mul()(x, y)",
    dunder="__mul__",
)
def mul(input: Array, other: Array) -> Any:
    """Return ``input * other``, broadcast together, in their common dtype.

    Examples:
        >>> print(ops.mul(Tensor([1.0, 2.0]), 3))
        [3. 6.]

    Source: ``mindspore.ops.mul``, ``mindspore.mint.mul``.
    """
    return binary_loop("mul", np.multiply, input, other) if input.dtype != bool else np.logical_and(input, other)


@op(
    shape=rules.same,
    dtype=rules.same,
    promote=KEEP,
    vjp=lambda g, _out, _input: -g,
    loop="neg",
    fuse="elementwise",
    ascend="step",
    ops=["neg(input)", "negative(input)"],
    mint=["neg(input)", "negative(input)"],
    tensor=["neg()", "negative()"],
    inplace="neg_()",
    primitive="Neg()(x)",
    dunder="__neg__",
)
def neg(input: Array) -> Any:
    """Return ``-input``.

    Examples:
        >>> print(ops.neg(Tensor([1.0, -2.0])))
        [-1.  2.]

    Source: ``mindspore.ops.neg``.
    """
    return loops.unary("neg", input) if input.dtype in FLOATS else np.negative(input)


def _pow_vjp(g: Any, out: Any, input: Any, other: Any) -> Any:
    return (
        lambda: g * (other * pow_(input, other - 1)),
        lambda: g * where(input == 0, 0, out * log(where(input == 0, 1, input))),
    )


@op(
    shape=rules.broadcast("Pow"),
    dtype=rules.promote,
    vjp=_pow_vjp,
    loop="pow",
    fuse="elementwise",
    ascend="pow",
    ops="pow(input, exponent)",
    mint="pow(input, exponent)",
    tensor="pow(exponent)",
    inplace="pow_(exponent)",
    primitive="Pow()(x, power)",
    rename={"power": "other"},
    dunder="__pow__",
    name="pow",
)
def pow_(input: Array, other: Array) -> Any:
    """Return ``input`` to the power ``exponent``, broadcast together.

    Examples:
        >>> print(ops.pow(Tensor([1.0, 2.0, 3.0]), 3))
        [ 1.  8. 27.]

    Source: ``mindspore.ops.pow``.
    """
    if input.dtype.kind in "iu" and (other < 0).any():
        return np.power(input.astype(np.float64), other).astype(input.dtype)
    return quiet(binary_loop, "pow", np.power, input, other)


def _extremum(name: str, function: Any, primitive: str, larger: bool) -> Any:
    def body(input: Any, other: Any) -> Any:
        return binary_loop(name, function, input, other)

    shown = "[2. 3.]" if larger else "[1. 2.]"
    text = (
        f"Return the {'larger' if larger else 'smaller'} of two elements, broadcast together; NaN if one is NaN.\n\n"
        "Where both are equal each gets half of the gradient."
    )
    named(body, name, __name__, text, f"ops.{name}(Tensor([1.0, 3.0]), Tensor(2.0))", shown)

    def vjp(g: Any, _out: Any, input: Any, other: Any) -> Any:
        first = greater(input, other) if larger else less(input, other)
        half = where(equal(input, other), 0.5, cast_np(first, g._kind))
        return (lambda: g * half, lambda: g * (1 - half))

    return op(
        shape=rules.broadcast(primitive),
        dtype=rules.promote,
        vjp=vjp,
        loop=name,
        fuse="elementwise",
        ascend="step",
        ops=f"{name}(input, other)",
        mint=f"{name}(input, other)",
        tensor=f"{name}(other)",
        primitive=f"{primitive}()(x, y)",
        name=name,
    )(body)


maximum = _extremum("maximum", np.maximum, "Maximum", True)


minimum = _extremum("minimum", np.minimum, "Minimum", False)


@op(
    shape=rules.broadcast("Atan2"),
    dtype=rules.floating,
    vjp=lambda g, _out, input, other: (
        lambda: g * other / (input * input + other * other),
        lambda: g * -input / (input * input + other * other),
    ),
    loop="atan2",
    fuse="elementwise",
    ascend="step_f32",
    ops=["atan2(input, other)", "arctan2(input, other)"],
    mint=["atan2(input, other)", "arctan2(input, other)"],
    tensor=["atan2(other)", "arctan2(other)"],
    primitive="Atan2()(x, y)",
)
def atan2(input: Array, other: Array) -> Any:
    """Return the angle of the point (other, input), in radians in (-pi, pi].

    Examples:
        >>> print(ops.atan2(Tensor([0.0, 1.0]), Tensor([1.0, 1.0])))
        [0.        0.7853982]

    Source: ``mindspore.ops.atan2``.
    """
    return binary_loop("atan2", np.arctan2, input, other)


def quiet(function: Any, *args: Any) -> Any:
    """Division by zero and overflow give IEEE results, as in 2.6, without NumPy's warnings."""
    with np.errstate(all="ignore"):
        return function(*args)
