"""Cases of ms_kernels.ops.resize."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, Case

__all__ = ["CASES"]


def _at(i: int, old: int, new: int, align: bool) -> float:
    if align:
        return i * (old - 1) / (new - 1) if new > 1 else 0.0
    return (i + 0.5) * old / new - 0.5


def _one(row: Any, new: int, mode: str, align: bool) -> Any:
    """One row in another size, pixel by pixel from the definition of the mode."""
    old, out = len(row), []
    for i in range(new):
        at = _at(i, old, new, align)
        if mode == "nearest":
            out.append(row[min(i * old // new, old - 1)])
        elif mode == "nearest-exact":
            out.append(row[min(int((i + 0.5) * old / new), old - 1)])
        elif mode == "area":
            out.append(np.mean(row[i * old // new : -(-(i + 1) * old // new)], 0))
        elif mode == "bicubic":
            a, low = (-0.75 if align else -0.5), int(np.floor(at))
            part, total, weight = round((at - low) * 1024) / 1024, 0.0, 0.0
            for k in range(-1, 3):
                d = abs(part - k)
                w = (a + 2) * d**3 - (a + 3) * d**2 + 1 if d <= 1 else a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a
                w = 0.0 if d >= 2 else w
                if align or 0 <= low + k < old:
                    total, weight = total + w * row[min(max(low + k, 0), old - 1)], weight + w
            out.append(total / (1.0 if align else weight))
        else:
            at = min(max(at, 0), old - 1)
            low = int(at)
            out.append(row[low] * (1 - (at - low)) + row[min(low + 1, old - 1)] * (at - low))
    return np.array(out)


def _interpolate(
    x: Any, size: Any = None, factor: Any = None, mode: str = "nearest", align: Any = None, *_rest: Any
) -> Any:
    n = x.ndim - 2
    if size is None:
        factor = (factor,) * n if not isinstance(factor, tuple) else factor
        size = [int(s * f) for s, f in zip(x.shape[2:], factor)]
    size = (size,) * n if isinstance(size, int) else size
    for i, new in enumerate(size):
        x = np.moveaxis(_one(np.moveaxis(x, i + 2, 0), new, mode, bool(align)), 0, i + 2)
    return x


LOOSE = {"float16": (8e-3, 8e-3), "bfloat16": (6e-2, 6e-2), "float32": (2e-5, 6e-6)}
CASES = {
    "resample": Case(
        lambda x, matrix, dim: np.moveaxis(np.moveaxis(x, dim, -1) @ matrix.T, -1, dim),
        lambda m: [(m(2, 3), np.array([[0.5, 0.25, 0], [1, 0, -1]]), 1), (m(2, 3), np.array([[1.0, 2.0]]), 0)],
        tolerance=LOOSE,
    ),
    "interpolate": Case(
        _interpolate,
        lambda m: [
            (m(1, 2, 3), 5),
            (m(1, 2, 3, 4), (2, 7)),
            (m(1, 1, 2, 3, 2), (3, 2, 4)),
            (m(1, 1, 4, 5), (2, 3), None, "nearest-exact"),
            (m(1, 2, 4), (7,), None, "linear"),
            (m(1, 2, 4), (3,), None, "linear", True),
            (m(1, 1, 3, 4), (5, 3), None, "bilinear"),
            (m(1, 1, 3, 4), None, (2.0, 3.0), "bilinear", False, True),
            (m(1, 1, 2, 3, 2), (3, 2, 4), None, "trilinear", True),
            (m(1, 1, 3, 4), (5, 7), None, "bicubic"),
            (m(1, 1, 3, 4), (5, 7), None, "bicubic", True),
            (m(1, 1, 5, 4), (2, 3), None, "area"),
            (m(1, 1, 2, 2), None, 2, "nearest", None, None, True),
        ],
        tolerance=LOOSE,
    ),
    "resize_nearest": Case(_interpolate, lambda m: [(m(1, 2, 3, 4), (2, 7)), (m(1, 1, 2, 2), 3)], FLOAT),
}
