"""Mixed precision and loss scaling against what 2.6 gave, and what they do beyond that."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ms_dtype as mstype
from ms_kernels import Tensor, value_and_grad
from ms_nn import (
    BatchNorm1d,
    Cell,
    CrossEntropyLoss,
    Dense,
    LayerNorm,
    Momentum,
    MSELoss,
    ReLU,
    SequentialCell,
    WithLossCell,
    amp,
    train,
)
from ms_nn.dataset import NumpySlicesDataset
from ms_nn.train._loss_scale import DynamicLossScaleUpdateCell, TrainOneStepWithLossScaleCell

# the text is that of this project's own form; 2.6's speaks of operators inside, or leaves out the class
OWN_TEXT = {
    "window": "For 'DynamicLossScaler', the 'scale_window' must be int and must > 0, but got '0'",
    "factor": "For 'DynamicLossScaler', the 'scale_factor' must be int, but got 'float'",
    "finite number": "For 'all_finite', the 'inputs' must be a tuple or list of Tensors, but got float",
    "finite nothing": "For 'all_finite', the length of 'inputs' must be at least 1, but got 0",
}
HALF = 2**-10  # float16's relative precision: where a sum is rounded to 16 bits is not the same everywhere


def test_as_recorded(recorded: Callable[[str], Any], compare: Callable[[Any, Any], None]) -> None:
    program, wanted = recorded("amp")
    found = program.results()
    assert found.keys() == wanted.keys()
    for name, want in wanted.items():
        if "error" in want:
            assert found[name]["error"] == want["error"], name
            own = OWN_TEXT.get(name)
            text = found[name]["text"]
            assert text.startswith(own) if own is not None else text == want["text"], name
        elif name.startswith(("level", "white list", "black list")):
            assert found[name]["value"][0] == want["value"][0], name
            np.testing.assert_allclose(found[name]["value"][1], want["value"][1], rtol=2 * HALF, atol=HALF)
        elif name.startswith("trained"):
            np.testing.assert_allclose(found[name]["value"], want["value"], rtol=2 * HALF)
        else:
            compare(found[name], want)


class Probe(Cell):
    """Notes the dtypes between its layers."""

    def __init__(self) -> None:
        super().__init__()
        self.dense, self.norm, self.act = Dense(4, 4), LayerNorm((4,)), ReLU()
        self.seen: list[str] = []

    def construct(self, x: Any) -> Any:
        self.seen.clear()
        for layer in (self.dense, self.norm, self.act):
            x = layer(x)
            self.seen.append(x.dtype.name)
        return x


@pytest.mark.parametrize("dtype", [mstype.float16, mstype.bfloat16])
@pytest.mark.parametrize("level", ["O1", "O2", "O3"])
def test_levels(level: str, dtype: Any) -> None:
    probe = Probe()
    net = amp.auto_mixed_precision(probe, level, dtype)
    out = net(Tensor(np.eye(4, dtype=np.float32)))
    half = dtype.name
    assert probe.seen == (["float32"] * 3 if level == "O1" else [half] * 3)
    assert out.dtype == mstype.float32
    assert {p.dtype.name for p in probe.get_parameters()} == {"float32"}
    inside: list[str] = []
    for layer in (probe.dense, probe.norm):
        layer.register_forward_pre_hook(lambda cell, args: inside.append(str(cell.mixed_precision_type)))
    net(Tensor(np.eye(4, dtype=np.float32)))
    assert inside == [str(dtype), {"O1": "None", "O2": "Float32", "O3": str(dtype)}[level]]


def test_a_lowered_network_copies_pickles_and_learns() -> None:
    probe = Probe()
    net = amp.auto_mixed_precision(probe, "O1")
    x = Tensor(np.random.RandomState(0).standard_normal((3, 4)).astype(np.float32))
    other = copy.deepcopy(net)
    other.dense.weight.set_data(Tensor(np.zeros((4, 4), np.float32)))
    assert not np.array_equal(net.dense(x).asnumpy(), other.dense(x).asnumpy())
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(net))(x).asnumpy(), net(x).asnumpy())
    grads = value_and_grad(lambda v: net(v).sum(), None, net.trainable_params())(x)[1]
    assert all(grad.dtype == mstype.float32 for grad in grads)


def test_a_second_level_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    amp.auto_mixed_precision(amp.auto_mixed_precision(Probe(), "O1"), "O1")
    assert "adjusted from O1 to O1" in caplog.text


def test_lists_are_copies() -> None:
    amp.get_white_list().clear()
    assert Dense in amp.get_white_list() and BatchNorm1d in amp.get_black_list()


def test_scaling_is_differentiable() -> None:
    scaler = amp.StaticLossScaler(8.0)
    loss, grad = value_and_grad(lambda x: scaler.scale((x * x).sum()))(Tensor([3.0]))
    assert (loss.item(), grad.item(), scaler.unscale(grad).item()) == (72.0, 48.0, 6.0)
    with pytest.raises(TypeError, match="'inputs' must be Tensors, but got float"):
        scaler.scale(1.5)


def test_overflow_leaves_the_weights_alone() -> None:
    net = Dense(1, 1, "ones", "zeros")
    step = TrainOneStepWithLossScaleCell(
        WithLossCell(net, MSELoss()),
        Momentum(net.trainable_params(), 0.1, 0.0),
        DynamicLossScaleUpdateCell(2.0**120, 2, 2),
    )
    loss, overflow, scale = step(Tensor([[1e3]]), Tensor([[0.0]]))
    assert (loss.item(), bool(overflow), scale.item()) == (1e6, True, 2.0**120)
    assert net.weight.asnumpy().item() == 1.0
    assert step.scale_sense.asnumpy().item() == 2.0**119
    for _ in range(2):
        assert not bool(step(Tensor([[1.0]]), Tensor([[0.0]]))[1])
    assert step.scale_sense.asnumpy().item() == 2.0**120
    assert net.weight.asnumpy().item() < 1.0


def test_a_step_put_together_by_hand() -> None:
    net = Dense(1, 1, "ones", "zeros")
    loss = WithLossCell(net, MSELoss())
    step = TrainOneStepWithLossScaleCell(
        loss, Momentum(net.trainable_params(), 0.1, 0.0), DynamicLossScaleUpdateCell(8.0, 2, 1)
    )
    inputs = Tensor([[2.0]]), Tensor([[1.0]])
    grads = step.grad(step.network, step.weights)(*inputs, Tensor(8.0))
    assert [grad.item() for grad in grads] == [32.0, 16.0]
    assert not bool(step.process_loss_scale(step.get_overflow_status(None, grads)))
    assert step.scale_sense.asnumpy().item() == 16.0
    assert bool(step.get_overflow_status(None, (Tensor([np.inf]),)))
    step.set_sense_scale(Tensor(4.0))
    assert step(*inputs)[2].item() == 4.0
    with pytest.raises(TypeError, match="'sens' must be Tensor, but got float"):
        step.set_sense_scale(4.0)


def test_o2_scales_the_loss_dynamically() -> None:
    rng = np.random.RandomState(0)
    x = rng.standard_normal((32, 4)).astype(np.float32)
    y = (x.sum(axis=1) > 0).astype(np.int32)
    net = SequentialCell(Dense(4, 16), BatchNorm1d(16), ReLU(), Dense(16, 2))
    optimizer = Momentum(net.trainable_params(), 0.1, 0.9)
    model = train.Model(net, CrossEntropyLoss(), optimizer, {"acc"}, amp_level="O2")
    assert isinstance(model.train_network, TrainOneStepWithLossScaleCell)
    data = NumpySlicesDataset((x, y), shuffle=False).batch(16)
    model.train(20, data, callbacks=train.LossMonitor(0))
    assert model.eval(data)["acc"] >= 0.9
    fixed = amp.FixedLossScaleManager(64.0, drop_overflow_update=True)
    assert fixed.get_update_cell().get_loss_scale() == 64.0  # type: ignore[union-attr]


def test_continuous_overflow_is_an_error() -> None:
    manager = amp.DynamicLossScaleManager(4, 2, 2)
    for _ in range(1000):
        manager.update_loss_scale(True)
    assert manager.get_loss_scale() == 1
    with pytest.raises(RuntimeError, match="overflow"):
        manager.update_loss_scale(True)


def test_the_interface_is_abstract() -> None:
    with pytest.raises(TypeError, match="abstract"):
        amp.LossScaler()  # type: ignore[abstract]
