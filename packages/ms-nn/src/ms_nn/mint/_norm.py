"""Normalization of ``mindspore.mint.nn``: parameters are called weight, bias, running_mean and running_var."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_initializer import initializer
from ms_kernels import Parameter, Tensor
from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail
from ms_nn import _check
from ms_nn.cell import Cell
from ms_nn.layers.norm import check_groups, group_norm
from ms_nn.optim._inplace import advance

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "GroupNorm", "LayerNormExt", "SyncBatchNorm"]


def _affine(cell: Cell, shape: Any, dtype: Any, bias: bool = True) -> None:
    cell.weight = Parameter(initializer("ones", shape, dtype), name="weight")
    if bias:
        cell.bias = Parameter(initializer("zeros", shape, dtype), name="bias")


class _BatchNorm(Cell):
    """Batch normalization over all dimensions but 1.

    Args:
        num_features: size of dimension 1.
        eps: added to the variance.
        momentum: the weight of the new running values; None: the mean of all so far.
        affine: there are a weight and a bias.
        track_running_stats: keep running values, and use them when not training.
        dtype: of the parameters; float32 if None.

    Raises:
        TypeError, ValueError: an argument of the wrong type; in the call, another number of dimensions.
    """

    _ndims: tuple[int, ...]

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.num_features = _check.integer(name, "num_features", num_features)
        self.eps, self.momentum = eps, momentum
        self.affine = _check.boolean(name, "affine", affine)
        self.track_running_stats = _check.boolean(name, "track_running_stats", track_running_stats)
        self.dtype = dtype or mstype.float32
        if affine:
            _affine(self, num_features, self.dtype)
        else:
            self.weight = self.bias = None
        self.running_mean: Any = None
        self.running_var: Any = None
        if track_running_stats:
            zeros, ones = (initializer(kind, num_features, self.dtype) for kind in ("zeros", "ones"))
            self.running_mean = Parameter(zeros, name="running_mean", requires_grad=False)
            self.running_var = Parameter(ones, name="running_var", requires_grad=False)
            count = Tensor(np.array(0, np.int64))
            self.num_batches_tracked = Parameter(count, name="num_batches_tracked", requires_grad=False)
        self.set_train()

    def reset_running_stats(self) -> None:
        """Put the running values back to where they start: mean 0, variance 1, no batch."""
        if self.track_running_stats:
            for param, first in ((self.running_mean, 0), (self.running_var, 1), (self.num_batches_tracked, 0)):
                advance(param, lambda old, first=first: first)  # type: ignore[misc]

    def reset_parameters(self) -> None:
        """Put the running values back to where they start, and weight and bias to 1 and 0."""
        self.reset_running_stats()
        if self.affine:
            for param, first in ((self.weight, 1), (self.bias, 0)):
                advance(param, lambda old, first=first: first)  # type: ignore[misc]

    def construct(self, input: Any) -> Any:
        """The layer's result."""
        if input.ndim not in self._ndims:
            fail(
                ValueError,
                type(self).__name__,
                "input",
                " or ".join(f"have {n} dims" for n in self._ndims),
                str(input.ndim),
            )
        return self._normalized(input)

    def _normalized(self, input: Any) -> Any:
        own = self._params
        momentum = self.momentum
        if self.training and self.track_running_stats:
            count = own["num_batches_tracked"]
            seen = advance(count, lambda old: old + 1)
            momentum = 1.0 / float(seen) if momentum is None else momentum
        mean: Any = own.get("running_mean")
        variance: Any = own.get("running_var")
        if mean is None:
            mean, variance = (Tensor(np.full(self.num_features, x, np.float32)) for x in (0, 1))
        weight: Any = own.get("weight")
        bias: Any = own.get("bias")
        if weight is None:
            weight, bias = (Tensor(np.full(self.num_features, x, np.float32)) for x in (1, 0))
        batch = self.training or not self.track_running_stats
        return F.batch_norm(input, mean, variance, weight, bias, batch, momentum or 0.0, self.eps)

    def extend_repr(self) -> str:
        """All arguments."""
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(_BatchNorm):
    """Batch normalization of (N, C) or (N, C, L) (``mindspore.mint.nn.BatchNorm1d``).

    Args:
        num_features, eps, momentum, affine, track_running_stats, dtype: see the base class.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> print(BatchNorm1d(1)(Tensor(np.array([[0.0], [2.0]], np.float32))).asnumpy().round(3))
    [[-1.]
     [ 1.]]
    """

    _ndims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalization of (N, C, H, W) (``mindspore.mint.nn.BatchNorm2d``)."""

    _ndims = (4,)


class BatchNorm3d(_BatchNorm):
    """Batch normalization of (N, C, D, H, W) (``mindspore.mint.nn.BatchNorm3d``)."""

    _ndims = (5,)

    def _normalized(self, input: Any) -> Any:
        shape = input.shape
        return super()._normalized(input.reshape((*shape[:2], shape[2] * shape[3], shape[4]))).reshape(shape)


class SyncBatchNorm(_BatchNorm):
    """Batch normalization over the batches of all processes; there is one (``mindspore.mint.nn.SyncBatchNorm``).

    Args:
        num_features, eps, momentum, affine, track_running_stats, dtype: see the base class.
        process_group: kept for 2.6's sake.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> print(SyncBatchNorm(1)(Tensor(np.array([[0.0], [2.0]], np.float32))).asnumpy().round(3))
    [[-1.]
     [ 1.]]
    """

    _ndims = (2, 3, 4)

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, dtype)
        self.process_group = process_group


class LayerNormExt(Cell):
    """Normalization over the last dimensions (``mindspore.mint.nn.LayerNorm``).

    Args:
        normalized_shape: an int, or a tuple or list of ints: the last dimensions of the input.
        eps: added to the variance.
        elementwise_affine: there is a weight.
        bias: there is a bias too.
        dtype: of the parameters; float32 if None.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> print(LayerNormExt(2)(Tensor(np.array([[1.0, 3.0]], np.float32))).asnumpy().round(3))
    [[-1.  1.]]
    """

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if isinstance(normalized_shape, int) and not isinstance(normalized_shape, bool):
            normalized_shape = (normalized_shape,)
        self.normalized_shape = tuple(_check.instance("LayerNorm", "normalized_shape", normalized_shape, (tuple, list)))
        self.eps = eps
        self.elementwise_affine = _check.boolean("LayerNorm", "elementwise_affine", elementwise_affine)
        if elementwise_affine:
            _affine(self, self.normalized_shape, dtype or mstype.float32, bias)
        if not elementwise_affine:
            self.weight = None
        if not (elementwise_affine and bias):
            self.bias = None

    def construct(self, input: Any) -> Any:
        """The layer's result."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extend_repr(self) -> str:
        """All arguments."""
        return f"normalized_shape={self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(Cell):
    """Normalization over each of `num_groups` groups of channels (``mindspore.mint.nn.GroupNorm``).

    Args:
        num_groups: how many; it divides num_channels.
        num_channels: dimension 1 of the input.
        eps: added to the variance.
        affine: there are a weight and a bias.
        dtype: of the parameters; float32 if None.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> GroupNorm(2, 4)(Tensor(np.ones((1, 4, 3), np.float32))).shape
    (1, 4, 3)
    """

    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True, dtype: Any = None
    ) -> None:
        super().__init__()
        self.num_groups, self.num_channels = check_groups(num_groups, num_channels)
        self.eps = eps
        self.affine = _check.boolean("GroupNorm", "affine", affine)
        if affine:
            _affine(self, num_channels, dtype or mstype.float32)
        else:
            self.weight = self.bias = None

    def construct(self, input: Any) -> Any:
        """The layer's result."""
        return group_norm(input, (self.num_groups, self.num_channels), self.weight, self.bias, self.eps)

    def extend_repr(self) -> str:
        """All arguments."""
        return f"num_groups={self.num_groups}, num_channels={self.num_channels}, eps={self.eps}, affine={self.affine}"
