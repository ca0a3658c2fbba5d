"""Padding: constant, reflected and repeated borders."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels import Tensor
from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail
from ms_nn import _check
from ms_nn.cell import Cell

__all__ = [
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "Pad",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad2d",
]


def pad_symmetric(x: Any, pairs: Any) -> Any:
    """x with borders (low, high) for each dimension, mirrored with the border element repeated."""
    for axis, (low, high) in enumerate(pairs):
        size = x.shape[axis]
        places = np.arange(-low, size + high)
        places = np.where(places < 0, -1 - places, places)
        x = F.index_select(x, axis, Tensor(np.where(places >= size, 2 * size - 1 - places, places)))
    return x


class _Borders(Cell):
    """`padding`: an int for all borders, or a tuple (low, high) of the last dimension, then of the one before..."""

    _dims: int

    def __init__(self, padding: Any) -> None:
        super().__init__()
        name = type(self).__name__
        if isinstance(padding, bool) or not isinstance(padding, (int, tuple)):
            fail(TypeError, name, "type of 'padding'", "be one of 'int' or 'tuple'", f"'{type(padding).__name__}'")
        pads = (padding,) * (2 * self._dims) if isinstance(padding, int) else padding
        if len(pads) % 2 or not 2 <= len(pads) <= 2 * self._dims:
            fail(ValueError, name, "length of 'padding'", f"be even and at most {2 * self._dims}", str(len(pads)))
        for item in pads:
            if isinstance(item, bool) or not isinstance(item, int):
                fail(TypeError, name, "type of each item of 'padding'", "be 'int'", f"'{type(item).__name__}'")
        self.padding = pads

    def _check_input(self, x: Any) -> None:
        if not isinstance(x, Tensor):
            fail(TypeError, type(self).__name__, "input", "be a Tensor", type(x).__name__)
        if x.ndim < self._dims:
            fail(ValueError, type(self).__name__, "dimension of the input", f"be at least {self._dims}", str(x.ndim))


class _Constant(_Borders):
    """Borders of one value; a negative number takes elements away."""

    def __init__(self, padding: Any, value: Any) -> None:
        super().__init__(padding)
        if not isinstance(value, (int, float)):
            fail(TypeError, type(self).__name__, "type of 'value'", "be int or float", f"'{type(value).__name__}'")
        self.value = value

    def construct(self, x: Any) -> Any:
        """The padded input."""
        self._check_input(x)
        return F.pad(x, self.padding, "constant", self.value)


class _Taken(_Borders):
    """Borders that repeat elements of the input."""

    _mode = "reflect"

    def construct(self, x: Any) -> Any:
        """The padded input."""
        self._check_input(x)
        return F.pad(x, self.padding, self._mode)


class ConstantPad1d(_Constant):
    """`value` added before and behind the last dimension (``mindspore.nn.ConstantPad1d``).

    Args:
        padding: an int or (left, right); negative numbers take elements away.
        value: what is added.

    Raises:
        TypeError, ValueError: an argument of the wrong type or length.

    >>> from ms_kernels import Tensor
    >>> print(ConstantPad1d((1, 2), 7)(Tensor([[1.0, 2.0]])))
    [[7. 1. 2. 7. 7.]]
    """

    _dims = 1


class ConstantPad2d(_Constant):
    """`ConstantPad1d` for the last two dimensions: (left, right, top, bottom) (``mindspore.nn.ConstantPad2d``)."""

    _dims = 2


class ConstantPad3d(_Constant):
    """`ConstantPad1d` for the last three dimensions (``mindspore.nn.ConstantPad3d``)."""

    _dims = 3


class ZeroPad2d(_Constant):
    """Zeros around height and width: (left, right, top, bottom) (``mindspore.nn.ZeroPad2d``).

    >>> from ms_kernels import Tensor
    >>> print(ZeroPad2d((1, 0, 0, 0))(Tensor([[[1.0, 2.0]]])))
    [[[0. 1. 2.]]]
    """

    _dims = 2

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0)


class ReflectionPad1d(_Taken):
    """Borders that mirror the input without repeating its first or last element (``mindspore.nn.ReflectionPad1d``).

    Raises:
        TypeError, ValueError: an argument of the wrong type or length, or (in the call) too great for the input.

    >>> from ms_kernels import Tensor
    >>> print(ReflectionPad1d(2)(Tensor([[1.0, 2.0, 3.0]])))
    [[3. 2. 1. 2. 3. 2. 1.]]
    """

    _dims = 1


class ReflectionPad2d(_Taken):
    """`ReflectionPad1d` for the last two dimensions (``mindspore.nn.ReflectionPad2d``)."""

    _dims = 2


class ReflectionPad3d(_Taken):
    """`ReflectionPad1d` for the last three dimensions (``mindspore.nn.ReflectionPad3d``)."""

    _dims = 3


class ReplicationPad1d(_Taken):
    """Borders that repeat the first and the last element (``mindspore.nn.ReplicationPad1d``).

    >>> from ms_kernels import Tensor
    >>> print(ReplicationPad1d(2)(Tensor([[1.0, 2.0, 3.0]])))
    [[1. 1. 1. 2. 3. 3. 3.]]
    """

    _dims = 1
    _mode = "replicate"


class ReplicationPad2d(_Taken):
    """`ReplicationPad1d` for the last two dimensions (``mindspore.nn.ReplicationPad2d``)."""

    _dims = 2
    _mode = "replicate"


class ReplicationPad3d(_Taken):
    """`ReplicationPad1d` for the last three dimensions (``mindspore.nn.ReplicationPad3d``)."""

    _dims = 3
    _mode = "replicate"


class Pad(Cell):
    """Borders around every dimension (``mindspore.nn.Pad``).

    Args:
        paddings: a tuple of (low, high) for each dimension.
        mode: "CONSTANT" (zeros), "REFLECT" or "SYMMETRIC" (mirrored, the border element once or twice).

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.

    >>> from ms_kernels import Tensor
    >>> print(Pad(((0, 0), (1, 2)), "SYMMETRIC")(Tensor([[1.0, 2.0, 3.0]])))
    [[1. 1. 2. 3. 3. 2.]]
    """

    def __init__(self, paddings: Any, mode: str = "CONSTANT") -> None:
        super().__init__()
        if not isinstance(paddings, tuple):
            raise TypeError(f"For 'Pad', the type of 'paddings' must be tuple, but got {type(paddings).__name__}.")
        for item in paddings:
            if not isinstance(item, (tuple, list)) or len(item) != 2:
                raise ValueError(f"For 'Pad', the dimension of 'paddings' must be (n, 2), but got {paddings}.")
        self.mode = _check.choice("Pad", "mode", mode, ("CONSTANT", "REFLECT", "SYMMETRIC"))
        self.paddings = paddings

    def construct(self, x: Any) -> Any:
        """The padded input."""
        if len(self.paddings) != x.ndim:
            fail(
                ValueError,
                "Pad",
                "length of 'paddings'",
                f"be the dimension of the input, {x.ndim}",
                str(len(self.paddings)),
            )
        if self.mode == "SYMMETRIC":
            return pad_symmetric(x, self.paddings)
        flat = [item for pair in reversed(self.paddings) for item in pair]
        return F.pad(x, flat, self.mode.lower())
