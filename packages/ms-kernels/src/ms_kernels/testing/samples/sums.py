"""Cases of ms_kernels.ops.sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, INT, REAL, Case, Maker

__all__ = ["CASES"]


def _axes(dim: Any) -> Any:
    return tuple(dim) if isinstance(dim, (tuple, list)) and dim else None if dim in (None, ()) else dim


def _over(m: Maker) -> list[tuple[Any, ...]]:
    return [(m(3, 4),), (m(2, 3, 4), 1), (m(2, 3, 4), (0, -1), True)]


def _lists(m: Maker) -> list[tuple[Any, ...]]:
    return [([m(3, 4), m(3, 4)],), ([m(2)],), ([m(2, 2), m(2, 2), m(2, 2)],)]


def _count(x: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    return (x != 0).sum(axis=_axes(dim), keepdims=keepdim)


def _nan(function: Any) -> Any:
    return lambda x, dim=None, keepdim=False, dtype=None: function(x, axis=_axes(dim), keepdims=keepdim)


def _spread(function: Any) -> Any:
    def oracle(x: Any, dim: Any = None, correction: int = 1, keepdim: bool = False) -> Any:
        return function(x, axis=_axes(dim), ddof=correction, keepdims=keepdim), np.mean(x, _axes(dim), keepdims=keepdim)

    return oracle


def _rows(m: Maker) -> list[tuple[Any, ...]]:
    return [(m(3, 4),), (m(2, 3, 4), 1, 0), (m(2, 3, 4), (0, -1), 1, True)]


def _bits(x: Any) -> Any:
    return np.array([[int(v).bit_count() for v in row] for row in x])


WIDE = {"bfloat16": (3e-2, 0.3), "float16": (4e-3, 0.05)}
CASES = {
    "addn": Case(lambda ts: sum(ts[1:], ts[0]), _lists, ("float32", "float64", "int32")),
    "gcd": Case(np.gcd, lambda m: [(m(3, 4) * 2, m(3, 4)), (m(3, 4), m(4))], INT, 0),
    "lcm": Case(np.lcm, lambda m: [(m(3, 4) * 2, m(3, 4)), (m(3, 4), m(4))], INT, 0),
    "population_count": Case(_bits, lambda m: [(np.abs(m(3, 4)),)], INT, 0),
    "approximate_equal": Case(
        lambda x, y, t=1e-5: np.abs(x - y) < t, lambda m: [(m(3, 4), m(3, 4), 1.5)], ("float32", "float64"), 0
    ),
    "squared_difference": Case(
        lambda x, y: (x - y) ** 2, lambda m: [(m(3, 4), m(3, 4)), (m(3, 1), m(4))], FLOAT, tolerance=WIDE
    ),
    "square_sum_all": Case(
        lambda x, y: ((x * x).sum(), (y * y).sum()), lambda m: [(m(3, 4), m(3, 4))], FLOAT, tolerance=WIDE
    ),
    "count_nonzero": Case(_count, _over, (*REAL, "bool_"), 0),
    "nansum": Case(_nan(np.nansum), _over, FLOAT, tolerance=WIDE),
    "nanmean": Case(_nan(np.nanmean), _over, FLOAT, tolerance=WIDE),
    "var_mean": Case(_spread(np.var), _rows, FLOAT),
    "std_mean": Case(_spread(np.std), _rows, FLOAT),
    "std_by_options": Case(
        lambda x, dim=(), unbiased=True, keepdim=False: _spread(np.std)(x, dim, int(unbiased), keepdim),
        lambda m: [(m(3, 4),), (m(3, 4), (1,), False, True)],
        FLOAT,
    ),
}
