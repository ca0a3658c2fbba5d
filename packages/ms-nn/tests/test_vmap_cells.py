"""vmap over cells: layers, gradients of their parameters for each sample, custom gradients and hooks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ms_kernels import Tensor, grad, value_and_grad, vmap
from ms_nn import BatchNorm2d, Cell, CellList, Conv2d, Dense, Dropout, Flatten, LayerNorm, ReLU, SequentialCell

X = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)


def stacked(fn: Any, *args: Any) -> Any:
    return np.stack([fn(*(Tensor(a[i]) for a in args)).asnumpy() for i in range(len(args[0]))])


def test_layers() -> None:
    net = SequentialCell(Dense(3, 4), LayerNorm((4,)), ReLU(), Dense(4, 2))
    calls: list[Any] = []
    net.register_forward_pre_hook(lambda cell, inputs: calls.append(inputs))
    np.testing.assert_allclose(vmap(net)(Tensor(X)).asnumpy(), net(Tensor(X)).asnumpy(), rtol=1e-5, atol=1e-6)
    assert len(calls) == 2


@pytest.mark.parametrize("train", [False, True])
def test_images(train: bool) -> None:
    net = SequentialCell(Conv2d(2, 3, 3), BatchNorm2d(3), ReLU(), Flatten(), Dense(3 * 25, 2))
    net.set_train(train)
    images = np.random.default_rng(1).normal(size=(3, 2, 2, 5, 5)).astype(np.float32)
    found = vmap(net)(Tensor(images)).asnumpy()
    np.testing.assert_allclose(found, stacked(net, images), rtol=1e-4, atol=1e-5)


def test_gradients_of_parameters_for_each_sample() -> None:
    net = SequentialCell(Dense(3, 4), ReLU(), Dense(4, 2))
    gradient = value_and_grad(lambda x: (net(x) ** 2).sum(), None, net.trainable_params())
    found = vmap(lambda x: gradient(x)[1])(Tensor(X))
    for i in range(len(X)):
        for got, wanted in zip(found, gradient(Tensor(X[i]))[1]):
            np.testing.assert_allclose(got.asnumpy()[i], wanted.asnumpy(), rtol=1e-5, atol=1e-6)


def test_dropout_draws_for_each_sample() -> None:
    layer = Dropout(p=0.5)
    layer.set_train()
    found = vmap(layer)(Tensor(np.ones((3, 100), np.float32))).asnumpy()
    assert len({tuple(row) for row in found}) == 3


def test_one_cell_per_sample() -> None:
    cells = CellList([Dense(3, 2) for _ in range(4)])
    wanted = np.stack([cell(Tensor(x)).asnumpy() for cell, x in zip(cells, X)])
    np.testing.assert_allclose(vmap(cells)(Tensor(X)).asnumpy(), wanted, rtol=1e-6)


class Tenfold(Cell):
    def construct(self, x: Any) -> Any:
        return x * x

    def bprop(self, x: Any, out: Any, dout: Any) -> Any:
        return (dout * 10,)


@pytest.mark.parametrize("outside", [False, True])
def test_custom_gradients_and_hooks(outside: bool) -> None:
    def asked(fn: Any) -> Any:
        if outside:
            return grad(lambda a: vmap(fn)(a).sum())(Tensor(X)).asnumpy()
        return vmap(grad(fn))(Tensor(X)).asnumpy()

    own = Tenfold()
    np.testing.assert_array_equal(asked(lambda x: own(x).sum()), np.full_like(X, 10))
    layer = Dense(3, 2)
    plain = asked(lambda x: layer(x).sum())
    layer.register_backward_hook(lambda cell, grad_input, grad_output: tuple(g * 2 for g in grad_input))
    np.testing.assert_allclose(asked(lambda x: layer(x).sum()), 2 * plain, rtol=1e-6)
