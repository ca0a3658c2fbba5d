"""Every storage that fsspec knows, by URL."""

from __future__ import annotations

from typing import IO, Any

import fsspec

from ms_fs.spec import Backend

__all__ = ["FsspecBackend"]


class FsspecBackend(Backend):
    """A storage behind fsspec. Paths are whole URLs.

    A file is written under a temporary name and moved. On object storages a move is a copy on their side.

    Args:
        protocol: the part of a URL before `://`.
        options: for fsspec, such as credentials.

    Raises:
        ImportError: a storage needs a package that is not installed.
        ValueError: fsspec does not know the protocol.

    >>> backend = FsspecBackend("memory")
    >>> with backend.create("memory://remote.txt") as sink:
    ...     sink.write(b"text")
    >>> backend.size("memory://remote.txt")
    4
    """

    whole_urls = True

    def __init__(self, protocol: str, **options: Any) -> None:
        self.name = protocol
        self._options = options

    def _at(self, path: str) -> tuple[Any, str]:
        fs, inner = fsspec.core.url_to_fs(path, **self._options)
        return fs, str(inner)

    def open(self, path: str) -> IO[bytes]:
        fs, inner = self._at(path)
        file: IO[bytes] = fs.open(inner, "rb")
        return file

    def open_new(self, path: str) -> Any:
        fs, inner = self._at(path)
        return fs.open(inner, "wb")

    def settle(self, file: Any) -> None:
        """Nothing: most storages send what they hold when a file is closed."""

    def rename(self, old: str, new: str) -> None:
        fs, inner = self._at(old)
        fs.mv(inner, self._at(new)[1])

    def remove(self, path: str) -> None:
        fs, inner = self._at(path)
        fs.rm_file(inner)

    def exists(self, path: str) -> bool:
        fs, inner = self._at(path)
        return bool(fs.exists(inner))

    def is_folder(self, path: str) -> bool:
        fs, inner = self._at(path)
        return bool(fs.isdir(inner))

    def list(self, path: str) -> list[str]:
        fs, inner = self._at(path)
        return sorted(name.rstrip("/").rpartition("/")[2] for name in fs.ls(inner, detail=False))

    def make_folder(self, path: str) -> None:
        fs, inner = self._at(path)
        fs.makedirs(inner, exist_ok=True)

    def size(self, path: str) -> int:
        fs, inner = self._at(path)
        return int(fs.size(inner))
