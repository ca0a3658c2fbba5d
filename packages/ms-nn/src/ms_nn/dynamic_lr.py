"""Learning rates as lists: one number per step, made before the training."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ms_nn import _check

__all__ = [
    "cosine_decay_lr",
    "exponential_decay_lr",
    "inverse_decay_lr",
    "natural_exp_decay_lr",
    "piecewise_constant_lr",
    "polynomial_decay_lr",
    "warmup_lr",
]


def _steps(name: str, total_step: int, step_per_epoch: int, rate: Callable[[int], float]) -> list[float]:
    """``rate(epoch)`` for every step."""
    _check.integer(name, "total_step", total_step)
    _check.integer(name, "step_per_epoch", step_per_epoch)
    return [rate(step // step_per_epoch) for step in range(total_step)]


def _decay(name: str, learning_rate: Any, decay_rate: Any, decay_epoch: Any, is_stair: Any) -> None:
    for arg, value in (("learning_rate", learning_rate), ("decay_rate", decay_rate)):
        if not isinstance(value, float):
            raise TypeError(f"For '{name}', the '{arg}' must be float, but got '{type(value).__name__}'")
        _check.real(name, arg, value, above=0)
    _check.integer(name, "decay_epoch", decay_epoch)
    _check.boolean(name, "is_stair", is_stair)


def exponential_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """learning_rate * decay_rate^(epoch / decay_epoch) (``mindspore.nn.exponential_decay_lr``).

    Args:
        learning_rate, decay_rate: floats above 0.
        total_step: length of the list.
        step_per_epoch: steps that make an epoch.
        decay_epoch: epochs after which it is decay_rate times as much.
        is_stair: round epoch / decay_epoch down.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.

    >>> exponential_decay_lr(1.0, 0.5, 4, 2, 1)
    [1.0, 1.0, 0.5, 0.5]
    """
    _decay("exponential_decay_lr", learning_rate, decay_rate, decay_epoch, is_stair)

    def rate(epoch: int) -> float:
        passed = epoch // decay_epoch if is_stair else epoch / decay_epoch
        return float(learning_rate * decay_rate**passed)

    return _steps("exponential_decay_lr", total_step, step_per_epoch, rate)


def natural_exp_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """learning_rate * exp(-decay_rate * epoch) (``mindspore.nn.natural_exp_decay_lr``).

    Args: as `exponential_decay_lr`.

    With `is_stair` the epoch counts in whole multiples of `decay_epoch`.

    >>> natural_exp_decay_lr(1.0, 0.5, 4, 1, 2, True)[:2]
    [1.0, 1.0]
    """
    _decay("natural_exp_decay_lr", learning_rate, decay_rate, decay_epoch, is_stair)

    def rate(epoch: int) -> float:
        return learning_rate * math.exp(-decay_rate * (epoch // decay_epoch * decay_epoch if is_stair else epoch))

    return _steps("natural_exp_decay_lr", total_step, step_per_epoch, rate)


def inverse_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """learning_rate / (1 + decay_rate * epoch / decay_epoch) (``mindspore.nn.inverse_decay_lr``); arguments as there.

    >>> inverse_decay_lr(1.0, 1.0, 2, 1, 1)
    [1.0, 0.5]
    """
    _decay("inverse_decay_lr", learning_rate, decay_rate, decay_epoch, is_stair)

    def rate(epoch: int) -> float:
        return learning_rate / (1 + decay_rate * (epoch // decay_epoch if is_stair else epoch / decay_epoch))

    return _steps("inverse_decay_lr", total_step, step_per_epoch, rate)


def cosine_decay_lr(
    min_lr: float, max_lr: float, total_step: int, step_per_epoch: int, decay_epoch: int
) -> list[float]:
    """From max_lr to min_lr along half a cosine wave of `decay_epoch` epochs (``mindspore.nn.cosine_decay_lr``).

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.

    >>> cosine_decay_lr(0.0, 1.0, 3, 1, 2)
    [1.0, 0.5, 0.0]
    """
    if not isinstance(min_lr, float):
        raise TypeError(f"For 'cosine_decay_lr', the argument 'min_lr' must be type of float, but got {type(min_lr)}.")
    if not isinstance(max_lr, float):
        raise TypeError(f"For 'cosine_decay_lr', the 'max_lr' must be float, but got '{type(max_lr).__name__}'")
    _check.real("cosine_decay_lr", "min_lr", min_lr, least=0)
    _check.real("cosine_decay_lr", "max_lr", max_lr, above=0)
    _check.integer("cosine_decay_lr", "decay_epoch", decay_epoch)
    if min_lr >= max_lr:
        raise ValueError(
            "For 'cosine_decay_lr', the 'max_lr' must be greater than the 'min_lr', "
            f"but got 'max_lr' value: {max_lr}, 'min_lr' value: {min_lr}."
        )

    def rate(epoch: int) -> float:
        return min_lr + 0.5 * (max_lr - min_lr) * (1 + math.cos(math.pi * min(epoch, decay_epoch) / decay_epoch))

    return _steps("cosine_decay_lr", total_step, step_per_epoch, rate)


def polynomial_decay_lr(
    learning_rate: float,
    end_learning_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    power: float,
    update_decay_epoch: bool = False,
) -> list[float]:
    """(learning_rate - end) * (1 - epoch / decay_epoch)^power + end (``mindspore.nn.polynomial_decay_lr``).

    Args:
        update_decay_epoch: in place of staying at the end, begin anew with the next multiple of `decay_epoch`.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.

    >>> polynomial_decay_lr(1.0, 0.0, 3, 1, 2, 1.0)
    [1.0, 0.5, 0.0]
    """
    name = "polynomial_decay_lr"
    for arg, value in (("learning_rate", learning_rate), ("end_learning_rate", end_learning_rate), ("power", power)):
        if not isinstance(value, float):
            raise TypeError(f"For '{name}', the '{arg}' must be float, but got '{type(value).__name__}'")
    _check.real(name, "learning_rate", learning_rate, above=0)
    _check.real(name, "end_learning_rate", end_learning_rate, least=0)
    _check.real(name, "power", power, above=0)
    _check.integer(name, "decay_epoch", decay_epoch)
    _check.boolean(name, "update_decay_epoch", update_decay_epoch)

    def rate(epoch: int) -> float:
        span = decay_epoch * max(math.ceil(epoch / decay_epoch), 1) if update_decay_epoch else decay_epoch
        left = 1 - min(epoch, span) / span
        return float((learning_rate - end_learning_rate) * left**power + end_learning_rate)

    return _steps(name, total_step, step_per_epoch, rate)


def piecewise_constant_lr(milestone: Any, learning_rates: Any) -> list[float]:
    """learning_rates[i] up to step milestone[i] (``mindspore.nn.piecewise_constant_lr``).

    Raises:
        TypeError: an argument is neither tuple nor list, or a rate no float.
        ValueError: the lengths differ, or the milestones do not grow.

    >>> piecewise_constant_lr([1, 3], [0.5, 0.25])
    [0.5, 0.25, 0.25]
    """
    name = "piecewise_constant_lr"
    for arg, value in (("milestone", milestone), ("learning_rates", learning_rates)):
        _check.instance(name, arg, value, (tuple, list), "one of '['tuple', 'list']'")
    if len(milestone) != len(learning_rates):
        raise ValueError(
            f"For '{name}', the size of 'milestone' must be same with the size of 'learning_rates', "
            f"but got 'milestone' size: {len(milestone)}, 'learning_rates' size: {len(learning_rates)}."
        )
    found: list[float] = []
    for i, (end, rate) in enumerate(zip(milestone, learning_rates)):
        _check.integer(name, f"milestone[{i}]", end)
        if end < len(found) or (i and end <= milestone[i - 1]):
            raise ValueError(
                f"For '{name}', the value of milestone[{i}] must be greater than milestone[{i - 1}], "
                f"but got milestone[{i}]: {end}, milestone[{i - 1}]: {milestone[i - 1]}."
            )
        if not isinstance(rate, float):
            raise TypeError(f"For '{name}', the 'learning_rates[{i}]' must be float, but got '{type(rate).__name__}'")
        found += [rate] * (end - len(found))
    return found


def warmup_lr(learning_rate: float, total_step: int, step_per_epoch: int, warmup_epoch: int) -> list[float]:
    """learning_rate * min(epoch / warmup_epoch, 1) (``mindspore.nn.warmup_lr``).

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.

    >>> warmup_lr(1.0, 3, 1, 2)
    [0.0, 0.5, 1.0]
    """
    if not isinstance(learning_rate, float):
        raise TypeError(
            "For 'warmup_lr', the argument 'learning_rate' must be type of float, "
            f"but got 'learning_rate' type: {type(learning_rate)}."
        )
    _check.real("warmup_lr", "learning_rate", learning_rate, least=0)
    _check.integer("warmup_lr", "warmup_epoch", warmup_epoch)
    return _steps("warmup_lr", total_step, step_per_epoch, lambda epoch: learning_rate * min(epoch / warmup_epoch, 1.0))
