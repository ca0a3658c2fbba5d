"""Leaving out steps that change nothing."""

from __future__ import annotations

from typing import Any

from ms_jit.graph.ir import Graph, Node, Value
from ms_jit.passes.effects import Changes, pure
from ms_jit.passes.rewrite import rewrite

__all__ = ["simplify"]


def simplify(graph: Graph) -> Graph:
    """Return the graph without products by 1, double negations, and casts, reshapes and transpositions to the same.

    Only where no bit of the result differs, and where the result neither leaves the graph nor is changed: there its own
    memory counts.
    """
    changes = Changes(graph)
    leaving = {id(value) for value in graph.outputs}

    def follow(new: Value, old: Value) -> None:
        changes.follow(new, old)
        if id(old) in leaving:
            leaving.add(id(new))

    def instead(node: Node) -> list[Value] | None:
        if not pure(node) or len(node.outs) != 1 or not node.args or changes.touches(node):
            return None
        rule = _RULES.get(node.op.name)
        out = node.outs[0]
        if rule is None or not out.known or id(out) in leaving:
            return None
        found = rule(node, out)
        if found is None or found in changes or found.shape != out.shape or found.dtype != out.dtype:
            return None
        return [found]

    return rewrite(graph, instead, follow)


def _first(node: Node, _out: Value) -> Value | None:
    arg = node.args[0]
    return arg if isinstance(arg, Value) else None


def _by_one(node: Node, _out: Value) -> Value | None:
    left, right = node.args[:2]
    if isinstance(left, Value) and _is_one(right):
        return left
    return right if isinstance(right, Value) and _is_one(left) and node.op.name == "mul" else None


def _is_one(value: Any) -> bool:
    return type(value) in (int, float) and value == 1


def _twice(node: Node, _out: Value) -> Value | None:
    """The operand of the same op below: two negations, two swaps of the same axes."""
    inner = node.args[0]
    if not isinstance(inner, Value) or inner.node is None or inner.node.op is not node.op:
        return None
    below = inner.node.args
    return below[0] if below[1:] == node.args[1:] and isinstance(below[0], Value) else None


def _identity_order(node: Node, _out: Value) -> Value | None:
    order = node.args[1]
    plain = isinstance(order, tuple) and all(type(axis) is int for axis in order)
    return _first(node, _out) if plain and [a % len(order) for a in order] == list(range(len(order))) else None


# these give their operand back when shape and dtype stay the same
_SAME = ("broadcast_np", "broadcast_to", "cast", "cast_np", "reshape", "squeeze", "sum_to", "unsqueeze", "flatten")
_RULES = {
    **dict.fromkeys(_SAME, _first),
    "mul": _by_one,
    "true_divide": _by_one,
    "neg": _twice,
    "swapaxes": _twice,
    "permute": _identity_order,
}
