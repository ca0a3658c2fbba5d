"""Cases of ms_kernels.ops.older."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.testing.case import ALL, FLOAT, Case, Maker

__all__ = ["CASES"]

SOME = (*FLOAT, "int32", "uint8")
IDS = np.array([0, 0, 2])


def _bound(right: bool) -> Any:
    def oracle(rows: Any, values: Any, _type: Any = None) -> Any:
        table, wanted = rows[:, None, :], values[..., None]
        return ((table <= wanted) if right else (table < wanted)).sum(-1)

    return oracle


def _bounds(m: Maker) -> list[tuple[Any, ...]]:
    return [(np.sort(m(2, 4)), m(2, 3)), (np.sort(m(1, 3)), m(1, 2), mstype.int64)]


def _segment(function: Any, empty: float) -> Case:
    def oracle(x: Any, ids: Any) -> Any:
        parts = [x[ids == i] for i in range(int(ids[-1]) + 1)]
        return np.stack([function(p, axis=0) if len(p) else np.full(x.shape[1:], empty) for p in parts])

    return Case(oracle, lambda m: [(m.away(3, 2), IDS), (m.distinct(3) + m.np.type(0), IDS.astype(np.int32))], FLOAT)


def _padded(x: Any, pads: Any, value: Any = None, mode: Any = "constant", together: bool = True) -> Any:
    half = len(pads) // 2
    pairs = [(pads[2 * i], pads[2 * i + 1]) if together else (pads[i], pads[half + i]) for i in range(half)][::-1]
    widths = [(0, 0)] * (x.ndim - half) + pairs
    return np.pad(x, widths, constant_values=value or 0) if mode == "constant" else np.pad(x, widths, mode)


def _resized(x: Any, shape: Any) -> Any:
    out = np.zeros(int(np.prod(shape)), x.dtype)
    n = min(out.size, x.size)
    out[:n] = x.reshape(-1)[:n]
    return out.reshape(shape)


def _places(m: Maker) -> list[tuple[Any, ...]]:
    return [(m.distinct(2, 3),), (m.distinct(2, 3), 0, mstype.int64)]


CASES = {
    "argmax_place": Case(lambda x, dim=-1, _type=None: x.argmax(dim), _places, SOME, grad=0),
    "argmin_place": Case(lambda x, dim=-1, _type=None: x.argmin(dim), _places, SOME, grad=0),
    "lower_bound": Case(_bound(False), _bounds, SOME, grad=0),
    "upper_bound": Case(_bound(True), _bounds, SOME, grad=0),
    "unravel_index": Case(
        lambda i, dims: np.stack(np.unravel_index(i, tuple(dims))),
        lambda m: [(np.array([3, 5]), np.array([2, 3])), (np.array(7), np.array([2, 2, 2]))],
        ("int64",),
        grad=0,
    ),
    "in_top_k": Case(
        lambda x, t, k=1: np.array([i in np.argsort(-row)[:k] for row, i in zip(x, t)]),
        lambda m: [(m.distinct(3, 4), np.array([0, 3, 1]), k) for k in (1, 2, 4)],
        FLOAT,
        grad=0,
    ),
    "segment_sum": _segment(np.sum, 0),
    "segment_mean": _segment(np.mean, 0),
    "segment_prod": _segment(np.prod, 1),
    "segment_max": _segment(np.max, 0),
    "segment_min": _segment(np.min, 0),
    "rint": Case(
        np.rint,
        lambda m: [(m.away(2, 3),), (np.array([0.5, 1.5, -2.5]).astype(m.np),)][: 1 + (m.dtype != "float64")],
        FLOAT,
    ),
    "pack": Case(np.stack, lambda m: [([m(2, 3), m(2, 3)],), ([m(2), m(2)], 1)], SOME),
    "unpack": Case(lambda x, dim=0: list(np.moveaxis(x, dim, 0)), lambda m: [(m(2, 3),), (m(2, 3), 1)], SOME),
    "parallel_concat": Case(np.concatenate, lambda m: [([m(1, 3), m(1, 3)],)], SOME),
    "pad_by_tensor": Case(
        _padded,
        lambda m: [
            (m(2, 3), (1, 2)),
            (m(2, 3), (1, 0, 2, 1), 1),
            (m(2, 3), (1, 2, 0, 1), None, "edge", False),
            (m(2, 3), (1, 2), None, "reflect"),
        ],
        SOME,
    ),
    "resize_flat": Case(_resized, lambda m: [(m(2, 3), (2, 4)), (m(2, 3), (2,)), (m(3), (3, 1)), (m(2), (0, 2))], ALL),
}
