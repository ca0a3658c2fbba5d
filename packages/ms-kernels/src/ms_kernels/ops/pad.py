"""Padding: borders of one value, or taken from the tensor itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.core.tensor import from_array
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops.index import index_select
from ms_kernels.ops.shape import dims_of

__all__ = ["pad", "pad_constant"]

Shape = tuple[int, ...]
MODES = ("constant", "reflect", "replicate", "circular")


def _pairs(ndim: int, padding: Any) -> list[tuple[int, int]]:
    """`padding` (before and behind the last dimension, then the one before it, ...) as one pair per dimension."""
    sizes = dims_of("pad", padding, "padding")
    if len(sizes) % 2 or len(sizes) > 2 * ndim:
        fail(ValueError, "pad", "length of 'padding'", f"be even and at most {2 * ndim}", str(len(sizes)))
    pairs = [(sizes[i], sizes[i + 1]) for i in range(0, len(sizes), 2)]
    return [(0, 0)] * (ndim - len(pairs)) + pairs[::-1]


def _padded(shape: Shape, padding: Any, _value: Any = None) -> Shape:
    sizes = tuple(n + low + high if n >= 0 else -1 for n, (low, high) in zip(shape, _pairs(len(shape), padding)))
    for n, size in zip(shape, sizes):
        if n >= 0 > size:
            fail(
                ValueError, "pad", "'padding'", "take away at most what there is", f"{padding} for shape {list(shape)}"
            )
    return sizes


@op(
    shape=_padded,
    dtype=rules.same,
    vjp=lambda g, _out, _input, padding, _value: _opposite(g, padding),
    ascend="copy",
    batch="leading",
    primitive="PadConstant(padding, value=0)(x)",
)
def pad_constant(input: Array, padding: Any, value: Any = 0) -> Any:
    """Return the tensor with `value` around it; a negative number takes elements away.

    Examples:
        >>> from ms_kernels.ops.pad import pad_constant
        >>> print(pad_constant(Tensor([1, 2, 3]), (2, -1), 7))
        [7 7 1 2]
    """
    pairs = _pairs(input.ndim, padding)
    out = np.full(_padded(input.shape, padding), value, input.dtype)
    source = tuple(slice(max(-low, 0), n - max(-high, 0)) for n, (low, high) in zip(input.shape, pairs))
    target = tuple(slice(max(low, 0), n - max(high, 0)) for n, (low, high) in zip(out.shape, pairs))
    out[target] = input[source]
    return out


def _opposite(g: Any, padding: Any) -> Any:
    """Take away what `padding` added, and the reverse."""
    return pad_constant(g, tuple(-n for n in dims_of("pad", padding)), 0)


def _places(size: int, low: int, high: int, mode: str) -> Any:
    """Which element of a dimension stands at each place after padding."""
    places = np.arange(-low, size + high)
    if mode == "circular":
        return places % size
    if mode == "replicate":
        return places.clip(0, size - 1)
    return (size - 1) - np.abs((size - 1) - np.abs(places))


@composite(
    ops="pad(input_x, padding, mode='constant', value=None)",
    mintf="pad(input, pad, mode='constant', value=None)",
    rename={"pad": "padding"},
)
def pad(input: Array, padding: Any, mode: str = "constant", value: Any = None) -> Any:
    """Return the tensor with borders around its last dimensions.

    Args:
        padding: numbers of elements before and behind the last dimension, then the one before it, and so on; in mode
            "constant" negative ones take elements away.
        mode: "constant": `value` (0 when None); "reflect": mirrored without repeating the border element; "replicate":
            the border element; "circular": from the other end.
        value: a number, for "constant".

    Raises:
        TypeError: an argument of the wrong type.
        ValueError: too many numbers, an unknown mode, a value beside another mode, borders greater than the tensor has.

    Examples:
        >>> print(ops.pad(Tensor([[1, 2, 3]]), (1, 2), value=7))
        [[7 1 2 3 7 7]]
        >>> print(ops.pad(Tensor([[1, 2, 3]]), (2, 1), "reflect"))
        [[3 2 1 2 3 2]]

    Source: ``mindspore.ops.pad``, ``mindspore.mint.nn.functional.pad``.
    """
    if not isinstance(mode, str):
        fail(TypeError, "pad", "'mode'", "be a str", describe(mode))
    if mode not in MODES:
        fail(ValueError, "pad", "'mode'", f"be one of {list(MODES)}", repr(mode))
    if mode == "constant":
        if value is not None and not isinstance(value, (bool, int, float)):
            fail(TypeError, "pad", "'value'", "be a number or None", describe(value))
        sizes = dims_of("pad", padding, "padding")
        _padded(input.shape, sizes)
        return pad_constant(input, sizes, 0 if value is None else value)
    if value is not None:
        fail(ValueError, "pad", "'value'", "be None unless 'mode' is 'constant'", describe(value))
    for dim, (low, high) in enumerate(_pairs(input.ndim, padding)):
        if not (low or high):
            continue
        size = input.shape[dim]
        most = size - 1 if mode == "reflect" else size if mode == "circular" else None
        if min(low, high) < 0 or (most is not None and max(low, high) > most) or not size:
            fail(ValueError, "pad", "'padding'", f"be between 0 and {most} for a dimension of {size}", str((low, high)))
        input = index_select(input, dim, from_array(_places(size, low, high, mode)))
    return input
