"""Cases of ms_kernels.ops.compare."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import ALL, FLOAT, REAL, Case, Maker
from ms_kernels.testing.samples.arithmetic import pairs

__all__ = ["CASES"]


def _equal_often(m: Maker) -> list[tuple[Any, ...]]:
    return [(np.rint(x).astype(m.np), np.rint(y).astype(m.np)) for x, y in pairs(m)]


def _special(m: Maker) -> list[tuple[Any, ...]]:
    return [(np.array([1.0, np.nan, np.inf, -np.inf, 0.0], m.np),), (m(0, 2),), (m(),)]


def _chosen(m: Maker) -> list[tuple[Any, ...]]:
    return [(m.bools(3, 4), m(3, 4), m(3, 4)), (m.bools(4), m(3, 1), m()), (m.bools(0, 1), m(0, 3), m(3))]


def _where(condition: Any, x: Any, y: Any) -> Any:
    return np.where(condition, x, y)


CASES = {
    "equal": Case(np.equal, _equal_often, REAL, 0),
    "not_equal": Case(np.not_equal, _equal_often, REAL, 0),
    "less": Case(np.less, _equal_often, REAL, 0),
    "less_equal": Case(np.less_equal, _equal_often, REAL, 0),
    "greater": Case(np.greater, _equal_often, REAL, 0),
    "greater_equal": Case(np.greater_equal, _equal_often, REAL, 0),
    "logical_and": Case(np.logical_and, _equal_often, (*REAL, "bool_"), 0),
    "logical_or": Case(np.logical_or, _equal_often, (*REAL, "bool_"), 0),
    "logical_xor": Case(np.logical_xor, _equal_often, (*REAL, "bool_"), 0),
    "logical_not": Case(np.logical_not, lambda m: [(np.rint(m(3, 4)).astype(m.np),)], (*REAL, "bool_"), 0),
    "isnan": Case(np.isnan, _special, FLOAT, 0),
    "isinf": Case(np.isinf, _special, FLOAT, 0),
    "isfinite": Case(np.isfinite, _special, FLOAT, 0),
    "where_typed": Case(_where, _chosen, ALL),
    "where": Case(_where, _chosen, ALL),
}
