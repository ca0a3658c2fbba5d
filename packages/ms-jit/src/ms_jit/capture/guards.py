"""What a graph takes from outside besides tensors: numbers and objects that must be the same at its next run."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ms_jit.capture.errors import Uncapturable
from ms_jit.capture.library import LIBRARY, foreign, root_of
from ms_jit.capture.snapshot import Contents, differing, is_held
from ms_kernels.core.checks import MISSING, same_value
from ms_kernels.core.tensor import TensorBase

if TYPE_CHECKING:
    from ms_jit.capture.tracer import Tracer

__all__ = ["Guards", "guard_attribute", "guard_cell", "guard_defaults", "guard_has", "guard_name", "is_cell"]

_PLAIN = (bool, int, float, complex, str, bytes, type(None))
_PROTOCOLS = tuple(
    f"__{name}__"
    for name in (
        *(
            "add",
            "radd",
            "sub",
            "rsub",
            "mul",
            "rmul",
            "truediv",
            "rtruediv",
            "matmul",
            "pow",
            "neg",
            "mod",
            "floordiv",
        ),
        *("getitem", "len", "iter", "contains", "enter", "bool", "index", "int", "float", "format", "lt", "le", "gt"),
        *("getattr", "getattribute"),
    )
)
_METHODS = (types.MethodType, types.BuiltinMethodType, types.MethodWrapperType)


class Guards:
    """The guards of a graph, each once; `ms_kernels.core.program.Entry` takes them."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, str], Any] = {}
        self._held: dict[int, Contents] = {}
        self._asked: list[Any] = []
        self._cells: dict[int, Any] = {}

    def add(self, holder: Any, name: str, value: Any) -> None:
        """Note that ``holder[name]`` (of a dict) or ``holder.name`` gave a value."""
        self._found.setdefault((id(holder), name), (holder, name, value))
        self.hold(value)

    def hold(self, value: Any) -> None:
        """Note the contents of a container that came from outside."""
        if is_held(value) and id(value) not in self._held:
            contents = Contents(value)
            self._held[id(value)] = contents
            for part in contents.containers():
                self._held.setdefault(id(part), contents)

    def ask(self, question: Any) -> None:
        """Add a callable that tells whether what was found is still so."""
        self._asked.append(question)

    def holds(self, value: Any) -> bool:
        """Whether a container came from outside."""
        return id(value) in self._held

    def intact(self) -> bool:
        """Whether the containers and names from outside are as they were when they were first read."""
        return all(contents() for contents in set(self._held.values())) and not any(
            differing(*found) for found in self._found.values()
        )

    def first_time(self, cell: Any) -> bool:
        """Whether a Cell was not met before."""
        if id(cell) in self._cells:
            return False
        self._cells[id(cell)] = cell
        return True

    def __iter__(self) -> Iterator[Any]:
        yield from self._found.values()
        yield from dict.fromkeys(self._held.values())
        yield from self._asked


class _Attribute:
    """A guard: an attribute that Python looks up by a class still gives the same."""

    def __init__(self, holder: Any, name: str, value: Any) -> None:
        self.holder, self.name, self.value = holder, name, value

    def __call__(self) -> bool:
        now = getattr(self.holder, self.name, MISSING)
        return type(now) is type(self.value) and bool(now == self.value)


def _refused(value: Any, name: str) -> None:
    """What goes on by itself is no part of a graph."""
    if hasattr(type(value), "__next__"):
        raise Uncapturable(f"'{name}' from outside is an iterator")
    if isinstance(value, (TensorBase, type)) or root_of(type(value).__module__).startswith(("ms_",)) or is_cell(value):
        return
    for kind in type(value).__mro__:
        if root_of(kind.__module__) and not kind.__module__.startswith("ms_"):
            own = [key for key in _PROTOCOLS if isinstance(vars(kind).get(key), types.FunctionType)]
            if own:
                raise Uncapturable(f"'{name}' from outside has an operator of its own: '{own[0]}'")


def guard_name(tracer: Tracer, fn: Any, name: str, value: Any) -> None:
    """A function read a global name, or one of a function around it."""
    if isinstance(value, types.ModuleType) or foreign(value):
        return
    _refused(value, name)
    free = fn.__code__.co_freevars
    if name in free:
        tracer.guards.add(fn.__closure__[free.index(name)], "cell_contents", value)
    elif name in fn.__globals__:
        tracer.guards.add(fn.__globals__, name, value)


def guard_attribute(tracer: Tracer, holder: Any, name: str, value: Any) -> None:
    """A function read an attribute."""
    if isinstance(holder, TensorBase) or foreign(value):
        return
    if isinstance(holder, types.ModuleType):
        if root_of(holder.__name__) and not isinstance(value, types.ModuleType):
            tracer.guards.add(vars(holder), name, value)
        elif is_held(value):
            tracer.guards.hold(value)
        return
    kind = holder if isinstance(holder, (type, types.FunctionType)) else type(holder)
    if foreign(kind) and (kind is holder or name not in getattr(holder, "__dict__", ())):
        return
    if kind.__module__.partition(".")[0] in LIBRARY:
        return
    if is_cell(value):
        _hold_tables(tracer, value)  # it may be gone through without being called
    _refused(value, name)
    own = getattr(holder, "__dict__", None)
    for table in ("_params", "_cells") if is_cell(holder) else ():
        if name in (getattr(holder, table, None) or {}):
            tracer.guards.add(getattr(holder, table), name, value)
    if name in ("__dict__", "__class__"):
        tracer.guards.hold(value)
    elif isinstance(own, dict) and name in own:
        tracer.guards.add(own, name, value)
    elif isinstance(value, _METHODS):
        tracer.guards.ask(_Attribute(holder, name, value))
    elif isinstance(value, _PLAIN) or is_held(value) or isinstance(holder, type) or callable(value):
        tracer.guards.add(holder, name, value)
    elif _steady(holder, name):  # a property may give another object each time
        tracer.guards.add(holder, name, getattr(holder, name))


def _steady(holder: Any, name: str) -> bool:
    """Whether an object gives one thing for a name each time."""
    return not is_cell(holder) and same_value(getattr(holder, name, MISSING), getattr(holder, name, MISSING))


def guard_has(tracer: Tracer, holder: Any, name: str, found: bool) -> None:
    """A function asked for an attribute that may be missing."""
    tracer.guards.ask(lambda: hasattr(holder, name) is found)


def is_cell(value: Any) -> bool:
    """Whether an object is a Cell."""
    return hasattr(type(value), "construct") and hasattr(type(value), "cells_and_names")


def guard_cell(tracer: Tracer, cell: Any) -> None:
    """A Cell was called: its numbers, texts and flags, its parameters and the cells in it must stay the same."""
    if not tracer.guards.first_time(cell):
        return
    for name, value in list(vars(cell).items()):
        own = is_held(value) and not isinstance(value, tuple) and not name.startswith("_")
        if own or isinstance(value, (*_PLAIN, tuple, TensorBase)):
            tracer.guards.add(vars(cell), name, value)
    for table in ("_params", "_cells"):
        for name, value in (getattr(cell, table, None) or {}).items():
            tracer.guards.add(getattr(cell, table), name, value)
    _hold_tables(tracer, cell)


def _hold_tables(tracer: Tracer, cell: Any) -> None:
    for table in ("_params", "_cells"):
        tracer.guards.hold(getattr(cell, table, None))


def guard_defaults(tracer: Tracer, fn: Any) -> None:
    """A function is called: its defaults must stay the same."""
    fn = getattr(fn, "__func__", fn)
    for name in ("__defaults__", "__kwdefaults__"):
        if getattr(fn, name, None) is not None:
            tracer.guards.add(fn, name, getattr(fn, name))
