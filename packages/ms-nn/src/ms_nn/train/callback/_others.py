"""LearningRateScheduler and LambdaCallback."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ms_kernels import Parameter, Tensor
from ms_nn.train.callback._base import Callback, RunContext

__all__ = ["LambdaCallback", "LearningRateScheduler"]


class LearningRateScheduler(Callback):
    """Set the learning rate after each step (``mindspore.train.LearningRateScheduler``).

    Args:
        learning_rate_function: is given the rate and the number of the step, and returns the rate for the next one.

    Raises:
        ValueError: during a training, the optimizer has no single learning rate.
    """

    def __init__(self, learning_rate_function: Callable[[float, int], float]) -> None:
        super().__init__()
        self.learning_rate_function = learning_rate_function

    def step_end(self, run_context: RunContext) -> None:
        """Set the rate."""
        params = run_context.original_args()
        rate = params.optimizer.learning_rate
        if not isinstance(rate, Parameter):
            raise ValueError(
                "For 'LearningRateScheduler', the optimizer must have a single constant learning rate, but got "
                f"{type(rate).__name__}."
            )
        new = self.learning_rate_function(float(rate.asnumpy()), params.cur_step_num)
        if not isinstance(new, (int, float, np.floating)):
            raise TypeError(
                f"For 'LearningRateScheduler', the function must return a number, but got {type(new).__name__}."
            )
        rate.set_data(Tensor(np.array(new, np.float32)))

    def on_eval_step_end(self, run_context: RunContext) -> None:
        """Nothing: evaluations do not change the rate."""


def _nothing(run_context: RunContext) -> None:
    """What happens at moments nobody asked for."""


class LambdaCallback(Callback):
    """A callback out of functions (``mindspore.train.LambdaCallback``).

    Args: each a function of the `RunContext`, or None.

    >>> callback = LambdaCallback(on_train_begin=lambda context: print("off we go"))
    >>> callback.on_train_begin(None)
    off we go
    """

    def __init__(
        self,
        on_train_epoch_begin: Callable[[RunContext], Any] | None = None,
        on_train_epoch_end: Callable[[RunContext], Any] | None = None,
        on_train_step_begin: Callable[[RunContext], Any] | None = None,
        on_train_step_end: Callable[[RunContext], Any] | None = None,
        on_train_begin: Callable[[RunContext], Any] | None = None,
        on_train_end: Callable[[RunContext], Any] | None = None,
        on_eval_epoch_begin: Callable[[RunContext], Any] | None = None,
        on_eval_epoch_end: Callable[[RunContext], Any] | None = None,
        on_eval_step_begin: Callable[[RunContext], Any] | None = None,
        on_eval_step_end: Callable[[RunContext], Any] | None = None,
        on_eval_begin: Callable[[RunContext], Any] | None = None,
        on_eval_end: Callable[[RunContext], Any] | None = None,
    ) -> None:
        super().__init__()
        moments = {name: fn for name, fn in locals().items() if name.startswith("on_")}
        for name, fn in moments.items():
            setattr(self, name, _nothing if fn is None else fn)
