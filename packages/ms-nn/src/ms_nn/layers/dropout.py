"""Dropout of elements and of channels."""

from __future__ import annotations

from typing import Any

import ms_dtype as mstype
from ms_kernels import functional as F
from ms_nn import _check
from ms_nn.cell import Cell

__all__ = ["Dropout", "Dropout1d", "Dropout2d", "Dropout3d"]


class Dropout(Cell):
    """In training: zero with probability p, else x / (1 - p); otherwise the input (``mindspore.nn.Dropout``).

    Args:
        keep_prob: 1 - p, the older spelling, used when `p` is None.
        p: in [0, 1).
        dtype: kept for 2.6's sake.

    Raises:
        TypeError: a probability is no number.
        ValueError: a probability is out of range.

    >>> from ms_kernels import Tensor
    >>> print(Dropout(p=0.3)(Tensor([1.0, 2.0])))
    [1. 2.]
    """

    def __init__(self, keep_prob: float = 0.5, p: float | None = None, dtype: Any = mstype.float32) -> None:
        super().__init__()
        if p is None:
            _check.within("Dropout", "keep_prob", keep_prob, 0, 1, "(]")
        else:
            _check.within("Dropout", "p", p, 0, 1, "[)")
        self.p, self.keep_prob = p, keep_prob

    def construct(self, x: Any) -> Any:
        """The layer's result."""
        p = 1 - self.keep_prob if self.p is None else self.p
        return F.dropout(x, p) if self.training and p != 0 else x

    def extend_repr(self) -> str:
        """The probability as it was given."""
        return f"keep_prob={self.keep_prob}" if self.p is None else f"p={self.p}"


class _ChannelDropout(Cell):
    """In training: whole channels become zero with probability p, the others x / (1 - p); otherwise the input."""

    _ndims: tuple[int, ...]

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        _check.within(type(self).__name__, "p", p, 0, 1)
        self.prob = p

    def construct(self, x: Any) -> Any:
        """The layer's result."""
        if not self.training or self.prob == 0:
            return x
        if x.ndim not in self._ndims:
            raise ValueError(
                f"For '{type(self).__name__}', the dimension of the input must be "
                f"{' or '.join(map(str, self._ndims))}, but got {x.ndim}."
            )
        if self.prob == 1:
            return x * 0
        window = self._ndims[-1] - 2
        kept = F.dropout(F.ones(x.shape[:-window] + (1,) * window, x.dtype), self.prob)
        return x * kept

    def extend_repr(self) -> str:
        """What is kept, as 2.6 prints it."""
        return f"p={1 - self.prob}"


class Dropout1d(_ChannelDropout):
    """Dropout of whole channels of (N, C, L) or (C, L) (``mindspore.nn.Dropout1d``).

    >>> from ms_kernels import Tensor
    >>> print(Dropout1d(p=1.0).set_train()(Tensor([[1.0, 2.0]])))
    [[0. 0.]]
    """

    _ndims = (2, 3)

    def extend_repr(self) -> str:
        """Nothing, as in 2.6."""
        return ""


class Dropout2d(_ChannelDropout):
    """Dropout of whole channels of (N, C, H, W) (``mindspore.nn.Dropout2d``)."""

    _ndims = (4,)


class Dropout3d(_ChannelDropout):
    """Dropout of whole channels of (N, C, D, H, W) (``mindspore.nn.Dropout3d``)."""

    _ndims = (5,)
