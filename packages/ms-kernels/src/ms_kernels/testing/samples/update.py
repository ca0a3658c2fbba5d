"""Cases of ms_kernels.ops.update."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, Case, Maker
from ms_kernels.testing.samples.scatter_nd import _combine

__all__ = ["CASES"]

SOME = (*FLOAT, "int32", "int64")
NOTE = "it changes its operand, through which no gradient passes"


def _case(oracle: Any, inputs: Any) -> Case:
    return Case(oracle, inputs, SOME, grad=0, views=False, note=NOTE)


def _values(m: Maker) -> list[tuple[Any, ...]]:
    return [(m(2, 3), m(2, 3)), (m(), m()), (m(0, 2), m(0, 2))]


def _rows(m: Maker) -> list[tuple[Any, ...]]:
    return [
        (m.distinct(3, 2), np.array([2, 0]), m.positive(2, 2)),
        (m.distinct(4), np.array([[1, 3]], np.int32), m.positive(1, 2)),
    ]


def _places(m: Maker) -> list[tuple[Any, ...]]:
    return [
        (m.distinct(3, 2), np.array([[2], [0]]), m.positive(2, 2)),
        (m.distinct(3, 4), np.array([[1, 3], [0, 0]], np.int32), m.positive(2)),
    ]


def _by_rows(how: str) -> Any:
    return lambda x, rows, value: _combine(x, (rows,), value, how)


def _by_places(how: str) -> Any:
    return lambda x, rows, value: _combine(x, tuple(np.moveaxis(rows, -1, 0)), value, how)


HOWS = ("update", "add", "sub", "mul", "div", "max", "min")
CASES = {
    "assign": _case(lambda x, v: v, _values),
    "assign_add": _case(np.add, _values),
    "assign_sub": _case(np.subtract, _values),
    "inplace_index_add": _case(
        lambda x, rows, v, dim: np.moveaxis(
            _combine(np.moveaxis(x, dim, 0), (rows,), np.moveaxis(v, dim, 0), "add"), 0, dim
        ),
        lambda m: [(m(3, 2), np.array([0, 0]), m(2, 2), 0), (m(2, 3), np.array([1], np.int32), m(2, 1), 1)],
    ),
    **{f"scatter_{how}_rows": _case(_by_rows(how), _rows) for how in HOWS},
    **{f"scatter_nd_{how}": _case(_by_places(how), _places) for how in HOWS},
}
