"""Cases of ms_kernels.ops.misc."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.core.tensor import from_array
from ms_kernels.testing.case import ALL, FLOAT, Case

__all__ = ["CASES"]

EPS = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "float64": 2.0**-52}


def _norm(parts: Any, order: float) -> float:
    flat = np.concatenate([p.reshape(-1) for p in parts])
    return float(np.linalg.norm(flat, order))


def _tensors(*arrays: Any) -> Any:
    return tuple(from_array(a) for a in arrays)


CASES = {
    "clip_by_norm": Case(
        lambda x, most, order=2.0: (
            x.asnumpy().astype(float) * min(1, most / (_norm([x.asnumpy().astype(float)], order) + 1e-6))
        ),
        lambda m: [(*_tensors(m.away(2, 3)), 1.0), (*_tensors(m(4)), 100.0), (*_tensors(m.away(4)), 1.0, 3.0)],
        ("float32", "float64"),
        grad=0,
        note="its gradient is checked in test_misc_ops",
    ),
    "clip_by_value": Case(
        lambda xs, low=None, high=None: [np.clip(x.asnumpy(), low, high) for x in xs],
        lambda m: [(list(_tensors(m(2, 3), m(4))), -1, 1), (_tensors(m(3)), None, 0.5)],
        ("float32",),
        grad=0,
        note="lists of tensors; clamp has the gradient check",
    ),
    "clip_by_global_norm": Case(
        lambda xs, most: [x.asnumpy() * most / max(_norm([y.asnumpy() for y in xs], 2), most) for x in xs],
        lambda m: [(_tensors(m.away(2, 3), m.away(2)), 1.0), (_tensors(m(3)), 50.0)],
        ("float32",),
        grad=0,
        note="its gradient is checked in test_misc_ops",
    ),
    "eps": Case(lambda x: x, lambda m: [(np.full((2, 2), EPS[m.dtype]).astype(m.np),)], FLOAT, grad=0),
    "one_hot_classes": Case(
        lambda x, n=-1: np.eye(int(x.max()) + 1 if n == -1 else n, dtype=np.int64)[x],
        lambda m: [(np.array([[0, 2], [1, 1]]),), (np.array([0, 2]), 5)],
        ("int64",),
        grad=0,
    ),
    "dyn_shape": Case(lambda x: np.array(x.shape, np.int64), lambda m: [(m(2, 3),), (m(),)], ALL, grad=0),
    "range": Case(
        lambda a, b, c: np.arange(*(v.item() if hasattr(v, "item") else v for v in (a, b, c))),
        lambda m: [(0, 6, 2), (*_tensors(np.array(1), np.array(8), np.array(3)),), (5, 0, -2)],
        ("int64",),
        grad=0,
    ),
}
