"""The dump of this process: whether there is one, where it acts, when it ends."""

from __future__ import annotations

import atexit
from collections.abc import Mapping
from typing import Any

from ms_dump import config as configs
from ms_dump.config import Config
from ms_dump.observer import Dumper
from ms_kernels.core.dispatch import process_target

__all__ = ["anywhere", "flush", "is_anywhere", "is_on", "start", "start_once", "step", "stop"]


class _Session:
    """What there is one of in a process."""

    def __init__(self) -> None:
        self.anywhere = False
        self.asked = False  # whether the environment has been looked at: 2.6 looks once
        self.dumper: Dumper | None = None


_session = _Session()


def anywhere(on: bool = True) -> None:
    """Let dumps act in any mode and on any target: in PyNative mode, on the CPU, in fused groups. Our own extension.

    >>> anywhere()
    >>> is_anywhere()
    True
    >>> anywhere(False)
    """
    _session.anywhere = bool(on)
    if _session.dumper is not None:
        _session.dumper.anywhere = bool(on)


def is_anywhere() -> bool:
    """Whether `anywhere` has lifted the limits."""
    return _session.anywhere


def is_on() -> bool:
    """Whether this process has a dump.

    >>> is_on()
    False
    """
    return _session.dumper is not None


def start(config: Config | Mapping[str, Any] | str | None = None) -> bool:
    """Begin to dump. Without it, and without a configuration in the environment, nothing is observed and nothing costs.

    Args:
        config: a configuration, the content of its file, or the file's path; None: what MINDSPORE_DUMP_CONFIG names.

    Returns:
        Whether there is a dump now; False when the variable names no file.

    Raises:
        RuntimeError: there is a dump already, or something else observes the calls of this process.
        ValueError: a wrong configuration (see `ms_dump.config.parse`).
    """
    if _session.dumper is not None:
        raise RuntimeError("For 'start', the dump of this process must have ended, but one is under way.")
    if process_target.observer is not None:
        raise RuntimeError("For 'start', nothing else must observe this process, but something does.")
    if config is None:
        found = configs.from_environment()
    elif isinstance(config, str):
        found = configs.read(config)
    else:
        found = config if isinstance(config, Config) else configs.parse(config)
    if found is None:
        return False
    dumper = Dumper(found, _session.anywhere)
    _session.dumper = dumper
    process_target.observer = dumper
    atexit.register(stop)
    return True


def start_once() -> None:
    """Begin to dump if the environment says so; later calls do nothing.

    Raises:
        ValueError: as `start`.
    """
    if not _session.asked and _session.dumper is None:
        _session.asked = True
        start()


def step() -> None:
    """End the present iteration, where a program's steps are not those that are counted by themselves: an iteration
    ends when the outermost Cell that began it is called anew."""
    if _session.dumper is not None:
        _session.dumper.step()


def flush() -> None:
    """Wait until all that was dumped is written.

    Raises:
        OSError: something could not be written.
    """
    if _session.dumper is not None:
        _session.dumper.writer.flush()


def stop() -> None:
    """End the dump: no call is observed any more, and all is written. `set_dump` may then begin another.

    Raises:
        OSError: something could not be written.
    """
    dumper = _session.dumper
    _session.dumper, _session.asked = None, False
    if dumper is None:
        return
    atexit.unregister(stop)
    close = dumper.close
    if process_target.observer is dumper:
        process_target.observer = None
    close()
