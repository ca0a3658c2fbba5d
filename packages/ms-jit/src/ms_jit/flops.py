"""Counting the arithmetic of graphs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ms_jit.graph.flow import Cond, While
from ms_jit.graph.ir import Graph, Node, Value
from ms_jit.graph.steps import Call, Filled, Store

__all__ = ["Collector", "collector", "count", "flops_collection"]


def _elements(value: Any) -> int:
    """The number of elements of a value; a dim that may differ counts as 1."""
    return math.prod(max(n, 1) for n in value.shape or ())


def _product(node: Node) -> int:
    left: tuple[int, ...] = node.args[0].shape or (1,)
    return 2 * _elements(node.outs[0]) * max(left[-2] if node.args[2] and len(left) > 1 else left[-1], 1)


def _convolution(node: Node) -> int:
    weight: tuple[int, ...] = node.args[1].shape
    return 2 * _elements(node.outs[0]) * math.prod(weight[1:])


def _gradient_for_input(node: Node) -> int:
    weight: tuple[int, ...] = node.args[1].shape
    return 2 * _elements(node.args[0]) * math.prod(weight[1:])


def _gradient_for_weight(node: Node) -> int:
    grad, weight = node.args[0], node.outs[0].shape or ()
    return 2 * _elements(grad) * math.prod(weight[1:])


_RULES: dict[str, Callable[[Node], int]] = {
    "matrix_product": _product,
    "convolution": _convolution,
    "conv_grad_input": _gradient_for_input,
    "conv_grad_weight": _gradient_for_weight,
}


def count(graph: Graph) -> int:
    """Return the floating point operations of the matrix products and convolutions in a graph.

    A product or sum counts as one.  Of a branch the larger way counts, of a loop one round.

    >>> count(Graph("f"))
    0
    """
    total = 0
    for node in graph.nodes:
        op: Any = node.op
        if isinstance(op, Cond):
            total += max(count(inner) for inner in op.graphs)
        elif isinstance(op, While):
            total += sum(count(inner) for inner in op.graphs)
        elif not isinstance(op, Filled) and op.name in _RULES and all(isinstance(v, Value) for v in node.args[:2]):
            total += _RULES[op.name](node)
    return total


class Collector:
    """The newest graphs of the process: of one that changes tensors ("train"), and of one that does not."""

    def __init__(self) -> None:
        self.newest: dict[str, tuple[int, bool]] = {}

    def add(self, graph: Graph, dynamic: bool) -> None:
        """Count a graph that was captured."""
        changes = any(isinstance(node.op, (Call, Store)) for node in graph.nodes)
        self.newest["train" if changes else "predict"] = count(graph), dynamic


collector = Collector()


def flops_collection(phase: str = "train") -> tuple[int, int, int, int, bool]:
    """Count the newest graph (``mindspore.flops_collection``).

    Args:
        phase: "train": the newest graph that changes tensors, as a training step does; "predict": of the others.

    Returns:
        The operations of the model, those of the hardware (the same: nothing is computed twice unasked), both again for
        this device's share, and whether shapes may differ from run to run.

    Raises:
        TypeError: `phase` is no text.
        ValueError: it is another text.
        RuntimeError: there is no such graph yet.

    Examples:
        >>> import numpy as np
        >>> from ms_jit import jit
        >>> from ms_kernels import Tensor
        >>> x = Tensor(np.ones((2, 3), np.float32))
        >>> _ = jit(lambda x: x @ x.T)(x)
        >>> flops_collection("predict")[0]
        24
    """
    if not isinstance(phase, str):
        raise TypeError(f"For 'flops_collection', the 'phase' must be a str, but got {type(phase).__name__}.")
    if phase not in ("train", "predict"):
        raise ValueError(f"For 'flops_collection', the 'phase' must be 'train' or 'predict', but got '{phase}'.")
    if phase not in collector.newest:
        raise RuntimeError(f"For 'flops_collection', a graph must have run for phase '{phase}', but none has.")
    found, dynamic = collector.newest[phase]
    return found, found, found, found, dynamic
