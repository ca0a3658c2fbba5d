"""Numbers about a tensor, as `statistic.csv` and msprobe's dump.json hold them."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ms_dump.config import CATEGORIES

__all__ = ["header", "of", "row"]

Array = NDArray[Any]
_BLOCK = 1 << 14  # elements that are widened at once: they stay in the cache


def _extreme(function: Callable[..., Any]) -> Callable[[Array], Any]:
    """A maximum or minimum that passes over NaN, as it tells nothing of the others."""

    def find(array: Array) -> Any:
        if array.size == 0 or array.dtype.kind == "c":
            return None
        found = function(array)
        if found == found:
            return found
        known = array[~np.isnan(array)]
        return function(known) if known.size else found

    return find


def _norm(array: Array) -> float:
    total = 0.0
    with np.errstate(all="ignore"):
        for start in range(0, array.size, _BLOCK):
            part = array[start : start + _BLOCK]
            wide = (np.abs(part) if part.dtype.kind == "c" else part).astype(np.float64)
            total += float(np.dot(wide, wide))
    return math.sqrt(total) if total >= 0 else total


def _mean(array: Array) -> Any:
    if not array.size:
        return None
    with np.errstate(all="ignore"):
        return array.mean(dtype=np.complex128 if array.dtype.kind == "c" else np.float64)


def _count(test: Callable[[Array], Any]) -> Callable[[Array], int]:
    return lambda array: 0 if array.dtype.kind == "c" else int(np.count_nonzero(test(array)))


_MEASURES: dict[str, Callable[[Array], Any]] = {
    "max": _extreme(np.max),
    "min": _extreme(np.min),
    "avg": _mean,
    "count": lambda array: int(array.size),
    # 2.6's names; it counts the elements below and above zero
    "negative zero count": _count(lambda array: array < 0),
    "positive zero count": _count(lambda array: array > 0),
    "nan count": lambda array: int(np.count_nonzero(np.isnan(array))),
    "negative inf count": _count(np.isneginf),
    "positive inf count": _count(np.isposinf),
    "zero count": lambda array: int(np.count_nonzero(array == 0)),
    "l2norm": _norm,
}


def of(array: Array, names: Iterable[str]) -> dict[str, Any]:
    """The measures of an array in one row, by name; sums are taken in float64, None stands where there is none.

    >>> of(np.float32([-1, 0, 3]), ["max", "avg", "negative zero count", "l2norm"])
    {'max': 3.0, 'avg': 0.6666666666666666, 'negative zero count': 1, 'l2norm': 3.1622776601683795}
    """
    found = {}
    for name in names:
        if name == "md5":
            found[name] = hashlib.md5(np.ascontiguousarray(array).tobytes(), usedforsecurity=False).hexdigest()
            continue
        value = _MEASURES[name](array)
        found[name] = value.item() if isinstance(value, np.generic) else value
    return found


def row(measures: dict[str, Any], whole: bool) -> list[str]:
    """Measures as texts for a line of `statistic.csv`; `whole`: of a tensor of integers."""
    texts = []
    for name, value in measures.items():
        if value is None:
            texts.append("null")
        else:
            texts.append(str(int(value)) if whole and name in ("max", "min") else _text(value))
    return texts


def _text(value: Any) -> str:
    return f"{value:.9g}" if isinstance(value, float) else str(value)


def header(names: Iterable[str]) -> str:
    """The first line of `statistic.csv`."""
    fixed = "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape"
    return ",".join([fixed, *(CATEGORIES[name] for name in names)]) + "\n"
