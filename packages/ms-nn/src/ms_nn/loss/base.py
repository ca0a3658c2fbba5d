"""What all losses share: checks of the inputs, and reduction."""

from __future__ import annotations

from typing import Any

import ms_dtype as mstype
from ms_kernels import Tensor
from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail
from ms_nn import _check
from ms_nn.cell import Cell

__all__ = ["LossBase"]


class LossBase(Cell):
    """Base of losses (``mindspore.nn.LossBase``).

    Args:
        reduction: "mean" or "sum" of all elements, or "none".

    Raises:
        ValueError: another reduction.

    >>> from ms_kernels import Tensor
    >>> class Difference(LossBase):
    ...     def construct(self, a, b):
    ...         return self.get_loss(a - b)
    >>> print(Difference("sum")(Tensor([3.0, 5.0]), Tensor([1.0, 1.0])))
    6.0
    """

    _reductions: tuple[str, ...] = ("mean", "sum", "none")

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = _check.choice(type(self).__name__, "reduction", reduction, self._reductions)
        self.reduce = reduction != "none"
        self.average = reduction == "mean"

    def _check_tensors(self, **inputs: Any) -> None:
        for arg, value in inputs.items():
            if not isinstance(value, Tensor):
                fail(TypeError, type(self).__name__, f"'{arg}'", "be Tensor", f"'{type(value).__name__}'")

    def _check_same_shape(self, **inputs: Any) -> None:
        self._check_tensors(**inputs)
        (first, a), *others = inputs.items()
        for arg, value in others:
            if value.shape != a.shape:
                fail(
                    ValueError,
                    type(self).__name__,
                    f"shape of '{arg}'",
                    f"be the same as that of '{first}'",
                    f"{list(value.shape)} and {list(a.shape)}",
                )

    def get_axis(self, x: Any) -> tuple[int, ...]:
        """The numbers of all dimensions."""
        return tuple(range(x.ndim))

    def get_loss(self, x: Any, weights: Any = 1.0) -> Any:
        """x times weights, reduced; computed in float32 at least, given back in x's dtype."""
        dtype = x.dtype
        wide = x.astype(mstype.float32) if dtype.itemsize < 4 or dtype.kind != "f" else x
        if isinstance(weights, Tensor) or weights != 1.0:
            wide = wide * weights
        if self.reduce:
            wide = F.mean(wide) if self.average else F.sum(wide)
        return wide.astype(dtype) if wide.dtype != dtype else wide
