"""Layers that only move elements: PixelShuffle, PixelUnshuffle, ChannelShuffle; and OneHot."""

from __future__ import annotations

from typing import Any

import ms_dtype as mstype
from ms_kernels import Tensor
from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail
from ms_nn import _check
from ms_nn.cell import Cell

__all__ = ["ChannelShuffle", "OneHot", "PixelShuffle", "PixelUnshuffle"]


class PixelShuffle(Cell):
    """(..., C r^2, H, W) as (..., C, H r, W r) (``mindspore.nn.PixelShuffle``).

    Args:
        upscale_factor: r, a positive int.

    Raises:
        ValueError: (in the call) r is not positive, or r^2 does not divide the channels.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> print(PixelShuffle(2)(Tensor(np.arange(8, dtype=np.float32).reshape(1, 4, 1, 2))))
    [[[[0. 2. 1. 3.]
       [4. 6. 5. 7.]]]]
    """

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def construct(self, input: Any) -> Any:
        """The moved elements."""
        r = _check.integer("PixelShuffle", "upscale_factor", self.upscale_factor)
        if input.ndim < 3 or input.shape[-3] % (r * r):
            fail(
                ValueError,
                "PixelShuffle",
                "third to last dimension",
                f"be divisible by {r * r}",
                str(list(input.shape)),
            )
        *lead, channels, height, width = input.shape
        n = len(lead)
        parts = input.reshape((*lead, channels // (r * r), r, r, height, width))
        moved = parts.transpose((*range(n), n, n + 3, n + 1, n + 4, n + 2))
        return moved.reshape((*lead, channels // (r * r), height * r, width * r))


class PixelUnshuffle(Cell):
    """(..., C, H r, W r) as (..., C r^2, H, W): the reverse of `PixelShuffle` (``mindspore.nn.PixelUnshuffle``).

    Args:
        downscale_factor: r, a positive int.

    Raises:
        ValueError: (in the call) r is not positive or does not divide height and width.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> PixelUnshuffle(2)(Tensor(np.zeros((1, 1, 4, 6), np.float32))).shape
    (1, 4, 2, 3)
    """

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def construct(self, input: Any) -> Any:
        """The moved elements."""
        r = _check.integer("PixelUnshuffle", "downscale_factor", self.downscale_factor)
        if input.ndim < 3 or input.shape[-1] % r or input.shape[-2] % r:
            fail(ValueError, "PixelUnshuffle", "last two dimensions", f"be divisible by {r}", str(list(input.shape)))
        *lead, channels, height, width = input.shape
        n = len(lead)
        parts = input.reshape((*lead, channels, height // r, r, width // r, r))
        moved = parts.transpose((*range(n), n, n + 2, n + 4, n + 1, n + 3))
        return moved.reshape((*lead, channels * r * r, height // r, width // r))


class ChannelShuffle(Cell):
    """The channels of (N, C, ...) dealt out in turn from `groups` groups (``mindspore.nn.ChannelShuffle``).

    Args:
        groups: a positive int that divides C.

    Raises:
        TypeError, ValueError: `groups` is no positive int; in the call, it does not divide C.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> print(ChannelShuffle(2)(Tensor(np.arange(4, dtype=np.float32).reshape(1, 4, 1))).reshape((4,)))
    [0. 2. 1. 3.]
    """

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = _check.integer("ChannelShuffle", "groups", groups)

    def construct(self, x: Any) -> Any:
        """The moved elements."""
        if x.ndim < 3 or x.shape[1] % self.groups:
            fail(ValueError, "ChannelShuffle", "dimension 1", f"be divisible by {self.groups}", str(list(x.shape)))
        shape = x.shape
        parts = x.reshape((shape[0], self.groups, shape[1] // self.groups, *shape[2:]))
        return parts.swapaxes(1, 2).reshape(shape)


class OneHot(Cell):
    """`on_value` at the place that an index names, `off_value` elsewhere (``mindspore.nn.OneHot``).

    Args:
        axis: where the new dimension stands; -1: at the end.
        depth: its size.
        on_value, off_value: numbers.
        dtype: of the result.

    >>> from ms_kernels import Tensor
    >>> print(OneHot(depth=3)(Tensor([0, 2])))
    [[1. 0. 0.]
     [0. 0. 1.]]
    """

    def __init__(
        self,
        axis: int = -1,
        depth: int = 1,
        on_value: float = 1.0,
        off_value: float = 0.0,
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__()
        self.axis = _check.integer("OneHot", "axis", axis, least=-1)
        self.depth = _check.integer("OneHot", "depth", depth)
        self.on_value, self.off_value, self.dtype = on_value, off_value, dtype

    def construct(self, indices: Any) -> Any:
        """The result, with one dimension more."""
        values = Tensor(self.on_value, self.dtype), Tensor(self.off_value, self.dtype)
        return F.one_hot(indices, self.depth, *values, self.axis)
