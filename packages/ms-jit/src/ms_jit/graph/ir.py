"""The graph: values, the nodes that make them, and what flows in and out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["Graph", "Node", "Value", "map_values", "values_in"]


class Value:
    """One tensor of a graph.

    Attributes:
        shape: its dims, -1 where they may differ from run to run; None when the rank may, too.
        dtype: the element type (a dtype object), None when it may differ from run to run.
        node: the node that makes it; None for what flows in.
        index: which of the node's results it is.
        tensor: the tensor whose data it has at the time of a run, for a captured one; else None.
        constant: whether `tensor` never changes, so that its data may be used while compiling.
    """

    __slots__ = ("constant", "dtype", "index", "node", "shape", "tensor")

    def __init__(
        self,
        shape: tuple[int, ...] | None,
        dtype: Any,
        node: Node | None = None,
        index: int = 0,
        tensor: Any = None,
        constant: bool = False,
    ) -> None:
        self.shape, self.dtype, self.node, self.index = shape, dtype, node, index
        self.tensor, self.constant = tensor, constant

    @property
    def known(self) -> bool:
        """Whether all of the shape and the dtype are known."""
        return self.shape is not None and self.dtype is not None and all(n >= 0 for n in self.shape)


class Node:
    """One step.

    Attributes:
        op: an op of the table; or a step of `ms_jit.graph.steps`, called with the arguments.
        args: the op's arguments in its canonical order, with a `Value` for every tensor (also inside of lists).
        operands: the values among the arguments, in order, one for each use.
        outs: what it makes.
        source: "file:line" of the user's line that called it, "" when unknown.
        effect: whether it must run even when nobody uses its results, in its place among the other effects.
        shares: whether a result may share memory with an operand.
    """

    __slots__ = ("args", "effect", "op", "operands", "outs", "shares", "source")

    def __init__(
        self, op: Any, args: tuple[Any, ...], source: str = "", effect: bool = False, shares: bool = False
    ) -> None:
        self.op, self.args, self.source, self.effect, self.shares = op, args, source, effect, shares
        self.operands = tuple(values_in(args))
        self.outs: list[Value] = []

    def out(self, shape: tuple[int, ...] | None, dtype: Any) -> Value:
        """Add a result."""
        value = Value(shape, dtype, self, len(self.outs))
        self.outs.append(value)
        return value


class Graph:
    """Nodes in an order in which they can run, between inputs and outputs.

    Attributes:
        name: of the function that it was captured from.
        inputs: the values given at each run, in order.
        captured: the values of tensors from outside (weights, constants), in order of their first use.
        nodes: the steps, each after those that it needs.
        outputs: the results, in order; inputs and captured values may be among them.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.inputs: list[Value] = []
        self.captured: list[Value] = []
        self.nodes: list[Node] = []
        self.outputs: list[Value] = []

    def copy(self, nodes: list[Node] | None = None, outputs: list[Value] | None = None) -> Graph:
        """Return a graph with the same inputs and other nodes or outputs (the values and nodes are shared)."""
        made = Graph(self.name)
        made.inputs, made.captured = list(self.inputs), list(self.captured)
        made.nodes = list(self.nodes) if nodes is None else nodes
        made.outputs = list(self.outputs) if outputs is None else outputs
        return made


def values_in(args: Any) -> Iterator[Value]:
    """The values among arguments, also inside of lists."""
    for arg in args:
        if isinstance(arg, Value):
            yield arg
        elif type(arg) is list:
            yield from values_in(arg)


def map_values(args: Any, change: Callable[[Value], Any]) -> Any:
    """Return arguments with every value replaced by what `change` gives for it, also inside of lists."""
    return type(args)(
        change(arg) if isinstance(arg, Value) else map_values(arg, change) if type(arg) is list else arg for arg in args
    )
