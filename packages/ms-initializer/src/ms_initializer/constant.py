"""Initializers without chance: Zero, One, Constant."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_initializer.base import Array, Initializer, assign, register

__all__ = ["Constant", "One", "Zero"]


@register("zeros")
class Zero(Initializer):
    """Fills with zeros; also called "zeros" and "zero".

    Examples:
        >>> from ms_initializer import initializer
        >>> print(initializer("zeros", 2).init_data())
        [0. 0.]
    """

    def _initialize(self, arr: Array) -> None:
        arr.fill(0)


@register("ones")
class One(Initializer):
    """Fills with ones; also called "ones" and "one".

    Examples:
        >>> from ms_initializer import initializer
        >>> print(initializer(One(), 2).init_data())
        [1. 1.]
    """

    def _initialize(self, arr: Array) -> None:
        arr.fill(1)


@register()
class Constant(Initializer):
    """Fills with one number; what `initializer` makes of a number.

    Args:
        value: the number.

    Raises:
        ValueError: when it fills: `value` is no single number.
        TypeError: when it fills: `value` is complex and the array real.

    Examples:
        >>> from ms_initializer import initializer
        >>> print(initializer(2.5, 2).init_data())
        [2.5 2.5]
    """

    def __init__(self, value: Any) -> None:
        super().__init__(value=value)
        self.value = value

    def _initialize(self, arr: Array) -> None:
        value = np.asarray(self.value)
        if value.ndim or value.dtype.kind in "USO":
            raise ValueError(f"For 'Constant', the 'value' must be one number, but got {self.value!r}.")
        if value.dtype.kind == "c" and arr.dtype.kind != "c":
            raise TypeError(f"For 'Constant', the 'value' must be real for {arr.dtype}, but got {self.value!r}.")
        assign(arr, value)
