"""Normalization: BatchNorm1d/2d/3d, LayerNorm, GroupNorm."""

from __future__ import annotations

from typing import Any

import ms_dtype as mstype
from ms_initializer import initializer
from ms_kernels import Parameter
from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail
from ms_nn import _check
from ms_nn.cell import Cell

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "GroupNorm", "LayerNorm"]


class _BatchNorm(Cell):
    """Batch normalization for inputs of a given number of dimensions."""

    _ndims: tuple[int, ...] = (4,)

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        moving_mean_init: Any = "zeros",
        moving_var_init: Any = "ones",
        use_batch_statistics: bool | None = None,
        data_format: str = "NCHW",
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        if isinstance(num_features, bool) or not isinstance(num_features, int):
            fail(TypeError, name, "type of 'num_features'", "be 'int'", f"type '{type(num_features).__name__}'")
        if num_features < 1:
            fail(ValueError, name, "'num_features'", "be at least 1", str(num_features))
        if momentum < 0 or momentum > 1:
            fail(ValueError, name, "'momentum'", "be a number in range [0, 1]", str(momentum))
        if not (use_batch_statistics is None or isinstance(use_batch_statistics, bool)):
            fail(ValueError, name, "'use_batch_statistics'", "be a boolean value or None", str(use_batch_statistics))
        _check.choice(name, "format", data_format, ("NCHW", "NHWC"))
        if data_format == "NHWC":
            raise ValueError(f"For '{name}', the 'NHWC' format only support in GPU target.")
        self.num_features, self.eps, self.format = num_features, eps, data_format
        self.use_batch_statistics = use_batch_statistics
        self.momentum = 1.0 - momentum  # the weight of the new, as the function counts it
        self._shown_momentum = momentum

        def parameter(init: Any, own: str, grad: bool) -> Parameter:
            return Parameter(initializer(init, num_features, dtype=dtype), name=own, requires_grad=grad)

        self.moving_mean = parameter(moving_mean_init, "mean", False)
        self.moving_variance = parameter(moving_var_init, "variance", False)
        self.gamma = parameter(gamma_init, "gamma", affine)
        self.beta = parameter(beta_init, "beta", affine)

    def construct(self, x: Any) -> Any:
        """The layer's result; in training the moving values take a step towards those of this batch."""
        if x.ndim not in self._ndims:
            fail(
                ValueError,
                type(self).__name__,
                "input",
                " or ".join(f"have {n} dims" for n in self._ndims),
                str(x.ndim),
            )
        own = self._params  # always the trained objects: the function itself knows how to mix precisions
        batch = self.training if self.use_batch_statistics is None else self.use_batch_statistics
        return F.batch_norm(
            x, own["moving_mean"], own["moving_variance"], own["gamma"], own["beta"], batch, self.momentum, self.eps
        )

    def extend_repr(self) -> str:
        """Sizes and parameters."""
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={self._shown_momentum}, gamma={self.gamma}, "
            f"beta={self.beta}, moving_mean={self.moving_mean}, moving_variance={self.moving_variance}"
        )


class BatchNorm1d(_BatchNorm):
    """gamma (x - mean) / sqrt(variance + eps) + beta for each feature (``mindspore.nn.BatchNorm1d``).

    In training mean and (biased) variance are those of the batch, and the moving ones become momentum * old +
    (1 - momentum) * new, with the unbiased variance; otherwise the moving ones are used.

    Args:
        num_features: how many features.
        eps: added to the variance.
        momentum: the weight of the old moving values.
        affine: gamma and beta are trained.
        gamma_init, beta_init, moving_mean_init, moving_var_init: Any, str, Initializer or number.
        use_batch_statistics: True or False: always or never the batch's; None: as the cell's `training` says.
        data_format: "NCHW".
        dtype: of the parameters.

    Shapes: input (N, C) or (N, C, L); parameters (C,).

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range; in the call, another number of dimensions.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> net = BatchNorm1d(2).set_train()
    >>> print(net(Tensor(np.array([[0.0, 1.0], [2.0, 5.0]], np.float32))).asnumpy().round(3))
    [[-1. -1.]
     [ 1.  1.]]
    >>> print(net.moving_mean.asnumpy().round(3))
    [0.1 0.3]
    """

    _ndims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """`BatchNorm1d` for inputs (N, C, H, W) (``mindspore.nn.BatchNorm2d``).

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> BatchNorm2d(3)(Tensor(np.ones((2, 3, 4, 4), np.float32))).shape
    (2, 3, 4, 4)
    """

    _ndims = (4,)


class BatchNorm3d(Cell):
    """`BatchNorm1d` for inputs (N, C, D, H, W) (``mindspore.nn.BatchNorm3d``).

    The work is done by its sub-cell `bn2d`, so the parameters are called "bn2d.gamma" and so on.
    """

    # fmt: off
    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float = 0.9, affine: bool = True,
        gamma_init: Any = "ones", beta_init: Any = "zeros", moving_mean_init: Any = "zeros",
        moving_var_init: Any = "ones", use_batch_statistics: bool | None = None, dtype: Any = mstype.float32,
    ) -> None:
        super().__init__()
        self.bn2d = BatchNorm2d(
            num_features, eps, momentum, affine, gamma_init, beta_init, moving_mean_init, moving_var_init,
            use_batch_statistics, "NCHW", dtype,
        )
    # fmt: on

    def construct(self, x: Any) -> Any:
        """The layer's result."""
        shape = x.shape
        if len(shape) != 5:
            fail(ValueError, "BatchNorm3d", "input", "have 5 dims", str(len(shape)))
        return self.bn2d(x.reshape((shape[0], shape[1], shape[2] * shape[3], shape[4]))).reshape(shape)


class LayerNorm(Cell):
    """gamma (x - mean) / sqrt(variance + epsilon) + beta over the last dimensions (``mindspore.nn.LayerNorm``).

    Args:
        normalized_shape: tuple or list of ints, the shape of gamma and beta.
        begin_norm_axis: first dimension over which mean and variance go.
        begin_params_axis: first dimension that gamma and beta have.
        gamma_init, beta_init: Any, str, Initializer or number.
        epsilon: added to the variance.
        dtype: of the parameters.

    Raises:
        TypeError: `normalized_shape` is neither tuple nor list of ints.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> print(LayerNorm((2,))(Tensor(np.array([[1.0, 3.0]], np.float32))).asnumpy().round(3))
    [[-1.  1.]]
    """

    def __init__(
        self,
        normalized_shape: Any,
        begin_norm_axis: int = -1,
        begin_params_axis: int = -1,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        epsilon: float = 1e-7,
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__()
        if not isinstance(normalized_shape, (tuple, list)):
            raise TypeError(
                "For 'LayerNorm', the type of 'normalized_shape' must be tuple[int] or list[int], "
                f"but got {normalized_shape} and the type is {type(normalized_shape)}."
            )
        self.normalized_shape = normalized_shape
        self.begin_norm_axis = _check.integer("LayerNorm", "begin_norm_axis", begin_norm_axis, least=-(2**31))
        self.begin_params_axis = _check.integer("LayerNorm", "begin_params_axis", begin_params_axis, least=-(2**31))
        self.epsilon = epsilon
        self.gamma = Parameter(initializer(gamma_init, normalized_shape, dtype=dtype), name="gamma")
        self.beta = Parameter(initializer(beta_init, normalized_shape, dtype=dtype), name="beta")

    def construct(self, input_x: Any) -> Any:
        """The layer's result."""
        shape = input_x.shape
        norm, params = self.begin_norm_axis % len(shape), self.begin_params_axis % len(shape)
        if tuple(self.normalized_shape) != shape[params:]:
            rule, got = f"be {list(shape[params:])}", str(list(self.normalized_shape))
            fail(ValueError, "LayerNorm", "shape of gamma and beta", rule, got)
        if norm == params:
            return F.layer_norm(input_x, shape[norm:], self.gamma, self.beta, self.epsilon)
        return F.layer_norm(input_x, shape[norm:], None, None, self.epsilon) * self.gamma + self.beta

    def extend_repr(self) -> str:
        """Sizes and parameters."""
        return (
            f"normalized_shape={self.normalized_shape}, begin_norm_axis={self.begin_norm_axis}, "
            f"begin_params_axis={self.begin_params_axis}, gamma{self.gamma}, beta={self.beta}"
        )


class GroupNorm(Cell):
    """Normalization over each of `num_groups` groups of channels (``mindspore.nn.GroupNorm``).

    Args:
        num_groups: how many groups; it divides num_channels.
        num_channels: dimension 1 of the input.
        eps: added to the variance.
        affine: gamma and beta are trained.
        gamma_init, beta_init: Any, str, Initializer or number.
        dtype: of the parameters.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range; in the call, other channels.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> GroupNorm(2, 4)(Tensor(np.ones((1, 4, 3, 3), np.float32))).shape
    (1, 4, 3, 3)
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__()
        self.num_groups, self.num_channels = check_groups(num_groups, num_channels)
        self.eps = eps
        self.affine = _check.boolean("GroupNorm", "affine", affine)
        self.gamma = Parameter(initializer(gamma_init, num_channels, dtype=dtype), name="gamma", requires_grad=affine)
        self.beta = Parameter(initializer(beta_init, num_channels, dtype=dtype), name="beta", requires_grad=affine)

    def construct(self, x: Any) -> Any:
        """The layer's result."""
        return group_norm(x, (self.num_groups, self.num_channels), self.gamma, self.beta, self.eps)

    def extend_repr(self) -> str:
        """The sizes."""
        return f"num_groups={self.num_groups}, num_channels={self.num_channels}"


def check_groups(num_groups: Any, num_channels: Any) -> tuple[int, int]:
    """Two positive ints, of which the first divides the second."""
    groups = _check.integer("GroupNorm", "num_groups", num_groups)
    channels = _check.integer("GroupNorm", "num_channels", num_channels)
    if channels % groups:
        raise ValueError(
            "For 'GroupNorm', the 'num_channels' must be divided by 'num_groups', "
            f"but got 'num_channels': {channels}, 'num_groups': {groups}."
        )
    return groups, channels


def group_norm(x: Any, sizes: tuple[int, int], weight: Any, bias: Any, eps: float) -> Any:
    """Normalize each group of channels, then scale and shift each channel; in the dtype of x.

    `sizes` are the numbers of groups and of channels.
    """
    shape, (groups, channels) = x.shape, sizes
    if len(shape) < 2 or shape[1] != channels:
        fail(ValueError, "GroupNorm", "input", f"have {channels} channels in dimension 1", str(list(shape)))
    rows = x.reshape((shape[0], groups, -1))
    flat = F.layer_norm(rows, rows.shape[2:], None, None, eps).reshape(shape)
    if weight is None:
        return flat
    one = (1, shape[1]) + (1,) * (len(shape) - 2)
    out = flat * F.reshape(weight, one) + F.reshape(bias, one)
    return out.astype(x.dtype) if out.dtype != x.dtype else out
