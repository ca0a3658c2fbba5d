"""The report as one page that needs nothing else."""

from __future__ import annotations

import json
from html import escape
from importlib.resources import files
from typing import IO, Any

from ms_dump.drift.collect import Cell, Report, Site
from ms_dump.drift.metrics import BINS, CLASSES
from ms_dump.drift.plot import errors, losses
from ms_kernels.targets.ascend import RULES

__all__ = ["write_html"]

_SOURCE_LINES = 2  # shown around the line of a call


def write_html(report: Report, file: IO[str]) -> None:
    """Write the report as HTML: tables and plots, the data of the details as JSON, no links to anywhere.

    >>> import io
    >>> out = io.StringIO()
    >>> write_html(Report({"npu": "Ascend (ascend910)", "bench": "CPU"}), out)
    >>> "://" in out.getvalue()
    False
    """
    sites = list(report.sites.values())
    places = {site.first: number for number, site in enumerate(sites)}
    summary = report.summary()
    data = {
        "sites": summary["sites"],
        "bins": BINS,
        "ruleTexts": _rule_texts(sites),
        "sources": _sources(sites),
    }
    page = files("ms_dump.drift") / "page"
    parts = {
        "TITLE": escape(f"{report.about['npu']} beside {report.about['bench']}"),
        "STYLE": (page / "report.css").read_text(encoding="utf-8"),
        "HEAD": _head(report),
        "CULPRIT": _culprit(report, places),
        "ERRORS": errors(report.errors.points, places),
        "LOSSES": losses(report.losses),
        "CELLS": _table("cells", _CELLS, [_cell(cell) for cell in report.cells.values()]),
        "SITES": _table("sites", _SITES, [_site(number, site) for number, site in enumerate(sites)]),
        # "</" would end the script element
        "DATA": json.dumps(data, allow_nan=False).replace("</", "<\\/"),
        "SCRIPT": (page / "report.js").read_text(encoding="utf-8"),
    }
    first, *rest = (page / "report.html").read_text(encoding="utf-8").split("{{")
    file.write(first)
    for text in rest:
        name, _, after = text.partition("}}")
        file.write(parts[name] + after)


def _head(report: Report) -> str:
    about = report.about
    lines = [f'<p class="meta">{escape(str(about["program"]))}</p>'] if "program" in about else []
    tiles = [(f'<span class="tag {name}">{name}</span>', n) for name, n in zip(CLASSES, report.classes)]
    tiles += [(name, n) for name, n in vars(report.counts).items()]
    tiles += [(f"only on {name}", n) for name, n in report.unpaired.items() if n]
    lines.append('<ul class="tiles">' + "".join(f"<li><b>{n:,}</b> {name}</li>" for name, n in tiles) + "</ul>")
    for name, ended in about.get("ended", {}).items():
        if ended["exit"]:
            lines.append(f"<p>The {name} side ended with exit code {ended['exit']}:</p>")
            lines.append(f"<pre>{escape(ended['output'])}</pre>")
    return "\n".join(lines)


def _culprit(report: Report, places: dict[int, int]) -> str:
    row = report.culprit
    if row is None:
        return "<p>No call leaves the class of its operands.</p>"
    file, line = row["source"]
    site = places.get(row["index"])
    button = "" if site is None else f' <button data-site="{site}">details</button>'
    rules = " ".join(row["rules"])
    kind = row["class"]
    return (
        f'<p><span class="tag {kind}">first {kind}</span> <b>{escape(row["op"])}</b> ({row["direction"]}, '
        f"call {row['index']}, step {row['iteration']}) in <b>{escape(row['cell'])}</b>{button}</p>"
        f"<p>{escape(file)}:{line}. Max abs error {_short(row['MaxAbsErr'])}, cosine {_short(row['Cosine'])}; "
        f"{row['saturated']:,} elements saturated, {row['infinite']:,} infinite, {row['downcast']:,} downcast."
        + (f" Rules: {escape(rules)}." if rules else "")
        + "</p>"
    )


_CELLS = ("Cell", "Class", "Calls", "Last places", "Max abs error", "Saturated", "Infinite", "Downcast", "Rounded")
_SITES = (
    *(
        "#",
        "Op",
        "Direction",
        "Cell",
        "Class",
        "Leaves",
        "Calls",
        "Type",
        "Cosine",
        "Max abs",
        "Max rel",
        "0.001",
        "0.005",
    ),
    *("Reached", "Last places", "Saturated", "Infinite", "Downcast", "Rounded", "Rules"),
)


def _cell(cell: Cell) -> str:
    counts = cell.counts
    return "<tr>" + "".join(
        [
            f'<td class="path">{escape(cell.path)}</td>',
            _tag(cell.kind),
            *map(_number, (cell.calls, cell.scaled, cell.max_abs)),
            *map(_number, (counts.saturated, counts.infinite, counts.downcast, counts.rounded)),
            "</tr>",
        ]
    )


def _site(number: int, site: Site) -> str:
    counts, metrics = site.counts, list(site.metrics.values())
    cosine, _, most, relative, thousandth, five = metrics or [""] * 6
    return f'<tr tabindex="0" data-site="{number}" data-more="{escape(str(site.source[0]))}">' + "".join(
        [
            _number(site.first),
            f"<td>{escape(site.name)}</td><td>{'backward' if site.backward else 'forward'}</td>",
            f'<td class="path">{escape(site.path)}</td>',
            _tag(site.kind),
            f"<td>{'first' if site.leaves else ''}</td>",
            _number(site.calls),
            f"<td>{site.dtype} ({', '.join(map(str, site.shape))})</td>",
            *map(_number, (cosine, most, relative, thousandth, five)),
            f"<td>{site.verdict}</td>",
            *map(_number, (site.scaled, counts.saturated, counts.infinite, counts.downcast, counts.rounded)),
            f"<td>{' '.join(site.rules)}</td></tr>",
        ]
    )


def _table(name: str, heads: tuple[str, ...], rows: list[str]) -> str:
    top = "".join(f'<th scope="col"><button>{escape(head)}</button></th>' for head in heads)
    return f'<table id="{name}"><thead><tr>{top}</tr></thead><tbody>\n' + "\n".join(rows) + "\n</tbody></table>"


def _tag(kind: int) -> str:
    name = CLASSES[max(kind, 0)]
    return f'<td data-v="{kind}"><span class="tag {name}">{name}</span></td>'


def _number(value: Any) -> str:
    """A number's cell; what is no number sorts before all."""
    known = isinstance(value, (int, float))
    return f'<td class="n" data-v="{min(value, 1e300) if known else -1}">{_short(value)}</td>'


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _rule_texts(sites: list[Site]) -> dict[str, str]:
    named = {rule for site in sites for rule in site.rules}
    return {name: RULES[name].text for name in sorted(named) if name in RULES}


def _sources(sites: list[Site]) -> dict[str, list[str]]:
    """The lines around each call, where the files can still be read."""
    found: dict[str, list[str]] = {}
    read: dict[str, list[str]] = {}
    for name, line in (site.source for site in sites):
        if not name or f"{name}:{line}" in found:
            continue
        if name not in read:
            try:
                with open(name, encoding="utf-8", errors="replace") as file:
                    read[name] = file.read().splitlines()
            except OSError:
                read[name] = []
        first = max(0, line - 1 - _SOURCE_LINES)
        found[f"{name}:{line}"] = [
            f"{number:5} {text}" for number, text in enumerate(read[name][first : line + _SOURCE_LINES], first + 1)
        ]
    return found
