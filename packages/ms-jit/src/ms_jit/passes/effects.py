"""What the passes must know of changes in place: which values may change between two nodes."""

from __future__ import annotations

from ms_jit.graph.ir import Graph, Node, Value
from ms_jit.graph.steps import Step, Store

__all__ = ["Changes", "pure"]


def pure(node: Node) -> bool:
    """Whether a node does nothing but make its results."""
    return not node.effect and not isinstance(node.op, Step)


class Changes:
    """The values whose numbers may differ from one place in the graph to another.

    These are the captured tensors that are no constants, once anything at all is changed, and the values that share
    memory with one that is stored to or given to a call.
    """

    def __init__(self, graph: Graph) -> None:
        self._root: dict[int, Value] = {}
        changed: list[Value] = []
        for node in graph.nodes:
            if node.shares:
                for out in node.outs:
                    for value in node.operands:
                        self._join(out, value)
            if node.effect:
                changed += node.operands[:1] if isinstance(node.op, Store) else node.operands
        if any(node.effect for node in graph.nodes):
            changed += [value for value in graph.captured if not value.constant]
        self._changed = {id(self._find(value)) for value in changed}

    def _find(self, value: Value) -> Value:
        root = value
        while id(root) in self._root:
            root = self._root[id(root)]
        while value is not root:
            above = self._root[id(value)]
            self._root[id(value)] = root
            value = above
        return root

    def _join(self, one: Value, other: Value) -> None:
        first, second = self._find(one), self._find(other)
        if first is not second:
            self._root[id(first)] = second

    def follow(self, new: Value, old: Value) -> None:
        """Let a value that takes the place of another be known as that one."""
        self._root[id(new)] = self._find(old)

    def __contains__(self, value: Value) -> bool:
        return id(self._find(value)) in self._changed

    def touches(self, node: Node) -> bool:
        """Whether a node reads or shares memory with what may change."""
        return any(value in self for value in (*node.operands, *node.outs))
