"""Cases of the family image_parts; tests/test_primitives.py compares it with recorded results, too."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, Case, Maker

__all__ = ["CASES"]

NO_RULE = "2.6 has no gradient for it"
LOOSE = {"float32": (1e-4, 1e-5), "float64": (1e-5, 1e-5)}


def _hat(x: float) -> float:
    return max(0.0, 1 - abs(x))


def _lanczos(x: float) -> float:
    return float(np.sinc(x) * np.sinc(x / 3)) if abs(x) < 3 else 0.0


def _row(row: Any, new: int, scale: float, shift: float, kernel: Any, antialias: bool) -> Any:
    wide, out = max(1 / scale, 1.0) if antialias else 1.0, []
    for i in range(new):
        at = (i + 0.5 - shift) / scale
        weights = np.array([kernel((j + 0.5 - at) / wide) for j in range(len(row))])
        out.append(weights @ row / weights.sum() if 0 <= at <= len(row) else 0.0)
    return np.array(out)


def _scaled(x: Any, size: Any, scale: Any, move: Any, kind: str = "lanczos3", antialias: bool = True) -> Any:
    kernel = _hat if kind == "triangle" else _lanczos
    for i in range(2):
        x = np.apply_along_axis(_row, 1 + i, x, size[i], scale[i], move[i], kernel, antialias)
    return x


def _glimpse(
    x: Any, size: Any, offsets: Any, centered: bool, normalized: bool, _uniform: bool = False, _noise: str = "zero"
) -> Any:
    out = np.zeros((len(x), *size, x.shape[3]))
    for place in np.ndindex(*out.shape[:3]):
        n, at = place[0], []
        for k in range(2):
            whole, offset = x.shape[1 + k], offsets[n, k]
            if centered:
                middle = (offset + 1) * whole / 2 if normalized else (offset + whole) / 2
            else:
                middle = offset * whole if normalized else offset
            at.append(int(middle - size[k] / 2) + place[1 + k])
        if all(0 <= p < x.shape[1 + k] for k, p in enumerate(at)):
            out[place] = x[n, at[0], at[1]]
    return out


def _share(a: Any, b: Any) -> float:
    shared = max(0, min(a[2], b[2]) - max(a[0], b[0])) * max(0, min(a[3], b[3]) - max(a[1], b[1]))
    return float(shared / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared))


def _combined(
    boxes: Any, scores: Any, most: Any, total: Any, limit: Any, least: Any, pad: bool = False, clip: bool = True
) -> Any:
    room = min(int(total), int(most) * scores.shape[2]) if pad else int(total)
    parts: list[Any] = [np.zeros((len(boxes), room, 4)), np.zeros((len(boxes), room)), np.zeros((len(boxes), room))]
    counts = np.zeros(len(boxes))
    for n, (rows, values) in enumerate(zip(boxes, scores)):
        found = []
        for kind in range(values.shape[1]):
            places = rows[:, kind % rows.shape[1]]
            kept: list[Any] = []
            for i in sorted(range(len(places)), key=lambda i: -values[i, kind]):
                if len(kept) < most and values[i, kind] > least and all(_share(places[i], b) <= limit for b in kept):
                    kept.append(places[i])
                    found.append((values[i, kind], kind, places[i]))
        found.sort(key=lambda row: -row[0])
        counts[n] = min(room, len(found))
        for at, (score, kind, box) in enumerate(found[:room]):
            parts[0][n, at] = np.clip(box, 0, 1) if clip else box
            parts[1][n, at], parts[2][n, at] = score, kind
    return (*parts, counts)


def _boxes(m: Maker, kinds: int) -> Any:
    low = m(2, 4, kinds, 2, low=-0.1, high=0.5)
    return np.concatenate([low, low + m(2, 4, kinds, 2, low=0.1, high=0.7)], -1).astype(np.float32)


def _limits(_m: Maker) -> tuple[Any, ...]:
    return np.array(2), np.array(5), np.array(0.3, np.float32), np.array(0.2, np.float32)


CASES = {
    "scale_and_translate": Case(
        _scaled,
        lambda m: [
            (m(1, 5, 4, 2), (4, 4), (1.5, 0.625), (0.0, 0.5)),
            (m(1, 4, 3, 1), (3, 6), (0.5, 2.0), (0.0, -0.25), "triangle", False),
        ],
        ("float32",),
        0,
        tolerance=LOOSE,
        note="the result is float32: the gradient of what it is made of is tested with resample",
    ),
    "extract_glimpse": Case(
        _glimpse,
        lambda m: [
            (m(2, 5, 4, 1), np.array([3, 2]), np.array(at, np.float32), centered, normalized, False, "zero")
            for centered, normalized, at in (
                (False, False, [[1, 1], [3, 3]]),
                (True, False, [[0, 0], [1, -1]]),
                (True, True, [[0, 0], [0.5, -0.5]]),
                (False, True, [[0.5, 0.5], [0.25, 1]]),
            )
        ],
        FLOAT,
        0,
        note=NO_RULE,
    ),
    "combined_non_max_suppression": Case(
        _combined,
        lambda m: [
            (_boxes(m, kinds), m(2, 4, 3, low=0, high=1), *_limits(m), *flags)
            for flags, kinds in (((), 1), ((True, False), 3))
        ],
        ("float32",),
        0,
        note=NO_RULE,
    ),
}
