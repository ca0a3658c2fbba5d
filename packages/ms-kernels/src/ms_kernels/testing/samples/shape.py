"""Cases of ms_kernels.ops.shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import ALL, Case

__all__ = ["CASES"]


def _flatten(x: Any, order: str = "C", start_dim: int = 1, end_dim: int = -1) -> Any:
    if order == "F":
        x = x.T
    if x.ndim < 2:
        return x.reshape(-1)
    last = end_dim % x.ndim
    return x.reshape(*x.shape[:start_dim], -1, *x.shape[last + 1 :])


def _broadcast(x: Any, shape: Any) -> Any:
    full = [x.shape[i - len(shape)] if n == -1 else n for i, n in enumerate(shape)]
    return np.broadcast_to(x, full)


CASES = {
    "reshape": Case(
        np.reshape, lambda m: [(m(2, 6), (3, -1)), (m(2, 6), (12,)), (m(), (1, 1)), (m(0, 3), (3, 0))], ALL
    ),
    "permute": Case(np.transpose, lambda m: [(m(2, 3, 4), (2, 0, 1)), (m(2, 3), None), (m(0, 2), (1, 0))], ALL),
    "swapaxes": Case(np.swapaxes, lambda m: [(m(2, 3, 4), 0, -1), (m(2, 3), 0, 0)], ALL),
    "moveaxis": Case(np.moveaxis, lambda m: [(m(2, 3, 4), 0, -1), (m(2, 3, 4), (0, 1), (1, 2))], ALL),
    "unsqueeze": Case(np.expand_dims, lambda m: [(m(2, 3), 0), (m(2, 3), -1), (m(), 0)], ALL),
    "squeeze": Case(
        lambda x, dim=None: np.squeeze(x, dim),
        lambda m: [(m(2, 1, 3, 1),), (m(2, 1, 3), 1), (m(1, 2, 1), (0, -1))],
        ALL,
    ),
    "squeeze_if_one": Case(lambda x, dim: np.squeeze(x, 1), lambda m: [(m(2, 1, 3), (0, 1))], ALL),
    "broadcast_to": Case(
        _broadcast, lambda m: [(m(3, 1), (2, 3, 4)), (m(3), (2, -1)), (m(), (2,)), (m(1, 0), (2, 0))], ALL
    ),
    "expand_as": Case(
        lambda x, y: x.reshape(y.shape) if x.size == y.size else np.broadcast_to(x, y.shape),
        lambda m: [(m(3, 1), m(3, 4)), (m(6), m(2, 3))],
        ALL,
        note="only the first operand has a gradient",
    ),
    "flatten": Case(_flatten, lambda m: [(m(2, 3, 4),), (m(2, 3, 4), "C", 0), (m(2, 3), "F", 0), (m(),)], ALL),
    "ravel": Case(np.ravel, lambda m: [(m(2, 3),), (m(),), (m(0, 2),)], ALL),
}
