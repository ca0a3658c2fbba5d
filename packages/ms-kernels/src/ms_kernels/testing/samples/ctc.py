"""Cases of ms_kernels.ops.ctc: likelihoods by summing over all paths."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ms_kernels.testing.case import Case, Maker

__all__ = ["CASES"]

KINDS = ("float32", "float64")
WIDE = {"float32": (1e-4, 1e-5)}


def _joined(path: tuple[int, ...], blank: int) -> tuple[int, ...]:
    """What a path stands for: equal neighbours joined, then blanks removed."""
    return tuple(k for k, _ in itertools.groupby(path) if k != blank)


def _likelihood(logp: Any, target: tuple[int, ...], blank: int) -> float:
    paths = itertools.product(range(logp.shape[1]), repeat=len(logp))
    return float(sum(np.exp(sum(logp[t, k] for t, k in enumerate(p))) for p in paths if _joined(p, blank) == target))


def _loss(p: Any, y: Any, steps: Any, sizes: Any, blank: int = 0, how: str = "mean") -> Any:
    rows = enumerate(zip(steps, sizes))
    loss = np.array([-np.log(_likelihood(p[:s, n], tuple(y[n, :k].tolist()), blank)) for n, (s, k) in rows])
    if how == "mean":
        return (loss / np.maximum(sizes, 1)).mean()
    return loss if how == "none" else loss.sum()


def _with_terms(p: Any, y: Any, steps: Any, sizes: Any, blank: int = 0, how: str = "mean") -> Any:
    """The terms are checked by the likelihood that they sum to, in a test of its own."""
    from ms_kernels import Tensor
    from ms_kernels import functional as ops

    terms = ops.ctc_loss(Tensor(p), Tensor(y), steps, sizes, blank, how)[1].asnumpy()
    return _loss(p, y, steps, sizes, blank, how), terms


def _inputs(m: Maker) -> list[tuple[Any, ...]]:
    x = m(4, 2, 3).astype(np.float64)
    p = (x - np.logaddexp.reduce(x, 2, keepdims=True)).astype(m.np)
    y = np.array([[1, 2], [2, 2]])
    out: list[tuple[Any, ...]] = [(p, y, (4, 3), (2, 2), 0, how) for how in ("none", "mean", "sum")]
    return [*out, (p, np.array([[0, 1], [1, 0]]), (3, 4), (2, 1), 2, "none")]


def _logits(x: Any, at: Any, values: Any, steps: Any) -> Any:
    p = x - np.logaddexp.reduce(x, 2, keepdims=True)
    targets = [tuple(int(v) for (row, _), v in zip(at, values) if row == n) for n in range(x.shape[1])]
    blank = x.shape[2] - 1

    def losses(q: Any) -> Any:
        return np.array([-np.log(_likelihood(q[:s, n], t, blank)) for n, (t, s) in enumerate(zip(targets, steps))])

    grad = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        moved = []
        for step in (1e-5, -1e-5):
            y = x.copy()
            y[place] += step
            moved.append(losses(y - np.logaddexp.reduce(y, 2, keepdims=True)).sum())
        grad[place] = (moved[0] - moved[1]) / 2e-5
    return losses(p), grad


def _decoded(x: Any, steps: Any, merge: bool = True) -> Any:
    rows = []
    for n, s in enumerate(steps):
        path = x[:s, n].argmax(1).tolist()
        joined = [k for k, _ in itertools.groupby(path)] if merge else path
        rows.append([k for k in joined if k != x.shape[2] - 1])
    places = [(n, i) for n, row in enumerate(rows) for i in range(len(row))]
    top = -np.array([[x[:s, n].max(1).sum()] for n, s in enumerate(steps)])
    size = np.array([len(rows), max(map(len, rows))])
    return np.array(places).reshape(-1, 2), np.array([k for row in rows for k in row]), size, top


CASES = {
    "ctc_loss": Case(_with_terms, _inputs, KINDS, tolerance=WIDE, results=1, wrt=(0,)),
    "ctc_loss_logits": Case(
        _logits,
        lambda m: [(m(3, 2, 3), np.array([[0, 0], [1, 0], [1, 1]]), np.array([0, 1, 0]), np.array([2, 3]))],
        KINDS,
        tolerance={"float32": (1e-4, 1e-4), "float64": (1e-6, 1e-8)},
        results=1,
        wrt=(0,),
    ),
    "ctc_greedy_decoder": Case(
        _decoded, lambda m: [(m.distinct(5, 2, 3), np.array([5, 4]), merge) for merge in (True, False)], KINDS, 0
    ),
}
