"""Learning rates as functions of the step: cells that an optimizer calls with its step number."""

from __future__ import annotations

import math
from typing import Any

import ms_dtype as mstype
from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail
from ms_nn import _check
from ms_nn.cell import Cell

__all__ = [
    "CosineDecayLR",
    "ExponentialDecayLR",
    "InverseDecayLR",
    "LearningRateSchedule",
    "NaturalExpDecayLR",
    "PolynomialDecayLR",
    "WarmUpLR",
]


class LearningRateSchedule(Cell):
    """Base class: ``construct(global_step)`` gives the learning rate (``mindspore.nn.LearningRateSchedule``).

    `global_step` is an int32 Tensor.

    >>> class Slower(LearningRateSchedule):
    ...     def construct(self, global_step):
    ...         return 1.0 / (global_step + 1.0)
    >>> from ms_kernels import Tensor
    >>> print(Slower()(Tensor(3)))
    0.25
    """

    def construct(self, global_step: Any) -> Any:
        """The learning rate; subclasses define it."""
        raise NotImplementedError


def _positive_float(name: str, **values: Any) -> None:
    for arg, value in values.items():
        if not isinstance(value, float):
            fail(TypeError, name, f"'{arg}'", "be float", f"'{type(value).__name__}'")
        _check.real(name, arg, value, above=0)


def _stair(name: str, is_stair: Any) -> bool:
    if not isinstance(is_stair, bool):
        fail(TypeError, name, "type of 'is_stair'", "be 'bool'", f"type '{type(is_stair).__name__}'")
    return is_stair


class _Decay(LearningRateSchedule):
    """A rate that decays with step / decay_steps; a whole number of them when `is_stair`."""

    def __init__(self, learning_rate: float, decay_rate: float, decay_steps: int, is_stair: bool = False) -> None:
        super().__init__()
        name = type(self).__name__
        _positive_float(name, learning_rate=learning_rate, decay_rate=decay_rate)
        self.decay_steps = _check.integer(name, "decay_steps", decay_steps)
        self.is_stair = _stair(name, is_stair)
        self.learning_rate, self.decay_rate = learning_rate, decay_rate

    def _passed(self, global_step: Any) -> Any:
        passed = global_step.astype(mstype.float32) / self.decay_steps
        return F.floor(passed) if self.is_stair else passed


class ExponentialDecayLR(_Decay):
    """learning_rate * decay_rate^(step / decay_steps) (``mindspore.nn.ExponentialDecayLR``).

    Args:
        learning_rate, decay_rate: floats above 0.
        decay_steps: an int above 0.
        is_stair: round the exponent down.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.

    >>> from ms_kernels import Tensor
    >>> print(ExponentialDecayLR(1.0, 0.5, 4)(Tensor(8)))
    0.25
    """

    def construct(self, global_step: Any) -> Any:
        """The learning rate."""
        return F.pow(self.decay_rate, self._passed(global_step)) * self.learning_rate


class NaturalExpDecayLR(_Decay):
    """learning_rate * exp(-decay_rate * step) (``mindspore.nn.NaturalExpDecayLR``); arguments as `ExponentialDecayLR`.

    With `is_stair` the step counts in whole multiples of `decay_steps`.
    """

    def construct(self, global_step: Any) -> Any:
        """The learning rate."""
        step = self._passed(global_step) * self.decay_steps if self.is_stair else global_step.astype(mstype.float32)
        return F.exp(step * -self.decay_rate) * self.learning_rate


class InverseDecayLR(_Decay):
    """learning_rate / (1 + decay_rate * step / decay_steps) (``mindspore.nn.InverseDecayLR``); arguments as there."""

    def construct(self, global_step: Any) -> Any:
        """The learning rate."""
        return self.learning_rate / (self._passed(global_step) * self.decay_rate + 1.0)


class CosineDecayLR(LearningRateSchedule):
    """From max_lr to min_lr along half a cosine wave (``mindspore.nn.CosineDecayLR``).

    Args:
        min_lr: a float, not negative.
        max_lr: a float above it.
        decay_steps: after so many steps it stays at min_lr.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.

    >>> from ms_kernels import Tensor
    >>> print(CosineDecayLR(0.0, 1.0, 4)(Tensor(4)))
    0.0
    """

    def __init__(self, min_lr: float, max_lr: float, decay_steps: int) -> None:
        super().__init__()
        if not isinstance(min_lr, float):
            raise TypeError(
                f"For 'CosineDecayLR', the argument 'min_lr' must be type of float, "
                f"but got 'min_lr' type: {type(min_lr)}."
            )
        _check.real("CosineDecayLR", "min_lr", min_lr, least=0)
        _positive_float("CosineDecayLR", max_lr=max_lr)
        self.decay_steps = _check.integer("CosineDecayLR", "decay_steps", decay_steps)
        if min_lr >= max_lr:
            raise ValueError(
                "For 'CosineDecayLR', the 'max_lr' must be greater than the 'min_lr', "
                f"but got 'max_lr' value: {max_lr}, 'min_lr' value: {min_lr}."
            )
        self.min_lr, self.max_lr = min_lr, max_lr

    def construct(self, global_step: Any) -> Any:
        """The learning rate."""
        passed = F.minimum(global_step.astype(mstype.float32), float(self.decay_steps)) * (math.pi / self.decay_steps)
        return (F.cos(passed) + 1.0) * (0.5 * (self.max_lr - self.min_lr)) + self.min_lr


class PolynomialDecayLR(LearningRateSchedule):
    """(learning_rate - end) * (1 - step / decay_steps)^power + end (``mindspore.nn.PolynomialDecayLR``).

    Args:
        learning_rate: a float above 0.
        end_learning_rate: a float, not negative; kept after `decay_steps`.
        decay_steps: an int above 0.
        power: a float above 0.
        update_decay_steps: in place of staying at the end, begin anew with the next multiple of `decay_steps`.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.

    >>> from ms_kernels import Tensor
    >>> print(PolynomialDecayLR(1.0, 0.0, 4, 1.0)(Tensor(1)))
    0.75
    """

    def __init__(
        self,
        learning_rate: float,
        end_learning_rate: float,
        decay_steps: int,
        power: float,
        update_decay_steps: bool = False,
    ) -> None:
        super().__init__()
        name = "PolynomialDecayLR"
        _positive_float(name, learning_rate=learning_rate, power=power)
        if not isinstance(end_learning_rate, float):
            fail(TypeError, name, "'end_learning_rate'", "be float", f"'{type(end_learning_rate).__name__}'")
        _check.real(name, "end_learning_rate", end_learning_rate, least=0)
        self.decay_steps = _check.integer(name, "decay_steps", decay_steps)
        self.update_decay_steps = _check.boolean(name, "update_decay_steps", update_decay_steps)
        self.learning_rate, self.end_learning_rate, self.power = learning_rate, end_learning_rate, power

    def construct(self, global_step: Any) -> Any:
        """The learning rate."""
        step = global_step.astype(mstype.float32)
        span: Any = float(self.decay_steps)
        if self.update_decay_steps:
            span = F.maximum(F.ceil(step / span), 1.0) * span
        left = 1.0 - F.minimum(step, span) / span
        return F.pow(left, self.power) * (self.learning_rate - self.end_learning_rate) + self.end_learning_rate


class WarmUpLR(LearningRateSchedule):
    """learning_rate * min(step / warmup_steps, 1) (``mindspore.nn.WarmUpLR``).

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.

    >>> from ms_kernels import Tensor
    >>> print(WarmUpLR(1.0, 4)(Tensor(1)))
    0.25
    """

    def __init__(self, learning_rate: float, warmup_steps: int) -> None:
        super().__init__()
        if not isinstance(learning_rate, float):
            fail(TypeError, "WarmUpLR", "'learning_rate'", "be float", f"'{type(learning_rate).__name__}'")
        self.learning_rate = _check.real("WarmUpLR", "learning_rate", learning_rate, least=0)
        self.warmup_steps = _check.integer("WarmUpLR", "warmup_steps", warmup_steps)

    def construct(self, global_step: Any) -> Any:
        """The learning rate."""
        passed = F.minimum(global_step.astype(mstype.float32), float(self.warmup_steps)) / self.warmup_steps
        return passed * self.learning_rate
