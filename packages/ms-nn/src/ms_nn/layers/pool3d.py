"""Pooling over depth, height and width: MaxPool3d and AvgPool3d."""

from __future__ import annotations

from typing import Any

from ms_kernels import functional as F
from ms_nn import _check
from ms_nn.layers.pool import Pool, batched, check_divisor

__all__ = ["AvgPool3d", "MaxPool3d"]


class _Pool3d(Pool):
    """What both share; "same" is a border of `_filling` around the input, its greater half behind."""

    _dims = 3
    _filling = 0.0

    def _bordered(self, x: Any) -> Any:
        pads: list[int] = []
        for size, window, step in zip(x.shape[:-4:-1], self._window[::-1], self._step[::-1]):
            total = max((-(-size // step) - 1) * step + window - size, 0)
            pads += [total // 2, total - total // 2]
        return F.pad(x, pads, "constant", self._filling) if any(pads) else x


class MaxPool3d(_Pool3d):
    """The greatest element of each window over the last three dimensions (``mindspore.nn.MaxPool3d``).

    Args: as `MaxPool2d`, with (depth, height, width) in place of (height, width).

    Shapes: input (N, C, D, H, W) or (C, D, H, W).

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range, or one that needs pad_mode "pad".

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> MaxPool3d(2, 2)(Tensor(np.zeros((1, 1, 4, 5, 6), np.float32))).shape
    (1, 1, 2, 2, 3)
    """

    _filling = -float("inf")

    # fmt: off
    def __init__(
        self, kernel_size: Any = 1, stride: Any = 1, pad_mode: str = "valid", padding: Any = 0, dilation: Any = 1,
        return_indices: bool = False, ceil_mode: bool = False,
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode)
        self.padding = _check.pair("MaxPool3d", "padding", padding, 3, least=0)
        self.dilation = _check.pair("MaxPool3d", "dilation", dilation, 3)
        self.return_indices = _check.boolean("MaxPool3d", "return_indices", return_indices)
        self.ceil_mode = _check.boolean("MaxPool3d", "ceil_mode", ceil_mode)
        gaps = self.dilation != (1, 1, 1)
        self._only_for_pad(
            padding=any(self.padding), dilation=gaps, return_indices=return_indices, ceil_mode=ceil_mode
        )
    # fmt: on

    def construct(self, x: Any) -> Any:
        """The layer's result; a pair with the indices when they were asked for."""
        if self.pad_mode == "SAME":
            x = self._bordered(x)

        def run(y: Any) -> Any:
            return F.max_pool3d(
                y, self._window, self._step, self.padding, self.dilation, self.ceil_mode, self.return_indices
            )

        return batched(run, x, 5)


class AvgPool3d(_Pool3d):
    """The mean of each window over the last three dimensions (``mindspore.nn.AvgPool3d``).

    Args: as `AvgPool2d`, with (depth, height, width) in place of (height, width); zeros that "same" adds count.

    Shapes: input (N, C, D, H, W) or (C, D, H, W).

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range, or one that needs pad_mode "pad".

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> AvgPool3d(2, 2)(Tensor(np.zeros((1, 1, 4, 5, 6), np.float32))).shape
    (1, 1, 2, 2, 3)
    """

    # fmt: off
    def __init__(
        self, kernel_size: Any = 1, stride: Any = 1, pad_mode: str = "valid", padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True, divisor_override: int | None = None,
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode)
        self.padding = _check.pair("AvgPool3d", "padding", padding, 3, least=0)
        self.ceil_mode = _check.boolean("AvgPool3d", "ceil_mode", ceil_mode)
        self.count_include_pad = _check.boolean("AvgPool3d", "count_include_pad", count_include_pad)
        self.divisor_override = check_divisor("AvgPool3d", divisor_override)
        self._only_for_pad(
            padding=any(self.padding), ceil_mode=ceil_mode, count_include_pad=not count_include_pad,
            divisor_override=divisor_override is not None,
        )
    # fmt: on

    def construct(self, x: Any) -> Any:
        """The layer's result."""
        if self.pad_mode == "SAME":
            x = self._bordered(x)
        fixed = (self._window, self._step, self.padding, self.ceil_mode, self.count_include_pad)
        return batched(lambda y: F.avg_pool3d(y, *fixed, self.divisor_override or 0), x, 5)
