"""Patches, sizes and pools of ``mindspore.mint.nn`` that are functions with kept arguments."""

from __future__ import annotations

from typing import Any

from ms_kernels import functional as F
from ms_kernels import mint_functional as M
from ms_nn.cell import Cell
from ms_nn.layers.basic import Upsample

__all__ = [
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "Fold",
    "MaxUnpool2d",
    "PixelShuffle",
    "UnfoldExt",
    "UpsampleExt",
    "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
]


class PixelShuffle(Cell):
    """Channels laid out as pixels: (N, C r^2, H, W) -> (N, C, H r, W r) (``mindspore.mint.nn.PixelShuffle``).

    Raises:
        ValueError: (in the call) the factor is not above 0, or its square does not divide the channels.

    >>> from ms_kernels import Tensor
    >>> print(PixelShuffle(2)(Tensor([[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]])))
    [[[[1. 2.]
       [3. 4.]]]]
    """

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def construct(self, input: Any) -> Any:
        """The larger images."""
        return F.pixel_shuffle(input, self.upscale_factor)


class UnfoldExt(Cell):
    """The patches of images as columns (``mindspore.mint.nn.Unfold``).

    Args:
        kernel_size, dilation, padding, stride: ints or (height, width).

    Shapes: (N, C, H, W) -> (N, C * patch, number of patches).

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> UnfoldExt(2)(Tensor(np.zeros((1, 3, 4, 5), np.float32))).shape
    (1, 12, 12)
    """

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        super().__init__()
        self._how = (kernel_size, dilation, padding, stride)

    def construct(self, input: Any) -> Any:
        """The columns."""
        return F.unfold(input, *self._how)


class Fold(Cell):
    """Images as the sum of patches, which are columns (``mindspore.mint.nn.Fold``).

    Args:
        output_size: height and width of the images.
        kernel_size, dilation, padding, stride: ints or (height, width).

    Shapes: (N, C * patch, number of patches) -> (N, C, height, width).

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> Fold((4, 5), 2)(Tensor(np.zeros((1, 12, 12), np.float32))).shape
    (1, 3, 4, 5)
    """

    def __init__(
        self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        super().__init__()
        self._how = (output_size, kernel_size, dilation, padding, stride)

    def construct(self, input: Any) -> Any:
        """The images."""
        return M.fold(input, *self._how)


class UpsampleExt(Upsample):
    """Images (N, C, ...) in another size (``mindspore.mint.nn.Upsample``).

    Args:
        size, scale_factor: the new sizes, or the factors by which they grow.
        mode: "nearest"; "linear" (3-D), "bilinear" and "bicubic" (4-D), "trilinear" (5-D).
        align_corners: whether the centers of the corner pixels stay in place; for the linear and cubic modes.
        recompute_scale_factor: take the factors from the sizes.

    Raises:
        ValueError: (in the call) an unknown mode, one for other dimensions, or neither or both of size and factor.

    >>> from ms_kernels import Tensor
    >>> print(UpsampleExt(size=4)(Tensor([[[1.0, 2.0]]])))
    [[[1. 1. 2. 2.]]]
    """

    def construct(self, input: Any) -> Any:
        """The images in their new size."""
        return M.interpolate(
            input, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor
        )


class UpsamplingNearest2d(UpsampleExt):
    """Images (N, C, H, W) in another size by repeated pixels (``mindspore.mint.nn.UpsamplingNearest2d``).

    >>> from ms_kernels import Tensor
    >>> print(UpsamplingNearest2d(scale_factor=2.0)(Tensor([[[[1.0, 2.0]]]])))
    [[[[1. 1. 2. 2.]
       [1. 1. 2. 2.]]]]
    """

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(_pair(size), _pair(scale_factor), "nearest")


class UpsamplingBilinear2d(UpsampleExt):
    """Images (N, C, H, W) in another size by interpolation, corners stay (``mindspore.mint.nn.UpsamplingBilinear2d``).

    >>> from ms_kernels import Tensor
    >>> print(UpsamplingBilinear2d(size=3)(Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])))
    [[[[1.  1.5 2. ]
       [2.  2.5 3. ]
       [3.  3.5 4. ]]]]
    """

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(_pair(size), _pair(scale_factor), "bilinear", True)


def _pair(value: Any) -> Any:
    return (value, value) if isinstance(value, (int, float)) else value


class MaxUnpool2d(Cell):
    """Puts the elements that a max pool took back to their places, zeros elsewhere (``mindspore.mint.nn.MaxUnpool2d``).

    Args:
        kernel_size, stride, padding: those of the pool, ints or (height, width); the stride is the window if None.

    The call takes the input, the pool's indices, and a size if the default is not the wanted one.

    >>> from ms_kernels import Tensor
    >>> print(MaxUnpool2d(2)(Tensor([[[[5.0]]]]), Tensor([[[[3]]]])))
    [[[[0. 0.]
       [0. 5.]]]]
    """

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size, self.padding = kernel_size, padding
        self.stride = kernel_size if stride is None else stride

    def construct(self, input: Any, indices: Any, output_size: Any = None) -> Any:
        """The larger images."""
        return M.max_unpool2d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class AdaptiveMaxPool1d(Cell):
    """The greatest over windows that make the last dimension `output_size` (``mindspore.mint.nn.AdaptiveMaxPool1d``).

    Args:
        output_size: an int.
        return_indices: give also where the greatest stood.

    >>> from ms_kernels import Tensor
    >>> print(AdaptiveMaxPool1d(2)(Tensor([[[1.0, 3.0, 2.0, 0.0]]])))
    [[[3. 2.]]]
    """

    def __init__(self, output_size: int, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size, self.return_indices = output_size, return_indices

    def construct(self, input: Any) -> Any:
        """The layer's result; a pair with the indices when they were asked for."""
        return M.adaptive_max_pool1d(input, self.output_size, self.return_indices)

    def extend_repr(self) -> str:
        """The arguments."""
        return f"output_size={self.output_size}, return_indices={self.return_indices}"


class AdaptiveAvgPool3d(Cell):
    """The mean over windows that make the last dimensions `output_size` (``mindspore.mint.nn.AdaptiveAvgPool3d``).

    Args:
        output_size: an int, or three; None leaves a dimension as it is.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> AdaptiveAvgPool3d((1, 2, None))(Tensor(np.zeros((1, 1, 4, 4, 3), np.float32))).shape
    (1, 1, 1, 2, 3)
    """

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def construct(self, input: Any) -> Any:
        """The layer's result."""
        return M.adaptive_avg_pool3d(input, self.output_size)
