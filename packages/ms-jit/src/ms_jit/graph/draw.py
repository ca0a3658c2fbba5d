"""A graph as a picture (SVG), and graphs written to a folder as they are made."""

from __future__ import annotations

import itertools
import os
from html import escape
from pathlib import Path

from ms_jit.graph.ir import Graph
from ms_jit.graph.text import dot, kind, text

__all__ = ["save_graph", "svg"]

_WIDTH, _HEIGHT, _GAP = 150, 34, 26
_numbers = itertools.count()


class _Picture:
    """Rows of (key, label, shape), each row below those that it needs."""

    def __init__(self, graph: Graph) -> None:
        self.keys: dict[int, str] = {}
        depth: dict[str, int] = {}
        self.rows: list[list[tuple[str, str, str]]] = [[]]
        for prefix, values in (("in", graph.inputs), ("captured", graph.captured)):
            for i, value in enumerate(values):
                key = self.keys[id(value)] = f"{prefix} {i}"
                depth[key] = 0
                self.rows[0].append((key, f"{key}\n{kind(value)}", "oval"))
        for i, node in enumerate(graph.nodes):
            row = 1 + max((depth[self.keys[id(value)]] for value in node.operands), default=0)
            key = f"node {i}"
            depth[key] = row
            self.keys.update((id(out), key) for out in node.outs)
            while len(self.rows) <= row:
                self.rows.append([])
            self.rows[row].append((key, f"{node.op.name}\n{', '.join(kind(out) for out in node.outs)}", "box"))
        self.rows = [row for row in self.rows if row]


def svg(graph: Graph) -> str:
    """Return the graph as an SVG picture: inputs at the top, each node below what it needs, outputs in bold.

    >>> svg(Graph("f")).startswith("<svg ")
    True
    """
    picture = _Picture(graph)
    rows = picture.rows
    wide = max((len(row) for row in rows), default=1) * (_WIDTH + _GAP) + _GAP
    high = len(rows) * (_HEIGHT + 2 * _GAP) + _GAP
    places: dict[str, tuple[float, float]] = {}
    for level, row in enumerate(rows):
        for column, (key, _, _) in enumerate(row):
            places[key] = (wide / (len(row) + 1) * (column + 1), _GAP + _HEIGHT / 2 + level * (_HEIGHT + 2 * _GAP))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" '
        'font-family="monospace" font-size="11" text-anchor="middle">',
        f"<title>{escape(graph.name)}</title>",
    ]
    for i, node in enumerate(graph.nodes):
        x, y = places[f"node {i}"]
        for value in node.operands:
            a, b = places[picture.keys[id(value)]]
            parts.append(f'<path d="M{a:.0f} {b + _HEIGHT / 2:.0f} L{x:.0f} {y - _HEIGHT / 2:.0f}" stroke="#888"/>')
    leaving = {picture.keys[id(value)] for value in graph.outputs}
    for key, label, shape in itertools.chain.from_iterable(rows):
        x, y = places[key]
        round_, weight = (_HEIGHT / 2 if shape == "oval" else 3), (3 if key in leaving else 1)
        parts.append(
            f'<rect x="{x - _WIDTH / 2:.0f}" y="{y - _HEIGHT / 2:.0f}" width="{_WIDTH}" height="{_HEIGHT}" '
            f'rx="{round_:.0f}" fill="#fff" stroke="#333" stroke-width="{weight}"/>'
        )
        for line, part in enumerate(label.split("\n")):
            parts.append(f'<text x="{x:.0f}" y="{y - 3 + 13 * line:.0f}">{escape(part[:24])}</text>')
    return "\n".join([*parts, "</svg>"])


def save_graph(graph: Graph, stage: str) -> None:
    """Write a graph as text and as dot, when MS_DEV_SAVE_GRAPHS is 1, 2 or 3, under MS_DEV_SAVE_GRAPHS_PATH or here.

    1 writes what runs, 2 also what was captured, 3 also where each node comes from.
    """
    level = os.environ.get("MS_DEV_SAVE_GRAPHS", "0")
    if level not in ("1", "2", "3") or (stage == "captured" and level == "1"):
        return
    folder = Path(os.environ.get("MS_DEV_SAVE_GRAPHS_PATH", "."))
    folder.mkdir(parents=True, exist_ok=True)
    name = "".join(letter if letter.isalnum() else "_" for letter in graph.name)
    stem = folder / f"{next(_numbers):04d}_{name}_{stage}"
    stem.with_suffix(".ir").write_text(text(graph, sources=level == "3") + "\n", encoding="utf-8")
    stem.with_suffix(".dot").write_text(dot(graph) + "\n", encoding="utf-8")
