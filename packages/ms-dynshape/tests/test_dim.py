"""Dim arithmetic: exact on ints, and never claims less than what is possible."""

from __future__ import annotations

import operator
from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ms_dynshape import SHAPE_DIM_ANY, SHAPE_RANK_ANY, Symbol, is_known
from ms_dynshape.dim import Dim, add, floordiv, meet, mul, same, sub

OPS: dict[Callable[[Dim, Dim], Dim], Callable[[int, int], int]] = {
    add: operator.add,
    sub: operator.sub,
    mul: operator.mul,
    floordiv: operator.floordiv,
}


def lengths(dim: Dim, limit: int = 40) -> list[int]:
    """All lengths up to `limit` that a dim may have."""
    if not isinstance(dim, Symbol):
        return [dim] if dim >= 0 else list(range(limit + 1))
    high = dim.max if dim.max > dim.min else limit
    return [n for n in range(dim.min, high + 1) if n % dim.divisor == dim.remainder]


def allows(dim: Dim, length: int) -> bool:
    return length in lengths(dim, max(length, 1))


@st.composite
def symbols(draw: st.DrawFn) -> Symbol:
    divisor = draw(st.integers(1, 6))
    low = draw(st.integers(1, 9))
    symbol = Symbol(
        max=draw(st.sampled_from([0, low + 1, low + 7, low + 20])),
        min=low,
        divisor=divisor,
        remainder=draw(st.integers(0, divisor - 1)),
        unique=draw(st.booleans()),
    )
    assume(lengths(symbol))
    return symbol


dims = st.one_of(st.integers(0, 9), st.just(-1), symbols())


def test_constants() -> None:
    assert (SHAPE_DIM_ANY, SHAPE_RANK_ANY) == (-1, -2)


@pytest.mark.parametrize("op", OPS)
@given(a=st.integers(0, 99), b=st.integers(1, 99))
def test_ints(op: Callable[[Dim, Dim], Dim], a: int, b: int) -> None:
    assume(op is not sub or a >= b)
    assert op(a, b) == OPS[op](a, b)


@pytest.mark.parametrize("op", OPS)
@given(a=dims, b=dims)
def test_result_covers_every_possible_length(op: Callable[[Dim, Dim], Dim], a: Dim, b: Dim) -> None:
    pairs = [(m, n) for m in lengths(a) for n in lengths(b) if a is not b or m == n or not getattr(a, "unique", False)]
    if op is floordiv:
        pairs = [(m, n) for m, n in pairs if n]
    real = {r for m, n in pairs if (r := OPS[op](m, n)) >= 0}
    assume(real)
    if op is floordiv:
        assume(b != 0)
    result = op(a, b)
    assert all(allows(result, r) for r in real)


@given(a=dims, b=dims)
def test_meet_is_the_intersection(a: Dim, b: Dim) -> None:
    both = set(lengths(a, 200)) & set(lengths(b, 200))
    result = meet(a, b)
    if result is None:
        assert not both
    else:
        assert both == set(lengths(result, 200)) & set(range(201))


@pytest.mark.parametrize(
    ("result", "want"),
    [
        (add(Symbol(max=8), 2), {"max": 10, "min": 3}),
        (add(Symbol(divisor=4), Symbol(divisor=6, remainder=1)), {"min": 5, "divisor": 2, "remainder": 1}),
        (sub(Symbol(min=4, max=8), 2), {"max": 6, "min": 2}),
        (mul(Symbol(max=8), 3), {"max": 24, "divisor": 3}),
        (mul(Symbol(divisor=4), Symbol(divisor=2)), {"divisor": 8}),
        (floordiv(Symbol(divisor=8, max=64), 4), {"max": 16, "divisor": 2}),
        (floordiv(Symbol(min=3, max=9), 2), {"max": 4}),
    ],
)
def test_symbols(result: Dim, want: dict[str, int]) -> None:
    assert isinstance(result, Symbol)
    assert result.to_dict() == want


def test_unknown_and_neutral_operands() -> None:
    symbol = Symbol(max=8, unique=True)
    assert add(-1, 2) == sub(-1, 2) == mul(-1, 2) == floordiv(-1, 2) == add(symbol, -1) == -1
    assert mul(0, -1) == mul(symbol, 0) == floordiv(0, -1) == 0
    for result in (add(symbol, 0), add(0, symbol), sub(symbol, 0), mul(1, symbol), mul(symbol, 1), floordiv(symbol, 1)):
        assert result is symbol
    assert (sub(symbol, symbol), floordiv(symbol, symbol)) == (0, 1)
    assert sub(Symbol(max=4), Symbol(max=4)) == -1
    assert add(Symbol(min=3, max=5, divisor=4), 1) == 5  # only 4 lies in 3..5


def test_certain_knowledge() -> None:
    symbol = Symbol(unique=True)
    assert same(symbol, symbol)
    assert not same(Symbol(), Symbol())
    assert not same(-1, -1)
    assert same(3, 3)
    assert is_known(0)
    assert not is_known(-1)
    assert not is_known(symbol)


def test_impossible() -> None:
    with pytest.raises(ValueError, match="For 'sub', the 'a' must be >= b, but got a = 2, b = 3"):
        sub(2, 3)
    with pytest.raises(ValueError, match="For 'sub'"):
        sub(Symbol(max=4), 5)
    with pytest.raises(ZeroDivisionError):
        floordiv(Symbol(), 0)
    with pytest.raises(ZeroDivisionError):
        floordiv(3, 0)
