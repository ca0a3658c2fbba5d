"""Losses of ``mindspore.mint.nn`` whose arguments or sub-cells differ from those of ``mindspore.nn``."""

from __future__ import annotations

from typing import Any

from ms_kernels import functional as F
from ms_nn import _check
from ms_nn.cell import Cell
from ms_nn.loss import classification as nn
from ms_nn.loss import regression

__all__ = ["BCELoss", "BCEWithLogitsLoss", "KLDivLoss", "L1LossExt", "SmoothL1Loss"]


class BCELoss(Cell):
    """`ms_nn.BCELoss` in a cell of its own (``mindspore.mint.nn.BCELoss``)."""

    def __init__(self, weight: Any = None, reduction: str = "mean") -> None:
        super().__init__()
        self.bce_loss = nn.BCELoss(weight, reduction)

    def construct(self, input: Any, target: Any) -> Any:
        """The loss."""
        return self.bce_loss(input, target)


class BCEWithLogitsLoss(nn.BCEWithLogitsLoss):
    """`ms_nn.BCEWithLogitsLoss` with the weight first (``mindspore.mint.nn.BCEWithLogitsLoss``)."""

    def __init__(self, weight: Any = None, reduction: str = "mean", pos_weight: Any = None) -> None:
        super().__init__(reduction, weight, pos_weight)


class L1LossExt(regression.L1Loss):
    """`ms_nn.L1Loss` under the name that mint prints (``mindspore.mint.nn.L1Loss``)."""


class SmoothL1Loss(regression.SmoothL1Loss):
    """`ms_nn.SmoothL1Loss` with the reduction first, "mean" by default (``mindspore.mint.nn.SmoothL1Loss``)."""

    def __init__(self, reduction: str = "mean", beta: float = 1.0) -> None:
        super().__init__(beta, reduction)

    def construct(self, input: Any, target: Any) -> Any:
        """The loss."""
        return super().construct(input, target)


class KLDivLoss(nn.KLDivLoss):
    """`ms_nn.KLDivLoss`, whose target may be a logarithm too (``mindspore.mint.nn.KLDivLoss``).

    Args:
        reduction: "mean", "sum", "none" or "batchmean".
        log_target: the target holds logarithms.
    """

    def __init__(self, reduction: str = "mean", log_target: bool = False) -> None:
        super().__init__(reduction)
        self.log_target = _check.boolean("KLDivLoss", "log_target", log_target)

    def construct(self, input: Any, target: Any) -> Any:
        """The loss."""
        if not self.log_target:
            return super().construct(input, target)
        loss = self.get_loss(F.exp(target) * (target - input))
        return loss / input.shape[0] if self.reduction == "batchmean" else loss
