"""Pools and paddings of ``mindspore.mint.nn`` whose arguments differ from those of ``mindspore.nn``."""

from __future__ import annotations

from typing import Any

from ms_kernels import functional as F
from ms_kernels import mint_functional as M
from ms_nn.cell import Cell
from ms_nn.layers import adaptive_pool
from ms_nn.layers.padding import ConstantPad1d, ConstantPad3d

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AvgPool1dExt",
    "AvgPool2dExt",
    "AvgPool3dExt",
    "MaxPool2dExt",
    "ZeroPad1d",
    "ZeroPad3d",
]


class MaxPool2dExt(Cell):
    """The greatest element of each window over height and width (``mindspore.mint.nn.MaxPool2d``).

    Args:
        kernel_size, stride, padding, dilation: ints or (height, width); the stride is the window if None.
        return_indices: give also where the greatest stood.
        ceil_mode: let the last window reach over the end.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> MaxPool2dExt(2)(Tensor(np.zeros((1, 1, 4, 4), np.float32))).shape
    (1, 1, 2, 2)
    """

    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size, self.stride, self.padding, self.dilation = kernel_size, stride, padding, dilation
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def construct(self, input: Any) -> Any:
        """The layer's result; a pair with the indices when they were asked for."""
        return F.max_pool2d(
            input, self.kernel_size, self.stride, self.padding, self.dilation, self.return_indices, self.ceil_mode
        )


class AvgPool2dExt(Cell):
    """The mean of each window over height and width (``mindspore.mint.nn.AvgPool2d``).

    Args:
        kernel_size, stride, padding: ints or (height, width); the stride is the window if None.
        ceil_mode: let the last window reach over the end.
        count_include_pad: zeros of `padding` count as elements.
        divisor_override: divide by this in place of the number of elements.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> AvgPool2dExt(2)(Tensor(np.zeros((1, 1, 4, 4), np.float32))).shape
    (1, 1, 2, 2)
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size, self.padding = kernel_size, padding
        self.stride = kernel_size if stride is None else stride
        self.ceil_mode, self.count_include_pad, self.divisor_override = ceil_mode, count_include_pad, divisor_override

    def construct(self, input: Any) -> Any:
        """The layer's result."""
        return F.avg_pool2d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override or 0,
        )


class AvgPool3dExt(AvgPool2dExt):
    """The mean of each window over depth, height and width (``mindspore.mint.nn.AvgPool3d``); see `AvgPool2dExt`.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> AvgPool3dExt(2)(Tensor(np.zeros((1, 1, 4, 4, 6), np.float32))).shape
    (1, 1, 2, 2, 3)
    """

    def construct(self, input: Any) -> Any:
        """The layer's result."""
        return M.avg_pool3d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )


class AvgPool1dExt(Cell):
    """The mean of each window over the last dimension (``mindspore.mint.nn.AvgPool1d``); see `AvgPool2dExt`."""

    def __init__(
        self,
        kernel_size: int,
        stride: int | None = None,
        padding: int = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size, self.padding = kernel_size, padding
        self.stride = kernel_size if stride is None else stride
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def construct(self, input: Any) -> Any:
        """The layer's result."""
        flat = F.avg_pool2d(
            input.expand_dims(-2),
            (1, self.kernel_size),
            (1, self.stride),
            (0, self.padding),
            self.ceil_mode,
            self.count_include_pad,
            0,
        )
        return flat.squeeze(-2)


class AdaptiveAvgPool1d(Cell):
    """The mean over windows that make the last dimension `output_size` (``mindspore.mint.nn.AdaptiveAvgPool1d``).

    >>> from ms_kernels import Tensor
    >>> print(AdaptiveAvgPool1d(2)(Tensor([[[1.0, 3.0, 2.0]]])))
    [[[2.  2.5]]]
    """

    def __init__(self, output_size: int) -> None:
        super().__init__()
        self.output_size = output_size

    def construct(self, input: Any) -> Any:
        """The layer's result."""
        return F.adaptive_avg_pool2d(input.expand_dims(-2), (1, self.output_size)).squeeze(-2)

    def extend_repr(self) -> str:
        """The size."""
        return f"output_size={self.output_size}"


class AdaptiveAvgPool2d(adaptive_pool.AdaptiveAvgPool2d):
    """`ms_nn.AdaptiveAvgPool2d`, which here prints its size (``mindspore.mint.nn.AdaptiveAvgPool2d``)."""

    def extend_repr(self) -> str:
        """The size."""
        return f"output_size={self.output_size}"


class ZeroPad1d(ConstantPad1d):
    """Zeros before and behind the last dimension (``mindspore.mint.nn.ZeroPad1d``)."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0)

    def construct(self, input: Any) -> Any:
        """The padded input."""
        return super().construct(input)


class ZeroPad3d(ConstantPad3d):
    """Zeros around the last three dimensions (``mindspore.mint.nn.ZeroPad3d``)."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0)

    def construct(self, input: Any) -> Any:
        """The padded input."""
        return super().construct(input)
