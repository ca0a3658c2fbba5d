"""Writing while the program goes on: in a thread, or in a process of its own."""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ms_fs.codec import Path, as_array, format_of, save, write_to
from ms_fs.registry import resolve
from ms_fs.sink import Sink

__all__ = ["Pending", "pending", "save_in_background", "wait"]

_LOG = logging.getLogger("ms_fs")
_FRAME = 1 << 20


class Pending(threading.Thread):
    """A write that is under way. The interpreter does not end before it has.

    Several run one after another, in the order of their calls.
    """

    def __init__(self, work: Callable[[], None], path: str) -> None:
        super().__init__(name="asyn_save_ckpt")  # 2.6's name, which programs look for
        self._work = work
        self._before = pending()
        self.path = path
        self.error: BaseException | None = None

    def run(self) -> None:
        """Write; an error is logged, and kept for `result`."""
        for other in self._before:
            other.join()
        self._before = []
        try:
            self._work()
        except BaseException as error:  # a thread has no caller: whoever asks for the result gets it
            self.error = error
            _LOG.critical("Failed to save the checkpoint file %s: %s", self.path, error)

    def result(self, timeout: float | None = None) -> None:
        """Wait for the end.

        Raises:
            TimeoutError: it takes longer than `timeout` seconds.
            Exception: what went wrong.
        """
        self.join(timeout)
        if self.is_alive():
            raise TimeoutError(f"'{self.path}' is not written after {timeout} seconds")
        if self.error is not None:
            raise self.error


def pending() -> list[Pending]:
    """The writes under way."""
    return [thread for thread in threading.enumerate() if isinstance(thread, Pending)]


def wait() -> None:
    """Wait for all writes under way; errors are theirs to tell."""
    for thread in pending():
        if thread is not threading.current_thread():
            thread.join()


def save_in_background(
    tensors: Mapping[str, Any], path: Path, format: str | None = None, *, how: str = "thread", **options: Any
) -> Pending:
    """`save`, of the values at this moment: they are copied, then the call returns.

    Args:
        tensors, path, format: as in `save`.
        how: "thread", or "process": the file is written by another Python, so that slow storage does not disturb.
        options: `save`'s others.

    Raises:
        TypeError, ValueError: as in `save`, at once, for names and values; `how` is something else.

    >>> save_in_background({"a": 1}, "memory://later.ckpt").result()
    """
    if how not in ("thread", "process"):
        raise ValueError(f"For 'save_in_background', the 'how' must be 'thread' or 'process', but got {how!r}.")
    held: dict[str, NDArray[Any] | str] = {}
    for name, value in tensors.items():
        array = as_array(name, value)
        held[name] = array if isinstance(array, str) else np.array(array, order="C")
    text = os.fspath(path)
    if how == "thread":
        made = Pending(lambda: save(held, text, format, **options), text)
    else:
        if resolve(text)[0].name == "memory":
            raise ValueError(
                "For 'save_in_background', 'how' must be 'thread' for memory, which processes do not share."
            )
        made = Pending(lambda: _save_by_process(held, text, format_of(text, format), **options), text)
    made.start()
    return made


def _save_by_process(
    items: Mapping[str, NDArray[Any] | str],
    path: str,
    format: str,
    *,
    permissions: int | None = None,
    progress: bool | None = None,
    **options: Any,
) -> None:
    """Hand the bytes of a file to another Python, which writes them in the atomic way."""
    import subprocess

    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([here, *filter(None, sys.path)])}
    command = [sys.executable, "-m", "ms_fs._worker", path, "" if permissions is None else str(permissions)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environ) as child:
        assert child.stdin is not None and child.stderr is not None
        frames = _Frames(child.stdin)
        broken: OSError | None = None
        try:
            write_to(Sink(frames), items, format, **options)
            child.stdin.write(bytes(4))  # the end; without it the other side throws the file away
            child.stdin.flush()
        except OSError as error:  # it stopped reading: it knows why
            broken = error
        _, said = child.communicate()
    if child.returncode == 0 and broken is None:
        return
    try:
        found = json.loads(said.splitlines()[-1])
    except (ValueError, IndexError):
        raise OSError(f"the process that writes '{path}' ended with {child.returncode}: {said[-500:]!r}") from broken
    raise OSError(found["errno"], found["text"], path)


class _Frames:
    """Cuts what is written into pieces with their lengths in front."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def write(self, data: memoryview) -> int:
        part = data[:_FRAME]
        self._file.write(len(part).to_bytes(4, "little"))
        self._file.write(part)
        return len(part)
