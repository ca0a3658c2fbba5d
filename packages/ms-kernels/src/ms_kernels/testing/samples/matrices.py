"""Cases of ms_kernels.ops.matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.testing.case import ALL, FLOAT, INT, Case
from ms_kernels.testing.samples.create import ONE

__all__ = ["CASES"]


def _hot(x: Any, depth: int, on: Any = 1, off: Any = 0, dim: int = -1) -> Any:
    out = np.where(x[..., None] == np.arange(depth), on, off)
    return np.moveaxis(out, -1, dim)


CASES = {
    "eye": Case(
        lambda n, m=None, dtype=None: np.eye(n, m), lambda m: [(3,), (2, 4), (0,), (2, 2, mstype.int32)], ONE, 0
    ),
    "one_hot": Case(
        _hot,
        lambda m: [(m.ints(2, 3, high=4), 3), (m.ints(4, low=-1, high=4), 4, 2.5, -1.0, 0), (m.ints(0, high=4), 2)],
        ("int32", "int64"),
        0,
    ),
    "tril": Case(np.tril, lambda m: [(m(3, 4),), (m(2, 3, 3), 1), (m(3, 3), -1)], ALL),
    "triu": Case(np.triu, lambda m: [(m(3, 4),), (m(2, 3, 3), 1), (m(3, 3), -1)], ALL),
    "meshgrid": Case(
        lambda ts, indexing="xy": [a.copy() for a in np.meshgrid(*ts, indexing=indexing)],
        lambda m: [],
        (*FLOAT, *INT),
        0,
        note="takes any number of tensors: tested by itself",
    ),
}
