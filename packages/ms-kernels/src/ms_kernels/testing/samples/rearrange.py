"""Cases of ms_kernels.ops.rearrange."""

from __future__ import annotations

import numpy as np

from ms_kernels.testing.case import ALL, Case

__all__ = ["CASES"]

CASES = {
    "flip": Case(lambda x, dim: np.flip(x, dim), lambda m: [(m(2, 3), (0,)), (m(2, 3, 4), (0, -1)), (m(3), 0)], ALL),
    "roll": Case(lambda x, s, dim=None: np.roll(x, s, dim), lambda m: [(m(2, 3), 1), (m(2, 3), (1, -2), (0, 1))], ALL),
    "tile": Case(np.tile, lambda m: [(m(2, 3), (2, 1)), (m(3), (2, 2)), (m(2, 3), (2,)), (m(0, 2), (2, 2))], ALL),
    "concat": Case(
        lambda xs, dim=0: np.concatenate(xs, dim),
        lambda m: [([m(2, 3), m(1, 3)],), ([m(2, 3), m(2, 2), m(2, 0)], -1), ([m(2)],)],
        ALL,
    ),
    "stack": Case(
        lambda xs, dim=0: np.stack(xs, dim), lambda m: [([m(2, 3), m(2, 3)],), ([m(2), m(2), m(2)], -1)], ALL
    ),
}
