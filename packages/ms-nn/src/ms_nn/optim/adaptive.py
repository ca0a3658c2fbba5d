"""Optimizers with a step size per element: Adagrad, RMSProp, Adadelta, FTRL, ProximalAdagrad, Rprop, ASGD."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels import Parameter, ParameterTuple, Tensor
from ms_kernels.loops import optim as fused
from ms_kernels.opdef.errors import fail
from ms_nn import _check
from ms_nn.optim import rules
from ms_nn.optim._inplace import Array, advance
from ms_nn.optim.base import Optimizer

__all__ = ["ASGD", "FTRL", "Adadelta", "Adagrad", "ProximalAdagrad", "RMSProp", "Rprop"]


def _not_negative(name: str, **numbers: Any) -> tuple[float, ...]:
    """The checked numbers, as floats."""
    return tuple(_check.real(name, arg, value, least=0) for arg, value in numbers.items())


class _TakesGrads(Optimizer):
    """What 2.6's optimizers share that call the gradients `grads`."""

    def construct(self, grads: Any) -> Any:
        """Take a step; see `Optimizer`."""
        return super().construct(grads)


class Adagrad(_TakesGrads):
    """p = p - lr * g / sqrt(sum of g^2 so far) (``mindspore.nn.Adagrad``).

    Args:
        params, learning_rate, weight_decay, loss_scale: see `Optimizer`.
        accum: the sum at first, not below 0.
        update_slots: add to the sum.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.

    >>> from ms_kernels import Parameter, Tensor
    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> optimizer = Adagrad([w], accum=0.0, learning_rate=0.5)
    >>> optimizer((Tensor([3.0]),))
    (True,)
    >>> print(w.asnumpy())
    [0.5]
    """

    def __init__(
        self,
        params: Any,
        accum: float = 0.1,
        learning_rate: Any = 0.001,
        update_slots: bool = True,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        _not_negative("Adagrad", accum=accum)
        self.update_slots = _check.boolean("Adagrad", "update_slots", update_slots)
        self.accum = self.state("accum", accum)

    def _update(self, grads: list[Array], lrs: list[float], decays: tuple[float, ...]) -> None:
        self._fused(fused.adagrad, grads, lrs, decays, (self.accum,), update_slots=self.update_slots)


class ProximalAdagrad(_TakesGrads):
    """Adagrad with l1 and l2 regularization by their proximal operator (``mindspore.nn.ProximalAdagrad``).

    Args:
        params, learning_rate, weight_decay, loss_scale: see `Optimizer`.
        accum: the sum of squares at first, not below 0.
        l1, l2: strengths, not below 0.
        use_locking: kept for 2.6's sake.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.
    """

    def __init__(
        self,
        params: Any,
        accum: float = 0.1,
        learning_rate: Any = 0.001,
        l1: float = 0.0,
        l2: float = 0.0,
        use_locking: bool = False,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        _, self.l1, self.l2 = _not_negative("ProximalAdagrad", accum=accum, l1=l1, l2=l2)
        self.use_locking = _check.boolean("ProximalAdagrad", "use_locking", use_locking)
        self.accum = self.state("accum", accum)

    def _update(self, grads: list[Array], lrs: list[float], decays: tuple[float, ...]) -> None:
        self._apply(rules.proximal_adagrad, grads, lrs, decays, (self.accum,), self.l1, self.l2)


class RMSProp(Optimizer):
    """p = p - lr * g / sqrt(moving mean of g^2 + epsilon), with a momentum (``mindspore.nn.RMSProp``).

    Args:
        params, learning_rate, weight_decay, loss_scale: see `Optimizer`.
        decay: how much of the old mean stays, not below 0.
        momentum: not below 0.
        epsilon: above 0.
        use_locking: kept for 2.6's sake.
        centered: divide by the root of the variance in place of that of the mean square.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.

    >>> from ms_kernels import Parameter, Tensor
    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> optimizer = RMSProp([w], learning_rate=0.5, decay=0.5)
    >>> optimizer((Tensor([1.0]),))
    (True,)
    >>> print(w.asnumpy())
    [0.5]
    """

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.1,
        decay: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.decay, self.momentum = _not_negative("RMSProp", decay=decay, momentum=momentum)
        self.epsilon = _check.real("RMSProp", "epsilon", epsilon, above=0)
        self.use_locking = _check.boolean("RMSProp", "use_locking", use_locking)
        self.centered = _check.boolean("RMSProp", "centered", centered)
        self._mean = None
        if centered:
            self.mg = self.state("mean_grad")
            self._mean = self.mg
        self.ms = self.state("mean_square", 1.0)
        self.moment = self.state("moment")

    def _update(self, grads: list[Array], lrs: list[float], decays: tuple[float, ...]) -> None:
        states = (self.ms, self.moment) if self._mean is None else (self.ms, self.moment, self._mean)
        numbers = {"decay": self.decay, "momentum": self.momentum, "eps": self.epsilon}
        self._fused(fused.rmsprop, grads, lrs, decays, states, **numbers)


class Adadelta(_TakesGrads):
    """Steps in the parameters' own unit, from moving means of squared steps and gradients (``mindspore.nn.Adadelta``).

    Args:
        params, learning_rate, weight_decay, loss_scale: see `Optimizer`.
        rho: how much of the old means stays, in [0, 1].
        epsilon: not below 0.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.
    """

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 1.0,
        rho: float = 0.9,
        epsilon: float = 1e-6,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.rho = _check.within("Adadelta", "rho", rho, 0, 1)
        (self.epsilon,) = _not_negative("Adadelta", epsilon=epsilon)
        self.accum = self.state("accum")
        self.accum_update = self.state("accum_update")

    def _update(self, grads: list[Array], lrs: list[float], decays: tuple[float, ...]) -> None:
        self._apply(rules.adadelta, grads, lrs, decays, (self.accum, self.accum_update), self.rho, self.epsilon)


class FTRL(_TakesGrads):
    """Follow the regularized leader (``mindspore.nn.FTRL``; McMahan et al. 2013).

    Args:
        params, learning_rate, weight_decay, loss_scale: see `Optimizer`.
        initial_accum: the sum of squares at first, not below 0.
        lr_power: power of the sum, not above 0.
        l1, l2: strengths of the regularization, not below 0.
        use_locking: kept for 2.6's sake.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.
    """

    def __init__(
        self,
        params: Any,
        initial_accum: float = 0.1,
        learning_rate: Any = 0.001,
        lr_power: float = -0.5,
        l1: float = 0.0,
        l2: float = 0.0,
        use_locking: bool = False,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        _, self.l1, self.l2 = _not_negative("FTRL", initial_accum=initial_accum, l1=l1, l2=l2)
        if _check.real("FTRL", "lr_power", lr_power) > 0:
            fail(ValueError, "FTRL", "'lr_power'", "be float and must <= 0", f"'{lr_power}' with type 'float'")
        self.lr_power = lr_power
        self.use_locking = _check.boolean("FTRL", "use_locking", use_locking)
        self.moments = self.state("moments", initial_accum)
        self.linear = self.state("linear")

    def _update(self, grads: list[Array], lrs: list[float], decays: tuple[float, ...]) -> None:
        states = (self.moments, self.linear)
        self._apply(rules.ftrl, grads, lrs, decays, states, self.l1, self.l2, self.lr_power)


class Rprop(Optimizer):
    """Steps by the sign of the gradient, longer while it stays and shorter when it turns (``mindspore.nn.Rprop``).

    Args:
        params, learning_rate, weight_decay: see `Optimizer`; the learning rate is the first step's length.
        etas: factors (less than 1, greater than 1) of the step's length.
        step_sizes: its least and greatest.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.
    """

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.1,
        etas: Any = (0.5, 1.2),
        step_sizes: Any = (1e-6, 50.0),
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        for arg, value in (("etas", etas), ("step_sizes", step_sizes)):
            _check.instance("Rprop", arg, value, tuple)
            if len(value) != 2:
                fail(ValueError, "Rprop", f"length of '{arg}'", "be 2", str(len(value)))
        if not 0 < etas[0] < 1 < etas[1]:
            fail(ValueError, "Rprop", "'etas'", "be a number below 1 and one above 1", str(etas))
        if not 0 < step_sizes[0] <= step_sizes[1]:
            rule = "be two numbers above 0, the first not above the second"
            fail(ValueError, "Rprop", "'step_sizes'", rule, str(step_sizes))
        self.etas, self.step_sizes = etas, step_sizes
        self.prev = self.state("prev")
        self.step_size = self.state("step_size")

    def _update(self, grads: list[Array], lrs: list[float], decays: tuple[float, ...]) -> None:
        if int(self.global_step._a[0]) == 0:
            for size, lr in zip(self.step_size, lrs):
                size._a[...] = lr

        def rule(p: Array, g: Array, prev: Array, size: Array, _lr: float) -> None:
            rules.rprop(p, g, prev, size, self.etas, self.step_sizes)

        self._apply(rule, grads, lrs, decays, (self.prev, self.step_size))


class ASGD(Optimizer):
    """Gradient descent that also keeps an average of the parameters (``mindspore.nn.ASGD``).

    Args:
        params, learning_rate, weight_decay: see `Optimizer`.
        lambd: decay of the parameters.
        alpha: power of the step's decay.
        t0: step at which the average begins.

    Raises:
        TypeError: an argument of the wrong type.
    """

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.1,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        for arg, value in (("lambd", lambd), ("alpha", alpha), ("t0", t0)):
            _check.real("ASGD", arg, value)
        self.lambd, self.alpha, self.t0 = lambd, alpha, t0
        self.mu = self._scalars("mu", 1.0)
        self.eta = self._scalars("eta", 0.0)
        self.ax = self.state("ax_")

    def _scalars(self, prefix: str, first: float) -> ParameterTuple:
        return ParameterTuple(
            [Parameter(Tensor(np.array(first, np.float32)), name=f"{prefix}_{param.name}") for param in self.parameters]
        )

    def _update(self, grads: list[Array], lrs: list[float], decays: tuple[float, ...]) -> None:
        step, places = int(self.global_step._a[0]) + 1, iter(range(self.param_length))

        def rule(p: Array, g: Array, average: Array, lr: float) -> None:
            i = next(places)
            eta = lr if step == 1 else float(self.eta[i]._a)
            rules.asgd(p, g, average, eta, float(self.mu[i]._a), self.lambd)
            advance(self.eta[i], lambda _old: lr / (1 + self.lambd * lr * step) ** self.alpha)
            advance(self.mu[i], lambda _old: 1 / max(1.0, step - self.t0))

        self._apply(rule, grads, lrs, decays, (self.ax,))
