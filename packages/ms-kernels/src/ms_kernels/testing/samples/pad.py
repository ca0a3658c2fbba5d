"""Cases of ms_kernels.ops.pad."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import ALL, Case

__all__ = ["CASES"]

NUMPY_MODES: dict[str, Any] = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def _pad(x: Any, padding: Any, mode: str = "constant", value: Any = 0) -> Any:
    pairs = [(padding[i], padding[i + 1]) for i in range(0, len(padding), 2)][::-1]
    pairs = [(0, 0)] * (x.ndim - len(pairs)) + pairs
    if not x.ndim:
        return x
    if mode != "constant":
        return np.pad(x, pairs, NUMPY_MODES[mode])
    x = x[tuple(slice(max(-low, 0), n - max(-high, 0)) for n, (low, high) in zip(x.shape, pairs))]
    return np.pad(x, [(max(low, 0), max(high, 0)) for low, high in pairs], constant_values=value or 0)


CASES = {
    "pad_constant": Case(
        lambda x, padding, value=0: _pad(x, padding, "constant", value),
        lambda m: [
            (m(2, 3), (1, 2)),
            (m(2, 3), (1, 0, 0, 2), 1),
            (m(4, 3), (-1, 1, 1, -2)),
            (m(0, 3), (1, 1)),
            (m(), ()),
        ],
        ALL,
    ),
    "pad": Case(
        _pad,
        lambda m: [
            (m(2, 3), (1, 2)),
            (m(2, 3, 4), (1, 0, 0, 2), "constant", 1),
            (m(2, 3), (2, 1), "reflect"),
            (m(2, 3), (2, 1, 1, 0), "replicate"),
            (m(2, 3), (3, 1, 0, 2), "circular"),
        ],
        ALL,
    ),
}
