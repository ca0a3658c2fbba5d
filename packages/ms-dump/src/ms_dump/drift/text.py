"""The report for a terminal."""

from __future__ import annotations

import os
from typing import Any

from ms_dump.drift.collect import Report
from ms_dump.drift.metrics import CLASSES

__all__ = ["summary"]

_WIDEST = 15  # lines of a table


def summary(report: Report) -> str:
    """What a person wants to know first, in a page of text.

    >>> print(summary(Report({"npu": "Ascend (ascend910)", "bench": "CPU"})))
    Ascend (ascend910) beside CPU: 0 calls compared
      equal 0   rounding 0   drift 0   broken 0
      No call leaves the class of its operands.
    """
    about, counts = report.about, report.counts
    lines = [f"{about['npu']} beside {about['bench']}: {report.calls} calls compared"]
    lines.append("  " + "   ".join(f"{name} {count}" for name, count in zip(CLASSES, report.classes)))
    happened = {name: count for name, count in vars(counts).items() if count}
    if happened:
        lines.append("  elements: " + ", ".join(f"{count:,} {name}" for name, count in happened.items()))
    if any(report.unpaired.values()):
        lines.append("  calls of one side only: " + ", ".join(f"{n} {name}" for name, n in report.unpaired.items()))
    lines += _culprit(report)
    lines += _cells(report)
    lines += _losses(report)
    for name, ended in about.get("ended", {}).items():
        if ended["exit"]:
            said = "\n    ".join(ended["output"].rstrip().splitlines()[-8:])
            lines.append(f"  The {name} side ended with exit code {ended['exit']}:\n    {said}")
    return "\n".join(lines)


def _culprit(report: Report) -> list[str]:
    row = report.culprit
    if row is None:
        return ["  No call leaves the class of its operands."]
    file, line = row["source"]
    what = {name: row[name] for name in ("saturated", "infinite", "downcast") if row[name]}
    lines = [
        f"  First {row['class']}: {row['op']} ({row['direction']}, call {row['index']}, step {row['iteration']}) in "
        f"{row['cell']}",
        f"    {os.path.relpath(file) if file else '?'}:{line}",
        f"    {row['dtype'][0]} {tuple(row['shape'][0])}: cosine {_short(row['Cosine'])}, max abs error "
        f"{_short(row['MaxAbsErr'])}, max relative error {_short(row['MaxRelativeErr'])}, accuracy reached: "
        f"{row['Accuracy Reached or Not']}",
    ]
    if what:
        lines.append("    " + ", ".join(f"{count} {name}" for name, count in what.items()))
    if row["rules"]:
        lines.append("    rules: " + " ".join(row["rules"]))
    return lines


def _cells(report: Report) -> list[str]:
    bad = [cell for cell in report.cells.values() if cell.kind >= 2]
    if not bad:
        return []
    lines = ["  Cells, in order of execution:"]
    for cell in bad[:_WIDEST]:
        counts = cell.counts
        lines.append(
            f"    {CLASSES[cell.kind]:8} max abs error {_short(cell.max_abs):>10}  saturated {counts.saturated:>6}  "
            f"infinite {counts.infinite:>6}  {cell.path}"
        )
    return lines + ([f"    ... and {len(bad) - _WIDEST} more"] if len(bad) > _WIDEST else [])


def _losses(report: Report) -> list[str]:
    if not report.losses:
        return []
    _, ours, theirs = report.losses[-1]
    return [f"  Loss of the last of {len(report.losses)} steps: {_short(ours)} beside {_short(theirs)}"]


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
