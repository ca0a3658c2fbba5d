"""Computing what only constants go into."""

from __future__ import annotations

from ms_jit.graph.interpret import run_node
from ms_jit.graph.ir import Graph, Node, Value, map_values
from ms_jit.passes.effects import Changes, pure
from ms_jit.passes.rewrite import rewrite

__all__ = ["fold_constants"]

MOST_BYTES = 1 << 20  # larger results are made at each run: a graph must not hold on to that much


def fold_constants(graph: Graph) -> Graph:
    """Return the graph with the results of nodes that use constants alone computed now.

    Results that leave the graph, or that something changes, are left: each run needs its own.
    """
    changes = Changes(graph)
    leaving = {id(value) for value in graph.outputs}
    folded: list[Value] = []

    def instead(node: Node) -> list[Value] | None:
        if not pure(node) or not all(value.constant for value in node.operands):
            return None
        if any(id(out) in leaving or out in changes or not _small(out) for out in node.outs):
            return None
        results = run_node(node, map_values(node.args, lambda value: value.tensor))
        found = [Value(out.shape, out.dtype, tensor=result, constant=True) for out, result in zip(node.outs, results)]
        folded.extend(found)
        return found

    made = rewrite(graph, instead)
    made.captured += folded
    return made


def _small(value: Value) -> bool:
    if value.shape is None or not value.known:
        return False
    size = value.dtype.itemsize
    for n in value.shape:
        size *= n
    return bool(size <= MOST_BYTES)
