"""Cases of ms_kernels.ops.index."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import ALL, FLOAT, INT, NUMBER, Case, Maker

__all__ = ["CASES", "SOME"]

SOME = (*FLOAT, "int32", "uint8", "bool_")


def _index_sum(x: Any, dim: int, index: Any, length: int) -> Any:
    at = dim % (x.ndim - index.ndim + 1)
    out = np.zeros((*x.shape[:at], length, *x.shape[at + index.ndim :]), x.dtype)
    np.add.at(out, (*((slice(None),) * at), index), x)
    return out


def _gather_inputs(m: Maker) -> list[tuple[Any, ...]]:
    return [
        (m(3, 4), 0, m.ints(2, 4, high=3)),
        (m(3, 4), -1, m.ints(3, 5, low=-4, high=4)),
        (m(5), 0, m.ints(0, high=5)),
    ]


def _gather(x: Any, dim: int, index: Any) -> Any:
    return np.take_along_axis(x, index, dim) if x.ndim == index.ndim else x


def _axis_gather(x: Any, index: Any, dim: int, batch_dims: int = 0) -> Any:
    if not batch_dims:
        return np.take(x, index, dim)
    return np.stack([np.take(a, i, dim - 1) for a, i in zip(x, index)])


def _scatter(add: bool) -> Any:
    def oracle(x: Any, dim: int, index: Any, src: Any) -> Any:
        out = x.copy()
        for place in np.ndindex(index.shape):
            to = list(place)
            to[dim] = index[place]
            value = src[place] if np.ndim(src) else src
            out[tuple(to)] = out[tuple(to)] + value if add else value
        return out

    return oracle


def _unique_places(m: Maker) -> list[tuple[Any, ...]]:
    index = np.stack([m.rng.permutation(4)[:2] for _ in range(3)])
    return [(m(3, 4), 1, index, m(3, 2)), (m(4), 0, np.array([2, -1]), m(3))]


CASES = {
    "index_sum": Case(
        _index_sum,
        lambda m: [
            (m(3, 4), 0, m.ints(3, high=5), 5),
            (m(3, 2, 2), -1, m.ints(2, 2, low=-4, high=4), 4),
            (m(0, 2), 0, m.ints(0), 3),
        ],
        NUMBER,
    ),
    "index_select": Case(
        lambda x, dim, i: np.take(x, i, dim),
        lambda m: [(m(3, 4), 0, m.ints(2, high=3)), (m(3, 4), -1, m.ints(2, 2, low=-4))],
        ALL,
    ),
    "gather_axis": Case(
        _axis_gather,
        lambda m: [(m(3, 4), m.ints(2, high=3), 0), (m(2, 5, 3), m.ints(2, 4), 1, 1), (m(2, 3, 4), m.ints(2, 2), 2, 1)],
        SOME,
    ),
    "gather": Case(_gather, _gather_inputs, SOME),
    "scatter_add": Case(
        _scatter(True),
        lambda m: [(m(3, 4), 0, m.ints(2, 4, high=3), m(3, 4)), (m(5), 0, m.ints(7, high=5), m(7))],
        (*FLOAT, *INT),
    ),
    "scatter_typed": Case(_scatter(False), _unique_places, SOME),
    "scatter": Case(_scatter(False), lambda m: [*_unique_places(m), (m(4), 0, np.array([2, 0]), 1)], SOME),
    "masked_fill": Case(
        lambda x, mask, v: np.where(mask, v, x),
        lambda m: [(m(3, 4), m.bools(3, 4), 1), (m(3, 1), m.bools(4), m())],
        SOME,
    ),
    "masked_select": Case(
        lambda x, mask: np.broadcast_to(x, (3, 4))[np.broadcast_to(mask, (3, 4))],
        lambda m: [(m(3, 4), m.bools(3, 4)), (m(3, 1), m.bools(4))],
        SOME,
    ),
    "take": Case(lambda x, i: np.take(x, i), lambda m: [(m(3, 4), m.ints(2, 2, low=-12, high=12))], SOME),
    "nonzero_rows": Case(np.argwhere, lambda m: [(np.rint(m(3, 4)).astype(m.np),)], SOME, 0, views=True),
    "nonzero": Case(
        lambda x, as_tuple=False: np.nonzero(x) if as_tuple else np.argwhere(x),
        lambda m: [(np.rint(m(3, 4)).astype(m.np), True)],
        SOME,
        0,
    ),
}
