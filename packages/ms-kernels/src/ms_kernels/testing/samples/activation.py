"""Cases of ms_kernels.ops.activation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, Case, Maker
from ms_kernels.testing.samples.elementary import one

__all__ = ["CASES", "away", "elu", "sigmoid", "softplus"]

_erf = np.vectorize(math.erf, otypes=[float])


ALPHA, SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


def away(*rest: Any) -> Any:
    """Inputs off the kinks at 0, 0.5, 1, 3 and 6."""

    def inputs(m: Maker) -> list[tuple[Any, ...]]:
        values = m.away(4, 6) * m.np.type(2.5)
        for kink in (0.5, 1.0, 3.0, 6.0):
            values = np.where(np.abs(np.abs(values.astype(np.float64)) - kink) < 0.1, kink + 0.2, values).astype(m.np)
        return [(values, *rest), (np.asarray(values[0, 0]), *rest), (m(0, 3), *rest)]

    return inputs


def _gelu(x: Any, approximate: str = "none") -> Any:
    if approximate == "none":
        return x * (1 + _erf(x / math.sqrt(2))) / 2
    return x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2


def softplus(x: Any) -> Any:
    return np.logaddexp(0, x)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def _clip(low: float, high: float) -> Any:
    return lambda x: np.clip(x, low, high)


def elu(x: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


CASES = {
    "relu": Case(lambda x: np.maximum(x, 0), away()),
    "relu_flag": Case(lambda x, inplace=False: np.maximum(x, 0), away()),
    "relu6": Case(_clip(0, 6), away()),
    "gelu_erf": Case(_gelu, one()),
    "gelu_tanh": Case(lambda x: _gelu(x, "tanh"), one()),
    "gelu": Case(_gelu, lambda m: [*one()(m), (m(3), "tanh")]),
    "silu": Case(lambda x: x * sigmoid(x), one()),
    "logsigmoid": Case(lambda x: -softplus(-x), one()),
    "softplus": Case(softplus, one()),
    "mish": Case(lambda x: x * np.tanh(softplus(x)), one()),
    "hsigmoid": Case(lambda x: np.clip(x / 6 + 0.5, 0, 1), away()),
    "hswish": Case(lambda x: x * np.clip(x / 6 + 0.5, 0, 1), away()),
    "hard_sigmoid": Case(lambda x: np.clip(x / 6 + 0.5, 0, 1), away()),
    "hard_swish": Case(lambda x: x * np.clip(x / 6 + 0.5, 0, 1), away()),
    "selu": Case(lambda x: SCALE * elu(x, ALPHA), away()),
    "loop_grad": Case(lambda g, x, kind: g * (x > 0), lambda m: [(m(3, 4), m.away(3, 4), "relu_grad")], FLOAT, 0),
}
