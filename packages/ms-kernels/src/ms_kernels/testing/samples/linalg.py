"""Cases of ms_kernels.ops.linalg."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, Case, Maker

__all__ = ["CASES"]

KINDS = (*FLOAT, "int32")


def _turn(x: Any, turn: bool) -> Any:
    return x.swapaxes(-1, -2) if turn else x


def _product(a: Any, b: Any, ta: bool = False, tb: bool = False) -> Any:
    return _turn(a, ta) @ _turn(b, tb)


def _products(m: Maker) -> list[tuple[Any, ...]]:
    return [
        (m(2, 3), m(3, 4)),
        (m(3, 2), m(3, 4), True),
        (m(2, 3), m(4, 3), False, True),
        (m(3, 2), m(4, 3), True, True),
        (m(2, 1, 2, 3), m(3, 3, 2)),
        (m(2, 3, 2), m(4, 3), True, True),
        (m(2, 0), m(0, 3)),
        (m(0, 2), m(2, 3)),
    ]


def _any_rank(m: Maker) -> list[tuple[Any, ...]]:
    return [
        (m(3), m(3)),
        (m(2, 3), m(3)),
        (m(3), m(3, 2)),
        (m(2, 2, 3), m(3, 2)),
        (m(2, 2, 3), m(3)),
        (m(3), m(2, 3, 2)),
    ]


def _dense(x: Any, w: Any, b: Any = None) -> Any:
    return x @ w.T + (0 if b is None else b)


def _add(product: Any) -> Any:
    return lambda x, a, b, beta=1, alpha=1: beta * x + alpha * product(a, b)


CASES = {
    "matrix_product": Case(_product, _products, KINDS),
    "matmul": Case(np.matmul, lambda m: [*_any_rank(m), (m(2, 3), m(3, 4))], KINDS),
    "mm": Case(np.matmul, lambda m: [(m(2, 3), m(3, 4))], KINDS),
    "bmm": Case(np.matmul, lambda m: [(m(2, 2, 3), m(2, 3, 4))], KINDS),
    "mv": Case(np.matmul, lambda m: [(m(2, 3), m(3))], KINDS),
    "dot": Case(np.dot, lambda m: [(m(3), m(3)), (m(2, 3), m(3, 2)), (m(2, 3), m(2, 3, 2)), (m(2, 3), m(3))], KINDS),
    "outer": Case(np.outer, lambda m: [(m(3), m(2))], KINDS),
    "addmm": Case(_add(np.matmul), lambda m: [(m(2, 4), m(2, 3), m(3, 4)), (m(4), m(2, 3), m(3, 4), 2, 3)], KINDS),
    "addmv": Case(_add(np.matmul), lambda m: [(m(2), m(2, 3), m(3), 2, 3)], KINDS),
    "baddbmm": Case(_add(np.matmul), lambda m: [(m(2, 2, 4), m(2, 2, 3), m(2, 3, 4), 1, 2)], KINDS),
    "addbmm": Case(
        _add(lambda a, b: (a @ b).sum(0)),
        lambda m: [(m(2, 4), m(2, 2, 3), m(2, 3, 4), 1, 2)],
        ("float32", "float64", "int32"),
    ),
    "dense": Case(
        _dense,
        lambda m: [(m(2, 3), m(4, 3), m(4)), (m(2, 2, 3), m(4, 3), m(4)), (m(2, 3), m(4, 3)), (m(2, 3), m(3))],
        KINDS,
    ),
}
