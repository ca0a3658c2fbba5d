"""Cases of ms_kernels.ops.pool_forms and ms_kernels.ops.unpool."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from ms_kernels.testing.case import Case, Maker
from ms_kernels.testing.samples.adaptive import places_of, windows_of
from ms_kernels.testing.samples.pool import max_windows, mean_windows

__all__ = ["CASES"]

ROUGH = {"float16": (2e-2, 5e-2), "bfloat16": (0.1, 0.3)}


def _power(n: int) -> Any:
    def oracle(x: Any, p: float, k: int, stride: int) -> Any:
        mean = mean_windows(x**p, (k,) * n, (stride,) * n, (0,) * (2 * n))
        return (mean * k**n) ** (1 / p)

    return oracle


def _undo(x: Any, places: Any, shape: Any) -> Any:
    out = np.zeros((*shape[:2], math.prod(shape[2:])))
    for i, j in itertools.product(range(shape[0]), range(shape[1])):
        out[i, j][places[i, j].ravel()] = x[i, j].ravel()
    return out.reshape(shape)


def _places(m: Maker, size: int, count: int) -> Any:
    """For six channels, different places each."""
    return np.stack([m.rng.permutation(size)[:count] for _ in range(6)])


def _undo_nd(n: int) -> Case:
    def oracle(x: Any, places: Any, k: int, stride: Any = None, padding: int = 0, size: Any = None) -> Any:
        full = size or tuple((s - 1) * (stride or k) - 2 * padding + k for s in x.shape[2:])
        return _undo(x, places, (*x.shape[:2], *full))

    def inputs(m: Maker) -> list[tuple[Any, ...]]:
        x = m(2, 3, *(2,) * n)
        places = _places(m, 4**n, 2**n).reshape(x.shape)
        return [(x, places, 2), (x, places, 2, 2, 0, (5,) * n), (x, places, 4, 2, 1)]

    return Case(oracle, inputs, wrt=(0,))


def _drawn_windows(x: Any, u: Any, kernel: Any, size: Any) -> Any:
    """Window i of n, along a dimension of length s, starts at floor((i + u) a) - floor(u a), a = (s - k) / (n - 1)."""
    n = len(kernel)
    out, where = np.zeros((*x.shape[:2], *size)), np.zeros((*x.shape[:2], *size), np.int64)
    flat = np.arange(math.prod(x.shape[2:])).reshape(x.shape[2:])
    for b, c, *at in np.ndindex(out.shape):
        cut = []
        for i in range(n):
            v, room = u[b, c, n - 1 - i if n == 2 else i], x.shape[i + 2] - kernel[i]
            a = room / (size[i] - 1) if size[i] > 1 else 0
            start = room if at[i] == size[i] - 1 else math.floor((at[i] + v) * a) - math.floor(v * a)
            cut.append(slice(start, start + kernel[i]))
        part = x[(b, c) + tuple(cut)]
        spot = (b, c) + tuple(at)
        out[spot], where[spot] = part.max(), flat[tuple(cut)].ravel()[part.argmax()]
    return out, where


def _fractional_nd(n: int) -> Case:
    def oracle(x: Any, k: int, size: int, ratio: Any, places: bool, u: Any) -> Any:
        return _drawn_windows(x, u._a.astype(np.float64), (k,) * n, (size,) * n)

    def inputs(m: Maker) -> list[tuple[Any, ...]]:
        from ms_kernels import Tensor

        u = Tensor(np.array([0.3, 0.9, 0.6, 0.2, 0.45, 0.75])[: 2 * n].reshape(1, 2, n).astype(np.float32))
        return [(m.distinct(1, 2, *(7 if n == 2 else 5,) * n), 2, 3, None, True, u)]

    return Case(oracle, inputs, results=1, wrt=(0,), tolerance={"float16": (0, 0), "bfloat16": (0, 0)})


def _max_case(n: int, *options: Any, pads: Any = None, steps: int = 2) -> Case:
    def oracle(x: Any, *_options: Any) -> Any:
        return max_windows(x, (2,) * n, (steps,) * n, pads or (0,) * (2 * n), (1,) * n)

    return Case(oracle, lambda m: [(m.distinct(1, 2, *(5 if n == 2 else 3,) * n), *options)], results=1)


CASES = {
    "adaptive_avg_pool3d": Case(
        lambda x, size: windows_of(x, (2, 3, x.shape[4]), np.mean), lambda m: [(m(1, 2, 4, 3, 2), (2, 3, None))]
    ),
    "adaptive_max_pool3d": Case(
        lambda x, size, places: places_of(x, size), lambda m: [(m.distinct(1, 2, 4, 3, 2), (2, 2, 1), True)], results=1
    ),
    "lp_pool1d": Case(
        _power(1), lambda m: [(m.positive(2, 3, 6), 2, 3, 2), (m.positive(1, 2, 5), 1.5, 2, 1)], tolerance=ROUGH
    ),
    "lp_pool2d": Case(_power(2), lambda m: [(m.positive(2, 3, 4, 4), 3, 2, 2)], tolerance=ROUGH),
    "max_pool3d_mode": Case(
        lambda x, *_: max_windows(x, (2,) * 3, (2,) * 3, (0, 1) * 3, (1,) * 3)[0],
        lambda m: [(m.distinct(1, 2, 3, 3, 3), 2, 2, "same")],
    ),
    "avg_pool3d_mode": Case(
        lambda x, *_: mean_windows(x, (2,) * 3, (1,) * 3, (1,) * 6, False, False),
        lambda m: [(m(1, 2, 3, 3, 3), 2, 1, "pad", 1, False, False)],
    ),
    "max_pool_places": _max_case(2, 2, 1, steps=1),
    "max_pool2d_places": _max_case(2, 2, 2, 1, pads=(1,) * 4),
    "max_pool3d_places": _max_case(3, 2, 2, 1, pads=(1,) * 6),
    "unpool": Case(_undo, lambda m: [(m(2, 3, 2, 2), _places(m, 20, 4).reshape(2, 3, 2, 2), (2, 3, 4, 5))], wrt=(0,)),
    "max_unpool1d": _undo_nd(1),
    "max_unpool2d": _undo_nd(2),
    "max_unpool3d": _undo_nd(3),
    "fractional_max": Case(
        _drawn_windows,
        lambda m: [(m.distinct(1, 2, 7, 8), np.array([[[0.3, 0.9], [0.6, 0.2]]], np.float32), (2, 3), (4, 3))],
        wrt=(0,),
        results=1,
        tolerance={"float16": (0, 0), "bfloat16": (0, 0)},
    ),
    "fractional_max_pool2d": _fractional_nd(2),
    "fractional_max_pool3d": _fractional_nd(3),
}
