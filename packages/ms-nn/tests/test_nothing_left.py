"""What a training must not leave behind or get wrong when user code fails, runs again or meets unfilled tensors."""

from __future__ import annotations

import copy
import pickle
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ms_dtype
import ms_nn as nn
from ms_generator import default_generator, set_seed
from ms_initializer import Normal, initializer
from ms_kernels import Parameter, Tensor, grad, jvp, value_and_grad, vjp, vmap
from ms_kernels import functional as F
from ms_kernels.core.dispatch import is_recording
from ms_kernels.tape.modes import no_grad
from ms_nn import train
from ms_nn._calls import precision
from ms_nn.dataset import NumpySlicesDataset

X = Tensor([[1.0, 2.0]])


class Mishap(Exception):
    """What the user's code raises."""


class Fails(nn.Cell):
    """Fails in its `count`-th call."""

    def __init__(self, count: int = 1) -> None:
        super().__init__()
        self.inner = nn.Dense(2, 2)
        self.left = count

    def construct(self, x: Any) -> Any:
        out = self.inner(x)
        self.left -= 1
        if self.left == 0:
            raise Mishap
        return out


class Backwards(nn.Cell):
    """Its own gradient fails."""

    def construct(self, x: Any) -> Any:
        return x * 2

    def bprop(self, *_args: Any) -> Any:
        raise Mishap


def fails(*_args: Any) -> Any:
    raise Mishap


def hooked(kind: str) -> nn.Cell:
    cell = nn.Dense(2, 2)
    getattr(cell, f"register_{kind}_hook")(fails)
    return cell


def recomputed(count: int) -> nn.Cell:
    cell = Fails(count)
    cell.recompute()
    return cell


def by_input(cell: Callable[..., Any]) -> Any:
    return grad(lambda x: cell(x).sum())(X)


def with_tensor_hook(x: Any) -> Any:
    y = x * 2
    y.register_hook(fails)
    return y


WAYS: dict[str, Callable[[], Any]] = {
    "call": lambda: Fails()(X),
    "to_float": lambda: Fails().to_float(ms_dtype.float16)(X),
    "grad": lambda: by_input(Fails()),
    "grad of grad": lambda: grad(lambda x: grad(lambda y: Fails()(y).sum())(x).sum())(X),
    "value_and_grad": lambda: value_and_grad(lambda x: Fails()(x).sum(), None, Fails().trainable_params())(X),
    "vjp": lambda: vjp(Fails(), X),
    "jvp": lambda: jvp(Fails(), X, X),
    "vmap": lambda: vmap(Fails())(Tensor(np.ones((3, 2, 2), np.float32))),
    "no_grad": lambda: grad(lambda x: _under_no_grad(Fails(), x))(X),
    "recompute forward": lambda: by_input(recomputed(1)),
    "recompute backward": lambda: by_input(recomputed(2)),
    "recompute to_float": lambda: by_input(recomputed(2).to_float(ms_dtype.float16)),
    "bprop": lambda: by_input(Backwards()),
    "tensor hook": lambda: by_input(with_tensor_hook),
    **{f"{kind} hook": lambda kind=kind: by_input(hooked(kind)) for kind in ("forward_pre", "forward", "backward")},
    "backward_pre hook": lambda: by_input(hooked("backward_pre")),
}


def _under_no_grad(cell: Any, x: Any) -> Any:
    with no_grad():
        cell(x)
    return x.sum()


@pytest.mark.parametrize("way", WAYS)
def test_no_mode_and_no_precision_is_left(way: str) -> None:
    set_seed(3)
    with pytest.raises(Mishap):
        WAYS[way]()
    assert not is_recording()
    assert precision.get() is None
    set_seed(3)
    fresh = nn.Dense(2, 2)
    drawn, stream = F.dropout(Tensor(np.ones(64, np.float32)), 0.5), default_generator.get_state().tolist()
    with pytest.raises(Mishap):
        WAYS[way]()
    # the very same as where nothing had failed: precision, random numbers and gradients
    set_seed(3)
    again = nn.Dense(2, 2)
    assert again.weight.tolist() == fresh.weight.tolist()
    assert F.dropout(Tensor(np.ones(64, np.float32)), 0.5).tolist() == drawn.tolist()
    assert default_generator.get_state().tolist() == stream
    assert again(X).dtype == ms_dtype.float32
    assert by_input(again).tolist() == [again.weight.asnumpy().sum(0).tolist()]


@pytest.mark.parametrize("way", WAYS)
def test_an_error_is_raised_once_in_the_frame_that_caused_it(way: str) -> None:
    with pytest.raises(Mishap) as info:
        WAYS[way]()
    error = info.value
    assert error.__cause__ is None
    assert error.__context__ is None
    frames = traceback.extract_tb(error.__traceback__)
    assert frames[-1].filename == __file__
    assert frames[-1].line in ("raise Mishap",)
    assert sum(frame.line == "raise Mishap" for frame in frames) == 1


def test_an_op_in_user_code_fails_where_it_is_called() -> None:
    def construct(x: Any) -> Any:
        return F.matmul(x, Tensor(np.ones((5, 5), np.float32)))

    with pytest.raises(ValueError, match="MatMul") as info:
        grad(construct)(X)
    frames = traceback.extract_tb(info.value.__traceback__)
    assert [frame.name for frame in frames].count("construct") == 1
    assert info.value.__context__ is None


@pytest.mark.parametrize("kind", ["forward_pre", "forward", "backward_pre", "backward"])
def test_no_half_registered_hook_is_left(kind: str) -> None:
    cell = nn.Dense(2, 2)
    with pytest.raises(TypeError, match="hook_fn"):
        getattr(cell, f"register_{kind}_hook")(3)
    assert not cell._has_hooks(kind)
    if kind.startswith("forward"):
        with pytest.raises(TypeError, match="with_kwargs"):
            getattr(cell, f"register_{kind}_hook")(print, with_kwargs=3)
    assert not cell._has_hooks(kind) and cell._direct
    with pytest.raises(TypeError, match="hook"):
        X.register_hook(3)
    assert X.hooks() == []


def test_a_hook_that_fails_stays_and_the_others_run_next_time() -> None:
    cell, seen = nn.Dense(2, 2), []
    cell.register_backward_hook(lambda *_args: seen.append("first"))
    with cell.register_backward_hook(fails), pytest.raises(Mishap):
        by_input(cell)
    by_input(cell)
    assert seen == ["first", "first"]


def test_a_failing_context_manager_of_ours_gives_back_its_mode() -> None:
    with pytest.raises(Mishap), nn.no_init_parameters():
        raise Mishap
    assert not nn.Dense(2, 2).weight.has_init


def model(net: Any) -> train.Model:
    step = nn.SGD(net.trainable_params(), 0.1)
    return train.Model(net, nn.MSELoss(), step, metrics={"loss"}, amp_level="O0")


def rows() -> Any:
    ones = np.ones((4, 2), np.float32)
    return NumpySlicesDataset((ones, ones), shuffle=False).batch(2)


def test_a_training_that_fails_can_go_on() -> None:
    class Ends(train.Callback):
        def __init__(self) -> None:
            self.ended = 0

        def __exit__(self, *_error: Any) -> None:
            self.ended += 1

        def on_train_step_end(self, _context: Any) -> None:
            raise Mishap

    net, ends = nn.Dense(2, 2), Ends()
    with pytest.raises(Mishap) as info:
        model(net).train(1, rows(), ends, dataset_sink_mode=False)
    assert (ends.ended, is_recording(), info.value.__context__) == (1, False, None)
    before = net.weight.tolist()
    model(net).train(1, rows(), dataset_sink_mode=False)
    assert net.weight.tolist() != before


# -- recomputation ----------------------------------------------------------------------------------------------------


class Noisy(nn.Cell):
    """Dropout, normal numbers and a Dense in one."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(8, 8)
        self.drop = nn.Dropout(p=0.5)

    def construct(self, x: Any) -> Any:
        return self.drop(self.dense(x)) + F.standard_normal((8, 8)) * x + self.drop(x)


@pytest.mark.parametrize("dtype", [None, ms_dtype.float16])
def test_recompute_replays_the_very_same_random_numbers(dtype: Any) -> None:
    found = []
    for recompute in (False, True):
        set_seed(11)
        net = nn.SequentialCell(Noisy(), Noisy()).set_train()
        if dtype is not None:
            net.to_float(dtype)
        if recompute:
            net[0].recompute()
            net.recompute()  # one inside the other
        x = Tensor(np.random.RandomState(1).standard_normal((8, 8)).astype(np.float32))
        weights = net.trainable_params()
        loss, (by_x, by_w) = value_and_grad(lambda x, net=net: (net(x) ** 2).sum(), 0, weights)(x)
        after = F.dropout(Tensor(np.ones(64, np.float32)), 0.5)
        found.append([loss.tolist(), by_x.tolist(), [w.tolist() for w in by_w], after.tolist()])
    assert found[0] == found[1]


def test_recompute_that_fails_puts_the_random_numbers_back() -> None:
    class FailsAgain(Noisy):
        runs = 0

        def construct(self, x: Any) -> Any:
            out = super().construct(x)
            self.runs += 1
            if self.runs == 2:
                raise Mishap
            return out

    x = Tensor(np.ones((8, 8), np.float32))
    states = []
    for recompute in (False, True):
        set_seed(5)
        net = FailsAgain().set_train()
        if recompute:
            net.recompute()
            with pytest.raises(Mishap):
                grad(lambda x: net(x).sum())(x)  # noqa: B023
        else:
            net(x)
        states.append(default_generator.get_state().tolist())
    assert states[0] == states[1]


# -- tensors that wait for their values -------------------------------------------------------------------------------


def waiting() -> Tensor:
    made = initializer(Normal(sigma=1.0, mean=5.0), (4, 3), ms_dtype.float32)
    assert made.has_init
    return made


def waiting_parameter() -> Parameter:
    with nn.no_init_parameters():
        made = Parameter(waiting(), name="w")
    assert made.has_init
    return made


def _in_place(t: Any) -> Any:
    t += 0.0
    return t


def _set_item(t: Any) -> Any:
    t[0, 0] = t[0, 0]
    return t


USES: dict[str, Callable[[Any], Any]] = {
    "operator": lambda t: t + 0.0,
    "reflected": lambda t: 0.0 + t,
    "function": F.relu,
    "method": lambda t: t.abs(),
    "primitive": lambda t: F.ReLU()(t),
    "as both operands": lambda t: F.maximum(t, t),
    "view": lambda t: t.reshape(3, 4).reshape(4, 3),
    "index": lambda t: t[:],
    "set an element": _set_item,
    "in place": _in_place,
    "asnumpy": lambda t: Tensor(t.asnumpy()),
    "numpy": lambda t: Tensor(np.asarray(t)),
    "buffer": lambda t: Tensor(np.array(memoryview(t))),
    "tolist": lambda t: Tensor(np.array(t.tolist(), np.float32)),
    "rows": lambda t: F.stack(list(t)),
    "copy": lambda t: t.copy(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda t: pickle.loads(pickle.dumps(t)),
    "clone of a parameter": lambda t: Parameter(t, name="p").clone(),
    "value of a parameter": lambda t: Parameter(t, name="p").value(),
    "set_data": lambda t: Parameter(Tensor(np.zeros((4, 3), np.float32)), name="p").set_data(t),
    "assign": lambda t: F.assign(Parameter(Tensor(np.zeros((4, 3), np.float32)), name="p"), t),
    "gradient": lambda t: grad(lambda x: (x * x).sum() / 2)(t),
    "constant of a gradient": lambda t: grad(lambda x: (x * t).sum())(Tensor(np.ones((4, 3), np.float32))),
    "vmap": lambda t: vmap(lambda row: row * 1.0)(t),
    "jvp": lambda t: jvp(lambda x: x * 1.0, t, t)[1],
    "cell": lambda t: nn.Identity()(t) + 0.0,
    "state of a cell": lambda t: _loaded(t),
}


def _loaded(t: Any) -> Any:
    cell = nn.Cell()
    cell.w = Parameter(Tensor(np.zeros((4, 3), np.float32)), name="w")
    cell.load_state_dict({"w": t})
    return cell.w


@pytest.mark.parametrize("make", [waiting, waiting_parameter])
@pytest.mark.parametrize("use", USES)
def test_a_waiting_tensor_is_filled_before_it_is_used(use: str, make: Callable[[], Any]) -> None:
    set_seed(7)
    expected = np.array(waiting().init_data().asnumpy())
    assert abs(expected.mean() - 5) < 2
    set_seed(7)
    found = USES[use](make())
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-6)


def test_unfilled_parameters_of_a_network() -> None:
    set_seed(4)
    filled = nn.SequentialCell(nn.Dense(2, 3), nn.Dense(3, 1))
    set_seed(4)
    with nn.no_init_parameters():
        net = nn.SequentialCell(nn.Dense(2, 3), nn.Dense(3, 1))
    assert all(param.has_init for param in net.get_parameters())
    assert net.state_dict()["0.weight"].shape == (3, 2)
    net[1].load_state_dict(filled[1].state_dict())
    assert [param.has_init for param in net.get_parameters()] == [True, True, False, False]
    net.init_parameters_data()
    assert not any(param.has_init for param in net.get_parameters())
    assert net[1].weight.tolist() == filled[1].weight.tolist()
    with nn.no_init_parameters():
        other = nn.Dense(2, 3)
    optimizer = nn.SGD(other.trainable_params(), 1.0)
    optimizer(tuple(F.zeros_like(param) for param in other.get_parameters()))
    assert abs(other.weight.asnumpy()).max() > 0
