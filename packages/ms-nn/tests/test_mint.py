"""Layers of mint.nn for which 2.6 has no CPU kernel: they do what those of nn do, or what their formula says."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest

import ms_generator
import ms_nn as nn
from ms_kernels import Tensor
from ms_nn.mint import nn as mint

IMAGE = (2, 4, 5, 6)
ROWS = (2, 4, 6)
TABLE = (3, 4)
VOLUME = (1, 4, 3, 4, 5)

SAME: list[tuple[Any, Any, tuple[int, ...]]] = [
    (
        lambda: mint.Conv2d(4, 6, 3, padding=(1, 0), stride=2),
        lambda: nn.Conv2d(4, 6, 3, 2, "pad", (1, 1, 0, 0), has_bias=True),
        IMAGE,
    ),
    (lambda: mint.Conv2d(4, 6, 3, padding="same", bias=False), lambda: nn.Conv2d(4, 6, 3), IMAGE),
    (lambda: mint.Conv1d(4, 6, 3, padding=1), lambda: nn.Conv1d(4, 6, 3, 1, "pad", 1, has_bias=True), ROWS),
    (lambda: mint.Conv3d(4, 6, 2), lambda: nn.Conv3d(4, 6, 2, pad_mode="valid", has_bias=True), VOLUME),
    (lambda: mint.BatchNorm1d(4), lambda: nn.BatchNorm1d(4).set_train(), TABLE),
    (lambda: mint.BatchNorm2d(4).set_train(False), lambda: nn.BatchNorm2d(4), IMAGE),
    (
        lambda: mint.BatchNorm2d(4, affine=False, track_running_stats=False),
        lambda: nn.BatchNorm2d(4).set_train(),
        IMAGE,
    ),
    (lambda: mint.BatchNorm3d(4), lambda: nn.BatchNorm3d(4).set_train(), VOLUME),
    (lambda: mint.LayerNorm((4,)), lambda: nn.LayerNorm((4,), epsilon=1e-5), TABLE),
    (lambda: mint.LayerNorm(4, elementwise_affine=False), lambda: nn.LayerNorm((4,), epsilon=1e-5), TABLE),
    (lambda: mint.GroupNorm(2, 4, affine=False), lambda: nn.GroupNorm(2, 4), IMAGE),
    (lambda: mint.Flatten(), lambda: nn.Flatten(), IMAGE),
    (lambda: mint.MaxPool2d(2), lambda: nn.MaxPool2d(2, 2), IMAGE),
    (lambda: mint.AvgPool2d(2), lambda: nn.AvgPool2d(2, 2), IMAGE),
    (lambda: mint.AvgPool1d(2), lambda: nn.AvgPool1d(2, 2), ROWS),
    (lambda: mint.AdaptiveAvgPool1d(3), lambda: nn.AdaptiveAvgPool1d(3), ROWS),
    (lambda: mint.AdaptiveAvgPool2d((2, 3)), lambda: nn.AdaptiveAvgPool2d((2, 3)), IMAGE),
    (lambda: mint.ReLU6(), lambda: nn.ReLU6(), TABLE),
    (lambda: mint.GELU(), lambda: nn.GELU(approximate=False), TABLE),
    (lambda: mint.GELU("tanh"), lambda: nn.GELU(), TABLE),
    (lambda: mint.ELU(), lambda: nn.ELU(), TABLE),
    (lambda: mint.Hardtanh(-0.5, 0.5), lambda: nn.Hardtanh(-0.5, 0.5), TABLE),
    (lambda: mint.LogSigmoid(), lambda: nn.LogSigmoid(), TABLE),
    (lambda: mint.LogSoftmax(), lambda: nn.LogSoftmax(1), TABLE),
    (lambda: mint.Softmax(), lambda: nn.Softmax(0), ROWS),
    (lambda: mint.Mish(), lambda: nn.Mish(), TABLE),
    (lambda: mint.SELU(), lambda: nn.SeLU(), TABLE),
    (lambda: mint.SiLU(), lambda: nn.SiLU(), TABLE),
    (lambda: mint.Threshold(0.1, 20), lambda: nn.Threshold(0.1, 20), TABLE),
    (lambda: mint.ZeroPad1d((1, 2)), lambda: nn.ConstantPad1d((1, 2), 0), ROWS),
    (lambda: mint.ZeroPad3d(1), lambda: nn.ConstantPad3d(1, 0), VOLUME),
]


@pytest.mark.parametrize(("ours", "other", "shape"), SAME, ids=range(len(SAME)))
def test_the_same_as_in_nn(ours: Any, other: Any, shape: tuple[int, ...]) -> None:
    x = Tensor(np.random.RandomState(3).standard_normal(shape).astype(np.float32))
    results = []
    for make in (ours, other):
        ms_generator.set_seed(9)
        results.append(make()(x).asnumpy())
    np.testing.assert_allclose(*results, rtol=1e-5, atol=1e-6)


def test_elu_with_another_alpha() -> None:
    x = np.array([-2.0, -0.5, 0.0, 1.5], np.float32)
    expected = np.where(x > 0, x, 0.3 * np.expm1(x))
    np.testing.assert_allclose(mint.ELU(0.3)(Tensor(x)).asnumpy(), expected, rtol=1e-6, atol=1e-7)


def test_embedding() -> None:
    ms_generator.set_seed(1)
    layer = mint.Embedding(50, 8, padding_idx=-1)
    assert layer.padding_idx == 49
    table = layer.weight.asnumpy()
    np.testing.assert_array_equal(layer(Tensor([[0, 49], [3, 3]])).asnumpy(), table[[[0, 49], [3, 3]]])
    np.testing.assert_array_equal(table[49], np.zeros(8))
    assert abs(table[:49].std() - 1) < 0.1
    given = mint.Embedding(2, 3, _weight=Tensor(np.ones((2, 3), np.float32)), _freeze=True)
    assert given.trainable_params() == []


def test_losses_are_those_of_nn() -> None:
    x = Tensor(np.random.RandomState(0).standard_normal((3, 4)).astype(np.float32))
    y = Tensor(np.array([0, 3, 1], np.int32))
    assert issubclass(mint.CrossEntropyLoss, nn.CrossEntropyLoss)
    assert pickle.loads(pickle.dumps(mint.CrossEntropyLoss(reduction="sum"))).reduction == "sum"
    assert float(mint.CrossEntropyLoss()(input=x, target=y)) == float(nn.CrossEntropyLoss()(logits=x, labels=y))
    np.testing.assert_allclose(float(mint.MSELoss()(x, x * 2)), float((x * x).mean()), rtol=1e-6)
    smooth = float(mint.SmoothL1Loss(beta=0.5)(x, x * 2))
    np.testing.assert_allclose(smooth, float(nn.SmoothL1Loss(0.5, "mean")(x, x * 2)), rtol=1e-6)
    row = x.asnumpy().astype(np.float64)
    expected = np.mean([math.log(np.exp(r).sum()) - r[i] for r, i in zip(row, y.asnumpy(), strict=True)])
    np.testing.assert_allclose(float(mint.CrossEntropyLoss()(x, y)), expected, rtol=1e-6)
