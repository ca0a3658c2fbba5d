"""Tensors as they are at a moment, in the bytes of their files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import ReferenceType, ref

import numpy as np
from numpy.typing import NDArray

from ms_dump import npy, statistics
from ms_dump.names import dtype_name

__all__ = ["Snapshot", "Snapshots"]


class Snapshot:
    """A copy of a tensor.

    Attributes:
        data: the bytes of its .npy file, until they are not needed any more.
        path: the file, once it is written; others of the same content become links to it.
        wanted: the names of measures that are asked for.
        measures: what `statistics.of` has found, once it has been asked for.
        dtype: its own type's name, "bfloat16" too, which the file holds as float32.
        shape, nbytes: of the tensor.
        size: of the file.
    """

    __slots__ = ("_kind", "_start", "data", "dtype", "measures", "nbytes", "path", "shape", "size", "wanted")

    def __init__(self, array: NDArray[Any], most: int | None = None, wanted: Sequence[str] = ()) -> None:
        self.dtype, self.shape, self.nbytes = dtype_name(array.dtype), array.shape, array.nbytes
        if most is not None and array.size > most:
            array = array.reshape(-1)[:most]
        if array.dtype.isbuiltin != 1:
            array = npy.plain(array)
        self._kind = array.dtype
        head = npy.header(array.dtype, array.shape)
        self._start = len(head)
        packed = array if array.flags.c_contiguous else np.ascontiguousarray(array)
        self.data: bytes | None = b"".join((head, packed.reshape(-1).view(np.uint8).data))
        self.size = len(self.data)
        self.path: str | None = None
        self.wanted = wanted
        self.measures: dict[str, Any] | None = None

    def measure(self) -> dict[str, Any]:
        """The wanted measures."""
        data = self.data  # another thread may drop it, but not before it has set the measures
        if self.measures is None:
            assert data is not None
            self.measures = statistics.of(np.frombuffer(data, self._kind, offset=self._start), self.wanted)
        return self.measures


class Snapshots:
    """Makes snapshots; a tensor that has not changed since the last one gives the same.

    Args:
        most: elements that are saved of a tensor; None: all.
        wanted: the measures that will be asked for.
        shared: whether to keep them for that.
    """

    def __init__(self, most: int | None = None, wanted: Sequence[str] = (), shared: bool = True) -> None:
        self._most, self._wanted, self._shared = most, wanted, shared
        self._known: dict[int, tuple[ReferenceType[Any], int, Snapshot]] = {}

    def take(self, tensor: Any) -> Snapshot:
        """The snapshot of a tensor."""
        if not self._shared:
            return Snapshot(tensor._a, self._most, self._wanted)
        key, known = id(tensor), self._known
        found = known.get(key)
        if found is not None and found[1] == tensor._changes and found[0]() is tensor:
            return found[2]
        made = Snapshot(tensor._a, self._most, self._wanted)
        known[key] = (ref(tensor, lambda _: known.pop(key, None)), tensor._changes, made)
        return made

    def forget(self) -> None:
        """Make new snapshots from now on: those of one iteration do not refer to another's files."""
        self._known.clear()
