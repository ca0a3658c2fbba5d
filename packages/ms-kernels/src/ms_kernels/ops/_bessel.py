"""Bessel functions of orders 0 and 1 in float64 on arrays.

Source: M. Abramowitz and I. Stegun, Handbook of Mathematical Functions (1964), chapter 9: power series and Neumann's
series for small arguments, Miller's recurrence for J, the asymptotic expansions for large ones; for K between them the
integral 9.6.24 by the trapezoid rule, which converges as exp(-pi**2 / step) for it.
"""

from __future__ import annotations

from math import factorial
from typing import Any

import numpy as np

__all__ = ["i", "j", "k", "y"]

EULER = 0.57721566490153286061
LARGE = 25.0


def _expansion(order: int, x: Any, sign: float) -> tuple[Any, Any]:
    """The even and the odd part of sum((sign**m) a_m / x**m), A&S 9.2.9-10 and 9.7.1: cut where terms stop falling."""
    mu = 4.0 * order * order
    term = np.ones_like(x)
    even, odd = np.ones_like(x), np.zeros_like(x)
    live = np.ones_like(x, bool)
    for m in range(1, 60):
        new = term * sign * (mu - (2 * m - 1) ** 2) / (m * 8.0 * x)
        live = live & (np.abs(new) < np.abs(term))
        term = np.where(live, new, 0.0)
        if m % 2:
            odd = odd + term
        else:
            even = even + term
        if not live.any() or not (np.abs(term) > 1e-18).any():
            break
    return even, odd


def i(order: int, x: Any) -> Any:
    """I_0 or I_1 times exp(-|x|)."""
    size = np.abs(x)
    with np.errstate(all="ignore"):
        small = np.where(size <= LARGE, size, 0.0)
        quarter = small * small / 4
        term = np.ones_like(small) if order == 0 else small / 2
        total = term
        for m in range(1, 80):
            term = term * quarter / (m * (m + order))
            total = total + term
        below = total * np.exp(-small)
        big = np.where(size > LARGE, size, LARGE)
        even, odd = _expansion(order, big, -1.0)
        above = (even + odd) / np.sqrt(2 * np.pi * big)
        out = np.where(size <= LARGE, below, above)
    out = np.where(np.isinf(size), 0.0, out)
    return np.where(np.isnan(x), np.nan, out * (np.sign(x) if order else 1.0))


def _miller(x: Any) -> list[Any]:
    """J_0, ..., J_89 for x up to LARGE, by the recurrence downward from far above x (A&S 9.12, example 1)."""
    found: list[Any] = [np.zeros_like(x)] * 120
    safe = np.where(x == 0, 1.0, x)
    above, here = np.zeros_like(x), np.full_like(x, 1e-280)
    for m in range(119, 0, -1):
        above, here = here, 2 * m / safe * here - above
        large = np.abs(here) > 1e200
        if large.any():
            scale = np.where(large, 1e-200, 1.0)
            above, here = above * scale, here * scale
            found = [value if n < m else value * scale for n, value in enumerate(found)]
        found[m - 1] = here
    total = found[0] + 2 * sum(found[2:90:2])
    return [np.where(x == 0, float(n == 0), value / total) for n, value in enumerate(found[:90])]


def _hankel(order: int, x: Any) -> tuple[Any, Any, Any, Any]:
    """P, Q, the cosine and the sine of 9.2.5-6."""
    mu = 4.0 * order * order
    term = np.ones_like(x)
    p, q = np.ones_like(x), np.zeros_like(x)
    live = np.ones_like(x, bool)
    for m in range(1, 60):
        new = term * (mu - (2 * m - 1) ** 2) / (m * 8.0 * x)
        live = live & (np.abs(new) < np.abs(term))
        term = np.where(live, new, 0.0)
        sign = -1.0 if m % 4 in (2, 3) else 1.0
        if m % 2:
            q = q + sign * term
        else:
            p = p + sign * term
        if not (np.abs(term) > 1e-18).any():
            break
    # the angle x - (order / 2 + 1 / 4) pi by addition theorems: nothing is lost where x is large
    c, s, root = np.cos(x), np.sin(x), np.sqrt(0.5)
    return (p, q, (c + s) * root, (s - c) * root) if order == 0 else (p, q, (s - c) * root, -(c + s) * root)


def j(order: int, x: Any) -> Any:
    """J_0 or J_1."""
    size = np.abs(x)
    with np.errstate(all="ignore"):
        below = _miller(np.where(size <= LARGE, size, 1.0))[order]
        big = np.where((size > LARGE) & np.isfinite(size), size, LARGE)
        p, q, c, s = _hankel(order, big)
        out = np.where(size <= LARGE, below, np.sqrt(2 / (np.pi * big)) * (p * c - q * s))
    out = np.where(np.isinf(size), 0.0, out)
    return np.where(np.isnan(x), np.nan, out * (np.sign(x) if order else 1.0))


def y(order: int, x: Any) -> Any:
    """Y_0 or Y_1; minus infinity at 0 and below (as MindSpore gives it)."""
    with np.errstate(all="ignore"):
        small = np.where((x > 0) & (x <= LARGE), x, 1.0)
        js = _miller(small)
        logs = np.log(small / 2) + EULER
        series = sum((-1.0) ** m * (order + 2 * m) / (m * (order + m)) * js[order + 2 * m] for m in range(1, 40))
        below = 2 / np.pi * ((logs - order) * js[order] - series)
        if order:
            below = below - 2 * js[0] / (np.pi * small)
        big = np.where((x > LARGE) & np.isfinite(x), x, LARGE)
        p, q, c, s = _hankel(order, big)
        out = np.where(x <= LARGE, below, np.sqrt(2 / (np.pi * big)) * (p * s + q * c))
    out = np.where(x <= 0, -np.inf, np.where(np.isposinf(x), 0.0, out))
    return np.where(np.isnan(x), np.nan, out)


def _small_k(order: int, x: Any) -> Any:
    """A&S 9.6.11 and 9.6.13: the series with a logarithm, for x up to 2."""
    quarter = x * x / 4
    bessel = np.zeros_like(x)
    rest = np.zeros_like(x)
    psi = [-EULER]
    for m in range(1, 32):
        psi.append(psi[-1] + 1 / m)
    for m in range(30):
        power = quarter**m / (factorial(m) * factorial(m + order))
        bessel = bessel + power
        rest = rest + power * (psi[m] if order == 0 else (psi[m] + psi[m + 1]) / 2)
    if order == 0:
        return rest - np.log(x / 2) * bessel
    return 1 / x + x / 2 * (np.log(x / 2) * bessel - rest)


def k(order: int, x: Any) -> Any:
    """K_0 or K_1 times exp(x); infinity at 0 and below (as MindSpore gives it)."""
    with np.errstate(all="ignore"):
        low = np.where((x > 0) & (x <= 2), x, 1.0)
        out = _small_k(order, low) * np.exp(low)
        middle = np.where((x > 2) & (x <= LARGE), x, 3.0)
        step = 0.125
        total = np.full_like(middle, 0.5)
        for m in range(1, 56):
            t = m * step
            total = total + np.exp(-middle * (np.cosh(t) - 1)) * np.cosh(order * t)
        out = np.where(x > 2, total * step, out)
        big = np.where((x > LARGE) & np.isfinite(x), x, LARGE)
        even, odd = _expansion(order, big, 1.0)
        out = np.where(x > LARGE, np.sqrt(np.pi / (2 * big)) * (even + odd), out)
    out = np.where(x <= 0, np.inf, np.where(np.isposinf(x), 0.0, out))
    return np.where(np.isnan(x), np.nan, out)
