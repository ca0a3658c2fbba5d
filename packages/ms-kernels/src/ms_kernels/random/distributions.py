"""Distributions over the samplers: by inversion where there is a formula, by rejection where there is none.

All work in float64 with 53-bit uniforms and cast once.  A round of rejections takes its words from a region of its
own of the call's stream, so every result is a function of (shape, parameters, seed, offset).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ms_kernels.core.runtime import empty
from ms_kernels.random import philox
from ms_kernels.random.samplers import Array, Shape, cast, unit

if TYPE_CHECKING:
    import numpy.typing as npt  # takes as long to import as this whole package

__all__ = [
    "categorical",
    "cauchy",
    "exponential",
    "gamma",
    "geometric",
    "gumbel",
    "laplace",
    "log_normal",
    "multinomial",
    "poisson",
]

_REGION = 1 << 44  # elements between two regions of a stream
_INVERT_BELOW = 12.0  # rates up to here: counting is faster than trying


def _positive_unit(shape: Shape, seed: int, offset: int) -> Array:
    """Numbers from (0, 1]: what a logarithm can take."""
    return 1.0 - unit(shape, seed, offset)


def _normals(count: int, seed: int, offset: int, region: int) -> Array:
    out = empty((count,), np.float64)
    philox.fill("normal_double", out, seed, offset, region * _REGION, 1.0, 0.0)
    return out


def exponential(shape: Shape, dtype: npt.DTypeLike, seed: int, offset: int, lambd: float | Array = 1.0) -> Array:
    """Return numbers of density lambd * exp(-lambd x).

    Examples:
        >>> bool((exponential((100,), np.float32, 1, 0) >= 0).all())
        True
    """
    return cast(-np.log(_positive_unit(shape, seed, offset)) / lambd, dtype)


def log_normal(
    shape: Shape, dtype: npt.DTypeLike, seed: int, offset: int, mean: float = 1.0, std: float = 2.0
) -> Array:
    """Return exp of normal numbers of this mean and deviation."""
    out = empty(shape, np.float64)
    philox.fill("normal_double", out, seed, offset, 0, std, mean)
    return cast(np.exp(out, out=out), dtype)


def cauchy(
    shape: Shape, dtype: npt.DTypeLike, seed: int, offset: int, median: float = 0.0, sigma: float = 1.0
) -> Array:
    """Return Cauchy numbers: median + sigma * tan(pi (U - 1/2))."""
    return cast(median + sigma * np.tan(np.pi * (unit(shape, seed, offset) - 0.5)), dtype)


def geometric(shape: Shape, dtype: npt.DTypeLike, seed: int, offset: int, p: float | Array) -> Array:
    """Return how many trials of success p it takes to the first success: 1, 2, ..."""
    return cast(np.maximum(np.ceil(np.log(_positive_unit(shape, seed, offset)) / np.log1p(-np.asarray(p))), 1.0), dtype)


def laplace(
    shape: Shape, dtype: npt.DTypeLike, seed: int, offset: int, mean: float | Array = 0.0, scale: float | Array = 1.0
) -> Array:
    """Return Laplace numbers: density exp(-|x - mean| / scale) / (2 scale)."""
    u = unit(shape, seed, offset) - 0.5
    return cast(mean - scale * np.copysign(np.log1p(np.maximum(-2.0 * np.abs(u), -1 + 2.0**-53)), u), dtype)


def gumbel(shape: Shape, dtype: npt.DTypeLike, seed: int, offset: int) -> Array:
    """Return Gumbel numbers: -ln(-ln U)."""
    exponentials = -np.log(_positive_unit(shape, seed, offset))
    return cast(-np.log(np.maximum(exponentials, 2.0**-54)), dtype)


def gamma(
    shape: Shape, dtype: npt.DTypeLike, seed: int, offset: int, alpha: float | Array, beta: float | Array = 1.0
) -> Array:
    """Return Gamma numbers of shape alpha and rate beta (Marsaglia and Tsang, 2000).

    `alpha` and `beta` broadcast to `shape`.

    Examples:
        >>> bool(abs(gamma((20000,), np.float64, 1, 0, 3.0, 2.0).mean() - 1.5) < 0.03)
        True
    """
    a = np.broadcast_to(np.asarray(alpha, np.float64), shape).ravel()
    small = a < 1  # there gamma(a) = gamma(a + 1) * U ** (1 / a)
    d = np.where(small, a + 1, a) - 1 / 3
    c = 1 / np.sqrt(9 * d)
    out = np.empty(a.size)
    left, region = np.arange(a.size), 1
    while left.size:
        x = _normals(left.size, seed, offset, region)
        u = 1.0 - unit((left.size,), seed, offset, (region + 1) * _REGION)
        v = (1 + c[left] * x) ** 3
        with np.errstate(invalid="ignore", divide="ignore"):
            good = (v > 0) & (np.log(u) < 0.5 * x * x + d[left] * (1 - v + np.log(v)))
        out[left[good]] = d[left[good]] * v[good]
        left, region = left[~good], region + 2
    if small.any():
        with np.errstate(divide="ignore"):
            out *= np.where(small, (1.0 - unit((a.size,), seed, offset)) ** (1 / a), 1.0)
    return cast(out.reshape(shape) / beta, dtype)


def poisson(shape: Shape, dtype: npt.DTypeLike, seed: int, offset: int, rate: float | Array) -> Array:
    """Return Poisson counts of mean `rate`, which broadcasts to `shape`.

    Means below 12 by inversion, others by transformed rejection (Hörmann, 1993).

    Examples:
        >>> bool(abs(poisson((20000,), np.int64, 1, 0, 40.0).mean() - 40) < 0.3)
        True
    """
    mean = np.broadcast_to(np.asarray(rate, np.float64), shape).ravel()
    out = np.zeros(mean.size)
    few = np.flatnonzero(mean < _INVERT_BELOW)
    many = np.flatnonzero(mean >= _INVERT_BELOW)
    if few.size:
        out[few] = _poisson_by_inversion(mean[few], unit((few.size,), seed, offset))
    if many.size:
        out[many] = _poisson_by_rejection(mean[many], seed, offset)
    return cast(out.reshape(shape), dtype)


def _poisson_by_inversion(mean: Array, u: Array) -> Array:
    share = np.exp(-mean)
    total, count = share.copy(), np.zeros(mean.size)
    for k in range(1, 100):  # at mean 12 the chance of more is below 1e-50
        more = u >= total
        if not more.any():
            break
        count += more
        share *= mean / k
        total += share
    return count


def _poisson_by_rejection(mean: Array, seed: int, offset: int) -> Array:
    b = 0.931 + 2.53 * np.sqrt(mean)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    out = np.empty(mean.size)
    left, region = np.arange(mean.size), 1
    while left.size:
        u = unit((left.size,), seed, offset, region * _REGION) - 0.5
        v = 1.0 - unit((left.size,), seed, offset, (region + 1) * _REGION)
        us = np.maximum(0.5 - np.abs(u), 2.0**-54)
        k = np.floor((2 * a[left] / us + b[left]) * u + mean[left] + 0.43)
        bound = np.log(v * inverse_alpha[left] / (a[left] / (us * us) + b[left]))
        good = (k >= 0) & (bound <= k * np.log(mean[left]) - mean[left] - _log_factorial(np.maximum(k, 0)))
        out[left[good]] = k[good]
        left, region = left[~good], region + 2
    return out


def _log_factorial(k: Array) -> Array:
    """ln k! by Stirling's series, after pushing small arguments up by ten."""
    x = k + 11
    shift = np.zeros_like(x)
    for i in range(1, 11):
        shift += np.log(k + i)
    series = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * x * x)) / (x * x)) / (x * x)) / x
    result: Array = (x - 0.5) * np.log(x) - x + 0.9189385332046727 + series - shift
    return result


def categorical(logits: Array, count: int, seed: int, offset: int, dtype: npt.DTypeLike = np.int64) -> Array:
    """Return `count` classes for each row of log-probabilities, with replacement; shape (rows, count)."""
    shifted = logits.astype(np.float64) - logits.max(axis=-1, keepdims=True)
    return multinomial(np.exp(shifted), count, True, seed, offset).astype(dtype)


def multinomial(weights: Array, count: int, replacement: bool, seed: int, offset: int) -> Array:
    """Return `count` indices drawn by weight from each row of an array of 1 or 2 dims, int64.

    Without replacement the order is that of drawing one after the other (an exponential race, Efraimidis and Spirakis);
    weights of 0 come last, in order.

    Raises:
        ValueError: a weight is negative or not finite, or a row sums to 0.
    """
    rows = np.atleast_2d(weights).astype(np.float64)
    if not np.isfinite(rows).all() or (rows < 0).any() or not (rows.sum(axis=1) > 0).all():
        raise ValueError("For 'multinomial', the weights must be finite, not negative, and not all 0, but got others.")
    if replacement:
        out = _with_replacement(rows, unit((rows.shape[0], count), seed, offset))
    else:
        with np.errstate(divide="ignore"):
            arrival = np.maximum(-np.log(_positive_unit(rows.shape, seed, offset)), 2.0**-60) / rows
        out = np.argsort(arrival, axis=1, kind="stable")[:, :count]
    return out.reshape((*np.shape(weights)[:-1], count)).astype(np.int64, copy=False)


def _with_replacement(rows: Array, u: Array) -> Array:
    out = np.empty(u.shape, np.int64)
    for i, row in enumerate(rows):
        total = np.cumsum(row)
        last = np.flatnonzero(row)[-1]  # rounding of the sum must not lead past the last class there is
        out[i] = np.minimum(np.searchsorted(total, u[i] * total[-1], side="right"), last)
    return out
