"""Ops that jit level O1 makes parts of fused groups: a dump that keeps 2.6's limits leaves them out."""

from __future__ import annotations

from typing import Any
from weakref import ReferenceType, ref

from ms_dump.layout import Record

__all__ = ["Groups"]


class Groups:
    """Finds out which elementwise ops stand together: one whose result another one takes is in a group with it.

    A single one is held until it is known to be single, which is when its iteration ends or others take the place.

    Args:
        most: bytes of tensors that are held.
    """

    def __init__(self, most: int) -> None:
        self._most, self._held = most, 0
        self._made: dict[int, tuple[ReferenceType[Any], Record | None]] = {}

    def add(self, record: Record, operands: list[Any], outs: list[Any]) -> list[Record]:
        """Take the next call; returns those that are not part of any group, as far as that is known now."""
        if record.op.record.fuse != "elementwise":
            return [record]
        fused = False
        for tensor in operands:
            known = self._made.get(id(tensor))
            if known is not None and known[0]() is tensor:
                fused = True
                if known[1] is not None:
                    self._held -= _size(known[1])
                    self._made[id(tensor)] = (known[0], None)
        out = outs[0]
        _, before = self._made.get(id(out), (None, None))
        single = [] if before is None else [before]  # what it had made is gone, so that nothing can join it
        self._held -= sum(map(_size, single))
        self._made[id(out)] = (ref(out), None if fused else record)
        if not fused:
            self._held += _size(record)
            if self._held > self._most:
                single += self.end()
        return single

    def end(self) -> list[Record]:
        """The single ones that are held; what follows cannot join them any more."""
        found = [record for _, record in self._made.values() if record is not None]
        self._made.clear()
        self._held = 0
        return found


def _size(record: Record) -> int:
    return sum(snapshot.size for _, snapshot in [*record.inputs, *record.outputs])
