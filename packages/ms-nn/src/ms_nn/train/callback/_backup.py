"""`BackupAndRestore`: one file that a training can go on from."""

from __future__ import annotations

import os
from typing import Any

import ms_fs
from ms_nn.train import _checkpoint_args as args
from ms_nn.train._loading import load_checkpoint, load_param_into_net
from ms_nn.train._saving import save_checkpoint
from ms_nn.train.callback._base import Callback, RunContext
from ms_nn.train.callback._checkpoint import checked_folder

__all__ = ["BackupAndRestore"]


class BackupAndRestore(Callback):
    """Save the training after epochs, and begin with what was saved (``mindspore.train.BackupAndRestore``).

    The file "backup.ckpt" holds the network and the optimizer. As in 2.6, the number of epochs is not in it: a training
    that is started again does all of them.

    Args:
        backup_dir: the folder, made if missing; a path or a URL.
        save_freq: "epoch", or after how many epochs to save.
        delete_checkpoint: remove the file when the training has ended.

    Raises:
        TypeError, ValueError: an argument is something else.

    >>> BackupAndRestore("memory://backups", save_freq=2).backup_file
    'memory://backups/backup.ckpt'
    """

    def __init__(
        self, backup_dir: str | os.PathLike[str], save_freq: str | int = "epoch", delete_checkpoint: bool = True
    ) -> None:
        if save_freq != "epoch":
            if isinstance(save_freq, bool) or not isinstance(save_freq, int):
                raise TypeError(f"The input value must be int, but got '{type(save_freq).__name__}'")
            if save_freq < 1:
                raise ValueError(f"The input value must be int and must > 0, but got '{save_freq}' with type 'int'.")
        args.boolean(delete_checkpoint)
        self._every = 1 if isinstance(save_freq, str) else save_freq
        self._delete = delete_checkpoint
        self.backup_file = ms_fs.join(checked_folder(backup_dir), "backup.ckpt")

    def _exists(self) -> bool:
        backend, inner = ms_fs.resolve(self.backup_file)
        return backend.exists(inner)

    def on_train_begin(self, run_context: RunContext) -> None:
        """Load the file, if there is one."""
        if self._exists():
            load_param_into_net(_network(run_context), load_checkpoint(self.backup_file))

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Save when it is time."""
        if run_context.original_args().cur_epoch_num % self._every == 0:
            save_checkpoint(_network(run_context), self.backup_file)

    def on_train_end(self, run_context: RunContext) -> None:
        """Remove the file, unless it is to stay."""
        if self._delete and self._exists():
            backend, inner = ms_fs.resolve(self.backup_file)
            backend.remove(inner)


def _network(run_context: RunContext) -> Any:
    return run_context.original_args().train_network
