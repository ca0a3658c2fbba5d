"""Tensors as they are at a moment, in the bytes of their files."""

from __future__ import annotations

from typing import Any
from weakref import ReferenceType, ref

import numpy as np
from numpy.typing import NDArray

from ms_dump import npy
from ms_dump.names import dtype_name

__all__ = ["Snapshot", "Snapshots"]


class Snapshot:
    """A copy of a tensor.

    Attributes:
        data: the bytes of its .npy file.
        dtype: its own type's name, "bfloat16" too, which the file holds as float32.
        shape, nbytes: of the tensor.
    """

    __slots__ = ("__weakref__", "_kind", "_start", "data", "dtype", "nbytes", "shape")

    def __init__(self, array: NDArray[Any], most: int | None = None) -> None:
        self.dtype, self.shape, self.nbytes = dtype_name(array.dtype), array.shape, array.nbytes
        if most is not None and array.size > most:
            array = array.reshape(-1)[:most]
        array = np.ascontiguousarray(npy.plain(array)).reshape(array.shape)
        self._kind = array.dtype
        head = npy.header(array.dtype, array.shape)
        self._start = len(head)
        self.data = b"".join((head, array.reshape(-1).view(np.uint8).data))

    def array(self) -> NDArray[Any]:
        """The elements in one row, read only."""
        return np.frombuffer(self.data, self._kind, offset=self._start)

    def __len__(self) -> int:
        return len(self.data)


class Snapshots:
    """Makes snapshots; a tensor that has not changed since the last one, and which still waits, gives the same."""

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self._known: dict[int, tuple[ReferenceType[Any], int, ReferenceType[Snapshot]]] = {}

    def take(self, tensor: Any) -> Snapshot:
        """The snapshot of a tensor."""
        known = self._known.get(id(tensor))
        if known is not None:
            same, changes, held = known
            found = held()
            if found is not None and changes == tensor._changes and same() is tensor:
                return found
        made = Snapshot(tensor._a, self._most)
        if len(self._known) > 4096:
            self._known = {key: entry for key, entry in self._known.items() if entry[2]() is not None}
        self._known[id(tensor)] = (ref(tensor), tensor._changes, ref(made))
        return made
