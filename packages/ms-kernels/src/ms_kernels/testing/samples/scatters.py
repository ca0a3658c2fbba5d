"""Cases of ms_kernels.ops.scatters."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import ALL, FLOAT, Case, Maker

__all__ = ["CASES"]

SOME = (*FLOAT, "int32", "int64", "uint8")
SIGNED = (*FLOAT, "int32", "int64")


def _changed(x: Any, key: Any, value: Any, add: bool = False) -> Any:
    out = np.array(x)
    if add:
        np.add.at(out, key, value)
    else:
        out[key] = value
    return out


def _along(dim: int, index: Any) -> Any:
    return (*((slice(None),) * dim), index)


def _index_add(x: Any, dim: int, index: Any, source: Any, alpha: Any = 1) -> Any:
    return _changed(x, _along(dim % x.ndim, index), source * alpha, True)


def _masked(x: Any, mask: Any, source: Any) -> Any:
    shape = np.broadcast_shapes(x.shape, mask.shape)
    chosen = np.broadcast_to(mask, shape)
    return _changed(np.broadcast_to(x, shape), chosen, source.reshape(-1)[: chosen.sum()])


def _diagonal(x: Any, src: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    out = np.array(x)
    for i in range(src.shape[-1]):
        key: list[Any] = [slice(None)] * x.ndim
        key[dim1], key[dim2] = i + max(-offset, 0), i + max(offset, 0)
        out[tuple(key)] = src[..., i]
    return out


def _index_put(m: Maker) -> list[tuple[Any, ...]]:
    from ms_kernels.core.tensor import from_array

    def keys(*arrays: Any) -> Any:
        return tuple(from_array(np.array(a)) for a in arrays)

    return [
        (m(3, 4), keys([0, 2], [1, -1]), m(2)),
        (m(3, 4), keys([2, 2], [1, 1]), m(2), True),
        (m(3, 4), keys([1]), m(1)),
        (m(3, 4), keys([0, 1]), m(1), True),
    ]


def _rows(function: Any) -> Any:
    return lambda x, v, at: function(x, np.atleast_1d(at), v)


CASES = {
    "index_add": Case(
        _index_add,
        lambda m: [
            (m(3, 2), 0, np.array([2, 0, 2]), m(3, 2)),
            (m(2, 3), -1, np.array([1], np.int32), m(2, 1), 2),
        ],
        SOME,
    ),
    "index_fill": Case(
        lambda x, dim, index, value: _changed(x, _along(int(dim), index), value),
        lambda m: [(m(3, 2), 1, np.array([0]), 2), (m(3, 2), 0, np.array([0, -1], np.int32), 1)],
        ALL,
    ),
    "index_put": Case(
        lambda x, keys, v, add=False: _changed(x, tuple(k.asnumpy() for k in keys), v, add), _index_put, SOME
    ),
    "masked_scatter": Case(
        _masked,
        lambda m: [
            (m(2, 3), np.array([[True, False, True], [False, True, False]]), m(4)),
            (m(2, 3), np.array([True, False, False]), m(2, 1)),
        ],
        ALL,
    ),
    "select_scatter": Case(
        lambda x, src, dim, i: _changed(x, _along(dim, i), src),
        lambda m: [(m(2, 3), m(2), 1, 0), (m(2, 3), m(3), 0, -1)],
        ALL,
    ),
    "slice_scatter": Case(
        lambda x, src, dim=0, start=None, end=None, step=1: _changed(x, _along(dim, slice(start, end, step)), src),
        lambda m: [(m(3, 2), m(2, 2), 0, 1), (m(2, 5), m(2, 3), 1, 0, 5, 2), (m(2, 2), m(2, 2))],
        ALL,
    ),
    "diagonal_scatter": Case(
        _diagonal,
        lambda m: [(m(2, 3), m(2)), (m(3, 3), m(2), -1), (m(2, 3, 4), m(3, 2), 1, 0, 2)],
        ALL,
    ),
    "inplace_update": Case(_rows(_changed), lambda m: [(m(3, 2), m(2, 2), (0, 2)), (m(3, 2), m(1, 2), -1)], SOME),
    "inplace_add": Case(
        _rows(lambda x, at, v: _changed(x, at, v, True)), lambda m: [(m(3, 2), m(2, 2), (0, 0)), (m(3), m(1), 2)], SOME
    ),
    "inplace_sub": Case(
        _rows(lambda x, at, v: _changed(x, at, -v, True)), lambda m: [(m(3, 2), m(2, 2), (0, 2))], SIGNED
    ),
    "put_": Case(
        lambda x, i, v, add=False: _changed(x.reshape(-1), i.reshape(-1), v.reshape(-1), add).reshape(x.shape),
        lambda m: [(m(2, 3), np.array([0, 5]), m(2)), (m(2, 3), np.array([[4, 4]]), m(2, 1), True)],
        SOME,
        grad=0,
        views=False,
        note="it changes its operand, so that a second call with the same one gives something else",
    ),
}
