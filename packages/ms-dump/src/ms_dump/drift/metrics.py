"""Two results of one op compared: msprobe's metrics, a class of error, a histogram."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ms_kernels.targets.ascend import report

__all__ = ["BINS", "CLASSES", "Comparison", "grain", "measure", "worst"]

Array = NDArray[Any]

CLASSES = ("equal", "rounding", "drift", "broken")
"""From the harmless to the worst: all bits equal; within a few units of the type's last place; beyond that; a verdict
"No", or Inf or NaN on one side only."""

BINS = tuple(10.0**power for power in range(-8, 2))  # borders of the histogram of relative errors
_LAST_PLACES = ((2.0**-11, 8.0), (2.0**-24, 32.0), (0.0, 256.0))  # grain -> units of the last place that are rounding


@dataclass
class Comparison:
    """What sets two arrays apart.

    Attributes:
        metrics: msprobe's, by name.
        verdict: "Yes", "No", "None" or "Unmatched", by msprobe's rules.
        kind: an index into `CLASSES`.
        scaled: the largest error in units of the last place of the largest number; inf where one side is not finite.
        differing: elements that are not equal.
        histogram: counts of relative errors: none, below each of `BINS`, above, not finite on one side.
        dtype: the type's name.
    """

    metrics: dict[str, Any]
    verdict: str
    kind: int
    scaled: float
    differing: int
    histogram: list[int]
    dtype: str = ""


def grain(dtype: Any) -> float:
    """The unit of the last place of a floating point type at 1; 0 of other types.

    >>> grain(np.dtype(np.float16))
    0.0009765625
    """
    if dtype.kind in "biuO":
        return 0.0
    return 2.0**-7 if dtype.isbuiltin != 1 else float(np.finfo(dtype).eps)


def measure(npu: Array, bench: Array, coarsest: float = 0.0) -> Comparison:
    """Compare an array with its benchmark.

    Args:
        npu, bench: the arrays.
        coarsest: the largest `grain` of the types that its values have been in before; a float16 that became a
            float32 is not more exact for it.

    >>> found = measure(np.float32([1, 2, 3, 5]), np.float32([1, 2, 3, 4]))
    >>> found.metrics["MaxAbsErr"], found.verdict, CLASSES[found.kind]
    (1.0, 'Yes', 'drift')
    """
    if npu.shape != bench.shape:
        metrics = report.compare(npu, bench)
        return Comparison(metrics, "Unmatched", 3, math.inf, npu.size, [], npu.dtype.name)
    if npu.dtype.kind == "c":  # real and imaginary parts side by side
        npu, bench = (np.stack([x.real, x.imag], -1) for x in (npu, bench))
    same = npu.dtype == bench.dtype and npu.tobytes() == bench.tobytes()
    if same:
        cosine = "unsupported" if npu.size <= 1 or npu.ndim == 0 else 1.0
        metrics = dict(zip(report.METRICS, (cosine, 0.0, 0.0, 0.0, 1.0, 1.0)))
        histogram = [npu.size] + [0] * (len(BINS) + 2)
        return Comparison(metrics, report.verdict(cosine, 0.0), 0, 0.0, 0, histogram, npu.dtype.name)
    with np.errstate(all="ignore"):
        metrics = report.compare(*(_plain(x) for x in (npu, bench)))
        verdict = report.verdict(metrics["Cosine"], metrics["MaxAbsErr"])
        a, b = npu.astype(np.float64), bench.astype(np.float64)
        equal = (a == b) | (np.isnan(a) & np.isnan(b))
        odd = (np.isfinite(a) != np.isfinite(b)) | (~np.isfinite(a) & ~equal)
        error = np.where(equal | odd, 0.0, np.abs(a - b))
        relative = np.where(error > 0, error / np.maximum(np.abs(b), np.finfo(np.float64).tiny), 0.0)
    unit = max(grain(npu.dtype), coarsest)
    scaled = _scaled(unit, float(error.max(initial=0.0)), b)
    if odd.any():
        kind, scaled = 3, math.inf
    elif unit and scaled <= next(places for least, places in _LAST_PLACES if unit >= least):
        kind = 1
    else:  # places and counts follow from numbers that are compared themselves
        kind = 3 if verdict == "No" and unit else 2
    return Comparison(
        metrics,
        verdict,
        kind,
        scaled,
        int(np.count_nonzero(~equal)),
        _histogram(relative, equal, odd),
        npu.dtype.name,
    )


def _plain(array: Array) -> Array:
    """bfloat16 as float32 and truth values as integers: what the metrics can take."""
    if array.dtype.kind == "b":
        return array.astype(np.int8)
    return array if array.dtype.isbuiltin == 1 else array.astype(np.float32)


def _scaled(unit: float, most: float, bench: Array) -> float:
    """The largest error in units of the last place of the largest number; of integers as it is."""
    if not unit:
        return most
    known = np.abs(bench[np.isfinite(bench)])
    largest = float(known.max(initial=0.0))
    return most / (unit * largest) if largest else (math.inf if most else 0.0)


def _histogram(relative: Array, equal: Array, odd: Array) -> list[int]:
    counts = np.zeros(len(BINS) + 3, np.int64)
    counts[0] = np.count_nonzero(equal)
    places = np.searchsorted(BINS, relative[~equal & ~odd], side="right") + 1
    counts[1 : len(BINS) + 2] += np.bincount(places, minlength=len(BINS) + 2)[1 : len(BINS) + 2]
    counts[-1] = np.count_nonzero(odd)
    return [int(count) for count in counts]


def worst(comparisons: list[Comparison]) -> Comparison | None:
    """The comparison of the worst class, and in it of the largest error; None without any."""
    return max(comparisons, key=lambda c: (c.kind, c.scaled), default=None)
