"""Colours of pixels: RGB and HSV, hue and saturation."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import fail
from ms_kernels.opdef.register import FLOATS, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._limits import NO_RULE

__all__ = ["adjust_hue", "adjust_saturation", "hsv_to_rgb", "rgb_to_hsv"]

Shape = tuple[int, ...]


def _pixels(name: str) -> Any:
    def rule(shape: Shape, *_rest: Any) -> Shape:
        if not shape or shape[-1] != 3:
            fail(ValueError, name, "last dimension", "have size 3", str(list(shape)))
        return shape

    return rule


def _to_hsv(rgb: Any) -> Any:
    r, g, b = rgb[..., 0], rgb[..., 1], rgb[..., 2]
    top, low = rgb.max(-1), rgb.min(-1)
    span = top - low
    safe = np.where(span > 0, span, 1)
    hue = np.where(top == r, (g - b) / safe, np.where(top == g, (b - r) / safe + 2, (r - g) / safe + 4)) / 6
    hue = np.where(span > 0, np.where(hue < 0, hue + 1, hue), 0)
    return np.stack([hue, np.where(top > 0, span / np.where(top > 0, top, 1), 0), top], -1)


def _to_rgb(hsv: Any) -> Any:
    hue, saturation, value = hsv[..., 0], hsv[..., 1], hsv[..., 2]
    parts = [np.abs(hue * 6 - 3) - 1, 2 - np.abs(hue * 6 - 2), 2 - np.abs(hue * 6 - 4)]
    return np.stack([((1 - saturation) + saturation * part.clip(0, 1)) * value for part in parts], -1)


def _in_float(function: Any, pixels: Any) -> Any:
    """Compute in float64, so that the result is rounded once."""
    return function(pixels.astype(np.float64)).astype(pixels.dtype)


@op(
    shape=_pixels("RGBToHSV"),
    dtype=rules.same,
    accepts=FLOATS,
    nondiff=NO_RULE,
    ascend="step",
    batch="elementwise",
    primitive="RGBToHSV()(images)",
    rename={"images": "input"},
)
def rgb_to_hsv(input: Array) -> Any:
    """Return hue, saturation and value of pixels given as red, green and blue, all between 0 and 1.

    Raises:
        ValueError: a last dimension that is not 3.

    Examples:
        >>> print(ops.RGBToHSV()(Tensor([[0.25, 0.5, 0.5]])))
        [[0.5 0.5 0.5]]

    Source: ``mindspore.ops.RGBToHSV``.
    """
    return _in_float(_to_hsv, input)


@op(
    shape=_pixels("HSVToRGB"),
    dtype=rules.same,
    accepts=FLOATS,
    nondiff=NO_RULE,
    ascend="step",
    batch="elementwise",
    primitive="HSVToRGB()(x)",
)
def hsv_to_rgb(input: Array) -> Any:
    """Return red, green and blue of pixels given as hue, saturation and value, all between 0 and 1.

    Raises:
        ValueError: a last dimension that is not 3.

    Examples:
        >>> print(ops.HSVToRGB()(Tensor([[0.5, 0.5, 0.5]])))
        [[0.25 0.5  0.5 ]]

    Source: ``mindspore.ops.HSVToRGB``.
    """
    return _in_float(_to_rgb, input)


@op(
    shape=_pixels("AdjustHue"),
    dtype=lambda image, _delta: image,
    accepts=FLOATS,
    nondiff=NO_RULE,
    ascend="step",
    primitive="AdjustHue()(image, delta)",
    rename={"image": "input"},
)
def adjust_hue(input: Array, delta: Array) -> Any:
    """Return red, green and blue of pixels (..., 3) whose hue is turned by `delta`, a part of the circle.

    Raises:
        ValueError: a last dimension that is not 3.

    Examples:
        >>> print(ops.AdjustHue()(Tensor([[1.0, 0.5, 0.5]]), Tensor(0.5)))
        [[0.5 1.  1. ]]

    Source: ``mindspore.ops.AdjustHue``.
    """

    def turned(rgb: Any) -> Any:
        hsv = _to_hsv(rgb)
        hsv[..., 0] = (hsv[..., 0] + float(delta)) % 1.0
        return _to_rgb(hsv)

    return _in_float(turned, input)


@op(
    shape=_pixels("AdjustSaturation"),
    dtype=lambda image, _scale: image,
    accepts=FLOATS,
    nondiff=NO_RULE,
    ascend="step",
    primitive="AdjustSaturation()(image, scale)",
    rename={"image": "input"},
)
def adjust_saturation(input: Array, scale: Array) -> Any:
    """Return red, green and blue of pixels (..., 3) whose saturation is multiplied by `scale`, at most 1.

    Raises:
        ValueError: a last dimension that is not 3.

    Examples:
        >>> print(ops.AdjustSaturation()(Tensor([[1.0, 0.5, 0.5]]), Tensor(2.0)))
        [[1. 0. 0.]]

    Source: ``mindspore.ops.AdjustSaturation``.
    """

    def scaled(rgb: Any) -> Any:
        hsv = _to_hsv(rgb)
        hsv[..., 1] = (hsv[..., 1] * float(scale)).clip(0, 1)
        return _to_rgb(hsv)

    return _in_float(scaled, input)
