"""Layers of ``mindspore.nn`` under mint's names of the call's arguments."""

from __future__ import annotations

from typing import Any

from ms_nn.cell import Cell

__all__ = ["taking_input", "taking_input_and_target"]


def _renamed(base: type[Cell], construct: Any) -> Any:
    construct.__doc__ = base.construct.__doc__
    # found where it is public, so that it can be pickled
    body = {"construct": construct, "__doc__": base.__doc__, "__module__": "ms_nn.mint.nn"}
    return type(base.__name__, (base,), body)


def taking_input(base: type[Cell]) -> Any:
    """The class with ``construct(self, input)``."""

    def construct(self: Any, input: Any) -> Any:
        return base.construct(self, input)

    return _renamed(base, construct)


def taking_input_and_target(base: type[Cell]) -> Any:
    """The class with ``construct(self, input, target)``."""

    def construct(self: Any, input: Any, target: Any) -> Any:
        return base.construct(self, input, target)

    return _renamed(base, construct)
