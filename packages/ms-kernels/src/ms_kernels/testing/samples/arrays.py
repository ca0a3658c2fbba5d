"""Cases of the families array_forms, array_more and array_ragged."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.testing.case import FLOAT, REAL, Case, Maker

__all__ = ["CASES"]

PLAIN = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
INDEX = "the result is an index or a count"
NO_RULE = "2.6 has no gradient for it"
WHOLE = ("int32", "int64")


def _index(oracle: Any, inputs: Any, dtypes: Any = REAL, note: str = INDEX, **more: Any) -> Case:
    return Case(oracle, inputs, dtypes, 0, note=note, **more)


def _bits(x: Any, limit: Any) -> Any:
    flags = (x > limit).reshape(*x.shape[:-1], -1, 8)
    return (flags * 2 ** np.arange(7, -1, -1)).sum(-1)


def _ngram(words: Any, scores: Any, size: int = 1) -> Any:
    out = scores.copy()
    for at in np.ndindex(*words.shape[:2]):
        row = words[at].tolist()
        runs = [tuple(row[i : i + size]) for i in range(len(row) - size + 1)]
        for word in range(scores.shape[2]):
            if (*row[len(row) - size + 1 :], word) in runs:
                place = (*at, word)
                out[place] = np.finfo(np.float32).min
    return out


def _swapped(x: Any, source: str = "NHWC", target: str = "NCHW") -> Any:
    return x[[source.index(c) for c in target]]


def _dims(x: Any, source: str = "NHWC", target: str = "NCHW") -> Any:
    return np.array([source.index(target[n % 4]) for n in x.reshape(-1)]).reshape(x.shape)


def _added(x: Any, at: Any, value: Any, dim: int = 0) -> Any:
    out = x.copy()
    for place in np.ndindex(*at.shape):
        where = list(place)
        where[dim] = at[place]
        out[tuple(where)] += value[place]
    return out


def _ragged(starts: Any, ends: Any, steps: Any, _splits: Any) -> Any:
    rows = [np.arange(a, b, c) for a, b, c in zip(*map(np.atleast_1d, (starts, ends, steps)))]
    return np.cumsum([0, *map(len, rows)]), np.concatenate(rows)


def _merged(places: Any, values: Any, shape: Any) -> Any:
    total: dict[tuple[int, ...], float] = {}
    for place, value in zip(places.T.tolist(), values):
        total[tuple(place)] = total.get(tuple(place), 0) + value
    keys = sorted(total)
    return np.array(keys).T, np.array([total[key] for key in keys]), shape


def _banded(upper: Any, middle: Any, lower: Any, x: Any) -> Any:
    def dense(u: Any, m: Any, w: Any) -> Any:
        return np.diag(m) + np.diag(u[:-1], 1) + np.diag(w[1:], -1)

    if x.ndim == 2:
        return dense(upper[0], middle[0], lower[0]) @ x
    return np.stack([_banded(*parts) for parts in zip(upper, middle, lower, x)])


def _replaced(x: Any, at: Any, value: Any) -> Any:
    out = x.copy()
    out[np.atleast_1d(at)] = value
    return out


def _edits(a: Any, b: Any) -> Any:
    if not a or not b:
        return len(a) + len(b)
    change = _edits(a[1:], b[1:]) + (a[0] != b[0])
    return min(change, _edits(a[1:], b) + 1, _edits(a, b[1:]) + 1)


def _distances(hi: Any, hv: Any, hs: Any, ti: Any, tv: Any, ts: Any, normal: bool = True) -> Any:
    out = np.zeros([int(max(a, b)) for a, b in zip(hs[:-1], ts[:-1])])
    for at in np.ndindex(*out.shape):
        one, other = (
            [v for p, v in zip(i.tolist(), values.tolist()) if tuple(p[:-1]) == at]
            for i, values in ((hi, hv), (ti, tv))
        )
        steps = _edits(one, other)
        out[at] = steps if not normal else steps / len(other) if other else (np.inf if one else 0)
    return out


def _sparse(m: Maker) -> list[tuple[Any, ...]]:
    first = np.array([[0, 0], [0, 1], [0, 2], [1, 0]]), np.array([1, 2, 3, 1]).astype(m.np), np.array([2, 3])
    second = np.array([[0, 0], [0, 1], [2, 0]]), np.array([2, 3, 1]).astype(m.np), np.array([3, 2])
    return [(*first, *second), (*first, *second, False)]


def _lars(
    w: Any,
    g: Any,
    nw: Any,
    ng: Any,
    decay: float,
    lr: float,
    eps: float = 1e-5,
    hyper: float = 1e-3,
    clip: bool = False,
) -> Any:
    a, b = np.sqrt(nw), np.sqrt(ng)
    trust = hyper * a / (b + decay * a + eps)
    return (g + decay * w) * (min(trust / lr, 1) if clip else trust)


def _means(x: Any, at: Any, ids: Any) -> Any:
    out = np.zeros((ids[-1] + 1, *x.shape[1:]))
    for segment in np.unique(ids):
        out[segment] = x[at[ids == segment]].mean(0)
    return out


def _least(a: Any, b: Any, weight: Any, fast: bool = True) -> Any:
    if not fast:
        return np.linalg.pinv(a) @ b
    n = a.shape[-1]
    wide = np.concatenate([a, np.broadcast_to(np.sqrt(weight) * np.eye(n), (*a.shape[:-2], n, n))], -2)
    return np.linalg.pinv(wide) @ np.concatenate([b, np.zeros((*b.shape[:-2], n, b.shape[-1]))], -2)


def _log(x: Any) -> Any:
    """By its power series: the matrices of the case lie near multiples of 1."""
    size = np.trace(x) / len(x)
    rest = x / size - np.eye(len(x))
    terms = [(-1) ** (k + 1) / k * np.linalg.matrix_power(rest, k) for k in range(1, 60)]
    return np.sum(terms, 0) + np.log(size) * np.eye(len(x))


def _sent(tokens: Any, experts: Any, count: Any = None, _padded: bool = False) -> Any:
    flat = experts.reshape(-1)
    order = np.argsort(flat, kind="stable")
    k = len(flat) // len(tokens)
    return tokens[order[: count or len(flat)] // k], np.argsort(order)


def _back(tokens: Any, at: Any, probs: Any = None, *_rest: Any) -> Any:
    found = tokens[at]
    return found if probs is None else (found.reshape(*probs.shape, -1) * probs[..., None]).sum(1)


def _matrices(m: Maker) -> list[tuple[Any, ...]]:
    return [((np.eye(3) * 4 + m(3, 3) / 8).astype(m.np),)]


CASES = {
    "check_numerics": Case(lambda x: x, lambda m: [(m(3, 2),), (m(),)], FLOAT),
    "compare_and_bitpack": _index(_bits, lambda m: [(m(2, 16), np.array(0, m.np))]),
    "equal_count": _index(
        lambda a, b: np.array([(a == b).sum()]), lambda m: [(m.ints(9).astype(m.np), m.ints(9).astype(m.np))]
    ),
    "identity_n": Case(lambda xs: tuple(xs), lambda m: [([m(2), m(3, 1)],)], REAL),
    "list_diff": _index(
        lambda x, y, _t=None: (x[~np.isin(x, y)], np.flatnonzero(~np.isin(x, y))),
        lambda m: [(m.distinct(6), m.distinct(9)[:3]), (m.distinct(4), m.distinct(4), mstype.int64)],
    ),
    "nth_element": Case(
        lambda x, n, reverse=False: np.sort(x, -1)[..., -1 - n if reverse else n],
        lambda m: [(m.distinct(2, 5), 1), (m.distinct(4), 0, True)],
        REAL,
    ),
    "no_repeat_ngram": _index(
        _ngram, lambda m: [(m.ints(2, 2, 8), m(2, 2, 4), n) for n in (1, 2, 3)], ("float32",), NO_RULE
    ),
    "data_format_dim_map": _index(
        _dims,
        lambda m: [(m.ints(3, 3, low=-4, high=4).astype(m.np),), (m.ints(4, high=4).astype(m.np), "NCHW", "NHWC")],
        WHOLE,
    ),
    "data_format_vec_permute": Case(_swapped, lambda m: [(m(4),), (m(4, 2), "NCHW", "NHWC")], REAL),
    "scatter_add_with_axis": Case(
        _added, lambda m: [(m(3, 3), m.ints(3, 2), m(3, 2), 1), (m(3, 2), m.ints(2, 2), m(2, 2))], (*FLOAT, *WHOLE)
    ),
    "sub_and_filter": _index(
        lambda x, most, offset: (
            (x - offset)[(x - offset >= 0) & (x - offset < most)],
            np.flatnonzero((x - offset >= 0) & (x - offset < most)),
        ),
        lambda m: [(m.ints(9, high=9).astype(m.np), 4, 2)],
        WHOLE,
    ),
    "ragged_range": _index(
        _ragged,
        lambda m: [
            (
                np.array([2, 5, 9]).astype(m.np),
                np.array([4, 9, 3]).astype(m.np),
                np.array([1, 2, -2]).astype(m.np),
                mstype.int64,
            )
        ],
        (*PLAIN, *WHOLE),
    ),
    "coalesce": Case(
        _merged,
        lambda m: [(np.array([[2, 0, 2], [1, 1, 1]]), m(3), np.array([3, 3]))],
        PLAIN,
        0,
        note="gradients of some of several results: tested with index_sum, which makes the values",
    ),
    "tridiagonal_matmul": Case(
        _banded,
        lambda m: [(m(1, 4), m(1, 4), m(1, 4), m(4, 2)), (m(2, 1, 3), m(2, 1, 3), m(2, 1, 3), m(2, 3, 1))],
        PLAIN,
    ),
    "inplace_update_rows": Case(_replaced, lambda m: [(m(3, 2), np.array([2, 0]), m(2, 2)), (m(3), 1, m(1))], REAL),
    "edit_distance": _index(_distances, _sparse, (*PLAIN, "int64")),
    "fill_v2": Case(lambda shape, value: np.full(shape, value), lambda m: [((2, 3), m()), ((), m(1))], REAL),
    "bincount_into": _index(
        lambda x, n, w: np.bincount(x[x < n], w[x < n] if w.size else None, int(n)),
        lambda m: [(m.ints(6, high=6), np.array(4), m(6)), (m.ints(5), np.array(3), np.zeros(0, m.np))],
        PLAIN,
    ),
    "hamming_window_of": _index(
        lambda n, periodic=True, a=0.54, b=0.46, _t=None: (
            a - b * np.cos(2 * np.pi * np.arange(int(n)) / (int(n) - (not periodic)))
        ),
        lambda m: [(6,), (7, False)],
        ("float32",),
        "it has no operand",
    ),
    "confusion_matrix": _index(
        lambda a, b, w, n, _t="int32": np.array(
            [[((a == i) & (b == j)) @ (np.ones(len(a)) if w is None else w) for j in range(n)] for i in range(n)]
        ),
        lambda m: [
            (m.ints(9).astype(m.np), m.ints(9).astype(m.np), None, 3),
            (m.ints(9).astype(m.np), m.ints(9).astype(m.np), m(9), 4, "float32"),
        ],
        WHOLE,
    ),
    "compute_accidental_hits": _index(
        lambda a, b, _n=1: (
            np.array([i for i, row in enumerate(a) for x in row for y in b if x == y]),
            np.array([j for row in a for x in row for j, y in enumerate(b) if x == y]),
            np.array([np.finfo(np.float32).min for row in a for x in row for y in b if x == y]),
        ),
        lambda m: [(m.ints(3, 2, high=6), np.arange(5), 2)],
        ("int64",),
    ),
    "float_status": _index(
        lambda x: np.array([float(not np.isfinite(x).all())]),
        lambda m: [(m(3),), (np.array([1, np.inf], m.np),)],
        FLOAT,
    ),
    "lars_update": Case(
        _lars,
        lambda m: [
            (m(2, 3), m(2, 3), m.positive(), m.positive(), 0.25, 0.5),
            (m(4), m(4), m.positive(), m.positive(), 0.25, 0.5, 0.01, 0.5, True),
        ],
        PLAIN,
    ),
    "sparse_segment_mean": Case(
        _means, lambda m: [(m(4, 2), np.array([0, 2, 1, 3], np.int32), np.array([0, 0, 2, 2], np.int32))], PLAIN
    ),
    "matrix_solve_ls": _index(
        _least,
        lambda m: [
            (m(4, 2), m(4, 1), np.array(0.0)),
            (m(2, 3, 2), m(2, 3, 2), np.array(0.5)),
            (m(2, 3), m(2, 1), np.array(0.5)),
            (m(4, 2), m(4, 1), np.array(0.0), False),
        ],
        PLAIN,
        NO_RULE,
        tolerance={"float32": (1e-3, 1e-4), "float64": (1e-9, 1e-9)},
    ),
    "matrix_logarithm": _index(_log, _matrices, COMPLEX, NO_RULE),
    "moe_token_permute": Case(
        _sent,
        lambda m: [(m(4, 2), np.array([2, 0, 1, 0], np.int32)), (m(3, 2), m.ints(3, 2, dtype=np.int32), 4)],
        FLOAT,
        results=1,
    ),
    "moe_token_unpermute": Case(
        _back,
        lambda m: [(m(4, 2), np.array([2, 0, 1, 3], np.int32)), (m(4, 2), np.array([2, 0, 1, 3], np.int32), m(2, 2))],
        FLOAT,
    ),
}
