"""Cells that put network, loss and optimizer together, and a training from end to end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ms_generator
import ms_nn as nn
from ms_kernels import Tensor, value_and_grad


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.d = nn.Dense(4, 2, "ones", "zeros")

    def construct(self, x: Any) -> Any:
        return self.d(x)


X = Tensor(np.ones((3, 4), np.float32))
Y = Tensor(np.ones((3, 2), np.float32))


def test_train_one_step() -> None:
    net = Net()
    with_loss = nn.WithLossCell(net, nn.MSELoss())
    step = nn.TrainOneStepCell(with_loss, nn.SGD(net.trainable_params(), 0.1))
    np.testing.assert_allclose([float(step(X, Y)) for _ in range(3)], [9.0, 2.25, 0.5624996423721313], rtol=1e-6)
    assert with_loss.backbone_network is net
    assert [p.name for p in step.get_parameters()] == [
        "d.weight",
        "d.bias",
        "global_step",
        "learning_rate",
        "momentum",
        "accum.d.weight",
        "accum.d.bias",
        "stat.d.weight",
        "stat.d.bias",
    ]
    assert repr(step) == (
        "TrainOneStepCell(\n  (network): WithLossCell(\n    (_backbone): Net(\n      (d): Dense(input_channels=4, "
        "output_channels=2, has_bias=True)\n    )\n    (_loss_fn): MSELoss()\n  )\n  (optimizer): SGD()\n"
        "  (grad_reducer): Identity()\n)"
    )


def test_train_one_step_returns_gradients() -> None:
    net = Net()
    with_loss = nn.WithLossCell(net, nn.MSELoss())
    step = nn.TrainOneStepCell(with_loss, nn.SGD(net.trainable_params(), 0.1), sens=2.0, return_grad=True)
    loss, grads = step(X, Y)
    assert float(loss) == 9.0
    np.testing.assert_array_equal(grads["d.weight"].asnumpy(), np.full((2, 4), 6))
    np.testing.assert_array_equal(grads["d.bias"].asnumpy(), [6, 6])


def test_eval_and_grad_cells() -> None:
    loss, out, label = nn.WithEvalCell(Net(), nn.MSELoss())(X, Y)
    assert float(loss) == 9.0 and out.shape == (3, 2) and label is Y
    weight, bias = nn.WithGradCell(Net(), nn.MSELoss())(X, Y)
    np.testing.assert_array_equal(weight.asnumpy(), np.full((2, 4), 3))
    np.testing.assert_array_equal(bias.asnumpy(), [3, 3])
    value, (by_x, by_y) = nn.ForwardValueAndGrad(nn.WithLossCell(Net(), nn.MSELoss()), get_all=True)(X, Y)
    assert float(value) == 9.0
    np.testing.assert_array_equal(by_x.asnumpy(), np.full((3, 4), 2))
    np.testing.assert_array_equal(by_y.asnumpy(), np.full((3, 2), -1))


def spirals() -> tuple[Tensor, Tensor]:
    rng = np.random.RandomState(0)
    angle = rng.random_sample(300) * 6
    side = rng.randint(0, 2, 300)
    radius = angle / 6
    points = np.stack([radius * np.cos(angle + side * np.pi), radius * np.sin(angle + side * np.pi)], 1)
    return Tensor((points + rng.standard_normal((300, 2)) * 0.01).astype(np.float32)), Tensor(side.astype(np.int32))


@pytest.mark.parametrize(
    "make",
    [
        lambda p: nn.Adam(p, 0.01),
        lambda p: nn.AdamWeightDecay(p, 0.01, weight_decay=1e-4),
        lambda p: nn.Momentum(p, nn.CosineDecayLR(0.01, 0.3, 300), 0.9),
        lambda p: nn.RMSProp(p, 0.01),
        lambda p: nn.mint.optim.AdamW(p, 0.01),
    ],
    ids=["Adam", "AdamWeightDecay", "Momentum", "RMSProp", "AdamW"],
)
def test_two_spirals_are_told_apart(make: Any) -> None:
    ms_generator.set_seed(1)
    net = nn.SequentialCell(nn.Dense(2, 32), nn.Tanh(), nn.Dense(32, 32), nn.ReLU(), nn.Dense(32, 2))
    optimizer, loss_fn = make(net.trainable_params()), nn.CrossEntropyLoss()
    x, y = spirals()
    step = value_and_grad(lambda a, b: loss_fn(net(a), b), None, net.trainable_params())
    losses = []
    for _ in range(300):
        loss, grads = step(x, y)
        optimizer(grads)
        losses.append(float(loss))
    assert losses[0] > 0.6
    assert losses[-1] < 0.1
    assert (net(x).asnumpy().argmax(1) == y.asnumpy()).mean() > 0.97


def test_a_small_cnn_learns_where_the_bar_is() -> None:
    ms_generator.set_seed(2)
    rng = np.random.RandomState(3)
    images = rng.standard_normal((64, 1, 8, 8)).astype(np.float32) * 0.3
    labels = rng.randint(0, 2, 64).astype(np.int32)
    for image, label in zip(images, labels, strict=True):
        image[0, :, 3] += 1 - label
        image[0, 3, :] += label
    net = nn.SequentialCell(
        nn.Conv2d(1, 4, 3, pad_mode="pad", padding=1),
        nn.BatchNorm2d(4),
        nn.ReLU(),
        nn.MaxPool2d(2, 2),
        nn.Flatten(),
        nn.Dense(64, 2),
    )
    net.set_train()
    optimizer, loss_fn = nn.Adam(net.trainable_params(), 0.02), nn.SoftmaxCrossEntropyWithLogits(True, "mean")
    x, y = Tensor(images), Tensor(labels)
    step = value_and_grad(lambda a, b: loss_fn(net(a), b), None, net.trainable_params())
    for _ in range(30):
        _, grads = step(x, y)
        optimizer(grads)
    net.set_train(False)
    assert (net(x).asnumpy().argmax(1) == labels).mean() > 0.98
    assert np.abs(net[1].moving_mean.asnumpy()).max() > 0
