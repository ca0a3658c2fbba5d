"""Computing equal things once."""

from __future__ import annotations

from typing import Any

from ms_jit.graph.ir import Graph, Node, Value
from ms_jit.passes.effects import Changes, pure
from ms_jit.passes.rewrite import rewrite

__all__ = ["share_common"]


def _key(arg: Any) -> Any:
    if isinstance(arg, Value):
        return (Value, id(arg))
    if isinstance(arg, (list, tuple)):
        return (type(arg), *map(_key, arg))
    if isinstance(arg, slice):
        return (slice, _key(arg.start), _key(arg.stop), _key(arg.step))
    hash(arg)
    return (type(arg), repr(arg) if isinstance(arg, float) else arg)  # 0.0 == -0.0, but is another number


def share_common(graph: Graph) -> Graph:
    """Return the graph with equal calls done once, where nothing that they use changes between them.

    A result that leaves the graph is not shared: whoever gets it may change it.
    """
    changes = Changes(graph)
    leaving = {id(value) for value in graph.outputs}
    known: dict[Any, Node] = {}
    epoch = 0

    def follow(new: Value, old: Value) -> None:
        changes.follow(new, old)
        if id(old) in leaving:
            leaving.add(id(new))

    def instead(node: Node) -> list[Value] | None:
        nonlocal epoch
        epoch += node.effect
        if not pure(node) or any(id(out) in leaving for out in node.outs):
            return None
        try:
            key = (node.op.name, epoch if changes.touches(node) else -1, *map(_key, node.args))
            before = known.setdefault(key, node)
        except TypeError:  # an attribute that cannot be hashed
            return None
        return None if before is node or any(out in changes for out in before.outs) else before.outs

    return rewrite(graph, instead, follow)
