"""Cases of ms_kernels.ops.decompositions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import Case, Maker

__all__ = ["CASES", "ROUGH", "regular"]

PLAIN = ("float32", "float64")
ROUGH = {"float32": (1e-4, 1e-4), "complex64": (1e-3, 1e-3)}


def _matrices(m: Maker) -> list[tuple[Any, ...]]:
    return [(regular(m, 3, 3),), (regular(m, 4, 2),), (regular(m, 2, 3, 2),)]


def regular(m: Maker, *shape: int) -> Any:
    """Matrices whose singular values are not near 0 and well apart."""
    rows, columns = shape[-2:]
    base = np.eye(rows, columns) * (np.arange(columns) * 1.5 + 2)
    return (m(*shape, low=-0.5, high=0.5).astype(np.result_type(m.np, np.float64)) + base).astype(m.np)


def _qr(x: Any, mode: Any = "reduced") -> Any:
    return tuple(np.linalg.qr(x, mode))


def _svd(x: Any, full: bool = False) -> Any:
    u, s, vh = np.linalg.svd(x, full_matrices=full)
    return s, u, vh.swapaxes(-1, -2)


def _eig(x: Any) -> Any:
    values, vectors = np.linalg.eig(x)
    order = np.argsort(values)
    return values[order], vectors[:, order]


def _symmetric(m: Maker) -> list[tuple[Any, ...]]:
    x = regular(m, 3, 3).astype(np.float64)
    return [((x + x.T).astype(m.np),)]


SIGNS = "factors are unique up to signs: those of LAPACK"
CASES = {
    "qr_parts": Case(
        _qr,
        lambda m: [(*a, "reduced") for a in [*_matrices(m), (regular(m, 2, 4),)]],
        PLAIN,
        2,
        tolerance=ROUGH,
        note=SIGNS,
    ),
    "qr": Case(_qr, _matrices, PLAIN, tolerance=ROUGH),
    "qr_some": Case(lambda x, some=True: _qr(x, "reduced" if some else "complete"), _matrices, PLAIN, tolerance=ROUGH),
    "qr_full": Case(lambda x, full=False: _qr(x, "complete" if full else "reduced"), _matrices, PLAIN, tolerance=ROUGH),
    "linalg_qr": Case(lambda x, mode="reduced": _qr(x, mode), _matrices, PLAIN, tolerance=ROUGH),
    "svd_parts": Case(_svd, lambda m: [(*a, False) for a in _matrices(m)], PLAIN, tolerance=ROUGH, note=SIGNS),
    "svd": Case(
        lambda x, full=False, uv=True: _svd(x, full) if uv else _svd(x)[0],
        lambda m: [*_matrices(m), (regular(m, 3, 2), False, False)],
        PLAIN,
        tolerance=ROUGH,
    ),
    "eig_parts": Case(_eig, _symmetric, PLAIN, 0, tolerance=ROUGH),
    "eig": Case(lambda x, vectors=True: _eig(x), _symmetric, PLAIN, 0, tolerance=ROUGH),
    "eigvals": Case(lambda x: _eig(x)[0], _symmetric, PLAIN, 0, tolerance=ROUGH),
    "pinv": Case(
        lambda x, *_rest: np.linalg.pinv(x), lambda m: [*_matrices(m), (regular(m, 2, 3),)], PLAIN, tolerance=ROUGH
    ),
}
