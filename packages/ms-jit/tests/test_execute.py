"""Graphs as programs: registers, memory, results."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import ms_dtype as mstype
from ms_jit.execute import build
from ms_jit.execute.plan import nbytes, plan
from ms_jit.graph.interpret import interpret
from ms_jit.graph.ir import Node, Value
from ms_jit.testing import Maker, assert_same, tensors
from ms_kernels import Tensor
from ms_kernels.core.dispatch import ops_by_name
from ms_kernels.core.program import Ref
from ms_kernels.core.runtime import memory_stats


def test_results_take_the_registers_of_what_ends() -> None:
    m = Maker()
    x = m.input(1000)
    y = m.op("tanh", x)
    for _ in range(20):
        y = m.op("exp", y)
    graph = m.outputs(y)
    where = plan(graph)
    assert where.registers == 1
    assert where.frees == [()] * 21
    assert where.peak == 2 * 4032 and where.total == 21 * 4032


def test_values_live_until_their_last_use() -> None:
    m = Maker()
    x = m.input(16)
    a = m.op("tanh", x)
    b = m.op("exp", a)
    c = m.op("neg", b)
    d = m.op("add", a, c)
    graph = m.outputs(d, x)
    where = plan(graph)
    assert where.place[id(x)] == 0
    assert len({where.place[id(v)] for v in (x, a, b)}) == 3
    assert where.place[id(c)] == where.place[id(b)]
    assert where.peak == 3 * 64
    inputs = tensors(graph)
    got = build(graph).program.run(inputs)
    assert got[1] is inputs[0]
    assert_same(got, interpret(graph, inputs))


def test_views_keep_the_memory_below_alive() -> None:
    m = Maker()
    x = m.input(16, 16)
    a = m.op("tanh", x)
    view = m.op("reshape", a, (256,))
    m.graph.nodes[-1].shares = True
    b = m.op("exp", view)
    c = m.op("neg", b)
    where = plan(m.outputs(c))
    assert where.total == 3 * 1024 and where.peak == 2 * 1024


def test_unused_results_and_captured_outputs() -> None:
    weight = Tensor(np.ones(3, np.float32))
    m = Maker()
    x, w = m.input(3), m.captured(weight)
    m.op("neg", x)
    graph = m.outputs(w, m.op("add", x, w), w)
    built = build(graph)
    assert built.program.steps[0].outs == (-1,)
    inputs = tensors(graph)
    got = built.program.run(inputs)
    assert got[0] is weight and got[2] is weight
    assert_same(got, interpret(graph, inputs))


def test_captured_tensors_stand_in_the_arguments() -> None:
    weight = Tensor(np.ones(3, np.float32))
    m = Maker()
    built = build(m.outputs(m.op("mul", m.input(3), m.captured(weight))))
    (step,) = built.program.steps
    assert isinstance(step.args[0], Ref) and step.args[1] is weight
    assert built.program.captured == ()


def test_lists_of_operands() -> None:
    m = Maker()
    x, y = m.input(2, 3), m.input(2, 3)
    node = Node(ops_by_name["concat"], ([x, y, x], 0))
    m.graph.nodes.append(node)
    graph = m.outputs(node.out((6, 3), mstype.float32))
    inputs = tensors(graph)
    assert_same(build(graph).program.run(inputs), interpret(graph, inputs))


def test_bytes_of_values() -> None:
    assert nbytes(Value((3, 5), mstype.float32)) == 64
    assert nbytes(Value((17,), mstype.float32)) == 128
    assert nbytes(Value((-1, 16), mstype.float32)) == 64
    assert nbytes(Value(None, mstype.float32)) == nbytes(Value((3,), None)) == 0
    assert nbytes(Value((0, 4), mstype.float32)) == 0


def test_intermediate_results_are_given_back_during_a_run() -> None:
    made: list[weakref.ref[Any]] = []
    alive: list[int] = []

    def watched(tensor: Any) -> Any:
        alive.append(sum(ref() is not None for ref in made))
        out = tensor + 1
        made.append(weakref.ref(out))
        return out

    m = Maker()
    value = m.input(8)
    for _ in range(6):
        (value,) = m.step(watched, value, outs=1)
    built = build(m.outputs(value))
    built.program.run(tensors(m.graph))
    gc.collect()
    assert alive == [0, 1, 1, 1, 1, 1]
    assert built.plan.peak == 2 * 64


@pytest.mark.parametrize("level", ["O0", "O1"])
def test_no_more_memory_is_in_use_than_planned(level: str) -> None:
    peak: list[int] = []

    def look(tensor: Any) -> Any:
        gc.collect()
        peak.append(memory_stats()["in_use"])
        return tensor

    m = Maker()
    x = m.input(512, 512)
    value = m.op("matmul", x, x)
    for _ in range(3):
        left, right = m.op("tanh", m.op("neg", value)), m.op("matmul", value, value)
        (left,) = m.step(look, left, outs=1)
        m.graph.nodes[-1].shares = True
        value = m.op("exp", m.op("neg", m.op("mul", left, right)))
        (value,) = m.step(look, value, outs=1)
        m.graph.nodes[-1].shares = True
    built = build(m.outputs(value), level)
    inputs = tensors(m.graph)
    built.program.run(inputs)
    peak.clear()
    before = memory_stats()["in_use"]
    built.program.run(inputs)
    megabyte = 512 * 512 * 4
    assert built.plan.peak == 3 * megabyte
    assert built.plan.total == (19 if level == "O0" else 10) * megabyte
    assert max(peak) - before <= built.plan.peak
    assert max(peak) - before >= 2 * megabyte
