"""Cases of ms_kernels.ops.turns."""

from __future__ import annotations

import numpy as np

from ms_kernels.testing.case import ALL, Case
from ms_kernels.testing.samples.joins import SOME

__all__ = ["CASES"]

CASES = {
    "fliplr": Case(np.fliplr, lambda m: [(m(2, 3),), (m(2, 0),)], ALL),
    "flipud": Case(np.flipud, lambda m: [(m(3),), (m(2, 3),)], ALL),
    "rot90": Case(
        np.rot90, lambda m: [(m(2, 3, 2), k, plane) for k in (-1, 0, 1, 2, 7) for plane in ((0, 1), (-1, 0))], SOME
    ),
    "repeat_interleave": Case(
        lambda x, r, dim=None, size=None: np.repeat(x, r, dim),
        lambda m: [(m(2, 3), 2), (m(2, 3), [0, 2], 0), (m(2, 3), 3, -1, 9), (m(2, 2), np.array([1, 2]), 1), (m(0), 2)],
        ALL,
    ),
    "repeat_elements": Case(np.repeat, lambda m: [(m(2, 3), 2, 0), (m(2, 3), 1, -1)], SOME),
}
