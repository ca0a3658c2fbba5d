"""Cases of ms_kernels.ops.running."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, REAL, Case, Maker

__all__ = ["CASES"]


def _running(x: Any, dim: int, largest: bool) -> Any:
    rows = np.moveaxis(x, dim, -1)
    values, places = np.empty_like(rows), np.empty(rows.shape, np.int64)
    for index in np.ndindex(rows.shape[:-1]):
        best = 0
        for i in range(rows.shape[-1]):
            new, old = rows[index][i], rows[index][best]
            best = i if (new >= old if largest else new <= old) else best
            values[index][i], places[index][i] = rows[index][best], best
    return np.moveaxis(values, -1, dim), np.moveaxis(places, -1, dim)


def _rows(m: Maker) -> list[tuple[Any, ...]]:
    return [(m.distinct(3, 5), 1), (m.distinct(2, 3, 4), 0), (m.distinct(6), -1)]


def _ties(m: Maker) -> list[tuple[Any, ...]]:
    return [*_rows(m), (np.array([2, 1, 2, 3, 3, 1], m.np), 0)]


def _lse(x: Any, dim: int) -> Any:
    return np.log(np.cumsum(np.exp(x), dim))


def _options(scan: Any, first: float) -> Any:
    def oracle(x: Any, dim: int, exclusive: bool = False, reverse: bool = False) -> Any:
        x = np.flip(x, dim) if reverse else x
        if exclusive:
            x = np.concatenate([np.full_like(np.take(x, [0], dim), first), np.delete(x, -1, dim)], dim)
        out = scan(x, dim)
        return np.flip(out, dim) if reverse else out

    return oracle


def _flags(m: Maker) -> list[tuple[Any, ...]]:
    x = m.away(3, 4)
    return [(x, 1), (x, 0, True), (x, 1, False, True), (x, 1, True, True)]


def _diff(x: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Any:
    extra = {k: v for k, v in (("prepend", prepend), ("append", append)) if v is not None}
    return np.diff(x, n, dim, **extra)


def _trapz(y: Any, x: Any = None, dx: float = 1.0, dim: int = -1) -> Any:
    y = np.moveaxis(y, dim, -1)
    gap = dx if x is None else np.diff(x if x.ndim == 1 else np.moveaxis(x, dim, -1))
    return ((y[..., 1:] + y[..., :-1]) / 2 * gap).sum(-1)


CASES = {
    "cummax_place": Case(lambda x, dim: _running(x, dim, True)[1], _ties, REAL, 0),
    "cummin_place": Case(lambda x, dim: _running(x, dim, False)[1], _ties, REAL, 0),
    "cummax": Case(lambda x, dim: _running(x, dim, True), _rows, REAL, results=1),
    "cummin": Case(lambda x, dim: _running(x, dim, False), _rows, REAL, results=1),
    "logcumsumexp": Case(_lse, lambda m: [(m(3, 4), 1), (m(2, 3, 4), 0), (m(5), 0)], FLOAT),
    "logcumsumexp_by_options": Case(
        _options(_lse, -np.inf), lambda m: [(m(3, 4), 1), (m(3, 4), 0, False, True)], FLOAT
    ),
    "cumsum_by_options": Case(_options(np.cumsum, 0), _flags, REAL),
    "cumprod_by_options": Case(_options(np.cumprod, 1), _flags, ("float32", "float64", "int32", "int64")),
    "diff": Case(
        _diff,
        lambda m: [(m(3, 4),), (m(3, 4), 1, 0), (m(3, 4), 1, -1, m(3, 1), m(3, 2))],
        REAL,
        tolerance={"bfloat16": (3e-2, 3e-2), "float16": (4e-3, 4e-3)},
    ),
    "repeated_diff": Case(
        _diff, lambda m: [(m(3, 4), 2), (m(3, 4), 0), (m(4, 2), 3, 0)], ("float32", "float64", "int32")
    ),
    "trapz": Case(
        _trapz,
        lambda m: [(m(3, 4),), (m(3, 4), m(4)), (m(3, 4), m(3, 4), 1.0, 0), (m(3, 4), None, 0.5, 0)],
        ("float32", "float64"),
    ),
}
