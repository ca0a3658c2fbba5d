"""What always holds for a graph; checked after every pass."""

from __future__ import annotations

from ms_jit.graph.ir import Graph

__all__ = ["GraphError", "check"]


class GraphError(AssertionError):
    """A graph that breaks one of the rules: an error in the pass that made it."""


def check(graph: Graph) -> Graph:
    """Return the graph itself.

    Raises:
        GraphError: a value is used before it is made or made twice, a node's result does not know its node, a captured
            value has no tensor, or an output is nobody's.
    """
    made: set[int] = set()
    for value in (*graph.inputs, *graph.captured):
        if id(value) in made:
            raise GraphError(f"{graph.name}: a value comes in twice")
        if value.node is not None:
            raise GraphError(f"{graph.name}: a value that comes in has a node")
        made.add(id(value))
    if any(value.tensor is None for value in graph.captured):
        raise GraphError(f"{graph.name}: a captured value has no tensor")
    for node in graph.nodes:
        for value in node.operands:
            if id(value) not in made:
                raise GraphError(f"{graph.name}: '{node.op.name}' uses a value that is not made yet")
        for i, value in enumerate(node.outs):
            if value.node is not node or value.index != i:
                raise GraphError(f"{graph.name}: a result of '{node.op.name}' does not know where it comes from")
            if id(value) in made:
                raise GraphError(f"{graph.name}: '{node.op.name}' makes a value twice")
            made.add(id(value))
    for value in graph.outputs:
        if id(value) not in made:
            raise GraphError(f"{graph.name}: an output is not made")
    return graph
