"""Mixed precision (``mindspore.amp``): levels, lists, loss scaling."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels import Parameter, Tensor
from ms_kernels.opdef.errors import fail
from ms_nn import _check
from ms_nn.train._loss_scale import are_finite
from ms_nn.train.amp import (
    auto_mixed_precision,
    build_train_network,
    custom_mixed_precision,
    get_black_list,
    get_white_list,
)
from ms_nn.train.loss_scale_manager import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager

__all__ = [
    "DynamicLossScaleManager",
    "DynamicLossScaler",
    "FixedLossScaleManager",
    "LossScaleManager",
    "LossScaler",
    "StaticLossScaler",
    "all_finite",
    "auto_mixed_precision",
    "build_train_network",
    "custom_mixed_precision",
    "get_black_list",
    "get_white_list",
]


def all_finite(inputs: Any) -> Tensor:
    """Whether no number in a list or tuple of Tensors is NaN or infinite (``mindspore.amp.all_finite``).

    Raises:
        TypeError: something else.
        ValueError: an empty tuple.

    >>> print(all_finite((Tensor([1.0]), Tensor([2.0]))))
    True
    """
    if not isinstance(inputs, (tuple, list)) or not all(isinstance(x, Tensor) for x in inputs):
        fail(TypeError, "all_finite", "'inputs'", "be a tuple or list of Tensors", type(inputs).__name__)
    if not inputs:
        fail(ValueError, "all_finite", "length of 'inputs'", "be at least 1", "0")
    return Tensor(are_finite(inputs), mstype.bool_)


class LossScaler(ABC):
    """The interface of the scalers (``mindspore.amp.LossScaler``)."""

    @abstractmethod
    def scale(self, inputs: Any) -> Any:
        """Multiply Tensors by the factor."""

    @abstractmethod
    def unscale(self, inputs: Any) -> Any:
        """Divide Tensors by the factor."""

    @abstractmethod
    def adjust(self, grads_finite: Any) -> bool:
        """Change the factor after a step; returns whether it is one that changes."""


def _scale_value(value: Any) -> Parameter:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        kind = type(value).__name__
        raise TypeError(f"The type of 'scale_value' should be one of '['float', 'int']', but got type '{kind}'.")
    if value < 1.0:
        raise ValueError(f"The argument 'scale_value' must be > 1, but got {value}")
    return Parameter(Tensor(np.array(value, np.float32)), name="scale_value")


def _times(inputs: Any, factor: np.ndarray[Any, Any]) -> Any:
    if isinstance(inputs, (tuple, list)):
        return type(inputs)(_times(item, factor) for item in inputs)
    if not isinstance(inputs, Tensor):
        fail(TypeError, "LossScaler", "'inputs'", "be Tensors", type(inputs).__name__)
    return inputs * Tensor(factor).astype(inputs.dtype)


class StaticLossScaler(LossScaler):
    """Scale by a factor that stays (``mindspore.amp.StaticLossScaler``).

    Args:
        scale_value: the factor, at least 1.

    Raises:
        TypeError, ValueError: it is something else.

    >>> scaler = StaticLossScaler(2**10)
    >>> print(scaler.scale(Tensor(1.5)), scaler.unscale((Tensor(1024.0),))[0])
    1536.0 1.0
    """

    def __init__(self, scale_value: float) -> None:
        self.scale_value = _scale_value(scale_value)

    def scale(self, inputs: Any) -> Any:
        """Multiply a Tensor, or a tuple or list of them."""
        return _times(inputs, self.scale_value.asnumpy().copy())

    def unscale(self, inputs: Any) -> Any:
        """Divide a Tensor, or a tuple or list of them."""
        return _times(inputs, 1 / self.scale_value.asnumpy())

    def adjust(self, grads_finite: Any) -> bool:
        """Nothing: False."""
        return False


class DynamicLossScaler(StaticLossScaler):
    """Scale by a factor that shrinks on overflow and grows after a while without (``amp.DynamicLossScaler``).

    Args:
        scale_value: the first factor, at least 1.
        scale_factor: by what it is multiplied and divided.
        scale_window: after how many steps without overflow it grows.

    Raises:
        TypeError, ValueError: an argument is something else.

    >>> scaler = DynamicLossScaler(scale_value=2**10, scale_factor=2, scale_window=1)
    >>> scaler.adjust(Tensor(False)), print(scaler.scale_value.asnumpy())
    512.0
    (True, None)
    """

    def __init__(self, scale_value: float, scale_factor: int, scale_window: int) -> None:
        super().__init__(scale_value)
        self.scale_window = _check.integer("DynamicLossScaler", "scale_window", scale_window)
        self.scale_factor = _check.integer("DynamicLossScaler", "scale_factor", scale_factor)
        self.counter = Parameter(Tensor(np.array(0, np.int32)), name="counter")

    def adjust(self, grads_finite: Any) -> bool:
        """Divide the factor when the gradients were not finite (never below 1), or count towards multiplying it.

        Args:
            grads_finite: what `all_finite` said of the gradients.
        """
        scale, good = float(self.scale_value.asnumpy()), 0
        if not bool(grads_finite):
            scale = max(scale / self.scale_factor, 1.0)
        else:
            good = (int(self.counter.asnumpy()) + 1) % self.scale_window
            grown = np.float32(scale) * np.float32(self.scale_factor)
            scale = float(grown) if good == 0 and np.isfinite(grown) else scale
        self.scale_value.set_data(Tensor(np.array(scale, np.float32)))
        self.counter.set_data(Tensor(np.array(good, np.int32)))
        return True
