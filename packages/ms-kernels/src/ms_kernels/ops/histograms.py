"""Counts of values, and covariances."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._tape import cast_np
from ms_kernels.ops.linalg import matrix_product
from ms_kernels.ops.reduce import sum_
from ms_kernels.ops.shape import reshape, swapaxes
from ms_kernels.ops.signs import tensor_only

__all__ = ["bincount", "cov", "histc", "histogram_fixed_width"]

COUNT = "a count changes by jumps"
REAL32 = frozenset(np.dtype(kind) for kind in (np.float16, np.float32, np.int32, np.int64, np.float64))


def _bins(bins: Any, low: Any, high: Any) -> tuple[int]:
    if isinstance(bins, bool) or not isinstance(bins, int) or bins <= 0:
        fail(ValueError, "Histogram", "'bins'", "be an int above 0", describe(bins))
    if low > high:
        fail(ValueError, "Histogram", "'min'", f"be at most 'max' {high}", str(low))
    return (bins,)


@op(
    shape=lambda _shape, bins=100, low=0, high=0: _bins(bins, low, high),
    dtype=lambda input, *_rest: input,
    accepts=REAL32,
    nondiff=COUNT,
    ascend="index",
    ops="histc(input, bins=100, min=0.0, max=0.0)",
    mint="histc(input, bins=100, min=0, max=0)",
    tensor="histc(bins=100, min=0, max=0)",
    primitive="Histogram(bins=100, min=0.0, max=0.0)(x)",
    rename={"min": "low", "max": "high"},
)
def histc(input: Array, bins: int = 100, low: float = 0, high: float = 0) -> Any:
    """Return how many elements fall in each of equal parts of [min, max], in the input's dtype; others are left out.

    Args:
        min, max: the range; if both are equal that of the elements is taken.

    Raises:
        ValueError: `bins` is no int above 0, or min is above max.
        TypeError: complex elements.

    Examples:
        >>> print(ops.histc(Tensor([1.0, 2.0, 1.0]), 4, 0.0, 3.0))
        [0. 2. 1. 0.]

    Source: ``mindspore.ops.histc``.
    """
    wide = input.reshape(-1).astype(np.float64)
    first, last = float(low), float(high)
    if first == last and wide.size:
        first, last = float(wide.min()), float(wide.max())
    if first == last:
        first, last = first - 1, last + 1
    return np.histogram(wide, bins, (first, last))[0].astype(input.dtype)


@op(
    shape=lambda _x, _range, nbins, _dtype: (nbins,),
    dtype=lambda *_args: mstype.int32,
    nondiff=COUNT,
    ascend="index",
    primitive="HistogramFixedWidth(nbins, dtype='int32')(x, range)",
    rename={"range": "other", "dtype": "kind"},
)
def histogram_fixed_width(input: Array, other: Array, nbins: int, kind: str = "int32") -> Any:
    """Return how many elements fall in each of `nbins` equal parts of a range; those outside count at its ends.

    Examples:
        >>> print(ops.HistogramFixedWidth(5)(Tensor([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0]), Tensor([0.0, 5.0])))
        [2 1 1 0 2]

    Source: ``mindspore.ops.HistogramFixedWidth``.
    """
    low, high = (float(v) for v in other)
    place = np.floor((input.reshape(-1).astype(np.float64) - low) / (high - low) * nbins)
    return np.bincount(np.clip(place, 0, nbins - 1).astype(np.int64), minlength=nbins).astype(np.int32)


def _counted(input: Any, weights: Any, minlength: Any) -> Any:
    """The counts (or sums of weights) as an array."""
    values = input._a if isinstance(input, TensorBase) else np.asarray(input)
    if values.ndim != 1:
        fail(ValueError, "bincount", "'input'", "have one dimension", f"shape {list(values.shape)}")
    if isinstance(minlength, bool) or not isinstance(minlength, int):
        fail(TypeError, "bincount", "'minlength'", "be an int", describe(minlength))
    if minlength < 0:
        fail(ValueError, "bincount", "'minlength'", "not be negative", str(minlength))
    if values.size and (values < 0).any():
        fail(ValueError, "bincount", "elements of 'input'", "not be negative", str(values.min()))
    share = None
    if weights is not None:
        share = weights._a if isinstance(weights, TensorBase) else np.asarray(weights)
        if share.shape != values.shape:
            got = f"shapes {list(values.shape)} and {list(share.shape)}"
            fail(ValueError, "bincount", "'input' and 'weights'", "have one size", got)
        share = share.astype(np.float64)
    return np.bincount(values.astype(np.int64), share, minlength)


@composite(ops="bincount(input, weights=None, minlength=0)", tensor="bincount(weights=None, minlength=0)")
def bincount(input: Array, weights: Any = None, minlength: int = 0) -> Any:
    """Return how often each number from 0 on occurs, or the sums of the weights that belong to it, as float32.

    Args:
        input: (N) numbers, not negative.
        weights: (N).
        minlength: the least length of the result.

    Raises:
        TypeError: the input is no Tensor.
        ValueError: more than one dimension, negative numbers, weights of another size.

    Examples:
        >>> print(ops.bincount(Tensor([1, 2, 1])))
        [0. 2. 1.]

    Source: ``mindspore.ops.bincount``.
    """
    tensor_only("bincount", "input", input)
    return from_array(_counted(input, weights, minlength).astype(np.float32))


@composite(mint="bincount(input, weights=None, minlength=0)", name="whole_bincount")
def whole_bincount(input: Any, weights: Any = None, minlength: int = 0) -> Any:
    """Return how often each number from 0 on occurs (int64), or the sums of the weights that belong to it.

    Raises:
        ValueError: more than one dimension, negative numbers, weights of another size.

    Examples:
        >>> print(mint.bincount(Tensor([1, 2, 1])))
        [0 2 1]

    Source: ``mindspore.mint.bincount``.
    """
    found = _counted(input, weights, minlength)
    if weights is None:
        return from_array(found.astype(np.int64))
    kind = weights._kind if isinstance(weights, TensorBase) and weights.dtype.kind == "f" else np.float64
    return from_array(found.astype(kind))


def _weights(name: str, given: Any, kind: str, count: int) -> Any:
    tensor_only("cov", name, given)
    if given.ndim != 1 or given.shape[0] != count:
        fail(ValueError, "cov", f"'{name}'", f"have {count} elements", f"shape {list(given.shape)}")
    if given.dtype.kind not in kind:
        fail(
            TypeError,
            "cov",
            f"dtype of '{name}'",
            "be one of integers" if kind == "iu" else "be one of floats",
            str(given.dtype),
        )
    return given


@composite(
    ops="cov(input, *, correction=1, fweights=None, aweights=None)",
    tensor="cov(*, correction=1, fweights=None, aweights=None)",
)
def cov(input: Array, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
    """Return the covariances of variables (rows) over observations (columns).

    Args:
        correction: the divisor is the number of observations less this.
        fweights: how often each observation counts (integers).
        aweights: how much each observation weighs (floats).

    Raises:
        ValueError: more than two dimensions, weights of another size.
        TypeError: weights of another type.

    Examples:
        >>> print(ops.cov(Tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])))
        [[ 1. -1.]
         [-1.  1.]]

    Source: ``mindspore.ops.cov``.
    """
    tensor_only("cov", "input", input)
    if input.ndim > 2:
        fail(ValueError, "cov", "'input'", "have two or fewer dimensions", str(input.ndim))
    x = input if input.dtype.kind in "fc" else cast_np(input, np.dtype(np.float32))
    rows = reshape(x, (1, -1)) if x.ndim < 2 else x
    count = rows.shape[1]
    share = None if fweights is None else cast_np(_weights("fweights", fweights, "iu", count), rows._kind)
    if aweights is not None:
        heavy = cast_np(_weights("aweights", aweights, "f", count), rows._kind)
        share = heavy if share is None else share * heavy
    total: Any = count if share is None else sum_(share)
    center = sum_(rows if share is None else rows * share, 1, True) / total
    norm = total - correction
    if aweights is not None:
        norm = total - sum_(share * heavy) / total * correction
    apart = rows - center
    out = matrix_product(apart if share is None else apart * share, swapaxes(apart, 0, 1)) / norm
    return reshape(out, ()) if x.ndim < 2 else out
