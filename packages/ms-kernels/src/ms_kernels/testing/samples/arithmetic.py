"""Cases of ms_kernels.ops.arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, NUMBER, REAL, Case, Maker

__all__ = ["CASES", "pairs"]


def pairs(m: Maker, make: Any = None) -> list[tuple[Any, ...]]:
    """Equal shapes, broadcasting both ways, 0-d, empty."""
    make = make or m
    return [
        (make(3, 4), make(3, 4)),
        (make(3, 1), make(4)),
        (make(2, 1, 3), make(5, 1)),
        (make(), make()),
        (make(4), make()),
        (make(0, 3), make(1, 3)),
    ]


def _apart(m: Maker) -> list[tuple[Any, ...]]:
    """No two compared elements near each other."""
    values = m.distinct(2, 12)
    return [(values[0].reshape(3, 4), values[1].reshape(3, 4)), (values[0, :3].reshape(3, 1), values[1, :4])]


def _powers(m: Maker) -> list[tuple[Any, ...]]:
    return [
        (m.positive(3, 4), m.positive(3, 4, high=2.0)),
        (m.positive(3, 1), m.positive(4)),
        (m.positive(), m.positive()),
    ]


CASES = {
    "pow": Case(np.power, _powers, REAL),
    "maximum": Case(np.maximum, _apart, REAL),
    "minimum": Case(np.minimum, _apart, REAL),
    "atan2": Case(np.arctan2, lambda m: pairs(m, m.away), FLOAT),
    "add": Case(lambda x, y, alpha=1: x + alpha * y, lambda m: [*pairs(m), (m(3), m(3), 2)], NUMBER),
    "sub": Case(lambda x, y, alpha=1: x - alpha * y, lambda m: [*pairs(m), (m(3), m(3), 2)], NUMBER),
    "mul": Case(np.multiply, pairs, NUMBER),
    "neg": Case(np.negative, lambda m: [(m(3, 4),), (m(),), (m(0, 2),)], NUMBER),
}
