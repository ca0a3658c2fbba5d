"""Cases of ms_kernels.ops.sort."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import REAL, Case, Maker

__all__ = ["CASES"]


def _sorted(x: Any, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    order = np.argsort(-x if descending else x, dim, kind="stable")
    return np.take_along_axis(x, order, dim), order


def _top(x: Any, k: int, dim: Any = -1, largest: bool = True, sorted: bool = True) -> Any:
    values, places = _sorted(x, -1 if dim is None else dim, largest)
    pick = np.arange(k)
    return np.take(values, pick, dim), np.take(places, pick, dim)


def _rows(m: Maker) -> list[tuple[Any, ...]]:
    return [(m.distinct(3, 4),), (m.distinct(2, 3, 4), 1, True), (m.distinct(4), 0, True)]


def _ties(m: Maker) -> list[tuple[Any, ...]]:
    return [*_rows(m), (np.ones((2, 3), m.np), 1, True)]


def _best(largest: bool) -> Any:
    def oracle(x: Any, dim: Any = None, keepdim: bool = False, initial: Any = None, where: Any = None) -> Any:
        value, place = (np.max, np.argmax) if largest else (np.min, np.argmin)
        if dim is None:
            return value(x), np.zeros((), np.int64)
        return value(x, axis=dim, keepdims=keepdim), place(x, axis=dim, keepdims=keepdim)

    return oracle


def _cases(m: Maker) -> list[tuple[Any, ...]]:
    return [(m.distinct(3, 4),), (m.distinct(3, 4), 1), (m.distinct(2, 3, 4), -2, True)]


def _pair(m: Maker) -> list[tuple[Any, ...]]:
    values = m.distinct(2, 12)
    return [(values[0].reshape(3, 4), values[1].reshape(3, 4)), (values[0, :3].reshape(3, 1), values[1, :4])]


def _named(name: str, largest: bool) -> dict[str, Case]:
    value = np.max if largest else np.min
    return {
        f"{name}_with_place": Case(_best(largest), _cases, REAL),
        f"{name}_of_all": Case(lambda x: value(x), lambda m: [(m.distinct(3, 4),)], REAL),
        f"{name}_along": Case(_best(largest), lambda m: _cases(m)[1:], REAL),
        f"{name}_pair": Case(np.maximum if largest else np.minimum, _pair, REAL),
        f"{name}_by_axis": Case(
            lambda x, dim, keep=False, *rest: value(x, axis=dim, keepdims=keep),
            lambda m: [(m.distinct(3, 4), 1), (m.distinct(2, 3, 4), (0, 2), True)],
            REAL,
        ),
    }


CASES = {
    "sort": Case(_sorted, _rows, REAL),
    "argsort": Case(lambda *a: _sorted(*a)[1], _ties, REAL, 0),
    "topk": Case(_top, lambda m: [(m.distinct(3, 4), 2), (m.distinct(3, 4), 2, 0, False), (m.distinct(5), 0)], REAL),
    **_named("max", True),
    **_named("min", False),
    "unique_parts": Case(
        lambda x: (
            np.unique(x, return_inverse=True, return_counts=True)[:1]
            + (np.unique(x, return_inverse=True)[1].reshape(x.shape), np.unique(x, return_counts=True)[1])
        ),
        lambda m: [(np.rint(m(3, 4)).astype(m.np),)],
        REAL,
        0,
    ),
    "unique": Case(lambda x: np.unique(x), lambda m: [(np.rint(m(3, 4)).astype(m.np),)], REAL, 0),
}
