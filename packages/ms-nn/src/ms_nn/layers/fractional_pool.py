"""Max pools whose windows lie at random places: FractionalMaxPool2d and FractionalMaxPool3d."""

from __future__ import annotations

from typing import Any

from ms_kernels import functional as F
from ms_nn.cell import Cell

__all__ = ["FractionalMaxPool2d", "FractionalMaxPool3d"]


class FractionalMaxPool2d(Cell):
    """The greatest element of windows at random places (``mindspore.nn.FractionalMaxPool2d``; Graham 2014).

    Args:
        kernel_size: the window, an int or one for each dimension.
        output_size: how many windows there are, an int or one for each dimension;
        output_ratio: or their number as a part of the input's size, in (0, 1).
        return_indices: give also where the greatest stood.
        _random_samples: in place of random numbers: a Tensor (N, C, 2) of numbers in [0, 1).

    Shapes: input (N, C, H, W).

    Raises:
        TypeError, ValueError: (in the call) an argument of the wrong type or out of range; neither or both of
            `output_size` and `output_ratio`.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> pool = FractionalMaxPool2d(2, output_size=2, _random_samples=Tensor([[[0.3, 0.6]]]))
    >>> print(pool(Tensor(np.arange(25, dtype=np.float32).reshape(1, 1, 5, 5))))
    [[[[ 6.  9.]
       [21. 24.]]]]
    """

    def __init__(
        self,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Any = None,
    ) -> None:
        super().__init__()
        self.kernel_size, self.output_size, self.output_ratio = kernel_size, output_size, output_ratio
        self.return_indices, self._random_samples = return_indices, _random_samples

    def _pool(self, pool: Any, x: Any) -> Any:
        return pool(x, self.kernel_size, self.output_size, self.output_ratio, self.return_indices, self._random_samples)

    def construct(self, input: Any) -> Any:
        """The layer's result; a pair with the indices when they were asked for."""
        return self._pool(F.fractional_max_pool2d, input)


class FractionalMaxPool3d(FractionalMaxPool2d):
    """`FractionalMaxPool2d` over depth, height and width (``mindspore.nn.FractionalMaxPool3d``).

    Shapes: input (N, C, D, H, W); `_random_samples` (N, C, 3).

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> FractionalMaxPool3d(2, output_size=(1, 2, 2))(Tensor(np.zeros((1, 1, 4, 5, 5), np.float32))).shape
    (1, 1, 1, 2, 2)
    """

    def construct(self, input: Any) -> Any:
        """The layer's result; a pair with the indices when they were asked for."""
        return self._pool(F.fractional_max_pool3d, input)
