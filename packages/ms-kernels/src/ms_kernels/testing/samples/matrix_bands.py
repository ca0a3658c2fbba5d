"""Cases of ms_kernels.ops.matrix_bands."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import REAL, Case, Maker

__all__ = ["CASES"]


def _part(x: Any, k: Any, padding: float = 0, align: str = "RIGHT_LEFT") -> Any:
    low, high = (k, k) if isinstance(k, int) else k
    found = [(d, np.diagonal(x, d, -2, -1)) for d in range(high, low - 1, -1)]
    longest = max(v.shape[-1] for _, v in found)
    rows = []
    for d, v in found:
        gap = longest - v.shape[-1]
        right = align.split("_")[d < 0] == "RIGHT"
        rows.append(np.pad(v, [(0, 0)] * (v.ndim - 1) + [(gap, 0) if right else (0, gap)], constant_values=padding))
    return rows[0] if low == high else np.stack(rows, -2)


def _set(x: Any, given: Any, k: Any = 0, align: str = "RIGHT_LEFT") -> Any:
    """Each diagonal of the result is the one given; everything else is untouched."""
    low, high = (k, k) if isinstance(k, int) else k
    out = x.copy()
    rows = given[..., None, :] if low == high else given
    for at, d in enumerate(range(high, low - 1, -1)):
        place = np.diagonal(out, d, -2, -1)
        place.flags.writeable = True
        size = place.shape[-1]
        right = align.split("_")[d < 0] == "RIGHT"
        place[...] = rows[..., at, rows.shape[-1] - size :] if right else rows[..., at, :size]
    return out


def _new(x: Any, k: Any = 0, rows: int = -1, columns: int = -1, padding: float = 0, align: str = "RIGHT_LEFT") -> Any:
    low, high = (k, k) if isinstance(k, int) else k
    side = max(x.shape[-1] - min(high, 0), x.shape[-1] + max(low, 0))
    shape = (side, side) if rows == columns == -1 else (rows, columns)
    batch = x.shape[:-1] if low == high else x.shape[:-2]
    return _set(np.full((*batch, *shape), padding, x.dtype), x, k, align)


def _bands(m: Maker) -> list[tuple[Any, ...]]:
    x = m(2, 3, 4)
    return [(x, 0, 0), (x, 1, 0), (x, (-1, 2), 7), (x, (-2, 1), 7, "LEFT_RIGHT"), (x, (-1, 1), 0, "LEFT_LEFT")]


CASES = {
    "matrix_diag": Case(_new, lambda m: [(m(2, 3),), (m(3), 1), (m(2, 3, 3), (-1, 1)), (m(3), -1, 4, 3, 5)], REAL),
    "matrix_diag_part": Case(_part, _bands, REAL),
    "matrix_set_diag": Case(
        _set,
        lambda m: [(m(3, 4), m(3)), (m(2, 3, 4), m(2, 3, 3), (0, 2)), (m(3, 3), m(3, 3), (-1, 1), "LEFT_RIGHT")],
        REAL,
    ),
}
