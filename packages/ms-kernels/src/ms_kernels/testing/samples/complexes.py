"""Cases of ms_kernels.ops.complexes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import Case, Maker

__all__ = ["CASES"]

PLAIN = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
NUMBER = (*PLAIN, *COMPLEX)
NOT_REAL = "gradients of complex results are tested by themselves"
A_BOOL = "gives a Python bool: tested by itself"


def _one(m: Maker) -> list[tuple[Any, ...]]:
    return [(m(3, 4),), (m(),), (m(0, 2),)]


def _two(m: Maker) -> list[tuple[Any, ...]]:
    return [(m(3, 4), m(3, 4)), (m(3, 1), m(4))]


CASES = {
    "real": Case(np.real, _one, NUMBER, 0, note=NOT_REAL),
    "imag": Case(np.imag, _one, NUMBER, 0, note=NOT_REAL),
    "complex": Case(lambda x, y: x + 1j * y, _two, PLAIN, 0, note=NOT_REAL),
    "angle": Case(np.angle, _one, COMPLEX, 0, note=NOT_REAL),
    "polar": Case(lambda r, a: r * np.exp(1j * a), _two, PLAIN, 0, note=NOT_REAL),
    "view_as_real": Case(lambda z: np.stack([z.real, z.imag], -1), _one, COMPLEX, 0, note=NOT_REAL),
    "adjoint": Case(lambda x: np.conj(x.swapaxes(-1, -2)), lambda m: [(m(3, 4),), (m(2, 3, 4),)], NUMBER),
    "conjugate_transpose": Case(
        lambda x, order: np.conj(x.transpose(order)), lambda m: [(m(2, 3, 4), (2, 0, 1))], NUMBER
    ),
    "complex_abs": Case(np.abs, _one, COMPLEX, 0, note=NOT_REAL),
    **{
        name: Case(lambda x: x, lambda m: [], PLAIN, 0, note=A_BOOL)
        for name in ("is_complex", "is_floating_point", "is_tensor", "is_nonzero")
    },
}
