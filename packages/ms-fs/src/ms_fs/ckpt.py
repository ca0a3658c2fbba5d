"""The .ckpt format: a protobuf message of named tensors, streamed in both directions.

As wire format (learned from files that 2.6 writes)::

    Checkpoint { repeated Value value = 1; }
    Value      { string tag = 1; Tensor tensor = 2; }
    Tensor     { repeated int64 dims = 1; string type = 2; bytes content = 3; }

A tensor above 512 MiB is cut: each piece is a Value of its own with the tag and the dims of the whole. A text has type
"str" and its characters in UTF-32.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ms_fs.errors import CheckpointError, UnsafeFileError
from ms_fs.sink import byte_chunks, byte_view
from ms_fs.types import CKPT_NAMES, CKPT_TYPES, check_bools, possible
from ms_fs.wire import LENGTH, VARINT, Reader, varint
from ms_fs.wire import field as wire_field

__all__ = ["SLICE", "pieces", "read", "total", "write"]

SLICE = 512 << 20  # bytes of a tensor in one Value
_MAX_DIMS = 64
_MAX_NAME = 1 << 16
_MAX_TEXT = 1 << 26
_STR = "str"


# -- writing -----------------------------------------------------------------------------------------------------------


def _head(name: str, kind: str, dims: Iterable[int], length: int) -> bytes:
    """A Value up to the content of its tensor."""
    tag = wire_field(1, name.encode("utf-8"))
    shape = b"".join(b"\x08" + varint(dim) for dim in dims)
    inner = shape + wire_field(2, kind.encode()) + b"\x1a" + varint(length)
    tensor = b"\x12" + varint(len(inner) + length)
    return b"\x0a" + varint(len(tag) + len(tensor) + len(inner) + length) + tag + tensor + inner


def pieces(name: str, value: NDArray[Any] | str) -> Iterator[tuple[bytes, Iterable[Any]]]:
    """Each Value of a tensor or text: its head, and the buffers of its content."""
    if isinstance(value, str):
        content = value.encode("utf-32-le")
        yield _head(name, _STR, (0,), len(content)), (content,)
        return
    size = value.dtype.itemsize
    step = SLICE // size
    for start in range(0, max(value.size, 1), step):
        stop = min(start + step, value.size)
        yield _head(name, CKPT_NAMES[value.dtype], value.shape, (stop - start) * size), byte_chunks(value, start, stop)


def total(items: Iterable[tuple[str, NDArray[Any] | str]]) -> int:
    """About how many bytes the items take."""
    return sum(4 * len(value) if isinstance(value, str) else value.nbytes for _, value in items)


def write(items: Iterable[tuple[str, NDArray[Any] | str]], sink: Any) -> None:
    """Write tensors and texts; `sink` has `write`."""
    for name, value in items:
        for head, contents in pieces(name, value):
            sink.write(head)
            for content in contents:
                sink.write(content)


# -- reading -----------------------------------------------------------------------------------------------------------


@dataclass
class _Value:
    tag: str | None = None
    kind: str | None = None
    dims: list[int] = field(default_factory=list)
    start: int = 0
    length: int | None = None


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CheckpointError(f"a name is no UTF-8: {error.reason}") from None


def _dim(value: int) -> int:
    if value >= 1 << 63:
        raise CheckpointError(f"a dim is negative: {value - (1 << 64)}")
    return value


def _tensor(reader: Reader, end: int, value: _Value) -> None:
    for number, kind, what in reader.fields(end):
        if number == 1 and kind == VARINT:
            value.dims.append(_dim(what))
        elif number == 1 and kind == LENGTH:  # packed
            stop = reader.position + what
            while reader.position < stop and len(value.dims) <= _MAX_DIMS:
                value.dims.append(_dim(reader.number(stop)))
        elif number == 2 and kind == LENGTH:
            value.kind = _text(reader.bytes(what, 64))
        elif number == 3 and kind == LENGTH:
            value.start, value.length = reader.position, what
        if len(value.dims) > _MAX_DIMS:
            raise CheckpointError(f"'{value.tag}' has more than {_MAX_DIMS} dims")


def _values(reader: Reader) -> Iterator[_Value]:
    for number, kind, length in reader.fields(reader.size):
        if number != 1 or kind != LENGTH:
            raise CheckpointError(f"there is no field {number} in a checkpoint")
        end = reader.position + length
        value = _Value()
        for inner, inner_kind, what in reader.fields(end):
            if inner == 1 and inner_kind == LENGTH:
                value.tag = _text(reader.bytes(what, _MAX_NAME))
            elif inner == 2 and inner_kind == LENGTH:
                _tensor(reader, reader.position + what, value)
        if value.tag is None or value.kind is None:
            raise CheckpointError("an entry has no name" if value.tag is None else f"'{value.tag}' has no type")
        if value.length is None:
            value.start, value.length = reader.position, 0
        yield value
        reader.position = end


@dataclass
class _Open:
    """A tensor of which some pieces have been read."""

    name: str
    kind: str
    dims: tuple[int, ...]
    total: int
    array: NDArray[Any] | None
    done: int = 0

    def complete(self) -> None:
        """Check that nothing is missing."""
        if self.done < self.total:
            raise CheckpointError(f"'{self.name}' has {self.done} bytes, but its shape and type need {self.total}")


def read(
    file: IO[bytes], size: int, choose: Callable[[str], bool] | None = None
) -> Iterator[tuple[str, NDArray[Any] | str]]:
    """The tensors (new arrays) and texts of a file, one after another.

    Args:
        file: binary and seekable.
        size: the number of its bytes; nothing that does not fit into them is believed, so that memory stays bounded.
        choose: which names are wanted; the bytes of others are not read.

    Raises:
        CheckpointError: it is no checkpoint, or damaged.
    """
    reader = Reader(file, size)
    seen: set[str] = set()
    now: _Open | None = None
    for value in _values(reader):
        assert value.tag is not None and value.kind is not None and value.length is not None
        if now is not None and now.done == now.total:
            now = None
        if now is None:
            if value.tag in seen:
                raise CheckpointError(f"'{value.tag}' is there twice")
            seen.add(value.tag)
            wanted = choose is None or choose(value.tag)
            if value.kind == _STR:
                if wanted:
                    yield value.tag, _read_text(reader, value)
                continue
            now = _begin(reader, value, wanted)
        elif (now.name, now.kind, now.dims) != (value.tag, value.kind, tuple(value.dims)):
            now.complete()
        _append(reader, value, now)
        if now.done == now.total and now.array is not None:
            if not check_bools(now.array):
                raise CheckpointError(f"'{now.name}' is bool, but has bytes other than 0 and 1")
            yield now.name, now.array
    if now is not None:
        now.complete()


def _read_text(reader: Reader, value: _Value) -> str:
    assert value.length is not None
    reader.position = value.start
    try:
        return reader.bytes(value.length, _MAX_TEXT).decode("utf-32-le")
    except UnicodeDecodeError as error:
        raise CheckpointError(f"'{value.tag}' is no text: {error.reason}") from None


def _begin(reader: Reader, value: _Value, wanted: bool) -> _Open:
    name, kind, dims = value.tag or "", value.kind or "", tuple(value.dims)
    dtype = CKPT_TYPES.get(kind)
    if dtype is None:
        raise CheckpointError(f"'{name}' has the type '{kind[:40]}', which is unknown")
    # older files say [0] for a tensor without dims
    shape = () if dims == (0,) and value.length == dtype.itemsize else dims
    needed = math.prod(shape) * dtype.itemsize
    if needed > reader.size - value.start:
        raise UnsafeFileError(f"'{name}' needs {needed} bytes, but only {reader.size - value.start} are left")
    if not possible(shape, dtype):
        raise UnsafeFileError(f"'{name}' has a shape that no tensor can have")
    return _Open(name, kind, dims, needed, np.empty(shape, dtype) if wanted else None)


def _append(reader: Reader, value: _Value, now: _Open) -> None:
    assert value.length is not None
    if value.length > now.total - now.done or (value.length == 0 and now.total):
        raise CheckpointError(
            f"'{now.name}' has {value.length} bytes, but {now.total - now.done} fit its shape and type"
        )
    if now.array is not None and value.length:
        whole = byte_view(now.array)
        reader.position = value.start
        reader.into(whole[now.done : now.done + value.length])
    now.done += value.length
