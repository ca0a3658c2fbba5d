"""Cases of ms_kernels.ops.division."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, REAL, Case, Maker
from ms_kernels.testing.samples.arithmetic import pairs

__all__ = ["CASES"]


def _safe(m: Maker) -> list[tuple[Any, ...]]:
    """Divisors away from 0, quotients away from integers."""
    found = [(m(3, 4), m.away(3, 4)), (m(3, 1), m.away(4)), (m(), m.away()), (m(0, 3), m.away(1, 3))]
    return [(x, y) for x, y in found if np.all(np.abs(np.rint(q := _ratio(x, y)) - q) > 0.01) or m.dtype not in FLOAT]


def _ratio(x: Any, y: Any) -> Any:
    return np.asarray(x, np.float64) / np.asarray(y, np.float64)


def _div(x: Any, y: Any, rounding_mode: str | None = None) -> Any:
    q = np.asarray(x / y)
    return {None: q, "floor": np.floor(q), "trunc": np.trunc(q)}[rounding_mode]


STEPS: dict[str, Any] = {"grad": 1, "note": "piecewise constant in the quotient"}


CASES = {
    "true_divide": Case(np.divide, lambda m: [(x, y) for x, y in pairs(m, m.away)], REAL),
    "div": Case(
        _div, lambda m: [*pairs(m, m.away), *((*a, mode) for a in _safe(m) for mode in ("floor", "trunc"))], FLOAT, 1
    ),
    "floor_divide": Case(np.floor_divide, _safe, REAL, **STEPS),
    "remainder": Case(np.remainder, _safe, REAL, 1, {"bfloat16": (0.1, 0.1), "float16": (0.02, 0.02)}),
    "fmod": Case(np.fmod, _safe, REAL, 1, {"bfloat16": (0.1, 0.1), "float16": (0.02, 0.02)}),
}
