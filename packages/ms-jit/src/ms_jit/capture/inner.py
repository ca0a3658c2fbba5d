"""The tracer of a branch or a loop's body: a graph inside of another."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ms_jit.capture.tracer import Tracer
from ms_jit.graph.ir import Value
from ms_kernels.core.tensor import TensorBase, alias

if TYPE_CHECKING:
    from ms_jit.capture.undo import Undo

__all__ = ["Inner"]


class Inner(Tracer):
    """Captures a part of what another tracer captures.

    What it uses from around becomes an input; nothing is captured by its graph itself.

    Attributes:
        imports: the outer graph's values behind these inputs, in order.
        tensors: the tensors that they are now.
    """

    def __init__(self, outer: Tracer, undo: Undo) -> None:
        super().__init__(outer.graph.name)
        self.outer, self.undo = outer, undo
        self.guards, self.reads, self.control = outer.guards, outer.reads, outer.control
        self._fresh, self.failures, self.numbers = outer._fresh, outer.failures, outer.numbers
        self._imported: dict[int, Value] = {}
        self.imports: list[Value] = []
        self.tensors: list[TensorBase] = []

    def value_of(self, tensor: TensorBase) -> Value:
        """The value of a tensor, brought in from around if it has none here."""
        known = self._values.get(id(alias(tensor)._raw))
        if known is not None:
            return known
        outer = self.outer.value_of(tensor)
        self.imports.append(outer)
        self.tensors.append(tensor)
        value = self._name(tensor, Value(tensor.shape, tensor.dtype))
        self.graph.inputs.append(value)
        self._imported[id(value)] = outer
        return value

    def traced(self, tensor: TensorBase) -> bool:
        """Whether a tensor's numbers differ from run to run."""
        value = self._values.get(id(tensor._raw))
        return self.outer.traced(tensor) if value is None or id(value) in self._imported else True

    def is_constant(self, value: Value) -> bool:
        """Whether a value is a tensor that the code itself made of Python's numbers."""
        outer = self._imported.get(id(value))
        return value.constant if outer is None else self.outer.is_constant(outer)

    def keep_constant(self, value: Value, tensor: TensorBase) -> None:
        """Let a constant keep the numbers that the tensor has now."""
        outer = self._imported.get(id(value))
        super().keep_constant(value, tensor) if outer is None else self.outer.keep_constant(outer, tensor)

    def later(self, work: Callable[[], None]) -> None:
        """Leave work for the end of the whole capture."""
        self.outer.later(work)
