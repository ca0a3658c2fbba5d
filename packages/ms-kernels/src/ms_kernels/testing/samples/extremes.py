"""Cases of ms_kernels.ops.extremes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ms_kernels.testing.case import REAL, Case, Maker
from ms_kernels.testing.samples.reduce import plain

__all__ = ["CASES"]


def _place(function: Any) -> Callable[..., Any]:
    return lambda x, dim=None, keepdim=False: function(x, axis=dim, keepdims=keepdim if dim is not None else False)


def _full(m: Maker) -> list[tuple[Any, ...]]:
    """Without empty tensors."""
    return [
        (m.distinct(3, 4),),
        (m.distinct(2, 3, 4), 1),
        (m.distinct(2, 3), (0, -1), True),
        (m.distinct(2, 3), -1, True),
    ]


def _places(m: Maker) -> list[tuple[Any, ...]]:
    return [(m.distinct(3, 4),), (m.distinct(2, 3, 4), 1), (m.distinct(2, 3), -1, True), (np.zeros((2, 3), m.np), 1)]


CASES = {
    "amax": Case(plain(np.max), _full, REAL),
    "amin": Case(plain(np.min), _full, REAL),
    "argmax": Case(_place(np.argmax), _places, REAL, 0),
    "argmin": Case(_place(np.argmin), _places, REAL, 0),
}
