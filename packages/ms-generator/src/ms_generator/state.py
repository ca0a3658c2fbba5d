"""The layout of a generator's state: 16 bytes, the int64 seed and the int64 offset, low byte first."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels import Tensor
from ms_kernels.opdef.errors import describe, fail

__all__ = ["pack", "unpack"]


def pack(seed: int, offset: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return the state's bytes.

    >>> pack(1, 2).tolist()
    [1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]
    """
    return np.array([seed, offset], "<i8").view(np.uint8)


def unpack(name: str, state: Any) -> tuple[int, int]:
    """Return (seed, offset) of a state tensor; `name` is the function that errors speak of."""
    if not isinstance(state, Tensor):
        fail(TypeError, name, "'state'", "be a Tensor", describe(state))
    if state.dtype != mstype.uint8:
        fail(TypeError, name, "dtype of 'state'", "be UInt8", str(state.dtype))
    if state.shape != (16,):
        fail(ValueError, name, "shape of 'state'", "be [16]", str(list(state.shape)))
    seed, offset = np.ascontiguousarray(state.asnumpy()).view("<i8").tolist()
    return seed, offset
