"""Convolution whose kernel takes its elements from places that are moved for each result."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.core.tensor import from_array
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite
from ms_kernels.opdef.spec import Array
from ms_kernels.ops.getitem import take_key
from ms_kernels.ops.linalg import matrix_product
from ms_kernels.ops.shape import reshape, unsqueeze

__all__ = ["deformable_conv2d"]

NAME = "deformable_conv2d"


def _ints(arg: str, value: Any, count: int, least: int) -> tuple[int, ...]:
    if not isinstance(value, (tuple, list)) or len(value) != count:
        fail(ValueError, NAME, f"'{arg}'", f"be {count} ints", describe(value))
    if any(isinstance(n, bool) or not isinstance(n, int) or n < least for n in value):
        fail(ValueError, NAME, f"'{arg}'", f"be ints of at least {least}", str(value))
    return tuple(value)


def _grid(kernel: Any, steps: Any, pads: Any, gaps: Any, out: tuple[int, int]) -> tuple[Any, Any]:
    """Rows and columns (kernel elements, H, W) that an unmoved kernel takes."""
    ky, kx = (part.reshape(-1, 1, 1) for part in np.mgrid[: kernel[0], : kernel[1]])
    rows = np.arange(out[0])[None, :, None] * steps[0] - pads[0] + ky * gaps[0]
    columns = np.arange(out[1])[None, None, :] * steps[1] - pads[2] + kx * gaps[1]
    return np.broadcast_to(rows, (len(ky), *out)), np.broadcast_to(columns, (len(kx), *out))


def _sampled(x: Any, ys: Any, xs: Any) -> Any:
    """Bilinear values (N, parts, C / parts, K, H, W) at places (N, parts, K, H, W); 0 outside of the image."""
    n, parts = ys.shape[:2]
    height, width = x.shape[2:]
    split = reshape(x, (n, parts, x.shape[1] // parts, height, width))
    low_y, low_x = np.floor(ys._a), np.floor(xs._a)
    wy, wx = ys - from_array(low_y), xs - from_array(low_x)
    image, part = np.ogrid[:n, :parts]
    image, part = (index.reshape(*index.shape, 1, 1, 1) for index in (image, part))
    total: Any = None
    for dy, part_y in ((0, wy * -1 + 1), (1, wy)):
        for dx, part_x in ((0, wx * -1 + 1), (1, wx)):
            y, z = (low_y + dy).astype(np.int64), (low_x + dx).astype(np.int64)
            inside = from_array(((y >= 0) & (y < height) & (z >= 0) & (z < width)).astype(x._kind))
            key = (image, part, slice(None), y.clip(0, height - 1), z.clip(0, width - 1))
            found = take_key(split, key)  # (N, parts, K, H, W, C / parts): the index arrays' axes come first
            term = found * unsqueeze(part_y * part_x * inside, -1)
            total = term if total is None else total + term
    return total


@composite(
    ops="deformable_conv2d(x, weight, offsets, kernel_size, strides, padding, bias=None, dilations=(1, 1, 1, 1), "
    "groups=1, deformable_groups=1, modulated=True)",
    rename={"x": "input", "deformable_groups": "parts"},
)
def deformable_conv2d(
    input: Array,
    weight: Array,
    offsets: Array,
    kernel_size: Any,
    strides: Any,
    padding: Any,
    bias: Array | None = None,
    dilations: Any = (1, 1, 1, 1),
    groups: int = 1,
    parts: int = 1,
    modulated: bool = True,
) -> Any:
    """Return the convolution of (N, C, H, W) with kernels each element of which is moved and weighted for each result.

    Args:
        weight: (O, C / groups, kernel height, kernel width).
        offsets: (N, 3 * deformable_groups * kernel elements, out height, out width): how far each element is moved to
            the right, then how far down, then its weights.
        strides, dilations: (1, 1, down, right).
        padding: (above, below, left, right).
        deformable_groups: into how many parts of channels with offsets of their own the input is cut.

    Raises:
        ValueError: shapes or sizes that do not fit, `modulated` False, which 2.6 does not have.

    Examples:
        >>> x, w = Tensor(np.arange(9).reshape(1, 1, 3, 3), mstype.float32), Tensor(np.ones((1, 1, 1, 1), np.float32))
        >>> moves = Tensor([[[[1.0]], [[0.5]], [[2.0]]]])
        >>> print(ops.deformable_conv2d(x, w, moves, (1, 1), (1, 1, 3, 3), (0, 0, 0, 0)))
        [[[[5.]]]]

    Source: Zhu and others, Deformable ConvNets v2; ``mindspore.ops.deformable_conv2d``.
    """
    kernel = _ints("kernel_size", kernel_size, 2, 1)
    steps, gaps = _ints("strides", strides, 4, 1)[2:], _ints("dilations", dilations, 4, 1)[2:]
    pads = _ints("padding", padding, 4, 0)
    if not modulated:
        fail(ValueError, NAME, "'modulated'", "be True", "False")
    if input.ndim != 4 or weight.ndim != 4 or weight.shape[2:] != kernel or input.shape[1] != weight.shape[1] * groups:
        got = f"{list(input.shape)} and {list(weight.shape)}"
        fail(ValueError, NAME, "shapes of 'x' and 'weight'", f"be (N, C, H, W) and (O, C / {groups}, *{kernel})", got)
    if input.shape[1] % parts or weight.shape[0] % groups:
        fail(ValueError, NAME, "channels", "be multiples of the numbers of groups", f"{list(weight.shape)}")
    n, count = input.shape[0], kernel[0] * kernel[1]
    room = [input.shape[2 + i] + pads[2 * i] + pads[2 * i + 1] - gaps[i] * (kernel[i] - 1) - 1 for i in range(2)]
    out = room[0] // steps[0] + 1, room[1] // steps[1] + 1
    if offsets.shape != (n, 3 * parts * count, *out):
        rule = f"be {[n, 3 * parts * count, *out]}"
        fail(ValueError, NAME, "shape of 'offsets'", rule, str(list(offsets.shape)))
    rows, columns = _grid(kernel, steps, pads, gaps, out)
    moves = reshape(offsets, (n, 3, parts, count, *out))
    right, down, share = (take_key(moves, (slice(None), i)) for i in range(3))
    kind = input._kind
    found = _sampled(input, down + from_array(rows.astype(kind)), right + from_array(columns.astype(kind)))
    found = found * unsqueeze(share, -1)  # (N, parts, K, H, W, C / parts)
    from ms_kernels.ops.shape import permute

    size = input.shape[1] // groups * count
    columns_of = reshape(permute(found, (0, 1, 5, 2, 3, 4)), (n, groups, size, out[0] * out[1]))
    kernels = reshape(weight, (groups, weight.shape[0] // groups, size))
    result = reshape(matrix_product(kernels, columns_of), (n, weight.shape[0], *out))
    return result if bias is None else result + reshape(bias, (1, weight.shape[0], 1, 1))
