"""Adam and its kin: Adam, AdamOffload, AdamWeightDecay, AdaMax, LazyAdam, Lamb."""

from __future__ import annotations

from functools import partial
from inspect import signature
from typing import Any

import numpy as np

from ms_kernels import Parameter, Tensor
from ms_kernels.loops import optim as fused
from ms_kernels.opdef.errors import fail
from ms_nn import _check
from ms_nn.optim import rules
from ms_nn.optim._inplace import Array, advance
from ms_nn.optim.base import Optimizer

__all__ = ["AdaMax", "Adam", "AdamOffload", "AdamWeightDecay", "Lamb", "LazyAdam"]


def _betas(name: str, beta1: Any, beta2: Any, eps: Any) -> tuple[float, float, float]:
    """The checked numbers as float32 holds them, which is what 2.6 computes with."""
    for arg, value in (("beta1", beta1), ("beta2", beta2)):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            fail(TypeError, name, f"type of '{arg}'", "be 'float'", f"type '{type(value).__name__}'")
        if not 0 < value < 1:
            got = f"{value} with type '{type(value).__name__}'"
            fail(ValueError, name, f"'{arg}'", "be in range of (0.0, 1.0)", got)
    return float(np.float32(beta1)), float(np.float32(beta2)), _check.real(name, "eps", eps, above=0)


class Adam(Optimizer):
    """Adaptive moments (``mindspore.nn.Adam``; Kingma and Ba 2014).

    m and v are moving means of the gradient and of its square; p = p - lr * sqrt(1 - beta2^t) / (1 - beta1^t) * m /
    (sqrt(v) + eps).

    Args:
        params, learning_rate, weight_decay, loss_scale: see `Optimizer`.
        beta1, beta2: how much of the old means stays, in (0, 1).
        eps: above 0.
        use_locking: kept for 2.6's sake; an update never runs beside another one of the same parameter.
        use_nesterov: look ahead along the mean.
        use_amsgrad: divide by the greatest v so far.
        kwargs: kept for 2.6's sake: use_lazy and use_offload.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.

    >>> from ms_kernels import Parameter, Tensor
    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> optimizer = Adam([w], learning_rate=0.5)
    >>> optimizer((Tensor([3.0]),))
    (True,)
    >>> print(w.asnumpy().round(4), [p.name for p in optimizer.moment1])
    [0.5] ['moment1.w']
    """

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        use_locking: bool = False,
        use_nesterov: bool = False,
        weight_decay: Any = 0.0,
        loss_scale: float = 1.0,
        use_amsgrad: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        name = type(self).__name__
        for key in kwargs:
            if key not in ("use_lazy", "use_offload"):
                raise ValueError(
                    f"For '{name}', the keyword must be one of 'use_lazy' and 'use_offload', but got '{key}'."
                )
        self.beta1, self.beta2, self.eps = _betas(name, beta1, beta2, eps)
        self.use_locking = _check.boolean(name, "use_locking", use_locking)
        self.use_nesterov = _check.boolean(name, "use_nesterov", use_nesterov)
        self.use_amsgrad = _check.boolean(name, "use_amsgrad", use_amsgrad)
        self._register_powers()
        self.moment1 = self.state("moment1")
        self.moment2 = self.state("moment2")
        self._vhat = None
        if use_amsgrad:
            self.vhat = self.state("vhat")
            self._vhat = self.vhat

    def _register_powers(self, shape: tuple[int, ...] = ()) -> None:
        self.beta1_power = Parameter(Tensor(np.ones(shape, np.float32)), name="beta1_power")
        self.beta2_power = Parameter(Tensor(np.ones(shape, np.float32)), name="beta2_power")

    def _powers(self) -> tuple[float, float]:
        """Advance the powers of the betas, and give them."""
        found = []
        for power, beta in ((self.beta1_power, self.beta1), (self.beta2_power, self.beta2)):
            advance(power, partial(np.multiply, np.float32(beta)))
            found.append(float(power._a.reshape(-1)[0]))
        return found[0], found[1]

    def _update(self, grads: list[Array], lrs: list[float], decays: tuple[float, ...]) -> None:
        power1, power2 = self._powers()
        numbers: dict[str, Any] = {"beta1": self.beta1, "beta2": self.beta2, "eps": self.eps}
        numbers.update(beta1_power=power1, beta2_power=power2, nesterov=self.use_nesterov)
        states: tuple[Any, ...] = (self.moment1, self.moment2)
        if self._vhat is None:
            self._fused(fused.adam, grads, lrs, decays, states, **numbers)
        else:
            self._fused(_amsgrad, grads, lrs, decays, (*states, self._vhat), **numbers)


def _amsgrad(params: Any, grads: Any, m: Any, v: Any, vhat: Any, **numbers: Any) -> None:
    """`fused.adam` with all states by position."""
    fused.adam(params, grads, m, v, vhat=vhat, **numbers)


_PLAIN = signature(Adam)
_PLAIN = _PLAIN.replace(parameters=[p for key, p in _PLAIN.parameters.items() if key not in ("use_amsgrad", "kwargs")])


class _PlainAdam(Adam):
    """Adam without `use_amsgrad`, as its two other names in 2.6 have it."""

    __signature__ = _PLAIN

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(**_PLAIN.bind(*args, **kwargs).arguments)

    def _register_powers(self, shape: tuple[int, ...] = (1,)) -> None:
        super()._register_powers(shape)


class LazyAdam(_PlainAdam):
    """Adam (``mindspore.nn.LazyAdam``); its laziness is about sparse gradients, which there are none of here.

    Args: as `Adam`, without `use_amsgrad`.
    """


class AdamOffload(_PlainAdam):
    """Adam (``mindspore.nn.AdamOffload``), which 2.6 runs on the host beside a device that is short of memory.

    Args: as `Adam`, without `use_amsgrad`.
    """


class AdamWeightDecay(Optimizer):
    """Adam without correction of the bias, the weight decay kept out of the moments (``mindspore.nn.AdamWeightDecay``).

    p = p - lr * (m / (sqrt(v) + eps) + weight_decay * p).

    Args:
        params, learning_rate, weight_decay: see `Optimizer`.
        beta1, beta2: how much of the old means stays, in (0, 1).
        eps: above 0.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.

    >>> from ms_kernels import Parameter, Tensor
    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> optimizer = AdamWeightDecay([w], learning_rate=0.1, weight_decay=0.5)
    >>> optimizer((Tensor([0.0]),))
    (True,)
    >>> print(w.asnumpy())
    [0.95]
    """

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-6,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        self.beta1, self.beta2, self.eps = _betas("AdamWeightDecay", beta1, beta2, eps)
        self.moments1 = self.state("adam_m")
        self.moments2 = self.state("adam_v")

    def _update(self, grads: list[Array], lrs: list[float], decays: tuple[float, ...]) -> None:
        numbers = {"beta1": self.beta1, "beta2": self.beta2, "eps": self.eps}
        self._fused(fused.adamw, grads, lrs, decays, (self.moments1, self.moments2), **numbers)


class AdaMax(Optimizer):
    """Adam with the infinity norm (``mindspore.nn.AdaMax``).

    u = max(beta2 * u, |g|); p = p - lr / (1 - beta1^t) * m / (u + eps).

    Args:
        params, learning_rate, weight_decay, loss_scale: see `Optimizer`.
        beta1, beta2: in (0, 1).
        eps: above 0.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.

    >>> from ms_kernels import Parameter, Tensor
    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> optimizer = AdaMax([w], learning_rate=0.5)
    >>> optimizer((Tensor([3.0]),))
    (True,)
    >>> print(w.asnumpy().round(4))
    [0.5]
    """

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: Any = 0.0,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.beta1, self.beta2, self.eps = _betas("AdaMax", beta1, beta2, eps)
        self.beta1_power = Parameter(Tensor(np.ones(1, np.float32)), name="beta1_power")
        self.moment1 = self.state("moment1")
        self.moment2 = self.state("moment2")

    def _update(self, grads: list[Array], lrs: list[float], decays: tuple[float, ...]) -> None:
        power = advance(self.beta1_power, lambda old: old * np.float32(self.beta1))
        rates = [lr / (1 - float(power[0])) for lr in lrs]
        self._apply(rules.adamax, grads, rates, decays, (self.moment1, self.moment2), self.beta1, self.beta2, self.eps)


class Lamb(Optimizer):
    """Adam with weight decay, each parameter's step scaled to its length (``mindspore.nn.Lamb``; You et al. 2019).

    u = m' / (sqrt(v') + eps) + weight_decay * p with the moments corrected for their bias; p = p - lr * |p| / |u| * u.

    Args:
        params, learning_rate, weight_decay: see `Optimizer`.
        beta1, beta2: in (0, 1).
        eps: above 0.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.

    >>> from ms_kernels import Parameter, Tensor
    >>> w = Parameter(Tensor([2.0]), name="w")
    >>> optimizer = Lamb([w], 0.1)
    >>> optimizer((Tensor([3.0]),))
    (True,)
    >>> print(w.asnumpy().round(4))
    [1.8]
    """

    def __init__(
        self,
        params: Any,
        learning_rate: Any,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-6,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        self.beta1, self.beta2, self.eps = _betas("Lamb", beta1, beta2, eps)
        self.moments1 = self.state("lamb_m")
        self.moments2 = self.state("lamb_v")

    def _update(self, grads: list[Array], lrs: list[float], decays: tuple[float, ...]) -> None:
        none, per_param, step = (0.0,) * len(decays), iter(decays), int(self.global_step._a[0]) + 1

        def rule(p: Array, g: Array, m: Array, v: Array, lr: float) -> None:
            rules.lamb(p, g, m, v, lr, self.beta1, self.beta2, self.eps, next(per_param), step)

        self._apply(rule, grads, lrs, none, (self.moments1, self.moments2))
