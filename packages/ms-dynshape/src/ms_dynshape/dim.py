"""Arithmetic on dimensions that may be unknown.

A dimension is an int >= 0, `SHAPE_DIM_ANY` (-1: nothing is known) or a `Symbol` (bounds and a congruence are known).
Results are as precise as these can say: an int where only one length is possible, a Symbol where bounds or a
congruence survive, -1 otherwise (always where an operand is -1, unless it does not matter).  Plain ints take the first
branch of every function.
"""

from __future__ import annotations

from math import gcd, lcm
from typing import NamedTuple, TypeAlias

from ms_dynshape.symbol import Symbol

SHAPE_DIM_ANY = -1
SHAPE_RANK_ANY = -2

Dim: TypeAlias = int | Symbol


class Facts(NamedTuple):
    """What is known of a length: low <= length (<= high), and length % step == rest (step 0: length == rest)."""

    low: int
    high: int | None
    step: int
    rest: int


def facts(dim: Dim) -> Facts:
    """What `dim` says about its length."""
    if isinstance(dim, Symbol):
        step, rest = dim.divisor, dim.remainder
        low = dim.min + (rest - dim.min) % step
        high = dim.max - (dim.max - rest) % step if dim.max > dim.min else None
        return Facts(low, high, step, rest)
    if dim >= 0:
        return Facts(dim, dim, 0, dim)
    return Facts(0, None, 1, 0)


def from_facts(known: Facts) -> Dim:
    """The most precise dimension that covers `known`."""
    low, high, step, rest = known
    if step == 0:
        return rest
    low = low + (rest - low) % step
    if high is not None:
        high -= (high - rest) % step
        if low == high:
            return low
    if low < 1 or (low == 1 and high is None and step == 1):
        return SHAPE_DIM_ANY
    return Symbol(max=high or 0, min=low, divisor=step, remainder=rest % step)


def is_known(dim: Dim) -> bool:
    """Whether `dim` is one fixed length.

    >>> is_known(3), is_known(-1), is_known(Symbol())
    (True, False, False)
    """
    return not isinstance(dim, Symbol) and dim >= 0


def same(a: Dim, b: Dim) -> bool:
    """Whether two dimensions have the same length for certain.

    >>> batch = Symbol(unique=True)
    >>> same(batch, batch), same(Symbol(), Symbol()), same(-1, -1), same(4, 4)
    (True, False, False, True)
    """
    if isinstance(a, Symbol):
        return a is b and a.unique
    return not isinstance(b, Symbol) and a == b and a >= 0


def _blank(a: Dim, b: Dim) -> bool:
    return a == SHAPE_DIM_ANY or b == SHAPE_DIM_ANY


def _ints(a: Dim, b: Dim) -> tuple[int, int] | None:
    """Both as ints when both are known."""
    if isinstance(a, Symbol) or isinstance(b, Symbol) or a < 0 or b < 0:
        return None
    return a, b


def add(a: Dim, b: Dim) -> Dim:
    """``a + b``.

    >>> add(2, 3), add(2, -1), str(add(Symbol(max=8), 2))
    (5, -1, "{'max': 10, 'min': 3}")
    """
    if ints := _ints(a, b):
        return ints[0] + ints[1]
    if a == 0 or b == 0:
        return b if a == 0 else a
    if _blank(a, b):
        return SHAPE_DIM_ANY
    x, y = facts(a), facts(b)
    step = gcd(x.step, y.step)
    high = None if x.high is None or y.high is None else x.high + y.high
    return from_facts(Facts(x.low + y.low, high, step, (x.rest + y.rest) % step if step else x.rest + y.rest))


def sub(a: Dim, b: Dim) -> Dim:
    """``a - b``; a length cannot be negative.

    Raises:
        ValueError: `b` is greater than `a` for certain.

    >>> sub(5, 2), sub(-1, 2), str(sub(Symbol(min=4, max=8), 2))
    (3, -1, "{'max': 6, 'min': 2}")
    """
    if (ints := _ints(a, b)) and ints[0] >= ints[1]:
        return ints[0] - ints[1]
    if b == 0:
        return a
    if same(a, b):
        return 0
    if _blank(a, b):
        return SHAPE_DIM_ANY
    x, y = facts(a), facts(b)
    high = None if x.high is None else x.high - y.low
    if high is not None and high < 0:
        raise ValueError(f"For 'sub', the 'a' must be >= b, but got a = {a}, b = {b}.")
    step = gcd(x.step, y.step)
    low = 0 if y.high is None else max(0, x.low - y.high)
    return from_facts(Facts(low, high, step, (x.rest - y.rest) % step if step else x.rest - y.rest))


def mul(a: Dim, b: Dim) -> Dim:
    """``a * b``.

    >>> mul(2, 3), mul(0, -1), mul(2, -1), str(mul(Symbol(max=8), 3))
    (6, 0, -1, "{'max': 24, 'divisor': 3}")
    """
    if ints := _ints(a, b):
        return ints[0] * ints[1]
    if a == 0 or b == 0:
        return 0
    if a == 1 or b == 1:
        return b if a == 1 else a
    if _blank(a, b):
        return SHAPE_DIM_ANY
    x, y = facts(a), facts(b)
    # (s*i + p) * (t*j + q) = st*ij + sq*i + tp*j + pq
    step = gcd(gcd(x.step * y.step, x.step * y.rest), y.step * x.rest)
    high = None if x.high is None or y.high is None else x.high * y.high
    return from_facts(Facts(x.low * y.low, high, step, x.rest * y.rest % step))


def floordiv(a: Dim, b: Dim) -> Dim:
    """``a // b``.

    Raises:
        ZeroDivisionError: `b` is 0.

    >>> floordiv(7, 2), floordiv(-1, 2), str(floordiv(Symbol(divisor=8, max=64), 4))
    (3, -1, "{'max': 16, 'divisor': 2}")
    """
    if ints := _ints(a, b):
        return ints[0] // ints[1]
    if b == 0:
        raise ZeroDivisionError("For 'floordiv', the 'b' must be positive, but got 0.")
    if b == 1 or a == 0:
        return a
    if same(a, b):
        return 1
    if _blank(a, b):
        return SHAPE_DIM_ANY
    x, y = facts(a), facts(b)
    low = 0 if y.high is None else x.low // y.high
    high = None if x.high is None else x.high // max(y.low, 1)
    if y.step == 0 and x.step % y.rest == 0:
        step = x.step // y.rest
        return from_facts(Facts(low, high, step, x.rest // y.rest % step))
    return from_facts(Facts(low, high, 1, 0))


def meet(a: Dim, b: Dim) -> Dim | None:
    """The dimension when `a` and `b` are equal by demand; None when no length fits both.

    >>> meet(-1, 3), meet(3, 4), str(meet(Symbol(divisor=4), Symbol(divisor=6, max=40)))
    (3, None, "{'max': 36, 'divisor': 12}")
    """
    if ints := _ints(a, b):
        return ints[0] if ints[0] == ints[1] else None
    if a is b:
        return a
    x, y = facts(a), facts(b)
    low = max(x.low, y.low)
    highs = [h for h in (x.high, y.high) if h is not None]
    high = min(highs) if highs else None
    if x.step == 0 or y.step == 0:
        fixed, other = (x.rest, y) if x.step == 0 else (y.rest, x)
        fits = low <= fixed and (high is None or fixed <= high) and (fixed - other.rest) % other.step == 0
        return fixed if fits else None
    if (x.rest - y.rest) % gcd(x.step, y.step):
        return None
    # some number below lcm has both remainders: step through those of x
    step = lcm(x.step, y.step)
    rest = next(r for r in range(x.rest, step, x.step) if r % y.step == y.rest)
    first = low + (rest - low) % step
    if high is not None and first > high:
        return None
    known = Facts(first, high, step, rest)
    for dim in (a, b):  # an operand that already says it all keeps its identity
        if isinstance(dim, Symbol) and known == facts(dim):
            return dim
    return from_facts(known)
