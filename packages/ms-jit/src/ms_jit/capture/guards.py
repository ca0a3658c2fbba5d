"""What a graph takes from outside besides tensors: numbers and objects that must be the same at its next run."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ms_jit.capture.library import LIBRARY
from ms_kernels.core.checks import same_value
from ms_kernels.core.tensor import TensorBase

if TYPE_CHECKING:
    from ms_jit.capture.tracer import Tracer

__all__ = ["Guards", "guard_attribute", "guard_cell", "guard_name"]

_FIXED = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type)
_PLAIN = (bool, int, float, complex, str, bytes, type(None))
_HELD = (list, dict, set)


class Guards:
    """The guards of a graph, each once; `ms_kernels.core.program.Entry` takes them."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, str], Any] = {}
        self._held: dict[int, Any] = {}
        self._cells: dict[int, Any] = {}

    def add(self, holder: Any, name: str, value: Any) -> None:
        """Note that ``holder[name]`` (of a dict) or ``holder.name`` gave a value."""
        self._found.setdefault((id(holder), name), (holder, name, value))
        if isinstance(value, _HELD) and id(value) not in self._held:
            self._held[id(value)] = _Contents(value)

    def holds(self, value: Any) -> bool:
        """Whether a container came from outside."""
        return id(value) in self._held

    def first_time(self, cell: Any) -> bool:
        """Whether a Cell was not met before."""
        if id(cell) in self._cells:
            return False
        self._cells[id(cell)] = cell
        return True

    def __iter__(self) -> Iterator[Any]:
        yield from self._found.values()
        yield from self._held.values()


class _Contents:
    """A guard: a list, dict or set still holds what it held."""

    def __init__(self, holder: Any) -> None:
        self.holder = holder
        self.items = _items(holder)

    def __call__(self) -> bool:
        now = _items(self.holder)
        return len(now) == len(self.items) and all(a is b or same_value(a, b) for a, b in zip(now, self.items))


def _items(holder: Any) -> list[Any]:
    if isinstance(holder, dict):
        return [*holder, *holder.values()]
    return sorted(holder, key=repr) if isinstance(holder, set) else list(holder)


def guard_name(tracer: Tracer, fn: Any, name: str, value: Any) -> None:
    """A function read a global name, or one of a function around it."""
    if isinstance(value, _FIXED):
        return
    free = fn.__code__.co_freevars
    if name in free:
        tracer.guards.add(fn.__closure__[free.index(name)], "cell_contents", value)
    elif name in fn.__globals__:
        tracer.guards.add(fn.__globals__, name, value)


def guard_attribute(tracer: Tracer, holder: Any, name: str, value: Any) -> None:
    """A function read an attribute."""
    if isinstance(holder, (TensorBase, type)) or isinstance(value, (types.MethodType, *_FIXED)) or _is_cell(holder):
        return
    home = getattr(holder, "__name__" if isinstance(holder, types.ModuleType) else "__module__", None) or ""
    if home.partition(".")[0] in LIBRARY:
        return
    own = getattr(holder, "__dict__", None)
    if isinstance(own, dict) and name in own:
        tracer.guards.add(own, name, value)
    elif isinstance(value, _PLAIN):
        tracer.guards.add(holder, name, value)


def _is_cell(value: Any) -> bool:
    return hasattr(type(value), "construct") and hasattr(type(value), "cells_and_names")


def guard_cell(tracer: Tracer, cell: Any) -> None:
    """A Cell was called: its numbers, texts and flags, its parameters and the cells in it must stay the same."""
    if not tracer.guards.first_time(cell):
        return
    for name, value in list(vars(cell).items()):
        own = isinstance(value, _HELD) and not name.startswith("_")
        if own or isinstance(value, (*_PLAIN, tuple, TensorBase)):
            tracer.guards.add(vars(cell), name, value)
    for table in ("_params", "_cells"):
        for name, value in (getattr(cell, table, None) or {}).items():
            tracer.guards.add(getattr(cell, table), name, value)
