"""The safetensors format: a JSON header, then the bytes of all tensors; read through a memory map.

Source: https://huggingface.co/docs/safetensors. The header is parsed here, with all bounds checked, since a map then
shows the tensors without a copy, where the library's reader copies. Files are byte for byte those of the library, but
written piece by piece, to any storage.
"""

from __future__ import annotations

import json
import math
import mmap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ms_fs._header import parse
from ms_fs.errors import CheckpointError, UnsafeFileError
from ms_fs.sink import byte_chunks, byte_view
from ms_fs.types import SAFETENSORS_NAMES, SAFETENSORS_TYPES, check_bools, possible
from ms_fs.wire import Reader

__all__ = ["MAX_HEADER", "Header", "Place", "order", "read", "read_header", "write"]

MAX_HEADER = 100_000_000  # the library's limit, too
_RANKS = {name: rank for rank, name in enumerate(SAFETENSORS_TYPES)}


@dataclass(frozen=True)
class Place:
    """Where a tensor is in a file."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    start: int
    length: int


@dataclass(frozen=True)
class Header:
    """What a file holds: the tensors in the order of their bytes, and texts about them."""

    places: tuple[Place, ...]
    metadata: Mapping[str, str]


# -- writing -----------------------------------------------------------------------------------------------------------


def order(tensors: Mapping[str, NDArray[Any]]) -> list[str]:
    """The names as the library lays them out: by type, wide ones first, then by name.

    Raises:
        TypeError: a type that the format does not have, such as complex128.
    """
    for name, array in tensors.items():
        if array.dtype not in SAFETENSORS_NAMES:
            raise TypeError(
                f"For the format 'safetensors', the type of '{name}' must be one of {', '.join(SAFETENSORS_TYPES)}, "
                f"but got {array.dtype}."
            )
    ranked = ((_RANKS[SAFETENSORS_NAMES[array.dtype]], name.encode(), name) for name, array in tensors.items())
    return [name for _, _, name in sorted(ranked)]


def write(tensors: Mapping[str, NDArray[Any]], sink: Any, metadata: Mapping[str, str] | None = None) -> None:
    """Write tensors; `sink` has `write`."""
    header: dict[str, Any] = {"__metadata__": dict(metadata)} if metadata else {}
    names, end = order(tensors), 0
    for name in names:
        array = tensors[name]
        start, end = end, end + array.nbytes
        shape, kind = list(array.shape), SAFETENSORS_NAMES[array.dtype]
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [start, end]}
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    sink.write(len(text).to_bytes(8, "little") + text)
    for name in names:
        for chunk in byte_chunks(tensors[name]):
            sink.write(chunk)


# -- reading -----------------------------------------------------------------------------------------------------------


def read_header(file: IO[bytes], size: int) -> Header:
    """What a file holds, with every claim checked against its size.

    Raises:
        CheckpointError: it is no such file, or damaged.
    """
    reader = Reader(file, size)
    if size < 8:
        raise CheckpointError("the file is shorter than a header")
    length = int.from_bytes(reader.bytes(8, 8), "little")
    if length > min(MAX_HEADER, size - 8):
        raise UnsafeFileError(f"the header claims {length} bytes, more than it can have")
    entries, metadata = parse(reader.bytes(length, MAX_HEADER))
    places, end = [], 0
    for name, entry in sorted(entries.items(), key=lambda item: item[1].offsets):
        start, stop = entry.offsets
        if start != end or stop < start:
            raise CheckpointError(f"'{name}' lies at [{start}, {stop}), but must begin at {end}")
        places.append(_place(name, entry.dtype, entry.shape, 8 + length + start, stop - start))
        end = stop
    if end != size - 8 - length:
        raise CheckpointError(f"the tensors have {end} bytes, but the file holds {size - 8 - length}")
    return Header(tuple(places), metadata)


def _place(name: str, kind: str, shape: tuple[int, ...], start: int, length: int) -> Place:
    dtype = SAFETENSORS_TYPES.get(kind)
    if dtype is None:
        raise CheckpointError(f"'{name}' has the type '{kind[:40]}', which is unknown")
    if not possible(shape, dtype):
        raise UnsafeFileError(f"'{name}' has a shape that no tensor can have")
    if math.prod(shape) * dtype.itemsize != length:
        raise CheckpointError(f"'{name}' has {length} bytes, but its shape and type need others")
    return Place(name, dtype, shape, start, length)


def read(
    file: IO[bytes], size: int, choose: Callable[[str], bool] | None = None, *, mapped: bool = True
) -> tuple[Iterator[tuple[str, NDArray[Any]]], Mapping[str, str]]:
    """The tensors of a file, one after another, and its texts.

    Args:
        file: binary and seekable.
        size: the number of its bytes.
        choose: which names are wanted; the bytes of others are not read.
        mapped: show the file's own memory, where the file is one of the system's. What is changed in the arrays does
            not reach the file, and only pages that are changed are copied.

    Raises:
        CheckpointError: it is no such file, or damaged.
    """
    header = read_header(file, size)
    wanted = [place for place in header.places if choose is None or choose(place.name)]
    return _tensors(file, size, wanted, mapped), header.metadata


def _tensors(file: IO[bytes], size: int, wanted: list[Place], mapped: bool) -> Iterator[tuple[str, NDArray[Any]]]:
    memory = _map(file, size) if mapped and wanted else None
    reader = Reader(file, size)
    for place in wanted:
        # a type's own alignment is kept by the library's order; in files of others the tensor is copied
        if memory is not None and place.length and place.start % place.dtype.alignment == 0:
            count = place.length // place.dtype.itemsize
            array = np.frombuffer(memory, place.dtype, count, place.start).reshape(place.shape)
        else:
            array = np.empty(place.shape, place.dtype)
            reader.position = place.start
            reader.into(byte_view(array))
        if not check_bools(array):
            raise CheckpointError(f"'{place.name}' is bool, but has bytes other than 0 and 1")
        yield place.name, array


def _map(file: IO[bytes], size: int) -> mmap.mmap | None:
    """The memory of a file, changes being private; None where the file is none of the system's."""
    try:
        return mmap.mmap(file.fileno(), size, access=mmap.ACCESS_COPY)
    except (OSError, ValueError, AttributeError):
        return None
