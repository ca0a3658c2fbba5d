"""Cases of ms_kernels.ops.distances."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import Case, Maker
from ms_kernels.testing.samples.norms import p_norm

__all__ = ["CASES"]

PLAIN = ("float32", "float64")
INF = float("inf")


def _cdist(x: Any, y: Any, p: float = 2.0) -> Any:
    return p_norm(x[..., :, None, :] - y[..., None, :, :], p, -1)


def _pdist(x: Any, p: float = 2.0) -> Any:
    first, second = np.triu_indices(len(x), 1)
    return p_norm(x[first] - x[second], p, -1)


def _renorm(x: Any, p: float, dim: int, limit: float) -> Any:
    rest = tuple(i for i in range(x.ndim) if i != dim)
    size = p_norm(x, p, rest, True)
    return x * np.where(size > limit, limit / size, 1)


def _points(m: Maker) -> list[tuple[Any, ...]]:
    return [(m(3, 4), m(2, 4), p) for p in (2.0, 1.0, 3.0, INF)] + [(m(2, 3, 4), m(2, 2, 4))]


CASES = {
    "cdist": Case(_cdist, _points, PLAIN),
    "pdist": Case(_pdist, lambda m: [(m(4, 3), p) for p in (2.0, 1.0, 3.0)], PLAIN),
    "dist": Case(
        lambda x, y, p=2: p_norm(x - y, p), lambda m: [(m(3, 4), m(3, 4)), (m(3, 4), m(4), 3), (m(3), m(3), 1)], PLAIN
    ),
    "renorm": Case(_renorm, lambda m: [(m.away(3, 4), 2, 0, 2.5), (m.away(2, 3, 2), 1, 1, 3.0)], PLAIN),
}
