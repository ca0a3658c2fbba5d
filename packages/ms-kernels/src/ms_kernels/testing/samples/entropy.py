"""Cases of ms_kernels.ops.entropy."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, Case, Maker
from ms_kernels.testing.samples.loss import REDUCTIONS, ROUGH, reduce_loss

__all__ = ["CASES"]


def _logp(x: Any) -> Any:
    return x - np.logaddexp.reduce(x, 1, keepdims=True)


def _rows(x: Any, labels: Any, w: Any = None, ignore: int = -100, smooth: float = 0.0) -> Any:
    """The definition, a row at a time."""
    logp, c = _logp(x), x.shape[1]
    w = np.ones(c) if w is None else w
    loss = np.zeros(len(x))
    for i, k in enumerate(labels):
        if k != ignore:
            loss[i] = -(1 - smooth) * w[k] * logp[i, k] - smooth / c * (w * logp[i]).sum()
    return loss, logp


def _weigh(loss: Any, labels: Any, w: Any, ignore: int, reduction: str) -> Any:
    if reduction == "mean":
        valid = labels != ignore
        return loss.sum() / (valid.sum() if w is None else w[labels[valid]].sum())
    return loss if reduction == "none" else loss.sum()


def _cross(x: Any, t: Any, w: Any = None, ignore: int = -100, reduction: str = "mean", smooth: float = 0.0) -> Any:
    if t.dtype.kind == "f":
        t = t * (1 - smooth) + smooth / x.shape[1]
        loss = -(t * _logp(x) * (1 if w is None else w)).sum(1)
        return loss.sum() / len(x) if reduction == "mean" else reduce_loss(loss, reduction)
    flat, labels = np.moveaxis(x, 1, -1).reshape(-1, x.shape[1]), t.reshape(-1)
    out = _weigh(_rows(flat, labels, w, ignore, smooth)[0], labels, w, ignore, reduction)
    return out.reshape(t.shape) if reduction == "none" else out


def _cross_inputs(m: Maker) -> list[tuple[Any, ...]]:
    labels = np.array([1, 0, -100, 2])
    return [
        *((m(4, 3), labels, m.positive(3), -100, r, 0.25) for r in REDUCTIONS),
        (m(4, 3), m.ints(4), None, -100, "mean", 0.0),
        (m(2, 3, 4), m.ints(2, 4), None, -100, "none", 0.0),
        (m(4, 3), m.positive(4, 3), m.positive(3), -100, "mean", 0.25),
    ]


def _nll(x: Any, t: Any, w: Any = None, ignore: int = -100, reduction: str = "mean", smooth: float = 0.0) -> Any:
    c = x.shape[1]
    weight = np.ones(c) if w is None else w
    loss = np.array(
        [
            0.0 if k == ignore else -(1 - smooth) * weight[k] * row[k] - smooth / c * (weight * row).sum()
            for row, k in zip(x, t)
        ]
    )
    return _weigh(loss, t, w, ignore, reduction)


CASES = {
    "over_labels": Case(
        oracle=lambda x, t, w=None, ignore=-100: x / ((t != ignore).sum() if w is None else w[t[t != ignore]].sum()),
        inputs=lambda m: [
            (m(), np.array([1, 0, -100, 2]), None, -100),
            (m(2), np.array([1, 0, 1, 2]), m.positive(3), 1),
        ],
        dtypes=FLOAT,
        wrt=(0,),
    ),
    "cross_entropy_rows": Case(
        _rows,
        lambda m: [
            (
                m(4, 3),
                np.array([1, 0, -100, 2]),
                Maker("float32").positive(3) if m.dtype != "float64" else m.positive(3),
                -100,
                0.25,
            )
        ],
        FLOAT,
        tolerance=ROUGH,
        wrt=(0,),
        results=1,
    ),
    "cross_entropy_grad": Case(
        lambda g, logp, labels, w=None, ignore=-100, smooth=0.0: (
            g[:, None] * (np.exp(logp) - np.eye(logp.shape[1])[labels])
        ),
        lambda m: [
            (
                m(3),
                (lambda x: x - np.logaddexp.reduce(x, 1, keepdims=True))(m(3, 4).astype(np.float64)).astype(m.np),
                m.ints(3, high=4),
            )
        ],
        ("float32", "float64"),
        0,
    ),
    "cross_entropy": Case(
        _cross, _cross_inputs, FLOAT, tolerance={"float16": (1e-2, 2e-2), "bfloat16": (6e-2, 0.3)}, wrt=(0,)
    ),
    "nll_loss": Case(
        _nll,
        lambda m: (
            [(m(4, 3), np.array([1, 0, -100, 2]), m.positive(3), -100, r, 0.25) for r in REDUCTIONS]
            + [(m(3, 3), m.ints(3))]
        ),
        FLOAT,
        tolerance={"float16": (1e-2, 2e-2), "bfloat16": (6e-2, 0.3)},
        wrt=(0,),
    ),
    "softmax_cross_entropy": Case(
        lambda x, t: (-(t * _logp(x)).sum(1), np.exp(_logp(x)) - t),
        lambda m: [(m(4, 3), m(4, 3, low=0, high=1))],
        FLOAT,
        tolerance=ROUGH,
        wrt=(0,),
        results=1,
    ),
}
