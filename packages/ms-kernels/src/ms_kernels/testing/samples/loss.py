"""Cases of ms_kernels.ops.loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, Case, Maker

__all__ = ["CASES", "REDUCTIONS", "ROUGH", "reduce_loss"]

REDUCTIONS = ("none", "mean", "sum")


ROUGH = {"float16": (1e-2, 1e-2), "bfloat16": (6e-2, 6e-2)}


def reduce_loss(loss: Any, reduction: str) -> Any:
    return {"none": loss, "mean": loss.mean(), "sum": loss.sum(), "batchmean": loss.sum() / len(np.atleast_1d(loss))}[
        reduction
    ]


def _pointwise(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, y, reduction="mean": reduce_loss(function(x, y), reduction)


def _apart(m: Maker, *extra: Any) -> list[tuple[Any, ...]]:
    """Differences away from 0, 0.5 and 1."""
    y = m(3, 4)
    shift = m.rng.choice([-1.75, -0.75, -0.25, 0.25, 0.75, 1.75], (3, 4)).astype(m.np)
    return [(y + shift, y, *extra, r) for r in REDUCTIONS]


def _smooth(x: Any, y: Any, beta: float = 1.0, reduction: str = "none") -> Any:
    d = np.abs(x - y)
    return reduce_loss(np.where(d < beta, d * d / (2 * beta), d - beta / 2), reduction)


def _huber(x: Any, y: Any, reduction: str = "mean", delta: float = 1.0) -> Any:
    d = np.abs(x - y)
    return reduce_loss(np.where(d <= delta, d * d / 2, delta * (d - delta / 2)), reduction)


def _kl(x: Any, y: Any, reduction: str = "mean", log_target: bool = False) -> Any:
    loss = np.exp(y) * (y - x) if log_target else y * (np.log(y) - x)
    return loss.sum() / x.shape[0] if reduction == "batchmean" else reduce_loss(loss, reduction)


def _bce(p: Any, t: Any, w: Any = None, reduction: str = "mean") -> Any:
    return reduce_loss(-(t * np.log(p) + (1 - t) * np.log(1 - p)) * (1 if w is None else w), reduction)


def _bce_logits(x: Any, t: Any, w: Any = None, pos: Any = None, reduction: str = "mean") -> Any:
    loss = -((1 if pos is None else pos) * t * -np.logaddexp(0, -x) + (1 - t) * -np.logaddexp(0, x))
    return reduce_loss(loss * (1 if w is None else w), reduction)


def _cosine(x: Any, y: Any, t: Any, margin: float = 0.0, reduction: str = "mean") -> Any:
    cos = (x * y).sum(-1) / np.sqrt(((x * x).sum(-1) + 1e-8) * ((y * y).sum(-1) + 1e-8))
    return reduce_loss(np.where(t == 1, 1 - cos, np.maximum(cos - margin, 0)), reduction)


def _signs(m: Maker, *shape: int) -> Any:
    return np.where(m.rng.random(shape) < 0.5, -1, 1).astype(m.np)


CASES = {
    "mse_loss": Case(_pointwise(lambda x, y: (x - y) ** 2), _apart, FLOAT, tolerance=ROUGH),
    "l1_loss": Case(_pointwise(lambda x, y: np.abs(x - y)), _apart, FLOAT, tolerance=ROUGH),
    "smooth_l1_loss": Case(_smooth, lambda m: _apart(m, 0.5), FLOAT, tolerance=ROUGH),
    "huber_loss": Case(_huber, lambda m: [(*a, 0.5) for a in _apart(m)], FLOAT, tolerance=ROUGH),
    "kl_div": Case(
        _kl,
        lambda m: [
            *((m(3, 4), m.positive(3, 4), r) for r in (*REDUCTIONS, "batchmean")),
            (m(3, 4), m(3, 4), "sum", True),
        ],
        FLOAT,
        tolerance={"float16": (1e-2, 5e-2), "bfloat16": (6e-2, 0.5)},
    ),
    "binary_cross_entropy": Case(
        _bce,
        lambda m: [(m(3, 4, low=0.1, high=0.9), m(3, 4, low=0, high=1), m.positive(3, 4), r) for r in REDUCTIONS],
        FLOAT,
        tolerance={"float16": (1e-2, 3e-2), "bfloat16": (6e-2, 0.3)},
    ),
    "binary_cross_entropy_with_logits": Case(
        _bce_logits,
        lambda m: (
            [(m(3, 4), m(3, 4, low=0, high=1), m.positive(4), m.positive(4), r) for r in REDUCTIONS]
            + [(m(3, 4), m(3, 4, low=0, high=1))]
        ),
        FLOAT,
        tolerance={"float16": (1e-2, 5e-2), "bfloat16": (6e-2, 0.5)},
    ),
    "cosine_embedding_loss": Case(
        _cosine,
        lambda m: [(m(4, 5), m(4, 5), _signs(m, 4), -0.95, r) for r in REDUCTIONS],
        FLOAT,
        tolerance=ROUGH,
        wrt=(0, 1),
    ),
    "margin_ranking_loss": Case(
        lambda x, y, t, margin=0.0, r="mean": reduce_loss(np.maximum(-t * (x - y) + margin, 0), r),
        lambda m: [(*a[:2], _signs(m, 3, 4), 0.0, a[2]) for a in _apart(m)],
        FLOAT,
        tolerance=ROUGH,
        wrt=(0, 1),
    ),
    "hinge_embedding_loss": Case(
        lambda x, t, margin=1.0, r="mean": reduce_loss(np.where(t == 1, x, np.maximum(margin - x, 0)), r),
        lambda m: [(m.away(3, 4), _signs(m, 3, 4), 0.125, r) for r in REDUCTIONS],
        FLOAT,
        tolerance=ROUGH,
        wrt=(0,),
    ),
    "soft_margin_loss": Case(
        lambda x, t, r="mean": reduce_loss(np.logaddexp(0, -t * x), r),
        lambda m: [(m(3, 4), _signs(m, 3, 4), r) for r in REDUCTIONS],
        FLOAT,
        tolerance=ROUGH,
    ),
}
