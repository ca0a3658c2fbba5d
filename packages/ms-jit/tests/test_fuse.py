"""Fusion: which nodes become one, and that nothing else changes."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import ms_dtype as mstype
from ms_jit.execute import build
from ms_jit.graph.check import check
from ms_jit.graph.interpret import interpret
from ms_jit.graph.ir import Graph, Node
from ms_jit.graph.steps import Draw, Store
from ms_jit.graph.text import text
from ms_jit.testing import Maker, assert_same, names, tensors
from ms_kernels import Parameter, Tensor, grad
from ms_kernels.core.dispatch import ops_by_name, scope
from ms_kernels.random.stream import default_stream


def fused(graph: Graph) -> list[str]:
    """The nodes of the graph at O1, which is proved to be equal to the graph on random inputs."""
    before, text_before = list(graph.nodes), text(graph)
    built = build(check(graph), "O1")
    check(built.graph)
    assert graph.nodes == before and text(graph) == text_before
    inputs = tensors(graph)
    want = interpret(graph, inputs)
    assert_same(built.program.run(inputs), want)
    assert_same(interpret(built.graph, inputs), want)
    return names(built.graph)


def test_a_chain_becomes_one_node() -> None:
    m = Maker()
    x, w, b = m.input(4, 8), m.input(8), m.input(1)
    graph = m.outputs(m.op("gelu_erf", m.op("add", m.op("mul", x, w), b)))
    assert fused(graph) == ["fused mul+add+gelu_erf"]


def test_branches_meet_and_inner_results_are_kept() -> None:
    m = Maker()
    x = m.input(3, 70)
    a, b = m.op("tanh", x), m.op("exp", x)
    c = m.op("mul", a, b)
    graph = m.outputs(c, a, m.op("sub", c, 2.5))
    assert fused(graph) == ["fused tanh+exp+mul+sub"]
    assert len(build(graph, "O1").graph.nodes[0].outs) == 3


def test_single_nodes_and_other_ops_stay() -> None:
    m = Maker()
    x, w = m.input(4, 4), m.input(4, 4)
    y = m.op("matmul", m.op("tanh", x), w)
    assert fused(m.outputs(m.op("relu", y))) == ["tanh", "matmul", "relu"]


def test_a_group_ends_where_another_node_needs_it() -> None:
    m = Maker()
    x = m.input(4, 4)
    y = m.op("exp", m.op("neg", x))
    spread = m.op("var", y, -1, 1, True)
    z = m.op("relu", m.op("true_divide", y, spread))
    assert fused(m.outputs(z)) == ["fused neg+exp", "var", "fused div+relu"]


def test_shapes_do_not_mix() -> None:
    m = Maker()
    x, row = m.input(4, 8), m.input(8)
    scale = m.op("exp", m.op("neg", row))
    assert fused(m.outputs(m.op("tanh", m.op("mul", x, scale)))) == ["fused neg+exp", "fused mul+tanh"]


@pytest.mark.parametrize("dtype", [mstype.float16, mstype.bfloat16, mstype.float32, mstype.float64])
def test_all_float_types(dtype: Any) -> None:
    m = Maker()
    x, w = m.input(3, 333, dtype=dtype), m.input(333, dtype=dtype)
    y = m.op("add", m.op("mul", x, w), 0.1)
    z = m.op("true_divide", m.op("sub", 1, m.op("silu", y)), m.op("pow", y, 2))
    assert fused(m.outputs(z, y)) == ["fused mul+add+silu+sub+" + ("pow" if dtype.itemsize == 2 else "square") + "+div"]


def test_mixed_types_and_bools() -> None:
    m = Maker()
    x, h, b = m.input(50), m.input(50, dtype=mstype.float16), m.input(50, dtype=mstype.bool_)
    wide = m.op("add", x, m.op("mul", h, b))
    mask = m.op("logical_and", m.op("greater", wide, 0), m.op("logical_not", b))
    z = m.op("where_typed", mask, wide, x)
    back = m.op("cast", z, mstype.float16)
    slope = m.op("loop_grad", back, h, "gelu_erf_grad")
    graph = m.outputs(slope, mask)
    assert fused(graph) == [
        "fused from_bool+mul+copy+add+gt+logical_not+logical_and+where+copy+gelu_erf_grad",
    ]


def test_what_has_no_loop_is_left() -> None:
    m = Maker()
    x, i, d = m.input(9), m.input(9, dtype=mstype.int32), m.input(9, dtype=mstype.float64)
    a = m.op("add", i, i)
    b = m.op("neg", m.op("add", x, i))
    c = m.op("add", m.op("neg", x), d)
    e = m.op("pow", m.op("neg", x), x)
    f = m.op("add", m.op("neg", x), 0.5, 3)
    assert fused(m.outputs(a, b, c, e, f)) == [
        *("add", "add", "neg", "neg", "add", "neg", "pow", "neg", "add"),
    ]


def test_sums_with_a_factor() -> None:
    for dtype, names_ in ((mstype.float32, ["fused neg+mul+add+mul+sub"]), (mstype.float16, ["neg", "add", "sub"])):
        m = Maker()
        x = m.input(9, dtype=dtype)
        total = m.op("add", m.op("neg", x), x, 0.3)
        assert fused(m.outputs(m.op("sub", x, total, 3))) == names_


def test_many_threads_at_once() -> None:
    m = Maker()
    x, w = m.input(300, 1000), m.input(1000)
    y = m.op("silu", m.op("mul", x, w))
    built = build(m.outputs(y, m.op("sum", y, -1)), "O1")
    inputs = tensors(m.graph)
    want = [out._a.tobytes() for out in interpret(m.graph, inputs)]
    with ThreadPoolExecutor(4) as pool:
        runs = list(pool.map(lambda _: built.program.run(inputs), range(40)))
    assert all([out._a.tobytes() for out in run] == want for run in runs)


def test_changes_in_place_keep_their_order() -> None:
    def graph_on(weight: Any) -> Graph:
        m = Maker()
        x, w = m.input(4), m.captured(weight)
        a = m.op("exp", m.op("neg", m.op("mul", x, w)))
        m.step(Store(), w, m.op("mul", a, 2.0), effect=True)
        return m.outputs(m.op("add", m.op("mul", a, w), 1.0), a)

    one, two = (Parameter(Tensor(np.arange(4, dtype=np.float32)), name="w") for _ in range(2))
    built = build(graph_on(one), "O1")
    inputs = tensors(built.graph)
    want = interpret(graph_on(two), inputs)
    assert names(built.graph) == ["fused mul+neg+exp+mul", "store", "fused mul+add"]
    assert_same(built.program.run(inputs), want)
    assert one._a.tobytes() == two._a.tobytes()


def test_random_draws_do_not_end_a_group() -> None:
    m = Maker()
    x = m.input(4)
    y = m.op("neg", x)
    m.step(Draw(default_stream), effect=True)
    graph = m.outputs(m.op("exp", y))
    assert sorted(names(build(graph, "O1").graph)) == ["draw", "fused neg+exp"]


def test_unknown_dims() -> None:
    m = Maker()
    x, w = m.input(-1, 3), m.input(-1, 3)
    graph = m.outputs(m.op("tanh", m.op("add", m.op("neg", w), x)), m.op("neg", w))
    built = build(graph, "O1")
    assert names(built.graph) == ["fused neg+add+tanh", "neg"]
    for rows in ((4, 4), (1, 4), (4, 1), (0, 0)):
        inputs = tuple(Tensor(np.random.default_rng(1).normal(size=(n, 3)).astype(np.float32)) for n in rows)
        assert_same(built.program.run(inputs), interpret(graph, inputs))
    wrong = tuple(Tensor(np.ones((n, 3), np.float32)) for n in (2, 5))
    with pytest.raises(ValueError) as eager:
        interpret(graph, wrong)
    with pytest.raises(ValueError) as run:
        built.program.run(wrong)
    assert str(run.value) == str(eager.value)


def test_gradients_are_recorded_through_the_single_ops() -> None:
    m = Maker()
    x, w = m.input(4), m.input(4)
    built = build(m.outputs(m.op("tanh", m.op("mul", x, w))), "O1")
    a, b = tensors(built.graph)
    want = grad(lambda p, q: (p * q).tanh().sum(), (0, 1))(a, b)
    assert_same(grad(lambda p, q: built.program.run((p, q))[0].sum(), (0, 1))(a, b), want)
    assert_same(grad(lambda p, q: built.recorded.run((p, q))[0].sum(), (0, 1))(a, b), want)


def test_other_targets_and_other_dtypes_take_the_single_ops() -> None:
    class Elsewhere:
        ran: list[str] = []
        same: frozenset[str] = frozenset()
        composites: dict[str, Any] = {}

        def run(self, op: Any, values: list[Any]) -> Any:
            self.ran.append(op.name)
            return op.body(*values)

    m = Maker()
    x = m.input(4)
    graph = m.outputs(m.op("exp", m.op("neg", x)))
    built, inputs = build(graph, "O1"), tensors(graph)
    with scope(target=Elsewhere()):
        assert_same(built.program.run(inputs), interpret(graph, inputs))
    assert Elsewhere.ran == ["neg", "exp"] * 2
    double = (Tensor(inputs[0]._a.astype(np.float64)),)
    assert_same(built.program.run(double), interpret(graph, double))


def test_wide_groups_are_cut() -> None:
    m = Maker()
    inputs = [m.input(6) for _ in range(60)]
    total = inputs[0]
    for value in inputs[1:]:
        total = m.op("add", total, value)
    leaves = [m.op("mul", total, float(k)) for k in range(100)]
    while len(leaves) > 1:
        leaves = [m.op("maximum", a, b) for a, b in zip(leaves[::2], leaves[1::2])] + leaves[len(leaves) // 2 * 2 :]
    assert 4 < len(fused(m.outputs(leaves[0]))) < 20


def test_many_outputs_are_cut() -> None:
    m = Maker()
    x = m.input(6)
    kept = [x]
    for _ in range(40):
        kept.append(m.op("tanh", kept[-1]))
    assert len(fused(m.outputs(*kept[1:]))) == 4


def test_unused_results_do_no_harm() -> None:
    m = Maker()
    x = m.input(6)
    y = m.op("neg", x)
    m.op("exp", y)
    assert fused(m.outputs(y)) == ["fused neg+exp"]
    assert fused(m.outputs(x)) == ["fused neg+exp"]


@pytest.mark.parametrize("seed", range(8))
def test_random_graphs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m = Maker()
    known = [m.input(3, 40), m.input(40), m.input(3, 1), m.input(3, 40, dtype=mstype.float16)]
    for _ in range(60):
        name = str(rng.choice(["add", "mul", "sub", "tanh", "relu", "sigmoid", "maximum", "sum", "reshape", "cast"]))
        a, b = (known[int(k)] for k in rng.integers(max(0, len(known) - 12), len(known), 2))
        if name == "sum":
            known.append(m.op("sum", a, -1, True, None, True))
        elif name == "reshape":
            known.append(m.op("reshape", a, a.shape))
        elif name == "cast":
            known.append(m.op("cast", a, mstype.float16 if rng.integers(2) else mstype.float32))
        elif ops_by_name[name].kinds.count(1) == 1:
            known.append(m.op(name, a))
        else:
            known.append(m.op(name, a, b if rng.integers(3) else 0.5))
    picked = [known[int(k)] for k in rng.integers(4, len(known), 6)]
    fused(m.outputs(known[-1], *picked))


def test_time_grows_with_the_number_of_nodes() -> None:
    def seconds(count: int) -> float:
        m = Maker()
        value, neg, tanh = m.input(4), ops_by_name["neg"], ops_by_name["tanh"]

        for k in range(count):
            node = Node(neg if k % 3 else tanh, (value,))
            m.graph.nodes.append(node)
            value = node.out((4,), mstype.float32)
        m.outputs(value)
        start = time.process_time()
        built = build(m.graph, "O1")
        assert len(built.graph.nodes) == -(-count // 256)
        return time.process_time() - start

    seconds(100)
    assert seconds(40_000) < 30 * min(seconds(4_000), seconds(4_000))


@pytest.mark.parametrize("dtype", [mstype.float16, mstype.bfloat16, mstype.float32, mstype.float64])
def test_reductions_end_a_group(dtype: Any) -> None:
    m = Maker()
    x, y = m.input(30, 60, dtype=dtype), m.input(60, dtype=dtype)
    d = m.op("sub", x, y)
    square = m.op("mul", d, d)
    graph = m.outputs(m.op("amax", square, 1, True), m.op("sum", square, -1), d)
    assert fused(graph) == ["fused sub+mul+max+sum"]
    for name, loop in {"sum": "sum", "mean": "mean", "prod": "prod", "amin": "min"}.items():
        m = Maker()
        x = m.input(9, 60, dtype=dtype)
        assert fused(m.outputs(m.op(name, m.op("tanh", x)))) == [f"fused tanh+{loop}"]


def test_reductions_that_stay_alone() -> None:
    m = Maker()
    x = m.input(30, 60)
    square = m.op("mul", x, x)
    outs = m.op("mean", square), m.op("sum", square, -1), m.op("sum", m.op("tanh", square), 0)
    assert fused(m.outputs(*outs)) == ["fused mul+mean", "sum", "tanh", "sum"]
    m = Maker()
    x = m.input(30, 60)
    wide = m.op("sum", m.op("tanh", x), -1, False, mstype.float64)
    assert fused(m.outputs(wide, m.op("sum", m.op("isnan", x)))) == ["tanh", "sum", "isnan", "sum"]
    m = Maker()
    x = m.input(30, 20, dtype=mstype.float16)
    assert fused(m.outputs(m.op("sum", m.op("tanh", x), -1))) == ["tanh", "sum"]


def test_what_needs_a_reduction_is_no_part_of_its_group() -> None:
    m = Maker()
    x = m.input(30, 60)
    e = m.op("exp", m.op("neg", x))
    total = m.op("sum", e, -1, True)
    scale = m.op("sqrt", m.op("add", total, 1.0))
    assert fused(m.outputs(m.op("tanh", m.op("true_divide", e, scale)))) == [
        "fused neg+exp+sum",
        "fused add+sqrt",
        "fused div+tanh",
    ]
