"""The samplers that random operators are made of: new arrays as functions of (shape, dtype, seed, offset).

Group g of four words has the counter (g, offset) and the key seed, low halves first; element n of a sampler that
takes one word an element uses word n, normal numbers take the words in pairs.  U(word) is the float of its low 23
bits, in [0, 1). The CPU and the Ascend target draw the same numbers.  Distributions that have to try again are in
`distributions`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ms_kernels.core.runtime import empty
from ms_kernels.random import philox

if TYPE_CHECKING:
    import numpy.typing as npt  # takes as long to import as this whole package

__all__ = [
    "bernoulli",
    "cast",
    "dropout",
    "dropout_mask",
    "integers",
    "normal",
    "permutation",
    "random_integers",
    "truncated_normal",
    "uniform",
    "unit",
    "words",
]

Array = np.ndarray[Any, np.dtype[Any]]
Shape = tuple[int, ...]
_PADDED_BITS = 128


def words(shape: Shape, seed: int, offset: int, first: int = 0) -> Array:
    """Return raw words, uint32."""
    out = empty(shape, np.uint32)
    philox.fill("words", out, seed, offset, first)
    return out


def unit(shape: Shape, seed: int, offset: int, first: int = 0) -> Array:
    """Return float64 numbers in [0, 1) with 53 random bits, two words each."""
    out = empty(shape, np.float64)
    philox.fill("unit64", out, seed, offset, first, 1.0)
    return out


def cast(values: Array, dtype: npt.DTypeLike) -> Array:
    """Return float values in a type, rounded to nearest, or toward zero for integers."""
    with np.errstate(over="ignore", invalid="ignore"):
        return values.astype(dtype, copy=False)


def _truncate(values: Array, dtype: np.dtype[Any]) -> Array:
    """Round float32 values toward zero to a 16-bit type."""
    if dtype == np.float16:
        short = cast(values, dtype)
        beyond = np.abs(short.astype(np.float32)) > np.abs(values)
        return np.where(beyond, np.nextafter(short, np.float16(0)), short)
    return (values.view(np.uint32) >> 16).astype(np.uint16).view(dtype)  # bfloat16: the upper half


def uniform(shape: Shape, dtype: npt.DTypeLike, seed: int, offset: int, low: float = 0.0, high: float = 1.0) -> Array:
    """Return numbers from [low, high): U * (high - low) + low in float; 16-bit types get its upper bits.

    float64 takes two words an element and has 53 bits.

    Examples:
        >>> uniform((3,), np.float32, 42, 0)
        array([0.8354591 , 0.9162973 , 0.49464953], dtype=float32)
    """
    kind = np.dtype(dtype)
    if kind == np.float64:
        return _filled("unit64", shape, kind, seed, offset, high - low, low)
    a = np.float32(low)
    values = _filled("unit32", shape, np.dtype(np.float32), seed, offset, float(np.float32(high) - a), float(a))
    if kind == np.float32:
        return values
    return _truncate(values, kind) if kind.itemsize == 2 and kind.kind not in "iu" else cast(values, kind)


def normal(shape: Shape, dtype: npt.DTypeLike, seed: int, offset: int, mean: float = 0.0, std: float = 1.0) -> Array:
    """Return normal numbers: sin(a) r and cos(a) r of r = sqrt(-2 ln U), a = 2 pi U, times std, plus mean, in float.

    float64 takes four words for two elements.

    Examples:
        >>> normal((2,), np.float64, 42, 0).dtype
        dtype('float64')
    """
    kind = np.dtype(dtype)
    if kind == np.float64:
        return _filled("normal_double", shape, kind, seed, offset, std, mean)
    return cast(_filled("normal32", shape, np.dtype(np.float32), seed, offset, std, mean), kind)


def integers(shape: Shape, dtype: npt.DTypeLike, seed: int, offset: int, low: int, high: int) -> Array:
    """Return integers from [low, high): low + word mod (high - low), with two words where that is above 2**32.

    Raises:
        ValueError: `high` is not above `low`, or the limits are no int64.

    Examples:
        >>> integers((4,), np.int32, 42, 0, 0, 10)
        array([3, 1, 7, 7], dtype=int32)
    """
    span = high - low
    if span <= 0 or low < -(1 << 63) or high > 1 << 63:
        raise ValueError(f"For 'randint', the 'high' must be above 'low' and both int64, but got {low} and {high}.")
    kind = "int32" if span <= 1 << 32 else "int64"
    out = empty(shape, np.int64)
    philox.fill(kind, out, seed, offset, 0, 0.0, 0.0, low, span & ((1 << 64) - 1))
    return cast(out, dtype)


def random_integers(
    shape: Shape, dtype: npt.DTypeLike, seed: int, offset: int, low: int = 0, high: int | None = None
) -> Array:
    """Return integers from [low, high); without `high` as many as the type holds exactly (``Tensor.random_``)."""
    kind = np.dtype(dtype)
    if high is None:
        if kind.kind in "iu":
            high = min(int(np.iinfo(kind).max), (1 << 63) - 1) + 1
        elif kind.kind == "b":
            high = 2
        else:
            high = (1 << {2: 11, 4: 24, 8: 53}[kind.itemsize]) + 1 if kind.kind == "f" else (1 << 8) + 1
    return integers(shape, dtype, seed, offset, low, high)


def bernoulli(shape: Shape, dtype: npt.DTypeLike, seed: int, offset: int, p: float | Array) -> Array:
    """Return 1 where U < p, else 0; p is a number or an array that broadcasts to `shape`.

    Examples:
        >>> bernoulli((4,), np.bool_, 42, 0, 0.9)
        array([ True, False,  True,  True])
    """
    if isinstance(p, np.ndarray) and p.ndim:
        return np.less(_filled("unit32", shape, np.dtype(np.float32), seed, offset, 1.0, 0.0), p).astype(dtype)
    kind = np.dtype(dtype)
    if kind == np.float32:
        return _filled("less32", shape, kind, seed, offset, float(p), 0.0)
    return _filled("less", shape, np.dtype(np.bool_), seed, offset, float(p), 0.0).astype(kind, copy=False)


def dropout_mask(count: int, seed: int, offset: int, p: float) -> Array:
    """Return one bit an element, 1 (keep) where U >= p: uint8, the low bit first, padded to whole groups of 16 bytes.

    Examples:
        >>> [hex(byte) for byte in dropout_mask(100, 42, 12, 0.5)[:4]]
        ['0x9', '0x3c', '0xc6', '0x80']
    """
    size = -(-count // _PADDED_BITS) * (_PADDED_BITS // 8)
    return _filled("mask", (size,), np.dtype(np.uint8), seed, offset, p, 0.0)


def dropout(x: Array, p: float, seed: int, offset: int) -> tuple[Array, Array]:
    """Return (y, keep): keep = U >= p as bool, y = x / (1 - p) where kept, else 0.

    The steps are taken in x's type, in float32 for bfloat16: keep = 1 - p, r = 1 / keep, x * r.
    """
    work = x.dtype if x.dtype.kind == "f" else np.dtype(np.float32)
    share = work.type(1) - work.type(p)
    scale = work.type(1) / share if share else work.type(0)
    if x.dtype == np.float32:
        return philox.dropout(np.ascontiguousarray(x), p, float(scale), seed, offset)
    keep = ~_filled("less", x.shape, np.dtype(np.bool_), seed, offset, p, 0.0)
    return np.where(keep, x.astype(work, copy=False) * scale, work.type(0)).astype(x.dtype, copy=False), keep


def permutation(n: int, seed: int, offset: int, dtype: npt.DTypeLike = np.int64) -> Array:
    """Return 0 .. n-1 in random order, each order as likely as another.

    Examples:
        >>> sorted(permutation(4, 1, 0).tolist())
        [0, 1, 2, 3]
    """
    return philox.permutation(n, seed, offset).astype(dtype, copy=False)


def truncated_normal(
    shape: Shape, dtype: npt.DTypeLike, seed: int, offset: int, mean: float = 0.0, std: float = 1.0, bound: float = 2.0
) -> Array:
    """Return normal numbers within `bound` deviations of the mean, by inversion."""
    out = empty(shape, np.float32)
    if not math.isfinite(std) or std <= 0:
        raise ValueError(f"For 'truncated_normal', the 'std' must be above 0, but got {std}.")
    philox.fill_truncated(out, seed, offset, 0, mean - bound * std, mean + bound * std, mean, std)
    return cast(out, dtype)


def _filled(kind: str, shape: Shape, dtype: np.dtype[Any], seed: int, offset: int, p0: float, p1: float) -> Array:
    out = empty(shape, dtype)
    philox.fill(kind, out, seed, offset, 0, p0, p1)
    return out
