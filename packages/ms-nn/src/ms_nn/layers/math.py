"""Products and reductions as layers: MatMul, BiDense, ReduceLogSumExp, Moments, L1Regularizer."""

from __future__ import annotations

import math
from typing import Any

import ms_dtype as mstype
from ms_initializer import Uniform, initializer
from ms_kernels import Parameter, Tensor
from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail
from ms_nn import _check
from ms_nn.cell import Cell

__all__ = ["BiDense", "L1Regularizer", "MatMul", "Moments", "ReduceLogSumExp"]


class MatMul(Cell):
    """The matrix product of two inputs, transposed first as asked for (``mindspore.nn.MatMul``).

    >>> from ms_kernels import Tensor
    >>> print(MatMul(transpose_x1=True)(Tensor([[1.0], [2.0]]), Tensor([[3.0], [4.0]])))
    [[11.]]
    """

    def __init__(self, transpose_x1: bool = False, transpose_x2: bool = False) -> None:
        super().__init__()
        self.transpose_x1 = _check.boolean("MatMul", "transpose_x1", transpose_x1)
        self.transpose_x2 = _check.boolean("MatMul", "transpose_x2", transpose_x2)

    def construct(self, x1: Any, x2: Any) -> Any:
        """The product."""
        if self.transpose_x1 and x1.ndim > 1:
            x1 = F.swapaxes(x1, -1, -2)
        if self.transpose_x2 and x2.ndim > 1:
            x2 = F.swapaxes(x2, -1, -2)
        return F.matmul(x1, x2)


class BiDense(Cell):
    """x1 W x2 + b for each of the results (``mindspore.nn.BiDense``).

    Args:
        in1_channels, in2_channels: sizes of the inputs' last dimensions.
        out_channels: how many results.
        weight_init, bias_init: Tensor, str, Initializer or number; uniform in +-1/sqrt(in1_channels) if None.
        has_bias: there is a bias.
        dtype: of the parameters.

    Shapes: weight (out_channels, in1_channels, in2_channels), inputs (..., in1_channels) and (..., in2_channels).

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.

    >>> from ms_kernels import Tensor
    >>> print(BiDense(1, 2, 1, "ones", "zeros")(Tensor([[2.0]]), Tensor([[3.0, 4.0]])))
    [[14.]]
    """

    def __init__(
        self,
        in1_channels: int,
        in2_channels: int,
        out_channels: int,
        weight_init: Any = None,
        bias_init: Any = None,
        has_bias: bool = True,
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__()
        self.in1_channels = _check.integer("BiDense", "in1_channels", in1_channels)
        self.in2_channels = _check.integer("BiDense", "in2_channels", in2_channels)
        self.out_channels = _check.integer("BiDense", "out_channels", out_channels)
        self.has_bias = _check.boolean("BiDense", "has_bias", has_bias)
        limit = 1 / math.sqrt(in1_channels)
        shape = [out_channels, in1_channels, in2_channels]
        first = Uniform(limit) if weight_init is None else weight_init
        self.weight = Parameter(initializer(first, shape, dtype), name="weight")
        self.bias: Any = None
        if has_bias:
            first = Uniform(limit) if bias_init is None else bias_init
            self.bias = Parameter(initializer(first, [out_channels], dtype), name="bias")

    def construct(self, input1: Any, input2: Any) -> Any:
        """The layer's result."""
        for arg, value, size in (("input1", input1, self.in1_channels), ("input2", input2, self.in2_channels)):
            if value.ndim < 2 or value.shape[-1] != size:
                fail(ValueError, "BiDense", f"last dimension of '{arg}'", f"be {size}", str(list(value.shape)))
        rows, columns = input1.reshape((-1, self.in1_channels)), input2.reshape((-1, self.in2_channels))
        flat = F.matmul(rows, F.reshape(F.swapaxes(self.weight, 0, 1), (self.in1_channels, -1)))
        parts = flat.reshape((-1, self.out_channels, self.in2_channels))
        out = F.sum(parts * columns.expand_dims(1), -1)
        if self.bias is not None:
            out = out + self.bias
        return out.reshape((*input1.shape[:-1], self.out_channels))

    def extend_repr(self) -> str:
        """The sizes."""
        text = (
            f"in1_channels={self.in1_channels}, in2_channels={self.in2_channels}, output_channels={self.out_channels}"
        )
        return f"{text}, has_bias={self.has_bias}" if self.has_bias else text


class ReduceLogSumExp(Cell):
    """log(sum(exp(x))) over some dimensions (``mindspore.nn.ReduceLogSumExp``).

    Args:
        axis: an int or a tuple of ints.
        keep_dims: keep them, with size 1.

    >>> from ms_kernels import Tensor
    >>> print(ReduceLogSumExp(0)(Tensor([0.0, 0.0])).asnumpy().round(4))
    0.6931
    """

    def __init__(self, axis: Any, keep_dims: bool = False) -> None:
        super().__init__()
        self.axis = axis
        self.keep_dims = _check.boolean("ReduceLogSumExp", "keep_dims", keep_dims)

    def construct(self, x: Any) -> Any:
        """The reduced input."""
        return F.logsumexp(x, self.axis, self.keep_dims)


class Moments(Cell):
    """Mean and (biased) variance over some dimensions (``mindspore.nn.Moments``).

    Args:
        axis: an int or a tuple of ints; all if None.
        keep_dims: keep them, with size 1.

    Raises:
        TypeError: an argument of the wrong type.

    >>> from ms_kernels import Tensor
    >>> mean, variance = Moments()(Tensor([1.0, 3.0]))
    >>> print(mean, variance)
    2.0 1.0
    """

    def __init__(self, axis: Any = None, keep_dims: bool | None = None) -> None:
        super().__init__()
        if axis is not None:
            _check.instance("Moments", "axis", axis, (int, tuple), "one of '['int', 'tuple']'")
        self.axis = () if axis is None else axis
        self.keep_dims = False if keep_dims is None else _check.boolean("Moments", "keep_dims", keep_dims)

    def construct(self, x: Any) -> Any:
        """Mean and variance, in the dtype of x."""
        wide = x.astype(mstype.float32) if x.dtype.itemsize < 4 else x
        axes = tuple(range(x.ndim)) if self.axis == () else self.axis
        mean = F.mean(wide, axes, True)
        variance = F.mean(F.square(wide - mean), axes, self.keep_dims)
        mean = mean if self.keep_dims else F.mean(wide, axes, False)
        return tuple(item.astype(x.dtype) if item.dtype != x.dtype else item for item in (mean, variance))


class L1Regularizer(Cell):
    """The sum of absolute values times `scale` (``mindspore.nn.L1Regularizer``).

    Raises:
        TypeError, ValueError: `scale` is no number above 0.

    >>> from ms_kernels import Tensor
    >>> print(L1Regularizer(0.5)(Tensor([1.0, -2.0])))
    1.5
    """

    def __init__(self, scale: float) -> None:
        super().__init__()
        if isinstance(scale, bool) or not isinstance(scale, (int, float)):
            fail(
                TypeError,
                "L1Regularizer",
                "type of 'scale'",
                "be one of '['int', 'float']'",
                f"type '{type(scale).__name__}'",
            )
        if not 0 < scale < math.inf:
            fail(ValueError, "L1Regularizer", "'scale'", "be greater than 0", str(scale))
        self.scale = Tensor(scale, mstype.float32)

    def construct(self, weights: Any) -> Any:
        """The penalty."""
        return F.sum(F.abs(weights)) * self.scale
