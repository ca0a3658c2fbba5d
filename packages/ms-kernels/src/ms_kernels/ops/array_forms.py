"""2.6's lesser primitives on arrays: checks, counts, differences of lists, layouts of data."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import FLOATS, composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._limits import NO_RULE, limits
from ms_kernels.ops._tape import plain
from ms_kernels.ops.arithmetic import mul
from ms_kernels.ops.getitem import take_key
from ms_kernels.ops.sort import sort

__all__: list[str] = []

Shape = tuple[int, ...]
INDEX = "the result is an index"


@op(
    shape=rules.same,
    dtype=rules.same,
    accepts=FLOATS,
    vjp=lambda g, _out, _input: g,
    ascend="copy",
    primitive="CheckNumerics()(x)",
)
def check_numerics(input: Array) -> Any:
    """Return the tensor, if it holds neither NaN nor infinity.

    Raises:
        RuntimeError: it does.

    Examples:
        >>> print(ops.CheckNumerics()(Tensor([1.0, 2.0])))
        [1. 2.]

    Source: ``mindspore.ops.CheckNumerics``.
    """
    if not np.isfinite(input).all():
        got = "NaN" if np.isnan(input).any() else "infinity"
        fail(RuntimeError, "CheckNumerics", "elements", "be finite", got)
    return input.copy()


@op(
    shape=lambda shape, _threshold: _packed(shape),
    dtype=lambda *_dtypes: mstype.uint8,
    nondiff="the result is a set of bits",
    ascend="index",
    primitive="CompareAndBitpack()(x, threshold)",
)
def compare_and_bitpack(input: Array, threshold: Array) -> Any:
    """Return whether elements exceed a threshold, eight along the last dimension in a byte, the first one highest.

    Raises:
        ValueError: a last dimension that is no multiple of 8.

    Examples:
        >>> print(ops.CompareAndBitpack()(Tensor([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0]), Tensor(0.5)))
        [131]

    Source: ``mindspore.ops.CompareAndBitpack``.
    """
    return np.packbits(input > threshold, axis=-1)


def _packed(shape: Shape) -> Shape:
    if not shape or shape[-1] % 8:
        fail(ValueError, "CompareAndBitpack", "last dimension", "be a multiple of 8", str(list(shape)))
    return (*shape[:-1], shape[-1] // 8)


@op(
    shape=lambda x, y: _equal_count_shape(x, y),
    dtype=rules.same,
    nondiff="the result is a count",
    ascend="index",
    primitive="EqualCount()(x, y)",
)
def equal_count(input: Array, other: Array) -> Any:
    """Return how many elements of two tensors of one shape and type are equal, in their type.

    Raises:
        ValueError: shapes that differ.

    Examples:
        >>> print(ops.EqualCount()(Tensor([1, 2, 3]), Tensor([1, 2, 4])))
        [2]

    Source: ``mindspore.ops.EqualCount``.
    """
    return np.array([np.count_nonzero(input == other)], input.dtype)


def _equal_count_shape(x: Shape, y: Shape) -> Shape:
    if x != y:
        fail(ValueError, "EqualCount", "shapes of 'x' and 'y'", "be equal", f"{list(x)} and {list(y)}")
    return (1,)


@composite(primitive="IdentityN()(x)", rename={"x": "tensors"})
def identity_n(tensors: list[Array]) -> Any:
    """Return a tuple with the tensors of a tuple or list.

    Raises:
        TypeError: something else, or one that holds other things than Tensors.

    Examples:
        >>> print(ops.IdentityN()([Tensor([1]), Tensor([2, 3])])[1])
        [2 3]

    Source: ``mindspore.ops.IdentityN``.
    """
    if not isinstance(tensors, (tuple, list)) or not all(isinstance(t, TensorBase) for t in tensors):
        fail(TypeError, "IdentityN", "'x'", "be a tuple or list of Tensors", describe(tensors))
    return tuple(mul(t, 1) if t.dtype.kind != "b" else t.copy() for t in tensors)


@op(
    shape=lambda _x, _y, _index=None: [(-1,), (-1,)],
    dtype=lambda x, _y, index=mstype.int32: (x, index),
    nondiff=INDEX,
    ascend="index",
    primitive="ListDiff(out_idx=int32)(x, y)",
    rename={"out_idx": "index"},
)
def list_diff(input: Array, other: Array, index: Any = mstype.int32) -> Any:
    """Return the elements of a vector that another does not hold, in their order, and their places.

    Raises:
        ValueError: tensors of other dimensions.
        TypeError: an `out_idx` that is neither int32 nor int64.

    Examples:
        >>> for part in ops.ListDiff()(Tensor([1, 2, 3, 4]), Tensor([2, 3])):
        ...     print(part)
        [1 4]
        [0 3]

    Source: ``mindspore.ops.ListDiff``.
    """
    if index not in (mstype.int32, mstype.int64):
        fail(TypeError, "ListDiff", "'out_idx'", "be int32 or int64", describe(index))
    if input.ndim != 1 or other.ndim != 1:
        fail(ValueError, "ListDiff", "'x' and 'y'", "have one dimension", f"{input.ndim} and {other.ndim}")
    places = np.flatnonzero(~np.isin(input, other))
    return input[places], places.astype(index.np)


@composite(primitive="NthElement(reverse=False)(input, n)")
def nth_element(input: Array, n: Any, reverse: bool = False) -> Any:
    """Return the element that is nth, from 0, along the sorted last dimension; with `reverse` from the greatest.

    Raises:
        ValueError: n out of range, or a tensor without dimensions.

    Examples:
        >>> print(ops.NthElement()(Tensor([[3, 1, 2], [6, 5, 4]]), 1))
        [2 5]

    Source: ``mindspore.ops.NthElement``.
    """
    place = int(n)
    if not input.ndim or not 0 <= place < input.shape[-1]:
        fail(ValueError, "NthElement", "'n'", f"be in [0, {input.shape[-1] if input.ndim else 0})", str(place))
    return take_key(sort(input, -1, reverse)[0], (Ellipsis, place))


@op(
    shape=lambda _sequence, scores, _size=1: scores,
    dtype=lambda _sequence, scores, _size=1: scores,
    nondiff=NO_RULE,
    ascend="copy",
    primitive="NoRepeatNGram(ngram_size=1)(state_seq, log_probs)",
    label="NoRepeatNGram",
)
def no_repeat_ngram(state_seq: Array, log_probs: Array, ngram_size: int = 1) -> Any:
    """Return scores of next words with the least number for those that would repeat a run of `ngram_size` words.

    Args:
        state_seq: the words so far, (batch, beams, length).
        log_probs: (batch, beams, words).

    Raises:
        ValueError: shapes that do not fit, a size out of range.

    Examples:
        >>> words, scores = Tensor([[[1, 2, 1]]], mstype.int32), Tensor(np.zeros((1, 1, 3)), mstype.float32)
        >>> print(ops.NoRepeatNGram(2)(words, scores)[0, 0, :2])
        [0. 0.]

    Source: ``mindspore.ops.NoRepeatNGram``.
    """
    length = state_seq.shape[-1]
    if state_seq.ndim != 3 or log_probs.shape[:2] != state_seq.shape[:2]:
        got = f"{list(state_seq.shape)} and {list(log_probs.shape)}"
        fail(ValueError, "NoRepeatNGram", "shapes", "be (batch, beams, length) and (batch, beams, words)", got)
    if not 0 < ngram_size <= length:
        fail(ValueError, "NoRepeatNGram", "'ngram_size'", f"be in (0, {length}]", str(ngram_size))
    out, before = log_probs.copy(), ngram_size - 1
    for at in np.ndindex(*state_seq.shape[:2]):
        words = state_seq[at]
        last = words[length - before :]
        for i in range(length - before):
            if i + before < length and (words[i : i + before] == last).all():
                place = (*at, words[i + before])
                out[place] = limits(out.dtype)[0]
    return out


def _orders(name: str, source: str, target: str) -> list[int]:
    for text in (source, target):
        if sorted(text) != sorted("NHWC"):
            fail(ValueError, name, "formats", "be 'NHWC' or 'NCHW'", repr(text))
    return [source.index(c) for c in target]


@op(
    shape=rules.same,
    dtype=rules.same,
    nondiff=INDEX,
    ascend="index",
    batch="elementwise",
    primitive="DataFormatDimMap(src_format='NHWC', dst_format='NCHW')(input_x)",
)
def data_format_dim_map(input: Array, src_format: str = "NHWC", dst_format: str = "NCHW") -> Any:
    """Return, for numbers of dimensions of the second format, what they are in the first.

    Raises:
        ValueError: another format, or numbers outside of [-4, 4).

    Examples:
        >>> print(ops.DataFormatDimMap()(Tensor([0, 1, 2, 3], mstype.int32)))
        [0 3 1 2]

    Source: ``mindspore.ops.DataFormatDimMap``.
    """
    order = np.array(_orders("DataFormatDimMap", src_format, dst_format), input.dtype)
    if input.size and not (input.min() >= -4 and input.max() < 4):
        fail(ValueError, "DataFormatDimMap", "elements", "be in [-4, 4)", f"{input.min()} to {input.max()}")
    return order[input]


@composite(primitive="DataFormatVecPermute(src_format='NHWC', dst_format='NCHW')(input_x)")
def data_format_vec_permute(input: Array, src_format: str = "NHWC", dst_format: str = "NCHW") -> Any:
    """Return the four numbers (or pairs of them) that belong to the dimensions of one format in the order of another.

    Raises:
        ValueError: another format, or a shape that is neither (4,) nor (4, 2).

    Examples:
        >>> print(ops.DataFormatVecPermute()(Tensor([1, 2, 3, 4])))
        [1 4 2 3]

    Source: ``mindspore.ops.DataFormatVecPermute``.
    """
    if input.shape not in ((4,), (4, 2)):
        fail(ValueError, "DataFormatVecPermute", "shape", "be (4,) or (4, 2)", str(list(input.shape)))
    return take_key(input, (np.array(_orders("DataFormatVecPermute", src_format, dst_format)),))


@composite(primitive="ScatterAddWithAxis(axis=0)(input_x, indices, updates)", rename={"axis": "dim"})
def scatter_add_with_axis(input: Array, indices: Array, updates: Array, dim: int = 0) -> Any:
    """Return `input_x` with each update added where its index says along an axis, at its own place along the others.

    Raises:
        ValueError: shapes that do not fit.
        IndexError: an index out of range.

    Examples:
        >>> x, at = Tensor([[1.0, 2.0]]), Tensor([[1, 1]])
        >>> print(ops.ScatterAddWithAxis(1)(x, at, Tensor([[3.0, 4.0]])))
        [[1. 9.]]

    Source: ``mindspore.ops.ScatterAddWithAxis``.
    """
    from ms_kernels.ops.index import scatter_add

    return scatter_add(input, dim, indices, updates)


@op(
    shape=lambda *_args: [(-1,), (-1,)],
    dtype=lambda input, _most, _offset: (input, input),
    nondiff=INDEX,
    ascend="index",
    primitive="SubAndFilter()(input_x, max_num, offset)",
)
def sub_and_filter(input: Array, max_num: Any, offset: Any) -> Any:
    """Subtract a number from a vector; return the results in [0, max_num), and the places where they were.

    Examples:
        >>> found, at = ops.SubAndFilter()(Tensor([7, 2, 9, 4]), Tensor(5), Tensor(2))
        >>> print(found, at)
        [0 2] [1 3]

    Source: ``mindspore.ops.SubAndFilter``.
    """
    moved = input - int(plain(offset))
    places = np.flatnonzero((moved >= 0) & (moved < int(plain(max_num))))
    return moved[places].astype(input.dtype), places.astype(input.dtype)
