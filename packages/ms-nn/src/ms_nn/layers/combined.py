"""Layers made of others: Conv2dBnAct, DenseBnAct and TimeDistributed."""

from __future__ import annotations

from typing import Any

from ms_kernels import Tensor
from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail
from ms_kernels.opdef.primitive import Primitive
from ms_nn import _check
from ms_nn.cell import Cell
from ms_nn.layers.activation import LeakyReLU, get_activation
from ms_nn.layers.conv import Conv2d
from ms_nn.layers.linear import Dense
from ms_nn.layers.norm import BatchNorm1d, BatchNorm2d

__all__ = ["Conv2dBnAct", "DenseBnAct", "TimeDistributed"]


class _BnAct(Cell):
    """A layer, then batch normalization if wanted, then an activation if wanted."""

    def __init__(self, has_bn: Any, after_fake: Any) -> None:
        super().__init__()
        name = type(self).__name__
        self.has_bn = _check.boolean(name, "has_bn", has_bn)
        self.after_fake = _check.boolean(name, "after_fake", after_fake)

    def _set_activation(self, activation: Any, alpha: Any) -> None:
        self.has_act = activation is not None
        if isinstance(activation, str):
            made: Any = LeakyReLU(alpha) if activation == "leakyrelu" else get_activation(activation)
        elif activation is None or isinstance(activation, (Cell, Primitive)):
            made = activation
        else:
            name, got = type(self).__name__, type(activation).__name__
            fail(TypeError, name, "'activation'", "be str or Cell or Primitive", got)
        self.activation: Any = made

    def _finish(self, x: Any) -> Any:
        if self.has_bn:
            x = self.batchnorm(x)
        return self.activation(x) if self.has_act else x


class Conv2dBnAct(_BnAct):
    """`Conv2d`, then `BatchNorm2d` if `has_bn`, then an activation (``mindspore.nn.Conv2dBnAct``).

    Args:
        in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias, weight_init,
            bias_init: as `Conv2d`.
        has_bn: there is a batch normalization, of `momentum` and `eps`.
        momentum, eps: as `BatchNorm2d`.
        activation: a Cell, Primitive or the name of an activation; None for none.
        alpha: slope below 0 of "leakyrelu".
        after_fake: kept as an attribute, without effect.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.
        KeyError: no activation has that name.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> Conv2dBnAct(3, 8, 3, has_bn=True, activation="relu")(Tensor(np.zeros((2, 3, 10, 12), np.float32))).shape
    (2, 8, 10, 12)
    """

    # fmt: off
    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, pad_mode: str = "same",
        padding: Any = 0, dilation: Any = 1, group: int = 1, has_bias: bool = False, weight_init: Any = "normal",
        bias_init: Any = "zeros", has_bn: bool = False, momentum: float = 0.997, eps: float = 1e-5,
        activation: Any = None, alpha: float = 0.2, after_fake: bool = True,
    ) -> None:
        super().__init__(has_bn, after_fake)
        self.conv = Conv2d(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias, weight_init,
            bias_init,
        )
        if has_bn:
            self.batchnorm = BatchNorm2d(out_channels, eps, momentum)
        self._set_activation(activation, alpha)
    # fmt: on

    def construct(self, x: Any) -> Any:
        """The layer's result."""
        return self._finish(self.conv(x))


class DenseBnAct(_BnAct):
    """`Dense`, then `BatchNorm1d` if `has_bn`, then an activation (``mindspore.nn.DenseBnAct``).

    Args:
        in_channels, out_channels, weight_init, bias_init, has_bias: as `Dense`.
        has_bn: there is a batch normalization, of `momentum` and `eps`.
        momentum, eps: as `BatchNorm1d`.
        activation: a Cell, Primitive or the name of an activation; None for none.
        alpha: slope below 0 of "leakyrelu".
        after_fake: kept as an attribute, without effect.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.
        KeyError: no activation has that name.

    >>> from ms_kernels import Tensor
    >>> print(DenseBnAct(1, 1, weight_init="ones", activation="leakyrelu")(Tensor([[-1.0]])))
    [[-0.2]]
    """

    # fmt: off
    def __init__(
        self, in_channels: int, out_channels: int, weight_init: Any = "normal", bias_init: Any = "zeros",
        has_bias: bool = True, has_bn: bool = False, momentum: float = 0.9, eps: float = 1e-5, activation: Any = None,
        alpha: float = 0.2, after_fake: bool = True,
    ) -> None:
        super().__init__(has_bn, after_fake)
        self.dense = Dense(in_channels, out_channels, weight_init, bias_init, has_bias)
        if has_bn:
            self.batchnorm = BatchNorm1d(out_channels, eps, momentum)
        self._set_activation(activation, alpha)
    # fmt: on

    def construct(self, x: Any) -> Any:
        """The layer's result."""
        return self._finish(self.dense(x))


class TimeDistributed(Cell):
    """A layer applied to each step of time (``mindspore.nn.TimeDistributed``).

    Args:
        layer: the Cell or Primitive.
        time_axis: the dimension of the steps; any int, modulo the number of dimensions.
        reshape_with_axis: None: the steps are taken one by one and their results stacked. Otherwise the layer is
            called once: the dimensions are put in an order (which the result keeps) where the steps or, when they come
            first, the dimension before this one stand beside it, and the two are made one for the call.

    Shapes: input of at least three dimensions.

    Raises:
        TypeError: `layer` is neither Cell nor Primitive, or an axis no int; in the call, something else than Tensors.
        ValueError: (in the call) fewer than three dimensions, or both axes 0, which leaves no place for the steps.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> TimeDistributed(Dense(4, 5), 1, 0)(Tensor(np.zeros((2, 3, 4), np.float32))).shape
    (2, 3, 5)
    """

    def __init__(self, layer: Any, time_axis: int, reshape_with_axis: int | None = None) -> None:
        super().__init__()
        if not isinstance(layer, (Cell, Primitive)):
            fail(TypeError, "TimeDistributed", "'layer'", "be Cell or Primitive instance", type(layer).__name__)
        if type(time_axis) is not int:
            fail(TypeError, "TimeDistributed", "type of 'time_axis'", "be 'int'", f"'{type(time_axis).__name__}'")
        if reshape_with_axis is not None and type(reshape_with_axis) is not int:
            got = f"'{type(reshape_with_axis).__name__}'"
            fail(TypeError, "TimeDistributed", "type of 'reshape_with_axis'", "be 'int'", got)
        self.layer = layer
        self.time_axis, self.reshape_with_axis = time_axis, reshape_with_axis

    def _apply(self, x: Any) -> Any:
        out = self.layer(x)
        if not isinstance(out, Tensor):
            fail(TypeError, "TimeDistributed", "result of 'layer'", "be a Tensor", type(out).__name__)
        return out

    def construct(self, inputs: Any) -> Any:
        """The layer's results."""
        if not isinstance(inputs, Tensor):
            fail(TypeError, "TimeDistributed", "'inputs'", "be a Tensor", type(inputs).__name__)
        if inputs.ndim < 3:
            fail(ValueError, "TimeDistributed", "inputs shape", "be at least 3D", str(inputs.ndim))
        time = self.time_axis % inputs.ndim
        if self.reshape_with_axis is None:
            return F.stack([self._apply(step) for step in F.unbind(inputs, time)], time)
        return self._at_once(inputs, time, self.reshape_with_axis % inputs.ndim)

    def _at_once(self, x: Any, time: int, axis: int) -> Any:
        # 2.6's own order: late steps move to just behind `axis`; for early ones, what stands before `axis` moves
        order = list(range(x.ndim))
        first = axis if time > axis else axis - 1
        if first < 0:
            fail(ValueError, "TimeDistributed", "'reshape_with_axis'", "leave a place before it for the steps", "0")
        if time > axis:
            order.insert(axis + 1, order.pop(time))
        else:
            order.insert(time, order.pop(first))
        moved = F.permute(x, tuple(order)) if order != sorted(order) else x
        pair = moved.shape[first : first + 2]
        out = self._apply(moved.reshape((*moved.shape[:first], pair[0] * pair[1], *moved.shape[first + 2 :])))
        return out.reshape((*out.shape[:first], *pair, *out.shape[first + 1 :]))
