"""A call's arguments as a node's: values for tensors, and holes for ints and arrays that the graph computes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ms_jit.capture.ints import TracedInt
from ms_jit.graph.ir import Value
from ms_jit.graph.steps import Hole
from ms_kernels.core.dispatch import Op
from ms_kernels.core.tensor import TensorBase, from_array

if TYPE_CHECKING:
    from ms_jit.capture.tracer import Tracer

__all__ = ["Template"]


class Template:
    """Makes a node's arguments of a call's."""

    def __init__(self, tracer: Tracer, op: Op) -> None:
        self.tracer, self.op = tracer, op
        self.values: list[Value] = []
        self.holes = False

    def fill(self, args: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[Value] | None]:
        """Return (arguments with values, None), or (a template, the values for its holes)."""
        found = [self._operand(arg) if kind else arg for arg, kind in zip(args, self.op.kinds)]
        if not any(_computed(self.tracer, arg) for arg in found):
            return tuple(found), None
        return tuple(self._hole(arg) for arg in found), self.values

    def _operand(self, arg: Any) -> Any:
        if isinstance(arg, TensorBase):
            return self.tracer.value_of(arg)
        if isinstance(arg, (list, tuple)) and any(isinstance(item, TensorBase) for item in arg):
            return [self._operand(item) for item in arg]
        if isinstance(arg, np.ndarray):
            return self.tracer.array_value(arg) or self.tracer.value_of(from_array(arg.copy()))
        return arg

    def _hole(self, arg: Any) -> Any:
        value, attribute = arg, True
        if isinstance(arg, Value):
            attribute = False
        elif type(arg) is TracedInt:
            value = self.tracer.int_value(arg)
        elif isinstance(arg, np.ndarray) and self.tracer.array_value(arg) is not None:
            value = self.tracer.array_value(arg)
        elif type(arg) in (tuple, list):
            return type(arg)(self._hole(item) for item in arg)
        elif type(arg) is slice:
            return slice(self._hole(arg.start), self._hole(arg.stop), self._hole(arg.step))
        else:
            return arg
        self.values.append(value)
        return Hole(len(self.values) - 1, attribute)


def _computed(tracer: Tracer, arg: Any) -> bool:
    """Whether an attribute is, or holds, an int or an array that the graph computes."""
    if type(arg) is TracedInt:
        return True
    if isinstance(arg, np.ndarray):
        return tracer.array_value(arg) is not None
    if type(arg) in (tuple, list):
        return any(_computed(tracer, item) for item in arg)
    return type(arg) is slice and any(_computed(tracer, item) for item in (arg.start, arg.stop, arg.step))
