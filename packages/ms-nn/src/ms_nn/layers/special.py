"""Special functions, determinants and ranges as layers: DiGamma, LGamma, IGamma, LBeta, MatInverse, MatDet, Range."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels import Tensor
from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail
from ms_nn.cell import Cell
from ms_nn.layers.plain import Plain

__all__ = ["DiGamma", "IGamma", "LBeta", "LGamma", "MatDet", "MatInverse", "Range"]

_SMALL = (mstype.float16, mstype.float32)


def _need(name: str, allowed: tuple[Any, ...], **inputs: Any) -> None:
    """Raise when an input is no Tensor of one of the dtypes."""
    for arg, value in inputs.items():
        if not isinstance(value, Tensor):
            fail(TypeError, name, f"'{arg}'", "be a Tensor", type(value).__name__)
        if value.dtype not in allowed:
            fail(TypeError, name, f"dtype of '{arg}'", f"be one of {[str(item) for item in allowed]}", str(value.dtype))


class DiGamma(Plain):
    """The derivative of log(gamma(x)), element by element (``mindspore.nn.DiGamma``).

    Raises:
        TypeError: (in the call) x is neither float16 nor float32.

    >>> from ms_kernels import Tensor
    >>> print(DiGamma()(Tensor([1.0])).asnumpy().round(4))
    [-0.5772]
    """

    def construct(self, x: Any) -> Any:
        """The function's values."""
        _need("DiGamma", _SMALL, x=x)
        return F.digamma(x)


class LGamma(Plain):
    """log(abs(gamma(x))), element by element (``mindspore.nn.LGamma``).

    Raises:
        TypeError: (in the call) x is neither float16 nor float32.

    >>> from ms_kernels import Tensor
    >>> print(LGamma()(Tensor([5.0])).asnumpy().round(4))
    [3.1781]
    """

    def construct(self, x: Any) -> Any:
        """The function's values."""
        _need("LGamma", _SMALL, x=x)
        return F.lgamma(x)


class IGamma(Plain):
    """The lower regularized incomplete gamma function P(a, x), element by element (``mindspore.nn.IGamma``).

    Raises:
        TypeError: (in the call) `a` or `x` is not float32.

    >>> from ms_kernels import Tensor
    >>> print(IGamma()(Tensor([2.0]), Tensor([2.0])).asnumpy().round(4))
    [0.594]
    """

    def construct(self, a: Any, x: Any) -> Any:
        """The function's values."""
        _need("IGamma", (mstype.float32,), a=a, x=x)
        return F.igamma(a, x)


class LBeta(Cell):
    """log(abs(beta(x, y))) = lgamma(x) + lgamma(y) - lgamma(x + y), element by element (``mindspore.nn.LBeta``).

    Raises:
        TypeError: (in the call) x or y is neither float16 nor float32, or their dtypes differ.

    >>> from ms_kernels import Tensor
    >>> print(LBeta()(Tensor([2.0]), Tensor([3.0])).asnumpy().round(4))
    [-2.4849]
    """

    def __init__(self) -> None:
        super().__init__()
        self.lgamma = LGamma()

    def construct(self, x: Any, y: Any) -> Any:
        """The function's values."""
        _need("LBeta", _SMALL, x=x, y=y)
        if x.dtype != y.dtype:
            fail(TypeError, "LBeta", "dtype of 'y'", f"be that of 'x', {x.dtype}", str(y.dtype))
        return self.lgamma(x) + self.lgamma(y) - self.lgamma(x + y)


class MatInverse(Plain):
    """Inverses of symmetric positive definite matrices, by their Cholesky factors (``mindspore.nn.MatInverse``).

    Shapes: (..., n, n) -> (..., n, n).

    >>> from ms_kernels import Tensor
    >>> print(MatInverse()(Tensor([[4.0, 0.0], [0.0, 1.0]])))
    [[0.25 0.  ]
     [0.   1.  ]]
    """

    def construct(self, a: Any) -> Any:
        """The inverses."""
        _need("MatInverse", (mstype.float32, mstype.float64), a=a)
        factor = F.inverse(F.cholesky(a))
        return F.matmul(F.swapaxes(factor, -1, -2), factor)


class MatDet(Plain):
    """Determinants of symmetric positive definite matrices, by their Cholesky factors (``mindspore.nn.MatDet``).

    Shapes: (..., n, n) -> (...).

    >>> from ms_kernels import Tensor
    >>> print(MatDet()(Tensor([[4.0, 2.0], [2.0, 5.0]])))
    16.0
    """

    def construct(self, a: Any) -> Any:
        """The determinants."""
        _need("MatDet", (mstype.float32, mstype.float64), a=a)
        return F.prod(F.square(F.diagonal(F.cholesky(a), 0, -2, -1)), -1)


class Range(Cell):
    """A 1-D Tensor of the numbers from `start` by `delta`, less than `limit` (``mindspore.nn.Range``).

    Args:
        start: the first number; or the limit, with a start of 0, when `limit` is None.
        limit: the numbers stay before it.
        delta: from one number to the next, not 0.

    int32 of ints, otherwise float32. The call takes nothing.

    Raises:
        TypeError: an argument that is no number.
        ValueError: `delta` is 0.

    >>> print(Range(1, 8, 2)())
    [1 3 5 7]
    """

    def __init__(self, start: Any, limit: Any = None, delta: Any = 1) -> None:
        super().__init__()
        for arg, value in (("start", start), ("limit", limit), ("delta", delta)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
                fail(TypeError, "Range", f"'{arg}'", "be int or float", type(value).__name__)
        if delta == 0:
            raise ValueError("For 'Range', the 'delta' can not be zero.")
        first, end = (0, start) if limit is None else (start, limit)
        numbers = np.arange(first, end, delta)
        self.result_tensor = Tensor(numbers.astype(np.int32 if numbers.dtype.kind == "i" else np.float32))

    def construct(self) -> Any:
        """The numbers."""
        return self.result_tensor
