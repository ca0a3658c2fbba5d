"""Cases of ms_kernels.ops.scatter_nd."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import ALL, FLOAT, REAL, Case, Maker

__all__ = ["CASES"]

SOME = (*FLOAT, "int32", "int64", "uint8")
SIGNED = (*FLOAT, "int32", "int64")


def _combine(x: Any, key: Any, value: Any, how: str) -> Any:
    out = np.array(x, np.float64)
    value = np.broadcast_to(value, out[key].shape)
    places = np.broadcast_arrays(*key)
    for at in np.ndindex(places[0].shape):
        to, part = tuple(p[at] for p in places), value[at]
        if how == "update":
            out[to] = part
        elif how == "div":
            out[to] = out[to] / part if x.dtype.kind == "f" else np.trunc(out[to] / part)
        else:
            names = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "max": np.maximum, "min": np.minimum}
            out[to] = names[how](out[to], part)
    return out


def _rows(how: str) -> Any:
    return lambda x, rows, value: _combine(x, tuple(np.moveaxis(rows, -1, 0)), value, how)


def _row_inputs(m: Maker) -> list[tuple[Any, ...]]:
    twice = np.array([[1, 2], [0, 0], [1, 2]])
    return [
        (m.distinct(3, 4), twice, m.positive(3) + np.array([0, 1, 2]).astype(m.np)),
        (m.away(3, 2), np.array([[2], [0]], np.int32), m.positive(2, 2)),
        (m.away(4), np.array([[[1]], [[3]]]), m.positive(2, 1)),
    ]


def _once(m: Maker) -> list[tuple[Any, ...]]:
    return [(m.away(3, 2), np.array([[2], [0]], np.int32), m(2, 2)), (m(3, 3), np.array([[1, 2], [0, 0]]), m(2))]


def _segments(start: float, how: str) -> Any:
    def oracle(x: Any, ids: Any, count: int) -> Any:
        out = np.full((count, *x.shape[ids.ndim :]), start)
        used = ids >= 0
        return _combine(out, (ids[used],), x[used], how)

    return oracle


def _segment_inputs(m: Maker) -> list[tuple[Any, ...]]:
    return [
        (m.distinct(4, 2), np.array([0, 1, 0, 1]), 2),
        (m.distinct(2, 3), np.array([[0, 1, 0], [1, 1, -1]], np.int32), 2),
    ]


def _elements(x: Any, index: Any, value: Any, dim: int = 0, reduction: str = "none") -> Any:
    out = np.array(x)
    for at in np.ndindex(index.shape):
        to = list(at)
        to[dim] = index[at]
        out[tuple(to)] = value[at] + (out[tuple(to)] if reduction == "add" else 0)
    return out


def _row_case(how: str, inputs: Any = _row_inputs, dtypes: Any = SOME) -> Case:
    return Case(_rows(how), inputs, dtypes)


KEY = (np.array([0, 2, 0]), np.array([1, 1, 1]))
CASES = {
    "combine_key": Case(
        _combine,
        lambda m: [
            (m.distinct(3, 2), KEY, m.positive(3) + np.array([0, 1, 2]).astype(m.np), how)
            for how in ("add", "sub", "mul", "div", "max", "min")
        ],
        SIGNED,
        tolerance={"bfloat16": (6e-2, 2e-2)},
    ),
    "gather_nd": Case(
        lambda x, rows: x[tuple(np.moveaxis(rows, -1, 0))],
        lambda m: [(m(3, 4), m.ints(2, 3, 2)), (m(3, 4), m.ints(2, 1)), (m(3), m.ints(1)), (m(3), m.ints(0, 1))],
        ALL,
    ),
    "scatter_nd": Case(
        lambda rows, value, shape: _rows("add")(np.zeros(shape), rows, value),
        lambda m: [(np.array([[0], [2], [0]]), m(3), (4,)), (np.array([[1, 0]]), m(1, 2), (2, 2, 2))],
        REAL,
        wrt=(1,),
    ),
    "tensor_scatter_update": _row_case("update", _once),
    "tensor_scatter_add": _row_case("add"),
    "tensor_scatter_sub": _row_case("sub", dtypes=SIGNED),
    "tensor_scatter_mul": _row_case("mul", dtypes=SIGNED),
    "tensor_scatter_div": _row_case("div"),
    "tensor_scatter_max": _row_case("max"),
    "tensor_scatter_min": _row_case("min"),
    "tensor_scatter_elements": Case(
        _elements,
        lambda m: [
            (m(2, 3), np.array([[0, 2], [1, 0]]), m(2, 2), 1),
            (m(2, 3), np.array([[0, 0], [1, -1]]), m(2, 2), -1, "add"),
            (m(3), np.array([1]), m(1)),
        ],
        SOME,
    ),
    "unsorted_segment_sum": Case(_segments(0, "add"), _segment_inputs, SOME),
    "unsorted_segment_prod": Case(_segments(1, "mul"), lambda m: [(m.away(4, 2), np.array([0, 1, 0, -1]), 3)], SIGNED),
    "unsorted_segment_max": Case(_segments(-1e4, "max"), _segment_inputs, SOME),
    "unsorted_segment_min": Case(_segments(1e4, "min"), _segment_inputs, SOME),
}
