"""Cases of ms_kernels.ops.sampling."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ms_kernels.testing.case import Case, Maker

__all__ = ["CASES"]


def _inside(at: float, size: int, padding: str, align: bool) -> float:
    if padding == "reflection":
        low, high = (0.0, size - 1.0) if align else (-0.5, size - 0.5)
        while not low <= at <= high:
            at = 2 * low - at if at < low else 2 * high - at
    return at if padding == "zeros" else min(max(at, 0.0), size - 1.0)


def _grid_sample(x: Any, grid: Any, mode: str = "bilinear", padding: str = "zeros", align: Any = False) -> Any:
    """Pixel by pixel."""
    n, space = x.ndim - 2, x.shape[2:]
    out = np.zeros((x.shape[0], x.shape[1], *grid.shape[1:-1]))
    for place in np.ndindex(grid.shape[:-1]):
        ats = []
        for size, g in zip(space, grid[place][::-1]):
            at = (g + 1) * (size - 1) / 2 if align else ((g + 1) * size - 1) / 2
            ats.append(_inside(at, size, padding, bool(align)))
        total = np.zeros(x.shape[1])
        for corner in itertools.product((0, 1), repeat=n):
            spot = [int(np.floor(a)) + c for a, c in zip(ats, corner)]
            weight: Any = np.prod([1 - abs(a - s) for a, s in zip(ats, spot)])
            if mode == "nearest":
                weight = float(spot == [round(a) for a in ats])
            if all(0 <= s < size for s, size in zip(spot, space)):
                total += weight * x[(place[0], slice(None)) + tuple(spot)]
        out[(place[0], slice(None)) + place[1:]] = total
    return out


def _affine(theta: Any, size: Any, align: bool = False) -> Any:
    out = np.zeros((size[0], *size[2:], len(size) - 2))
    for place in np.ndindex(out.shape[:-1]):
        ats = []
        for i, n in zip(place[1:], size[2:]):
            ats.append((2 * i / (n - 1) - 1 if n > 1 else 0.0) if align else (2 * i + 1) / n - 1)
        out[place] = theta[place[0]] @ np.array([*ats[::-1], 1.0])
    return out


def _grid(m: Maker, shape: tuple[int, ...], space: tuple[int, ...], align: bool, beyond: int = 0) -> Any:
    """A grid whose places keep away from pixels and from the middle between them, where its gradient jumps."""
    ats = [m.rng.integers(-beyond, n - 1 + beyond, shape) + m.rng.uniform(0.6, 0.9, shape) for n in space]
    parts = [2 * at / (n - 1) - 1 if align else (2 * at + 1) / n - 1 for at, n in zip(ats, space)]
    return np.stack(parts[::-1], -1).astype(m.np)


def _images(m: Maker) -> list[tuple[Any, ...]]:
    modes = [
        ("bilinear", "zeros", False, 0),
        ("bilinear", "zeros", True, 1),
        ("bilinear", "border", False, 1),
        ("bilinear", "reflection", False, 2),
        ("bilinear", "reflection", True, 2),
        ("nearest", "border", False, 1),
    ]
    flat = [
        (m(2, 2, 3, 4), _grid(m, (2, 2, 3), (3, 4), align, far), mode, pad, align) for mode, pad, align, far in modes
    ]
    return [*flat, (m(1, 2, 2, 3, 2), _grid(m, (1, 2, 1, 2), (2, 3, 2), False))]


CASES = {
    "grid_sample": Case(
        _grid_sample,
        _images,
        ("float32", "float64"),
        tolerance={"float32": (2e-4, 2e-5)},
    ),
    "affine_grid": Case(
        _affine,
        lambda m: [(m(2, 2, 3), (2, 1, 3, 4)), (m(1, 2, 3), (1, 3, 2, 1), True), (m(1, 3, 4), (1, 1, 2, 3, 2))],
        ("float32", "float64"),
    ),
}
