"""The primitives of layers, as subclasses with a `construct` of their own use them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ms_kernels as mk
import ms_nn as nn
from ms_kernels import Tensor

RNG = np.random.default_rng(0)
IMAGES = Tensor(RNG.standard_normal((2, 4, 6, 6)).astype(np.float32))
ROWS = Tensor(RNG.standard_normal((3, 4)).astype(np.float32))

LAYERS: list[tuple[Any, Tensor, Any]] = [
    (
        lambda: nn.Conv2d(4, 6, 3, 2, pad_mode="pad", padding=1, has_bias=True),
        IMAGES,
        lambda c, x: c.bias_add(c.conv2d(x, c.weight), c.bias),
    ),
    (
        lambda: nn.Conv2d(4, 4, 3, pad_mode="same", dilation=2, group=2),
        IMAGES,
        lambda c, x: c.conv2d(x, c.weight),
    ),
    (
        lambda: nn.Dense(4, 5),
        ROWS,
        lambda c, x: c.bias_add(c.matmul(c.reshape(x, (-1, 4)), c.weight), c.bias),
    ),
    (lambda: nn.LayerNorm((4,), epsilon=1e-3), ROWS, lambda c, x: c.layer_norm(x, c.gamma, c.beta)[0]),
    (
        lambda: nn.BatchNorm2d(4),
        IMAGES,
        lambda c, x: c.bn_infer(x, c.gamma, c.beta, c.moving_mean, c.moving_variance)[0],
    ),
    (lambda: nn.Softmax(axis=0), ROWS, lambda c, x: c.softmax(x)),
    (nn.ReLU, ROWS, lambda c, x: c.relu(x)),
    (lambda: nn.AdaptiveAvgPool2d(2), IMAGES, lambda c, x: c.adaptive_avgpool2d(x)),
]


@pytest.mark.parametrize("build, x, by_parts", LAYERS)
def test_parts_compute_what_the_layer_does(build: Any, x: Tensor, by_parts: Any) -> None:
    layer = build()
    layer.set_train(False)
    np.testing.assert_allclose(by_parts(layer, x).asnumpy(), layer(x).asnumpy(), rtol=1e-5, atol=1e-6)


def test_a_subclass_uses_them_and_has_gradients() -> None:
    class Standardised(nn.Conv2d):
        def construct(self, x: Any) -> Any:
            mean = self.weight.mean((1, 2, 3), True)
            return self.conv2d(x, self.weight - mean)

    layer = Standardised(4, 2, 3)
    grads = mk.grad(lambda x: layer(x).sum(), None, layer.trainable_params())(IMAGES)
    flat = np.concatenate([g.asnumpy().ravel() for g in grads])
    assert np.abs(flat).max() > 0
    np.testing.assert_allclose(grads[0].asnumpy().sum((1, 2, 3)), 0, atol=1e-3)


def test_what_a_subclass_sets_comes_first() -> None:
    class Own(nn.Dense):
        def __init__(self) -> None:
            super().__init__(4, 4)
            self.matmul = nn.ReLU()

    assert isinstance(Own().matmul, nn.ReLU)


def test_other_cells_do_not_have_them() -> None:
    with pytest.raises(AttributeError, match="no attribute 'conv2d'"):
        _ = nn.Dense(2, 2).conv2d
    assert "conv2d" not in vars(nn.Conv2d(1, 1, 1))


def test_an_optimizer_of_ones_own() -> None:
    from ms_nn.optim.own import opt_init_args_register

    class Own(nn.Optimizer):
        @opt_init_args_register
        def __init__(self, params: Any, learning_rate: Any = 0.1, decay: float = 0.5) -> None:
            super().__init__(learning_rate, params)
            self.decay = decay

        def construct(self, gradients: Any) -> Any:
            rate = self.get_lr()
            gradients = self._grad_sparse_indices_deduplicate(gradients)
            if self._is_dynamic_lr_or_weight_decay():
                self.assignadd(self.global_step, self.global_step_increase_tensor)
            assert self.optim_filter == (True,) * len(self._parameters)
            assert not self.use_parallel

            def update(param: Any, grad: Any) -> Any:
                return mk.functional.assign(param, param * self.decay - rate * grad)

            return self.hyper_map(update, self._parameters, gradients)

    weights = [mk.Parameter(Tensor([2.0, 4.0]), name="w")]
    own = Own(weights, decay=0.25)
    assert own.init_args == {"decay": 0.25}
    assert own.init_learning_rate == 0.1
    assert own.init_params == {"params": weights}
    own((Tensor([10.0, 20.0]),))
    np.testing.assert_allclose(weights[0].asnumpy(), [-0.5, -1.0], rtol=1e-6)
