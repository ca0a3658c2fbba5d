"""Cases of ms_kernels.ops.bessels: the oracles are the functions' integrals (Abramowitz and Stegun, chapter 9)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, Case, Maker
from ms_kernels.testing.samples.gammas import integral

__all__ = ["CASES"]


def _j(n: int, x: float) -> float:
    """9.1.21."""
    return integral(lambda t: np.cos(n * t - x * np.sin(t)), 0, math.pi) / math.pi


def _i(n: int, x: float) -> float:
    """9.6.19, scaled."""
    return integral(lambda t: np.exp(x * np.cos(t) - abs(x)) * np.cos(n * t), 0, math.pi) / math.pi


def _k(n: int, x: float) -> float:
    """9.6.24, scaled."""
    return integral(lambda t: np.exp(-x * (np.cosh(t) - 1)) * np.cosh(n * t), 0, 12)


def _y(n: int, x: float) -> float:
    """9.1.22."""
    first = integral(lambda t: np.sin(x * np.sin(t) - n * t), 0, math.pi)
    second = integral(lambda t: (np.exp(n * t) + (-1) ** n * np.exp(-n * t)) * np.exp(-x * np.sinh(t)), 0, 8)
    return (first - second) / math.pi


def _each(function: Any, n: int) -> Any:
    return np.vectorize(lambda x: function(n, x), otypes=[float])


def _grown(n: int) -> Any:
    return np.vectorize(lambda x: _i(n, x) * math.exp(abs(x)), otypes=[float])


def _shrunk(n: int) -> Any:
    return np.vectorize(lambda x: _k(n, x) * math.exp(-x), otypes=[float])


def _both(m: Maker) -> list[tuple[Any, ...]]:
    return [(m.away(3, 4),), (m.away(4) * 10,), (m.positive(),)]


def _positive(m: Maker) -> list[tuple[Any, ...]]:
    return [(m.positive(3, 4),), (m.positive(4) * 10,), (m.positive(),)]


LARGE = {"float16": (5e-3, 5e-3), "bfloat16": (4e-2, 4e-2), "float32": (1e-4, 1e-5), "float64": (1e-10, 1e-11)}
CASES = {
    **{f"bessel_j{n}": Case(_each(_j, n), _both, FLOAT, tolerance=LARGE) for n in (0, 1)},
    **{f"bessel_i{n}e": Case(_each(_i, n), _both, FLOAT, tolerance=LARGE) for n in (0, 1)},
    **{f"bessel_i{n}": Case(_grown(n), lambda m: _both(m)[::2], FLOAT, tolerance=LARGE) for n in (0, 1)},
    **{f"bessel_y{n}": Case(_each(_y, n), _positive, FLOAT, tolerance=LARGE) for n in (0, 1)},
    **{f"bessel_k{n}e": Case(_each(_k, n), _positive, FLOAT, tolerance=LARGE) for n in (0, 1)},
    **{f"bessel_k{n}": Case(_shrunk(n), lambda m: _positive(m)[::2], FLOAT, tolerance=LARGE) for n in (0, 1)},
}
