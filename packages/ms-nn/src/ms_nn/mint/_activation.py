"""Activations that differ from ``mindspore.nn``'s in parameters or in the name they print."""

from __future__ import annotations

import inspect
from typing import Any

import ms_dtype as mstype
from ms_initializer import initializer
from ms_kernels import Parameter
from ms_kernels import functional as F
from ms_nn import _check
from ms_nn.cell import Cell
from ms_nn.layers.activation import row

_REQUIRED = inspect.Parameter.empty
_HERE = ("mint.nn", __name__)


def _soft(function: Any, x: Any, dim: Any) -> Any:
    """A softmax whose dim, when it is None, is the one that 2.6 picks for the number of dimensions."""
    if dim is None:
        dim = 0 if x.ndim in (0, 1, 3) else 1
    return function(x, dim)


ReLU6 = row("ReLU6", "min(max(0, x), 6)", lambda x, _inplace: F.relu6(x), home=_HERE, inplace=False)
Sigmoid = row("Sigmoid", "1 / (1 + exp(-x))", lambda x: F.sigmoid(x), home=_HERE)
Tanh = row("Tanh", "tanh(x)", lambda x: F.tanh(x), home=_HERE)
SiLU = row("SiLU", "x sigmoid(x)", lambda x: F.silu(x), home=_HERE, takes="x")
SELU = row("SELU", "The self-normalizing scaled ELU", lambda x: F.selu(x), home=_HERE)
Mish = row("Mish", "x tanh(log(1 + exp(x)))", lambda x: F.mish(x), home=_HERE)
LogSigmoid = row("LogSigmoid", "log(1 / (1 + exp(-x)))", lambda x: F.logsigmoid(x), home=_HERE)
GELU = row("GELU", "x P(X <= x) for a standard normal X", lambda x, how: F.gelu(x, how), home=_HERE, approximate="none")
GLU = row(
    "GLU", "The first half along dim times the sigmoid of the second", lambda x, d: F.glu(x, d), home=_HERE, dim=-1
)
ELU = row(
    "ELU",
    "x, or alpha (exp(x) - 1) below 0",
    lambda x, alpha, _inplace: _elu(x, alpha),
    home=_HERE,
    alpha=1.0,
    inplace=False,
)
Hardtanh = row(
    "Hardtanh",
    "x limited to [min_val, max_val]",
    lambda x, low, high, _inplace: F.hardtanh(x, low, high),
    home=_HERE,
    min_val=-1.0,
    max_val=1.0,
    inplace=False,
)
Threshold = row(
    "Threshold",
    "x, or `value` where x <= threshold",
    lambda x, threshold, value, _inplace: F.threshold(x, threshold, value),
    home=_HERE,
    threshold=_REQUIRED,
    value=_REQUIRED,
    inplace=False,
)
SoftmaxExt = row(
    "SoftmaxExt", "exp(x) divided by its sum along dim", lambda x, d: _soft(F.softmax, x, d), home=_HERE, dim=None
)
LogSoftmaxExt = row(
    "LogSoftmaxExt",
    "The logarithm of the softmax along dim",
    lambda x, d: _soft(F.log_softmax, x, d),
    home=_HERE,
    dim=None,
    takes="x",
)


def _elu(x: Any, alpha: float) -> Any:
    return F.where(x > 0, x, (F.exp(F.minimum(x, 0.0)) - 1) * alpha)


class PReLUExt(Cell):
    """x, or a x below 0, with a trained for each channel or for all (``mindspore.mint.nn.PReLU``).

    Args:
        num_parameters: how many slopes there are: 1, or the size of dimension 1 of the input.
        init: the slopes at first.
        dtype: of the slopes; float32 if None.

    >>> from ms_kernels import Tensor
    >>> print(PReLUExt()(Tensor([[-4.0, 4.0]])))
    [[-1.  4.]]
    """

    def __init__(self, num_parameters: int = 1, init: float = 0.25, dtype: Any = None) -> None:
        super().__init__()
        _check.integer("PReLU", "num_parameters", num_parameters)
        self.weight = Parameter(initializer(init, [num_parameters], dtype=dtype or mstype.float32), name="weight")

    def construct(self, input: Any) -> Any:
        """The function of every element."""
        return F.prelu(input, self.weight)
