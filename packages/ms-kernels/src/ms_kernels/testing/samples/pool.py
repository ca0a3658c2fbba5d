"""Cases of ms_kernels.ops.pool."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, Case, Maker

__all__ = ["CASES", "max_windows", "mean_windows"]

ONE = (1, 1, 1)

LEAD = (slice(None), slice(None))  # all of the batch and the channels


def _count(size: int, kernel: int, stride: int, before: int, after: int, dilation: int, ceil: bool) -> int:
    room = size + before + after - dilation * (kernel - 1) - 1
    n = (math.ceil(room / stride) if ceil else room // stride) + 1
    return n - 1 if ceil and (n - 1) * stride >= size + before else n


def _windows(x: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil: bool) -> Any:
    """For each place of the result: its index, and the input places of its window that are not padding."""
    n = len(kernel)
    sizes = [
        _count(x.shape[i + 2], kernel[i], stride[i], padding[2 * i], padding[2 * i + 1], dilation[i], ceil)
        for i in range(n)
    ]
    for at in itertools.product(*(range(s) for s in sizes)):
        axes = [
            [
                p
                for t in range(kernel[i])
                if 0 <= (p := at[i] * stride[i] - padding[2 * i] + t * dilation[i]) < x.shape[i + 2]
            ]
            for i in range(n)
        ]
        starts = [at[i] * stride[i] - padding[2 * i] for i in range(n)]
        full = math.prod(min(starts[i] + kernel[i], x.shape[i + 2] + padding[2 * i + 1]) - starts[i] for i in range(n))
        yield sizes, at, axes, full


def max_windows(
    x: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil: bool = False, index: Any = None
) -> Any:
    out: Any = None
    flat = np.arange(math.prod(x.shape[2:])).reshape(x.shape[2:])
    for sizes, at, axes, _ in _windows(x, kernel, stride, padding, dilation, ceil):
        if out is None:
            out, where = np.zeros((*x.shape[:2], *sizes)), np.zeros((*x.shape[:2], *sizes), np.int64)
        grid = np.ix_(*axes)
        part = x[LEAD + tuple(grid)].reshape(*x.shape[:2], -1)
        best = part.argmax(-1)
        out[LEAD + tuple(at)] = part.max(-1)
        where[LEAD + tuple(at)] = flat[grid].reshape(-1)[best]
    return out, where


def mean_windows(
    x: Any, kernel: Any, stride: Any, padding: Any, ceil: bool = False, count: bool = True, divisor: Any = None
) -> Any:
    out: Any = None
    for sizes, at, axes, full in _windows(x, kernel, stride, padding, ONE, ceil):
        if out is None:
            out = np.zeros((*x.shape[:2], *sizes))
        part = x[LEAD + tuple(np.ix_(*axes))].reshape(*x.shape[:2], -1)
        out[LEAD + tuple(at)] = part.sum(-1) / (divisor or (full if count else part.shape[-1]))
    return out


def _mean_grad(
    dy: Any,
    shape: Any,
    kernel: Any,
    stride: Any,
    padding: Any,
    ceil: bool = False,
    count: bool = True,
    divisor: Any = None,
) -> Any:
    x = np.zeros(shape)
    for _, at, axes, full in _windows(x, kernel, stride, padding, ONE, ceil):
        n = divisor or (full if count else math.prod(len(a) for a in axes))
        part = dy[LEAD + tuple(at)]
        x[LEAD + tuple(np.ix_(*axes))] += part.reshape(*shape[:2], *[1] * len(kernel)) / n
    return x


def _scatter(dy: Any, places: Any, shape: Any) -> Any:
    x = np.zeros((*shape[:2], math.prod(shape[2:])))
    for i, j in itertools.product(range(shape[0]), range(shape[1])):
        np.add.at(x[i, j], places[i, j].reshape(-1), dy[i, j].reshape(-1))
    return x.reshape(shape)


def _max_inputs(m: Maker) -> list[tuple[Any, ...]]:
    return [
        (m.distinct(2, 3, 6, 5), (2, 2), (2, 2), (0, 0, 0, 0), (1, 1)),
        (m.distinct(1, 2, 7, 6), (3, 2), (2, 1), (1, 1, 0, 0), (1, 2), True),
        (m.distinct(2, 2, 9), (3,), (2,), (1, 1), (1,)),
    ]


def _mean_inputs(m: Maker) -> list[tuple[Any, ...]]:
    return [
        (m(2, 3, 6, 5), (2, 2), (2, 2), (0, 0, 0, 0)),
        (m(1, 2, 7, 6), (3, 2), (2, 1), (1, 1, 0, 0), True, False),
        (m(1, 2, 5, 5), (3, 3), (2, 2), (1, 1, 1, 1), False, True, 4),
        (m(2, 2, 9), (3,), (2,), (1, 1)),
    ]


def _grads(m: Maker) -> list[tuple[Any, ...]]:
    return [(m(*mean_windows(x.astype(np.float64), *rest).shape), x.shape, *rest) for x, *rest in _mean_inputs(m)]


def _place_grads(m: Maker) -> list[tuple[Any, ...]]:
    return [(m(2, 3, 2, 2), m.ints(2, 3, 2, 2, high=20), (2, 3, 4, 5))]


CASES = {
    "max_pool": Case(max_windows, _max_inputs, FLOAT, tolerance={"bfloat16": (0, 0), "float16": (0, 0)}),
    "max_pool_grad": Case(_scatter, _place_grads),
    "avg_pool": Case(mean_windows, _mean_inputs),
    "avg_pool_grad": Case(_mean_grad, _grads),
}
