"""Cases of ms_kernels.ops.signs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, INT, NUMBER, REAL, Case, Maker
from ms_kernels.testing.samples.arithmetic import pairs

__all__ = ["CASES"]


def _sgn(x: Any) -> Any:
    return x / np.where(x == 0, 1, np.abs(x))


def _special(m: Maker) -> list[tuple[Any, ...]]:
    return [(np.array([1, -np.inf, np.inf, np.nan, -0.0], m.np),), (m(3, 4),)]


def _away(m: Maker) -> list[tuple[Any, ...]]:
    return [(m.away(3, 4),), (m.away(),), (m(0, 3),)]


def _step(m: Maker) -> list[tuple[Any, ...]]:
    x = m(3, 4)
    x[0, 1] = x[2] = 0
    return [(x, m(3, 4)), (x, m(4)), (x, m())]


def _zeros(m: Maker) -> list[tuple[Any, ...]]:
    x = m.away(3, 4)
    y = m.away(3, 4)
    return [(x, y), (x, y[0]), (x[:, :1], y)]


def _xdivy(x: Any, y: Any) -> Any:
    return np.where(x == 0, 0, x / np.where(x == 0, 1, y))


def _no_nan(x: Any, y: Any) -> Any:
    return np.where(y == 0, 0, x / np.where(y == 0, 1, y))


FLAT = "piecewise constant or linear"
WIDE = {"bfloat16": (3e-2, 0.3), "float16": (4e-3, 0.05)}
CASES = {
    "sgn": Case(_sgn, _away, NUMBER, 1, note=FLAT),
    "signbit": Case(np.signbit, lambda m: [(m.away(3, 4),)], FLOAT, 0),
    "copysign": Case(np.copysign, lambda m: pairs(m, m.away), FLOAT, 1, note=FLAT),
    "nextafter": Case(np.nextafter, lambda m: [(m(3, 4), m(3, 4)), (m(3, 4), m(4))], ("float64",), 0),
    "heaviside": Case(np.heaviside, _step, FLOAT, 0),
    "ldexp": Case(
        lambda x, y: x * 2.0**y, lambda m: [(m(3, 4), m(3, 4)), (m(3), np.array([1, 2, 3]))], FLOAT, wrt=(0,)
    ),
    "xdivy": Case(_xdivy, _zeros, (*FLOAT, "complex64")),
    "deg2rad": Case(np.deg2rad, lambda m: [(m(3, 4),)], FLOAT),
    "rad2deg": Case(np.rad2deg, lambda m: [(m(3, 4),)], FLOAT),
    "positive": Case(lambda x: x, lambda m: [(m(3, 4),)], REAL),
    "isposinf": Case(np.isposinf, _special, FLOAT, 0),
    "isneginf": Case(np.isneginf, _special, FLOAT, 0),
    "isreal": Case(np.isreal, lambda m: [(m(3, 4),)], NUMBER, 0),
    "truncate_div": Case(
        lambda x, y: np.trunc(x / y),
        lambda m: [(m.away(3, 4), m.away(3, 4))],
        ("float32", "float64", *INT),
        1,
        note=FLAT,
    ),
    "truncate_mod": Case(np.fmod, lambda m: [(m.away(3, 4), m.away(3, 4))], ("float32", "float64", *INT), 1, note=FLAT),
    "div_no_nan": Case(_no_nan, _zeros, FLOAT),
    "mul_no_nan": Case(lambda x, y: x * y, _zeros, (*FLOAT, "int32")),
}
