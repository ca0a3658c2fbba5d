"""The samplers of 2.6's initializers, bit for bit: arrays filled from one 64-bit seed.

Block i of the stream has the counter (i, seed) and the key seed.  The parameters are rounded to float, the arithmetic
is in double, and the result is rounded once.  `first` is the place of the array's first element in the stream, so
that a slice can be filled as it stands in the whole.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.random import philox
from ms_kernels.random.stream import system_seed

__all__ = ["normal", "truncated_normal", "uniform"]

FloatArray = np.ndarray[Any, np.dtype[np.float32]]


def _single(value: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def _seed(seed: int) -> int:
    return seed or system_seed() | 1  # 0 asks for a seed from the operating system


def uniform(out: FloatArray, seed: int, low: float, high: float, first: int = 0) -> None:
    """Fill a contiguous float32 array with numbers from [low, high)."""
    a, b, seed = _single(low), _single(high), _seed(seed)
    philox.fill("uniform64", out, seed, seed, first, b - a, a)


def normal(out: FloatArray, seed: int, mean: float, sigma: float, first: int = 0) -> None:
    """Fill a contiguous float32 array with normal numbers (Box-Muller).

    Raises:
        ValueError: `sigma` is negative.
    """
    if sigma < 0:
        raise ValueError(f"For 'normal', the 'sigma' must be 0 or more, but got {sigma}.")
    seed = _seed(seed)
    philox.fill("normal64", out, seed, seed, first, _single(mean), _single(sigma))


def truncated_normal(
    out: FloatArray, seed: int, low: float, high: float, mean: float, sigma: float, first: int = 0
) -> None:
    """Fill a contiguous float32 array with normal numbers between the absolute limits low and high.

    Raises:
        ValueError: `sigma` is negative.
        RuntimeError: `sigma` is 0, or so small that it is 0 as a float.
    """
    if sigma < 0:
        raise ValueError(f"For 'truncated_normal', the 'sigma' must be above 0, but got {sigma}.")
    if _single(sigma) == 0:
        raise RuntimeError(f"For 'truncated_normal', the 'sigma' must be above 0, but got {sigma}.")
    seed = _seed(seed)
    philox.fill_truncated(out, seed, seed, first, _single(low), _single(high), _single(mean), _single(sigma))
