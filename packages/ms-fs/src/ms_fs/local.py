"""Files of this machine: written beside their place, brought to the disk, then renamed."""

from __future__ import annotations

import importlib
import logging
import os
import time
from collections.abc import Iterable
from typing import IO, Any

from ms_fs.file_system import FileSystem, _register_basic_file_system, _register_mindio_file_system
from ms_fs.sink import Sink
from ms_fs.spec import Backend

__all__ = ["LocalBackend"]

_LOG = logging.getLogger("ms_fs")
_YOUNG = 10.0  # seconds: a temporary file of that age may be one whose lock is just being taken


def _locked(file: Any, *, wait: bool) -> bool:
    """Take the lock of an open file; where there are no such locks, it counts as another's."""
    if os.name != "posix":
        return False
    fcntl: Any = importlib.import_module("fcntl")
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except (OSError, AttributeError, ValueError):
        return False
    return True


class LocalBackend(Backend):
    """The local disk, through a `FileSystem`: Python's files, or MindIO's where that is installed.

    Args:
        file_system: makes and opens files; None: found out when first used.

    >>> LocalBackend().exists("no such file")
    False
    """

    name = "file"

    def __init__(self, file_system: FileSystem | None = None) -> None:
        self._file_system = file_system

    @property
    def file_system(self) -> FileSystem:
        """What makes and opens the files."""
        if self._file_system is None:
            found = FileSystem()
            if not _register_mindio_file_system(found):
                _register_basic_file_system(found)
            self._file_system = found
        return self._file_system

    def open(self, path: str) -> IO[bytes]:
        file: IO[bytes] = self.file_system.open(path, *self.file_system.open_args)
        return file

    def open_new(self, path: str) -> Any:
        self._remove_leftovers(path)
        file = self.file_system.create(path, *self.file_system.create_args)
        _locked(file, wait=False)
        return file

    def _remove_leftovers(self, temporary: str) -> None:
        """Remove what killed processes left of the same target: files that nobody holds the lock of."""
        folder, name = os.path.split(temporary)
        stem = name.rsplit(".", 2)[0] + "."
        names = [name for name in os.listdir(folder or ".") if name.startswith(stem) and name.endswith(".tmp")]
        for path in (os.path.join(folder, name) for name in names):
            try:
                if time.time() - os.stat(path).st_mtime < _YOUNG:
                    continue
                with open(path, "rb") as file:
                    if _locked(file, wait=False):
                        os.remove(path)
            except OSError as error:
                _LOG.debug("A leftover stays: %s", error)

    def put(self, path: str, pieces: Iterable[Any]) -> None:
        self._write(path, pieces, os.O_TRUNC)

    def append(self, path: str, pieces: Iterable[Any]) -> None:
        self._write(path, pieces, os.O_APPEND)

    def _write(self, path: str, pieces: Iterable[Any], how: int) -> None:
        """Python's file objects ask the system more often than writing takes; MindIO has its own way."""
        if self.file_system.backend != "basic":
            super().put(path, pieces) if how == os.O_TRUNC else super().append(path, pieces)
            return
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | how | getattr(os, "O_BINARY", 0), 0o666)
        try:
            views = [memoryview(piece).cast("B") for piece in pieces]
            # all at once where the system can, and mostly that is all
            done = os.writev(handle, views) if hasattr(os, "writev") and len(views) <= 64 else 0
            sink = Sink(_Descriptor(handle))
            for view in views:
                sink.write(view[done:])
                done = max(0, done - len(view))
        finally:
            os.close(handle)

    def link(self, path: str, other: str) -> None:
        try:
            os.link(path, other)
        except OSError as error:
            _LOG.debug("'%s' is copied, as it cannot be linked: %s", path, error)
            super().link(path, other)

    def settle(self, file: Any) -> None:
        file.flush()
        if hasattr(file, "fileno"):  # MindIO's files need not have one
            os.fsync(file.fileno())

    def settle_name(self, path: str) -> None:
        """Without this a crash of the machine could bring the old file back; the new one is whole already."""
        if os.name != "posix":
            return
        try:
            handle = os.open(os.path.dirname(path) or ".", os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            _LOG.warning("'%s' is written, but its folder could not be brought to the disk: %s", path, error)

    def permit(self, path: str, permissions: int | None) -> None:
        if permissions is not None:
            os.chmod(path, permissions)

    def final(self, path: str) -> str:
        return os.path.realpath(path)

    def rename(self, old: str, new: str) -> None:
        os.replace(old, new)

    def remove(self, path: str) -> None:
        os.remove(path)

    def exists(self, path: str) -> bool:
        return os.path.exists(path)

    def is_folder(self, path: str) -> bool:
        return os.path.isdir(path)

    def list(self, path: str) -> list[str]:
        return sorted(os.listdir(path))

    def make_folder(self, path: str) -> None:
        os.makedirs(path, exist_ok=True)

    def size(self, path: str) -> int:
        return os.path.getsize(path)


class _Descriptor:
    """A file of the operating system, as a Sink writes to it."""

    def __init__(self, handle: int) -> None:
        self.handle = handle

    def write(self, data: Any) -> int:
        return os.write(self.handle, data)
