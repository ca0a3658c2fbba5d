"""SGD and Momentum."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels import Parameter, Tensor
from ms_kernels.loops import optim as fused
from ms_nn import _check
from ms_nn.optim._inplace import Array, advance
from ms_nn.optim.base import Optimizer

__all__ = ["SGD", "Momentum"]


class SGD(Optimizer):
    """Gradient descent, with a momentum as it may be (``mindspore.nn.SGD``).

    v = momentum * v + (1 - dampening) * g (at first v = g); p = p - lr * v, or with `nesterov`
    p - lr * (g + momentum * v).

    Args:
        params, learning_rate, weight_decay, loss_scale: see `Optimizer`.
        momentum: not below 0; 0: no v.
        dampening: see above.
        nesterov: needs a momentum and no dampening.

    Raises:
        ValueError: `momentum` or `dampening` below 0, or nesterov without a momentum or with dampening.

    >>> from ms_kernels import Parameter, Tensor
    >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> optimizer = SGD([w], learning_rate=0.5)
    >>> optimizer((Tensor([1.0, 1.0]),))
    (True,)
    >>> print(w.asnumpy())
    [0.5 1.5]
    """

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.1,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: Any = 0.0,
        nesterov: bool = False,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        _least_zero("SGD", "momentum", momentum)
        _least_zero("SGD", "dampening", dampening)
        self.nesterov = _check.boolean("SGD", "nesterov", nesterov)
        if nesterov and not (momentum > 0 and dampening == 0):
            raise ValueError(
                "For 'SGD', if 'nesterov' is true, 'momentum' must be > 0.0 and 'dampening' must equal to 0.0, "
                f"but got 'momentum' {float(momentum)}, 'dampening' {float(dampening)}."
            )
        self.dampening = float(dampening)
        self.momentum = Parameter(Tensor(np.array(momentum, np.float32)), name="momentum")
        self.accum = self.state("accum")
        self.stat = self.state("stat", 1.0)

    def _update(self, grads: list[Array], lrs: list[float], decays: tuple[float, ...]) -> None:
        momentum = float(self.momentum._a)
        if not momentum:
            self._fused(fused.sgd, grads, lrs, decays, ())
            return
        first = self.stat[0]._a.max(initial=0) > 0  # the velocity starts at the whole first gradient
        dampening = 0.0 if first else self.dampening
        numbers = {"momentum": momentum, "dampening": dampening, "nesterov": self.nesterov}
        self._fused(fused.sgd, grads, lrs, decays, (self.accum,), **numbers)
        if first:
            for stat in self.stat:
                advance(stat, lambda _old: 0)


class Momentum(Optimizer):
    """Gradient descent with a velocity (``mindspore.nn.Momentum``).

    v = momentum * v + g; p = p - lr * v, or with `use_nesterov` p - lr * (g + momentum * v).

    Args:
        params, learning_rate, weight_decay, loss_scale: see `Optimizer`.
        momentum: not below 0.
        use_nesterov: see above.

    Raises:
        ValueError: `momentum` below 0.

    >>> from ms_kernels import Parameter, Tensor
    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> optimizer = Momentum([w], 0.5, 0.9)
    >>> for _ in range(2):
    ...     done = optimizer((Tensor([1.0]),))
    >>> print(w.asnumpy().round(3))
    [-0.45]
    """

    def __init__(
        self,
        params: Any,
        learning_rate: Any,
        momentum: float,
        weight_decay: Any = 0.0,
        loss_scale: float = 1.0,
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        _least_zero("Momentum", "momentum", momentum)
        self.use_nesterov = _check.boolean("Momentum", "use_nesterov", use_nesterov)
        self.momentum = Parameter(Tensor(np.array(momentum, np.float32)), name="momentum")
        self.moments = self.state("moments")

    def _update(self, grads: list[Array], lrs: list[float], decays: tuple[float, ...]) -> None:
        numbers = {"momentum": float(self.momentum._a), "nesterov": self.use_nesterov}
        self._fused(fused.sgd, grads, lrs, decays, (self.moments,), **numbers)


def _least_zero(name: str, arg: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"For '{name}', the argument '{arg}' must be float or int, but got type {type(value)}.")
    if value < 0:
        raise ValueError(f"For '{name}', the argument '{arg}' must be at least 0.0, but got {value}.")
