"""Cases of ms_kernels.ops.joins."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ms_kernels.testing.case import ALL, FLOAT, Case, Maker

__all__ = ["CASES", "SOME"]

SOME = (*FLOAT, "int32", "uint8", "bool_")


def _mixed(m: Maker) -> list[tuple[Any, ...]]:
    return [([m(), m(3), m(2, 3), m(2, 3, 4)],), ([m(0)],)]


def _atleast(function: Any) -> Case:
    return Case(lambda xs: [function(x) for x in xs], _mixed, SOME)


def _parts(function: Any) -> Any:
    return lambda x, where, *rest: list(function(x, where, *rest))


def _block_diag(tensors: Any) -> Any:
    parts = [np.atleast_2d(t) for t in tensors]
    out = np.zeros((sum(p.shape[0] for p in parts), sum(p.shape[1] for p in parts)), parts[0].dtype)
    i = j = 0
    for part in parts:
        out[i : i + part.shape[0], j : j + part.shape[1]] = part
        i, j = i + part.shape[0], j + part.shape[1]
    return out


def _combinations(x: Any, r: int = 2, with_replacement: bool = False) -> Any:
    kind = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    return np.array(list(kind(x, r)))


def _sum_to(x: Any, size: Any) -> Any:
    extra = x.ndim - len(size)
    axes = tuple(range(extra)) + tuple(i + extra for i, n in enumerate(size) if n == 1)
    return x.sum(axes).reshape(size)


CASES = {
    "atleast_1d": _atleast(np.atleast_1d),
    "atleast_2d": _atleast(np.atleast_2d),
    "atleast_3d": _atleast(np.atleast_3d),
    "hstack": Case(np.hstack, lambda m: [([m(3), m(2)],), ([m(2, 3), m(2, 1)],), ([m(), m()],)], SOME),
    "vstack": Case(np.vstack, lambda m: [([m(3), m(3)],), ([m(2, 3), m(3)],), ([m(0, 2), m(1, 2)],)], SOME),
    "dstack": Case(np.dstack, lambda m: [([m(3), m(3)],), ([m(2, 3), m(2, 3)],), ([m(1, 2, 3), m(1, 2, 1)],)], SOME),
    "column_stack": Case(np.column_stack, lambda m: [([m(3), m(3)],), ([m(2, 3), m(2)],)], SOME),
    "block_diag": Case(_block_diag, lambda m: [([m(), m(3), m(2, 3)],), ([m(2, 2)],)], SOME),
    "tensor_split": Case(
        _parts(np.array_split),
        lambda m: [(m(7), 3), (m(2, 5), 4, 1), (m(7), (1, 4)), (m(4, 2), [1, 9], 0), (m(3), 5), (m(5), (-2,), -1)],
        SOME,
    ),
    "vsplit": Case(_parts(np.array_split), lambda m: [(m(4, 2), 2), (m(5), [2])], SOME),
    "hsplit": Case(_parts(lambda x, w: np.array_split(x, w, 1)), lambda m: [(m(2, 4), 3), (m(2, 4), (1, 3))], SOME),
    "dsplit": Case(_parts(lambda x, w: np.array_split(x, w, 2)), lambda m: [(m(1, 2, 4), 2)], SOME),
    "cartesian_prod": Case(
        lambda xs: np.array(list(itertools.product(*xs))),
        lambda m: [([m(2), m(3)],), ([m(2)],), ([m(2), m(1), m(2)],)],
        SOME,
    ),
    "combinations": Case(_combinations, lambda m: [(m(4),), (m(3), 3), (m(3), 2, True), (m(3), 1)], SOME),
    "select_at": Case(
        lambda x, dim, i: np.take(x, i, dim), lambda m: [(m(2, 3), 1, 2), (m(2, 3), 0, -1), (m(2, 3, 2), -2, 0)], ALL
    ),
    "sum_to_size": Case(
        _sum_to, lambda m: [(m(2, 3), (1, 3)), (m(2, 3), (3,)), (m(2, 3), (2, 3)), (m(2, 3), ())], FLOAT
    ),
    "expand": Case(np.broadcast_to, lambda m: [(m(3), (2, 3)), (m(2, 1), (2, 4))], SOME),
}
