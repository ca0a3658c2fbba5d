"""Diagonals: taken out of matrices, put into them, summed, and bands around them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._tape import cast_np, plain
from ms_kernels.ops.compare import where
from ms_kernels.ops.reduce import sum_
from ms_kernels.ops.shape import reshape

__all__ = ["diag", "diag_embed", "diagflat", "diagonal", "fill_diagonal", "matrix_band_part", "trace"]

Shape = tuple[int, ...]


def _two(name: str, first: Any, second: Any, ndim: int) -> tuple[int, int]:
    if ndim < 2:
        fail(ValueError, name, "input", "have two or more dimensions", str(ndim))
    one, two = rules.axis(name, first, ndim, "dim1"), rules.axis(name, second, ndim, "dim2")
    if one == two:
        fail(ValueError, name, "'dim1' and 'dim2'", "differ", f"{first} and {second}")
    return one, two


def _offset(name: str, offset: Any) -> int:
    if isinstance(offset, bool) or not isinstance(offset, (int, np.integer)):
        fail(TypeError, name, "'offset'", "be an int", describe(offset))
    return int(offset)


def _diagonal_shape(shape: Shape, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Shape:
    one, two = _two("diagonal", dim1, dim2, len(shape))
    shift = _offset("diagonal", offset)
    rows, columns = shape[one], shape[two]
    size = max(0, min(rows, columns - shift) if shift >= 0 else min(rows + shift, columns))
    return (*(n for i, n in enumerate(shape) if i not in (one, two)), size)


def _diagonal_vjp(g: Any, _out: Any, input: Any, offset: Any, dim1: Any, dim2: Any) -> Any:
    return diagonal_back(g, input.shape, offset, dim1, dim2)


@op(
    shape=_diagonal_shape,
    dtype=rules.same,
    vjp=_diagonal_vjp,
    view=True,
    fuse="view",
    ascend="copy",
    batch="two_axes",
    ops="diagonal(input, offset=0, dim1=0, dim2=1)",
    tensor="diagonal(offset=0, axis1=0, axis2=1)",
    rename={"axis1": "dim1", "axis2": "dim2"},
)
def diagonal(input: Array, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """Return diagonals as a last dimension in place of two others: a view.

    Args:
        offset: above 0: a diagonal above the main one, below 0: below it.

    Raises:
        ValueError: fewer than two dimensions, or one dimension named twice.

    Examples:
        >>> print(ops.diagonal(Tensor([[1, 2], [3, 4]])))
        [1 4]

    Source: ``mindspore.ops.diagonal``.
    """
    out = np.diagonal(input, offset, dim1, dim2)
    if input.flags.writeable:
        out.flags.writeable = True
    return out


@op(
    shape=lambda _input, shape, *_rest: tuple(shape),
    dtype=rules.same,
    vjp=lambda g, _out, _input, _shape, offset, dim1, dim2: diagonal(g, offset, dim1, dim2),
    ascend="copy",
    batch="two_axes",
    primitive="DiagonalBack()(x, shape, offset, dim1, dim2)",
)
def diagonal_back(input: Array, shape: Any, offset: int, dim1: int, dim2: int) -> Any:
    """Return zeros of a shape with the elements on a diagonal: what undoes `diagonal`.

    Examples:
        >>> print(ops.DiagonalBack()(Tensor([1, 4]), (2, 2), 0, 0, 1))
        [[1 0]
         [0 4]]

    Source: the gradient of ``mindspore.ops.diagonal``.
    """
    out = np.zeros(shape, input.dtype)
    place = np.diagonal(out, offset, dim1, dim2)
    place.flags.writeable = True
    place[...] = input
    return out


@composite(ops="diag_embed(input, offset=0, dim1=-2, dim2=-1)")
def diag_embed(input: Array, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Return matrices with the last dimension on a diagonal, zeros elsewhere, over `dim1` and `dim2` of the result.

    Raises:
        TypeError: no Tensor.
        ValueError: one dimension named twice.

    Examples:
        >>> print(ops.diag_embed(Tensor([1, 2])))
        [[1 0]
         [0 2]]

    Source: ``mindspore.ops.diag_embed``.
    """
    if not isinstance(input, TensorBase):
        fail(TypeError, "diag_embed", "'input'", "be a Tensor", describe(input))
    if not input.ndim:
        fail(ValueError, "diag_embed", "'input'", "have at least one dimension", "none")
    one, two = _two("diag_embed", dim1, dim2, input.ndim + 1)
    side = input.shape[-1] + abs(_offset("diag_embed", offset))
    rest = iter(input.shape[:-1])
    shape = tuple(side if i in (one, two) else next(rest) for i in range(input.ndim + 1))
    return diagonal_back(input, shape, offset, one, two)


@composite(ops="diagflat(input, offset=0)", tensor="diagflat(offset=0)")
def diagflat(input: Array, offset: int = 0) -> Any:
    """Return a matrix with all elements on a diagonal.

    Examples:
        >>> print(ops.diagflat(Tensor([1, 2]), 1))
        [[0 1 0]
         [0 0 2]
         [0 0 0]]

    Source: ``mindspore.ops.diagflat``.
    """
    return diag_embed(reshape(input, (-1,)), offset)


@composite(ops="diag(input)", tensor="diag()", primitive="Diag()(input_x)", label="Diag", name="diag_any")
def diag_any(input: Array) -> Any:
    """Return a tensor of twice the dimensions with the elements where both halves of the index are equal.

    Raises:
        ValueError: no dimension.

    Examples:
        >>> print(ops.diag(Tensor([1, 2])))
        [[1 0]
         [0 2]]

    Source: ``mindspore.ops.diag``.
    """
    if not input.ndim:
        fail(ValueError, "Diag", "'input'", "have at least one dimension", "none")
    return reshape(diag_embed(reshape(input, (-1,))), (*input.shape, *input.shape))


@composite(primitive="DiagPart()(x)")
def diag_part(input: Array) -> Any:
    """Return the elements for which both halves of the index are equal: what undoes `Diag`.

    Examples:
        >>> print(ops.DiagPart()(Tensor([[1, 2], [3, 4]])))
        [1 4]

    Source: ``mindspore.ops.DiagPart``.
    """
    half = input.shape[: input.ndim // 2]
    if not input.ndim or input.ndim % 2 or input.shape[input.ndim // 2 :] != half:
        fail(ValueError, "DiagPart", "shape of 'x'", "consist of two equal halves", str(list(input.shape)))
    size = int(np.prod(half))
    return reshape(diagonal(reshape(input, (size, size))), half)


@composite(mint="diag(input, diagonal=0)", tensor="diag(diagonal: int)", rename={"diagonal": "offset"})
def diag(input: Array, offset: int = 0) -> Any:
    """Return a matrix with a vector on its diagonal, or the diagonal of a matrix.

    Raises:
        RuntimeError: neither one nor two dimensions.

    Examples:
        >>> print(mint.diag(Tensor([[1, 2], [3, 4]])))
        [1 4]

    Source: ``mindspore.mint.diag``.
    """
    if input.ndim not in (1, 2):
        fail(RuntimeError, "diag", "'input'", "have one or two dimensions", str(input.ndim))
    return diag_embed(input, offset) if input.ndim == 1 else diagonal(input, offset)


@composite(ops="trace(input)", mint="trace(input)", primitive="Trace()(x)")
def trace(input: Array) -> Any:
    """Return the sum of a matrix's main diagonal, in its dtype.

    Raises:
        RuntimeError: not two dimensions.

    Examples:
        >>> print(ops.trace(Tensor([[1.0, 2.0], [3.0, 4.0]])))
        5.0

    Source: ``mindspore.ops.trace``.
    """
    if not isinstance(input, TensorBase):
        fail(TypeError, "Trace", "'input'", "be a Tensor", describe(input))
    if input.ndim != 2:
        fail(RuntimeError, "Trace", "'input'", "have two dimensions", str(input.ndim))
    return sum_(diagonal(input), -1, False, input.dtype)


@composite(
    tensor="trace(offset=0, axis1=0, axis2=1, dtype=None)", rename={"axis1": "dim1", "axis2": "dim2"}, name="trace_of"
)
def trace_of(input: Array, offset: int = 0, dim1: int = 0, dim2: int = 1, dtype: Any = None) -> Any:
    """Return the sums along diagonals.

    Examples:
        >>> print(Tensor([[1.0, 2.0], [3.0, 4.0]]).trace(1))
        2.0

    Source: ``mindspore.Tensor.trace``.
    """
    found = diagonal(input, offset, dim1, dim2)
    return sum_(found, -1, False, dtype or input.dtype)


def _marks(shape: Shape, wrap: bool) -> Any:
    """Where the main diagonal is: of tall matrices, with `wrap`, it starts again below itself."""
    marks = np.zeros(shape, bool)
    step = int(np.cumprod((1, *shape[:0:-1])).sum()) if len(shape) > 1 else 1
    end = None if wrap or len(shape) != 2 else shape[1] * shape[1]
    marks.reshape(-1)[:end:step] = True
    return marks


@composite(
    tensor="fill_diagonal(fill_value, wrap=False)",
    primitive="FillDiagonal(fill_value, wrap=False)(input_x)",
    inplace="fill_diagonal_(fill_value, wrap=False)",
)
def fill_diagonal(input: Array, fill_value: Any, wrap: bool = False) -> Any:
    """Return the tensor with a number on its main diagonal.

    Args:
        wrap: in a matrix with more rows than columns the diagonal starts again after a row's gap.

    Raises:
        ValueError: one dimension, or more than two of different sizes.

    Examples:
        >>> print(Tensor([[1.0, 2.0], [3.0, 4.0]]).fill_diagonal(9.0))
        [[9. 2.]
         [3. 9.]]

    Source: ``mindspore.Tensor.fill_diagonal``.
    """
    if isinstance(fill_value, bool) or not isinstance(fill_value, (int, float)):
        fail(TypeError, "FillDiagonal", "'fill_value'", "be a number", describe(fill_value))
    if input.ndim < 2 or (input.ndim > 2 and len(set(input.shape)) > 1):
        fail(ValueError, "FillDiagonal", "'input'", "be a matrix or have equal dimensions", str(list(input.shape)))
    return where(from_array(_marks(input.shape, wrap)), cast_np(from_array(np.asarray(fill_value)), input._kind), input)


@composite(ops="matrix_band_part(x, lower, upper)", primitive="MatrixBandPart()(x, lower, upper)")
def matrix_band_part(input: Array, lower: Any, upper: Any) -> Any:
    """Return matrices, zero but for a band of `lower` diagonals below the main one and `upper` above (negative: all).

    Raises:
        ValueError: fewer than two dimensions.

    Examples:
        >>> print(ops.matrix_band_part(Tensor([[1, 2], [3, 4]]), 0, -1))
        [[1 2]
         [0 4]]

    Source: ``mindspore.ops.matrix_band_part``.
    """
    if input.ndim < 2:
        fail(ValueError, "MatrixBandPart", "'x'", "have two or more dimensions", f"shape {list(input.shape)}")
    low, high = int(plain(lower)), int(plain(upper))
    rows, columns = input.shape[-2:]
    apart = np.arange(columns) - np.arange(rows)[:, None]
    band = (apart >= (-low if low >= 0 else -rows)) & (apart <= (high if high >= 0 else columns))
    return where(from_array(band), input, cast_np(from_array(np.asarray(0)), input._kind))
