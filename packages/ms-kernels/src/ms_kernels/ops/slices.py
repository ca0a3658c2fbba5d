"""2.6's older ways to cut, pad and join: slice, strided_slice and the Primitive classes of that time."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite
from ms_kernels.opdef.spec import Array
from ms_kernels.ops.getitem import take_key
from ms_kernels.ops.index import index_select
from ms_kernels.ops.matrices import meshgrid
from ms_kernels.ops.pad import pad_constant
from ms_kernels.ops.sections import narrow
from ms_kernels.ops.shape import dims_of

__all__ = ["slice_", "strided_slice"]


@composite(ops="slice(input_x, begin, size)", primitive="Slice()(input_x, begin, size)", name="slice")
def slice_(input: Array, begin: Any, size: Any) -> Any:
    """Return the part of a tensor that begins at `begin` and has `size`; -1 stands for all that follows. A view.

    Raises:
        ValueError: not a number for each dimension, or more than there is.

    Examples:
        >>> print(ops.slice(Tensor([[1, 2, 3], [4, 5, 6]]), (0, 1), (2, -1)))
        [[2 3]
         [5 6]]

    Source: ``mindspore.ops.slice``.
    """
    first, count = dims_of("Slice", begin, "begin"), dims_of("Slice", size, "size")
    if len(first) != input.ndim or len(count) != input.ndim:
        got = f"{len(first)} and {len(count)}"
        fail(ValueError, "Slice", "lengths of 'begin' and 'size'", f"be {input.ndim}", got)
    key = []
    for at, n, whole in zip(first, count, input.shape):
        take = whole - at if n == -1 else n
        if at < 0 or take < 0 or at + take > whole:
            fail(
                ValueError, "Slice", "'begin' and 'size'", f"lie in the shape {list(input.shape)}", f"{first}, {count}"
            )
        key.append(slice(at, at + take))
    return take_key(input, tuple(key))


def _bit(mask: int, place: int) -> bool:
    return bool(mask >> place & 1)


@composite(
    ops="strided_slice(input_x, begin, end, strides, begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, "
    "shrink_axis_mask=0)",
    tensor="strided_slice(begin, end, strides, begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, "
    "shrink_axis_mask=0)",
    primitive="StridedSlice(begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0)"
    "(input_x, begin, end, strides)",
)
def strided_slice(
    input: Array,
    begin: Any,
    end: Any,
    strides: Any,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Any:
    """Return ``input_x[begin:end:strides]``, each a tuple with a number for each dimension. A view.

    Args:
        begin_mask, end_mask: bit i set: dimension i begins (ends) where it does by default.
        ellipsis_mask: bit i set: place i stands for all dimensions that the others do not name.
        new_axis_mask: bit i set: place i is a new dimension of size 1.
        shrink_axis_mask: bit i set: place i is one index, whose dimension is then gone.

    Raises:
        ValueError: tuples of unequal lengths, a stride of 0, more places than dimensions, two ellipses.
        IndexError: an index out of range.

    Examples:
        >>> print(ops.strided_slice(Tensor([[1, 2, 3], [4, 5, 6]]), (0, 0), (2, 3), (1, 2)))
        [[1 3]
         [4 6]]

    Source: ``mindspore.ops.strided_slice``.
    """
    name = "StridedSlice"
    first, last, step = (dims_of(name, v, a) for v, a in ((begin, "begin"), (end, "end"), (strides, "strides")))
    if not len(first) == len(last) == len(step):
        got = f"{len(first)}, {len(last)} and {len(step)}"
        fail(ValueError, name, "lengths of 'begin', 'end' and 'strides'", "be equal", got)
    if 0 in step:
        fail(ValueError, name, "'strides'", "not be 0", str(step))
    if ellipsis_mask & (ellipsis_mask - 1):
        fail(ValueError, name, "'ellipsis_mask'", "have at most one bit set", str(ellipsis_mask))
    key: list[Any] = []
    for i, (low, high, by) in enumerate(zip(first, last, step)):
        if _bit(ellipsis_mask, i):
            key.append(Ellipsis)
        elif _bit(new_axis_mask, i):
            key.append(None)
        elif _bit(shrink_axis_mask, i):
            key.append(low)
        else:
            key.append(slice(None if _bit(begin_mask, i) else low, None if _bit(end_mask, i) else high, by))
    named = sum(item is not None and item is not Ellipsis for item in key)
    if named > input.ndim:
        fail(ValueError, name, "number of places", f"be at most {input.ndim}", str(named))
    return take_key(input, tuple(key))


@composite(primitive="Split(axis=0, output_num=1)(input_x)", rename={"input_x": "input"})
def split_evenly(input: Array, dim: int = 0, output_num: int = 1) -> Any:
    """Return the tensor cut along a dimension into `output_num` equal parts. Views.

    Raises:
        ValueError: the dimension cannot be cut so.

    Examples:
        >>> [part.tolist() for part in ops.Split(0, 2)(Tensor([1, 2, 3, 4]))]
        [[1, 2], [3, 4]]

    Source: ``mindspore.ops.Split``.
    """
    at = rules.axis("Split", dim, input.ndim)
    if isinstance(output_num, bool) or not isinstance(output_num, int) or output_num <= 0:
        fail(ValueError, "Split", "'output_num'", "be a positive int", describe(output_num))
    if input.shape[at] % output_num:
        fail(ValueError, "Split", f"size of dimension {at}", f"be a multiple of {output_num}", str(input.shape[at]))
    size = input.shape[at] // output_num
    return tuple(narrow(input, at, i * size, size) for i in range(output_num))


@composite(primitive="SplitV(size_splits, split_dim, num_split)(input_x)", rename={"split_dim": "dim"})
def split_by_sizes(input: Array, size_splits: Any, dim: int, num_split: int) -> Any:
    """Return the tensor cut along a dimension into parts of given sizes, one of which may be -1: the rest. Views.

    Raises:
        ValueError: the sizes do not sum up, or are not `num_split`.

    Examples:
        >>> [part.tolist() for part in ops.SplitV([1, -1], 0, 2)(Tensor([1, 2, 3]))]
        [[1], [2, 3]]

    Source: ``mindspore.ops.SplitV``.
    """
    at = rules.axis("SplitV", dim, input.ndim, "split_dim")
    sizes = list(dims_of("SplitV", size_splits, "size_splits"))
    if len(sizes) != num_split:
        fail(ValueError, "SplitV", "'num_split'", f"be the number of sizes, {len(sizes)}", describe(num_split))
    if sizes.count(-1) == 1:
        sizes[sizes.index(-1)] = input.shape[at] - sum(sizes) - 1
    if min(sizes, default=-1) < 0 or sum(sizes) != input.shape[at]:
        fail(ValueError, "SplitV", "'size_splits'", f"sum up to {input.shape[at]}", str(size_splits))
    out, done = [], 0
    for size in sizes:
        out.append(narrow(input, at, done, size))
        done += size
    return tuple(out)


def _pairs(name: str, paddings: Any, ndim: int) -> list[tuple[int, int]]:
    found = np.asarray(paddings._a if isinstance(paddings, TensorBase) else paddings)
    if found.shape != (ndim, 2) or found.dtype.kind not in "iu":
        fail(ValueError, name, "'paddings'", f"be {ndim} pairs of ints", describe(paddings))
    if found.size and int(found.min()) < 0:
        fail(ValueError, name, "'paddings'", "not be negative", str(found.tolist()))
    return [(int(a), int(b)) for a, b in found]


@composite(primitive="Pad(paddings)(input_x)", rename={"input_x": "input"})
def pad_zeros(input: Array, paddings: Any) -> Any:
    """Return the tensor with zeros around it: a pair, before and behind, for each dimension.

    Raises:
        ValueError: not a pair for each dimension, or a negative number.

    Examples:
        >>> print(ops.Pad(((1, 2),))(Tensor([5])))
        [0 5 0 0]

    Source: ``mindspore.ops.Pad``.
    """
    pairs = _pairs("Pad", paddings, input.ndim)
    return pad_constant(input, tuple(n for p in reversed(pairs) for n in p))


@composite(
    ops="mirror_pad(input_x, paddings, mode)",
    primitive="MirrorPad(mode='REFLECT')(input_x, paddings)",
    rename={"input_x": "input"},
)
def mirror_pad(input: Array, paddings: Any, mode: str = "REFLECT") -> Any:
    """Return the tensor with its own mirror image around it: a pair, before and behind, for each dimension.

    Args:
        mode: "REFLECT" leaves out the border elements, "SYMMETRIC" repeats them.

    Raises:
        ValueError: another mode, not a pair for each dimension, or a border greater than the tensor has.

    Examples:
        >>> print(ops.MirrorPad("REFLECT")(Tensor([1, 2, 3]), Tensor([[2, 1]])))
        [3 2 1 2 3 2]

    Source: ``mindspore.ops.MirrorPad``.
    """
    if mode not in ("REFLECT", "SYMMETRIC"):
        fail(ValueError, "MirrorPad", "'mode'", "be 'REFLECT' or 'SYMMETRIC'", describe(mode))
    for dim, (low, high) in enumerate(_pairs("MirrorPad", paddings, input.ndim)):
        size = input.shape[dim]
        most = size - 1 if mode == "REFLECT" else size
        if max(low, high) > most:
            fail(
                ValueError, "MirrorPad", "'paddings'", f"be at most {most} for a dimension of {size}", f"{(low, high)}"
            )
        if low or high:
            places = np.pad(np.arange(size), (low, high), "reflect" if mode == "REFLECT" else "symmetric")
            input = index_select(input, dim, from_array(places))
    return input


@composite(ops="padding(x, pad_dim_size=8)", primitive="Padding(pad_dim_size=8)(x)")
def padding(input: Array, pad_dim_size: int = 8) -> Any:
    """Return a tensor whose last dimension of size 1 is filled up with zeros to `pad_dim_size`.

    Raises:
        ValueError: the last dimension has another size, or `pad_dim_size` is not positive.

    Examples:
        >>> print(ops.padding(Tensor([[1.0], [2.0]]), 3))
        [[1. 0. 0.]
         [2. 0. 0.]]

    Source: ``mindspore.ops.padding``.
    """
    if isinstance(pad_dim_size, bool) or not isinstance(pad_dim_size, int) or pad_dim_size <= 0:
        fail(ValueError, "Padding", "'pad_dim_size'", "be a positive int", describe(pad_dim_size))
    if input.ndim < 2 or input.shape[-1] != 1:
        fail(ValueError, "Padding", "last dimension of 'x'", "have size 1 and others before it", str(list(input.shape)))
    return pad_constant(input, (0, pad_dim_size - 1))


@composite(primitive="Meshgrid(indexing='xy')(inputs)")
def mesh_of(inputs: list[Array], indexing: str = "xy") -> Any:
    """Return as `meshgrid` the coordinate grids of a tuple of vectors.

    Examples:
        >>> x, y = ops.Meshgrid()((Tensor([1, 2]), Tensor([3, 4, 5])))
        >>> x.shape
        (3, 2)

    Source: ``mindspore.ops.Meshgrid``.
    """
    return meshgrid(tuple(inputs), indexing)


@composite(primitive="EmbeddingLookup()(input_params, input_indices, offset)", rename={"input_params": "input"})
def embedding_lookup(input: Array, input_indices: Array, offset: int) -> Any:
    """Return the rows of a table that the indices, less `offset`, name; a row of zeros for those outside.

    Raises:
        TypeError: indices that are no integers.

    Examples:
        >>> print(ops.EmbeddingLookup()(Tensor([[1.0], [2.0]]), Tensor([4, 3, 0]), 3))
        [[2.]
         [1.]
         [0.]]

    Source: ``mindspore.ops.EmbeddingLookup``.
    """
    found = input_indices._a
    if found.dtype.kind not in "iu":
        fail(TypeError, "EmbeddingLookup", "dtype of 'input_indices'", "be an integer type", str(input_indices.dtype))
    places = found.astype(np.int64) - int(offset)
    inside = (places >= 0) & (places < input.shape[0])
    rows = take_key(input, (np.where(inside, places, 0),))
    mask = inside.reshape(*inside.shape, *((1,) * (input.ndim - 1)))
    return rows * from_array(mask.astype(input._kind))
