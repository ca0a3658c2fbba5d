"""Checks of datasets' arguments, in the words 2.6 uses in this part of its interface."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["INT32_MAX", "count_in", "of_type", "unique", "words"]

INT32_MAX = 2147483647


def of_type(arg: str, value: Any, *kinds: type) -> Any:
    """The value itself, when it is an instance of one of `kinds`; a bool is no int here.

    >>> of_type("count", 3, int)
    3
    """
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise TypeError(f"Argument {arg} with value {value} is not of type {list(kinds)}, but got {type(value)}.")
    return value


def count_in(arg: str, value: Any, least: int) -> int:
    """An int from `least` to the largest of 32 bits."""
    of_type(arg, value, int)
    if not least <= value <= INT32_MAX:
        raise ValueError(f"Input {arg} is not within the required interval of [{least}, {INT32_MAX}].")
    return int(value)


def words(arg: str, value: Any) -> list[str]:
    """A list of names out of one name, or a list or tuple of names; None is no name at all."""
    if value is None:
        return []
    names = [value] if isinstance(value, str) else list(of_type(arg, value, list, tuple))
    for i, name in enumerate(names):
        of_type(f"{arg}[{i}]", name, str)
    return names


def unique(arg: str, names: Sequence[str]) -> Sequence[str]:
    """The names, each of which may come once."""
    if len(set(names)) != len(names):
        raise ValueError(f"Every column name should not be same with others in {arg}.")
    return names
