"""Cases of ms_kernels.ops.solvers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import Case, Maker
from ms_kernels.testing.samples.decompositions import ROUGH, regular

__all__ = ["CASES"]

PLAIN = ("float32", "float64")
ALSO = (*PLAIN, "complex64", "complex128")


def _squares(m: Maker) -> list[tuple[Any, ...]]:
    return [(regular(m, 3, 3),), (regular(m, 2, 2, 2),)]


def _definite(m: Maker) -> Any:
    x = regular(m, 3, 3).astype(np.float64)
    return (x @ x.T).astype(m.np)


def _factor(m: Maker, upper: bool = False) -> Any:
    x = regular(m, 3, 3)
    return np.triu(x) if upper else np.tril(x)


def _solve(a: Any, b: Any, adjoint: bool = False) -> Any:
    return np.linalg.solve(np.conj(a.swapaxes(-1, -2)) if adjoint else a, b)


def _cholesky(x: Any, upper: bool = False) -> Any:
    out = np.linalg.cholesky((x + x.T) / 2)
    return out.T if upper else out


def _gram(f: Any, upper: bool) -> Any:
    return f.T @ f if upper else f @ f.T


def _triangular(b: Any, a: Any, upper: bool = True, transpose: bool = False, unit: bool = False) -> Any:
    t = np.triu(a) if upper else np.tril(a)
    if unit:
        t = t - np.diag(np.diag(t)) + np.eye(len(t))
    return np.linalg.solve(t.T if transpose else t, b), a


def _adjoint(a: Any, b: Any, lower: bool = True, adjoint: bool = False) -> Any:
    return _solve(np.tril(a) if lower else np.triu(a), b, adjoint)


CHOLESKY = "only the symmetric part of the input has a gradient"
CASES = {
    "inverse": Case(np.linalg.inv, _squares, ALSO, tolerance=ROUGH),
    "inverse_adjoint": Case(
        lambda x, adjoint=False: np.linalg.inv(np.conj(x.swapaxes(-1, -2)) if adjoint else x),
        lambda m: [(*a, True) for a in _squares(m)],
        PLAIN,
        tolerance=ROUGH,
    ),
    "det": Case(np.linalg.det, _squares, ALSO, tolerance=ROUGH),
    "slogdet": Case(lambda x: tuple(np.linalg.slogdet(x)), _squares, PLAIN, tolerance=ROUGH),
    "logdet": Case(lambda x: np.linalg.slogdet(x)[1], _squares, PLAIN, tolerance=ROUGH),
    "matrix_solve": Case(
        _solve,
        lambda m: [(regular(m, 3, 3), m(3, 2)), (regular(m, 2, 2, 2), m(2, 2, 1), True)],
        ALSO,
        tolerance=ROUGH,
    ),
    "cholesky_lower": Case(_cholesky, lambda m: [(_definite(m),)], PLAIN, 0, tolerance=ROUGH, note=CHOLESKY),
    "cholesky": Case(
        _cholesky, lambda m: [(_definite(m),), (_definite(m), True)], PLAIN, 0, tolerance=ROUGH, note=CHOLESKY
    ),
    "cholesky_inverse": Case(
        lambda f, upper=False: np.linalg.inv(_gram(f, upper)),
        lambda m: [(_factor(m),), (_factor(m, True), True)],
        PLAIN,
        tolerance=ROUGH,
    ),
    "cholesky_solve": Case(
        lambda b, f, upper=False: np.linalg.solve(_gram(f, upper), b),
        lambda m: [(m(3, 2), _factor(m)), (m(3, 2), _factor(m, True), True)],
        PLAIN,
        tolerance=ROUGH,
    ),
    "triangular_solve": Case(
        _triangular,
        lambda m: [(m(3, 2), regular(m, 3, 3), *f) for f in ((), (False,), (True, True), (False, False, True))],
        PLAIN,
        tolerance=ROUGH,
    ),
    "triangular_solve_adjoint": Case(
        _adjoint,
        lambda m: [(regular(m, 3, 3), m(3, 2), *f) for f in ((), (False,), (True, True))],
        PLAIN,
        tolerance=ROUGH,
    ),
    "lstsq": Case(
        lambda a, b: np.linalg.lstsq(a, b if b.ndim > 1 else b[:, None], rcond=None)[0],
        lambda m: [(regular(m, 4, 2), m(4, 2)), (regular(m, 3, 2), m(3)), (regular(m, 2, 3), m(2, 1))],
        PLAIN,
        tolerance=ROUGH,
    ),
}
