"""For tests: graphs made by hand, their inputs, and the comparison bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_jit.graph.ir import Graph, Node, Value
from ms_kernels import Tensor
from ms_kernels.core.dispatch import dispatch, ops_by_name

__all__ = ["Maker", "assert_same", "names", "tensors"]


class Maker:
    """Adds nodes to a graph; each op is run on zeros to learn what it gives."""

    def __init__(self, name: str = "f") -> None:
        self.graph = Graph(name)

    def input(self, *shape: int, dtype: Any = mstype.float32) -> Value:
        """Add an input."""
        value = Value(shape, dtype)
        self.graph.inputs.append(value)
        return value

    def captured(self, tensor: Any) -> Value:
        """Add a tensor from outside."""
        value = Value(tensor.shape, tensor.dtype, tensor=tensor)
        self.graph.captured.append(value)
        return value

    def op(self, name: str, *args: Any) -> Value:
        """Add a call of an op with one result; attributes that are left out have their defaults."""
        op = ops_by_name[name]
        full = (*args, *op.defaults[len(op.defaults) - op.arity + len(args) :]) if len(args) < op.arity else args
        node = Node(op, full)
        zeros = tuple(
            Tensor(np.zeros([max(n, 1) for n in arg.shape or ()], arg.dtype.np)) if isinstance(arg, Value) else arg
            for arg in full
        )
        made = dispatch(op, zeros)
        unknown = any(isinstance(arg, Value) and -1 in (arg.shape or ()) for arg in full)
        shape = (-1, *made.shape[1:]) if unknown else made.shape
        self.graph.nodes.append(node)
        return node.out(shape, made.dtype)

    def step(self, step: Any, *args: Any, effect: bool = False, outs: int = 0) -> list[Value]:
        """Add any other step, whose results are like its first operand."""
        node = Node(step, args, effect=effect)
        self.graph.nodes.append(node)
        return [node.out(args[0].shape, args[0].dtype) for _ in range(outs)]

    def outputs(self, *values: Value) -> Graph:
        """Say what the results are; returns the graph."""
        self.graph.outputs = list(values)
        return self.graph


def names(graph: Graph) -> list[str]:
    """What the nodes do, in order."""
    return [node.op.name for node in graph.nodes]


def tensors(graph: Graph, seed: int = 0) -> tuple[Any, ...]:
    """Random inputs for a graph."""
    rng = np.random.default_rng(seed)
    made = []
    for value in graph.inputs:
        numbers = rng.normal(size=[5 if n < 0 else n for n in value.shape or ()])
        made.append(Tensor(np.asarray(numbers > 0 if value.dtype is mstype.bool_ else numbers).astype(value.dtype.np)))
    return tuple(made)


def assert_same(got: Any, want: Any) -> None:
    """Two lists of tensors are equal bit for bit."""
    for one, two in zip(got, want, strict=True):
        assert one.dtype is two.dtype and one.shape == two.shape
        assert one._a.tobytes() == two._a.tobytes()
