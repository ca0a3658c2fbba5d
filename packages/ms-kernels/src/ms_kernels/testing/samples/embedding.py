"""Cases of ms_kernels.ops.embedding."""

from __future__ import annotations

import numpy as np

from ms_kernels.testing.case import Case

__all__ = ["CASES"]


CASES = {
    "embedding_rows": Case(
        lambda w, i, _padding, _freq: w[i], lambda m: [(m(4, 3), m.ints(2, 5, high=4), None, False)], wrt=(0,)
    ),
    "embedding": Case(
        lambda i, w, *_rest: w[i], lambda m: [(m.ints(2, 5, high=4), m(4, 3)), (m.ints(0, high=4), m(4, 3))]
    ),
    "one_hot_mint": Case(
        lambda i, size=-1: np.eye(max(size, i.max() + 1), dtype=np.int64)[i],
        lambda m: [(np.array([[0, 2], [1, 2]]),), (np.array([0, 2]), 5)],
        ("float32",),
        0,
    ),
}
