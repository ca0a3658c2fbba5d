"""Running a graph node by node in plain Python: slow, and what every executor must agree with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ms_jit.graph.ir import Graph, Node, Value, map_values
from ms_kernels.core.dispatch import Op, dispatch

__all__ = ["interpret", "run_node"]


def run_node(node: Node, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Run one node on tensors; returns its results."""
    out = dispatch(node.op, args) if isinstance(node.op, Op) else node.op(*args)
    return out if isinstance(out, tuple) else (out,)


def interpret(graph: Graph, inputs: Sequence[Any]) -> list[Any]:
    """Run a graph on input tensors; returns the outputs.

    >>> graph = Graph("f")
    >>> graph.inputs = graph.outputs = [Value((), None)]
    >>> interpret(graph, ["a tensor"])
    ['a tensor']
    """
    known: dict[int, Any] = {id(value): tensor for value, tensor in zip(graph.inputs, inputs)}
    known.update((id(value), value.tensor) for value in graph.captured)

    def found(value: Value) -> Any:
        return known[id(value)]

    for node in graph.nodes:
        for out, tensor in zip(node.outs, run_node(node, map_values(node.args, found))):
            known[id(out)] = tensor
    return [found(value) for value in graph.outputs]
