"""Cases of ms_kernels.ops.gammas: the oracles are the standard library's functions and the functions' integrals."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, Case, Maker
from ms_kernels.testing.samples.arithmetic import pairs

__all__ = ["CASES", "integral"]

PLAIN = ("float32", "float64")
CLOSE = {"float64": (1e-10, 1e-11)}
NODES, WEIGHTS = np.polynomial.legendre.leggauss(96)


def integral(function: Callable[[Any], Any], low: float, high: float) -> float:
    """Gauss and Legendre's rule on 16 equal parts."""
    ends = np.linspace(low, high, 17)
    half = (ends[1:] - ends[:-1])[:, None] / 2
    return float((function(ends[:-1, None] + half * (NODES + 1)) * WEIGHTS * half).sum())


def _each(function: Callable[..., float]) -> Callable[..., Any]:
    return np.vectorize(function, otypes=[float])


def _digamma(x: float) -> float:
    """Binet's formula: log x - 1/(2x) - 2 * integral of t / ((t**2 + x**2)(exp(2 pi t) - 1))."""
    shift, y = 0.0, x
    while y < 3:
        shift, y = shift - 1 / y, y + 1
    tail = integral(lambda t: t / ((t * t + y * y) * np.expm1(2 * math.pi * t)), 0, 8)
    return shift + math.log(y) - 0.5 / y - 2 * tail


def _zeta(s: float, q: float) -> float:
    """Hermite's formula (A. Erdelyi, Higher Transcendental Functions I, 1.10(7))."""
    head, y = 0.0, q
    while y < 3:
        head, y = head + y**-s, y + 1
    tail = integral(
        lambda t: np.sin(s * np.arctan(t / y)) / ((y * y + t * t) ** (s / 2) * np.expm1(2 * math.pi * t)), 0, 8
    )
    return float(head + y ** (1 - s) / (s - 1) + y**-s / 2 + 2 * tail)


def _polygamma(n: int, x: float) -> float:
    return _digamma(x) if n == 0 else (-1.0) ** (n + 1) * math.factorial(n) * _zeta(n + 1, x)


def _lower(a: float, x: float) -> float:
    """The integral of t**(a-1) exp(-t), with t = u**8: smooth at 0."""
    top = x**0.125
    return integral(lambda u: 8 * u ** (8 * a - 1) * np.exp(-(u**8)), 0, top) / math.gamma(a)


def _slope(a: float, x: float) -> float:
    h = 1e-3
    values = [_lower(a + k * h, x) for k in (-2, -1, 1, 2)]
    return (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * h)


def _beta(a: float, b: float, x: float) -> float:
    front = math.gamma(a + b) / (math.gamma(a) * math.gamma(b))
    return front * integral(lambda u: 8 * u ** (8 * a - 1) * (1 - u**8) ** (b - 1), 0, x**0.125)


def _logit(x: Any, eps: float | None = None) -> Any:
    y = x if eps is None else np.clip(x, eps, 1 - eps)
    return np.log(y / (1 - y))


def _mvlgamma(x: Any, p: int) -> Any:
    whole = p * (p - 1) / 4 * math.log(math.pi)
    return whole + sum(_each(math.lgamma)(x - i / 2) for i in range(p))


def _shares(m: Maker) -> list[tuple[Any, ...]]:
    return [(m(3, 4, low=0.2, high=0.8),), (m(3, 4, low=0.2, high=0.8), 0.4)]


SIDE = "the gradient is that by the second argument, as in 2.6"
CASES = {
    "lgamma": Case(
        _each(math.lgamma),
        lambda m: [(m.positive(3, 4),), (m.positive(4) * 9,), (-m.positive(3) - 3,)],
        FLOAT,
        tolerance={"bfloat16": (3e-2, 3e-2), "float16": (1e-2, 1e-2)},
    ),
    "digamma": Case(_each(_digamma), lambda m: [(m.positive(3, 4),), (m.positive(4) * 9,)], FLOAT, tolerance=CLOSE),
    "polygamma_of": Case(
        _each(_polygamma), lambda m: [(n, m.positive(3, 4, low=0.5)) for n in (0, 1, 3)], PLAIN, tolerance=CLOSE
    ),
    "polygamma": Case(
        lambda n, x: _each(_polygamma)(int(n._a), x),
        lambda m: [],
        PLAIN,
        0,
        note="the order is a tensor: see polygamma_of",
    ),
    "zeta": Case(
        _each(_zeta),
        lambda m: [(m.positive(3, 4) + 1, m.positive(3, 4)), (m.positive(3, 1) + 1, m.positive(4))],
        PLAIN,
        wrt=(1,),
        tolerance=CLOSE,
        note=SIDE,
    ),
    "zeta_of_any": Case(
        _each(_zeta),
        lambda m: [(m.positive(3) + 1, 1.5), (2.5, m.positive(3))],
        PLAIN,
        wrt=(1,),
        tolerance=CLOSE,
        note=SIDE,
    ),
    "igamma_slope": Case(
        _each(_slope),
        lambda m: pairs(m, m.positive),
        PLAIN,
        0,
        tolerance={"float64": (1e-8, 1e-9), "float32": (1e-4, 1e-6)},
    ),
    "igamma": Case(
        _each(_lower),
        lambda m: pairs(m, m.positive),
        PLAIN,
        wrt=(1,),
        tolerance=CLOSE,
        note="by the first argument: to first order, see igamma_of",
    ),
    "igammac": Case(
        _each(lambda a, x: 1 - _lower(a, x)),
        lambda m: pairs(m, m.positive),
        PLAIN,
        wrt=(1,),
        tolerance=CLOSE,
        note="by the first argument: to first order, see igammac_of",
    ),
    "igamma_of": Case(
        _each(_lower), lambda m: pairs(m, m.positive), PLAIN, 1, tolerance=CLOSE, note="2.6: first order"
    ),
    "igammac_of": Case(
        _each(lambda a, x: 1 - _lower(a, x)),
        lambda m: pairs(m, m.positive),
        PLAIN,
        1,
        tolerance=CLOSE,
        note="2.6: first order",
    ),
    "betainc": Case(
        _each(_beta),
        lambda m: [(m.positive(3, 4), m.positive(3, 4, low=1.0), m(3, 4, low=0.1, high=0.9))],
        PLAIN,
        wrt=(2,),
        tolerance={"float64": (1e-9, 1e-10)},
        note="the gradient is that by x, as in 2.6",
    ),
    "mvlgamma": Case(_mvlgamma, lambda m: [(m.positive(3, 4) + 1, 3), (m.positive(3), 1)], PLAIN),
    "logit": Case(_logit, _shares, FLOAT, 2, tolerance={"bfloat16": (5e-2, 5e-2), "float16": (1e-2, 1e-2)}),
}
