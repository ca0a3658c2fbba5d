"""Checks of constructor arguments; every one raises before any work is done, in the project's one error form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ms_kernels.opdef.errors import fail

__all__ = ["boolean", "choice", "instance", "integer", "pair", "real", "within"]


def _shown(value: object) -> str:
    return f"'{value}' with type '{type(value).__name__}'"


def integer(name: str, arg: str, value: Any, least: int = 1) -> int:
    """An int (no bool) of at least `least`.

    >>> integer("Dense", "in_channels", 3)
    3
    """
    if isinstance(value, bool) or not isinstance(value, int):
        fail(TypeError, name, f"'{arg}'", "be int", f"'{type(value).__name__}'")
    if value < least:
        fail(ValueError, name, f"'{arg}'", "be int and must " + ("> 0" if least == 1 else f">= {least}"), _shown(value))
    return value


def real(name: str, arg: str, value: Any, *, above: float | None = None, least: float | None = None) -> float:
    """A float, or an int that becomes one, above or not below a limit."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        fail(TypeError, name, f"'{arg}'", "be float", f"'{type(value).__name__}'")
    if above is not None and not value > above:
        fail(ValueError, name, f"'{arg}'", f"be float and must > {above:g}", _shown(value))
    if least is not None and not value >= least:
        fail(ValueError, name, f"'{arg}'", f"be float and must >= {least:g}", _shown(value))
    return float(value)


def within(name: str, arg: str, value: Any, low: float, high: float, ends: str = "[]") -> float:
    """A number between two limits; `ends` tells by its brackets which of them belong to the range."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        fail(TypeError, name, f"type of '{arg}'", "be one of '['float', 'int']'", f"type '{type(value).__name__}'")
    above = value >= low if ends[0] == "[" else value > low
    below = value <= high if ends[1] == "]" else value < high
    if not (above and below):
        fail(ValueError, name, f"'{arg}'", f"be a number in range {ends[0]}{low:g}, {high:g}{ends[1]}", str(value))
    return float(value)


def boolean(name: str, arg: str, value: Any) -> bool:
    """A bool and nothing else."""
    if not isinstance(value, bool):
        fail(TypeError, name, f"'{arg}'", "be a bool", type(value).__name__)
    return value


def choice(name: str, arg: str, value: Any, choices: Sequence[Any]) -> Any:
    """One of `choices`."""
    if value not in choices:
        fail(ValueError, name, f"'{arg}'", f"be in {list(choices)}", f"{value}")
    return value


def instance(name: str, arg: str, value: Any, kinds: type | tuple[type, ...], rule: str = "") -> Any:
    """An instance of one of `kinds`."""
    if not isinstance(value, kinds):
        many = kinds if isinstance(kinds, tuple) else (kinds,)
        wanted = rule or ", ".join(kind.__name__ for kind in many)
        fail(TypeError, name, f"type of '{arg}'", f"be {wanted}", f"type '{type(value).__name__}'")
    return value


def pair(name: str, arg: str, value: Any, size: int = 2, least: int = 1) -> tuple[int, ...]:
    """An int that stands for all `size` places, or a tuple of that many ints; each of at least `least`."""
    if isinstance(value, tuple) and len(value) == size:
        items = value
    elif isinstance(value, int) and not isinstance(value, bool):
        items = (value,) * size
    else:
        got = str(value) if isinstance(value, tuple) else f"'{type(value).__name__}'"
        fail(TypeError, name, f"'{arg}'", f"be int or a tuple of {size} ints", got)
    for item in items:
        integer(name, f"{arg} item", item, least)
    return tuple(items)
