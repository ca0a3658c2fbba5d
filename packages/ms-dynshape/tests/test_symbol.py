"""Symbol: arguments, messages and printed form as MindSpore 2.6."""

from __future__ import annotations

import copy
import inspect
import pickle
from typing import Any

import pytest

from ms_dynshape import Symbol


def test_signature() -> None:
    assert str(inspect.signature(Symbol)) == (
        "(max: 'int' = 0, min: 'int' = 1, divisor: 'int' = 1, remainder: 'int' = 0, unique: 'bool' = False, "
        "**kwargs: 'Any') -> 'None'"
    )


@pytest.mark.parametrize(
    ("kwargs", "want"),
    [
        ({}, {}),
        ({"max": 8}, {"max": 8}),
        ({"max": -1}, {}),
        ({"max": 1, "min": 2}, {"min": 2}),
        ({"max": 2, "min": 2}, {"min": 2}),
        ({"min": 5}, {"min": 5}),
        ({"divisor": 3, "remainder": 2}, {"divisor": 3, "remainder": 2}),
        ({"divisor": 8, "min": 3}, {"divisor": 8}),
        ({"max": 7, "divisor": 8}, {"max": 7, "divisor": 8}),
        ({"divisor": 2, "min": 3}, {"min": 3, "divisor": 2}),
        ({"divisor": 2, "remainder": 1, "min": 3}, {"divisor": 2, "remainder": 1}),
        ({"divisor": 8, "remainder": 1, "min": 9}, {"divisor": 8, "remainder": 1}),
        ({"divisor": 8, "remainder": 1, "min": 12, "max": 12}, {"min": 12, "divisor": 8, "remainder": 1}),
        ({"divisor": True}, {}),
        ({"remainder": False}, {}),
        ({"misspelt": 1}, {}),
    ],
)
def test_to_dict(kwargs: dict[str, Any], want: dict[str, int]) -> None:
    symbol = Symbol(**kwargs)
    assert symbol.to_dict() == want
    assert list(symbol.to_dict()) == list(want)
    assert str(symbol) == str(want)


def test_unique_tells_its_id() -> None:
    symbol = Symbol(max=10, divisor=4, remainder=1, unique=True)
    assert symbol.to_dict() == {"max": 10, "divisor": 4, "remainder": 1, "id": symbol.id}
    assert symbol.id == id(symbol)


@pytest.mark.parametrize(
    ("kwargs", "error", "text"),
    [
        ({"min": 0}, ValueError, "For 'Symbol', the 'min' value should be positive, but got 0"),
        ({"divisor": -1}, ValueError, "For 'Symbol', the 'divisor' value should be positive, but got -1"),
        (
            {"divisor": 3, "remainder": 3},
            ValueError,
            "For 'Symbol', the 'remainder' value should be in the range '[0, 3)', but got 3",
        ),
        (
            {"remainder": -1},
            ValueError,
            "For 'Symbol', the 'remainder' value should be in the range '[0, 1)', but got -1",
        ),
        ({"max": "a"}, TypeError, "For 'Symbol', the argument 'max' must be int, but got <class 'str'>"),
        ({"min": 1.0}, TypeError, "For 'Symbol', the argument 'min' must be int, but got <class 'float'>"),
        ({"divisor": None}, TypeError, "For 'Symbol', the argument 'divisor' must be int, but got <class 'NoneType'>"),
        ({"remainder": 1.5}, TypeError, "For 'Symbol', the argument 'remainder' must be int, but got <class 'float'>"),
        ({"unique": 1}, TypeError, "For 'Symbol', the argument 'unique' must be bool, but got <class 'int'>"),
    ],
)
def test_errors(kwargs: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        Symbol(**kwargs)
    assert str(caught.value) == text


def test_equality_is_identity_and_copies_keep_the_facts() -> None:
    symbol = Symbol(max=4)
    assert symbol == symbol
    assert symbol != Symbol(max=4)
    assert hash(symbol) == hash(symbol)
    for twin in (copy.deepcopy(symbol), pickle.loads(pickle.dumps(symbol))):
        assert twin.to_dict() == {"max": 4}


def test_no_arithmetic_on_the_object() -> None:
    with pytest.raises(TypeError):
        Symbol() + 1  # type: ignore[operator]
