"""Cases of ms_kernels.ops.softmax."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, Case, Maker

__all__ = ["CASES"]


def _softmax(x: Any, dim: Any = -1, dtype: Any = None) -> Any:
    dim = (0 if x.ndim in (0, 1, 3) else 1) if dim is None else dim
    e = np.exp(x - x.max(dim, keepdims=True))
    return e / e.sum(dim, keepdims=True)


def _rows(m: Maker) -> list[tuple[Any, ...]]:
    return [(m(3, 5),), (m(2, 3, 4), 1), (m(4), 0), (m(2, 3), -2), (m(0, 3),)]


def _with_grad(m: Maker) -> list[tuple[Any, ...]]:
    return [(m(3, 5), m(3, 5)), (m(2, 3, 4), m(2, 3, 4), 1)]


CASES = {
    "softmax_typed": Case(_softmax, _rows),
    "log_softmax_typed": Case(lambda x, dim=-1: np.log(_softmax(x, dim)), _rows),
    "softmax": Case(_softmax, lambda m: [*_rows(m), (m(3, 4), None)]),
    "log_softmax": Case(lambda x, dim=-1, dtype=None: np.log(_softmax(x, dim)), _rows),
    "softmin": Case(lambda x, dim=-1, dtype=None: _softmax(-x, dim), _rows),
    "softmax_grad": Case(
        lambda g, y, dim=-1: y * (g - (g * y).sum(dim, keepdims=True)),
        _with_grad,
        FLOAT,
        0,
        {"float16": (2e-2, 2e-2), "bfloat16": (0.1, 0.2)},
    ),
    "log_softmax_grad": Case(
        lambda g, y, dim=-1: g - np.exp(y) * g.sum(dim, keepdims=True),
        _with_grad,
        FLOAT,
        0,
        {"float16": (2e-2, 2e-2), "bfloat16": (0.1, 0.5)},
    ),
}
