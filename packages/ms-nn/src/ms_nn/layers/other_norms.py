"""LRN, and SyncBatchNorm for the one process that there is."""

from __future__ import annotations

from typing import Any

import ms_dtype as mstype
from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail
from ms_nn import _check
from ms_nn.cell import Cell
from ms_nn.layers.norm import _BatchNorm

__all__ = ["LRN", "SyncBatchNorm"]

Init = Any  # a Tensor, str, Initializer or number


class LRN(Cell):
    """Local response normalization over neighbouring channels (``mindspore.nn.LRN``; Krizhevsky et al. 2012).

    x / (bias + alpha * sum of squares of the channels at most `depth_radius` away) ** beta.

    Args:
        depth_radius: an int.
        bias, alpha, beta: floats.
        norm_region: "ACROSS_CHANNELS".

    Shapes: input (N, C, H, W).

    Raises:
        TypeError, ValueError: an argument of the wrong type or unknown.

    >>> from ms_kernels import Tensor
    >>> print(LRN(1)(Tensor([[[[1.0]], [[0.0]]]])).asnumpy().ravel().round(4))
    [0.7071 0.    ]
    """

    def __init__(
        self,
        depth_radius: int = 5,
        bias: float = 1.0,
        alpha: float = 1.0,
        beta: float = 0.5,
        norm_region: str = "ACROSS_CHANNELS",
    ) -> None:
        super().__init__()
        floats = (("bias", bias, float), ("alpha", alpha, float), ("beta", beta, float))
        for arg, value, kind in (("depth_radius", depth_radius, int), *floats):
            if isinstance(value, bool) or not isinstance(value, kind):
                fail(TypeError, "LRN", f"type of '{arg}'", f"be '{kind.__name__}'", f"type '{type(value).__name__}'")
        _check.choice("LRN", "norm_region", norm_region, ("ACROSS_CHANNELS",))
        self._numbers = (depth_radius, bias, alpha, beta, norm_region)

    def construct(self, input_x: Any) -> Any:
        """The normalized input."""
        return F.lrn(input_x, *self._numbers)


class SyncBatchNorm(_BatchNorm):
    """Batch normalization over the batches of all processes (``mindspore.nn.SyncBatchNorm``).

    There is one process, so the batch is its own.

    Args:
        num_features, eps, momentum, affine, gamma_init, beta_init, moving_mean_init, moving_var_init,
            use_batch_statistics, dtype: see `BatchNorm2d`.
        process_groups: None, or a list of lists of processes; the only one is 0.

    Shapes: input (N, C) or (N, C, H, W).

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range; in the call, another number of dimensions.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> print(SyncBatchNorm(1)(Tensor(np.ones((1, 1, 1, 2), np.float32))).asnumpy().round(4))
    [[[[1. 1.]]]]
    """

    _ndims = (2, 4)

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: Init = "ones",
        beta_init: Init = "zeros",
        moving_mean_init: Init = "zeros",
        moving_var_init: Init = "ones",
        use_batch_statistics: bool | None = None,
        process_groups: Any = None,
        dtype: Any = mstype.float32,
    ) -> None:
        first = (gamma_init, beta_init, moving_mean_init, moving_var_init)
        super().__init__(num_features, eps, momentum, affine, *first, use_batch_statistics, dtype=dtype)
        if process_groups is not None:
            if not isinstance(process_groups, list) or not all(isinstance(group, list) for group in process_groups):
                fail(ValueError, "SyncBatchNorm", "'process_groups'", "be a list of lists", str(process_groups))
            if any(rank != 0 for group in process_groups for rank in group):
                fail(ValueError, "SyncBatchNorm", "'process_groups'", "hold process 0 only", str(process_groups))
        self.process_groups = process_groups
