"""Convolutions: Conv1d, Conv2d and Conv3d."""

from __future__ import annotations

import math
from typing import Any

import ms_dtype as mstype
from ms_initializer import HeUniform, Uniform, initializer
from ms_kernels import Parameter, Tensor
from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail, operand
from ms_nn import _check
from ms_nn.cell import Cell

__all__ = ["Conv1d", "Conv2d", "Conv3d"]


class ConvBase(Cell):
    """What all convolutions share: arguments, parameters, printing.

    `_dims` is the number of window dimensions, `_format` the layout that the class prints; with `_transposed`
    the weight has the input's channels first.
    """

    _dims = 2
    _format = "NCHW"
    _transposed = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any,
        pad_mode: str,
        padding: Any,
        dilation: Any,
        group: int,
        has_bias: bool,
        weight_init: Any,
        bias_init: Any,
        data_format: str,
        dtype: Any,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.in_channels = _check.integer(name, "in_channels", in_channels)
        self.out_channels = _check.integer(name, "out_channels", out_channels)
        self.kernel_size = _check.pair(name, "kernel_size", kernel_size, self._dims)
        self.stride = _check.pair(name, "stride", stride, self._dims)
        self.dilation = _check.pair(name, "dilation", dilation, self._dims)
        self.group = _check.integer(name, "group", group)
        self.has_bias = _check.boolean(name, "has_bias", has_bias)
        self.pad_mode = _check.choice(name, "pad_mode", pad_mode, ("valid", "same", "pad"))
        self.padding = self._check_padding(name, padding)
        _check.choice(name, "format", data_format, ("NCHW", "NHWC", "NCDHW"))
        if data_format == "NHWC":
            raise ValueError(
                f"For '{name}', the \"NHWC\" format only support in GPU target, but got the 'format' is NHWC."
            )
        self.data_format = data_format
        if in_channels % group or out_channels % group:
            raise ValueError(
                "The argument 'group' should be divisible by 'in_channels' and 'out_channels', "
                f"but got group:{group}, in_channels:{in_channels}, out_channels:{out_channels}."
            )
        first, second = (in_channels, out_channels) if self._transposed else (out_channels, in_channels)
        shape = [first, second // group, *self.kernel_size]
        self.weight_init = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
        self.weight = Parameter(initializer(self.weight_init, shape, dtype=dtype), name="weight")
        self.bias_init: Any = bias_init
        self.bias: Any = None
        if has_bias:
            if bias_init is None:
                self.bias_init = Uniform(1 / math.sqrt(math.prod(shape[1:])))
            self.bias = Parameter(initializer(self.bias_init, [out_channels], dtype=dtype), name="bias")

    def _check_padding(self, name: str, padding: Any) -> Any:
        """`padding` as it was given, after a look at it; `_pads` holds a number per border."""
        sides = 2 * self._dims
        if isinstance(padding, tuple):
            if len(padding) != sides:
                fail(ValueError, name, "'pad size'", f"be int and must = {sides}", f"'{len(padding)}' with type 'int'")
            for item in padding:
                _check.integer(name, "padding item", item, least=0)
            self._pads = padding
        else:
            _check.integer(name, "padding", padding, least=0)
            self._pads = (padding,) * sides
        if self.pad_mode != "pad" and any(self._pads):
            got = f"'pad': {padding} and 'pad_mode': {self.pad_mode}"
            fail(ValueError, name, "'pad'", "be zero when 'pad_mode' is not 'pad'", got)
        return padding

    def extend_repr(self) -> str:
        """All arguments."""
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}, pad_mode={self.pad_mode}, padding={self.padding}, dilation={self.dilation}, "
            f"group={self.group}, has_bias={self.has_bias}, weight_init={self.weight_init}, "
            f"bias_init={self.bias_init}, format={self._format}"
        )


class Conv2d(ConvBase):
    """A window of weights slid over height and width (``mindspore.nn.Conv2d``).

    Args:
        in_channels: channels of the input.
        out_channels: channels of the result.
        kernel_size: the window, an int or (height, width).
        stride: its step.
        pad_mode: "same": zeros around so that there are ceil(size / stride) windows; "valid": none; "pad": `padding`.
        padding: an int or (top, bottom, left, right), for "pad".
        dilation: distance between the window's elements.
        group: number of groups of channels that do not see each other.
        has_bias: a number per result channel is added.
        weight_init: Any, str, Initializer or number; HeUniform(sqrt(5)) if None.
        bias_init: the same for the bias; uniform in +-1/sqrt(fan in) if None.
        data_format: "NCHW".
        dtype: of the parameters.

    Shapes: weight (out_channels, in_channels // group, kh, kw), input (N, in_channels, H, W).

    Raises:
        TypeError: an argument of the wrong type.
        ValueError: a number out of range, channels that `group` does not divide, padding without pad_mode "pad".

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> Conv2d(3, 8, 3)(Tensor(np.zeros((2, 3, 10, 12), np.float32))).shape
    (2, 8, 10, 12)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        pad_mode: str = "same",
        padding: Any = 0,
        dilation: Any = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        data_format: str = "NCHW",
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            pad_mode,
            padding,
            dilation,
            group,
            has_bias,
            weight_init,
            bias_init,
            data_format,
            dtype,
        )
        self._fixed = (self.stride, self.pad_mode, self._pads if pad_mode == "pad" else 0, self.dilation, self.group)

    def construct(self, x: Any) -> Any:
        """The layer's result."""
        if not isinstance(x, Tensor):
            operand("Conv2d", "x", x)
        if x.ndim != 4:
            fail(ValueError, "Conv2d", "dimension of the input", "be 4", str(x.ndim))
        return F.conv2d(x, self.weight, self.bias, *self._fixed)


def line(name: str, **values: Any) -> list[tuple[int, int]]:
    """Arguments of a 1-D layer as those of the 2-D layer that does its work over a height of 1."""
    for arg, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int):
            fail(TypeError, name, f"type of '{arg}'", "be 'int'", f"type '{type(value).__name__}'")
        _check.integer(name, arg, value, least=0 if arg == "padding" else 1)
    return [(1, value) for value in values.values()]


class Conv1d(ConvBase):
    """A window of weights slid over the last dimension (``mindspore.nn.Conv1d``); arguments as `Conv2d`, all ints.

    Shapes: weight (out_channels, in_channels // group, 1, kernel_size), input (N, in_channels, L).

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> Conv1d(3, 8, 3)(Tensor(np.zeros((2, 3, 10), np.float32))).shape
    (2, 8, 10)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        stride: int = 1,
        pad_mode: str = "same",
        padding: int = 0,
        dilation: int = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        dtype: Any = mstype.float32,
    ) -> None:
        name = type(self).__name__
        kernel, step, gap = line(name, kernel_size=kernel_size, stride=stride, dilation=dilation)
        line(name, padding=padding)
        super().__init__(
            in_channels,
            out_channels,
            kernel,
            step,
            pad_mode,
            (0, 0, padding, padding),
            gap,
            group,
            has_bias,
            flat_window(weight_init),
            bias_init,
            "NCHW",
            dtype,
        )
        self._fixed = (self.stride, self.pad_mode, self._pads if pad_mode == "pad" else 0, self.dilation, self.group)

    def construct(self, x: Any) -> Any:
        """The layer's result."""
        if x.ndim != 3:
            fail(ValueError, type(self).__name__, "dimension of the input", "be 3", str(x.ndim))
        return F.conv2d(x.expand_dims(2), self.weight, self.bias, *self._fixed).squeeze(2)


def flat_window(weight_init: Any) -> Any:
    """An initial Tensor (out, in, L) as (out, in, 1, L)."""
    return F.expand_dims(weight_init, 2) if isinstance(weight_init, Tensor) and weight_init.ndim == 3 else weight_init


class Conv3d(ConvBase):
    """A window of weights slid over depth, height and width (``mindspore.nn.Conv3d``); arguments as `Conv2d`.

    Shapes: weight (out_channels, in_channels // group, kd, kh, kw), input (N, in_channels, D, H, W).

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> Conv3d(1, 2, 3)(Tensor(np.zeros((1, 1, 4, 5, 6), np.float32))).shape
    (1, 2, 4, 5, 6)
    """

    _dims = 3
    _format = "NCDHW"

    # fmt: off
    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, pad_mode: str = "same",
        padding: Any = 0, dilation: Any = 1, group: int = 1, has_bias: bool = False, weight_init: Any = None,
        bias_init: Any = None, data_format: str = "NCDHW", dtype: Any = mstype.float32,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias, weight_init,
            bias_init, data_format, dtype,
        )
        self._fixed = (self.stride, self.pad_mode, self._pads if pad_mode == "pad" else 0, self.dilation, self.group)
    # fmt: on

    def construct(self, x: Any) -> Any:
        """The layer's result."""
        if not isinstance(x, Tensor):
            operand("Conv3d", "x", x)
        if x.ndim != 5:
            fail(ValueError, "Conv3d", "dimension of the input", "be 5", str(x.ndim))
        return F.conv3d(x, self.weight, self.bias, *self._fixed)
