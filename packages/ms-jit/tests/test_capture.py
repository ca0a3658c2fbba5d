"""Capture: what becomes a graph, that the graph does the same, and what is taken back when it cannot be one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ms_jit.api import jit
from ms_jit.capture.errors import Uncapturable
from ms_jit.capture.run import capture
from ms_jit.graph.interpret import interpret
from ms_jit.graph.text import dot, text
from ms_kernels import Parameter, Tensor, functional, grad, value_and_grad
from ms_kernels.random.stream import default_stream


def tensor(*values: float) -> Tensor:
    return Tensor(np.array(values, np.float32))


def captured(fn: Any, *args: Any, rewrite: bool = False) -> Any:
    return capture(fn, args, {}, fn.__name__, rewrite)


def test_a_graph_does_what_the_function_did() -> None:
    def f(x: Any, y: Any) -> Any:
        return {"sum": (x * y).sum(), "rest": [x + 1, 5, (y,)]}

    x, y = tensor(1, 2), tensor(3, 4)
    found = captured(f, x, y)
    assert found.result["sum"].item() == 11 and found.result["rest"][1] == 5 and found.result["rest"][2][0] is y
    total, more, same = interpret(found.graph, [tensor(5, 6), tensor(1, 1)])
    assert total.item() == 11 and more.asnumpy().tolist() == [6, 7] and same.asnumpy().tolist() == [1, 1]


def test_the_printed_graph_and_its_dot() -> None:
    def f(x: Any) -> Any:
        return functional.exp(x) * 2

    graph = captured(f, tensor(1, 2)).graph
    assert text(graph) == (
        "graph f(%a0: Float32[2]):\n  %0: Float32[2] = exp(%a0)\n  %1: Float32[2] = mul(%0, 2)\n  return %1"
    )
    assert "# " in text(graph, sources=True) and __file__ in text(graph, sources=True)
    assert dot(graph).count("->") == 3 and dot(graph).startswith('digraph "f" {')


def test_the_same_tensor_twice_or_from_outside_is_told_apart() -> None:
    w = tensor(10, 10)
    compiled = jit(lambda x, y: x + y * w)
    assert compiled(w, w).asnumpy().tolist() == [110, 110]
    assert compiled(tensor(1, 1), tensor(2, 2)).asnumpy().tolist() == [21, 21]
    assert compiled.hits == 1


def test_captured_tensors_are_read_at_each_run() -> None:
    w = Parameter(tensor(1, 2), name="w")
    compiled = jit(lambda x: x * w)
    assert compiled(tensor(1, 1)).asnumpy().tolist() == [1, 2]
    w.set_data(tensor(3, 4))
    assert compiled(tensor(1, 1)).asnumpy().tolist() == [3, 4]
    w.set_data(Tensor(np.ones((2, 2), np.float32)), slice_shape=True)
    assert compiled(tensor(1, 1)).shape == (2, 2)


def test_changes_in_place_are_repeated() -> None:
    counter = Parameter(tensor(0), name="counter")

    def f(x: Any) -> Any:
        counter.add_(1)
        total = Tensor(np.zeros(1, np.float32))
        total.add_(x)
        x[0] = 7
        return total * counter

    compiled = jit(f)
    results = []
    for _ in range(3):
        x = tensor(2)
        results.append(compiled(x).item())
        assert x.item() == 7
    assert results == [2, 4, 6] and counter.item() == 3 and compiled.hits == 2


def test_random_numbers_are_drawn_anew_and_as_eager_draws_them() -> None:
    def f(x: Any) -> Any:
        return functional.dropout(x, 0.5) + functional.rand_like(x)

    x = Tensor(np.ones(64, np.float32))
    default_stream().set(3)
    eager = [f(x).asnumpy() for _ in range(3)]
    default_stream().set(3)
    compiled = jit(f)
    for one in eager:
        np.testing.assert_array_equal(compiled(x).asnumpy(), one)
    assert compiled.hits == 2


def test_gradients_inside_and_around() -> None:
    w = Parameter(tensor(2), name="w")

    def loss(x: Any) -> Any:
        return (x * x * w).sum()

    inside = jit(lambda x: value_and_grad(loss, 0, w)(x))
    around = value_and_grad(jit(loss), 0, w)
    for _ in range(3):
        for fn in (inside, around):
            value, (by_x, by_w) = fn(tensor(3))
            assert (value.item(), by_x.item(), by_w.item()) == (18, 12, 9)
    cube = jit(lambda x: x * x * x)
    assert [grad(grad(cube))(tensor(2)).item() for _ in range(2)] == [12, 12]
    assert [grad(jit(grad(cube)))(tensor(2)).item() for _ in range(2)] == [12, 12]


def test_the_value_of_a_tensor_leaves_the_call_to_python_and_takes_back_what_was_done() -> None:
    state = Parameter(tensor(0), name="state")
    runs = []

    def f(x: Any) -> Any:
        runs.append(1)
        state.add_(1)
        functional.rand_like(x)
        return x * float(x.sum().asnumpy())

    compiled = jit(f, capture_mode="trace")
    default_stream().set(1)
    assert compiled(tensor(2)).item() == 4
    assert state.item() == 1 and default_stream().peek() == (1, 12)
    assert len(compiled.reasons) == 1 and "value of a tensor" in compiled.reasons[0] and __file__ in compiled.reasons[0]
    compiled(tensor(3))
    assert state.item() == 2 and len(runs) == 3  # the signature is known to be Python's
    with pytest.raises(RuntimeError, match=r"'jit'.*fullgraph=True.*test_capture\.py:.*value of a tensor"):
        jit(f, fullgraph=True, capture_mode="trace")(tensor(2))
    with pytest.raises(Uncapturable):
        captured(f, tensor(1))
    assert state.item() == 2


def test_an_error_in_the_function_is_raised_and_leaves_nothing_behind() -> None:
    def f(x: Any) -> Any:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        jit(f)(tensor(1))
    assert (tensor(1) + 1).item() == 2


def test_signatures_recompile() -> None:
    compiled = jit(lambda x, k=1, *rest, scale=1.0: x * k * scale + sum(rest))
    assert compiled(tensor(2)).item() == 2
    assert compiled(tensor(2), 3).item() == 6
    assert compiled(tensor(2), 3, 4, 5).item() == 15
    assert compiled(tensor(2), scale=2.0).item() == 4
    assert compiled(tensor(2, 3)).asnumpy().tolist() == [2, 3]
    assert compiled(Tensor([2])).asnumpy().tolist() == [2]
    assert len(compiled.entries) == 6 and compiled.hits == 0
    assert compiled(tensor(5), scale=2.0).item() == 10 and compiled.hits == 1
    assert compiled(tensor(5), True).item() == 5 and compiled.hits == 1  # True is not 1


def test_objects_cannot_leave_a_graph() -> None:
    class Box:
        def __init__(self, x: Any) -> None:
            self.x = x

    compiled = jit(Box)
    assert compiled(tensor(1)).x.item() == 1 and compiled(tensor(2)).x.item() == 2
    assert "Box" in compiled.reasons[0]


def test_jit_inside_of_jit_becomes_part_of_the_graph() -> None:
    inner = jit(lambda x: x + 1)
    outer = jit(lambda x: inner(inner(x)))
    assert [outer(tensor(1)).item() for _ in range(2)] == [3, 3]
    assert not inner.entries and text(outer.graphs()[0]).count("add(") == 2


def test_a_gradient_of_the_past_of_a_tensor_runs_in_python() -> None:
    def f(x: Any) -> Any:
        y = x * 2
        z = y * y
        y.add_(1)
        return z.sum()

    compiled = jit(lambda x: grad(f)(x))
    for value in (1.0, 3.0, 5.0):
        assert compiled(tensor(value)).item() == grad(f)(tensor(value)).item() == 8 * value
    assert "replaced or changed" in compiled.reasons[0]


def test_primitives_that_an_object_holds_are_part_of_the_graph() -> None:
    class Holder:
        def __init__(self) -> None:
            self.add, self.pool = functional.Add(), functional.MaxPool(2, 2)

        def run(self, x: Any) -> Any:
            return self.add(self.pool(x), 1)

    x = Tensor(np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4))
    holder = Holder()
    compiled = jit(holder.run)
    for _ in range(2):
        np.testing.assert_array_equal(compiled(x).asnumpy(), holder.run(x).asnumpy())
    assert compiled.hits == 1 and not compiled.reasons
