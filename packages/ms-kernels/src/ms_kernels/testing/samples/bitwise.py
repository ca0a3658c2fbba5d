"""Cases of ms_kernels.ops.bitwise."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import INT, Case, Maker
from ms_kernels.testing.samples.arithmetic import pairs

__all__ = ["CASES"]

BITS = (*INT, "bool_")


def _small(m: Maker) -> list[tuple[Any, ...]]:
    return [(m(3, 4), m.ints(3, 4, high=4, dtype=m.np)), (m(3, 1), m.ints(4, high=4, dtype=m.np))]


CASES = {
    "bitwise_and": Case(np.bitwise_and, pairs, BITS, 0),
    "bitwise_or": Case(np.bitwise_or, pairs, BITS, 0),
    "bitwise_xor": Case(np.bitwise_xor, pairs, BITS, 0),
    "bitwise_not": Case(np.invert, lambda m: [(m(3, 4),), (m(),)], BITS, 0),
    "bitwise_left_shift": Case(np.left_shift, _small, INT, 0),
    "bitwise_right_shift": Case(np.right_shift, _small, INT, 0),
}
