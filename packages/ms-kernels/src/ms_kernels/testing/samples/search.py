"""Cases of ms_kernels.ops.search."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, Case, Maker

__all__ = ["CASES"]

SOME = (*FLOAT, "int32", "int64", "uint8")


def _search(rows: Any, values: Any, right: bool = False) -> Any:
    table = rows if rows.ndim > 1 else np.broadcast_to(rows, (*values.shape[:-1], rows.shape[-1]))
    table, wanted = table[..., None, :], np.atleast_1d(values)[..., None]
    return ((table <= wanted) if right else (table < wanted)).sum(-1).reshape(values.shape)


def _sequences(m: Maker) -> list[tuple[Any, ...]]:
    return [(np.sort(m(5)), m(4)), (np.sort(m(2, 3, 4)), m(2, 3, 2)), (np.sort(m(3)), m(2, 2))]


def _runs(x: Any, dim: Any = None) -> Any:
    rows = list(x.reshape(-1)) if dim is None else list(np.moveaxis(x, dim, 0))
    values: list[Any] = []
    run: list[int] = []
    counts: list[int] = []
    for row in rows:
        if values and np.array_equal(values[-1], row):
            counts[-1] += 1
        else:
            values.append(row)
            counts.append(1)
        run.append(len(values) - 1)
    found = np.array(values) if dim is None else np.moveaxis(np.array(values), 0, dim)
    return found, np.array(run).reshape(x.shape if dim is None else -1), np.array(counts)


def _some_runs(x: Any, inverse: bool = False, counts: bool = False, dim: Any = None) -> Any:
    a, b, c = _runs(x, dim)
    return [a, *([b] if inverse else []), *([c] if counts else [])]


def _in_order(x: Any) -> Any:
    seen = list(dict.fromkeys(x.reshape(-1).tolist()))
    return np.array(seen), np.array([seen.index(v) for v in x.reshape(-1).tolist()]).reshape(x.shape)


def _padded(x: Any, number: Any) -> Any:
    values, back = _in_order(x)
    return np.concatenate([values, np.full(x.size - values.size, number)]), back


def _repeated(m: Maker) -> Any:
    return np.array([1, 1, 2, 2, 2, 0, 1]).astype(m.np)


def _rows(m: Maker) -> Any:
    return np.array([[1, 1], [1, 1], [2, 1]]).astype(m.np)


def _with_value(function: Any, place: Any) -> Any:
    def oracle(x: Any, dim: Any = 0, keepdim: bool = False, place_first: bool = False) -> Any:
        out = function(x, axis=dim, keepdims=keepdim), place(x, axis=dim, keepdims=keepdim)
        return out[::-1] if place_first else out

    return oracle


def _choose(x: Any, choices: Any, mode: Any = "clip") -> Any:
    return np.choose(x.astype(np.int64), choices, mode=mode)


BEST: list[Any] = [
    lambda m: (m.distinct(3, 4), 1),
    lambda m: (m.distinct(3, 4), 0, True),
    lambda m: (m.distinct(3), 0, False, True),
]
CASES = {
    "search_sorted": Case(_search, lambda m: [*_sequences(m), (*_sequences(m)[0], True)], SOME, grad=0),
    "searchsorted": Case(
        lambda rows, v, int32=False, right=False, side=None, sorter=None: _search(rows, v, right or side == "right"),
        lambda m: [*_sequences(m), (*_sequences(m)[0], True, False, "right")],
        SOME,
        grad=0,
    ),
    "searchsorted_in": Case(
        lambda rows, v, side="left": _search(rows, np.asarray(v), side == "right"),
        lambda m: [(np.sort(m(5)), 1), (np.sort(m(5)), [0, 2], "right")],
        SOME,
        grad=0,
    ),
    "bucketize": Case(
        lambda x, edges, right=False: _search(np.array(edges, np.float64).reshape(-1), x, right),
        lambda m: [(m(2, 3), [-1.0, 0.5, 2]), (m(4), [1.0], True), (m(2), [])],
        SOME,
        grad=0,
    ),
    "unique_runs": Case(_runs, lambda m: [(_repeated(m),), (_rows(m),), (_rows(m), 0), (_rows(m).T, 1)], SOME, grad=0),
    "unique_consecutive": Case(
        _some_runs, lambda m: [(_repeated(m),), (_repeated(m), True, True), (_rows(m), False, True, 0)], SOME, grad=0
    ),
    "unique_in_order": Case(_in_order, lambda m: [(_repeated(m),), (_rows(m),)], SOME, grad=0),
    "unique_with_pad": Case(_padded, lambda m: [(_repeated(m), 7)], SOME, grad=0),
    "msort": Case(lambda x: np.sort(x, 0), lambda m: [(m.distinct(3, 4),), (m.distinct(4),)], SOME),
    "argmax_with_value": Case(_with_value(np.max, np.argmax), lambda m: [make(m) for make in BEST], SOME),
    "argmin_with_value": Case(_with_value(np.min, np.argmin), lambda m: [make(m) for make in BEST], SOME),
    "choose": Case(
        _choose,
        lambda m: [
            (np.array([1, 0, 1]).astype(m.np), [[1, 2, 3], [4, 5, 6]]),
            (np.array([1, 0, 5]).astype(m.np), [10, 20], "wrap"),
            (np.array([[2], [0]]).astype(m.np), [[1, 2, 3], [4, 5, 6]]),
        ],
        SOME,
        grad=0,
    ),
}
