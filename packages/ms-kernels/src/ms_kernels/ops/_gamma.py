"""The gamma function's relatives in float64 on arrays: logarithm, derivatives, zeta, incomplete gamma, beta.

Sources: M. Abramowitz and I. Stegun, Handbook of Mathematical Functions (1964), chapters 6, 23 and 26; W. Gautschi, A
computational procedure for incomplete gamma functions (1979); W. Lentz' method for continued fractions (1976).
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial, pi
from typing import Any

import numpy as np

__all__ = ["betainc", "digamma", "igamma", "igamma_slope", "igammac", "lgamma", "zeta"]

TERMS = 12
SHIFT = 12  # the asymptotic series are used from here on


def _bernoulli(count: int) -> list[Fraction]:
    """B_0, B_2, B_4, ... by their recurrence (A&S 23.1)."""
    found = [Fraction(1)]
    for n in range(1, 2 * count + 1):
        found.append(-sum((comb(n + 1, k) * found[k] for k in range(n)), Fraction(0)) / (n + 1))
    return found[::2]


BERNOULLI = _bernoulli(TERMS)


def _polynomial(z: Any, coefficients: list[float]) -> Any:
    out = np.zeros_like(z)
    for c in reversed(coefficients):
        out = out * z + c
    return out


_LGAMMA = [float(BERNOULLI[k] / (2 * k * (2 * k - 1))) for k in range(1, TERMS)]
_DIGAMMA = [float(BERNOULLI[k] / (2 * k)) for k in range(1, TERMS)]


def lgamma(x: Any) -> Any:
    """log|gamma(x)|: Stirling's series above SHIFT (A&S 6.1.41), the recurrence below, the reflection for x < 0.5."""
    x = np.asarray(x, np.float64)
    with np.errstate(all="ignore"):
        turned = x < 0.5
        y = np.where(turned, 1 - x, x)
        product = np.ones_like(y)
        for _ in range(SHIFT):
            low = y < SHIFT
            product = np.where(low, product * y, product)
            y = np.where(low, y + 1, y)
        out = (y - 0.5) * np.log(y) - y + 0.5 * np.log(2 * pi) + _polynomial(1 / (y * y), _LGAMMA) / y - np.log(product)
        near = np.abs(x) < 1e30  # beyond, the sine has no meaning: every number is an integer
        sine = np.where(near, np.sin(pi * np.where(near, x - 2 * np.round(x / 2), 0)), 0)
        out = np.where(turned, np.log(pi) - np.log(np.abs(sine)) - out, out)
        out = np.where((x <= 0) & (x == np.floor(x)), np.inf, out)
        out = np.where((x == 1) | (x == 2), 0.0, out)
    return np.where(np.isinf(x), np.inf, np.where(np.isnan(x), np.nan, out))


def digamma(x: Any) -> Any:
    """The derivative of lgamma: A&S 6.3.18 above SHIFT, 6.3.5 below, reflection 6.3.7 for x < 0.5; NaN at poles."""
    x = np.asarray(x, np.float64)
    with np.errstate(all="ignore"):
        turned = x < 0.5
        y = np.where(turned, 1 - x, x)
        total = np.zeros_like(y)
        for _ in range(SHIFT):
            low = y < SHIFT
            total = np.where(low, total + 1 / y, total)
            y = np.where(low, y + 1, y)
        out = np.log(y) - 0.5 / y - _polynomial(1 / (y * y), _DIGAMMA) / (y * y) - total
        rest = x - np.round(x)
        out = np.where(turned, out - pi / np.tan(pi * rest), out)
        out = np.where((x < 0) & (rest == 0), np.nan, np.where(x == 0, np.copysign(np.inf, -x), out))
    return np.where(np.isposinf(x), np.inf, out)


def zeta(s: Any, q: Any) -> Any:
    """The sum of (q + k)**-s over k >= 0 by Euler and Maclaurin (A&S 23.2); NaN for s < 1, inf at the poles."""
    s, q = np.broadcast_arrays(np.asarray(s, np.float64), np.asarray(q, np.float64))
    with np.errstate(all="ignore"):
        good = (s > 1) & np.isfinite(s) & ~((q <= 0) & ((q == np.floor(q)) | (s != np.floor(s)))) & np.isfinite(q)
        t, a = np.where(good, s, 2.0), np.where(good, q, 1.0)
        steps = int(np.clip(SHIFT + np.max(t, initial=2) / 3 - np.floor(np.min(a, initial=1)), SHIFT, 4096))
        total = np.zeros_like(a)
        for k in range(steps):
            total = total + (a + k) ** -t
        b = a + steps
        power = b**-t
        total = total + power * b / (t - 1) + power / 2
        factor = t
        power = power / b
        for k in range(1, TERMS):
            total = total + float(BERNOULLI[k] / factorial(2 * k)) * factor * power
            factor = factor * (t + 2 * k - 1) * (t + 2 * k)
            power = power / (b * b)
        out = np.where(good, total, np.nan)
        return np.where((s == 1) | ((s > 1) & (q <= 0) & (q == np.floor(q))), np.inf, out)


def polygamma(n: int, x: Any) -> Any:
    """The n-th derivative of digamma: A&S 6.4.10."""
    if n == 0:
        return digamma(x)
    return (-1.0) ** (n + 1) * factorial(n) * zeta(float(n + 1), x)


def _front(a: Any, x: Any) -> Any:
    """x**a * exp(-x) / gamma(a)."""
    return np.exp(a * np.log(x) - x - lgamma(a))


def _series(a: Any, x: Any) -> Any:
    """The lower function's power series (A&S 6.5.29), for x below a + 1."""
    term = total = 1 / a
    n = a
    for _ in range(100000):
        n = n + 1
        term = term * (x / n)
        total = total + term
        if not (term > total * 1e-17).any():
            break
    return total * _front(a, x)


def _fraction(a: Any, x: Any) -> Any:
    """The upper function's continued fraction (A&S 6.5.31) by Lentz' method, for x above a + 1."""
    tiny = 1e-300
    b = x + 1 - a
    c = np.full_like(b, 1 / tiny)
    d = h = 1 / b
    for i in range(1, 100000):
        step = -i * (i - a)
        b = b + 2
        d = step * d + b
        d = 1 / np.where(np.abs(d) < tiny, tiny, d)
        c = b + step / c
        c = np.where(np.abs(c) < tiny, tiny, c)
        h = h * d * c
        if not (np.abs(d * c - 1) > 4e-16).any():
            break
    return h * _front(a, x)


def _incomplete(a: Any, x: Any, upper: bool) -> Any:
    a, x = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(x, np.float64))
    out = np.full(a.shape, np.nan)
    with np.errstate(all="ignore"):
        inside = (a > 0) & (x > 0) & np.isfinite(a) & np.isfinite(x)
        for pick, function, is_upper in (
            (inside & (x < a + 1), _series, False),
            (inside & (x >= a + 1), _fraction, True),
        ):
            if pick.any():
                value = function(a[pick], x[pick])
                out[pick] = value if is_upper == upper else 1 - value
        out[(a > 0) & (x == 0)] = 1.0 if upper else 0.0
        out[(a > 0) & np.isposinf(x)] = 0.0 if upper else 1.0
    return out


def igamma(a: Any, x: Any) -> Any:
    """The regularized lower incomplete gamma function."""
    return _incomplete(a, x, False)


def igammac(a: Any, x: Any) -> Any:
    """The regularized upper incomplete gamma function, exact where it is small."""
    return _incomplete(a, x, True)


def igamma_slope(a: Any, x: Any) -> Any:
    """The derivative of igamma by its first argument: the power series (A&S 6.5.4), each term differentiated."""
    a, x = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(x, np.float64))
    with np.errstate(all="ignore"):
        good = (a > 0) & (x > 0) & (x < 1e5)
        b, y = np.where(good, a, 1.0), np.where(good, x, 1.0)
        logs = np.log(y)
        term = np.exp(b * logs - y - lgamma(b + 1))
        psi = digamma(b + 1)
        total = term * (logs - psi)
        n = b
        for _ in range(200000):
            n = n + 1
            term = term * (y / n)
            psi = psi + 1 / n
            total = total + term * (logs - psi)
            if not ((term * np.abs(logs - psi) > 1e-18) | (n < y)).any():
                break
    return np.where(good, total, np.where((a > 0) & (x >= 0), 0.0, np.nan))


def betainc(a: Any, b: Any, x: Any) -> Any:
    """The regularized incomplete beta function: its continued fraction (A&S 26.5.8) by Lentz' method."""
    a, b, x = np.broadcast_arrays(*(np.asarray(v, np.float64) for v in (a, b, x)))
    with np.errstate(all="ignore"):
        good = (a > 0) & (b > 0) & (x > 0) & (x < 1)
        swap = x > (a + 1) / (a + b + 2)
        p, q = np.where(swap, b, a), np.where(swap, a, b)
        y = np.where(good, np.where(swap, 1 - x, x), 0.5)
        p, q = np.where(good, p, 1.0), np.where(good, q, 1.0)
        front = np.exp(p * np.log(y) + q * np.log1p(-y) - lgamma(p) - lgamma(q) + lgamma(p + q)) / p
        tiny = 1e-300
        c = np.ones_like(y)
        d = 1 - (p + q) * y / (p + 1)
        d = 1 / np.where(np.abs(d) < tiny, tiny, d)
        h = d
        for m in range(1, 20000):
            for step in (
                m * (q - m) * y / ((p + 2 * m - 1) * (p + 2 * m)),
                -(p + m) * (p + q + m) * y / ((p + 2 * m) * (p + 2 * m + 1)),
            ):
                d = 1 + step * d
                d = 1 / np.where(np.abs(d) < tiny, tiny, d)
                c = 1 + step / c
                c = np.where(np.abs(c) < tiny, tiny, c)
                h = h * d * c
            if not (np.abs(d * c - 1) > 4e-16).any():
                break
        value = front * h
        out = np.where(swap, 1 - value, value)
        out = np.where(good, out, np.nan)
        return np.where((a > 0) & (b > 0), np.where(x == 0, 0.0, np.where(x == 1, 1.0, out)), np.nan)
