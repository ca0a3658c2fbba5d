"""Transposed convolutions: what a convolution does to a gradient, as a layer."""

from __future__ import annotations

from typing import Any

import ms_dtype as mstype
from ms_kernels import Tensor
from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail, operand
from ms_kernels.ops.conv import conv_grad_input
from ms_nn import _check
from ms_nn.layers.conv import ConvBase, flat_window, line

__all__ = ["Conv1dTranspose", "Conv2dTranspose", "Conv3dTranspose"]


class _ConvTranspose(ConvBase):
    """What the transposed convolutions share."""

    _transposed = True

    # fmt: off
    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any, pad_mode: str, padding: Any,
        output_padding: Any, dilation: Any, group: int, has_bias: bool, weight_init: Any, bias_init: Any,
        data_format: str, dtype: Any,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias, weight_init,
            bias_init, data_format, dtype,
        )
        # fmt: on
        name = type(self).__name__
        self.output_padding = output_padding
        self._extra = _check.pair(name, "output_padding", output_padding, self._dims, 0)
        if pad_mode != "pad" and any(self._extra):
            fail(ValueError, name, "'output_padding'", "be zero when 'pad_mode' is not 'pad'", str(output_padding))

    def _sizes(self, shape: tuple[int, ...], extra: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The result's dimensions and what the convolution that it is the gradient of pads."""
        sizes: list[int] = []
        pads: list[int] = []
        for axis, (size, kernel, step) in enumerate(zip(shape, self.kernel_size, self.stride)):
            reach = (kernel - 1) * self.dilation[axis] + 1
            low, high = self._pads[2 * axis], self._pads[2 * axis + 1]
            if self.pad_mode == "pad":
                sizes.append((size - 1) * step - low - high + reach + extra[axis])
            else:
                overlap = max(reach - step, 0)
                if self.pad_mode == "same":
                    low, high = overlap // 2, overlap - overlap // 2
                    overlap = 0
                sizes.append(size * step + overlap)
            pads += [low, high]
        return tuple(sizes), tuple(pads)

    def _check_input(self, x: Any) -> None:
        name = type(self).__name__
        if not isinstance(x, Tensor):
            operand(name, "x", x)
        if x.ndim != self._dims + 2 or x.shape[1] != self.in_channels:
            rule = f"be {self._dims + 2}-dimensional with {self.in_channels} channels"
            fail(ValueError, name, "input", rule, f"shape {list(x.shape)}")

    def _spread(self, x: Any, extra: tuple[int, ...]) -> Any:
        sizes, pads = self._sizes(x.shape[2:], extra)
        shape = (x.shape[0], self.out_channels, *sizes)
        out = conv_grad_input(x, self.weight, shape, self.stride, pads, self.dilation, self.group)
        return out + F.reshape(self.bias, (1, -1) + (1,) * self._dims) if self.has_bias else out


class Conv2dTranspose(_ConvTranspose):
    """The gradient of `Conv2d` by its input, as a layer (``mindspore.nn.Conv2dTranspose``).

    Args: as `Conv2d`, and:
        output_padding: zeros added to the end of height and width, for pad_mode "pad".

    Shapes: weight (in_channels, out_channels // group, kh, kw), input (N, in_channels, H, W); the result has
    size * stride with pad_mode "same".

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> Conv2dTranspose(3, 8, 3, stride=2)(Tensor(np.zeros((2, 3, 5, 6), np.float32))).shape
    (2, 8, 10, 12)
    """

    # fmt: off
    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, pad_mode: str = "same",
        padding: Any = 0, output_padding: Any = 0, dilation: Any = 1, group: int = 1, has_bias: bool = False,
        weight_init: Any = None, bias_init: Any = None, dtype: Any = mstype.float32,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, output_padding, dilation, group,
            has_bias, weight_init, bias_init, "NCHW", dtype,
        )
    # fmt: on

    def construct(self, x: Any) -> Any:
        """The layer's result."""
        height, width = self._extra
        self._check_input(x)
        out = self._spread(x, (0, 0))
        return F.pad(out, (0, width, 0, height)) if height or width else out


class Conv1dTranspose(_ConvTranspose):
    """The gradient of `Conv1d` by its input, as a layer (``mindspore.nn.Conv1dTranspose``); arguments as there.

    Shapes: weight (in_channels, out_channels // group, 1, kernel_size), input (N, in_channels, L).

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> Conv1dTranspose(3, 8, 3, stride=2)(Tensor(np.zeros((2, 3, 5), np.float32))).shape
    (2, 8, 10)
    """

    # fmt: off
    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: int, stride: int = 1, pad_mode: str = "same",
        padding: int = 0, dilation: int = 1, group: int = 1, has_bias: bool = False, weight_init: Any = None,
        bias_init: Any = None, dtype: Any = mstype.float32,
    ) -> None:
        kernel, step, gap = line(type(self).__name__, kernel_size=kernel_size, stride=stride, dilation=dilation)
        line(type(self).__name__, padding=padding)
        super().__init__(
            in_channels, out_channels, kernel, step, pad_mode, (0, 0, padding, padding), 0, gap, group, has_bias,
            flat_window(weight_init), bias_init, "NCHW", dtype,
        )
    # fmt: on

    def construct(self, x: Any) -> Any:
        """The layer's result."""
        if not isinstance(x, Tensor):
            operand("Conv1dTranspose", "x", x)
        if x.ndim != 3:
            fail(ValueError, "Conv1dTranspose", "dimension of the input", "be 3", str(x.ndim))
        flat = F.expand_dims(x, 2)
        self._check_input(flat)
        return self._spread(flat, (0, 0)).squeeze(2)


class Conv3dTranspose(_ConvTranspose):
    """The gradient of `Conv3d` by its input, as a layer (``mindspore.nn.Conv3dTranspose``); arguments as there, and:

    Args:
        output_padding: elements more at the end of depth, height and width, for pad_mode "pad".

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> Conv3dTranspose(1, 2, 3)(Tensor(np.zeros((1, 1, 3, 4, 5), np.float32))).shape
    (1, 2, 3, 4, 5)
    """

    _dims = 3
    _format = "NCDHW"

    # fmt: off
    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, pad_mode: str = "same",
        padding: Any = 0, dilation: Any = 1, group: int = 1, output_padding: Any = 0, has_bias: bool = False,
        weight_init: Any = None, bias_init: Any = None, data_format: str = "NCDHW", dtype: Any = mstype.float32,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, output_padding, dilation, group,
            has_bias, weight_init, bias_init, data_format, dtype,
        )
    # fmt: on

    def construct(self, x: Any) -> Any:
        """The layer's result."""
        self._check_input(x)
        return self._spread(x, self._extra)
