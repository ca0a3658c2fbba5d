"""Callbacks that act when a monitored value gets no better: EarlyStopping, ReduceLROnPlateau."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from ms_kernels import Parameter, Tensor
from ms_nn import _check
from ms_nn.train.callback._base import Callback, RunContext, loss_of

__all__ = ["EarlyStopping", "ReduceLROnPlateau"]

_LOG = logging.getLogger("ms_nn.train")
_LOWER_IS_BETTER = ("eval_loss", "loss", "mae", "mse", "perplexity")


class _Watch(Callback):
    """Follow one value, and count for how many epochs it has not become better."""

    _what = ""

    def __init__(self, monitor: str, mode: str, min_delta: float, patience: int, verbose: bool) -> None:
        name = type(self).__name__
        _check.instance(name, "monitor", monitor, str)
        if mode not in ("auto", "min", "max"):
            raise ValueError(f"mode should be 'auto', 'min' or 'max', but got {mode}.")
        if isinstance(min_delta, bool) or not isinstance(min_delta, (int, float)):
            raise TypeError(
                "The type of 'min_delta' should be one of '['float', 'int']', but got type "
                f"'{type(min_delta).__name__}'."
            )
        self.monitor = monitor
        self.patience = _check.integer(name, "patience", patience, 0)
        self.verbose = _check.boolean(name, "verbose", verbose)
        self.mode = mode
        self.min_delta = abs(min_delta)
        self.wait = 0
        self.best = np.inf
        self._lower = mode == "min" or (mode == "auto" and monitor in _LOWER_IS_BETTER)
        self._restart()

    def _restart(self) -> None:
        self.wait = 0
        self.best = np.inf if self._lower else -np.inf

    def _improves(self, value: float, other: float) -> bool:
        return value < other - self.min_delta if self._lower else value > other + self.min_delta

    def _value(self, run_context: RunContext) -> float | None:
        """The monitored value of this epoch; None (and a warning) when there is none."""
        params = run_context.original_args()
        known: dict[str, Any] = dict(params.get("eval_results") or {})
        loss = loss_of(params.get("net_outputs"))
        if self.monitor == "loss":
            return float(np.mean(loss))
        if self.monitor in known:
            return float(np.mean(known[self.monitor]))
        _LOG.warning(
            "%s is conditioned on %s, which is not available. Available choices are: %s",
            self._what,
            self.monitor,
            {"loss", *known},
        )
        return None


class EarlyStopping(_Watch):
    """End the training when a value has not become better for a while (``mindspore.train.EarlyStopping``).

    Args:
        monitor: "loss" (of the training), "eval_loss" or a metric of `Model.fit`'s evaluations.
        min_delta: by how much it must become better to count.
        patience: for how many epochs it may fail to.
        verbose: print what happens.
        mode: "min" or "max": what is better; "auto": "min" for losses and errors.
        baseline: a value that it must beat to count.
        restore_best_weights: at the end put back the weights of the best epoch.

    Raises:
        TypeError, ValueError: an argument is something else.
    """

    _what = "Early stopping"

    def __init__(
        self,
        monitor: str = "eval_loss",
        min_delta: float = 0,
        patience: int = 0,
        verbose: bool = False,
        mode: str = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
    ) -> None:
        super().__init__(monitor, mode, min_delta, patience, verbose)
        if baseline is not None:
            _check.instance("EarlyStopping", "baseline", baseline, (int, float))
        self.baseline = baseline
        self.restore_best_weights = _check.boolean("EarlyStopping", "restore_best_weights", restore_best_weights)
        self.stopped_epoch = 0
        self._best_weights: list[tuple[Parameter, Any]] | None = None

    def on_train_begin(self, run_context: RunContext) -> None:
        """Begin anew."""
        self._restart()
        self.stopped_epoch = 0
        self._best_weights = None

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Look at the value."""
        params = run_context.original_args()
        value = self._value(run_context)
        if value is None:
            return
        better = self._improves(value, self.best)
        self.wait += 1
        if better:
            self.best = value
        if self.restore_best_weights and (better or self._best_weights is None):
            self._best_weights = [(p, p.asnumpy().copy()) for p in params.train_network.get_parameters()]
        if better and (self.baseline is None or self._improves(value, self.baseline)):
            self.wait = 0
        if self.wait >= self.patience:
            self.stopped_epoch = params.cur_epoch_num
            run_context.request_stop()
            self._restore()

    def _restore(self) -> None:
        if self._best_weights is None:
            return
        if self.verbose:
            print("Restoring model weights from the end of the best epoch.")
        for parameter, weights in self._best_weights:
            parameter.set_data(Tensor(weights))

    def on_train_end(self, run_context: RunContext) -> None:
        """Tell when the training was ended."""
        if self.stopped_epoch > 0 and self.verbose:
            print(f"Epoch {self.stopped_epoch:05d}: early stopping")


class ReduceLROnPlateau(_Watch):
    """Lower the learning rate when a value has not become better for a while (``train.ReduceLROnPlateau``).

    Args:
        monitor: "loss" (of the training), "eval_loss" or a metric of `Model.fit`'s evaluations.
        factor: what the rate is multiplied by, between 0 and 1.
        patience: for how many epochs the value may fail to become better.
        verbose: print what happens.
        mode: "min" or "max": what is better; "auto": "min" for losses and errors.
        min_delta: by how much the value must become better to count.
        cooldown: how many epochs to leave the rate alone after it was lowered.
        min_lr: never go below.

    Raises:
        TypeError, ValueError: an argument is something else.
        ValueError: at the start of a training, the optimizer has a dynamic learning rate or groups of them.
    """

    _what = "Learning rate reduction"

    def __init__(
        self,
        monitor: str = "eval_loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: bool = False,
        mode: str = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0,
    ) -> None:
        super().__init__(monitor, mode, min_delta, patience, verbose)
        if not isinstance(factor, float):
            raise TypeError(f"The input value must be 'float',  but got '{type(factor).__name__}'.")
        self.factor = _check.within("ReduceLROnPlateau", "factor", factor, 0.0, 1.0, "()")
        self.cooldown = _check.integer("ReduceLROnPlateau", "cooldown", cooldown, 0)
        if isinstance(min_lr, bool) or not isinstance(min_lr, (int, float)):
            raise TypeError(
                f"The type of 'min_lr' should be one of '['float', 'int']', but got type '{type(min_lr).__name__}'."
            )
        self.min_lr = min_lr
        self.cooldown_counter = 0

    def on_train_begin(self, run_context: RunContext) -> None:
        """Begin anew."""
        optimizer = run_context.original_args().optimizer
        if optimizer is not None and not isinstance(optimizer.learning_rate, Parameter):
            raise ValueError("ReduceLROnPlateau does not support dynamic learning rate and group learning rate now.")
        self._restart()
        self.cooldown_counter = 0

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Look at the value."""
        params = run_context.original_args()
        value = self._value(run_context)
        if value is None:
            return
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.wait = 0
        if self._improves(value, self.best):
            self.best = value
            self.wait = 0
        elif self.cooldown_counter <= 0:
            self.wait += 1
            if self.wait >= self.patience:
                self._lower_rate(params)

    def _lower_rate(self, params: Any) -> None:
        rate = params.optimizer.learning_rate
        old, least = rate.asnumpy(), np.float32(self.min_lr)
        self.cooldown_counter = self.cooldown
        self.wait = 0
        if old > least:
            new = max(np.float32(old * np.float32(self.factor)), least)
            rate.set_data(Tensor(np.array(new, np.float32)))
            if self.verbose:
                print(f"Epoch {params.cur_epoch_num:05d}: ReduceLROnPlateau reducing learning rate to {new!s}.")
