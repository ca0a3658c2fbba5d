"""`Sink`: a file that bytes go into, all of them or an error."""

from __future__ import annotations

import errno
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Sink", "byte_chunks", "byte_view"]

CHUNK = 1 << 24  # bytes between two reports of progress
_SMALL = 1 << 20


class Sink:
    """Writes to a file until all is written, counts, and sums up a CRC when asked to.

    Args:
        file: has `write`; a write that takes fewer bytes than it is given goes on with the rest.
        progress: called with the number of bytes after each piece.

    >>> import io
    >>> sink = Sink(io.BytesIO())
    >>> sink.write(b"abc")
    >>> sink.written
    3
    """

    def __init__(self, file: Any, progress: Callable[[int], Any] | None = None) -> None:
        self._file = file
        self._progress = progress
        self.written = 0
        self.crc: int | None = None

    def start_crc(self) -> None:
        """Sum up what is written from now on."""
        self.crc = 0

    def write(self, data: Any) -> None:
        """Write all bytes of a buffer.

        Raises:
            OSError: the file does not take them.
        """
        view = memoryview(data)
        for start in range(0, len(view), CHUNK):
            self._write(view[start : start + CHUNK])

    def _write(self, view: memoryview) -> None:
        if self.crc is not None:
            self.crc = zlib.crc32(view, self.crc)
        while len(view):
            taken = self._file.write(view)
            taken = len(view) if taken is None else taken
            if taken <= 0:
                raise OSError(errno.EIO, "the file takes no more bytes")
            self.written += taken
            if self._progress is not None:
                self._progress(taken)
            view = view[taken:]


def byte_chunks(array: NDArray[Any], start: int = 0, stop: int | None = None) -> Iterator[memoryview]:
    """The elements [start, stop) of an array in C order as little-endian bytes.

    Memory that is laid out so already is given as it is; anything else is copied in small pieces.
    """
    stop = array.size if stop is None else stop
    # types that NumPy does not have itself, such as bfloat16, come in the machine's order only
    little = array.dtype if array.dtype.isbuiltin == 2 else array.dtype.newbyteorder("<")
    if array.flags.c_contiguous and array.dtype == little:
        yield byte_view(array.reshape(-1)[start:stop])
        return
    step = max(1, _SMALL // array.dtype.itemsize)
    for begin in range(start, stop, step):
        piece = array.flat[begin : min(begin + step, stop)]
        yield byte_view(np.ascontiguousarray(piece, dtype=little))


def byte_view(array: Any) -> memoryview:
    """The memory of a packed array as bytes."""
    return memoryview(array.reshape(-1).view(np.uint8))
