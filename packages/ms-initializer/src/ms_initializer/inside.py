"""2.6's names from inside `mindspore.common.initializer` that programs reach for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ms_initializer.base import Array, aliases, assign, numpy_seed, register
from ms_initializer.fans import calculate_correct_fan, calculate_fan_in_and_fan_out, calculate_gain
from ms_kernels.random import initial

_INITIALIZER_ALIAS = aliases
_calculate_correct_fan = calculate_correct_fan
_calculate_fan_in_and_fan_out = calculate_fan_in_and_fan_out
_calculate_gain = calculate_gain
_numpy_seed = numpy_seed
_register = register


def _calculate_in_and_out(arr: Array) -> tuple[int, int]:
    """Return the fans of an array."""
    return calculate_fan_in_and_fan_out(arr.shape)


def _assignment(arr: Array, num: Any) -> Array:
    """Write a number or an array into an array; returns it."""
    assign(arr, num)
    return arr


def _init_random_normal(mean: float, sigma: float, shape: Sequence[int]) -> Array:
    """Return a new float32 array of normal numbers."""
    out = np.empty(tuple(shape), np.float32)
    initial.normal(out, numpy_seed(), mean, sigma)
    return out


def _init_random_uniform(a: float, b: float, shape: Sequence[int]) -> Array:
    """Return a new float32 array of uniform numbers."""
    out = np.empty(tuple(shape), np.float32)
    initial.uniform(out, numpy_seed(), a, b)
    return out


def _init_truncated_normal(a: float, b: float, mean: float, sigma: float, shape: Sequence[int]) -> Array:
    """Return a new float32 array of normal numbers between a and b."""
    out = np.empty(tuple(shape), np.float32)
    initial.truncated_normal(out, numpy_seed(), a, b, mean, sigma)
    return out
