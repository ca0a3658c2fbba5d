"""The tree of files that MindSpore's own dump makes."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass, field
from typing import Any

import ms_fs
from ms_dump import names, statistics
from ms_dump.config import Config
from ms_dump.place import Scope
from ms_dump.snapshot import Snapshot
from ms_dump.writer import Writer
from ms_kernels.core.dispatch import ATTRIBUTE, Op

__all__ = ["Layout", "Record", "rank"]

_LINES, _BYTES = 64, 8 << 20  # of a table that are handed over at once


@dataclass
class Record:
    """One call to be written.

    Attributes:
        op, args: the call.
        kind, name: type and full name of the op.
        iteration, graph: the step that it belongs to, and the outermost cell.
        scope: where it was called.
        primitive: whether it was called as a Primitive.
        backward: whether it is part of a gradient.
        inputs, outputs: the snapshots of its tensors, by slot.
    """

    op: Op
    args: tuple[Any, ...]
    kind: str
    name: str
    iteration: int
    graph: int
    scope: Scope
    primitive: bool
    backward: bool
    inputs: list[tuple[int, Snapshot]] = field(default_factory=list)
    outputs: list[tuple[int, Snapshot]] = field(default_factory=list)

    def attributes(self) -> dict[str, str]:
        """What the call was given besides tensors."""
        given = zip(self.op.params, self.op.kinds, self.args)
        return {name: str(value) for name, kind, value in given if kind == ATTRIBUTE}


def rank() -> str:
    """The number of this process among those of a training, from the environment."""
    return os.environ.get("RANK_ID") or "0"


class Layout:
    """Writes ``{path}/rank_{rank}/{net_name}/{graph}/{iteration}/``: a file for each tensor, `statistic.csv`."""

    def __init__(self, config: Config, writer: Writer) -> None:
        self.config, self.writer = config, writer
        self.measures = config.statistic_category if config.statistics else ()
        self._base = ms_fs.join(ms_fs.join(config.path, f"rank_{rank()}"), config.net_name)
        self._folder: tuple[tuple[int, int], str] = ((-1, -1), "")
        self._last = 0
        self._headed: set[str] = set()
        self._table = ""
        self._lines: list[tuple[str, Snapshot]] = []

    def _now(self, count: int) -> int:
        """Microseconds, of which the next `count` are taken, too, so that no two files share a name."""
        now = max(self._last + 1, time.time_ns() // 1000)
        self._last = now + count
        return now

    def save(self, record: Record) -> None:
        """Hand the files of a call to the writer."""
        key = (record.graph, record.iteration)
        if self._folder[0] != key:
            graph = ms_fs.join(self._base, str(record.graph))
            self._folder = (key, ms_fs.join(graph, str(record.iteration)))
        folder = self._folder[1]
        lines, tensors = [], []
        now = self._now(len(record.inputs) + len(record.outputs))
        for side, taken in (("input", record.inputs), ("output", record.outputs)):
            for slot, snapshot in taken:
                now += 1
                if self.config.statistics:
                    lines.append((now, side, slot, snapshot))
                if self.config.tensors:
                    name = names.file_name(record.kind, record.name, now, side, slot, snapshot.dtype)
                    tensors.append((name, snapshot))
        if tensors:
            self.writer.put_all(folder, tensors)
        if lines:
            self._add_lines(folder, record, lines)
        if self.config.save_kernel_args:
            name = f"{record.kind}.{names.flat(record.name)}.json"
            self.writer.put(ms_fs.join(folder, name), [json.dumps(record.attributes(), indent=4).encode()])

    def _add_lines(self, folder: str, record: Record, taken: list[tuple[int, str, int, Snapshot]]) -> None:
        for now, side, slot, snapshot in taken:
            shape = ",".join(map(str, snapshot.shape))
            text = (
                f"{record.kind},{names.flat(record.name)},0,0,{now},{side},{slot},{snapshot.nbytes},{snapshot.dtype},"
                f'"({shape})",'
            )
            self._lines.append((text, snapshot))
        path = ms_fs.join(folder, "statistic.csv")
        if path != self._table:
            self._write_lines(self._lines[: -len(taken)])
            self._table, self._lines = path, self._lines[-len(taken) :]
        if len(self._lines) >= _LINES or sum(snapshot.size for _, snapshot in self._lines) >= _BYTES:
            self._write_lines(self._lines)
            self._lines = []

    def _write_lines(self, lines: list[tuple[str, Snapshot]]) -> None:
        """Hand lines of one table to the writer, which measures."""
        if not lines:
            return
        first = "" if self._table in self._headed else statistics.header(self.measures)
        self._headed.add(self._table)

        def text() -> list[bytes]:
            rows = [first]
            for fixed, snapshot in lines:
                whole = snapshot.dtype.startswith(("int", "uint", "bool"))
                rows.append(fixed + ",".join(statistics.row(snapshot.measure(), whole)) + "\n")
            return ["".join(rows).encode()]

        used = [snapshot for _, snapshot in lines]
        self.writer.put(self._table, text, append=True, size=sum(snapshot.size for snapshot in used), uses=used)

    def end_step(self) -> None:
        """Hand over what is still held."""
        self._write_lines(self._lines)
        self._lines = []
