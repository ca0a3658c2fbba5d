"""How a training chooses the factor its loss is scaled by, so that float16 gradients do not vanish."""

from __future__ import annotations

from typing import Any

from ms_nn import _check
from ms_nn.train._loss_scale import DynamicLossScaleUpdateCell, FixedLossScaleUpdateCell

__all__ = ["DynamicLossScaleManager", "FixedLossScaleManager", "LossScaleManager"]

_MOST_BAD_STEPS = 1000


class LossScaleManager:
    """The interface of the managers (``mindspore.train.LossScaleManager``)."""

    def get_loss_scale(self) -> Any:
        """The current factor."""

    def update_loss_scale(self, overflow: bool) -> None:
        """Learn whether the last step overflowed."""

    def get_update_cell(self) -> Any:
        """The cell that changes the factor inside a training step, or None."""


class FixedLossScaleManager(LossScaleManager):
    """Always the same factor (``mindspore.train.FixedLossScaleManager``).

    Args:
        loss_scale: the factor, at least 1.
        drop_overflow_update: leave out the update of the weights when a gradient overflowed.

    Raises:
        ValueError: `loss_scale` is less than 1.

    >>> FixedLossScaleManager(64.0).get_loss_scale()
    64.0
    """

    def __init__(self, loss_scale: float = 128.0, drop_overflow_update: bool = True) -> None:
        if loss_scale < 1:
            raise ValueError(f"The argument 'loss_scale' must be >= 1, but got {loss_scale}")
        self._loss_scale = loss_scale
        self._drop_overflow_update = drop_overflow_update

    def get_loss_scale(self) -> float:
        """The factor."""
        return self._loss_scale

    def get_drop_overflow_update(self) -> bool:
        """Whether updates with overflowed gradients are left out."""
        return self._drop_overflow_update

    def get_update_cell(self) -> FixedLossScaleUpdateCell | None:
        """A cell that keeps the factor; None when updates are never left out."""
        return FixedLossScaleUpdateCell(self._loss_scale) if self._drop_overflow_update else None


class DynamicLossScaleManager(LossScaleManager):
    """A factor that halves on overflow and doubles after a while without (``train.DynamicLossScaleManager``).

    Args:
        init_loss_scale: the first factor, at least 1.
        scale_factor: the factor grows and shrinks by it.
        scale_window: after how many steps without overflow it grows.

    Raises:
        ValueError, TypeError: an argument is something else.

    >>> manager = DynamicLossScaleManager(64, 2, 2)
    >>> for overflow in (False, False, True):
    ...     manager.update_loss_scale(overflow)
    ...     print(manager.get_loss_scale())
    64
    128
    64.0
    """

    def __init__(self, init_loss_scale: float = 2**24, scale_factor: float = 2, scale_window: int = 2000) -> None:
        if init_loss_scale < 1.0:
            raise ValueError(f"The argument 'init_loss_scale' must be > 1, but got {init_loss_scale}")
        if scale_factor <= 0:
            raise ValueError(f"The argument 'scale_factor' must be > 0, but got {scale_factor}")
        self.loss_scale = init_loss_scale
        self.scale_window = _check.integer("DynamicLossScaleManager", "scale_window", scale_window)
        self.scale_factor = scale_factor
        self.increase_ratio = scale_factor
        self.decrease_ratio = 1 / scale_factor
        self.cur_iter = 1
        self.last_overflow_iter = 0
        self.bad_step_max = _MOST_BAD_STEPS
        self.bad_step = 0

    def get_loss_scale(self) -> float:
        """The current factor."""
        return self.loss_scale

    def update_loss_scale(self, overflow: bool) -> None:
        """Learn whether the last step overflowed.

        Raises:
            RuntimeError: 1000 steps in a row did.
        """
        if overflow:
            self.loss_scale = max(self.loss_scale * self.decrease_ratio, 1)
            self.last_overflow_iter = self.cur_iter
            self.bad_step += 1
            if self.bad_step > self.bad_step_max:
                raise RuntimeError(
                    f"Dynamic loss scale Continuous overflow ({self.bad_step} times) has exceeded maximum."
                )
        else:
            if (self.cur_iter - self.last_overflow_iter) % self.scale_window == 0:
                self.loss_scale *= self.increase_ratio
            self.bad_step = 0
        self.cur_iter += 1

    def get_drop_overflow_update(self) -> bool:
        """Updates with overflowed gradients are left out: True."""
        return True

    def get_update_cell(self) -> DynamicLossScaleUpdateCell:
        """A cell that does the same to the factor inside a training step."""
        return DynamicLossScaleUpdateCell(self.loss_scale, self.scale_factor, self.scale_window)
