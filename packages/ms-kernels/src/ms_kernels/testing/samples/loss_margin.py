"""Cases of ms_kernels.ops.loss_margin."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, Case, Maker

__all__ = ["CASES"]

REDUCTIONS = ("none", "mean", "sum")
ROUGH = {"float16": (1e-2, 2e-2), "bfloat16": (6e-2, 0.15), "float32": (1e-4, 1e-5)}
LABELS = np.array([[1, 2, -1, 0], [3, -1, 1, 2], [0, 1, 2, 3]])


def _reduce(loss: Any, reduction: str) -> Any:
    return {"none": loss, "mean": loss.mean(), "sum": loss.sum()}[reduction]


def _triplet(
    a: Any, b: Any, c: Any, margin: float = 1.0, p: int = 2, eps: float = 1e-6, swap: bool = False, how: str = "mean"
) -> Any:
    def distance(x: Any, y: Any) -> Any:
        return (np.abs(x - y + eps) ** p).sum(1) ** (1 / p)

    far = np.minimum(distance(a, c), distance(b, c)) if swap else distance(a, c)
    return _reduce(np.maximum(distance(a, b) - far + margin, 0), how)


def _triplets(m: Maker) -> list[tuple[Any, ...]]:
    a, b, c = m(3, 4), m(3, 4), m(3, 4)
    return [(a, b, c, 9.0, 2, 1e-6, swap, how) for swap, how in ((False, "none"), (True, "mean"))] + [
        (m(2, 3, 2), m(2, 3, 2), m(2, 3, 2), 9.0, 2, 1e-6, False, "sum")
    ]


def _multi(x: Any, y: Any, p: int = 1, margin: float = 1, w: Any = None, how: str = "mean") -> Any:
    out = []
    for row, k in zip(x, y):
        terms = [max(0.0, margin - row[k] + v) ** p for i, v in enumerate(row) if i != k]
        out.append(sum(terms) / len(row) * (1 if w is None else w[k]))
    return _reduce(np.array(out), how)


def _apart(m: Maker) -> Any:
    """Rows in which no two scores are 1 apart."""
    return np.stack([m.rng.permutation([0.0, 0.375, 0.75, 1.625]) for _ in range(3)]).astype(m.np)


def _multilabel(x: Any, y: Any, how: str = "mean") -> Any:
    out = []
    for row, given in zip(np.atleast_2d(x), np.atleast_2d(y)):
        end = list(given).index(-1) if -1 in given else len(given)
        hit = set(given[:end].tolist())
        others = [i for i in range(len(row)) if i not in hit]
        out.append(sum(max(0.0, 1 - row[k] + row[i]) for k in hit for i in others) / len(row))
    loss = np.array(out)
    return _reduce(loss if np.ndim(x) == 2 else loss[0], how)


def _multilabel_all(x: Any, y: Any, how: str = "mean") -> Any:
    hit = np.zeros(y.shape)
    for row, given in zip(hit, y):
        end = list(given).index(-1) if -1 in given else len(given)
        row[given[:end]] = 1
    return _multilabel(x, y, how), hit


def _soft(x: Any, y: Any, w: Any = None, how: str = "mean") -> Any:
    loss = y * np.logaddexp(0, -x) + (1 - y) * np.logaddexp(0, x)
    return _reduce((loss if w is None else loss * w).mean(-1), how)


def _gauss(x: Any, y: Any, var: Any, full: bool = False, eps: float = 1e-6, how: str = "mean") -> Any:
    v = np.maximum(var if var.ndim == x.ndim else var[..., None], eps)
    return _reduce((np.log(v) + (x - y) ** 2 / v) / 2 + (np.log(2 * np.pi) / 2 if full else 0), how)


def _logp(x: Any) -> Any:
    return x - np.logaddexp.reduce(x, 1, keepdims=True)


def _sparse(x: Any, y: Any, grad: bool = False) -> Any:
    hit = np.eye(x.shape[1])[y]
    return (np.exp(_logp(x)) - hit) / len(x) if grad else -(_logp(x) * hit).sum(1).mean()


def _nll(x: Any, y: Any, w: Any, how: str = "mean", ignore: int = -100) -> Any:
    own = np.array([0.0 if k == ignore else w[k] for k in y])
    loss = np.array([0.0 if k == ignore else -row[k] for row, k in zip(x, y)]) * own
    return (loss.sum() / own.sum() if how == "mean" else _reduce(loss, how)), own.sum()


CASES = {
    "triplet_margin_loss": Case(_triplet, _triplets, tolerance=ROUGH),
    "multi_margin_loss": Case(
        _multi,
        lambda m: [
            (_apart(m), m.ints(3, high=4), 1, 1, None, "none"),
            (_apart(m), m.ints(3, high=4), 2, 1.0, m.positive(4), "mean"),
            (_apart(m), m.ints(3, high=4), 1, 1, m.positive(4), "sum"),
        ],
        tolerance=ROUGH,
    ),
    "multilabel_margin_loss": Case(
        _multilabel,
        lambda m: [*((_apart(m), LABELS, how) for how in REDUCTIONS), (_apart(m)[0], LABELS[0])],
        tolerance=ROUGH,
    ),
    "multilabel_margin_all": Case(_multilabel_all, lambda m: [(_apart(m), LABELS)], tolerance=ROUGH, results=1),
    "multilabel_soft_margin_loss": Case(
        _soft,
        lambda m: [(m(3, 4), m.bools(3, 4).astype(m.np), m.positive(4), how) for how in REDUCTIONS],
        tolerance=ROUGH,
        wrt=(0,),
    ),
    "gaussian_nll_loss": Case(
        _gauss,
        lambda m: [
            *((m(3, 4), m(3, 4), m.positive(3, 4, low=0.5), how == "sum", 1e-6, how) for how in REDUCTIONS),
            (m(3, 4), m(3, 4), m.positive(3, low=0.5), True),
        ],
        tolerance={**ROUGH, "bfloat16": (6e-2, 1.0), "float16": (1e-2, 0.1)},
    ),
    "sigmoid_cross_entropy": Case(
        lambda x, y: y * np.logaddexp(0, -x) + (1 - y) * np.logaddexp(0, x),
        lambda m: [(m(3, 4), m(3, 4))],
        tolerance=ROUGH,
    ),
    "sparse_softmax_cross_entropy": Case(
        _sparse, lambda m: [(m(3, 4), m.ints(3, high=4), grad) for grad in (False, True)], tolerance=ROUGH
    ),
    "label_weights": Case(
        lambda w, t, ignore=-100: w[t[t != ignore]].sum(),
        lambda m: [(m.positive(3), np.array([1, 0, -100, 2])), (m.positive(3), m.ints(2, 3), 1)],
        FLOAT,
        0,
        note="the labels choose: 2.6 takes the sum as a constant",
    ),
    "nll_loss_all": Case(
        _nll,
        lambda m: [(m(3, 4), np.array([0, 3, -100]), m.positive(4), how) for how in REDUCTIONS],
        tolerance=ROUGH,
        results=1,
        wrt=(0,),
    ),
}
