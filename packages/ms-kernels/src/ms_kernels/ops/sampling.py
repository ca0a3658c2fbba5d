"""Reading images between their pixels, at places that a grid names; grids of affine maps."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ms_kernels.core.tensor import from_array
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite
from ms_kernels.opdef.spec import Array
from ms_kernels.ops.getitem import take_key
from ms_kernels.ops.linalg import matmul
from ms_kernels.ops.shape import dims_of, permute, reshape

__all__ = ["affine_grid", "grid_sample"]

PADDINGS = ("zeros", "border", "reflection")


def _reflected(at: Any, low: float, high: float) -> tuple[Any, Any]:
    """Coordinates mirrored at two borders until they lie between, and the slope (1 or -1) of that map."""
    span = high - low
    if span <= 0:
        return np.full_like(at, low), np.zeros_like(at)
    far = np.mod(at - low, 2 * span)
    return np.where(far < span, far, 2 * span - far) + low, np.where(far < span, 1.0, -1.0)


def _coordinate(x: Any, size: int, padding_mode: str, align: bool) -> Any:
    """Grid numbers from -1 to 1 as pixel numbers, those outside handled: a tensor, piecewise linear in `x`."""
    at = (x + 1) * ((size - 1) / 2) if align else (x + 1) * (size / 2) - 0.5
    if padding_mode == "zeros":
        return at
    raw = at._a.astype(np.float64)
    kept, slope = raw, np.ones_like(raw)
    if padding_mode == "reflection":
        kept, slope = _reflected(raw, *((0.0, size - 1.0) if align else (-0.5, size - 0.5)))
    inside = (kept >= 0) & (kept <= size - 1)
    kept, slope = kept.clip(0, size - 1), slope * inside
    return at * from_array(slope.astype(at._kind)) + from_array((kept - slope * raw).astype(at._kind))


def _picked(input: Any, places: list[Any]) -> tuple[Any, Any]:
    """The pixels at whole numbers (one array a dimension), as (N, C, ...); 0 outside. And which are inside."""
    inside = np.ones(places[0].shape, bool)
    for place, size in zip(places, input.shape[2:]):
        inside &= (place >= 0) & (place < size)
    n, channels = input.shape[:2]
    tail = (1,) * (places[0].ndim - 1)
    batch, channel = np.arange(n).reshape(n, 1, *tail), np.arange(channels).reshape(1, channels, *tail)
    spots = [place.clip(0, size - 1)[:, None] for place, size in zip(places, input.shape[2:])]
    key = tuple(np.broadcast_arrays(batch, channel, *spots))
    return take_key(input, key), inside[:, None]


def _nearest(at: Any) -> Any:
    """The nearest whole numbers, halves away from 0."""
    return np.copysign(np.floor(np.abs(at) + 0.5), at).astype(np.int64)


@composite(
    ops="grid_sample(input, grid, mode='bilinear', padding_mode='zeros', align_corners=False)",
    mintf="grid_sample(input, grid, mode='bilinear', padding_mode='zeros', align_corners=None)",
    primitive=[
        "GridSampler2D(interpolation_mode='bilinear', padding_mode='zeros', align_corners=False)(input_x, grid)",
        "GridSampler3D(interpolation_mode='bilinear', padding_mode='zeros', align_corners=False)(input_x, grid)",
    ],
    rename={"interpolation_mode": "mode"},
)
def grid_sample(
    input: Array, grid: Array, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = False
) -> Any:
    """Return images (N, C, H, W) or volumes (N, C, D, H, W) read at the places of a grid (N, ..., 2 or 3).

    Args:
        grid: x, y (and z) of each new pixel, from -1 (first border) to 1 (last border).
        mode: "bilinear" between the pixels around, or "nearest".
        padding_mode: what lies outside: "zeros", the nearest "border" pixel, or the image's "reflection".
        align_corners: whether -1 and 1 are the centers of the outermost pixels rather than their outer edges.

    Raises:
        ValueError: an unknown mode, or shapes that do not fit.

    Examples:
        >>> x = Tensor([[[[1.0, 3.0]]]])
        >>> print(ops.grid_sample(x, Tensor([[[[0.0, 0.0], [-1.0, 0.0]]]]), align_corners=True))
        [[[[2. 1.]]]]

    Source: ``mindspore.ops.grid_sample``.
    """
    if mode not in ("bilinear", "nearest"):
        fail(ValueError, "grid_sample", "'mode'", "be 'bilinear' or 'nearest'", describe(mode))
    if padding_mode not in PADDINGS:
        fail(ValueError, "grid_sample", "'padding_mode'", f"be one of {list(PADDINGS)}", describe(padding_mode))
    n = input.ndim - 2
    if n not in (2, 3) or grid.ndim != input.ndim or grid.shape[-1] != n or grid.shape[0] != input.shape[0]:
        rule = "be (N, C, H, W) and (N, H, W, 2), or (N, C, D, H, W) and (N, D, H, W, 3)"
        fail(ValueError, "grid_sample", "shapes", rule, f"{list(input.shape)} and {list(grid.shape)}")
    ats = [
        _coordinate(grid[..., n - 1 - i], size, padding_mode, bool(align_corners))
        for i, size in enumerate(input.shape[2:])
    ]
    if mode == "nearest":
        found, inside = _picked(input, [_nearest(at._a) for at in ats])
        return found * from_array(inside.astype(input._kind))
    lows = [np.floor(at._a).astype(np.int64) for at in ats]
    total: Any = None
    for corner in itertools.product((0, 1), repeat=n):
        found, inside = _picked(input, [low + step for low, step in zip(lows, corner)])
        weight = from_array(inside[:, 0].astype(input._kind))
        for at, low, step in zip(ats, lows, corner):
            part = at - from_array(low.astype(at._kind))
            weight = weight * (part if step else 1 - part)
        term = found * reshape(weight, (weight.shape[0], 1, *weight.shape[1:]))
        total = term if total is None else total + term
    return total


def _line(size: int, align: bool) -> Any:
    if align:
        return np.linspace(-1, 1, size) if size > 1 else np.zeros(1)
    return (2 * np.arange(size) + 1) / size - 1


@composite(
    ops="affine_grid(theta, size, align_corners=False)",
    mintf="affine_grid(theta, size, align_corners=False)",
    primitive="AffineGrid(align_corners=False)(theta, output_size)",
    rename={"output_size": "size"},
)
def affine_grid(theta: Array, size: Any, align_corners: bool = False) -> Any:
    """Return the grid (N, H, W, 2) or (N, D, H, W, 3) of affine maps, for `grid_sample`.

    Args:
        theta: the maps, (N, 2, 3) or (N, 3, 4).
        size: the size of the images, (N, C, H, W) or (N, C, D, H, W).

    Raises:
        ValueError: shapes that do not fit.

    Examples:
        >>> print(ops.affine_grid(Tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]), (1, 1, 1, 2)))
        [[[[-0.5  0. ]
           [ 0.5  0. ]]]]

    Source: ``mindspore.ops.affine_grid``.
    """
    sizes = dims_of("affine_grid", size, "size")
    n = len(sizes) - 2
    if n not in (2, 3) or theta.shape != (sizes[0], n, n + 1) or min(sizes) <= 0:
        rule = "be (N, 2, 3) with (N, C, H, W), or (N, 3, 4) with (N, C, D, H, W)"
        fail(ValueError, "affine_grid", "shape of 'theta' and 'size'", rule, f"{list(theta.shape)} and {sizes}")
    lines = np.meshgrid(*(_line(s, align_corners) for s in sizes[2:]), indexing="ij")
    base = np.stack([*lines[::-1], np.ones(sizes[2:])], -1).reshape(1, -1, n + 1)
    base = np.broadcast_to(base, (sizes[0], *base.shape[1:])).astype(theta._kind)
    found = matmul(from_array(np.ascontiguousarray(base)), permute(theta, (0, 2, 1)))
    return reshape(found, (sizes[0], *sizes[2:], n))
