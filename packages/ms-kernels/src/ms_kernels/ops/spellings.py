"""Short forms of other ops: transposed matrices, outer products added, inverses of numbers, powers of a vector."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.opdef.errors import fail
from ms_kernels.opdef.register import composite, op
from ms_kernels.opdef.rules import same
from ms_kernels.opdef.spec import Array
from ms_kernels.ops.arithmetic import pow_
from ms_kernels.ops.bitwise import bitwise_not
from ms_kernels.ops.linalg import outer
from ms_kernels.ops.shape import swapaxes
from ms_kernels.ops.signs import tensor_only

__all__ = ["addr", "inv", "t"]


@composite(ops="t(input)", tensor="t()", name="t")
def t(input: Array) -> Any:
    """Return a matrix transposed; other tensors with their dimensions as they are (a vector) or the first two swapped.

    Examples:
        >>> print(ops.t(Tensor([[1.0, 2.0]])))
        [[1.]
         [2.]]

    Source: ``mindspore.ops.t``.
    """
    return swapaxes(input, 0, 1) if input.ndim == 2 else input


@composite(mint="t(input)", name="t_of_matrix")
def t_of_matrix(input: Array) -> Any:
    """Return a matrix transposed; tensors of fewer dimensions as they are.

    Raises:
        ValueError: more than two dimensions.

    Examples:
        >>> print(mint.t(Tensor([[1.0, 2.0]])))
        [[1.]
         [2.]]

    Source: ``mindspore.mint.t``.
    """
    if input.ndim > 2:
        fail(ValueError, "t", "'input'", "have two or fewer dimensions", f"shape {list(input.shape)}")
    return swapaxes(input, 0, 1) if input.ndim == 2 else input


@composite(promote=1, ops="addr(x, vec1, vec2, *, beta=1, alpha=1)", tensor="addr(vec1, vec2, beta=1, alpha=1)")
def addr(input: Array, vec1: Array, vec2: Array, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return ``beta * x + alpha * outer(vec1, vec2)``.

    Raises:
        TypeError: an operand is no Tensor.
        ValueError: vectors of more than one dimension, shapes that cannot be broadcast.

    Examples:
        >>> print(ops.addr(Tensor([[1.0, 1.0]]), Tensor([2.0]), Tensor([3.0, 4.0])))
        [[7. 9.]]

    Source: ``mindspore.ops.addr``.
    """
    for arg, value in (("x", input), ("vec1", vec1), ("vec2", vec2)):
        tensor_only("addr", arg, value)
    return input * beta + outer(vec1, vec2) * alpha


@composite(promote=1, ops="ger(input, vec2)", primitive="Ger()(x1, x2)", rename={"x1": "input", "x2": "vec2"})
def ger(input: Array, vec2: Array) -> Any:
    """Return the outer product of two vectors.

    Examples:
        >>> print(ops.ger(Tensor([1.0, 2.0]), Tensor([3.0])))
        [[3.]
         [6.]]

    Source: ``mindspore.ops.ger``.
    """
    return outer(input, vec2)


@op(
    shape=same,
    dtype=same,
    vjp=lambda g, out, _input: g * (out * out) * -1,
    fuse="elementwise",
    ascend="step",
    ops="inv(x)",
    tensor="inv()",
    primitive="Inv()(x)",
)
def inv(input: Array) -> Any:
    """Return ``1 / x`` in the dtype of x (integers: without its fraction).

    Examples:
        >>> print(ops.inv(Tensor([0.5, 4.0])))
        [2.   0.25]

    Source: ``mindspore.ops.inv``.
    """
    with np.errstate(divide="ignore"):
        if input.dtype.kind in "iu":
            return np.where(input == 0, 0, np.trunc(1 / np.where(input == 0, 1, input))).astype(input.dtype)
        return np.reciprocal(input)


@composite(ops="invert(x)", tensor="invert()", primitive="Invert()(x)")
def invert(input: Array) -> Any:
    """Return the integers with all bits turned over.

    Examples:
        >>> print(ops.invert(Tensor([0, 5])))
        [-1 -6]

    Source: ``mindspore.ops.invert``.
    """
    return bitwise_not(input)


@composite(promote=1, tensor="subtract(other, *, alpha=1)")
def subtract(input: Array, other: Array, alpha: Any = 1) -> Any:
    """Return ``self - alpha * other``.

    Examples:
        >>> print(Tensor([3.0]).subtract(1))
        [2.]

    Source: ``mindspore.Tensor.subtract``.
    """
    return input - (other if alpha == 1 else other * alpha)


@composite(promote=1, tensor="multiply(value)")
def multiply(input: Array, other: Array) -> Any:
    """Return ``self * value``.

    Examples:
        >>> print(Tensor([3.0]).multiply(2))
        [6.]

    Source: ``mindspore.Tensor.multiply``.
    """
    return input * other


@composite(promote=1, ops="pows(input, exponent)")
def pows(input: Array, other: Any) -> Any:
    """Return ``input`` to the power of a number.

    Examples:
        >>> print(ops.pows(Tensor([3.0]), 2))
        [9.]

    Source: ``mindspore.ops.pows``.
    """
    return pow_(input, other)
