"""Callbacks that tell how the training goes: LossMonitor, TimeMonitor, History."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ms_nn import _check
from ms_nn.train.callback._base import Callback, RunContext, loss_of

__all__ = ["History", "LossMonitor", "TimeMonitor"]


def not_negative(arg: str, value: Any) -> int:
    """An int of at least 0."""
    return _check.integer("LossMonitor", arg, value, 0)


class LossMonitor(Callback):
    """Print the loss every few steps, and in `Model.fit` the results of each evaluation (``train.LossMonitor``).

    Args:
        per_print_times: after how many steps; 0: do not print losses.

    Raises:
        TypeError, ValueError: `per_print_times` is not an int of at least 0.
        ValueError: during a training, the loss is NaN or infinite.
    """

    def __init__(self, per_print_times: int = 1) -> None:
        self._per_print_times = not_negative("per_print_times", per_print_times)
        self._last_print_time = 0

    def step_end(self, run_context: RunContext) -> None:
        """Print the loss when it is time."""
        params = run_context.original_args()
        loss = loss_of(params.net_outputs)
        step = (params.cur_step_num - 1) % params.batch_num + 1
        if isinstance(loss, float) and not np.isfinite(loss):
            raise ValueError(
                f"In epoch: {params.get('cur_epoch_num', 1)} step: {step}, loss is NAN or INF, training process "
                "cannot continue, "
                "terminating training."
            )
        if params.cur_step_num <= self._last_print_time:  # another run began: count from its start
            self._last_print_time = 0
        if self._per_print_times and params.cur_step_num - self._last_print_time >= self._per_print_times:
            self._last_print_time = params.cur_step_num
            print(f"epoch: {params.get('cur_epoch_num', 1)} step: {step}, loss is {loss}", flush=True)

    def on_eval_step_end(self, run_context: RunContext) -> None:
        """As in a training, but nothing within `Model.fit`, which prints the results."""
        if run_context.original_args().get("train_network") is None:
            self.step_end(run_context)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Print what an evaluation gave."""
        params = run_context.original_args()
        if params.get("metrics") is not None:
            shown = {
                name: value.item() if isinstance(value, np.generic) else value for name, value in params.metrics.items()
            }
            print(f"Eval result: epoch {params.cur_epoch_num}, metrics: {shown}", flush=True)


class TimeMonitor(Callback):
    """Print how long epochs and their steps take (``mindspore.train.TimeMonitor``).

    Args:
        data_size: the number of steps of an epoch; None: what the run says.
        data_time: tell also how long a step waits for its data on average.

    Raises:
        TypeError: `data_time` is no bool.
        ValueError: at the end of an epoch, `data_size` is no number of steps.
    """

    def __init__(self, data_size: int | None = None, data_time: bool = False) -> None:
        if not isinstance(data_time, bool):
            raise TypeError(f"The 'data_time' must be a bool, but got {type(data_time).__name__}.")
        self.data_size = data_size
        self.data_time = data_time
        self._started = {"train": time.monotonic()}  # an evaluation can run within an epoch of the training
        self.data_time_sum = 0.0
        self.data_time_start = 0.0

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """The data has come."""
        if self.data_time:
            self.data_time_sum += time.monotonic() - self.data_time_start

    def on_train_step_end(self, run_context: RunContext) -> None:
        """The next data is waited for from now on."""
        self.data_time_start = time.monotonic()

    def epoch_begin(self, run_context: RunContext) -> None:
        """Start the watch."""
        kind = run_context.original_args().get("mode", "train")
        self._started[kind] = self.data_time_start = time.monotonic()
        if kind == "train":
            self.data_time_sum = 0.0

    def epoch_end(self, run_context: RunContext) -> None:
        """Print the times."""
        params = run_context.original_args()
        kind = params.get("mode", "train")
        seconds = time.monotonic() - self._started[kind]
        steps = params.get("batch_num") or self.data_size
        if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
            raise ValueError(f"For 'TimeMonitor', the 'data_size' must be a positive int, but got {self.data_size}.")
        text = f"{kind.title()} epoch time: {seconds * 1000:5.3f} ms, per step time: {seconds * 1000 / steps:5.3f} ms"
        if self.data_time and kind == "train":
            text += f" (data time: {self.data_time_sum * 1000 / steps:5.3f} ms)"
        print(text, flush=True)


class History(Callback):
    """Keep the last loss of each epoch, and the metrics of each evaluation (``mindspore.train.History``).

    Attributes:
        history: a list by name: "net_output", and each metric.
        epoch: {"epoch": [the numbers of the epochs]}, None before the first run.
    """

    def __init__(self) -> None:
        super().__init__()
        self.history: dict[str, list[Any]] = {}
        self.epoch: dict[str, list[int]] | None = None

    def begin(self, run_context: RunContext) -> None:
        """Begin anew; the losses of earlier runs stay."""
        self.epoch = {"epoch": []}

    def on_eval_begin(self, run_context: RunContext) -> None:
        """Nothing: the epochs are those of the training."""

    def on_eval_epoch_end(self, run_context: RunContext) -> None:
        """Nothing: `epoch_end` of the training sees the results."""

    def epoch_end(self, run_context: RunContext) -> None:
        """Keep the loss and the metrics."""
        params = run_context.original_args()
        epochs = self.epoch if self.epoch is not None else {"epoch": []}
        self.epoch = epochs
        epochs["epoch"].append(params.get("cur_epoch_num", 1))
        loss = params.get("net_outputs")
        loss = loss[0] if isinstance(loss, (tuple, list)) else loss
        loss = loss.asnumpy() if hasattr(loss, "asnumpy") else loss
        self.history.setdefault("net_output", []).append(loss[()] if isinstance(loss, np.ndarray) else loss)
        for name, value in (params.get("metrics") or {}).items():
            self.history.setdefault(name, []).append(value)
