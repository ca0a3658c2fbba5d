"""Primitive classes of 2.6's older interface that have no function, or another form than their function."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import FLOATS, composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops.extremes import argmax, argmin
from ms_kernels.ops.pad import pad_constant
from ms_kernels.ops.rearrange import concat, stack
from ms_kernels.ops.search import search_sorted
from ms_kernels.ops.sections import unbind
from ms_kernels.ops.shape import dims_of, reshape

__all__ = ["in_top_k", "resize_flat", "unravel_index"]


def _place(name: str, find: Any, shown: str) -> Any:
    def body(x: Any, dim: Any = -1, output_type: Any = mstype.int32) -> Any:
        if output_type not in (mstype.int32, mstype.int64):
            fail(TypeError, name, "'output_type'", "be int32 or int64", describe(output_type))
        return find(x, dim, False, output_type)

    body.__annotations__["x"] = "Array"
    body.__name__, body.__module__ = f"{name.lower()}_place", __name__
    word = "largest" if name == "Argmax" else "smallest"
    body.__doc__ = (
        f"Return where the {word} element along a dimension is, as int32 or int64.\n\n"
        "Raises:\n    TypeError: another output type.\n\n"
        f"Examples:\n    >>> print(ops.{name}()(Tensor([[1.0, 5.0], [7.0, 3.0]])))\n    {shown}\n\n"
        f"Source: ``mindspore.ops.{name}``."
    )
    return composite(primitive=f"{name}(axis=-1, output_type=int32)(x)", name=f"{name.lower()}_place")(body)


argmax_place = _place("Argmax", argmax, "[1 0]")
argmin_place = _place("Argmin", argmin, "[0 1]")


def _bound(name: str, right: bool, shown: str) -> Any:
    def body(sorted_x: Any, values: Any, out_type: Any = mstype.int32) -> Any:
        return search_sorted(sorted_x, values, right, out_type)

    body.__annotations__.update(sorted_x="Array", values="Array")
    body.__name__, body.__module__ = name, __name__
    primitive = "UpperBound" if right else "LowerBound"
    body.__doc__ = (
        f"Return the places in sorted rows before which all are {'at most' if right else 'less than'} a value.\n\n"
        "Raises:\n    ValueError: rows that do not fit.\n\n"
        f"Examples:\n    >>> print(ops.{primitive}()(Tensor([[1, 2, 3]]), Tensor([[2, 9]])))\n    {shown}\n\n"
        f"Source: ``mindspore.ops.{primitive}``."
    )
    return composite(primitive=f"{primitive}(out_type=int32)(sorted_x, values)", name=name)(body)


lower_bound = _bound("lower_bound", False, "[[1 3]]")
upper_bound = _bound("upper_bound", True, "[[2 3]]")


@composite(primitive="UnravelIndex()(indices, dims)")
def unravel_index(indices: Array, dims: Array) -> Any:
    """Return flat places as one row of indices for each dimension of a shape.

    Raises:
        ValueError: a place out of range.

    Examples:
        >>> print(ops.UnravelIndex()(Tensor([3, 5]), Tensor([2, 3])))
        [[1 1]
         [0 2]]

    Source: ``mindspore.ops.UnravelIndex``.
    """
    shape = dims_of("UnravelIndex", dims, "dims")
    count = int(np.prod(shape))
    flat = indices._a
    if flat.size and (int(flat.min()) < 0 or int(flat.max()) >= count):
        fail(ValueError, "UnravelIndex", "'indices'", f"be in [0, {count})", str(flat.tolist()))
    return from_array(np.stack(np.unravel_index(flat, shape)).astype(flat.dtype))


@op(
    shape=lambda _input, targets, _k=1: targets,
    dtype=rules.boolean,
    nondiff="the result is bool",
    ascend="sort",
    batch="fold",
    ops="intopk(x1, x2, k)",
    primitive="InTopK(k)(x1, x2)",
)
def in_top_k(x1: Array, x2: Array, k: int = 1) -> Any:
    """Tell for each row of `x1` whether its element at the index in `x2` is among the `k` largest.

    Examples:
        >>> print(ops.InTopK(1)(Tensor([[1.0, 5.0], [7.0, 3.0]]), Tensor([1, 1])))
        [ True False]

    Source: ``mindspore.ops.InTopK``.
    """
    chosen = np.take_along_axis(x1, x2[:, None].astype(np.int64), 1)
    return (x1 > chosen).sum(1) < k


def _segment(how: str, text: str, shown: str) -> Any:
    from ms_kernels.ops.compare import where
    from ms_kernels.ops.scatter_nd import SEGMENTS

    name = f"Segment{how.capitalize()}"
    combine = SEGMENTS["sum" if how == "mean" else how]

    def body(input_x: Any, segment_ids: Any) -> Any:
        ids = segment_ids._a
        if ids.ndim != 1 or not input_x.ndim or ids.size != input_x.shape[0] or ids.dtype.kind not in "iu":
            rule = "hold an integer for each row of 'input_x'"
            fail(ValueError, name, "'segment_ids'", rule, f"{segment_ids.dtype} of shape {list(ids.shape)}")
        if not ids.size or int(ids.min()) < 0 or (np.diff(ids) < 0).any():
            fail(ValueError, name, "'segment_ids'", "be sorted, and not negative", str(ids.tolist()))
        count = int(ids[-1]) + 1
        out = combine(input_x, segment_ids, count)
        sizes = np.bincount(ids, minlength=count).reshape(count, *((1,) * (input_x.ndim - 1)))
        if how == "mean":
            return out / from_array(np.maximum(sizes, 1).astype(input_x._kind))
        return out if how in ("sum", "prod") else where(from_array(sizes > 0), out, 0)

    body.__annotations__.update(input_x="Array", segment_ids="Array")
    body.__name__, body.__module__ = f"segment_{how}", __name__
    body.__doc__ = (
        f"Return the {text} of the rows that have one number in the sorted `segment_ids`.\n\n"
        "Raises:\n    ValueError: numbers that are not sorted, negative, or not one for each row.\n\n"
        f"Examples:\n    >>> print(ops.{name}()(Tensor([2.0, 3.0, 4.0]), Tensor([0, 0, 2])))\n    {shown}\n\n"
        f"Source: ``mindspore.ops.{name}``."
    )
    return composite(primitive=f"{name}()(input_x, segment_ids)", name=f"segment_{how}")(body)


segment_sum = _segment("sum", "sum", "[5. 0. 4.]")
segment_mean = _segment("mean", "mean", "[2.5 0.  4. ]")
segment_prod = _segment("prod", "product", "[6. 1. 4.]")
segment_max = _segment("max", "largest", "[3. 0. 4.]")
segment_min = _segment("min", "smallest", "[2. 0. 4.]")


@op(
    shape=rules.same,
    dtype=rules.same,
    accepts=FLOATS,
    vjp=lambda g, _out, _input_x: g * 0,
    fuse="elementwise",
    ascend="step",
    primitive="Rint()(input_x)",
)
def rint(input_x: Array) -> Any:
    """Return the nearest whole numbers, halves to the even one.

    Examples:
        >>> print(ops.Rint()(Tensor([1.5, 2.5])))
        [2. 2.]

    Source: ``mindspore.ops.Rint``.
    """
    return np.rint(input_x)


@composite(primitive="Pack(axis=0)(x)", rename={"x": "tensors"})
def pack(tensors: list[Array], dim: int = 0) -> Any:
    """Return tensors joined along a new dimension: the older name of Stack.

    Examples:
        >>> print(ops.Pack()([Tensor([1, 2]), Tensor([3, 4])]))
        [[1 2]
         [3 4]]

    Source: ``mindspore.ops.Pack``.
    """
    return stack(tensors, dim)


@composite(primitive="Unpack(axis=0)(x)")
def unpack(x: Array, dim: int = 0) -> Any:
    """Return the slices along a dimension as a tuple: the older name of Unstack.

    Examples:
        >>> print(*ops.Unpack()(Tensor([[1, 2], [3, 4]])))
        [1 2] [3 4]

    Source: ``mindspore.ops.Unpack``.
    """
    return unbind(x, dim)


@composite(primitive="ParallelConcat()(values)", rename={"values": "tensors"})
def parallel_concat(tensors: list[Array]) -> Any:
    """Return tensors of one shape joined along their first dimension.

    Raises:
        ValueError: different shapes.

    Examples:
        >>> print(ops.ParallelConcat()([Tensor([[1, 2]]), Tensor([[3, 4]])]))
        [[1 2]
         [3 4]]

    Source: ``mindspore.ops.ParallelConcat``.
    """
    for part in tensors[1:]:
        if part.shape != tensors[0].shape:
            got = f"{list(tensors[0].shape)} and {list(part.shape)}"
            fail(ValueError, "ParallelConcat", "shapes", "be equal", got)
    return concat(tensors, 0)


@composite(primitive="PadV3(mode='constant', paddings_contiguous=True)(x, paddings, value=None)")
def pad_by_tensor(
    x: Array, paddings: Any, value: Any = None, mode: str = "constant", paddings_contiguous: bool = True
) -> Any:
    """Return as `pad`, with the borders in a Tensor (last dimension first) or a tuple.

    Args:
        paddings_contiguous: whether each pair is together; else all numbers before come first.

    Raises:
        ValueError: an unknown mode, or borders that do not fit.

    Examples:
        >>> print(ops.PadV3()(Tensor([1, 2]), Tensor([1, 0]), Tensor(7)))
        [7 1 2]

    Source: ``mindspore.ops.PadV3``.
    """
    from ms_kernels.ops.pad import pad

    sizes = dims_of("PadV3", paddings, "paddings")
    if not paddings_contiguous:
        half = len(sizes) // 2
        sizes = tuple(n for pair in zip(sizes[:half], sizes[half:]) for n in pair)
    number = value._a.item() if isinstance(value, TensorBase) else value
    names = {"edge": "replicate", "wrap": "circular"}
    return pad(x, sizes, names.get(mode, mode), number if mode == "constant" else None)


@composite(tensor="resize(*new_shape)", rename={"new_shape": "shape"}, name="resize_flat")
def resize_flat(input: Array, shape: Any) -> Any:
    """Return the elements in row-major order in another shape, cut off at its end, or filled up with zeros.

    Raises:
        ValueError: a negative size.

    Examples:
        >>> print(Tensor([1, 2, 3]).resize(2, 2))
        [[1 2]
         [3 0]]

    Source: ``mindspore.Tensor.resize``.
    """
    wanted = dims_of("Tensor.resize", shape)
    if min(wanted, default=0) < 0:
        fail(ValueError, "Tensor.resize", "'new_shape'", "not be negative", str(wanted))
    count = int(np.prod(wanted, dtype=np.int64))
    return reshape(pad_constant(reshape(input, (input.size,)), (0, count - input.size)), wanted)
