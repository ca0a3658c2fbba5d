"""Cells as graphs: jit on a Cell and its methods, GRAPH_MODE, and what makes a graph new."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ms_dtype as mstype
from ms_jit import JitConfig, jit
from ms_kernels import Parameter, Tensor, functional, settings, value_and_grad
from ms_kernels.random.stream import default_stream
from ms_nn import Adam, BatchNorm2d, Cell, Conv2d, CrossEntropyLoss, Dense, Dropout, Flatten, ReLU, SequentialCell

RNG = np.random.default_rng(0)


@pytest.fixture
def graph_mode() -> Iterator[None]:
    settings.mode = 0
    yield
    settings.mode = 1


class Gate(Cell):
    """A cell that branches over a tensor and over attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = Dense(3, 3)
        self.scale = 2.0
        self.bias = Parameter(Tensor(np.ones(3, np.float32)), name="bias")

    def construct(self, x: Any) -> Any:
        y = self.dense(x) * self.scale
        if y.sum() > 0:
            y = y + self.bias
        if self.training:
            y = y * 10
        return y


class Small(Cell):
    """A network whose every part has a graph to itself."""

    def __init__(self) -> None:
        super().__init__()
        self.body = SequentialCell(Conv2d(1, 4, 3), BatchNorm2d(4), ReLU(), Dropout(p=0.5), Flatten(), Dense(64, 5))

    def construct(self, x: Any) -> Any:
        return self.body(x)


def images(count: int = 6) -> Tensor:
    return Tensor(RNG.standard_normal((count, 1, 4, 4)).astype(np.float32))


@pytest.mark.usefixtures("graph_mode")
def test_graph_mode_compiles_cells() -> None:
    net = Gate()
    settings.mode = 1
    calls = [Tensor(sign * np.ones((2, 3), np.float32)) for sign in (1, -1, 3)]
    eager = [net(x).asnumpy() for x in calls]
    settings.mode = 0
    for x, want in zip(calls, eager):
        np.testing.assert_array_equal(net(x).asnumpy(), want)
    compiled = net.__dict__["_compiled"]
    assert compiled.hits == 2 and compiled.reasons == []


@pytest.mark.usefixtures("graph_mode")
def test_changed_attributes_flags_and_parameters_count() -> None:
    net, x = Gate(), Tensor(np.ones((1, 3), np.float32))

    def check() -> None:
        settings.mode = 1
        want = net(x).asnumpy()
        settings.mode = 0
        np.testing.assert_array_equal(net(x).asnumpy(), want)

    check()
    net.scale = -2.0
    check()
    net.set_train()
    check()
    net.bias = Parameter(Tensor(np.full(3, 5, np.float32)), name="bias")
    check()
    net.bias.set_data(Tensor(np.full(3, 7, np.float32)))
    check()
    net.dense.weight.set_data(Tensor(np.ones((3, 3), np.float32)))
    check()


def trained(compiled: bool) -> tuple[list[float], list[Any]]:
    """Losses of some steps and the parameters after them."""
    np.random.seed(4)
    default_stream().set(11)
    net = Small()
    net.set_train()
    optimizer, loss = Adam(net.trainable_params(), 1e-2), CrossEntropyLoss()
    gradient = value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)

    def step(x: Any, y: Any) -> Any:
        value, grads = gradient(x, y)
        optimizer(grads)
        return value

    run = jit(step) if compiled else step
    data, losses = np.random.default_rng(2), []
    for _ in range(5):
        x = Tensor(data.standard_normal((6, 1, 4, 4)).astype(np.float32))
        losses.append(run(x, Tensor(data.integers(0, 5, 6).astype(np.int32))).item())
    if compiled:
        assert run.reasons == [] and run.hits == 4
    return losses, [p.asnumpy() for p in net.get_parameters()]


def test_a_training_step_as_a_graph_gives_the_eager_bits() -> None:
    (losses, params), (compiled_losses, compiled_params) = trained(False), trained(True)
    assert losses == compiled_losses
    for one, other in zip(params, compiled_params):
        np.testing.assert_array_equal(one, other)


def test_jit_on_a_cell_a_method_and_construct() -> None:
    class Other(Gate):
        @jit
        def construct(self, x: Any) -> Any:
            return super().construct(x) + 1

        @jit
        def twice(self, x: Any) -> Any:
            return self.dense(x) * 2

    x = Tensor(np.ones((1, 3), np.float32))
    plain, other = Gate(), Other()
    for mine, its in zip(other.get_parameters(), plain.get_parameters()):
        mine.set_data(its)
    for _ in range(2):
        np.testing.assert_array_equal(other(x).asnumpy(), plain(x).asnumpy() + 1)
        np.testing.assert_array_equal(other.twice(x).asnumpy(), plain.dense(x).asnumpy() * 2)
    want = plain(x).asnumpy()
    wrapped = jit(plain)
    assert wrapped is plain
    np.testing.assert_array_equal(wrapped(x).asnumpy(), want)


@pytest.mark.usefixtures("graph_mode")
def test_a_compiled_cell_is_copied_and_pickled_without_its_graphs() -> None:
    net, x = Dense(3, 2), Tensor(np.ones((1, 3), np.float32))
    want = net(x).asnumpy()
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert "_compiled" not in other.__dict__
        np.testing.assert_array_equal(other(x).asnumpy(), want)


@pytest.mark.usefixtures("graph_mode")
def test_declared_inputs_are_checked_and_share_a_graph() -> None:
    net = Dense(3, 2)
    net.set_inputs(Tensor(shape=[None, 3], dtype=mstype.float32))
    for rows in (2, 5, 9):
        x = Tensor(RNG.standard_normal((rows, 3)).astype(np.float32))
        want = functional.matmul(x, net.weight.T) + net.bias
        np.testing.assert_array_equal(net(x).asnumpy(), want.asnumpy())
    assert net.__dict__["_compiled"]._captures == 1
    with pytest.raises(ValueError, match=r"set_inputs.*expected: 3, and input: 4"):
        net(Tensor(np.ones((2, 4), np.float32)))
    with pytest.raises(TypeError, match="set_inputs"):
        net(Tensor(np.ones((2, 3), np.int32)))


@pytest.mark.usefixtures("graph_mode")
def test_the_level_of_a_cells_jit_config_counts() -> None:
    class Chain(Cell):
        def construct(self, x: Any) -> Any:
            return functional.exp(functional.sin(x) * 2 + 1)

    net, x, results = Chain(), images(2), []
    for level, steps in (("O0", 4), ("O1", 1), ("O0", 4)):
        net.set_jit_config(JitConfig(jit_level=level))
        results += [net(x).asnumpy(), net(x).asnumpy()]
        compiled = net.__dict__["_compiled"]
        assert (compiled.hits, len(compiled.entries[0].program.steps)) == (1, steps)
    for other in results[1:]:
        np.testing.assert_array_equal(other, results[0])


@pytest.mark.usefixtures("graph_mode")
def test_gradients_in_graph_mode() -> None:
    net, x = Gate(), Tensor(np.ones((2, 3), np.float32))
    gradient = value_and_grad(net, None, net.trainable_params())
    value, grads = gradient(x)
    again, more = gradient(x)
    settings.mode = 1
    want, wanted = gradient(x)
    for got in (value, again):
        np.testing.assert_array_equal(got.asnumpy(), want.asnumpy())
    for found in (grads, more):
        for one, other in zip(found, wanted):
            np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())


def test_dropout_draws_anew_in_each_run_of_a_graph() -> None:
    net = Dropout(p=0.5)
    net.set_train()
    compiled = jit(lambda x: net(x))
    x = Tensor(np.ones(64, np.float32))
    one, two = (compiled(x).asnumpy() for _ in range(2))
    assert (one != two).any() and compiled.hits == 1
    assert set(compiled(x).asnumpy().tolist()) == {0.0, 2.0}


@pytest.mark.parametrize("compiled", [False, True])
def test_graphs_on_the_emulated_ascend_round_as_eager_calls_do(compiled: bool) -> None:
    x = images(3)
    settings.device_target = "Ascend"
    try:
        np.random.seed(3)
        net = SequentialCell(Conv2d(1, 4, 3), ReLU(), Flatten(), Dense(64, 5)).to_float(mstype.float16)
        gradient = value_and_grad(lambda x: (net(x) ** 2).sum(), None, net.trainable_params())
        run = jit(gradient) if compiled else gradient
        eager = [gradient(x) for _ in range(2)]
        for (value, grads), (want, wanted) in zip([run(x), run(x)], eager):
            assert value.asnumpy().tobytes() == want.asnumpy().tobytes()
            assert [g.asnumpy().tobytes() for g in grads] == [g.asnumpy().tobytes() for g in wanted]
        forward = jit(lambda x: net(x))
        assert [forward(x).asnumpy().tobytes() for _ in range(2)] == [net(x).asnumpy().tobytes()] * 2
        assert forward.hits == 1
    finally:
        settings.device_target = "CPU"
