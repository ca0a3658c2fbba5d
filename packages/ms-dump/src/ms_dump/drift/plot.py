"""The plots of the page, as SVG."""

from __future__ import annotations

import math
from typing import Any

from ms_dump.drift.metrics import CLASSES

__all__ = ["errors", "losses"]

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 1000, 300, 50, 270, 14


def errors(points: list[list[Any]], places: dict[int, int]) -> str:
    """The largest error of each call over its index, on a logarithmic scale; infinite ones at the top.

    Args:
        points: [index, error in last places, class, op, path].
        places: index of a call -> the row of its details.
    """
    if not points:
        return "<p>No calls were compared.</p>"
    last = max(point[0] for point in points) or 1
    known = [math.log10(error) for _, error, *_ in points if 0 < error < 1e29]
    low, high = math.floor(min([-2, *known])), math.ceil(max([3, *known])) + 1
    parts = [f'<svg id="errors" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="error along the program">']
    for line in range(low, high + 1, max(1, (high - low) // 8)):
        y = _y(line, low, high)
        label = "inf" if line == high else f"1e{line}"
        parts.append(f'<line class="axis" x1="{_LEFT}" x2="{_WIDTH}" y1="{y}" y2="{y}"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4}" text-anchor="end">{label}</text>')
    for i in range(5):
        x = _LEFT + (_WIDTH - _LEFT - 10) * i / 4
        parts.append(f'<text x="{x}" y="{_HEIGHT - 8}" text-anchor="middle">{last * i // 4}</text>')
    for index, error, kind, op, path in points:
        x = _LEFT + (_WIDTH - _LEFT - 10) * index / last
        power = math.log10(error) if 0 < error < 1e29 else low if error <= 0 else high
        site = f' data-site="{places[index]}"' if index in places else ""
        name = f"{index}: {op} in {path}".replace("&", "&amp;").replace("<", "&lt;")
        parts.append(
            f'<circle class="{CLASSES[kind]}" cx="{x:.1f}" cy="{_y(power, low, high)}" r="{2 + kind}"{site}>'
            f"<title>{name}</title></circle>"
        )
    parts.append("</svg>")
    return "".join(parts)


def _y(power: float, low: int, high: int) -> float:
    return round(_BOTTOM - (_BOTTOM - _TOP) * (max(power, low) - low) / (high - low), 1)


def losses(points: list[list[Any]]) -> str:
    """The losses of both sides over the steps; nothing without at least two."""
    known = [(i, side, value) for i, (_, *values) in enumerate(points) for side, value in enumerate(values)]
    known = [entry for entry in known if isinstance(entry[2], float)]
    if len(points) < 2 or not known:
        return ""
    low, high = min(value for *_, value in known), max(value for *_, value in known)
    span = high - low or 1.0
    lines = []
    for side, name in enumerate(("npu", "bench")):
        places = [
            f"{_LEFT + (_WIDTH - _LEFT - 10) * i / (len(points) - 1):.1f},"
            f"{_BOTTOM - (_BOTTOM - _TOP) * (value - low) / span:.1f}"
            for i, which, value in known
            if which == side
        ]
        lines.append(f'<polyline class="{name}" points="{" ".join(places)}"><title>{name}</title></polyline>')
    return (
        f'<h2>Loss</h2><p class="note">Red: the npu side; blue: the benchmark; {len(points)} steps.</p>'
        f'<svg id="losses" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="loss of both sides">'
        f'<text x="{_LEFT - 6}" y="{_TOP + 4}" text-anchor="end">{high:.3g}</text>'
        f'<text x="{_LEFT - 6}" y="{_BOTTOM + 4}" text-anchor="end">{low:.3g}</text>{"".join(lines)}</svg>'
    )
