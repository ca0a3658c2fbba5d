"""Order statistics: median, quantiles, the k-th smallest element, running extrema, and extrema with their places."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import REALS, composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops.compare import where
from ms_kernels.ops.extremes import amax, amin
from ms_kernels.ops.index import gather
from ms_kernels.ops.shape import moveaxis, reshape, unsqueeze

__all__ = ["aminmax", "kthvalue", "median", "nanmedian", "nanquantile", "ptp", "quantile"]

Shape = tuple[int, ...]
PLACE = "the result is an index"


def _comparable(array: Any) -> Any:
    """An array that NumPy can sort: bfloat16 widened (exact)."""
    return array.astype(np.float32) if array.dtype.name == "bfloat16" else array


def _reduced(name: str, shape: Shape, dim: int, keepdim: bool) -> Shape:
    return rules.reduced(name)(shape, rules.axis(name, dim, len(shape)), keepdim)


def _kth_place(input: Any, dim: int, count: Any) -> Any:
    """The place of the count-th smallest (from 0) element along a dimension; NaN is the largest."""
    order = np.argsort(_comparable(input), dim, kind="stable")
    return np.take_along_axis(
        order, np.broadcast_to(count, [1 if i == dim else n for i, n in enumerate(input.shape)]), dim
    )


@op(
    shape=lambda shape, dim, keepdim, _ignore: _reduced("Median", shape, dim, keepdim),
    dtype=rules.int64,
    nondiff=PLACE,
    ascend="index",
    batch="axis",
    primitive="MedianPlace()(x, axis, keep_dims, ignore_nan)",
    label="Median",
)
def median_place(input: Array, dim: int, keepdim: bool, ignore_nan: bool) -> Any:
    """Return where the median along a dimension is: of an even number the lower of the two in the middle.

    Examples:
        >>> print(ops.MedianPlace()(Tensor([3.0, 1.0, 2.0]), 0, False, False))
        2

    Source: order statistics as in ``mindspore.ops.median``.
    """
    if not input.ndim:
        return np.zeros((), np.int64)
    at = rules.axis("Median", dim, input.ndim)
    wide = _comparable(input)
    size = input.shape[at]
    count: Any = (size - 1) // 2
    if wide.dtype.kind == "f":
        lost = np.isnan(wide).sum(at, keepdims=True)
        if ignore_nan:
            count = np.maximum(size - lost - 1, 0) // 2
        else:  # a NaN makes the median NaN: the first of those sorted to the end
            count = np.where(lost > 0, size - lost, count)
    places = _kth_place(input, at, count)
    return places if keepdim else places.squeeze(at)


def _picked(input: Any, dim: int, places: Any, keepdim: bool) -> Any:
    """The elements at the places along a dimension that a reduction found, with their gradient."""
    if not input.ndim:
        return input * 1
    if keepdim:
        return gather(input, dim, places)
    return reshape(gather(input, dim, unsqueeze(places, dim)), places.shape)


@composite(
    ops="median(input, axis=-1, keepdims=False)",
    mint="median(input, dim: int, keepdim=False)",
    tensor=["median(axis: int=-1, keepdims=False)", "median(dim: int, keepdim=False)"],
    label="Median",
)
def median(input: Array, dim: int = -1, keepdim: bool = False) -> Any:
    """Return the median along a dimension and its place; of an even number of elements the lower one in the middle.

    A NaN among them makes the median NaN.

    Raises:
        ValueError: the axis is out of range.

    Examples:
        >>> values, places = ops.median(Tensor([[3.0, 1.0, 2.0]]))
        >>> print(values, places)
        [2.] [2]

    Source: ``mindspore.ops.median``.
    """
    _real_numbers("Median", input)
    places = median_place(input, dim, keepdim, False)
    return _picked(input, dim, places, keepdim), places


@composite(mint="median(input)", name="median_of_all", label="Median")
def median_of_all(input: Array) -> Any:
    """Return the median of all elements: of an even number the lower one in the middle.

    Examples:
        >>> print(mint.median(Tensor([[4.0, 1.0], [2.0, 3.0]])))
        2.0

    Source: ``mindspore.mint.median``.
    """
    return median(reshape(input, (-1,)), 0)[0]


@composite(
    primitive="Median(global_median=False, axis=0, keep_dims=False, ignore_nan=False)(x)",
    name="median_by_options",
    rename={"global_median": "overall"},
)
def median_by_options(
    input: Array, overall: bool = False, dim: int = 0, keepdim: bool = False, ignore_nan: bool = False
) -> Any:
    """Return the median and its place, along a dimension or of all elements.

    Examples:
        >>> print(ops.Median(axis=0)(Tensor([3.0, 1.0, 2.0]))[0])
        2.0

    Source: ``mindspore.ops.Median``.
    """
    flat = reshape(input, (-1,)) if overall else input
    at = 0 if overall else dim
    places = median_place(flat, at, keepdim and not overall, ignore_nan)
    return _picked(flat, at, places, keepdim and not overall), places


@composite(ops="nanmedian(input, axis=-1, keepdims=False)", tensor="nanmedian(axis=-1, keepdims=False)", label="Median")
def nanmedian(input: Array, dim: int = -1, keepdim: bool = False) -> Any:
    """Return the median along a dimension and its place, leaving NaN out of account.

    Examples:
        >>> print(ops.nanmedian(Tensor([3.0, float("nan"), 2.0]))[0])
        2.0

    Source: ``mindspore.ops.nanmedian``.
    """
    _real_numbers("Median", input)
    places = median_place(input, dim, keepdim, True)
    return _picked(input, dim, places, keepdim), places


def _real_numbers(name: str, input: Any) -> None:
    if not isinstance(input, TensorBase):
        fail(TypeError, name, "'input'", "be a Tensor", describe(input))
    if input._kind not in REALS:
        fail(TypeError, name, "dtype of 'input'", "be one of real numbers", str(input.dtype))


@op(
    shape=lambda shape, k, dim, keepdim: _kth_shape(shape, k, dim, keepdim),
    dtype=rules.int64,
    nondiff=PLACE,
    ascend="index",
    batch="axis",
    primitive="KthPlace()(x, k, axis, keep_dims)",
    label="kthvalue",
)
def kth_place(input: Array, k: int, dim: int, keepdim: bool) -> Any:
    """Return where the k-th smallest element (from 1) along a dimension is.

    Examples:
        >>> print(ops.KthPlace()(Tensor([3.0, 1.0, 2.0]), 1, 0, False))
        1

    Source: order statistics as in ``mindspore.mint.kthvalue``.
    """
    if not input.ndim:
        return np.zeros((), np.int64)
    at = rules.axis("kthvalue", dim, input.ndim)
    places = _kth_place(input, at, k - 1)
    return places if keepdim else places.squeeze(at)


def _kth_shape(shape: Shape, k: int, dim: int, keepdim: bool) -> Shape:
    at = rules.axis("kthvalue", dim, len(shape))
    if isinstance(k, bool) or not isinstance(k, int):
        fail(TypeError, "kthvalue", "'k'", "be an int", describe(k))
    size = shape[at] if shape else 1
    if not 1 <= k <= size:
        fail(ValueError, "kthvalue", "'k'", f"be in [1, {size}]", str(k))
    return _reduced("kthvalue", shape, dim, keepdim)


@composite(mint="kthvalue(input, k, dim=-1, keepdim=False)", tensor="kthvalue(k, dim=-1, keepdim=False)")
def kthvalue(input: Array, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """Return the k-th smallest element (from 1) along a dimension, and its place.

    Raises:
        ValueError: `k` is not within the dimension.

    Examples:
        >>> print(*mint.kthvalue(Tensor([3.0, 1.0, 2.0]), 2))
        2.0 2

    Source: ``mindspore.mint.kthvalue``.
    """
    places = kth_place(input, k, dim, keepdim)
    return _picked(input, dim, places, keepdim), places


def _checked_q(q: Any) -> Any:
    """The quantiles as float64, all in [0, 1]; a plain number is one quantile without a dimension."""
    values = q._a.astype(np.float64) if isinstance(q, TensorBase) else q
    if not isinstance(values, (int, float, np.ndarray)) or isinstance(values, bool):
        fail(TypeError, "Quantile", "'q'", "be a float or a Tensor", describe(q))
    array = np.asarray(values, np.float64)
    if array.ndim > 1:
        fail(ValueError, "Quantile", "'q'", "have at most one dimension", f"shape {list(array.shape)}")
    if not ((array >= 0) & (array <= 1)).all():
        fail(ValueError, "Quantile", "'q'", "be in [0, 1]", describe(q))
    return array


def _quantiles(input: Any, q: Any, dim: Any, keepdim: bool, ignore_nan: bool) -> Any:
    from ms_kernels.core.tensor import from_array
    from ms_kernels.ops.sort import sort

    if not isinstance(input, TensorBase) or input.dtype not in (mstype.float32, mstype.float64):
        got = str(input.dtype) if isinstance(input, TensorBase) else describe(input)
        fail(TypeError, "Quantile", "'input'", "be a Tensor of float32 or float64", got)
    wanted = _checked_q(q)
    flat, at = (reshape(input, (-1,)), 0) if dim is None else (input, rules.axis("Quantile", dim, input.ndim))
    rows = sort(moveaxis(flat, at, -1) if flat.ndim > 1 else flat)[0]
    size = rows.shape[-1]
    if not size:
        fail(ValueError, "Quantile", "'input'", "not be empty along 'axis'", f"shape {list(input.shape)}")
    lost = np.isnan(rows._a).sum(-1)
    out = []
    for item in wanted.reshape(-1):
        rank = np.asarray(item * np.maximum(size - 1 - (lost if ignore_nan else 0), 0))
        below = np.broadcast_to(np.floor(rank), rows.shape[:-1]).astype(np.int64)
        above = np.broadcast_to(np.ceil(rank), rows.shape[:-1]).astype(np.int64)
        share = from_array(np.asarray(np.broadcast_to(rank, rows.shape[:-1]) - below).astype(rows._kind))
        low = reshape(gather(rows, -1, from_array(below[..., None])), rows.shape[:-1])
        high = reshape(gather(rows, -1, from_array(above[..., None])), rows.shape[:-1])
        value = low + (high - low) * share
        if not ignore_nan and lost.any():
            value = where(from_array(np.asarray(lost > 0)), float("nan"), value)
        out.append(_kept(value, input.shape, None if dim is None else at) if keepdim else value)
    from ms_kernels.ops.rearrange import stack

    return out[0] if not wanted.ndim else stack(out, 0)


def _kept(value: Any, shape: Shape, dim: int | None) -> Any:
    return reshape(value, tuple(1 if dim is None or i == dim else n for i, n in enumerate(shape)))


@composite(
    ops="quantile(input, q, axis=None, keepdims=False)",
    tensor="quantile(q, axis=None, keepdims=False)",
    primitive="Quantile(dim=None, keep_dims=False, ignore_nan=False)(input, q)",
)
def quantile(input: Array, q: Any, dim: Any = None, keepdim: bool = False, ignore_nan: bool = False) -> Any:
    """Return quantiles along a dimension (by default of all elements), linear between the two nearest elements.

    Args:
        q: a number in [0, 1], or a tensor of them: then the quantiles come first in the result's shape.

    Raises:
        TypeError: the input is not float32 or float64.
        ValueError: a quantile outside [0, 1].

    Examples:
        >>> print(ops.quantile(Tensor([1.0, 2.0, 4.0]), 0.75))
        3.0

    Source: ``mindspore.ops.quantile``.
    """
    return _quantiles(input, q, dim, keepdim, ignore_nan)


@composite(
    ops="nanquantile(input, q, axis=None, keepdims=False)",
    tensor="nanquantile(q, axis=None, keepdims=False)",
    label="Quantile",
)
def nanquantile(input: Array, q: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Return quantiles as `quantile` does, leaving NaN out of account.

    Examples:
        >>> print(ops.nanquantile(Tensor([1.0, float("nan"), 3.0]), 0.5))
        2.0

    Source: ``mindspore.ops.nanquantile``.
    """
    return _quantiles(input, q, dim, keepdim, True)


@composite(ops="aminmax(input, *, axis=0, keepdims=False)", tensor="aminmax(*, axis=0, keepdims=False)")
def aminmax(input: Array, dim: int = 0, keepdim: bool = False) -> Any:
    """Return the smallest and the largest element along a dimension.

    Examples:
        >>> print(*ops.aminmax(Tensor([[1.0, 4.0], [3.0, 2.0]])))
        [1. 2.] [3. 4.]

    Source: ``mindspore.ops.aminmax``.
    """
    return amin(input, dim, keepdim), amax(input, dim, keepdim)


@composite(tensor="ptp(axis=None, keepdims=False)")
def ptp(input: Array, dim: Any = None, keepdim: bool = False) -> Any:
    """Return the largest minus the smallest element over some dimensions (all by default).

    Examples:
        >>> print(Tensor([1.0, 4.0, 2.0]).ptp())
        3.0

    Source: ``mindspore.Tensor.ptp``.
    """
    return amax(input, dim, keepdim) - amin(input, dim, keepdim)
