"""Cases of ms_kernels.ops.pooling."""

from __future__ import annotations

from typing import Any

from ms_kernels.testing.case import Case
from ms_kernels.testing.samples.pool import max_windows, mean_windows

__all__ = ["CASES"]


def _full(n: int, value: Any) -> Any:
    return value if isinstance(value, tuple) else (value,) * n


def _max_nd(n: int) -> Any:
    def oracle(x: Any, k: Any, s: Any = None, p: Any = 0, d: Any = 1, *flags: bool) -> Any:
        k = _full(n, k)
        pads = tuple(v for v in _full(n, p) for _ in range(2))
        return max_windows(x, k, k if s is None else _full(n, s), pads, _full(n, d))[0]

    return oracle


def _mean_nd(n: int) -> Any:
    def oracle(
        x: Any, k: Any = 1, s: Any = 1, p: Any = 0, ceil: bool = False, count: bool = True, divisor: Any = 0
    ) -> Any:
        pads = tuple(v for v in _full(n, p) for _ in range(2))
        return mean_windows(x, _full(n, k), _full(n, s), pads, ceil, count, divisor or None)

    return oracle


CASES = {
    "max_pool2d": Case(_max_nd(2), lambda m: [(m.distinct(2, 3, 6, 6), 2), (m.distinct(1, 2, 5, 5), 3, 2, 1)]),
    "max_pool3d": Case(_max_nd(3), lambda m: [(m.distinct(1, 2, 4, 4, 4), 2)]),
    "max_pool_mode": Case(
        lambda x, k, s, mode: _max_nd(2)(x, k, s), lambda m: [(m.distinct(2, 3, 6, 6), 2, 2, "valid")]
    ),
    "avg_pool1d": Case(_mean_nd(1), lambda m: [(m(2, 3, 6), 2, 2), (m(2, 3, 7), 3, 2, 1)]),
    "avg_pool2d": Case(_mean_nd(2), lambda m: [(m(2, 3, 6, 6), 2, 2), (m(1, 2, 5, 5), 3, 2, 1, True, False)]),
    "avg_pool3d": Case(_mean_nd(3), lambda m: [(m(1, 2, 4, 4, 4), 2, 2)]),
    "avg_pool_mode": Case(
        lambda x, k, s, mode: mean_windows(x, (k, k), (s, s), (0, 1, 0, 1), False, False),
        lambda m: [(m(2, 3, 5, 5), 2, 2, "same")],
    ),
}
