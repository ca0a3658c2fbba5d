"""The wire format of protocol buffers: a reader that trusts nothing, and a writer."""

from __future__ import annotations

__all__ = [
    "BYTES",
    "FIXED32",
    "FIXED64",
    "VARINT",
    "Reader",
    "MindIRError",
    "put_bytes",
    "put_tag",
    "put_varint",
    "signed",
]

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5

_WORD = 1 << 64


class MindIRError(ValueError):
    """A file, or what was read from it, is no MindIR, or none that is understood."""


class Reader:
    """Reads from ``data[start:end]``; never looks beyond.

    Raises:
        MindIRError: a value is cut off, or no value can look like that. The text names the byte.
    """

    __slots__ = ("data", "end", "pos")

    def __init__(self, data: memoryview, start: int = 0, end: int | None = None) -> None:
        self.data, self.pos, self.end = data, start, len(data) if end is None else end

    def fail(self, what: str) -> MindIRError:
        """The error to raise about what stands here."""
        return MindIRError(f"{what} at byte {self.pos}")

    def more(self) -> bool:
        """Whether anything is left."""
        return self.pos < self.end

    def varint(self) -> int:
        """An unsigned number of 64 bits."""
        value = shift = 0
        pos, data = self.pos, self.data
        while pos < self.end and shift < 70:
            byte = data[pos]
            pos += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                if value >= _WORD:
                    break
                self.pos = pos
                return value
            shift += 7
        raise self.fail("a number that is cut off or too long")

    def tag(self) -> tuple[int, int]:
        """The number of the next field and how its value is written."""
        tag = self.varint()
        number, kind = tag >> 3, tag & 7
        if number == 0 or number > 0x1FFFFFFF or kind not in (VARINT, FIXED64, BYTES, FIXED32):
            raise self.fail("something that is no field")
        return number, kind

    def span(self) -> tuple[int, int]:
        """Where the value of a field with a length starts and ends; it is stepped over."""
        length = self.varint()
        start = self.pos
        if length > self.end - start:
            raise self.fail(f"a value of {length} bytes, but only {self.end - start} are left")
        self.pos = start + length
        return start, self.pos

    def raw(self) -> bytes:
        """The value of a field with a length."""
        start, end = self.span()
        return bytes(self.data[start:end])

    def fixed(self, size: int) -> bytes:
        """The next `size` bytes."""
        if size > self.end - self.pos:
            raise self.fail(f"a value of {size} bytes, but only {self.end - self.pos} are left")
        self.pos += size
        return bytes(self.data[self.pos - size : self.pos])

    def value(self, kind: int) -> bytes:
        """The bytes of a value that is of no interest, as they stand."""
        start = self.pos
        if kind == VARINT:
            self.varint()
        elif kind == BYTES:
            self.span()
        else:
            self.fixed(8 if kind == FIXED64 else 4)
        return bytes(self.data[start : self.pos])


def signed(value: int) -> int:
    """A number of 64 bits as two's complement."""
    return value - _WORD if value >= _WORD >> 1 else value


def put_varint(out: bytearray, value: int) -> None:
    """Append a number; negative ones as two's complement of 64 bits."""
    value %= _WORD
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


def put_tag(out: bytearray, number: int, kind: int) -> None:
    """Append what stands before a value."""
    put_varint(out, number << 3 | kind)


def put_bytes(out: bytearray, value: bytes | bytearray) -> None:
    """Append a value with its length."""
    put_varint(out, len(value))
    out += value
