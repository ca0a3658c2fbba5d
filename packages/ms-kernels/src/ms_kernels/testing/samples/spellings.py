"""Cases of ms_kernels.ops.spellings."""

from __future__ import annotations

import numpy as np

from ms_kernels.testing.case import FLOAT, INT, REAL, Case

__all__ = ["CASES"]

WIDE = {"bfloat16": (3e-2, 0.3), "float16": (4e-3, 0.05)}
CASES = {
    "t": Case(lambda x: x.T if x.ndim == 2 else x, lambda m: [(m(3, 4),), (m(3),), (m(2, 3, 4),)], REAL),
    "t_of_matrix": Case(lambda x: x.T, lambda m: [(m(3, 4),), (m(3),)], REAL),
    "addr": Case(
        lambda x, a, b, beta=1, alpha=1: beta * x + alpha * np.outer(a, b),
        lambda m: [(m(3, 4), m(3), m(4)), (m(4), m(3), m(4), 2, 3)],
        ("float32", "float64", "int32"),
    ),
    "ger": Case(np.outer, lambda m: [(m(3), m(4))], FLOAT),
    "inv": Case(lambda x: 1 / x, lambda m: [(m.away(3, 4),)], FLOAT),
    "invert": Case(np.invert, lambda m: [(m(3, 4),)], INT, 0),
    "subtract": Case(lambda x, y, alpha=1: x - alpha * y, lambda m: [(m(3, 4), m(4), 2)], FLOAT, tolerance=WIDE),
    "multiply": Case(np.multiply, lambda m: [(m(3, 4), m(4))], FLOAT),
    "pows": Case(np.power, lambda m: [(m.positive(3, 4), 3)], FLOAT),
}
