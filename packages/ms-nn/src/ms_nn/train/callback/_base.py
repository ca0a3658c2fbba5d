"""`Callback`, `RunContext`, and how a list of callbacks is run."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

import numpy as np

from ms_kernels import Tensor

__all__ = ["Callback", "RunContext"]

_CallbackT = TypeVar("_CallbackT", bound="Callback")
_LOG = logging.getLogger("ms_nn.train")
_OLD_NAMES = ("begin", "epoch_begin", "epoch_end", "step_begin", "step_end", "end")


class InternalCallbackParam(dict[str, Any]):
    """What callbacks see of a run: a dict whose items are attributes, too."""

    def __getattr__(self, key: str) -> Any:
        return self[key]

    def __setattr__(self, key: str, value: Any) -> None:
        self[key] = value


class RunContext:
    """The run that calls a callback (``mindspore.train.RunContext``).

    Args:
        original_args: what there is to know about the run.

    Raises:
        TypeError: `original_args` is no dict.

    >>> context = RunContext({"epoch_num": 3})
    >>> context.request_stop()
    >>> context.original_args(), context.get_stop_requested()
    ({'epoch_num': 3}, True)
    """

    def __init__(self, original_args: dict[str, Any]) -> None:
        if not isinstance(original_args, dict):
            raise TypeError(
                f"The argument 'original_args' of RunContext should be dict type, but got {type(original_args)}."
            )
        self._original_args = original_args
        self._stop_requested = False

    def original_args(self) -> Any:
        """What there is to know about the run."""
        return self._original_args

    def request_stop(self) -> None:
        """End the run after the current step."""
        self._stop_requested = True

    def get_stop_requested(self) -> bool:
        """Whether some callback wants the run to end."""
        return self._stop_requested


class Callback:
    """Something to do at certain moments of a training or an evaluation (``mindspore.train.Callback``).

    Subclasses override the moments they need, each called with the `RunContext`. The old names ``begin``,
    ``epoch_begin``, ... serve training and evaluation alike. A callback is a context manager around the run.

    >>> class Count(Callback):
    ...     steps = 0
    ...     def on_train_step_end(self, run_context):
    ...         self.steps += 1
    """

    def __enter__(self: _CallbackT) -> _CallbackT:
        return self

    def __exit__(self, *err: Any) -> None:
        """Nothing; subclasses may clean up."""

    def begin(self, run_context: RunContext) -> None:
        """Before everything."""

    def epoch_begin(self, run_context: RunContext) -> None:
        """Before each epoch."""

    def epoch_end(self, run_context: RunContext) -> None:
        """After each epoch."""

    def step_begin(self, run_context: RunContext) -> None:
        """Before each step."""

    def step_end(self, run_context: RunContext) -> None:
        """After each step."""

    def end(self, run_context: RunContext) -> None:
        """After everything."""

    def on_train_begin(self, run_context: RunContext) -> None:
        """Before a training."""
        self.begin(run_context)

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        """Before each epoch of a training."""
        self.epoch_begin(run_context)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """After each epoch of a training."""
        self.epoch_end(run_context)

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """Before each step of a training."""
        self.step_begin(run_context)

    def on_train_step_end(self, run_context: RunContext) -> None:
        """After each step of a training."""
        self.step_end(run_context)

    def on_train_end(self, run_context: RunContext) -> None:
        """After a training."""
        self.end(run_context)

    def on_eval_begin(self, run_context: RunContext) -> None:
        """Before an evaluation."""
        self.begin(run_context)

    def on_eval_epoch_begin(self, run_context: RunContext) -> None:
        """Before the one epoch of an evaluation."""
        self.epoch_begin(run_context)

    def on_eval_epoch_end(self, run_context: RunContext) -> None:
        """After the one epoch of an evaluation."""
        self.epoch_end(run_context)

    def on_eval_step_begin(self, run_context: RunContext) -> None:
        """Before each step of an evaluation."""
        self.step_begin(run_context)

    def on_eval_step_end(self, run_context: RunContext) -> None:
        """After each step of an evaluation."""
        self.step_end(run_context)

    def on_eval_end(self, run_context: RunContext) -> None:
        """After an evaluation."""
        self.end(run_context)


def as_list(callbacks: Any) -> list[Callback]:
    """The callbacks of a run, out of None, one or several.

    Raises:
        TypeError: something else.
    """
    if callbacks is None:
        return []
    found = [callbacks] if not isinstance(callbacks, (list, tuple)) else list(callbacks)
    if not all(isinstance(callback, Callback) for callback in found):
        raise TypeError("When the 'callbacks' is a list, the elements in 'callbacks' must be Callback functions.")
    return found


def check_names(callbacks: Iterable[Callback], fit: bool) -> None:
    """Old names cannot tell training from evaluation: a warning, or where both run (`fit`) an error.

    Raises:
        ValueError: in `fit`, a caller's own callback uses an old name.
    """
    for callback in callbacks:
        kind = type(callback)
        used = {name for name in _OLD_NAMES if getattr(kind, name) is not getattr(Callback, name)}
        if not used or kind.__module__.startswith(__package__ or ""):
            continue
        text = (
            f"For {kind.__name__} callback, {used} methods may not be supported in later version, "
            "Use methods prefixed with 'on_train' or 'on_eval' instead"
        )
        if fit:
            raise ValueError(f"{text} when using customized callbacks.")
        _LOG.warning("%s", text)


class CallbackList:
    """Callbacks that run one after another."""

    def __init__(self, callbacks: Sequence[Callback]) -> None:
        self._callbacks = list(callbacks)

    def __iter__(self) -> Iterator[Callback]:
        return iter(self._callbacks)

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Around a run: every callback is entered, and left even after an error."""
        with ExitStack() as stack:
            for callback in self._callbacks:
                stack.enter_context(callback)
            yield

    def call(self, moment: str, run_context: RunContext) -> None:
        """Call all at a moment."""
        for callback in self._callbacks:
            getattr(callback, moment)(run_context)


def loss_of(outputs: Any) -> Any:
    """The loss in what a network gave: the first of several; a number when it is a single one."""
    loss = outputs
    if isinstance(loss, (tuple, list)) and loss and isinstance(loss[0], Tensor):
        loss = loss[0]
    if isinstance(loss, Tensor):
        loss = loss.asnumpy()
    if isinstance(loss, np.ndarray) and loss.size == 1:
        return float(loss.reshape(()).astype(np.float64))
    return loss
