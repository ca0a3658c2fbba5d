"""Reading and writing by index: NumPy-style keys, gather, scatter, masks."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.loops import index as loops
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import fail
from ms_kernels.opdef.register import FLOATS, INTS, composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._tape import broadcast_np, cast_np, meet
from ms_kernels.ops.compare import where_typed
from ms_kernels.ops.getitem import put_key, take_key
from ms_kernels.ops.shape import reshape
from ms_kernels.tape.batched import batched_in

__all__ = ["gather", "index_select", "masked_fill", "masked_select", "scatter_add"]

Shape = tuple[int, ...]


INDEX = frozenset(INTS)


def _axis_shape(shape: Shape, dim: int, index: Shape, name: str = "index_select") -> Shape:
    at = rules.axis(name, dim, len(shape))
    return (*shape[:at], *index, *shape[at + 1 :])


def checked(name: str, index: Any, size: int) -> Any:
    """Return indices as non-negative ones; raise if one lies outside."""
    if _integers(name, index).size:
        low, high = int(index.min()), int(index.max())
        if low < -size or high >= size:
            fail(IndexError, name, "indices", f"be in [{-size}, {size})", str(low if low < -size else high))
        if low < 0:
            return np.where(index < 0, index + size, index)
    return index


def _integers(name: str, index: Any) -> Any:
    if index.dtype.kind not in "iu":
        fail(TypeError, name, "dtype of indices", "be an integer type", str(mstype.from_numpy(index.dtype)))
    return index


def _within(name: str, index: Any, bad: int, size: int) -> NoReturn:
    """Refuse the index at a place of the flattened indices."""
    fail(IndexError, name, "indices", f"be in [{-size}, {size})", str(int(index.reshape(-1)[bad])))


def _select_vjp(g: Any, _out: Any, input: Any, dim: int, index: Any, _name: str) -> Any:
    return index_sum(g, dim, index, _length(input.shape, dim)), None


@op(
    shape=_axis_shape,
    dtype=lambda input, _dim, _index, _name: input,
    vjp=_select_vjp,
    ascend="copy",
    batch="select",
    ops="index_select(input, axis, index)",
    mint="index_select(input, dim, index)",
    tensor=["index_select(axis, index)", "index_select(dim, index)"],
)
def index_select(input: Array, dim: int, index: Array, name: str = "index_select") -> Any:
    """Return the slices of `input` along a dimension that `index` names, in its shape.

    Raises:
        IndexError: an index out of range.
        TypeError: indices that are no integers.

    Examples:
        >>> print(ops.index_select(Tensor([[1, 2], [3, 4]]), 1, Tensor([1, 0])))
        [[2 1]
         [4 3]]

    Source: ``mindspore.ops.index_select``.
    """
    at = rules.axis(name, dim, input.ndim)
    if not input.ndim:
        return np.take(input, checked(name, index, 1), axis=0)
    found, bad = loops.take(input, _integers(name, index), at)
    return _within(name, index, bad, input.shape[at]) if found is None else found


def _length(shape: Shape, dim: int) -> int:
    return shape[rules.axis("index_select", dim, len(shape))] if shape else 1


def _sum_shape(shape: Shape, dim: int, index: Shape, length: int) -> Shape:
    at = rules.axis("index_sum", dim, len(shape) - len(index) + 1)
    return (*shape[:at], length, *shape[at + len(index) :])


@op(
    shape=_sum_shape,
    dtype=lambda input, _dim, _index, _length: input,
    vjp=lambda g, _out, _input, dim, index, _length: (index_select(g, dim, index), None),
    ascend="scatter_add",
    batch="select_back",
    primitive="IndexSum(dim, length)(x, index)",
)
def index_sum(input: Array, dim: int, index: Array, length: int) -> Any:
    """Return a tensor of `length` slices along a dimension: each the sum of those of `input` that `index` sends there.

    The gradient of `index_select`.

    Examples:
        >>> print(ops.IndexSum(0, 3)(Tensor([1.0, 2.0, 4.0]), Tensor([2, 0, 2])))
        [2. 0. 5.]

    Source: the transpose of ``mindspore.ops.index_select``.
    """
    shape = _sum_shape(input.shape, dim, index.shape, length)
    at = rules.axis("index_sum", dim, len(shape))
    short = input.dtype in FLOATS and input.dtype.itemsize == 2  # summed in float32, rounded once
    out = np.zeros(shape, np.float32 if short else input.dtype)
    bad = loops.index_add(out, _integers("index_sum", index), input.astype(out.dtype, copy=False), at)
    if bad >= 0:
        _within("index_sum", index, bad, length)
    return out.astype(input.dtype, copy=False)


@composite(
    ops="gather(input_params, input_indices, axis, batch_dims=0)",
    primitive=[
        "Gather(batch_dims=0)(input_params, input_indices, axis)",
        "SparseGatherV2()(input_params, input_indices, axis)",
    ],
    rename={"input_params": "input", "input_indices": "index"},
    name="gather_axis",
)
def gather_axis(input: Array, index: Array, dim: Any, batch_dims: int = 0) -> Any:
    """Return the slices of `input` along a dimension that `index` names, in its shape.

    Raises:
        ValueError: `batch_dims` is not 0.
        IndexError: an index out of range.

    Examples:
        >>> print(ops.gather(Tensor([1.0, 2.0, 3.0]), Tensor([2, 0]), 0))
        [3. 1.]

    Source: ``mindspore.ops.gather``.
    """
    at = int(dim)
    if batch_dims:
        rows = input.shape[:batch_dims]
        if index.shape[:batch_dims] != rows:
            fail(
                ValueError,
                "Gather",
                "first dimensions",
                f"be equal for batch_dims={batch_dims}",
                f"{input.shape} and {index.shape}",
            )
        at = rules.axis("Gather", at, input.ndim)
        grid = np.ix_(*(np.arange(n) for n in rows))
        place = checked("Gather", index._a, input.shape[at])
        lead = tuple(g.reshape(*g.shape, *((1,) * (place.ndim - batch_dims))) for g in grid)
        from ms_kernels.ops.shape import moveaxis

        moved = moveaxis(input, at, batch_dims)
        found = take_key(moved, (*lead, place))
        inner = place.ndim - batch_dims
        return moveaxis(found, tuple(range(batch_dims, batch_dims + inner)), tuple(range(at, at + inner)))
    return index_select(input, at, index, "Gather")


def _along(index: Any, dim: int, shape: Shape) -> tuple[Any, ...]:
    """The full key of take_along_axis."""
    at = rules.axis("gather", dim, len(shape))
    grid = list(np.ix_(*(np.arange(n) for n in index.shape))) if index.ndim else []
    place = checked("gather", index, shape[at] if shape else 1)
    return tuple(place if i == at else grid[i] for i in range(len(shape)))


def _gather_grad(g: Any, input: Any, dim: int, index: Any) -> Any:
    if batched_in(index) is not None:
        return scatter_add(from_array(np.zeros(input.shape, g._kind)), dim, index, g)
    return put_key(g, _along(index._a, dim, input.shape), input.shape)


def _gather_shape(shape: Shape, dim: int, index: Shape) -> Shape:
    at = rules.axis("GatherD", dim, len(shape))
    if len(shape) != len(index) or any(n > m for i, (n, m) in enumerate(zip(index, shape)) if i != at):
        fail(
            ValueError, "GatherD", "shape of 'index'", f"fit in {list(shape)} but for dimension {at}", str(list(index))
        )
    return index


@op(
    shape=_gather_shape,
    dtype=lambda input, _dim, _index: input,
    vjp=lambda g, _out, input, dim, index: (_gather_grad(g, input, dim, index), None),
    ascend="copy",
    batch="axis",
    ops=["gather_elements(input, dim, index)", "gather_d(x, dim, index)"],
    mint="gather(input, dim, index)",
    tensor=["gather(dim, index)", "gather_elements(dim, index)"],
    primitive="GatherD()(x, dim, index)",
)
def gather(input: Array, dim: int, index: Array) -> Any:
    """Return ``out[i][j] = input[index[i][j]][j]`` (here for dim 0), in the shape of `index`.

    Raises:
        IndexError: an index out of range.
        ValueError: shapes that do not fit.

    Examples:
        >>> print(mint.gather(Tensor([[1, 2], [3, 4]]), 1, Tensor([[1], [0]])))
        [[2]
         [3]]

    Source: ``mindspore.mint.gather``, ``mindspore.ops.gather_elements``.
    """
    return input[_along(index, dim, input.shape)] if input.ndim else input.copy()


def _back_to(src: Any, grad: Any) -> Any:
    """The part of `src` that was used has the gradient `grad`, the rest none."""
    return grad if grad.shape == src.shape else put_key(grad, tuple(slice(n) for n in grad.shape), src.shape)


def _scatter_shape(shape: Shape, dim: int, index: Shape, src: Shape) -> Shape:
    _gather_shape(shape, dim, index)
    if len(src) != len(index) or any(n > m for n, m in zip(index, src)):
        fail(ValueError, "scatter", "shape of 'index'", f"fit in that of 'src', {list(src)}", str(list(index)))
    return shape


@op(
    shape=_scatter_shape,
    dtype=lambda input, _dim, _index, _src: input,
    vjp=lambda g, _out, _input, dim, index, src: (g, None, lambda: _back_to(src, gather(g, dim, index))),
    ascend="scatter_add",
    batch="axis",
    ops="scatter_add_elements(input, dim, index, src)",
    mint="scatter_add(input, dim, index, src)",
    tensor="scatter_add(dim, index, src)",
    inplace="scatter_add_(dim, index, src)",
)
def scatter_add(input: Array, dim: int, index: Array, src: Array) -> Any:
    """Return `input` with ``src[i][j]`` added at ``[index[i][j]][j]`` (here for dim 0).

    Examples:
        >>> print(mint.scatter_add(Tensor([1.0, 2.0, 3.0]), 0, Tensor([0, 0]), Tensor([5.0, 6.0])))
        [12.  2.  3.]

    Source: ``mindspore.mint.scatter_add``.
    """
    wide = input.astype(np.float32) if input.dtype.itemsize == 2 and input.dtype.kind not in "iu" else input.copy()
    part = src[tuple(slice(n) for n in index.shape)].astype(wide.dtype)
    np.add.at(wide, _along(index, dim, input.shape), part)
    return wide.astype(input.dtype, copy=False)


def _scatter_typed_vjp(g: Any, _out: Any, _input: Any, dim: Any, index: Any, src: Any) -> Any:
    return (
        lambda: scatter_typed(g, dim, index, src * 0),
        None,
        lambda: _back_to(src, gather(g, dim, index)),
    )


@op(
    shape=_scatter_shape,
    dtype=lambda input, _dim, _index, _src: input,
    vjp=_scatter_typed_vjp,
    ascend="copy",
    batch="axis",
    primitive="ScatterElements(dim)(x, index, src)",
    label="scatter",
)
def scatter_typed(input: Array, dim: int, index: Array, src: Array) -> Any:
    """Return `input` with ``src[i][j]`` put at ``[index[i][j]][j]`` (here for dim 0).

    Examples:
        >>> print(ops.ScatterElements(0)(Tensor([1.0, 2.0, 3.0]), Tensor([2, 0]), Tensor([5.0, 6.0])))
        [6. 2. 5.]

    Source: ``mindspore.ops.scatter``.
    """
    out = input.copy()
    out[_along(index, dim, input.shape)] = src[tuple(slice(n) for n in index.shape)]
    return out


@composite(
    promote=1,
    ops=["scatter(input, axis, index, src)"],
    mint="scatter(input, dim, index, src)",
    tensor=["scatter(axis, index, src)", "scatter(dim, index, src)"],
    inplace="scatter_(dim, index, src)",
)
def scatter(input: Array, dim: int, index: Array, src: Array) -> Any:
    """Return `input` with `src` (a tensor or a number) put at the places that `index` names along a dimension.

    Examples:
        >>> print(mint.scatter(Tensor([1.0, 2.0, 3.0]), 0, Tensor([2, 0]), 9))
        [9. 2. 9.]

    Source: ``mindspore.mint.scatter``.
    """
    if not isinstance(src, TensorBase):
        (src,) = (broadcast_np(cast_np(meet(src, 0.0)[0], input._kind), index.shape),)
    return scatter_typed(input, dim, index, src)


@composite(
    promote=1,
    ops="masked_fill(input_x, mask, value)",
    tensor="masked_fill(mask, value)",
    inplace="masked_fill_(mask, value)",
    primitive="MaskedFill()(input_x, mask, value)",
    rename={"value": "value"},
)
def masked_fill(input: Array, mask: Array, value: Array) -> Any:
    """Return `input` with `value` where `mask` holds; input and mask are broadcast together.

    Raises:
        TypeError: the mask is not bool.

    Examples:
        >>> print(ops.masked_fill(Tensor([1.0, 2.0]), Tensor([True, False]), 0.5))
        [0.5 2. ]

    Source: ``mindspore.ops.masked_fill``.
    """
    if mask.dtype is not mstype.bool_:
        fail(TypeError, "MaskedFill", "dtype of 'mask'", "be Bool", str(mask.dtype))
    if not isinstance(value, TensorBase):
        (value,) = (cast_np(meet(value)[0], input._kind),)
    return where_typed(mask, cast_np(value, input._kind), input)


@composite(
    ops="masked_select(input, mask)",
    mint="masked_select(input, mask)",
    tensor="masked_select(mask)",
    primitive="MaskedSelect()(x, mask)",
)
def masked_select(input: Array, mask: Array) -> Any:
    """Return the elements where `mask` holds, in one dimension; both are broadcast together.

    Examples:
        >>> print(ops.masked_select(Tensor([1, 2, 3]), Tensor([True, False, True])))
        [1 3]

    Source: ``mindspore.ops.masked_select``.
    """
    if mask.dtype is not mstype.bool_:
        fail(TypeError, "MaskedSelect", "dtype of 'mask'", "be Bool", str(mask.dtype))
    shape = rules.broadcast("MaskedSelect")(input.shape, mask.shape)
    return take_key(broadcast_np(input, shape), (np.broadcast_to(mask._a, shape),))


@composite(ops=["take(input, index)"], mint="take(input, index)", tensor="take(index)")
def take(input: Array, index: Array) -> Any:
    """Return the elements of the flat tensor that `index` names, in its shape.

    Examples:
        >>> print(ops.take(Tensor([[1, 2], [3, 4]]), Tensor([3, 0])))
        [4 1]

    Source: ``mindspore.ops.take``.
    """
    return index_select(reshape(input, (input.size,)), 0, index)


def _nonzero_shape(shape: Shape) -> Shape:
    return (-1, len(shape))


@op(
    shape=_nonzero_shape,
    dtype=rules.int64,
    nondiff="the result is an index",
    ascend="index",
    primitive="NonZero()(x)",
    ops="argwhere(input)",
    tensor="argwhere()",
)
def nonzero_rows(input: Array) -> Any:
    """Return the index of each element that is not 0, one a row, as int64.

    Examples:
        >>> print(ops.argwhere(Tensor([0, 5, 7])))
        [[1]
         [2]]

    Source: ``mindspore.ops.NonZero``.
    """
    return np.argwhere(input)


@composite(
    ops="nonzero(input, *, as_tuple=False)",
    mint="nonzero(input, *, as_tuple=False)",
    tensor="nonzero(*, as_tuple=False)",
)
def nonzero(input: Array, as_tuple: bool = False) -> Any:
    """Return the index of each element that is not 0: one a row, or as a tuple of one tensor a dimension.

    Examples:
        >>> print(ops.nonzero(Tensor([0, 5, 7]), as_tuple=True)[0])
        [1 2]

    Source: ``mindspore.ops.nonzero``.
    """
    rows = nonzero_rows(input)
    return tuple(rows[:, i] for i in range(input.ndim)) if as_tuple else rows
