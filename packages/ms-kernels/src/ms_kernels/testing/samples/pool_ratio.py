"""Cases of ms_kernels.ops.pool_ratio."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ms_kernels.testing.case import Case, Maker

__all__ = ["CASES"]


def _by(how: Callable[..., Any], name: str) -> Any:
    """The definition, over the borders that the op tells."""

    def oracle(x: Any, ratio: Any, pseudo: bool, overlapping: bool, deterministic: bool, seed: int) -> Any:
        from ms_kernels import Tensor
        from ms_kernels import functional as ops

        made = getattr(ops, name)(ratio, pseudo, overlapping, deterministic, seed)
        rows, columns = (t.asnumpy() for t in made(Tensor(x.astype(np.float32)))[1:])
        more = int(overlapping)
        out = np.zeros((x.shape[0], len(rows) - 1, len(columns) - 1, x.shape[3]))
        for i, j in np.ndindex(out.shape[1:3]):
            part = x[:, rows[i] : rows[i + 1] + more, columns[j] : columns[j + 1] + more]
            out[:, i, j] = how(part, axis=(1, 2))
        return out, rows, columns

    return oracle


def _inputs(m: Maker) -> list[tuple[Any, ...]]:
    x = m.distinct(1, 7, 8, 2)
    return [(x, [1.0, 1.5, 1.4, 1.0], pseudo, over, True, 5) for pseudo, over in ((True, False), (False, True))]


CASES = {
    "fractional_max_ratio": Case(_by(np.max, "FractionalMaxPool"), _inputs, results=1),
    "fractional_avg_ratio": Case(
        _by(np.mean, "FractionalAvgPool"),
        _inputs,
        results=1,
        tolerance={"float16": (1e-2, 2e-2), "bfloat16": (5e-2, 0.3), "float32": (1e-4, 1e-5)},
    ),
}
