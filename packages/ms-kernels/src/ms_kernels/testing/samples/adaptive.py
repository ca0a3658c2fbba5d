"""Cases of ms_kernels.ops.adaptive."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from ms_kernels.testing.case import Case

__all__ = ["CASES"]

LEAD = (slice(None), slice(None))  # all of the batch and the channels


def windows_of(x: Any, size: Any, how: Any) -> Any:
    out = np.zeros((*x.shape[:2], *size))
    for at in itertools.product(*(range(s) for s in size)):
        cut = [slice(a * n // s, -(-(a + 1) * n // s)) for a, s, n in zip(at, size, x.shape[2:])]
        out[LEAD + tuple(at)] = how(x[LEAD + tuple(cut)], axis=tuple(range(2, x.ndim)))
    return out


def _adaptive_grad(dy: Any, shape: Any) -> Any:
    x = np.zeros(shape)
    for at in itertools.product(*(range(s) for s in dy.shape[2:])):
        cut = [slice(a * n // s, -(-(a + 1) * n // s)) for a, s, n in zip(at, dy.shape[2:], shape[2:])]
        count = math.prod(c.stop - c.start for c in cut)
        part = dy[LEAD + tuple(at)].reshape(*shape[:2], *[1] * len(cut))
        x[LEAD + tuple(cut)] += part / count
    return x


def places_of(x: Any, size: Any) -> Any:
    where = np.zeros((*x.shape[:2], *size), np.int64)
    flat = np.arange(math.prod(x.shape[2:])).reshape(x.shape[2:])
    for at in itertools.product(*(range(s) for s in size)):
        cut = tuple(slice(a * n // s, -(-(a + 1) * n // s)) for a, s, n in zip(at, size, x.shape[2:]))
        best = x[LEAD + tuple(cut)].reshape(*x.shape[:2], -1).argmax(-1)
        where[LEAD + tuple(at)] = flat[cut].reshape(-1)[best]
    return windows_of(x, size, np.max), where


CASES = {
    "adaptive_avg": Case(
        lambda x, size: windows_of(x, size, np.mean), lambda m: [(m(2, 3, 7, 5), (3, 2)), (m(2, 3, 7), (3,))]
    ),
    "adaptive_avg_grad": Case(_adaptive_grad, lambda m: [(m(2, 3, 3, 2), (2, 3, 7, 5))]),
    "adaptive_avg_pool2d": Case(
        lambda x, size: windows_of(x, (3, x.shape[3]), np.mean), lambda m: [(m(2, 3, 7, 5), (3, None))]
    ),
    "adaptive_avg_pool1d": Case(lambda x, size: windows_of(x, (size,), np.mean), lambda m: [(m(2, 3, 7), 3)]),
    "adaptive_max": Case(places_of, lambda m: [(m.distinct(2, 3, 7, 5), (3, 2))]),
    "adaptive_max_pool2d": Case(
        lambda x, size, places=False: windows_of(x, size, np.max), lambda m: [(m.distinct(2, 3, 7, 5), (3, 2))]
    ),
    "adaptive_max_pool1d": Case(lambda x, size: windows_of(x, (size,), np.max), lambda m: [(m.distinct(2, 3, 7), 3)]),
}
