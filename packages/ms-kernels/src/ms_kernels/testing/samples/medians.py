"""Cases of ms_kernels.ops.medians."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import REAL, Case, Maker

__all__ = ["CASES"]

PLAIN = ("float32", "float64")


def _median(x: Any, dim: int = -1, keepdim: bool = False, ignore_nan: bool = False) -> Any:
    """The lower median by a full sort; NaN last."""
    order = np.argsort(x, dim, kind="stable")
    at = dim % x.ndim
    size = x.shape[at]
    count = size - np.isnan(x).sum(at, keepdims=True)
    if ignore_nan:
        k = np.maximum(count - 1, 0) // 2
    else:
        k = np.where(count < size, count, (size - 1) // 2)
    places = np.take_along_axis(order, k, at)
    values = np.take_along_axis(x, places, at)
    return (values, places) if keepdim else (values.squeeze(at), places.squeeze(at))


def _rows(m: Maker) -> list[tuple[Any, ...]]:
    return [(m.distinct(3, 5), 1), (m.distinct(2, 3, 4), 0, True), (m.distinct(6), -1)]


def _holes(m: Maker) -> list[tuple[Any, ...]]:
    x = m.distinct(3, 5)
    x[0, 1] = x[1, 0] = x[1, 3] = np.nan
    return [(x, 1), (x, 1, True), (m.distinct(4), 0)]


def _place(x: Any, dim: int, keepdim: bool, ignore: bool) -> Any:
    return _median(x, dim, keepdim, ignore)[1]


def _options(x: Any, overall: bool = False, dim: int = 0, keepdim: bool = False, ignore: bool = False) -> Any:
    return _median(x.reshape(-1), 0, False, ignore) if overall else _median(x, dim, keepdim, ignore)


def _kth(x: Any, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    places = np.take(np.argsort(x, dim, kind="stable"), [k - 1], dim)
    values = np.take_along_axis(x, places, dim)
    return (values, places) if keepdim else (values.squeeze(dim), places.squeeze(dim))


def _quantile(x: Any, q: Any, dim: Any = None, keepdim: bool = False, ignore: bool = False) -> Any:
    return (np.nanquantile if ignore else np.quantile)(x, q, axis=dim, keepdims=keepdim)


def _parts(m: Maker) -> list[tuple[Any, ...]]:
    x = m.distinct(3, 5)
    return [(x, 0.3), (x, 0.5, 1), (x, 0.81, 0, True), (m.distinct(2, 3, 4), 0.25, 1)]


CASES = {
    "median": Case(_median, _rows, REAL, results=1),
    "median_place": Case(
        _place, lambda m: [(*a, *(False,) * (3 - len(a)), i) for a in _holes(m) for i in (False, True)], PLAIN, 0
    ),
    "median_of_all": Case(lambda x: _median(x.reshape(-1), 0)[0], lambda m: [(m.distinct(3, 4),)], REAL),
    "median_by_options": Case(
        _options,
        lambda m: [(m.distinct(3, 4),), (m.distinct(3, 4), True), (m.distinct(3, 4), False, 1, True, True)],
        REAL,
        results=1,
    ),
    "nanmedian": Case(
        lambda x, dim=-1, keepdim=False: _median(x, dim, keepdim, True), lambda m: [_holes(m)[2]], PLAIN, results=1
    ),
    "kth_place": Case(lambda *a: _kth(*a)[1], lambda m: [(m.distinct(3, 4), 2, 1, True)], REAL, 0),
    "kthvalue": Case(_kth, lambda m: [(m.distinct(3, 4), 2), (m.distinct(3, 4), 1, 0, True)], REAL, results=1),
    "quantile": Case(_quantile, _parts, PLAIN),
    "nanquantile": Case(lambda x, q, dim=None, keepdim=False: _quantile(x, q, dim, keepdim, True), _parts, PLAIN),
    "aminmax": Case(
        lambda x, dim=0, keepdim=False: (x.min(dim, keepdims=keepdim), x.max(dim, keepdims=keepdim)),
        lambda m: [(m.distinct(3, 4),), (m.distinct(3, 4), 1, True)],
        REAL,
    ),
    "ptp": Case(
        lambda x, dim=None, keepdim=False: x.max(dim, keepdims=keepdim) - x.min(dim, keepdims=keepdim),
        lambda m: [(m.distinct(3, 4),), (m.distinct(3, 4), 1, True)],
        REAL,
    ),
}
