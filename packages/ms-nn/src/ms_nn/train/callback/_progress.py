"""A progress bar for trainings, of our own: 2.6 has none."""

from __future__ import annotations

import sys
from typing import Any, TextIO

from ms_nn.train.callback._base import Callback, RunContext, loss_of

__all__ = ["ProgressBar"]


class ProgressBar(Callback):
    """Show a bar (tqdm's) for each epoch, with the loss and what evaluations gave.

    It writes to a terminal only: where the output goes to a file or a pipe, nothing is shown.

    Args:
        file: where to write; None: ``sys.stderr``.
        leave: let the bars of finished epochs stand.

    Raises:
        ImportError: tqdm is not installed.
    """

    def __init__(self, file: TextIO | None = None, leave: bool = True) -> None:
        try:
            from tqdm import tqdm
        except ImportError as error:
            raise ImportError(
                "For 'ProgressBar', the package 'tqdm' is needed, but it is not installed: pip install "
                "'ms-nn[progress]'."
            ) from error
        self._make: Any = tqdm
        self._file = file
        self._leave = leave
        self._bar: Any = None

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        """Begin a bar."""
        params = run_context.original_args()
        file = self._file if self._file is not None else sys.stderr
        self._bar = self._make(
            total=params.batch_num,
            desc=f"epoch {params.cur_epoch_num}",
            file=file,
            leave=self._leave,
            disable=not file.isatty(),
        )

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Move the bar on."""
        loss = loss_of(run_context.original_args().net_outputs)
        if not self._bar.disable and isinstance(loss, float):
            self._bar.set_postfix(loss=f"{loss:.4f}", refresh=False)
        self._bar.update()

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """End the bar."""
        results = run_context.original_args().get("metrics") or {}
        if results and not self._bar.disable:
            self._bar.set_postfix({name: f"{value:.4f}" for name, value in results.items() if isinstance(value, float)})
        self._close()

    def __exit__(self, *err: Any) -> None:
        if err[0] is not None:  # else it may be an evaluation that ends here, within an epoch of the training
            self._close()

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None
