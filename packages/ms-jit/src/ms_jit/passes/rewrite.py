"""Replacing values by others all over a graph."""

from __future__ import annotations

from collections.abc import Callable

from ms_jit.graph.ir import Graph, Node, Value, map_values

__all__ = ["rewrite"]


def rewrite(
    graph: Graph, instead: Callable[[Node], list[Value] | None], follow: Callable[[Value, Value], None] | None = None
) -> Graph:
    """Return the graph without the nodes for which `instead` gives other values for their results.

    `instead` sees each node, in order, with operands that are replaced already.  The given graph is left as it is.
    `follow` is told of each new value that takes the place of an old one, before `instead` sees its node.
    """
    new: dict[int, Value] = {}

    def current(value: Value) -> Value:
        return new.get(id(value), value)

    nodes, gone = [], []  # those left out live on as long as their values' ids are keys
    for node in graph.nodes:
        moved = node
        if any(id(value) in new for value in node.operands):
            moved = Node(node.op, map_values(node.args, current), node.source, node.effect, node.shares)
            for out in node.outs:
                new[id(out)] = moved.out(out.shape, out.dtype)
                if follow is not None:
                    follow(new[id(out)], out)
        found = instead(moved)
        if found is None:
            nodes.append(moved)
        else:
            gone.append(moved)
            for old, out, value in zip(node.outs, moved.outs, found):
                new[id(old)] = new[id(out)] = value
    return graph.copy(nodes=nodes, outputs=[current(value) for value in graph.outputs])
