"""Cases of ms_kernels.ops.elementary."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, REAL, Case, Maker

__all__ = ["CASES", "one"]


def one(low: float = -3.0, high: float = 3.0) -> Callable[[Maker], list[tuple[Any, ...]]]:
    """Inputs of a function of one operand: 2-d, 3-d, 0-d, empty."""
    return lambda m: [(m(*s, low=low, high=high),) for s in ((3, 5), (2, 3, 4), (), (0, 2))]


def _vector(function: Callable[[float], float]) -> Callable[[Any], Any]:
    return np.vectorize(function, otypes=[float])


ROUNDING: dict[str, Any] = {"grad": 1, "note": "piecewise constant: the gradient is 0"}


def _steps(m: Maker) -> list[tuple[Any, ...]]:
    """Numbers well away from integers."""
    return [(m(3, 5, low=-0.2, high=0.2) + np.rint(m(3, 5)).astype(m.np) + m.np.type(0.25),), (m(0, 2),)]


def _erfinv(y: Any) -> Any:
    """Newton's method on erf, to the last bits of float64."""
    x = np.zeros_like(y)
    for _ in range(100):
        x = x - (_vector(math.erf)(x) - y) / (2 / math.sqrt(math.pi) * np.exp(-x * x))
    return x


CASES = {
    "abs": Case(np.abs, lambda m: [(m.away(3, 4),), (m.away(),), (m(0, 2),)], (*REAL, "complex64")),
    "sign": Case(np.sign, lambda m: [(m.away(3, 4),), (m(0, 2),)], REAL, 1),
    "square": Case(np.square, one(), (*REAL, "complex64")),
    "sqrt": Case(np.sqrt, lambda m: [(m.positive(3, 4),), (m.positive(),)], REAL),
    "rsqrt": Case(lambda x: 1 / np.sqrt(x), lambda m: [(m.positive(3, 4),), (m.positive(),)], REAL),
    "reciprocal": Case(lambda x: 1 / x, lambda m: [(m.away(3, 4),), (m.away(),)], REAL),
    "exp": Case(np.exp, one(), (*FLOAT, "int32")),
    "exp2": Case(np.exp2, one()),
    "expm1": Case(np.expm1, one()),
    "log": Case(np.log, one(0.25)),
    "log1p": Case(np.log1p, one(-0.75)),
    "log2": Case(np.log2, one(0.25)),
    "log10": Case(np.log10, one(0.25)),
    "erf": Case(_vector(math.erf), one()),
    "erfc": Case(_vector(math.erfc), one()),
    "erfinv": Case(_erfinv, one(-0.9, 0.9)),
    "sigmoid": Case(lambda x: 1 / (1 + np.exp(-x)), one()),
    "floor": Case(np.floor, _steps, FLOAT, **ROUNDING),
    "ceil": Case(np.ceil, _steps, FLOAT, **ROUNDING),
    "trunc": Case(np.trunc, _steps, FLOAT, **ROUNDING),
    "round": Case(lambda x, decimals=0: np.round(x, decimals), _steps, FLOAT, **ROUNDING),
}
