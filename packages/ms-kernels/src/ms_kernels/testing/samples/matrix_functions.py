"""Cases of ms_kernels.ops.matrix_functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import Case, Maker
from ms_kernels.testing.samples.decompositions import ROUGH, regular

__all__ = ["CASES"]

PLAIN = ("float32", "float64")
APART = "the pivots are a tensor of integers: tested by itself"


def _exp(x: Any) -> Any:
    """Taylor's series of a small part, squared back."""
    y = x / 1024
    out = term = np.broadcast_to(np.eye(x.shape[-1]), x.shape)
    for k in range(1, 25):
        term = term @ y / k
        out = out + term
    for _ in range(10):
        out = out @ out
    return out


def _geqrf(x: Any) -> Any:
    h, tau = np.linalg.qr(x, mode="raw")
    return h.T, tau


def _full(v: Any, tau: Any) -> Any:
    m = len(v)
    q = np.eye(m)
    for i, factor in enumerate(tau):
        column = np.tril(v, -1)[:, i] + np.eye(m)[i]
        q = q @ (np.eye(m) - factor * np.outer(column, column))
    return q


def _ormqr(v: Any, tau: Any, c: Any, left: bool = True, transpose: bool = False) -> Any:
    q = _full(v, tau).T if transpose else _full(v, tau)
    return q @ c if left else c @ q


def _squares(m: Maker) -> list[tuple[Any, ...]]:
    return [(regular(m, 3, 3),), (m(3, 3),), (m(2, 2, 2) * 4,)]


CASES = {
    "matrix_power": Case(
        lambda x, n: np.linalg.matrix_power(x, n),
        lambda m: [(regular(m, 3, 3), n) for n in (3, 1, 0, -2)],
        PLAIN,
        tolerance=ROUGH,
    ),
    "matrix_exp": Case(_exp, _squares, PLAIN, tolerance={"float32": (1e-3, 1e-3), "float64": (1e-9, 1e-9)}),
    "cond": Case(
        lambda x, p=None: np.linalg.cond(x, p),
        lambda m: [(regular(m, 3, 3), p) for p in (None, 1, "fro", -2)],
        PLAIN,
        tolerance=ROUGH,
    ),
    "lu_solve": Case(lambda b, a, p: b, lambda m: [], PLAIN, 0, note=APART),
    "lu_unpack": Case(lambda a, p: a, lambda m: [], PLAIN, 0, note=APART),
    "geqrf": Case(_geqrf, lambda m: [(regular(m, 3, 2),), (regular(m, 3, 3),)], PLAIN, 0, tolerance=ROUGH),
    "orgqr": Case(lambda v, tau: _full(v, tau)[:, : v.shape[1]], lambda m: [(m(3, 2), m(2))], PLAIN, tolerance=ROUGH),
    "ormqr": Case(
        _ormqr,
        lambda m: [(m(3, 2), m(2), m(3, 4), True, t) for t in (False, True)] + [(m(3, 2), m(2), m(4, 3), False, True)],
        PLAIN,
        tolerance=ROUGH,
    ),
}
