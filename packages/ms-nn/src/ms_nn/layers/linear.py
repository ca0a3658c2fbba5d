"""Dense and Flatten's relatives that need no window: Dense, Identity, Flatten, Unflatten."""

from __future__ import annotations

import math
from typing import Any

import ms_dtype as mstype
from ms_initializer import HeUniform, Uniform, initializer
from ms_kernels import Parameter, Tensor
from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail, operand
from ms_kernels.opdef.primitive import Primitive
from ms_nn import _check
from ms_nn.cell import Cell
from ms_nn.layers.activation import get_activation

__all__ = ["Dense", "Flatten", "Identity", "Unflatten"]


def as_activation(name: str, activation: Any) -> Any:
    """What to call on the result: a Cell or Primitive as it is, or the cell of a name.

    Raises:
        TypeError: something else.
    """
    if activation is None or isinstance(activation, (Cell, Primitive)):
        return activation
    if isinstance(activation, str):
        return get_activation(activation) if activation else None
    raise TypeError(
        f"For '{name}', the 'activation' must be str or Cell or Primitive, but got {type(activation).__name__}."
    )


class Dense(Cell):
    """activation(x weight^T + bias) over the last dimension (``mindspore.nn.Dense``).

    Args:
        in_channels: size of the input's last dimension.
        out_channels: size of the result's last dimension.
        weight_init: Any, str, Initializer or number; HeUniform(sqrt(5)) if None.
        bias_init: the same for the bias; uniform in +-1/sqrt(in_channels) if None.
        has_bias: there is a bias.
        activation: a Cell, Primitive or the name of an activation, applied to the result.
        dtype: of the parameters.

    Shapes: weight (out_channels, in_channels), bias (out_channels,), input (..., in_channels) -> (..., out_channels).

    Raises:
        TypeError: an argument of the wrong type.
        ValueError: a channel number below 1, or an initial Tensor of the wrong shape.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> net = Dense(3, 2, weight_init="ones", bias_init="zeros")
    >>> print(net(Tensor(np.array([[1.0, 2.0, 3.0]], np.float32))))
    [[6. 6.]]
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: Any = None,
        bias_init: Any = None,
        has_bias: bool = True,
        activation: Any = None,
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.in_channels = _check.integer(name, "in_channels", in_channels)
        self.out_channels = _check.integer(name, "out_channels", out_channels)
        self.has_bias = _check.boolean(name, "has_bias", has_bias)
        activation = as_activation(name, activation)
        _check_tensor(name, "weight_init", weight_init, (out_channels, in_channels))
        _check_tensor(name, "bias_init", bias_init, (out_channels,))
        if weight_init is None:
            weight_init = HeUniform(math.sqrt(5))
        self.weight = Parameter(initializer(weight_init, [out_channels, in_channels], dtype=dtype), name="weight")
        self.bias: Any = None
        if has_bias:
            if bias_init is None:
                bias_init = Uniform(1 / math.sqrt(in_channels))
            self.bias = Parameter(initializer(bias_init, [out_channels], dtype=dtype), name="bias")
        self.activation = activation
        self.activation_flag = activation is not None

    def construct(self, x: Any) -> Any:
        """The layer's result."""
        if not isinstance(x, Tensor):
            operand("Dense", "x", x)
        out = F.dense(x, self.weight, self.bias)
        return self.activation(out) if self.activation_flag else out

    def extend_repr(self) -> str:
        """The sizes, and what differs from the plainest layer."""
        text = f"input_channels={self.in_channels}, output_channels={self.out_channels}"
        if self.has_bias:
            text += f", has_bias={self.has_bias}"
        return f"{text}, activation={self.activation}" if self.activation_flag else text


def _check_tensor(name: str, arg: str, value: Any, shape: tuple[int, ...]) -> None:
    if isinstance(value, Tensor) and tuple(value.shape) != shape:
        raise ValueError(f"For '{name}', the shape of '{arg}' must be {shape}, but got {tuple(value.shape)}.")


class Identity(Cell):
    """The input itself (``mindspore.nn.Identity``); arguments are accepted and ignored.

    >>> from ms_kernels import Tensor
    >>> print(Identity()(Tensor(2.0)))
    2.0
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def construct(self, input: Any) -> Any:
        """The input."""
        return input


class Flatten(Cell):
    """The dimensions from `start_dim` to `end_dim` made one (``mindspore.nn.Flatten``).

    Raises:
        ValueError: (in the call) `start_dim` lies behind `end_dim`, or one of them is out of range.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> Flatten()(Tensor(np.zeros((2, 3, 4)))).shape
    (2, 12)
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def construct(self, x: Any) -> Any:
        """The input in its new shape."""
        if not isinstance(x, Tensor):
            operand("Flatten", "x", x)
        if x.ndim and not -x.ndim <= self.start_dim < x.ndim:
            fail(ValueError, "Flatten", "'start_dim'", f"be in range [{-x.ndim}, {x.ndim})", str(self.start_dim))
        return F.flatten(x, start_dim=self.start_dim, end_dim=self.end_dim)


class Unflatten(Cell):
    """One dimension made several (``mindspore.nn.Unflatten``).

    Args:
        axis: which one.
        unflattened_size: the new dimensions, a tuple or list of ints; at most one may be -1.

    Raises:
        TypeError: `axis` is no int, or `unflattened_size` neither tuple nor list.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> Unflatten(1, (3, 4))(Tensor(np.zeros((2, 12)))).shape
    (2, 3, 4)
    """

    def __init__(self, axis: int, unflattened_size: Any) -> None:
        super().__init__()
        self.axis = _check.integer("Unflatten", "axis", axis, least=-(2**31))
        self.unflattened_size = tuple(_check.instance("Unflatten", "unflattened_size", unflattened_size, (tuple, list)))

    def construct(self, input_x: Any) -> Any:
        """The input in its new shape."""
        shape, axis = input_x.shape, self.axis % input_x.ndim
        return input_x.reshape((*shape[:axis], *self.unflattened_size, *shape[axis + 1 :]))
