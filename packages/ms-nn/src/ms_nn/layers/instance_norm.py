"""Normalization of each channel of each sample: InstanceNorm1d/2d/3d."""

from __future__ import annotations

from numbers import Number
from typing import Any

import ms_dtype as mstype
from ms_initializer import Initializer, initializer
from ms_kernels import Parameter, Tensor
from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail
from ms_kernels.ops.batch_norm import batch_norm_train, moved
from ms_nn.cell import Cell

__all__ = ["InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"]


def _exactly(name: str, arg: str, value: Any, kind: type) -> None:
    if type(value) is not kind:
        fail(TypeError, name, f"type of '{arg}'", f"be '{kind.__name__}'", f"type '{type(value).__name__}'")


class _InstanceNorm(Cell):
    """Instance normalization for inputs of a given number of dimensions."""

    _ndim = 4

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        _exactly(name, "num_features", num_features, int)
        _exactly(name, "eps", eps, float)
        _exactly(name, "momentum", momentum, float)
        _exactly(name, "affine", affine, bool)
        for arg, init in (("gamma_init", gamma_init), ("beta_init", beta_init)):
            if not isinstance(init, (Tensor, Number, str, Initializer)):
                rule = "be in [Tensor, numbers.Number, str, Initializer]"
                fail(TypeError, name, f"type of '{arg}'", rule, f"type {type(init).__name__}")
        if num_features < 1:
            fail(ValueError, name, "'num_features'", "be at least 1", str(num_features))
        if not 0 <= momentum <= 1:
            fail(ValueError, name, "'momentum'", "be a number in range [0, 1]", str(momentum))
        if not 0 < eps <= 1:
            fail(ValueError, name, "'eps'", "be in range of (0, 1]", str(eps))
        self.num_features, self.eps, self.momentum = num_features, eps, momentum

        def parameter(init: Any, own: str, grad: bool) -> Parameter:
            return Parameter(initializer(init, num_features, dtype=dtype), name=own, requires_grad=grad)

        self.moving_mean = parameter("zeros", "mean", False)
        self.moving_variance = parameter("ones", "variance", False)
        self.gamma = parameter(gamma_init, "gamma", affine)
        self.beta = parameter(beta_init, "beta", affine)

    def construct(self, x: Any) -> Any:
        """The layer's result; in training the moving values take a step towards those of these samples."""
        name, shape, channels = type(self).__name__, x.shape, self.num_features
        if len(shape) != self._ndim:
            fail(ValueError, name, "in_shape", f"have {self._ndim} dims", str(len(shape)))
        if shape[1] != channels:
            fail(ValueError, name, "input", f"have {channels} channels in dimension 1", str(list(shape)))
        # each channel of each sample is a channel of its own for one batch normalization
        rows = x.reshape((1, shape[0] * channels, -1))
        out, mean, var, _ = batch_norm_train(rows, None, None, self.eps)
        if self.training:
            size = rows.shape[2]
            for moving, seen, factor in (
                (self.moving_mean, mean, 1.0),
                (self.moving_variance, var, size / max(size - 1, 1)),
            ):
                moved(moving, F.mean(seen.reshape((shape[0], channels)), 0) * factor, 1.0 - self.momentum)
        one = (1, channels) + (1,) * (len(shape) - 2)
        out = out.reshape(shape) * F.reshape(self.gamma, one) + F.reshape(self.beta, one)
        return out.astype(x.dtype) if out.dtype != x.dtype else out

    def extend_repr(self) -> str:
        """Sizes and parameters."""
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={self.momentum}, gamma={self.gamma}, "
            f"beta={self.beta}, moving_mean={self.moving_mean}, moving_variance={self.moving_variance}"
        )


class InstanceNorm1d(_InstanceNorm):
    """gamma (x - mean) / sqrt(variance + eps) + beta, with the mean and (biased) variance of each channel of each
    sample, in training and otherwise (``mindspore.nn.InstanceNorm1d``).

    The moving values do not take part in the result. In training they become momentum * old + (1 - momentum) * new,
    where new is the samples' mean of the means, and of the unbiased variances.

    Args:
        num_features: how many channels.
        eps: added to the variance, in (0, 1].
        momentum: the weight of the old moving values.
        affine: gamma and beta are trained.
        gamma_init, beta_init: Tensor, str, Initializer or number.
        dtype: of the parameters.

    Shapes: input (N, C, L); parameters (C,).

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range; in the call, another number of
            dimensions or channels.

    >>> from ms_kernels import Tensor
    >>> print(InstanceNorm1d(2)(Tensor([[[0.0, 2.0], [1.0, 5.0]]])).asnumpy().round(3))
    [[[-1.  1.]
      [-1.  1.]]]
    """

    _ndim = 3


class InstanceNorm2d(_InstanceNorm):
    """`InstanceNorm1d` for inputs (N, C, H, W) (``mindspore.nn.InstanceNorm2d``).

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> InstanceNorm2d(3)(Tensor(np.ones((2, 3, 4, 5), np.float32))).shape
    (2, 3, 4, 5)
    """

    _ndim = 4


class InstanceNorm3d(_InstanceNorm):
    """`InstanceNorm1d` for inputs (N, C, D, H, W) (``mindspore.nn.InstanceNorm3d``).

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> InstanceNorm3d(3)(Tensor(np.ones((2, 3, 2, 4, 5), np.float32))).shape
    (2, 3, 2, 4, 5)
    """

    _ndim = 5
