"""Cases of ms_kernels.ops.norms."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, Case, Maker

__all__ = ["CASES", "p_norm"]

PLAIN = ("float32", "float64")
INF = float("inf")


def _axes(dim: Any, ndim: int) -> tuple[int, ...]:
    return tuple(range(ndim)) if dim in (None, ()) else (dim,) if isinstance(dim, int) else tuple(dim)


def p_norm(x: Any, p: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """The p-norm by its definition."""
    over, size = _axes(dim, x.ndim), np.abs(x)
    if p == 0:
        return (size > 0).sum(axis=over, keepdims=keepdim)
    if abs(p) == INF:
        return (size.max if p > 0 else size.min)(axis=over, keepdims=keepdim)
    return (size**p).sum(axis=over, keepdims=keepdim) ** (1 / p)


def _matrix(x: Any, p: Any, dim: Any, keepdim: bool) -> Any:
    return np.linalg.norm(x, p, tuple(dim), keepdims=keepdim)


def _norm(x: Any, p: Any = None, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    if p is None:
        return p_norm(x, 2, dim, keepdim)
    return np.linalg.norm(x, p, dim, keepdims=keepdim)


def _of_order(x: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    if p == "nuc":
        total = np.linalg.svd(x, compute_uv=False).sum()
        return total.reshape(1, 1) if keepdim else total
    return p_norm(x, 2 if p == "fro" else p, dim, keepdim)


def _vectors(m: Maker) -> list[tuple[Any, ...]]:
    orders = (2.0, 1.0, 3.0, 0.5, -1.0, INF, -INF)
    x = m.distinct(2, 7)[:, :3] + m.np.type(0.125) if m.dtype in FLOAT else m.away(2, 3)
    return [(x, p, None, False) for p in orders] + [(x, 2.0, 1, True), (x, 3.0, 0, False)]


def _matrices(m: Maker) -> list[tuple[Any, ...]]:
    orders = ("fro", "nuc", 1, -1, 2, -2, INF, -INF)
    return [(m(3, 4), p) for p in orders] + [(m(2, 3, 4), "fro", (0, 2), True), (m(2, 3, 4), 1, (2, 1))]


CASES = {
    "p_norm": Case(p_norm, _vectors, FLOAT, tolerance={"bfloat16": (3e-2, 1e-2)}),
    "vector_norm": Case(
        lambda x, p=2, dim=None, keepdim=False, dtype=None: p_norm(x, p, dim, keepdim),
        lambda m: [(m(3, 4),), (m(3, 4), 3, 1, True), (m.away(3, 4), INF)],
        FLOAT,
    ),
    "matrix_norm": Case(
        lambda x, p="fro", dim=(-2, -1), keepdim=False, dtype=None: _matrix(x, p, dim, keepdim), _matrices, PLAIN
    ),
    "norm": Case(_norm, lambda m: [(m(3, 4),), (m(3, 4), 1), (m(5), 3), (m(3, 4), 2, 1, True)], PLAIN),
    "norm_of_order": Case(
        _of_order, lambda m: [(m(3, 4),), (m(3, 4), 1), (m(3, 4), "nuc"), (m(3, 4), 2, 1, True)], PLAIN
    ),
    "lp_norm": Case(
        lambda x, dim, p=2, keepdim=False: p_norm(x, p, dim, keepdim),
        lambda m: [(m(3, 4), 0), (m.away(3, 4), (0, 1), 1, True)],
        PLAIN,
    ),
    "euclidean_norm": Case(
        lambda x, dim, keepdim=False: p_norm(x, 2, tuple(dim._a.tolist()), keepdim),
        lambda m: [],
        PLAIN,
        0,
        note="the axes are a tensor: tested by itself",
    ),
    "nuclear_norm": Case(
        lambda x, dim=None, keepdim=False: np.linalg.norm(x, "nuc", dim or (0, 1), keepdims=keepdim),
        lambda m: [(m(3, 4),), (m(3, 4), (1, 0), True)],
        PLAIN,
    ),
}
