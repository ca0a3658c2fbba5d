"""Dropping what nobody uses."""

from __future__ import annotations

from ms_jit.graph.ir import Graph, Node

__all__ = ["drop_dead"]


def drop_dead(graph: Graph) -> Graph:
    """Return the graph without nodes whose results nobody needs; nodes with an effect stay.

    Captured tensors that nobody uses any more are dropped too.
    """
    needed = {id(value) for value in graph.outputs}
    kept: list[Node] = []
    for node in reversed(graph.nodes):
        if node.effect or any(id(out) in needed for out in node.outs):
            kept.append(node)
            needed.update(id(value) for value in node.operands)
    made = graph.copy(nodes=kept[::-1])
    made.captured = [value for value in graph.captured if id(value) in needed]
    return made
