"""Passes: what each leaves out, and that the graph still gives the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ms_jit.capture.run import capture
from ms_jit.graph.check import GraphError, check
from ms_jit.graph.interpret import interpret
from ms_jit.graph.ir import Graph, Node, Value
from ms_jit.passes import drop_dead, fold_constants, optimize, share_common, simplify
from ms_kernels import Parameter, Tensor, functional
from ms_kernels.core.dispatch import ops_by_name

X = Tensor(np.array([[1.5, -2.0], [0.0, 4.0]], np.float32))


def ops_of(graph: Graph) -> list[str]:
    return [node.op.name for node in graph.nodes]


def after(fn: Any, run: Any, x: Any = X) -> Graph:
    before = capture(fn, (x,), {}, "f").graph
    names, count = ops_of(before), len(before.nodes)
    made: Graph = check(run(before))
    assert (ops_of(before), len(before.nodes)) == (names, count)  # the given graph is left alone
    for old, new in zip(interpret(before, [x]), interpret(made, [x]), strict=True):
        np.testing.assert_array_equal(old.asnumpy(), new.asnumpy())
    return made


def test_dead_nodes_go_and_effects_stay() -> None:
    weight = Parameter(Tensor(np.zeros(1, np.float32)), name="w")

    def f(x: Any) -> Any:
        functional.exp(x)
        weight.add_(1)
        return x + 1

    graph = after(f, drop_dead)
    assert ops_of(graph) == ["add", "store", "add"]


def test_equal_calls_are_done_once() -> None:
    def f(x: Any) -> Any:
        return (functional.exp(x) * functional.exp(x)).sum() + functional.exp(x * 1.0).sum() + functional.exp(-x).sum()

    assert ops_of(after(f, share_common)).count("exp") == 3
    assert ops_of(after(f, lambda g: share_common(simplify(g)))).count("exp") == 2


def test_nothing_is_shared_across_a_change() -> None:
    weight = Parameter(Tensor(np.ones((2, 2), np.float32)), name="w")

    def f(x: Any) -> Any:
        before = functional.exp(weight)
        weight.mul_(x)
        return before + functional.exp(weight) + functional.sin(x) + functional.sin(x)

    graph = optimize(capture(f, (X,), {}, "f").graph)
    assert ops_of(graph).count("exp") == 2 and ops_of(graph).count("sin") == 1


def test_views_of_what_changes_are_not_shared() -> None:
    def f(x: Any) -> Any:
        y = x + 0.5
        first = functional.exp(y[0])
        y.mul_(2)
        return first + functional.exp(y[0])

    graph = after(f, optimize)
    assert ops_of(graph).count("exp") == 2


def test_constants_are_computed_once_but_not_those_that_leave() -> None:
    def f(x: Any) -> Any:
        table = functional.exp(Tensor(np.arange(2, dtype=np.float32)))
        return x * table, functional.ones(2)

    graph = after(f, fold_constants)
    assert ops_of(graph).count("exp") == 0
    one, two = (interpret(graph, [X])[1] for _ in range(2))
    assert one is not two


def test_steps_that_change_nothing_go() -> None:
    def f(x: Any) -> Any:
        y = functional.reshape(x * 1, (2, 2)).astype(x.dtype) / 1
        y = functional.neg(functional.neg(y))
        return functional.exp(functional.swapaxes(functional.swapaxes(y, 0, 1), 0, 1)) + 0

    assert ops_of(drop_dead(after(f, lambda g: drop_dead(simplify(simplify(g)))))) == ["exp", "add"]


@pytest.mark.parametrize("value", [-0.0, float("nan"), float("inf")])
def test_bits_are_kept_for_special_numbers(value: float) -> None:
    x = Tensor(np.full((2, 2), value, np.float32))
    graph = optimize(capture(lambda x: (x + 0) * 1 - 0, (x,), {}, "f").graph)
    eager = ((x + 0) * 1 - 0).asnumpy()
    assert interpret(graph, [x])[0].asnumpy().tobytes() == eager.tobytes()


def test_a_broken_graph_is_found() -> None:
    add = ops_by_name["add"]
    value, graph = Value((), None), Graph("f")
    graph.outputs = [value]
    with pytest.raises(GraphError, match="output is not made"):
        check(graph)
    graph.inputs = [value]
    node = Node(add, (value, Value((), None), 1))
    graph.nodes = [node]
    with pytest.raises(GraphError, match="not made yet"):
        check(graph)
    node = Node(add, (value, value, 1))
    node.out((), None)
    graph.nodes = [node, node]
    with pytest.raises(GraphError, match="twice"):
        check(graph)


def test_a_long_chain_needs_no_recursion() -> None:
    graph = Graph("chain")
    value = Value((2, 2), X.dtype)
    graph.inputs = [value]
    add = ops_by_name["add"]
    for _ in range(20_000):
        node = Node(add, (value, 1, 1))
        value = node.out((2, 2), X.dtype)
        graph.nodes.append(node)
    graph.outputs = [value]
    assert len(optimize(graph).nodes) == 20_000
