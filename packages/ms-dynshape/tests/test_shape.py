"""Broadcasting, number of elements, declared shapes."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ms_dynshape import (
    ANY_RANK,
    Shape,
    Symbol,
    broadcast_dims,
    broadcast_shapes,
    check_match,
    declare,
    is_dynamic,
    is_dynamic_rank,
    matches,
    numel,
)

SMALL = [tuple(s) for n in range(3) for s in itertools.product((0, 1, 2, 3), repeat=n)]


def expected(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...] | None:
    """Broadcasting by its definition: pad with ones, then each pair must agree or hold a 1."""
    width = max(len(a), len(b))
    pairs = zip((1,) * (width - len(a)) + a, (1,) * (width - len(b)) + b, strict=True)
    out = [(y if x == 1 else x) if x == y or 1 in (x, y) else None for x, y in pairs]
    return None if None in out else tuple(d for d in out if d is not None)


@pytest.mark.parametrize("a", SMALL)
def test_plain_shapes_exhaustively(a: tuple[int, ...]) -> None:
    for b in SMALL:
        want = expected(a, b)
        if want is None:
            with pytest.raises(ValueError, match="For 'broadcast', the shapes must agree or be 1 in each dim"):
                broadcast_shapes(a, b)
        else:
            assert broadcast_shapes(a, b) == want


@given(st.lists(st.sampled_from([(), (1,), (3,), (2, 1), (2, 3), (4, 1, 1), (1, 2, 3)]), min_size=1, max_size=5))
def test_many_in_any_order(shapes: list[Shape]) -> None:
    assert broadcast_shapes(*shapes) == broadcast_shapes(*reversed(shapes))


def test_equal_shapes_come_back_as_they_are() -> None:
    shape = (2, 3)
    assert broadcast_shapes(shape, (2, 3)) is shape
    assert broadcast_shapes(shape) is shape
    assert broadcast_shapes() == ()


def test_message_names_both_shapes() -> None:
    with pytest.raises(ValueError, match=r"but got \(2, 3\) and \(4,\)"):
        broadcast_shapes((2, 3), (4,))


@pytest.mark.parametrize(
    ("a", "b", "want"),
    [
        ((-1, 3), (1, 3), (-1, 3)),
        ((-1, 3), (5, 1), (5, 3)),
        ((-1,), (-1,), (-1,)),
        ((-1,), (0,), (0,)),
        ((-2,), (2, 3), (-2,)),
        ((2, 3), (-2,), (-2,)),
        ((-2,), (-2,), (-2,)),
    ],
)
def test_unknown(a: Shape, b: Shape, want: Shape) -> None:
    assert broadcast_shapes(a, b) == want


def test_symbols() -> None:
    batch, other = Symbol(max=8), Symbol(min=2, divisor=2)
    assert broadcast_shapes((batch, 3), (1, 3)) == (batch, 3)
    assert broadcast_shapes((batch, 3), (batch, 1)) == (batch, 3)
    assert broadcast_dims(batch, 5) == 5
    assert broadcast_dims(other, -1) is other
    assert broadcast_dims(Symbol(), -1) == -1
    both = broadcast_dims(batch, Symbol(max=4))
    assert isinstance(both, Symbol)
    assert both.to_dict() == {"max": 8}
    assert broadcast_dims(Symbol(min=2, max=9, divisor=4), Symbol(min=2, divisor=6, remainder=2)) == 8
    for bad in (3, 0, Symbol(min=3, divisor=2, remainder=1)):
        with pytest.raises(ValueError, match="For 'broadcast', the dims must be equal or 1"):
            broadcast_dims(other, bad)
    with pytest.raises(ValueError, match=r"but got \(2, 3\) and \(4, 3\)"):
        broadcast_shapes((2, 3), (4, 3))


@pytest.mark.parametrize(
    ("shape", "want"), [((), 1), ((2, 3), 6), ((2, -1), -1), ((0, -1), 0), ((-1, 0), 0), ((-2,), -1), ((2, 0, 3), 0)]
)
def test_numel(shape: Shape, want: int) -> None:
    assert numel(shape) == want


def test_numel_of_symbols() -> None:
    total = numel((Symbol(max=8), 4))
    assert isinstance(total, Symbol)
    assert total.to_dict() == {"max": 32, "divisor": 4}


def test_predicates() -> None:
    assert is_dynamic_rank((-2,))
    assert not is_dynamic_rank((-1,))
    assert is_dynamic((2, Symbol()))
    assert is_dynamic((-2,))
    assert not is_dynamic(())


@pytest.mark.parametrize(
    ("given_", "want"),
    [(None, ANY_RANK), ([None, 3], (-1, 3)), ([-2], (-2,)), ([-1, None], (-1, -1)), ((), ()), ((2, 3), (2, 3))],
)
def test_declare(given_: Any, want: Shape) -> None:
    assert declare(given_) == want


@pytest.mark.parametrize(
    ("given_", "error", "text"),
    [
        ([2.0], TypeError, "For 'shape', each dim must be int, Symbol or None, but got float: 2.0."),
        ([True], TypeError, "For 'shape', each dim must be int, Symbol or None, but got bool: True."),
        ([-3], ValueError, "For 'shape', each dim must be >= -1, or -2 alone, but got [-3]."),
        ([-2, 1], ValueError, "For 'shape', each dim must be >= -1, or -2 alone, but got [-2, 1]."),
    ],
)
def test_declare_errors(given_: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        declare(given_)
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("shape", "declared", "fits"),
    [
        ((2, 3), None, True),
        ((2, 3), (-2,), True),
        ((), None, True),
        ((2, 3), (None, 3), True),
        ((2, 3), (-1, 4), False),
        ((2, 3), (2,), False),
        ((8,), (Symbol(divisor=4),), True),
        ((6,), (Symbol(divisor=4),), False),
        ((9,), (Symbol(max=8),), False),
        ((0,), (Symbol(),), False),
        ((0,), (-1,), True),
    ],
)
def test_matches(shape: tuple[int, ...], declared: Any, fits: bool) -> None:
    assert matches(shape, declared) is fits


def test_match_messages() -> None:
    with pytest.raises(ValueError, match=r"the rank must be 1, but got 2: \(2, 3\)"):
        check_match((2, 3), (2,))
    with pytest.raises(ValueError, match=r"the dim 1 must be 4, but got 3"):
        check_match((2, 3), (2, 4))


def test_unique_symbol_is_one_length_everywhere() -> None:
    batch = Symbol(unique=True)
    assert matches((4, 4), (batch, batch))
    with pytest.raises(ValueError, match="the dim 1 must be 4 as before, but got 5"):
        check_match((4, 5), (batch, batch))
    bound: dict[int, int] = {}
    check_match((4, 2), (batch, 2), bound)
    assert bound == {batch.id: 4}
    with pytest.raises(ValueError, match="the dim 0 must be 4 as before"):
        check_match((5,), (batch,), bound)
    assert bound == {batch.id: 4}
    loose = Symbol()
    assert matches((4, 5), (loose, loose))
