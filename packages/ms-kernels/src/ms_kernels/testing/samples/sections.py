"""Cases of ms_kernels.ops.sections."""

from __future__ import annotations

import numpy as np

from ms_kernels.testing.case import Case
from ms_kernels.testing.samples.index import SOME

__all__ = ["CASES"]

CASES = {
    "narrow": Case(
        lambda x, d, s, n: np.take(x, range(s, s + n), d), lambda m: [(m(5, 2), 0, 1, 3), (m(2, 5), -1, 0, 5)], SOME
    ),
    "split": Case(
        lambda x, s, dim=0: np.split(x, range(s, x.shape[dim], s) if isinstance(s, int) else np.cumsum(s)[:-1], dim),
        lambda m: [(m(5, 2), 2), (m(2, 5), (1, 4), 1)],
        SOME,
    ),
    "chunk": Case(lambda x, n, dim=0: np.array_split(x, n, dim), lambda m: [(m(5, 2), 2), (m(2, 6), 3, -1)], SOME),
    "unbind": Case(lambda x, dim=0: list(np.moveaxis(x, dim, 0)), lambda m: [(m(3, 2),), (m(3, 2), 1)], SOME),
}
