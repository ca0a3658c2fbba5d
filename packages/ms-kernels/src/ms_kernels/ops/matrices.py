"""Matrices by pattern: identity, triangles, one-hot rows, grids."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._rows import named
from ms_kernels.ops._tape import plain
from ms_kernels.ops.create import CONSTANT, dtype_of, element_type, number_type

__all__ = ["eye", "one_hot", "tril", "triu"]

Shape = tuple[int, ...]


def _sides(n: Any, m: Any) -> Shape:
    sides = (n, n if m is None else m)
    for side in sides:
        if isinstance(side, bool) or not isinstance(side, int):
            fail(TypeError, "eye", "'n' and 'm'", "be ints", describe(side))
        if side < 0:
            fail(ValueError, "eye", "'n' and 'm'", "not be negative", str(side))
    return sides


@op(
    shape=lambda n, m=None, _dtype=None: _sides(n, m),
    dtype=lambda _n, _m=None, dtype=None: dtype_of(dtype, mstype.float32),
    nondiff=CONSTANT,
    ascend="copy",
    ops="eye(n, m=None, dtype=None)",
    mint="eye(n, m=None, dtype=None)",
    primitive="Eye()(n, m, t)",
    rename={"t": "dtype"},
)
def eye(n: int, m: int | None = None, dtype: Any = None) -> Any:
    """Return an n by m matrix with ones on its diagonal, float32 by default.

    Examples:
        >>> print(ops.eye(2))
        [[1. 0.]
         [0. 1.]]

    Source: ``mindspore.ops.eye``.
    """
    return np.eye(*_sides(n, m), dtype=element_type("eye", dtype))


def _hot_shape(shape: Shape, depth: int, _on: Any = 1, _off: Any = 0, dim: int = -1) -> Shape:
    if isinstance(depth, bool) or not isinstance(depth, int) or depth < 0:
        fail(ValueError, "OneHot", "'depth'", "be a non-negative int", describe(depth))
    at = rules.axis("OneHot", dim, len(shape) + 1)
    return (*shape[:at], depth, *shape[at:])


@op(
    shape=_hot_shape,
    dtype=lambda _input, _depth, on=1, _off=0, _dim=-1: number_type(on),
    nondiff="indices have no gradient",
    ascend="copy",
    batch="one_hot",
    ops="one_hot(indices, depth, on_value=1, off_value=0, axis=-1)",
    primitive="OneHot(axis=-1)(indices, depth, on_value, off_value)",
    rename={"indices": "input"},
)
def one_hot(input: Array, depth: int, on_value: Any = 1, off_value: Any = 0, dim: int = -1) -> Any:
    """Return a tensor with a new dimension of size `depth`: `on_value` where its index is the element, or `off_value`.

    An index outside of [0, depth) gives `off_value` everywhere.

    Examples:
        >>> print(ops.one_hot(Tensor([0, 2]), 3))
        [[1 0 0]
         [0 0 1]]

    Source: ``mindspore.ops.one_hot``.
    """
    on, off = plain(on_value), plain(off_value)
    at = rules.axis("OneHot", dim, input.ndim + 1)
    places = np.arange(depth).reshape(depth, *((1,) * (input.ndim - at)))
    return np.where(np.expand_dims(input, at) == places, on, off).astype(number_type(on_value).np)


def _triangle(name: str, function: Any, word: str, shown: str) -> Any:
    def body(input: Any, diagonal: int = 0) -> Any:
        if input.ndim < 2:
            fail(ValueError, name, "'input'", "have at least two dimensions", f"shape {list(input.shape)}")
        return function(input, diagonal)

    text = (
        f"Return the matrices with 0 {word} the diagonal (moved up by `diagonal`).\n\n"
        "Raises:\n    ValueError: fewer than two dimensions."
    )
    named(body, name, __name__, text, f"ops.{name}(Tensor([[1, 2], [3, 4]]))", shown)
    return op(
        shape=rules.same,
        dtype=rules.same,
        vjp=lambda g, _out, _input, diagonal: (tril if name == "tril" else triu)(g, diagonal),
        ascend="copy",
        ops=f"{name}(input, diagonal=0)",
        mint=f"{name}(input, diagonal=0)",
        tensor=f"{name}(diagonal=0)",
        primitive=f"{name.capitalize()}(diagonal=0)(x)",
        name=name,
    )(body)


tril = _triangle("tril", np.tril, "above", "[[1 0]\n     [3 4]]")


triu = _triangle("triu", np.triu, "below", "[[1 2]\n     [0 4]]")


@composite(
    ops="meshgrid(*inputs, indexing='xy')", mint="meshgrid(*tensors, indexing='ij')", rename={"inputs": "tensors"}
)
def meshgrid(tensors: Any, indexing: str = "xy") -> Any:
    """Return coordinate grids of vectors: the first two dimensions exchanged for "xy", in order for "ij".

    Raises:
        ValueError: another indexing.

    Examples:
        >>> x, y = mint.meshgrid(Tensor([1, 2]), Tensor([3, 4, 5]))
        >>> x.shape
        (2, 3)

    Source: ``mindspore.mint.meshgrid``.
    """
    if indexing not in ("xy", "ij"):
        fail(ValueError, "meshgrid", "'indexing'", "be 'xy' or 'ij'", describe(indexing))
    sizes = [t.size for t in tensors]
    n = len(sizes)
    place = list(range(n))
    if indexing == "xy" and n > 1:
        place[:2] = [1, 0]
    shape = [0] * n
    for i, size in zip(place, sizes):
        shape[i] = size
    return tuple(
        t.reshape([size if j == i else 1 for j in range(n)]).broadcast_to(tuple(shape))
        for t, i, size in zip(tensors, place, sizes)
    )
