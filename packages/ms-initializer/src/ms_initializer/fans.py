"""Fans and gains: how many numbers flow into and out of a unit, and what a nonlinearity does to their variance."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ms_kernels.opdef.errors import describe, fail

__all__ = ["calculate_correct_fan", "calculate_fan_in_and_fan_out", "calculate_gain"]

_CONVOLUTIONS = tuple(f"conv{kind}{n}d" for kind in ("", "_transpose") for n in (1, 2, 3))
_LINEAR = ("linear", "sigmoid", *_CONVOLUTIONS)


def calculate_fan_in_and_fan_out(shape: Sequence[int]) -> tuple[int, int]:
    """Return the inputs and the outputs of one unit, for weights laid out (out, in, *kernel).

    Raises:
        ValueError: fewer than 2 dims.

    Examples:
        >>> calculate_fan_in_and_fan_out((64, 3, 5, 5))
        (75, 1600)
    """
    if len(shape) < 2:
        raise ValueError(
            "'fan_in' and 'fan_out' can not be computed for tensor with fewer than 2 dimensions, "
            f"but got dimensions {len(shape)}."
        )
    window = math.prod(shape[2:])
    return shape[1] * window, shape[0] * window


def calculate_correct_fan(shape: Sequence[int], mode: str) -> int:
    """Return the fan that `mode` names, "fan_in" or "fan_out" in any case.

    Raises:
        ValueError: another mode; fewer than 2 dims.
    """
    modes = ("fan_in", "fan_out")
    if str(mode).lower() not in modes:
        raise ValueError(f"'mode' {mode} not supported, please use one of {list(modes)}")
    return calculate_fan_in_and_fan_out(shape)[modes.index(str(mode).lower())]


def calculate_gain(nonlinearity: str, param: float | None = None, name: str = "HeUniform") -> float:
    """Return the factor that keeps the variance through a nonlinearity.

    Args:
        nonlinearity: "linear", a convolution's name, "sigmoid", "tanh", "relu" or "leaky_relu".
        param: slope of the leaky_relu on the negative side; None is 0.01.
        name: the class that errors speak of.

    Raises:
        ValueError: an unknown nonlinearity; a slope that is no number.

    Examples:
        >>> calculate_gain("tanh")
        1.6666666666666667
        >>> calculate_gain("leaky_relu", 1)
        1.0
    """
    if nonlinearity in _LINEAR:
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity != "leaky_relu":
        rule = "be one of ['sigmoid', 'tanh', 'relu' or 'leaky_relu']"
        fail(ValueError, name, "'nonlinearity'", rule, str(nonlinearity))
    slope = 0.01 if param is None else param
    if isinstance(slope, bool) or not isinstance(slope, (int, float)):
        fail(ValueError, name, "'negative_slope'", "be an int or a float for 'leaky_relu'", describe(slope))
    return math.sqrt(2.0 / (1 + slope**2))
