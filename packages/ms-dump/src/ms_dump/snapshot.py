"""Tensors as they are at a moment, in the bytes of their files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any
from weakref import ReferenceType, ref

import numpy as np
from numpy.typing import NDArray

from ms_dump import npy, statistics
from ms_dump.names import dtype_name

__all__ = ["Pool", "Snapshot", "Snapshots"]

Array = NDArray[Any]


class Pool:
    """Blocks of memory that are used again: the system takes longer to give new ones than copying into them takes.

    Args:
        most: bytes that are kept.
    """

    def __init__(self, most: int = 64 << 20) -> None:
        self._most, self._held = most, 0
        self._free: defaultdict[int, list[Array]] = defaultdict(list)

    def take(self, size: int) -> Array:
        """A block of at least `size` bytes."""
        rounded = 1 << max(size - 1, 4095).bit_length()
        try:
            found = self._free[rounded].pop()
        except IndexError:
            return np.empty(rounded, np.uint8)
        self._held -= rounded
        return found

    def give(self, block: Array) -> None:
        """Take a block back."""
        if self._held + block.size <= self._most:
            self._held += block.size
            self._free[block.size].append(block)


class Snapshot:
    """A copy of a tensor.

    Attributes:
        data: its elements, until they are not needed any more.
        path: the file, once it is written; others of the same content become links to it.
        uses: how many jobs that wait or run need it; the writer counts.
        wanted: the names of measures that are asked for.
        measures: what `statistics.of` has found, once it has been asked for.
        dtype: its own type's name, "bfloat16" too, which the file holds as float32.
        shape, nbytes: of the tensor.
        head: what stands in the file before the elements.
        size: of the file.
    """

    __slots__ = (
        *("_block", "_pool", "data", "dtype", "head", "measures", "nbytes", "path"),
        *("shape", "size", "uses", "wanted"),
    )

    def __init__(self, array: Array, pool: Pool, most: int | None = None, wanted: Sequence[str] = ()) -> None:
        self.dtype, self.shape, self.nbytes = dtype_name(array.dtype), array.shape, array.nbytes
        if most is not None and array.size > most:
            array = array.reshape(-1)[:most]
        kind = array.dtype if array.dtype.isbuiltin == 1 else np.dtype(np.float32)
        self.head = npy.header(kind, array.shape)
        size = array.size * kind.itemsize
        self._pool, self._block = pool, pool.take(size)
        self.data: Array | None = self._block[:size].view(kind)
        np.copyto(self.data.reshape(array.shape), array)
        self.size = len(self.head) + size
        self.path: str | None = None
        self.uses = 0
        self.wanted = wanted
        self.measures: dict[str, Any] | None = None

    def measure(self) -> dict[str, Any]:
        """The wanted measures."""
        if self.measures is None:
            assert self.data is not None
            self.measures = statistics.of(self.data, self.wanted)
        return self.measures

    def pieces(self) -> list[Any]:
        """What the file consists of."""
        assert self.data is not None
        return [self.head, self.data.view(np.uint8).data]

    def release(self) -> None:
        """Give the memory back, when what is wanted is known and written; nothing may use it any more."""
        if self.data is not None:
            if self.wanted:
                self.measure()
            self.data = None
            self._pool.give(self._block)
            del self._block


class Snapshots:
    """Makes snapshots; a tensor that has not changed since the last one gives the same.

    Args:
        most: elements that are saved of a tensor; None: all.
        wanted: the measures that will be asked for.
        shared: whether to keep them for that.
    """

    def __init__(self, most: int | None = None, wanted: Sequence[str] = (), shared: bool = True) -> None:
        self._most, self._wanted, self._shared = most, wanted, shared
        self._pool = Pool()
        self._known: dict[int, tuple[ReferenceType[Any], int, Snapshot]] = {}

    def take(self, tensor: Any) -> Snapshot:
        """The snapshot of a tensor."""
        if not self._shared:
            return Snapshot(tensor._a, self._pool, self._most, self._wanted)
        key, known = id(tensor), self._known
        found = known.get(key)
        if found is not None and found[1] == tensor._changes and found[0]() is tensor:
            return found[2]
        made = Snapshot(tensor._a, self._pool, self._most, self._wanted)
        known[key] = (ref(tensor, lambda _: known.pop(key, None)), tensor._changes, made)
        return made

    def forget(self) -> None:
        """Make new snapshots from now on: those of one iteration do not refer to another's files."""
        self._known.clear()
