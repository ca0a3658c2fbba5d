"""Cases of ms_kernels.ops.slices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import ALL, FLOAT, Case

__all__ = ["CASES"]

SOME = (*FLOAT, "int32", "bool_")


def _slice(x: Any, begin: Any, size: Any) -> Any:
    return x[tuple(slice(b, None if s == -1 else b + s) for b, s in zip(begin, size))]


def _sizes(x: Any, sizes: Any, dim: int, _count: int) -> Any:
    cuts = [n if n != -1 else x.shape[dim] - sum(sizes) - 1 for n in sizes]
    return np.split(x, np.cumsum(cuts)[:-1], dim)


def _lookup(table: Any, index: Any, offset: int) -> Any:
    out = np.zeros((*index.shape, *table.shape[1:]))
    for at in np.ndindex(index.shape):
        if 0 <= index[at] - offset < len(table):
            out[at] = table[index[at] - offset]
    return out


# arguments of strided_slice -> the index that says the same
STRIDED: dict[Any, Any] = {
    ((0, 0), (2, 3), (1, 2)): (slice(0, 2), slice(0, 3, 2)),
    ((1, 2), (0, -3), (-1, -1)): (slice(1, 0, -1), slice(2, -3, -1)),
    ((1, 1), (1, 2), (1, 1), 1, 2): (slice(None, 1), slice(1, None)),
    ((1,), (2,), (1,), 0, 0, 0, 0, 1): (1,),
    ((0, 0), (1, 1), (1, 1), 0, 0, 0, 1): (None, slice(0, 1)),
    ((0, 1), (0, 2), (1, 1), 0, 0, 1): (Ellipsis, slice(1, 2)),
}
CASES = {
    "slice": Case(_slice, lambda m: [(m(2, 3), (0, 1), (2, 2)), (m(2, 3), (1, 0), (-1, 0)), (m(4), (1,), (-1,))], ALL),
    "strided_slice": Case(
        lambda x, begin, end, step, *masks: x[STRIDED[(begin, end, step) + masks]],
        lambda m: [(m(2, 3), *args) for args in STRIDED],
        ALL,
    ),
    "split_evenly": Case(
        lambda x, dim=0, n=1: np.split(x, n, dim), lambda m: [(m(2, 4), 1, 2), (m(3), 0, 3), (m(3),)], SOME
    ),
    "split_by_sizes": Case(_sizes, lambda m: [(m(2, 4), [1, -1], 1, 2), (m(3), (1, 2), 0, 2)], SOME),
    "pad_zeros": Case(np.pad, lambda m: [(m(2, 3), ((1, 0), (0, 2))), (m(2), ((0, 0),))], SOME),
    "mirror_pad": Case(
        lambda x, pads, mode="REFLECT": np.pad(x, pads, mode.lower()),
        lambda m: [(m(2, 3), ((1, 0), (2, 2))), (m(2, 3), ((2, 1), (0, 3)), "SYMMETRIC")],
        SOME,
    ),
    "padding": Case(
        lambda x, n=8: np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, n - 1)]), lambda m: [(m(2, 1), 3), (m(2, 2, 1),)], SOME
    ),
    "mesh_of": Case(
        lambda xs, indexing="xy": np.meshgrid(*xs, indexing=indexing),
        lambda m: [([m(2), m(3)],), ([m(2), m(3)], "ij")],
        SOME,
    ),
    "embedding_lookup": Case(
        _lookup, lambda m: [(m(3, 2), np.array([2, 0, 5, -1]), 0), (m(3), np.array([[1, 3]], np.int32), 1)], FLOAT
    ),
}
