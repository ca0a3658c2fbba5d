"""The report as it grows: rows for the file, and what is known of sites, cells and steps, within bounds."""

from __future__ import annotations

import json
import math
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import IO, Any

from ms_dump.drift.metrics import CLASSES, Comparison, grain, measure, worst
from ms_dump.drift.wire import Call
from ms_kernels.targets.ascend.report import METRICS

__all__ = ["Cell", "Curve", "Report", "Site"]

_SITES = 4000  # more places of a program than a page shows
_POINTS = 4096  # of a curve
_REMEMBERED = 100_000  # calls whose class is known, for those that use their results


@dataclass
class Counts:
    """What happened on the chip, in elements."""

    saturated: int = 0
    infinite: int = 0
    downcast: int = 0
    rounded: int = 0

    def add(self, call: Call, found: Comparison) -> None:
        self.saturated += call.saturated
        self.infinite += call.infinite
        self.downcast += call.downcast
        self.rounded += found.differing


@dataclass
class Site:
    """One place of the program, over all steps: its worst call."""

    name: str
    path: str
    backward: bool
    source: tuple[str, int]
    first: int
    calls: int = 0
    kind: int = -1
    scaled: float = -1.0
    metrics: dict[str, Any] = field(default_factory=dict)
    verdict: str = ""
    histogram: list[int] = field(default_factory=list)
    iteration: int = 0
    leaves: bool = False
    dtype: str = ""
    shape: tuple[int, ...] = ()
    rules: list[str] = field(default_factory=list)
    counts: Counts = field(default_factory=Counts)

    def add(self, call: Call, found: Comparison, leaves: bool) -> None:
        self.calls += 1
        self.leaves |= leaves
        self.counts.add(call, found)
        self.rules += [rule for rule in call.rules if rule not in self.rules]
        if (found.kind, found.scaled) > (self.kind, self.scaled):
            self.kind, self.scaled, self.metrics, self.verdict = found.kind, found.scaled, found.metrics, found.verdict
            self.histogram, self.iteration, self.dtype = found.histogram, call.iteration, found.dtype
            self.shape = call.outputs[0].shape if call.outputs else ()


@dataclass
class Cell:
    """All calls inside of one cell."""

    path: str
    calls: int = 0
    kind: int = 0
    scaled: float = 0.0
    max_abs: float = 0.0
    first: int | None = None
    counts: Counts = field(default_factory=Counts)

    def add(self, call: Call, found: Comparison, leaves: bool) -> None:
        self.calls += 1
        self.kind, self.scaled = max(self.kind, found.kind), max(self.scaled, found.scaled)
        error = found.metrics["MaxAbsErr"]
        self.max_abs = max(self.max_abs, error) if isinstance(error, float) else self.max_abs
        self.first = call.index if leaves and self.first is None else self.first
        self.counts.add(call, found)


class Curve:
    """Values over a growing index in a bounded number of points: each is the largest of its stretch.

    >>> curve = Curve(4)
    >>> for i in range(10):
    ...     curve.add(i, i % 5, 0)
    >>> curve.points
    [[3, 3, 0], [4, 4, 0], [9, 4, 0]]
    """

    def __init__(self, most: int = _POINTS) -> None:
        self._most, self._stride = most, 1
        self.points: list[list[Any]] = []

    def add(self, index: int, *values: Any) -> None:
        if self.points and index // self._stride == self.points[-1][0] // self._stride:
            self.points[-1] = max(self.points[-1], [index, *values], key=lambda point: point[1])
            return
        self.points.append([index, *values])
        if len(self.points) > self._most:
            self._stride *= 2
            merged: OrderedDict[int, list[Any]] = OrderedDict()
            for point in self.points:
                at = point[0] // self._stride
                merged[at] = max(merged.get(at, point), point, key=lambda point: point[1])
            self.points = list(merged.values())


class Report:
    """Takes pairs of calls one after another; memory does not grow with their number.

    Args:
        about: what stands at the head of the report.
        rows: a text file that gets the JSON report as it grows, or None.

    Attributes:
        first: for "drift" and "broken", the row of the first call whose result is of that class, and none of whose
            operands is.
        unpaired: calls that only one side made.
        losses: the last number of each forward run before its gradient: [iteration, ours, benchmark].
    """

    def __init__(self, about: dict[str, Any], rows: IO[str] | None = None) -> None:
        self.about = about
        self.calls = 0
        self.classes = [0] * len(CLASSES)
        self.counts = Counts()
        self.first: dict[str, dict[str, Any]] = {}
        self.unpaired = {"npu": 0, "bench": 0}
        self.sites: OrderedDict[Any, Site] = OrderedDict()
        self.cells: OrderedDict[str, Cell] = OrderedDict()
        self.errors = Curve()
        self.losses: list[list[Any]] = []
        self._known: OrderedDict[int, tuple[int, float]] = OrderedDict()
        self._loss: list[Any] | None = None
        self._rows = rows
        if rows is not None:
            rows.write('{"about": ' + json.dumps(about) + ',\n"ops": [')

    # -- what comes in ------------------------------------------------------------------------------------------------

    def add(self, npu: Call | None, bench: Call | None) -> None:
        """Take the next pair of calls, or a call that has no partner."""
        if npu is None or bench is None:
            self.unpaired["npu" if bench is None else "bench"] += 1
            if npu is not None:
                self._remember(npu, *self._inherited(npu))
            return
        self._follow_loss(npu, bench)
        inherited, coarsest = self._inherited(npu)
        found = worst([measure(ours, theirs, coarsest) for ours, theirs in zip(npu.outputs, bench.outputs)])
        if found is None:
            return
        self._remember(npu, found.kind, max(coarsest, *(grain(out.dtype) for out in npu.outputs)))
        leaves = found.kind > inherited and found.kind >= 2
        row = self._row(npu, found, inherited, leaves)
        if leaves and CLASSES[found.kind] not in self.first:
            self.first[CLASSES[found.kind]] = row
        if self._rows is not None:
            self._rows.write((",\n" if self.calls else "\n") + json.dumps(row))
        self.calls += 1
        self.classes[found.kind] += 1
        self.counts.add(npu, found)
        self.errors.add(npu.index, _bounded(found.scaled), found.kind, npu.kind, npu.path)
        self._site(npu).add(npu, found, leaves)
        for path in _above(npu.path):
            self.cells.setdefault(path, Cell(path)).add(npu, found, leaves)

    def _inherited(self, call: Call) -> tuple[int, float]:
        """The worst class and the coarsest type among a call's operands and what they were made of."""
        known = [self._known[index] for index in call.inputs if index in self._known]
        return max((kind for kind, _ in known), default=0), max([call.grain, *(unit for _, unit in known)])

    def _remember(self, call: Call, kind: int, unit: float) -> None:
        self._known[call.index] = (kind, unit)
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)

    def _site(self, call: Call) -> Site:
        key = (call.number, call.kind, call.path, call.backward)
        if key not in self.sites and len(self.sites) >= _SITES:
            key = (-1, call.kind, call.path, call.backward)
        if key not in self.sites:
            self.sites[key] = Site(call.kind, call.path, call.backward, call.source, call.index)
        return self.sites[key]

    def _follow_loss(self, npu: Call, bench: Call) -> None:
        """The last single number before a gradient begins is the loss."""
        if npu.backward and self._loss is not None:
            if len(self.losses) < 10 * _POINTS:
                self.losses.append(self._loss)
            self._loss = None
        elif not npu.backward and len(npu.outputs) == 1 and npu.outputs[0].size == 1:
            values = [float(side.outputs[0].reshape(-1)[0].real) for side in (npu, bench)]
            self._loss = [npu.iteration, *map(_number, values)]

    def _row(self, call: Call, found: Comparison, inherited: int, leaves: bool) -> dict[str, Any]:
        return {
            "index": call.index,
            "iteration": call.iteration,
            "op": call.kind,
            "cell": call.path,
            "direction": "backward" if call.backward else "forward",
            "source": list(call.source),
            "shape": [list(out.shape) for out in call.outputs],
            "dtype": [out.dtype.name for out in call.outputs],
            **{name: _json(found.metrics[name]) for name in METRICS},
            "Accuracy Reached or Not": found.verdict,
            "class": CLASSES[found.kind],
            "inherited": CLASSES[inherited],
            "leaves": leaves,
            "last places": _json(found.scaled),
            "saturated": call.saturated,
            "infinite": call.infinite,
            "downcast": call.downcast,
            "rounded": found.differing,
            "rules": call.rules,
        }

    # -- what goes out ------------------------------------------------------------------------------------------------

    @property
    def culprit(self) -> dict[str, Any] | None:
        """The row of the first call that broke, or else of the first that drifted."""
        return self.first.get("broken") or self.first.get("drift")

    def summary(self) -> dict[str, Any]:
        """All but the rows, for JSON."""
        return {
            "calls": self.calls,
            "classes": dict(zip(CLASSES, self.classes)),
            "counts": vars(self.counts),
            "first": self.first,
            "unpaired": self.unpaired,
            "losses": self.losses,
            "cells": [_plain(cell) for cell in self.cells.values()],
            "sites": [_plain(site) for site in self.sites.values()],
            "errors": self.errors.points,
        }

    def finish(self, **about: Any) -> None:
        """Write the rest of the JSON report."""
        self.about.update(about)
        if self._rows is not None:
            self._rows.write('\n],\n"summary": ' + json.dumps({**self.summary(), "ended": about}) + "}\n")
            self._rows.flush()


def _above(path: str) -> list[str]:
    """A path and those of the cells around it, without the "Default" that all have."""
    parts = path.split("/")
    return ["/".join(parts[:n]) for n in range(2, len(parts) + 1)]


def _bounded(value: float) -> float:
    return value if math.isfinite(value) else 1e30


def _number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)


def _json(value: Any) -> Any:
    """Numbers that JSON has; others as texts."""
    return _number(value) if isinstance(value, float) else value


def _plain(item: Site | Cell) -> dict[str, Any]:
    found = {key: _json(value) for key, value in vars(item).items()}
    found["counts"] = vars(item.counts)
    found["kind"] = CLASSES[max(item.kind, 0)]
    if isinstance(item, Site):
        found["metrics"] = {key: _json(value) for key, value in item.metrics.items()}
    return found
