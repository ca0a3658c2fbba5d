"""Cases of ms_kernels.ops.rectifiers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import Case
from ms_kernels.testing.samples.activation import away, elu, sigmoid, softplus
from ms_kernels.testing.samples.elementary import one

__all__ = ["CASES"]


def _glu(x: Any, dim: int = -1) -> Any:
    a, b = np.split(x, 2, dim)
    return a * sigmoid(b)


CASES = {
    "softplus_scaled": Case(lambda x, b=1, t=20: softplus(b * x) / b, lambda m: [*one()(m), (m(3), 2, 30)]),
    "leaky_relu": Case(lambda x, a=0.2, inplace=False: np.where(x > 0, x, a * x), away(0.25)),
    "elu": Case(elu, away(0.5)),
    "celu": Case(lambda x, a=1.0: np.where(x > 0, x, a * np.expm1(np.minimum(x, 0) / a)), away(2.0)),
    "softsign": Case(lambda x: x / (1 + np.abs(x)), away()),
    "tanhshrink": Case(lambda x: x - np.tanh(x), one()),
    "softshrink": Case(lambda x, t=0.5: np.sign(x) * np.maximum(np.abs(x) - t, 0), away()),
    "hardshrink": Case(lambda x, t=0.5: np.where(np.abs(x) > t, x, 0), away()),
    "hardtanh": Case(lambda x, a=-1.0, b=1.0: np.clip(x, a, b), away()),
    "threshold": Case(lambda x, t, v, inplace=False: np.where(x > t, x, v), away(0.5, 2.0)),
    "prelu": Case(
        lambda x, w: np.where(x > 0, x, x * (w.reshape(-1, *[1] * (x.ndim - 2)) if x.ndim > 1 else w)),
        lambda m: [(m.away(2, 3, 4), m(3)), (m.away(2, 3), m(1)), (m.away(4), m(1))],
    ),
    "glu": Case(_glu, lambda m: [(m(3, 4),), (m(4, 3), 0)]),
}
