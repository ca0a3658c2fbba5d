"""Losses of predicted numbers."""

from __future__ import annotations

import math
from typing import Any

from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail
from ms_nn import _check
from ms_nn.loss.base import LossBase

__all__ = ["GaussianNLLLoss", "HuberLoss", "L1Loss", "MAELoss", "MSELoss", "PoissonNLLLoss", "RMSELoss", "SmoothL1Loss"]


class L1Loss(LossBase):
    """|logits - labels| (``mindspore.nn.L1Loss``); the shapes broadcast.

    Args:
        reduction: "mean", "sum" or "none".

    Raises:
        TypeError: an input is no Tensor.
        ValueError: another reduction, or shapes that do not broadcast.

    >>> from ms_kernels import Tensor
    >>> print(L1Loss()(Tensor([1.0, 2.0]), Tensor([2.0, 5.0])))
    2.0
    """

    def construct(self, logits: Any, labels: Any) -> Any:
        """The loss."""
        self._check_tensors(logits=logits, labels=labels)
        return self.get_loss(F.abs(logits - labels))


class MAELoss(L1Loss):
    """The mean absolute error: the same as `L1Loss` (``mindspore.nn.MAELoss``)."""

    def construct(self, logits: Any, label: Any) -> Any:
        """The loss."""
        return super().construct(logits, label)


class MSELoss(LossBase):
    """(logits - labels)^2 (``mindspore.nn.MSELoss``); the shapes broadcast.

    Args:
        reduction: "mean", "sum" or "none".

    Raises:
        TypeError: an input is no Tensor.
        ValueError: another reduction, or shapes that do not broadcast.

    >>> from ms_kernels import Tensor
    >>> print(MSELoss()(Tensor([1.0, 2.0]), Tensor([2.0, 5.0])))
    5.0
    """

    def construct(self, logits: Any, labels: Any) -> Any:
        """The loss."""
        self._check_tensors(logits=logits, labels=labels)
        return self.get_loss(F.square(logits - labels))


class RMSELoss(LossBase):
    """The square root of the mean of (logits - label)^2 (``mindspore.nn.RMSELoss``).

    >>> from ms_kernels import Tensor
    >>> print(RMSELoss()(Tensor([1.0, 2.0]), Tensor([2.0, 3.0])))
    1.0
    """

    def __init__(self) -> None:
        super().__init__()
        self.MSELoss = MSELoss()

    def construct(self, logits: Any, label: Any) -> Any:
        """The loss."""
        return F.sqrt(self.MSELoss(logits, label))


class SmoothL1Loss(LossBase):
    """(x - y)^2 / (2 beta) where |x - y| < beta, else |x - y| - beta / 2 (``mindspore.nn.SmoothL1Loss``).

    Args:
        beta: where the two parts meet.
        reduction: "mean", "sum" or "none".

    Raises:
        ValueError: another reduction; in the call, other shapes or `beta` not above 0.

    >>> from ms_kernels import Tensor
    >>> print(SmoothL1Loss()(Tensor([1.0, 2.0]), Tensor([1.5, 5.0])))
    [0.125 2.5  ]
    """

    def __init__(self, beta: float = 1.0, reduction: str = "none") -> None:
        super().__init__(reduction)
        self.beta = beta

    def construct(self, logits: Any, labels: Any) -> Any:
        """The loss."""
        self._check_same_shape(logits=logits, labels=labels)
        beta = _check.real("SmoothL1Loss", "beta", self.beta, above=0)
        gap = F.abs(logits - labels)
        return self.get_loss(F.where(gap < beta, F.square(gap) * (0.5 / beta), gap - 0.5 * beta))


class HuberLoss(LossBase):
    """(x - y)^2 / 2 where |x - y| <= delta, else delta (|x - y| - delta / 2) (``mindspore.nn.HuberLoss``).

    Args:
        reduction: "mean", "sum" or "none".
        delta: where the two parts meet.

    Raises:
        ValueError: another reduction; in the call, `delta` not above 0.

    >>> from ms_kernels import Tensor
    >>> print(HuberLoss("none")(Tensor([1.0, 2.0]), Tensor([1.5, 5.0])))
    [0.125 2.5  ]
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction)
        self.delta = delta

    def construct(self, logits: Any, labels: Any) -> Any:
        """The loss."""
        self._check_tensors(logits=logits, labels=labels)
        delta = _check.real("HuberLoss", "delta", self.delta, above=0)
        gap = F.abs(logits - labels)
        return self.get_loss(F.where(gap <= delta, F.square(gap) * 0.5, (gap - 0.5 * delta) * delta))


class GaussianNLLLoss(LossBase):
    """(log max(var, eps) + (x - y)^2 / max(var, eps)) / 2 (``mindspore.nn.GaussianNLLLoss``).

    Args:
        full: add the constant log(2 pi) / 2.
        eps: least variance.
        reduction: "mean", "sum" or "none".

    Raises:
        ValueError: another reduction or `eps` not above 0; in the call, a negative variance.

    >>> from ms_kernels import Tensor
    >>> print(GaussianNLLLoss()(Tensor([1.0]), Tensor([3.0]), Tensor([1.0])))
    2.0
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.full = _check.boolean("GaussianNLLLoss", "full", full)
        self.eps = _check.real("GaussianNLLLoss", "eps", eps, above=0)

    def construct(self, logits: Any, labels: Any, var: Any) -> Any:
        """The loss."""
        self._check_tensors(logits=logits, labels=labels, var=var)
        if var.ndim == logits.ndim - 1:
            var = var.expand_dims(-1)
        if bool((var < 0).any()):
            fail(ValueError, "GaussianNLLLoss", "'var'", "have no negative element")
        width = F.maximum(var, self.eps)
        loss = (F.log(width) + F.square(logits - labels) / width) * 0.5
        return self.get_loss(loss + 0.5 * math.log(2 * math.pi) if self.full else loss)


class PoissonNLLLoss(LossBase):
    """exp(x) - y x, or x - y log(x + eps) without `log_input` (``mindspore.nn.PoissonNLLLoss``).

    Args:
        log_input: the input is the logarithm of the expected number.
        full: add Stirling's approximation of log(y!) where y > 1.
        eps: keeps the logarithm from 0.
        reduction: "mean", "sum" or "none".

    >>> from ms_kernels import Tensor
    >>> print(PoissonNLLLoss()(Tensor([0.0]), Tensor([3.0])))
    1.0
    """

    def __init__(self, log_input: bool = True, full: bool = False, eps: float = 1e-8, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.log_input, self.full, self.eps = log_input, full, eps

    def construct(self, input: Any, target: Any) -> Any:
        """The loss."""
        self._check_tensors(input=input, target=target)
        loss = F.exp(input) - target * input if self.log_input else input - target * F.log(input + self.eps)
        if self.full:
            safe = F.maximum(target, 1.0)
            stirling = safe * F.log(safe) - safe + 0.5 * F.log(safe * (2 * math.pi))
            loss = loss + F.where(target > 1, stirling, 0.0)
        return self.get_loss(loss)
