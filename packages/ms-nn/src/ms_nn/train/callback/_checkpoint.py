"""`ModelCheckpoint`: saves a training while it runs."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from typing import Any

import ms_fs
from ms_nn.train._saving import save
from ms_nn.train.callback._base import Callback, RunContext
from ms_nn.train.callback._checkpoint_config import CheckpointConfig

__all__ = ["ModelCheckpoint"]


def checked_folder(directory: Any) -> str:
    """The folder's absolute path or URL; it is made where it is missing.

    Raises:
        TypeError, ValueError: it is neither a string nor a path, or blank.
    """
    if not isinstance(directory, (str, os.PathLike)):
        raise TypeError("The path is invalid, the type should be string.")
    text = os.fspath(directory)
    if not text.strip():
        raise ValueError("The path is invalid, it should be non-blank.")
    backend, inner = ms_fs.resolve(text)
    if "://" not in text:
        text = inner = os.path.realpath(inner)
    backend.make_folder(inner)
    return text


class _Kept:
    """The files of one callback; removes those that are not to stay."""

    def __init__(self, config: CheckpointConfig) -> None:
        self._most = config.keep_checkpoint_max
        self._seconds = 60 * (config.keep_checkpoint_per_n_minutes or 0)
        self._files: list[str] = []
        self._kept_at: float | None = None

    def add(self, path: str) -> None:
        """A file has been written."""
        if path in self._files:
            self._files.remove(path)
        self._files.append(path)
        if self._most:
            while len(self._files) > self._most:
                self._remove(self._files.pop(0))
            return
        # of each span of time the first file stays, and always the newest
        now = time.monotonic()
        if len(self._files) > 1 and self._kept_at is not None:
            self._remove(self._files.pop(-2))
        if self._kept_at is None or now - self._kept_at >= self._seconds:
            self._kept_at = now
            self._files = []

    @staticmethod
    def _remove(path: str) -> None:
        backend, inner = ms_fs.resolve(path)
        if backend.exists(inner):
            backend.remove(inner)


class ModelCheckpoint(Callback):
    """Save checkpoints during a training (``mindspore.train.ModelCheckpoint``).

    A file holds the network, the optimizer with its state, and what `CheckpointConfig.append_info` adds. Its name is
    `prefix`-epoch_step and the format; where the folder has such files of earlier trainings, "_1", "_2" ... follows the
    prefix. The last step is always saved. Each file appears whole or not at all, so that the newest one can be resumed
    from after a crash.

    Args:
        prefix: begins the names; or a function that gives the whole name, out of what a callback knows of the training.
        directory: the folder, made if missing; a path, a URL, or a function. None: the current one.
        config: a `CheckpointConfig`; None: every step, the last five.

    Raises:
        TypeError, ValueError: an argument is something else.

    >>> from ms_nn import SGD, Dense, MSELoss
    >>> from ms_nn.dataset import NumpySlicesDataset
    >>> from ms_nn.train import Model, load_checkpoint
    >>> net = Dense(1, 1)
    >>> data = NumpySlicesDataset(([[1.0], [2.0]], [[1.0], [2.0]])).batch(1)
    >>> callback = ModelCheckpoint("net", "memory://trained", CheckpointConfig(save_checkpoint_steps=2))
    >>> Model(net, MSELoss(), SGD(net.trainable_params())).train(3, data, callback)
    >>> callback.latest_ckpt_file_name
    'memory://trained/net-3_2.ckpt'
    """

    def __init__(
        self,
        prefix: str | Callable[[Any], str] = "CKP",
        directory: str | os.PathLike[str] | Callable[[Any], str] | None = None,
        config: CheckpointConfig | None = None,
    ) -> None:
        if not callable(prefix) and (not isinstance(prefix, str) or "/" in prefix):
            raise ValueError(
                "For 'ModelCheckpoint', the argument 'prefix' for checkpoint file name is invalid, it must be callable "
                f"or string that does not contain '/', but got {prefix}."
            )
        if config is not None and not isinstance(config, CheckpointConfig):
            raise TypeError(
                "For 'ModelCheckpoint', the type of argument 'config' should be 'CheckpointConfig', but got "
                f"{type(config)}."
            )
        self._config = config if config is not None else CheckpointConfig()
        self._prefix = prefix
        self._directory = directory if callable(directory) else checked_folder(directory or os.getcwd())
        self._kept = _Kept(self._config)
        self._latest = ""
        self._numbered = False
        self._pending: ms_fs.Pending | None = None
        self._written = ""
        self._start(None)

    def _start(self, params: Any) -> None:
        self._params = params
        self._last_step = 0
        self._last_time = time.monotonic()

    @property
    def latest_ckpt_file_name(self) -> str:
        """The path of the newest file; empty before the first."""
        return self._latest

    @property
    def _get_save_checkpoint_steps(self) -> int | None:
        return self._config.save_checkpoint_steps

    def on_train_begin(self, run_context: RunContext) -> None:
        """Find a prefix that no earlier training used."""
        self._start(run_context.original_args())
        if not self._numbered and isinstance(self._prefix, str) and isinstance(self._directory, str):
            self._prefix += _next_number(self._prefix, self._directory, self._config.format)
            self._numbered = True

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Save when it is time."""
        self._params = run_context.original_args()
        if self._due():
            self._save()

    def on_train_end(self, run_context: RunContext) -> None:
        """Save the last step, and wait until all is written."""
        self._params = run_context.original_args()
        counted = self._config.save_checkpoint_steps or self._config.save_checkpoint_seconds
        if counted and self._params.cur_step_num > self._last_step:
            self._save()
        self._settle()

    def __exit__(self, *err: Any) -> None:
        """After an error, save if the config says so."""
        failed = bool(err) and err[0] is not None
        if failed and self._config.exception_save and self._params is not None and self._params.cur_step_num:
            self._save("_breakpoint")
            self._settle()

    def _due(self) -> bool:
        steps, seconds = self._config.save_checkpoint_steps, self._config.save_checkpoint_seconds
        if steps:
            return bool(self._params.cur_step_num >= self._last_step + steps)
        return bool(seconds) and time.monotonic() - self._last_time > (seconds or 0)

    def _settle(self) -> None:
        """Wait for a save in the background, whose error is raised here; then remove old files."""
        pending, self._pending = self._pending, None
        if pending is not None:
            pending.result()
        # not earlier: until the new file is whole, an old one may be all there is
        written, self._written = self._written, ""
        if written:
            self._kept.add(written)

    def _save(self, suffix: str = "") -> None:
        self._settle()
        params, config = self._params, self._config
        folder = self._directory if isinstance(self._directory, str) else checked_folder(self._directory(params))
        path = ms_fs.join(folder, f"{self._name(suffix)}.{config.format}")
        if config.remove_redundancy:
            raise TypeError(
                "The deduplication feature for saving checkpoint can only be used in parallel scenarios, but got "
                "'stand_alone'."
            )
        self._pending = save(
            config.saved_network if config.saved_network is not None else params.train_network,
            path,
            integrated_save=config.integrated_save,
            async_save=config.async_save,
            append_dict=self._appended(),
            enc_key=config.enc_key,
            enc_mode=config.enc_mode,
            crc_check=config.crc_check,
            format=config.format,
        )
        if not suffix and isinstance(self._prefix, str) and isinstance(self._directory, str):
            self._written = path  # names that a function gives are the program's to remove
        if self._pending is None:
            self._settle()
        self._latest = params["latest_ckpt_file"] = path
        self._last_step = params["last_save_ckpt_step"] = params.cur_step_num
        self._last_time = time.monotonic()

    def _name(self, suffix: str) -> str:
        if not isinstance(self._prefix, str):
            return self._prefix(self._params) + suffix
        step = (self._params.cur_step_num - 1) % self._params.batch_num + 1
        return f"{self._prefix}-{self._params.cur_epoch_num}_{step}{suffix}"

    def _appended(self) -> dict[str, Any]:
        made = dict(self._config.append_dict or {})
        for key, counted in (("epoch_num", "cur_epoch_num"), ("step_num", "cur_step_num")):
            if key in made:
                made[key] += self._params[counted]
        return made


def _next_number(prefix: str, folder: str, format: str) -> str:
    """What follows the prefix: nothing, or the first number above those of earlier trainings."""
    backend, inner = ms_fs.resolve(folder)
    pattern = re.compile(rf"{re.escape(prefix)}(?:_(\d+))?-\d+_\d+(?:_breakpoint)?\.{re.escape(format)}")
    found = [match for name in backend.list(inner) if (match := pattern.fullmatch(name))]
    return f"_{max(int(match[1] or 0) for match in found) + 1}" if found else ""
