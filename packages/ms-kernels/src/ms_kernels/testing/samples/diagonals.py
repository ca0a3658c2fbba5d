"""Cases of ms_kernels.ops.diagonals."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import ALL, REAL, Case, Maker

__all__ = ["CASES"]


def _back(x: Any, shape: Any, offset: int, dim1: int, dim2: int) -> Any:
    out = np.zeros(shape, x.dtype)
    place = np.diagonal(out, offset, dim1, dim2)
    place.flags.writeable = True
    place[...] = x
    return out


def _embed(x: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    flat = np.stack([np.diag(row, offset) for row in x.reshape(-1, x.shape[-1])])
    return np.moveaxis(flat.reshape((*x.shape[:-1], *flat.shape[1:])), (-2, -1), (dim1, dim2))


def _fill(x: Any, value: Any, wrap: bool = False) -> Any:
    out = x.copy()
    np.fill_diagonal(out, value, wrap)
    return out


def _band(x: Any, low: int, high: int) -> Any:
    out = x if low < 0 else np.triu(x, -low)
    return out if high < 0 else np.tril(out, high)


def _many(m: Maker) -> list[tuple[Any, ...]]:
    return [(m(3, 4),), (m(3, 4), 1), (m(2, 3, 4), -1, 2, 1), (m(3, 0), 0), (m(2, 3), 7)]


def _wide(x: Any) -> Any:
    return np.diag(x.reshape(-1)).reshape(x.shape * 2)


CASES = {
    "diagonal": Case(lambda x, o=0, a=0, b=1: np.diagonal(x, o, a, b), _many, ALL),
    "diagonal_back": Case(_back, lambda m: [(m(3), (3, 4), 0, 0, 1), (m(2, 2), (3, 2, 3), -1, 0, 2)], ALL),
    "diag_embed": Case(_embed, lambda m: [(m(3),), (m(2, 3), 1), (m(2, 3), -1, 0, 2)], ALL),
    "diagflat": Case(np.diagflat, lambda m: [(m(3),), (m(2, 2), 1)], ALL),
    "diag_any": Case(_wide, lambda m: [(m(3),), (m(2, 2),)], ALL),
    "diag_part": Case(
        lambda x: np.diagonal(x) if x.ndim == 2 else np.einsum("abab->ab", x),
        lambda m: [(m(3, 3),), (m(2, 3, 2, 3),)],
        ALL,
    ),
    "diag": Case(np.diag, lambda m: [(m(3),), (m(3), -1), (m(3, 4), 1), (m(3, 4),)], ALL),
    "trace": Case(np.trace, lambda m: [(m(3, 4),)], REAL, tolerance={"bfloat16": (3e-2, 5e-2)}),
    "trace_of": Case(
        lambda x, o=0, a=0, b=1, dtype=None: np.trace(x, o, a, b),
        lambda m: [(m(3, 4),), (m(2, 3, 4), 1, 1, 2)],
        REAL,
        tolerance={"bfloat16": (3e-2, 5e-2), "float16": (4e-3, 4e-3)},
    ),
    "fill_diagonal": Case(_fill, lambda m: [(m(3, 4), 2), (m(5, 2), 2), (m(5, 2), 2, True), (m(2, 2, 2), 2)], REAL),
    "matrix_band_part": Case(_band, lambda m: [(m(3, 4), 1, 0), (m(2, 3, 4), -1, 1), (m(3, 4), 0, -1)], REAL),
}
