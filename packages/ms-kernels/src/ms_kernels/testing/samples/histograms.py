"""Cases of ms_kernels.ops.histograms."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import Case, Maker

__all__ = ["CASES"]


def _histc(x: Any, bins: int = 100, low: float = 0, high: float = 0) -> Any:
    return np.histogram(x, bins, (low, high) if low != high else None)[0]


def _fixed(x: Any, ends: Any, bins: int) -> Any:
    return np.histogram(np.clip(x, *ends), bins, tuple(ends))[0]


def _places(m: Maker) -> list[tuple[Any, ...]]:
    """Numbers in the middle of the bins."""
    x = m.ints(3, 4, low=0, high=6).astype(m.np)
    return [(x, 6, -0.5, 5.5), (x, 3, -0.5, 2.5)]


def _cov(x: Any, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
    return np.cov(x, ddof=correction)


APART = "takes what is no operand: tested by itself"
CASES = {
    "histc": Case(_histc, _places, ("float32", "float64", "int32"), 0),
    "histogram_fixed_width": Case(
        _fixed, lambda m: [(m.ints(3, 4, low=-2, high=7).astype(m.np), np.array([-0.5, 5.5], m.np), 6)], ("float32",), 0
    ),
    "bincount": Case(np.bincount, lambda m: [(m.ints(9, high=5),), (m.ints(9, high=5), None, 8)], ("int64",), 0),
    "whole_bincount": Case(lambda x: x, lambda m: [], ("int64",), 0, note=APART),
    "cov": Case(_cov, lambda m: [(m(3, 5),), (m(3, 5), 0), (m(5),)], ("float32", "float64")),
}
