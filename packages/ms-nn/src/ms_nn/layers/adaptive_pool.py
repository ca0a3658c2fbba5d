"""Pools that are told the size of their result: AdaptiveAvgPool1d/2d and AdaptiveMaxPool1d/2d."""

from __future__ import annotations

from typing import Any

from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail
from ms_nn import _check
from ms_nn.cell import Cell

__all__ = ["AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d"]


class _Adaptive(Cell):
    """A pool that is told the size of its result."""

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices


def _line_size(name: str, output_size: Any) -> int:
    if isinstance(output_size, bool) or not isinstance(output_size, int):
        fail(TypeError, name, "type of 'output_size'", "be 'int'", f"type '{type(output_size).__name__}'")
    return _check.integer(name, "output_size", output_size)


def _check_divides(name: str, x: Any, size: int) -> None:
    if x.ndim not in (2, 3):
        raise ValueError(f"For {name}, the input must have 2 or 3 dims, but got {x.ndim}.")
    if x.shape[-1] % size:
        raise ValueError(
            f"For {name}, the input's last dimension must be divisible by output size {size}, but got {x.shape[-1]}."
        )


class AdaptiveAvgPool1d(_Adaptive):
    """The mean over windows chosen so that the last dimension becomes `output_size`
    (``mindspore.nn.AdaptiveAvgPool1d``).

    Raises:
        TypeError, ValueError: `output_size` is no positive int; in the call, it does not divide the last dimension.

    >>> from ms_kernels import Tensor
    >>> print(AdaptiveAvgPool1d(2)(Tensor([[[1.0, 3.0, 2.0, 0.0]]])))
    [[[2. 1.]]]
    """

    def __init__(self, output_size: int) -> None:
        super().__init__(_line_size("AdaptiveAvgPool1d", output_size))

    def construct(self, input: Any) -> Any:
        """The layer's result."""
        _check_divides("AdaptiveAvgPool1d", input, self.output_size)
        parts = input.reshape((*input.shape[:-1], self.output_size, input.shape[-1] // self.output_size))
        return F.mean(parts, -1)


class AdaptiveMaxPool1d(_Adaptive):
    """The greatest over windows chosen so that the last dimension becomes `output_size`
    (``mindspore.nn.AdaptiveMaxPool1d``).

    Raises:
        TypeError, ValueError: `output_size` is no positive int; in the call, it does not divide the last dimension.

    >>> from ms_kernels import Tensor
    >>> print(AdaptiveMaxPool1d(2)(Tensor([[[1.0, 3.0, 2.0, 0.0]]])))
    [[[3. 2.]]]
    """

    def __init__(self, output_size: int) -> None:
        super().__init__(_line_size("AdaptiveMaxPool1d", output_size))

    def construct(self, x: Any) -> Any:
        """The layer's result."""
        _check_divides("AdaptiveMaxPool1d", x, self.output_size)
        parts = x.reshape((*x.shape[:-1], self.output_size, x.shape[-1] // self.output_size))
        return F.amax(parts, -1)


class AdaptiveAvgPool2d(_Adaptive):
    """The mean over windows chosen so that height and width become `output_size` (``mindspore.nn.AdaptiveAvgPool2d``).

    Args:
        output_size: an int or (height, width); None keeps a size.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> AdaptiveAvgPool2d((2, None))(Tensor(np.ones((1, 3, 5, 7), np.float32))).shape
    (1, 3, 2, 7)
    """

    def __init__(self, output_size: Any) -> None:
        super().__init__(output_size)

    def construct(self, input: Any) -> Any:
        """The layer's result."""
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveMaxPool2d(_Adaptive):
    """The greatest over windows chosen so that height and width become `output_size`
    (``mindspore.nn.AdaptiveMaxPool2d``).

    Args:
        output_size: an int or (height, width); None keeps a size.
        return_indices: give also where the greatest stood.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> AdaptiveMaxPool2d(2)(Tensor(np.ones((1, 3, 5, 7), np.float32))).shape
    (1, 3, 2, 2)
    """

    def construct(self, input: Any) -> Any:
        """The layer's result; a pair with the indices when they were asked for."""
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)
