"""Convolutions of ``mindspore.mint.nn``: Conv1d, Conv2d, Conv3d, ConvTranspose2d."""

from __future__ import annotations

import math
from typing import Any

import ms_dtype as mstype
from ms_initializer import HeUniform, Uniform, initializer
from ms_kernels import Parameter
from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail
from ms_nn import _check
from ms_nn.cell import Cell

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose2d"]


class _Conv(Cell):
    """What the convolutions share."""

    _dims: int
    _transposed = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        dtype: Any = None,
    ) -> None:
        super().__init__()
        name, dims = type(self).__name__, self._dims
        self.in_channels = _check.integer(name, "in_channels", in_channels)
        self.out_channels = _check.integer(name, "out_channels", out_channels)
        self.groups = _check.integer(name, "groups", groups)
        if in_channels % groups or out_channels % groups:
            got = f"{in_channels}, {out_channels} and {groups}"
            fail(ValueError, name, "'in_channels' and 'out_channels'", "be divisible by 'groups'", got)
        self.kernel_size = _check.pair(name, "kernel_size", kernel_size, dims)
        self.stride = _check.pair(name, "stride", stride, dims)
        self.dilation = _check.pair(name, "dilation", dilation, dims)
        self.padding_mode = _check.choice(
            name, "padding_mode", padding_mode, ("zeros", "reflect", "replicate", "circular")
        )
        if padding_mode != "zeros":
            fail(ValueError, name, "'padding_mode'", "be 'zeros'", padding_mode)
        if isinstance(padding, str):
            self.padding: Any = _check.choice(name, "padding", padding, ("same", "valid"))
            self._mode, self._pads = padding, (0,) * 2 * dims
        else:
            self.padding = _check.pair(name, "padding", padding, dims, least=0)
            self._mode, self._pads = "pad", tuple(size for size in self.padding for _ in range(2))
        dtype = dtype or mstype.float32
        first, second = (in_channels, out_channels) if self._transposed else (out_channels, in_channels)
        shape = [first, second // groups, *self.kernel_size]
        self.weight = Parameter(initializer(HeUniform(math.sqrt(5)), shape, dtype), name="weight")
        self.bias: Any = None
        self._has_bias = _check.boolean(name, "bias", bias)
        if bias:
            limit = 1 / math.sqrt(math.prod(shape[1:]))
            self.bias = Parameter(initializer(Uniform(limit), [out_channels], dtype), name="bias")

    def extend_repr(self) -> str:
        """All arguments."""
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}, padding={self.padding}, dilation={self.dilation}, groups={self.groups}, "
            f"bias={self._has_bias}"
        )


class Conv2d(_Conv):
    """A window of weights slid over height and width (``mindspore.mint.nn.Conv2d``).

    Args:
        in_channels, out_channels: channels of input and result.
        kernel_size, stride, dilation: ints or (height, width).
        padding: zeros around, an int or (height, width), or "same" or "valid".
        groups: number of groups of channels that do not see each other.
        bias: a number per result channel is added.
        padding_mode: "zeros".
        dtype: of the parameters; float32 if None.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> Conv2d(3, 8, 3, padding=1)(Tensor(np.zeros((2, 3, 10, 12), np.float32))).shape
    (2, 8, 10, 12)
    """

    _dims = 2

    def construct(self, input: Any) -> Any:
        """The layer's result."""
        return F.conv2d(input, self.weight, self.bias, self.stride, self._mode, self._pads, self.dilation, self.groups)


class Conv1d(_Conv):
    """A window of weights slid over the last dimension (``mindspore.mint.nn.Conv1d``); see `Conv2d`.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> Conv1d(3, 8, 3)(Tensor(np.zeros((2, 3, 10), np.float32))).shape
    (2, 8, 8)
    """

    _dims = 1

    def construct(self, input: Any) -> Any:
        """The layer's result."""
        out = F.conv2d(
            input.expand_dims(2),
            F.expand_dims(self.weight, 2),
            self.bias,
            (1, *self.stride),
            self._mode,
            (0, 0, *self._pads),
            (1, *self.dilation),
            self.groups,
        )
        return out.squeeze(2)


class Conv3d(_Conv):
    """A window of weights slid over depth, height and width (``mindspore.mint.nn.Conv3d``); see `Conv2d`.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> Conv3d(1, 2, 3)(Tensor(np.zeros((1, 1, 4, 5, 6), np.float32))).shape
    (1, 2, 2, 3, 4)
    """

    _dims = 3

    def construct(self, input: Any) -> Any:
        """The layer's result."""
        return F.conv3d(input, self.weight, self.bias, self.stride, self._mode, self._pads, self.dilation, self.groups)


class ConvTranspose2d(_Conv):
    """The gradient of `Conv2d` by its input, as a layer (``mindspore.mint.nn.ConvTranspose2d``).

    Args:
        in_channels, out_channels, kernel_size, stride, dilation, groups, bias, padding_mode, dtype: see `Conv2d`.
        padding: rows and columns taken off the result, an int or (height, width).
        output_padding: rows and columns added to one side of it, an int or (height, width).

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> ConvTranspose2d(3, 8, 3, stride=2)(Tensor(np.zeros((2, 3, 5, 6), np.float32))).shape
    (2, 8, 11, 13)
    """

    _dims = 2
    _transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        dtype: Any = None,
    ) -> None:
        if isinstance(padding, str):
            fail(ValueError, "ConvTranspose2d", "'padding'", "be an int or a tuple of 2 ints", padding)
        sizes = (in_channels, out_channels, kernel_size, stride, padding, dilation)
        super().__init__(*sizes, groups, bias, padding_mode, dtype)
        self.output_padding = _check.pair("ConvTranspose2d", "output_padding", output_padding, 2, least=0)

    def construct(self, input: Any, output_size: Any = None) -> Any:
        """The layer's result; of the sizes that the arguments allow, `output_size` (height, width) chooses one."""
        extra = self.output_padding if output_size is None else self._extra(input, tuple(output_size)[-2:])
        return F.conv_transpose2d(
            input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation
        )

    def _extra(self, input: Any, wanted: tuple[int, ...]) -> tuple[int, ...]:
        """How much `output_padding` leads to the wanted size."""
        rows = zip(input.shape[-2:], self.stride, self.padding, self.dilation, self.kernel_size)
        least = [(n - 1) * step - 2 * pad + gap * (size - 1) + 1 for n, step, pad, gap, size in rows]
        extra = tuple(size - low for size, low in zip(wanted, least))
        if len(extra) != 2 or not all(0 <= more < max(s, d) for more, s, d in zip(extra, self.stride, self.dilation)):
            most = [low + max(s, d) - 1 for low, s, d in zip(least, self.stride, self.dilation)]
            fail(ValueError, "ConvTranspose2d", "'output_size'", f"be from {least} to {most}", str(list(wanted)))
        return extra
