"""The wire format of protocol buffers: varints, and fields that are told apart by a number and a kind.

Source: https://protobuf.dev/programming-guides/encoding. Only what checkpoints need: messages are walked, never held.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import IO

from ms_fs.errors import CheckpointError, UnsafeFileError

__all__ = ["LENGTH", "VARINT", "Reader", "field", "varint"]

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
_WINDOW = 1 << 15  # bytes read at once between the contents of tensors


def varint(value: int) -> bytes:
    """An unsigned number, 7 bits a byte, the lowest first.

    >>> varint(300)
    b'\\xac\\x02'
    """
    made = bytearray()
    while value > 127:
        made.append(value & 127 | 128)
        value >>= 7
    made.append(value)
    return bytes(made)


def field(number: int, data: bytes) -> bytes:
    """A field of bytes, text or a message.

    >>> field(1, b"ab")
    b'\\n\\x02ab'
    """
    return varint(number << 3 | LENGTH) + varint(len(data)) + data


class Reader:
    """Walks a file; nothing beyond `size` is ever asked for.

    Args:
        file: binary and seekable; it is sought only to skip something.
        size: the number of its bytes.
    """

    def __init__(self, file: IO[bytes], size: int) -> None:
        self._file = file
        self.size = size
        self.position = 0
        self._at: int | None = None  # where the file itself stands
        self._window = b""
        self._start = 0

    def _seek(self, position: int) -> None:
        if self._at != position:
            self._file.seek(position, os.SEEK_SET)
            self._at = position

    def _fill(self) -> None:
        self._seek(self.position)
        self._start = self.position
        self._window = self._file.read(min(_WINDOW, self.size - self.position))
        if not self._window:
            raise CheckpointError("the file ends too early")
        self._at = self.position + len(self._window)

    def byte(self, end: int) -> int:
        """The next byte."""
        if self.position >= end:
            raise CheckpointError("a message ends too early")
        if not 0 <= self.position - self._start < len(self._window):
            self._fill()
        found = self._window[self.position - self._start]
        self.position += 1
        return found

    def number(self, end: int) -> int:
        """The next varint, of at most 64 bits."""
        ahead = self.position - self._start
        if self.position < end and 0 <= ahead < len(self._window) and self._window[ahead] < 128:
            self.position += 1  # nearly all are one byte
            return self._window[ahead]
        value = 0
        for shift in range(0, 70, 7):
            byte = self.byte(end)
            value |= (byte & 127) << shift
            if byte < 128:
                if value >> 64:
                    break
                return value
        raise CheckpointError("a number has more than 64 bits")

    def into(self, view: memoryview) -> None:
        """Fill a buffer with the next bytes: first what has been read ahead, then straight from the file."""
        if len(view) > self.size - self.position:
            raise UnsafeFileError("the file ends too early")
        ahead = self.position - self._start
        if 0 <= ahead < len(self._window):
            part = self._window[ahead : ahead + len(view)]
            view[: len(part)] = part
            self.position += len(part)
            view = view[len(part) :]
        while len(view):
            self._seek(self.position)
            count = self._read_into(view)
            if not count:
                raise CheckpointError("the file ends too early")
            self.position += count
            self._at = self.position
            view = view[count:]

    def _read_into(self, view: memoryview) -> int:
        if hasattr(self._file, "readinto"):
            return int(self._file.readinto(view) or 0)
        data = self._file.read(min(len(view), 1 << 24))
        view[: len(data)] = data
        return len(data)

    def bytes(self, length: int, limit: int) -> bytes:
        """The next bytes, where there should not be more than `limit` of them."""
        if length > min(limit, self.size - self.position):
            raise UnsafeFileError(f"a text has {length} bytes, more than it can have")
        made = bytearray(length)
        self.into(memoryview(made))
        return bytes(made)

    def fields(self, end: int) -> Iterator[tuple[int, int, int]]:
        """The fields up to `end`: number, kind, and the value of a varint or the length of what follows.

        After a field of bytes `position` is at its first byte; it is skipped unless the caller reads it.
        """
        while self.position < end:
            key = self.number(end)
            number, kind = key >> 3, key & 7
            if not 0 < number < 1 << 29:
                raise CheckpointError(f"there is no field {number}")
            if kind == VARINT:
                yield number, kind, self.number(end)
                continue
            if kind not in (FIXED64, LENGTH, FIXED32):
                raise CheckpointError(f"there is no kind {kind} of fields")
            length = self.number(end) if kind == LENGTH else 8 if kind == FIXED64 else 4
            if length > end - self.position:
                raise UnsafeFileError(f"a field claims {length} bytes where {end - self.position} are left")
            after = self.position + length
            yield number, kind, length
            self.position = after
