"""Pools beside the plain ones: LPPool1d/2d, MaxUnpool1d/2d/3d, AdaptiveAvgPool3d and AdaptiveMaxPool3d."""

from __future__ import annotations

from typing import Any

import ms_dtype as mstype
from ms_kernels import Tensor
from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail
from ms_nn.cell import Cell

__all__ = [
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool3d",
    "LPPool1d",
    "LPPool2d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]


class _LPPool(Cell):
    """What both share: the arguments, looked at in the call."""

    def __init__(self, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type, self.kernel_size = norm_type, kernel_size
        self.stride, self.ceil_mode = stride, ceil_mode


class LPPool1d(_LPPool):
    """The root sum(x ** p) ** (1 / p) of each window over the last dimension (``mindspore.nn.LPPool1d``).

    Args:
        norm_type: p, a number other than 0.
        kernel_size: the window.
        stride: its step; the window's size if None.
        ceil_mode: the last window may reach past the end.

    Shapes: input (N, C, L) or (C, L).

    Raises:
        TypeError, ValueError: (in the call) an argument of the wrong type or out of range.

    >>> from ms_kernels import Tensor
    >>> print(LPPool1d(2, 2)(Tensor([[[3.0, 4.0, 6.0, 8.0]]])))
    [[[ 5. 10.]]]
    """

    def construct(self, x: Any) -> Any:
        """The layer's result."""
        return F.lp_pool1d(x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class LPPool2d(_LPPool):
    """`LPPool1d` with windows over height and width (``mindspore.nn.LPPool2d``); sizes are ints or pairs.

    Shapes: input (N, C, H, W).

    >>> from ms_kernels import Tensor
    >>> print(LPPool2d(1, 2)(Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])))
    [[[[10.]]]]
    """

    def construct(self, x: Any) -> Any:
        """The layer's result."""
        return F.lp_pool2d(x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class _MaxUnpool(Cell):
    """What all three share."""

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding


class MaxUnpool1d(_MaxUnpool):
    """Zeros with each element at the place where a max pool found it (``mindspore.nn.MaxUnpool1d``).

    Args:
        kernel_size, stride, padding: those of the pool; the stride is the window's size if None.

    The call takes the pool's result, its indices, and an `output_size` less than a stride from the plain one.

    Shapes: input (N, C, L) or (C, L).

    Raises:
        TypeError, ValueError: (in the call) an argument of the wrong type, or sizes that do not fit.
        RuntimeError: (in the call) an index outside of the result.

    >>> from ms_kernels import Tensor
    >>> print(MaxUnpool1d(2)(Tensor([[[2.0, 4.0]]]), Tensor([[[1, 3]]])))
    [[[0. 2. 0. 4.]]]
    """

    def construct(self, x: Any, indices: Any, output_size: Any = None) -> Any:
        """The layer's result."""
        return F.max_unpool1d(x, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool2d(_MaxUnpool):
    """`MaxUnpool1d` for (N, C, H, W) or (C, H, W) (``mindspore.nn.MaxUnpool2d``).

    >>> from ms_kernels import Tensor
    >>> print(MaxUnpool2d(2)(Tensor([[[[5.0]]]]), Tensor([[[[2]]]])))
    [[[[0. 0.]
       [5. 0.]]]]
    """

    def construct(self, x: Any, indices: Any, output_size: Any = None) -> Any:
        """The layer's result."""
        return F.max_unpool2d(x, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool3d(_MaxUnpool):
    """`MaxUnpool1d` for (N, C, D, H, W) or (C, D, H, W) (``mindspore.nn.MaxUnpool3d``).

    >>> from ms_kernels import Tensor
    >>> print(MaxUnpool3d(2)(Tensor([[[[[5.0]]]]]), Tensor([[[[[2]]]]])).ravel())
    [0. 0. 5. 0. 0. 0. 0. 0.]
    """

    def construct(self, x: Any, indices: Any, output_size: Any = None) -> Any:
        """The layer's result."""
        return F.max_unpool3d(x, indices, self.kernel_size, self.stride, self.padding, output_size)


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


class AdaptiveAvgPool3d(Cell):
    """The mean over windows chosen so that depth, height and width become `output_size`
    (``mindspore.nn.AdaptiveAvgPool3d``).

    Args:
        output_size: an int or (depth, height, width); None keeps a size.

    Shapes: input (N, C, D, H, W) or (C, D, H, W).

    Raises:
        TypeError, ValueError: an argument of the wrong type or below 0; in the call, one that does not fit.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> AdaptiveAvgPool3d((2, None, 1))(Tensor(np.ones((1, 3, 5, 7, 4), np.float32))).shape
    (1, 3, 2, 7, 1)
    """

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        name = type(self).__name__
        if not (_is_int(output_size) or isinstance(output_size, tuple)):
            got = f"type '{type(output_size).__name__}'"
            fail(TypeError, name, "type of 'output_size'", "be one of '['int', 'tuple']'", got)
        sizes = output_size if isinstance(output_size, tuple) else (output_size,) * 3
        for i, size in enumerate(sizes):
            if not (size is None or _is_int(size)):
                got = f"type '{type(size).__name__}'"
                fail(TypeError, name, f"type of 'output_size[{i}]'", "be one of '['int', 'NoneType']'", got)
            if size is not None and size < 0:
                fail(ValueError, name, f"'output_size[{i}]'", "be >= 0", str(size))
        self.output_size = sizes

    def construct(self, input: Any) -> Any:
        """The layer's result."""
        return F.adaptive_avg_pool3d(input, self.output_size)


class AdaptiveMaxPool3d(Cell):
    """The greatest over windows chosen so that depth, height and width become `output_size`
    (``mindspore.nn.AdaptiveMaxPool3d``).

    Args:
        output_size: an int or (depth, height, width).
        return_indices: give also where the greatest stood, in int32.

    Shapes: input (N, C, D, H, W) or (C, D, H, W).

    Raises:
        TypeError: `output_size` is neither int nor ints.
        ValueError: (in the call) sizes below 1, or not three.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> AdaptiveMaxPool3d(2)(Tensor(np.ones((1, 3, 5, 7, 4), np.float32))).shape
    (1, 3, 2, 2, 2)
    """

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        sizes = (output_size,) * 3 if _is_int(output_size) else output_size
        if not isinstance(sizes, (tuple, list)) or not all(_is_int(size) for size in sizes):
            fail(TypeError, type(self).__name__, "'output_size'", "be an int or a tuple of ints", repr(output_size))
        self.output_size = Tensor(list(sizes), mstype.int32)
        self.return_indices = return_indices

    def construct(self, input: Any) -> Any:
        """The layer's result; a pair with the indices when they were asked for."""
        return F.adaptive_max_pool3d(input, self.output_size, bool(self.return_indices))
