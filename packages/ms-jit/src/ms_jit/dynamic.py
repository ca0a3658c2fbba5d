"""Graphs for many shapes: which dims may differ, and a graph's own say in which of them it serves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ms_dynshape.auto_dynamic_shape import (
    JitExecutor_,
    forget,
    get_auto_dynamic_shape_args,
    update_auto_dynamic_shape_phase,
)
from ms_jit.capture.dims import Guard
from ms_jit.declared import check_declared
from ms_jit.trees import check_of
from ms_kernels import Parameter
from ms_kernels.core.checks import Check
from ms_kernels.core.program import Entry
from ms_kernels.core.tensor import TensorBase

__all__ = ["Declared", "Shapes", "Shared", "loose_check"]


class Shapes:
    """The signatures that one function was called with, and the graphs that serve many of them.

    Follows ms_dynshape: two signatures are compiled as they are, from the third on differing tensors get unknown dims.
    """

    def __init__(self) -> None:
        self.shared: dict[str, list[Shared]] = {}
        self._phases: dict[str, str] = {}
        self._count = 0
        JitExecutor_.register(self)

    def __del__(self) -> None:
        forget(id(self))

    def unknown(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[list[int]], Any]:
        """Return the axes that may differ, for each tensor, and what to give to `compiled`."""
        asked = [*args, *kwargs.values()]
        wanted = get_auto_dynamic_shape_args(asked, id(self), True)
        axes: list[list[int]] = []
        _axes(asked, wanted, axes)
        return axes, wanted

    def compiled(self, wanted: Any, shared: Shared | None) -> None:
        """Note a graph that was made for what `unknown` gave."""
        key = str(_signature(wanted))
        phase = self._phases.get(key)
        if phase is None:
            self._count += 1
            phase = self._phases[key] = f"{id(self)}.{self._count}"
            update_auto_dynamic_shape_phase(wanted, id(self), phase)
        if shared is not None:
            self.shared.setdefault(phase, []).append(shared)

    def find(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Entry | None:
        """An entry for just these arguments, out of a graph that serves them; None without one."""
        for graphs in self.shared.values():
            for shared in graphs:
                found = shared.entry(args, kwargs)
                if found is not None:
                    return found
        return None

    def del_net_res(self, _obj: Any, phases: set[str]) -> None:
        """Drop the graphs of some phases."""
        for phase in phases:
            self.shared.pop(phase, None)
        self._phases = {key: phase for key, phase in self._phases.items() if phase not in phases}


class Declared:
    """The shapes that `set_inputs` declared: one graph for all lengths along their unknown dims.

    Args:
        inputs: a tensor, or other value, for each positional argument.
    """

    def __init__(self, inputs: Sequence[Any]) -> None:
        self.inputs = tuple(inputs)
        self.shared: list[Shared] = []

    def unknown(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[list[int]], Any]:
        """Return the axes that may differ, for each tensor.

        Raises:
            TypeError, ValueError: the arguments do not fit what was declared.
        """
        given = [*args, *kwargs.values()]
        check_declared(given, self.inputs)
        axes: list[list[int]] = []
        _axes(given, self.inputs, axes)
        return axes, None

    def compiled(self, _wanted: Any, shared: Shared | None) -> None:
        """Note a graph."""
        if shared is not None:
            self.shared.append(shared)

    def find(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Entry | None:
        """An entry for just these arguments, out of a graph that serves them; None without one."""
        return next((found for item in self.shared if (found := item.entry(args, kwargs)) is not None), None)


def _signature(wanted: Any) -> Any:
    """Shapes and dtypes of arguments to compile for; other things as they are."""
    if isinstance(wanted, TensorBase):
        return (tuple(wanted.shape), str(wanted.dtype))
    if isinstance(wanted, (list, tuple)):
        return [_signature(item) for item in wanted]
    return wanted


def _axes(args: Any, wanted: Any, found: list[list[int]]) -> None:
    for arg, want in zip(args, wanted):
        if isinstance(arg, TensorBase):
            shape = tuple(want.shape)
            found.append([i for i, n in enumerate(shape) if n == -1] if len(shape) == arg.ndim else [])
        elif isinstance(arg, (list, tuple)):
            _axes(arg, want, found)
        elif isinstance(arg, dict):
            _axes(arg.values(), arg.values(), found)


class Shared:
    """A graph that serves the shapes for which its guards hold.

    Args:
        loose: an entry that takes any length along the axes that may differ.
        guards: what must hold of the dims.
        stamp: makes an entry for exact arguments that shares the program of `loose`.
    """

    def __init__(self, loose: Entry, guards: Sequence[Guard], stamp: Callable[[Any, Any], Entry]) -> None:
        self.loose, self.guards, self.stamp = loose, guards, stamp

    def entry(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Entry | None:
        """The entry for arguments, None when the graph does not serve them."""
        tensors = self.loose.input_tensors(args, kwargs)
        if tensors is None:
            return None
        dims = {(i, axis): n for i, tensor in enumerate(tensors) for axis, n in enumerate(tensor.shape)}
        return self.stamp(args, kwargs) if all(guard.holds(dims) for guard in self.guards) else None


def loose_check(value: Any, axes: list[list[int]]) -> Any:
    """A check as `check_of`, for any length along the axes of each tensor; uses up `axes` from the front."""
    if isinstance(value, TensorBase):
        free = axes.pop(0)
        if isinstance(value, Parameter):
            return check_of(value)
        shape = tuple(-1 if i in free else n for i, n in enumerate(value.shape))
        return Check.tensor(type(value), value._kind, shape)
    if isinstance(value, (tuple, list)):
        return Check.sequence(type(value), [loose_check(item, axes) for item in value])
    if isinstance(value, dict):
        return Check.mapping(type(value), {key: loose_check(item, axes) for key, item in value.items()})
    return check_of(value)
