"""Sizes and paddings of windows, as convolutions and pooling share them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.opdef.errors import describe, fail

__all__ = ["spatial", "spread_padding"]

Shape = tuple[int, ...]


def spatial(name: str, arg: str, value: Any, ndim: int, low: int = 1) -> Shape:
    """Return an int or a tuple of `ndim` ints (or of one) as a tuple.

    Raises:
        TypeError: something else.
        ValueError: a number below `low`, or another count.
    """
    items = value if isinstance(value, (tuple, list)) else (value,)
    if not all(isinstance(n, (int, np.integer)) and not isinstance(n, bool) for n in items):
        fail(TypeError, name, f"'{arg}'", f"be an int or a tuple of {ndim} ints", describe(value))
    full = tuple(int(n) for n in items) * (ndim if len(items) == 1 else 1)
    if len(full) != ndim:
        fail(ValueError, name, f"'{arg}'", f"be an int or a tuple of {ndim} ints", str(value))
    if min(full) < low:
        fail(ValueError, name, f"'{arg}'", f"be at least {low}", str(value))
    return full


def spread_padding(
    name: str, pad_mode: str, padding: Any, size: Shape, kernel: Shape, stride: Shape, dilation: Shape
) -> Shape:
    """Return (before, after) of every spatial dimension, flat, from 2.6's `pad_mode` and `padding`."""
    n = len(kernel)
    mode = str(pad_mode).lower()
    if mode not in ("valid", "same", "pad"):
        fail(ValueError, name, "'pad_mode'", "be 'valid', 'same' or 'pad'", describe(pad_mode))
    if mode == "pad":
        items = padding if isinstance(padding, (tuple, list)) else (padding,) * n
        if (len(items) == 2 * n and n > 1) or (n == 1 and len(items) == 2):
            return spatial(name, "padding", tuple(items), 2 * n, 0)
        return tuple(p for p in spatial(name, "padding", padding, n, 0) for _ in range(2))
    if any(p for p in (padding if isinstance(padding, (tuple, list)) else (padding,))):
        fail(ValueError, name, "'padding'", "be 0 unless 'pad_mode' is 'pad'", str(padding))
    if mode == "valid":
        return (0,) * (2 * n)
    out = []
    for length, k, s, d in zip(size, kernel, stride, dilation):
        total = max((-(-length // s) - 1) * s + d * (k - 1) + 1 - length, 0)
        out += [total // 2, total - total // 2]
    return tuple(out)
