"""Cases of ms_kernels.ops.attention."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import Case, Maker

__all__ = ["CASES"]


def _one(q: Any, k: Any, v: Any, shift: Any, mask: Any, scale: float) -> Any:
    scores = q @ k.T * scale + shift
    scores = np.where(mask, -np.inf, scores)
    weights = np.exp(scores - scores.max(1, keepdims=True))
    return weights / weights.sum(1, keepdims=True) @ v


def _attention(q: Any, k: Any, v: Any, heads: int, shift: Any, _drop: Any, mask: Any, *rest: Any) -> Any:
    """One head of one sequence at a time, on BNSD or BSH."""
    scale, layout = rest[4], rest[7]
    if layout == "BSH":
        q, k, v = (t.reshape(*t.shape[:2], -1, q.shape[2] // heads).transpose(0, 2, 1, 3) for t in (q, k, v))
    out, share = np.zeros(q.shape), heads // k.shape[1]
    for b, n in np.ndindex(q.shape[:2]):
        hidden = np.zeros((q.shape[2], k.shape[2]), bool) if mask is None else mask.astype(bool)
        more = 0 if shift is None else shift[b, n]
        out[b, n] = _one(q[b, n], k[b, n // share], v[b, n // share], more, hidden, scale)
    return out if layout == "BNSD" else out.transpose(0, 2, 1, 3).reshape(*out.shape[:1], out.shape[2], -1)


def _inputs(m: Maker) -> list[tuple[Any, ...]]:
    mask = np.triu(np.ones((3, 5), np.uint8), 2)
    ends: tuple[Any, ...] = (None, None, None, 1.0, 0.5, 2**31 - 1, 2**31 - 1)
    q, k, v = m(2, 4, 3, 2), m(2, 2, 5, 2), m(2, 2, 5, 2)
    return [
        (q, k, v, 4, m(2, 4, 3, 5), None, mask, *ends, "BNSD", 0),
        (m(2, 3, 8), m(2, 5, 8), m(2, 5, 8), 4, None, None, None, *ends, "BSH", 1),
    ]


CASES = {
    "flash_attention_score": Case(
        _attention,
        _inputs,
        wrt=(0, 1, 2, 4),
        tolerance={"float16": (1e-2, 1e-2), "bfloat16": (6e-2, 6e-2), "float32": (1e-4, 1e-5)},
    )
}
