"""Cases of ms_kernels.ops.pointwise."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, REAL, Case, Maker
from ms_kernels.testing.samples.arithmetic import pairs

__all__ = ["CASES"]


def _clamp(x: Any, low: Any = None, high: Any = None) -> Any:
    out = x if low is None else np.maximum(x, low)
    return out if high is None else np.minimum(out, high)


def _off(m: Maker) -> list[tuple[Any, ...]]:
    """Numbers away from 1 and -1."""
    x = (m.ints(3, 4, low=0, high=3).astype(np.float64) * 0.75 + 0.125).astype(m.np)
    return [(x, 1, 1), (x, None, 1), (x, 1), (x, np.asarray(x[0] * 0 + 1), 2)]


def _three(m: Maker) -> list[tuple[Any, ...]]:
    return [(m(3, 4), m(3, 4), m.away(3, 4), 2), (m(3, 1), m(4), m.away(3, 1))]


def _special(m: Maker) -> list[tuple[Any, ...]]:
    return [(np.array([1.0, np.nan, np.inf, -np.inf], m.np), 7, 8, 9)]


def _nan_to_num(x: Any, nan: Any = None, high: Any = None, low: Any = None) -> Any:
    return np.nan_to_num(x, nan=nan, posinf=high, neginf=low)


def _xlogy(x: Any, y: Any) -> Any:
    return np.where(x == 0, 0, x * np.log(y))


def _gaps(m: Maker) -> list[tuple[Any, ...]]:
    x = m.positive(3, 4)
    return [(x, x), (x, (x.astype(np.float64) * 1.25).astype(m.np)), (x, x[0])]


CASES = {
    "clamp": Case(_clamp, _off, FLOAT),
    "addcmul": Case(
        lambda x, a, b, v=1: x + v * a * b,
        _three,
        (*FLOAT, "int32"),
        tolerance={"bfloat16": (3e-2, 0.1), "float16": (4e-3, 1e-2)},
    ),
    "addcdiv": Case(
        lambda x, a, b, v=1: x + v * a / b, _three, FLOAT, tolerance={"bfloat16": (3e-2, 0.2), "float16": (4e-3, 2e-2)}
    ),
    "lerp": Case(
        lambda x, y, w: x + w * (y - x),
        lambda m: [(m(3, 4), m(3, 4), 0.25), (m(3), m(3), m(3))],
        FLOAT,
        tolerance={"bfloat16": (3e-2, 0.1), "float16": (4e-3, 1e-2)},
    ),
    "logaddexp": Case(np.logaddexp, lambda m: [(m(3, 4), m.away(3, 4) * 4)], FLOAT),
    "logaddexp2": Case(np.logaddexp2, lambda m: [(m(3, 4), m.away(3, 4) * 4)], FLOAT),
    "hypot": Case(np.hypot, lambda m: pairs(m, m.away), FLOAT),
    "xlogy": Case(_xlogy, lambda m: [(m.away(3, 4), m.positive(3, 4)), (m.away(3, 1), m.positive(4))], FLOAT),
    "sinc": Case(
        np.sinc, lambda m: [(m.away(3, 4),)], FLOAT, tolerance={"bfloat16": (0.1, 0.03), "float16": (1e-2, 2e-3)}
    ),
    "frac": Case(
        lambda x: x - np.trunc(x),
        lambda m: [(m.ints(3, 4, low=-3).astype(m.np) + m.np.type(0.25),)],
        FLOAT,
        1,
        note="piecewise linear",
    ),
    "nan_to_num": Case(_nan_to_num, _special, FLOAT, 0, note="not finite where it matters"),
    "isclose": Case(lambda x, y: np.isclose(x, y), _gaps, REAL, 0),
    "allclose": Case(
        lambda x, y: np.allclose(x, y), lambda m: [], FLOAT, 0, note="gives a Python bool: tested by itself"
    ),
    "same_everywhere": Case(np.array_equal, lambda m: [], FLOAT, 0, note="gives a Python bool: tested by itself"),
    "float_power": Case(np.float_power, lambda m: [(m.positive(3, 4), m(3, 4)), (m.positive(3), 2)], FLOAT),
    "fmax": Case(np.fmax, lambda m: [(m.distinct(2, 6)[0], m.distinct(2, 6)[1])], FLOAT),
    "fmin": Case(np.fmin, lambda m: [(m.distinct(2, 6)[0], m.distinct(2, 6)[1])], FLOAT),
}
