"""`Backend`: what a storage has to offer, and how a file is written so that it appears whole or not at all."""

from __future__ import annotations

import logging
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from ms_fs.paths import join, split
from ms_fs.sink import Sink

__all__ = ["Backend"]

_LOG = logging.getLogger("ms_fs")


class Backend(ABC):
    """A kind of storage.

    Attributes:
        name: its protocol, for messages.
        whole_urls: paths are URLs, not only what stands after their `://`.

    A subclass gives the primitives; `create` builds the atomic write out of them. The suite
    `ms_fs.testing.BackendContract` tells whether a subclass keeps its promises.
    """

    name: str
    whole_urls = False

    @abstractmethod
    def open(self, path: str) -> IO[bytes]:
        """Open a file for reading, binary and seekable.

        Raises:
            FileNotFoundError: there is none.
        """

    @abstractmethod
    def open_new(self, path: str) -> Any:
        """Open a file for writing from its start."""

    @abstractmethod
    def rename(self, old: str, new: str) -> None:
        """Give a file another name, in place of what had that name."""

    @abstractmethod
    def remove(self, path: str) -> None:
        """Remove a file.

        Raises:
            FileNotFoundError: there is none.
        """

    @abstractmethod
    def exists(self, path: str) -> bool:
        """Whether there is a file or folder."""

    @abstractmethod
    def is_folder(self, path: str) -> bool:
        """Whether it is a folder."""

    @abstractmethod
    def list(self, path: str) -> list[str]:
        """The names of files and folders in a folder, sorted."""

    @abstractmethod
    def make_folder(self, path: str) -> None:
        """Make a folder and those above it, where they are missing."""

    def size(self, path: str) -> int:
        """The number of bytes of a file."""
        with self.open(path) as file:
            return file.seek(0, os.SEEK_END)

    def final(self, path: str) -> str:
        """The path that `create` replaces; links are followed where a storage has them."""
        return path

    def settle(self, file: Any) -> None:
        """Bring the bytes of an open file to the storage before its rename."""
        file.flush()

    def settle_name(self, path: str) -> None:  # noqa: B027  # not every storage has to
        """Bring the name of a file to the storage after its rename."""

    def permit(self, path: str, permissions: int | None) -> None:  # noqa: B027
        """Set what a finished file permits, where a storage knows of such."""

    def temporary(self, path: str) -> str:
        """A name beside `path` that nothing else uses."""
        folder, name = split(path)
        return join(folder, f".{name}.{os.getpid()}-{os.urandom(4).hex()}.tmp")

    def put(self, path: str, pieces: Iterable[Any]) -> None:
        """Write a file the quick way: who reads it meanwhile may see a part, and a crash of the machine may lose it.

        Raises:
            OSError: the storage refuses.
        """
        file = self.open_new(path)
        try:
            sink = Sink(file)
            for piece in pieces:
                sink.write(piece)
        finally:
            file.close()

    def append(self, path: str, pieces: Iterable[Any]) -> None:
        """Add to the end of a file, which is made when it is missing; one at a time.

        Raises:
            OSError: the storage refuses.
        """
        old = b""
        if self.exists(path):  # most storages cannot add to what they have
            with self.open(path) as file:
                old = file.read()
        self.put(path, [old, *pieces])

    def link(self, path: str, other: str) -> None:
        """Give what a file holds a second name; where a storage has no links, by a copy.

        Raises:
            OSError: the storage refuses.
        """
        with self.open(path) as file:
            self.put(other, [file.read()])

    @contextmanager
    def create(
        self, path: str, *, permissions: int | None = None, progress: Callable[[int], Any] | None = None
    ) -> Iterator[Sink]:
        """Write a file that replaces `path` when the block ends, and only then.

        Whatever goes wrong before, `path` is as it was and the temporary file is gone.

        Raises:
            OSError: the storage refuses; its text names `path`.
        """
        target = self.final(path)
        temporary = self.temporary(target)
        file = None
        try:
            file = self.open_new(temporary)
            yield Sink(file, progress)
            self.settle(file)
            file.close()
            if permissions is not None:
                self.permit(temporary, permissions)
            self.rename(temporary, target)
        except BaseException as error:
            self._undo(file, temporary)
            # the text of an error with two names, that of the rename, has the path already
            if isinstance(error, OSError) and error.filename2 is None and error.filename in (None, temporary):
                error.filename = path
            raise
        self.settle_name(target)

    def _undo(self, file: Any, temporary: str) -> None:
        """Close and remove the temporary file; trouble here must not hide the first error."""
        for step in (lambda: file and file.close(), lambda: self.remove(temporary)):
            try:
                step()
            except (OSError, ValueError) as error:
                _LOG.debug("After a failed write of '%s': %s", temporary, error)
