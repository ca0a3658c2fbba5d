"""Finding places: in sorted sequences, of distinct elements; choosing by index."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._tape import broadcast_np, meet, plain
from ms_kernels.ops.getitem import take_key
from ms_kernels.ops.index import gather
from ms_kernels.ops.rearrange import concat, stack
from ms_kernels.ops.sort import max_with_place, min_with_place, sort

__all__ = ["bucketize", "choose", "searchsorted", "unique_consecutive"]

Shape = tuple[int, ...]
INDEX = "the result is an index"


def _wide(array: Any) -> Any:
    return array.astype(np.float32) if array.dtype in (mstype.bfloat16.np, np.float16) else array


def _sorted_shape(sequence: Shape, values: Shape, *_rest: Any) -> Shape:
    if not sequence or (len(sequence) > 1 and sequence[:-1] != values[:-1]):
        rule = "have one dimension, or the first ones of 'values'"
        fail(ValueError, "SearchSorted", "'sorted_sequence'", rule, f"{list(sequence)} and {list(values)}")
    return values


@op(
    shape=_sorted_shape,
    dtype=lambda _sequence, _values, _right=False, index=mstype.int64: index,
    nondiff=INDEX,
    ascend="index",
    batch="search",
    primitive="SearchSorted(dtype=int64, right=False)(sorted_sequence, values)",
    rename={"dtype": "index"},
)
def search_sorted(sorted_sequence: Array, values: Array, right: bool = False, index: Any = mstype.int64) -> Any:
    """Return the places in sorted rows at which `values` keep them sorted: before equal elements, or behind (`right`).

    Examples:
        >>> print(ops.SearchSorted()(Tensor([1.0, 3.0, 5.0]), Tensor([3.0, 9.0])))
        [1 3]

    Source: ``mindspore.ops.SearchSorted``.
    """
    side: Any = "right" if right else "left"
    rows, wanted = _wide(sorted_sequence), _wide(values)
    if rows.ndim == 1:
        return np.asarray(np.searchsorted(rows, wanted, side)).astype(index.np)
    out = np.empty(values.shape, index.np)
    for at in np.ndindex(values.shape[:-1]):
        out[at] = np.searchsorted(rows[at], wanted[at], side)
    return out


def _search(sequence: Any, values: Any, index: Any, right: bool, side: Any, sorter: Any, name: str) -> Any:
    if side not in (None, "left", "right"):
        fail(ValueError, name, "'side'", "be 'left' or 'right'", describe(side))
    if side == "left" and right:
        fail(ValueError, name, "'side' and 'right'", "agree", "'left' and True")
    if sorter is not None:
        if not isinstance(sorter, TensorBase) or sorter.shape != sequence.shape:
            fail(ValueError, name, "'sorter'", "be a Tensor of the sequence's shape", describe(sorter))
        sequence = gather(sequence, -1, sorter)
    return search_sorted(sequence, values, right or side == "right", index)


@composite(
    ops="searchsorted(sorted_sequence, values, *, out_int32=False, right=False, side=None, sorter=None)",
    mint="searchsorted(sorted_sequence, values, *, out_int32=False, right=False, side=None, sorter=None)",
)
def searchsorted(
    sorted_sequence: Array,
    values: Array,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Any = None,
) -> Any:
    """Return the places in sorted rows at which `values` could be put so that they stay sorted, as int64 (or int32).

    Args:
        right: whether behind elements that are equal; `side` says it in a word.
        sorter: the order that sorts the sequence, when it is not sorted.

    Raises:
        ValueError: `side` and `right` disagree, or shapes that do not fit.

    Examples:
        >>> print(ops.searchsorted(Tensor([1.0, 3.0, 5.0]), Tensor([3.0, 9.0]), right=True))
        [2 3]

    Source: ``mindspore.ops.searchsorted``.
    """
    index = mstype.int32 if out_int32 else mstype.int64
    return _search(sorted_sequence, values, index, right, side, sorter, "searchsorted")


@composite(tensor="searchsorted(v, side='left', sorter=None)", name="searchsorted_in")
def searchsorted_in(input: Array, v: Any, side: str = "left", sorter: Any = None) -> Any:
    """Return the places in the sorted tensor at which `v` (a number, a list, a Tensor) could be put, as int64.

    Raises:
        ValueError: another side than "left" and "right".

    Examples:
        >>> print(Tensor([1, 2, 3]).searchsorted(2))
        1

    Source: ``mindspore.Tensor.searchsorted``.
    """
    values = v if isinstance(v, TensorBase) else from_array(np.asarray(v))
    index = mstype.int64
    return _search(input, values, index, False, side, sorter, "Tensor.searchsorted")


@composite(ops="bucketize(input, boundaries, *, right=False)", primitive="Bucketize(boundaries)(input)")
def bucketize(input: Array, boundaries: Any, right: bool = False) -> Any:
    """Return, as int32, between which boundaries each element lies: how many are less than it (`right`: or equal).

    Raises:
        TypeError: `boundaries` is no list of numbers.

    Examples:
        >>> print(ops.bucketize(Tensor([1.0, 2.0, 3.0]), [2.0], right=True))
        [0 1 1]

    Source: ``mindspore.ops.bucketize``.
    """
    if not isinstance(boundaries, (list, tuple)) or not all(isinstance(b, (int, float)) for b in boundaries):
        fail(TypeError, "Bucketize", "'boundaries'", "be a list of numbers", describe(boundaries))
    edges = from_array(np.asarray(boundaries, np.float64))
    return search_sorted(edges, input, right, mstype.int32)


def _runs_shape(shape: Shape, dim: Any = None) -> list[Shape]:
    if dim is None:
        return [(-1,), shape, (-1,)]
    at = rules.axis("unique_consecutive", dim, len(shape))
    return [(*shape[:at], -1, *shape[at + 1 :]), (shape[at],), (-1,)]


@op(
    shape=_runs_shape,
    dtype=lambda input, _dim=None: (input, mstype.int64, mstype.int64),
    nondiff="which elements are equal changes by jumps",
    ascend="sort",
    primitive="UniqueConsecutive(return_inverse=False, return_counts=False, dim=None)(input)",
    rename={"return_inverse": "", "return_counts": ""},
)
def unique_runs(input: Array, dim: Any = None) -> Any:
    """Return the first of each run of equal elements (or slices), the run each element is in, and the runs' lengths.

    Examples:
        >>> print(*ops.UniqueConsecutive()(Tensor([1, 1, 2, 1])))
        [1 2 1] [0 0 1 2] [2 1 1]

    Source: ``mindspore.ops.UniqueConsecutive``.
    """
    at = 0 if dim is None else rules.axis("unique_consecutive", dim, input.ndim)
    rows = input.reshape(-1) if dim is None else np.moveaxis(input, at, 0)
    new = np.ones(len(rows), bool)
    new[1:] = (rows[1:] != rows[:-1]).reshape(len(rows[1:]), -1).any(1) if rows[1:].size else False
    starts = np.flatnonzero(new)
    run = np.cumsum(new) - 1
    values = rows[starts] if dim is None else np.moveaxis(rows[starts], 0, at)
    return values, (run.reshape(input.shape) if dim is None else run).astype(np.int64), np.diff([*starts, len(rows)])


@composite(
    ops="unique_consecutive(input, return_inverse=False, return_counts=False, dim=None)",
    mint="unique_consecutive(input, return_inverse=False, return_counts=False, dim=None)",
    tensor="unique_consecutive(return_inverse=False, return_counts=False, dim=None)",
)
def unique_consecutive(
    input: Array, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Return the elements (or slices along `dim`) without those equal to the one before.

    Args:
        return_inverse: give also in which run each element is.
        return_counts: give also how long the runs are.

    Raises:
        TypeError: a flag that is no bool.
        ValueError: `dim` is out of range.

    Examples:
        >>> print(ops.unique_consecutive(Tensor([1, 1, 2, 1])))
        [1 2 1]

    Source: ``mindspore.ops.unique_consecutive``.
    """
    for name, flag in (("return_inverse", return_inverse), ("return_counts", return_counts)):
        if not isinstance(flag, bool):
            fail(TypeError, "unique_consecutive", f"'{name}'", "be a bool", describe(flag))
    values, run, counts = unique_runs(input, dim)
    out = (values, *((run,) if return_inverse else ()), *((counts,) if return_counts else ()))
    return out if len(out) > 1 else values


@op(
    shape=lambda shape: [(-1,), shape],
    dtype=lambda input: (input, mstype.int64 if input is mstype.int64 else mstype.int32),
    nondiff="which elements are distinct changes by jumps",
    ascend="sort",
    ops="unique(input)",
    primitive="Unique()(x)",
)
def unique_in_order(input: Array) -> Any:
    """Return the distinct elements in the order of their first places, and where each element is among them.

    Examples:
        >>> print(*ops.unique(Tensor([5, 2, 5])))
        [5 2] [0 1 0]

    Source: ``mindspore.ops.unique``.
    """
    values, first, back = np.unique(_wide(input), return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    index = np.int64 if input.dtype == np.int64 else np.int32
    return values[order].astype(input.dtype), rank[back.reshape(-1)].reshape(input.shape).astype(index)


@composite(
    ops="unique_with_pad(x, pad_num)", tensor="unique_with_pad(pad_num)", primitive="UniqueWithPad()(x, pad_num)"
)
def unique_with_pad(input: Array, pad_num: Any) -> Any:
    """Return as `unique`, with the distinct elements filled up with `pad_num` to the size of the input.

    Raises:
        ValueError: the input has not one dimension.

    Examples:
        >>> print(*ops.unique_with_pad(Tensor([5, 2, 5]), 0))
        [5 2 0] [0 1 0]

    Source: ``mindspore.ops.unique_with_pad``.
    """
    if input.ndim != 1:
        fail(ValueError, "UniqueWithPad", "'x'", "have one dimension", str(input.ndim))
    values, back = unique_in_order(input)
    fill = np.full(input.size - values.size, plain(pad_num))
    return concat([values, from_array(fill.astype(input._kind))]), back


@composite(ops="msort(input)", tensor="msort()")
def msort(input: Array) -> Any:
    """Return the tensor sorted along its first dimension.

    Examples:
        >>> print(ops.msort(Tensor([3.0, 1.0, 2.0])))
        [1. 2. 3.]

    Source: ``mindspore.ops.msort``.
    """
    return sort(input, 0)[0]


def _with_value(name: str, find: Any, primitive: str, shown: str) -> Any:
    def body(input: Any, dim: Any = 0, keepdim: bool = False, place_first: bool = False) -> Any:
        values, places = find(input, dim, keepdim)
        return (places, values) if place_first else (values, places)

    body.__annotations__["input"] = "Array"
    body.__name__, body.__module__ = name, __name__
    word = "largest" if name == "argmax_with_value" else "smallest"
    body.__doc__ = (
        f"Return the {word} elements along a dimension and their places; the Primitive gives the places first.\n\n"
        f"Examples:\n    >>> print(*Tensor([[3.0, 1.0], [2.0, 5.0]]).{name}(1))\n    {shown}\n\n"
        f"Source: ``mindspore.Tensor.{name}``."
    )
    return composite(
        tensor=f"{name}(axis=0, keep_dims=False)",
        primitive=f"{primitive}(axis=0, keep_dims=False)(x); place_first=True",
        name=name,
    )(body)


argmax_with_value = _with_value("argmax_with_value", max_with_place, "ArgMaxWithValue", "[3. 5.] [0 1]")
argmin_with_value = _with_value("argmin_with_value", min_with_place, "ArgMinWithValue", "[1. 2.] [1 0]")


@composite(tensor="choose(choices, mode='clip')")
def choose(input: Array, choices: Any, mode: str = "clip") -> Any:
    """Return a tensor whose elements come from one of several tensors: which one, the elements of this tensor say.

    Args:
        choices: tensors, lists or numbers that are broadcast to this tensor's shape.
        mode: what to do with numbers out of range: "clip" to the nearest, "wrap" round.

    Raises:
        NotImplementedError: mode "raise".
        ValueError: another mode, or shapes that cannot be broadcast.

    Examples:
        >>> print(Tensor([1, 0, 1]).choose([[1, 2, 3], [4, 5, 6]]))
        [4 2 6]

    Source: ``mindspore.Tensor.choose``.
    """
    if mode == "raise":
        raise NotImplementedError("For 'choose', the 'mode' must be 'clip' or 'wrap', but got 'raise'.")
    if mode not in ("clip", "wrap"):
        fail(ValueError, "choose", "'mode'", "be 'clip' or 'wrap'", describe(mode))
    given = list(choices) if isinstance(choices, (list, tuple)) else [choices[i] for i in range(choices.shape[0])]
    parts = meet(*(c if isinstance(c, TensorBase) else from_array(np.asarray(c)) for c in given))
    shape = rules.broadcast("choose")(input.shape, *(p.shape for p in parts))
    count = len(parts)
    which = input._a.astype(np.int64)
    which = np.clip(which, 0, count - 1) if mode == "clip" else which % count
    key = np.ix_(*(np.arange(n) for n in shape)) if shape else ()
    table = stack([p if p.shape == shape else broadcast_np(p, shape) for p in parts], 0)
    return take_key(table, (np.broadcast_to(which, shape), *key))
