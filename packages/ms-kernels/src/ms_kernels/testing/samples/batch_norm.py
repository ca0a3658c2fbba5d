"""Cases of ms_kernels.ops.batch_norm."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, Case, Maker
from ms_kernels.testing.samples.norm import (
    EPS,
    ROUGH,
    affine,
    backward,
    grad_inputs,
    moments,
    norm_axes,
    per_channel,
    widened,
)

__all__ = ["CASES"]


def _lift(x: Any) -> Any:
    return lambda p: per_channel(p, x)


def _batch(x: Any, w: Any, b: Any, eps: float) -> Any:
    mean, var, rstd = moments(x, norm_axes(x), eps)
    y = affine((x - mean) * rstd, w, b, _lift(x))
    return y, mean.reshape(-1), var.reshape(-1), rstd.reshape(-1)


def _infer(x: Any, mean: Any, var: Any, w: Any, b: Any, eps: float) -> Any:
    lift = _lift(x)
    return affine((x - lift(mean)) / np.sqrt(lift(var) + eps), w, b, lift)


def _batch_grad(dy: Any, x: Any, mean: Any, rstd: Any, w: Any) -> Any:
    lift = _lift(x)
    dx, dw, db = backward(dy, x, lift(mean), lift(rstd), w, norm_axes(x), lift)
    return dx, dw.sum(norm_axes(x)), db.sum(norm_axes(x))


def _trained(m: Maker) -> list[tuple[Any, ...]]:
    w = widened(m)
    return [(m(4, 3), w(3), w(3), EPS), (m(3, 2, 4, 3), w(2), w(2), EPS), (m(3, 2, 4), None, None, EPS)]


def _running(m: Maker) -> list[tuple[Any, ...]]:
    w = widened(m)
    return [
        (m(4, 3), w(3), w.positive(3), w(3), w(3), EPS),
        (m(2, 3, 2, 2), w(3), w.positive(3), None, None, EPS),
    ]


def _named(m: Maker) -> list[tuple[Any, ...]]:
    w = widened(m)
    return [
        (m(4, 3), w(3), w.positive(3), w(3), w(3), False, 0.1, EPS),
        (m(4, 3), None, None, w(3), w(3), True, 0.1, EPS),
    ]


def _by_flag(
    x: Any,
    mean: Any,
    var: Any,
    w: Any = None,
    b: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    return _batch(x, w, b, eps)[0] if training else _infer(x, mean, var, w, b, eps)


def _all(x: Any, w: Any, b: Any, mean: Any, var: Any, training: bool = False, eps: float = 1e-5, *_: Any) -> Any:
    return _infer(x, mean, var, w, b, eps), mean, var, mean, var


CASES = {
    "batch_norm_train": Case(_batch, _trained, FLOAT, tolerance=ROUGH, results=1),
    "batch_norm_grad": Case(
        _batch_grad,
        grad_inputs(_trained, _batch, (1, 3), lambda a: ()),
        FLOAT,
        0,
        {**ROUGH, "float16": (2e-2, 5e-2), "bfloat16": (0.1, 0.3)},
    ),
    "batch_norm_infer": Case(_infer, _running, FLOAT, tolerance=ROUGH),
    "batch_norm": Case(_by_flag, _named, FLOAT, tolerance=ROUGH),
    "batch_norm_all": Case(
        _all,
        lambda m: [(m(4, 3), widened(m)(3), widened(m)(3), widened(m)(3), widened(m).positive(3), False, EPS)],
        FLOAT,
        tolerance=ROUGH,
        results=1,
    ),
}
