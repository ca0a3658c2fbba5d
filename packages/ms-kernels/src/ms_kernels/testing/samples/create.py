"""Cases of ms_kernels.ops.create."""

from __future__ import annotations

import numpy as np

import ms_dtype as mstype
from ms_kernels.testing.case import ALL, Case

__all__ = ["CASES", "ONE"]

ONE = ("float32",)  # ops without operands: the dtype is an argument


SIZES = [(3,), ((2, 3),), ((),), ((0, 2),), ((2,), mstype.int32), (2, mstype.bfloat16)]


CASES = {
    "zeros": Case(lambda size, dtype=None: np.zeros(size), lambda m: SIZES, ONE, 0),
    "ones": Case(lambda size, dtype=None: np.ones(size), lambda m: SIZES, ONE, 0),
    "zeros_like": Case(lambda x, dtype=None: np.zeros(x.shape), lambda m: [(m(2, 3),), (m(2), mstype.int8)], ALL, 0),
    "ones_like": Case(lambda x, dtype=None: np.ones(x.shape), lambda m: [(m(2, 3),), (m(2), mstype.int8)], ALL, 0),
    "full": Case(
        lambda size, v, dtype=None: np.full(size, v),
        lambda m: [((2, 3), 5), (2, 1.5), ((2,), True), ((), 2, mstype.float64)],
        ONE,
        0,
    ),
    "fill": Case(
        lambda dtype, size, v: np.full(size, v), lambda m: [(mstype.float32, (2, 3), 5), (mstype.int8, 2, 1)], ONE, 0
    ),
    "full_like": Case(
        lambda x, v, dtype=None: np.full(x.shape, v), lambda m: [(m(2, 3), 1), (m(2), 3, mstype.int32)], ALL[:-1], 0
    ),
    "arange": Case(
        lambda a=0, b=None, s=1, dtype=None: np.arange(a, b, s) if b is not None else np.arange(0, a, s),
        lambda m: [(5,), (1, 6, 2), (5, 0, -2), (0.5, 2.0, 0.25), (0, 0), (3, None, 1, mstype.float16)],
        ONE,
        0,
    ),
    "linspace": Case(
        lambda a, b, n, dtype=None: np.linspace(a, b, n),
        lambda m: [(1, 10, 4), (0.5, -1, 7), (1, 2, 1), (0, 1, 3, mstype.float64)],
        ONE,
        0,
    ),
}
