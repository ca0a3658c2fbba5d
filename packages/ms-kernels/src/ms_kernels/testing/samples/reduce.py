"""Cases of ms_kernels.ops.reduce."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, REAL, Case, Maker

__all__ = ["CASES", "plain"]


def _axes(dim: Any) -> Any:
    return tuple(dim) if isinstance(dim, (tuple, list)) and dim else None if dim in (None, ()) else dim


def _over(make: str = "__call__", **options: Any) -> Callable[[Maker], list[tuple[Any, ...]]]:
    """All, one, several and negative dimensions, kept and not, 0-d and empty."""

    def inputs(m: Maker) -> list[tuple[Any, ...]]:
        new = getattr(m, make)
        return [
            (new(3, 4, **options),),
            (new(2, 3, 4, **options), 1),
            (new(2, 3, 4, **options), (0, -1), True),
            (new(3, 1, **options), -1, True),
            (new(**options),),
            (new(3, 0, **options), 0),
        ]

    return inputs


def plain(function: Any, **extra: Any) -> Callable[..., Any]:
    return lambda x, dim=None, keepdim=False, dtype=None: function(x, axis=_axes(dim), keepdims=keepdim, **extra)


def _scan(m: Maker) -> list[tuple[Any, ...]]:
    return [(m.away(3, 4), 0), (m.away(2, 3, 4), -1), (m.away(5), 0)]


def _var(x: Any, dim: Any = None, correction: Any = 1, keepdim: bool = False) -> Any:
    return np.var(x, axis=_axes(dim), ddof=correction, keepdims=keepdim)


def _spread(m: Maker) -> list[tuple[Any, ...]]:
    return [(m(3, 4),), (m(2, 3, 4), 1, 0), (m(2, 3, 4), (0, -1), 1, True)]


def _logsumexp(x: Any, dim: Any, keepdim: bool = False) -> Any:
    return np.log(np.sum(np.exp(x), axis=_axes(dim), keepdims=keepdim))


CASES = {
    "sum": Case(plain(np.sum), _over(), REAL),
    "mean": Case(plain(np.mean), lambda m: _over()(m)[:5], (*FLOAT, "int32")),
    "prod": Case(plain(np.prod), _over("away"), ("float32", "float64", "int32", "int64")),
    "all": Case(plain(np.all), lambda m: _over()(m)[:5], (*REAL, "bool_"), 0),
    "any": Case(plain(np.any), _over(), (*REAL, "bool_"), 0),
    "var": Case(_var, _spread, FLOAT),
    "std": Case(lambda *a: np.sqrt(_var(*a)), _spread, FLOAT),
    "logsumexp": Case(_logsumexp, lambda m: [(m(3, 4), 0), (m(2, 3, 4), (1, 2), True)], FLOAT),
    "cumsum": Case(lambda x, dim, dtype=None: np.cumsum(x, dim), _scan, REAL),
    "cumprod": Case(lambda x, dim, dtype=None: np.cumprod(x, dim), _scan, ("float32", "float64", "int32", "int64")),
}
