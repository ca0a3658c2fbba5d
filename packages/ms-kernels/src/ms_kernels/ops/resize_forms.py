"""2.6's primitives that resize images, each with its own idea of where pixels lie."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite
from ms_kernels.opdef.spec import Array
from ms_kernels.ops.index import index_select
from ms_kernels.ops.resize import STEPS, resample
from ms_kernels.ops.shape import dims_of

__all__: list[str] = []


def _sizes(name: str, input: Any, size: Any, ndim: int, count: int) -> tuple[int, ...]:
    if input.ndim != ndim:
        fail(ValueError, name, "'input'", f"have {ndim} dimensions", f"shape {list(input.shape)}")
    found = dims_of(name, size, "size")
    if len(found) != count or min(found) < 1:
        fail(ValueError, name, "'size'", f"be {count} positive ints", str(found))
    return found


def _flags(name: str, align_corners: Any, half_pixel_centers: Any) -> None:
    for key, flag in (("align_corners", align_corners), ("half_pixel_centers", half_pixel_centers)):
        if not isinstance(flag, bool):
            fail(TypeError, name, f"'{key}'", "be a bool", describe(flag))
    if align_corners and half_pixel_centers:
        fail(ValueError, name, "'align_corners' and 'half_pixel_centers'", "not both be True")


def _at(old: int, new: int, align: bool, half: bool) -> Any:
    """Where the new pixels lie among the old ones."""
    places = np.arange(new, dtype=np.float64)
    if align and new > 1:
        return places * ((old - 1) / (new - 1))
    return (places + 0.5) * (old / new) - 0.5 if half else places * (old / new)


def _linear(old: int, new: int, align: bool, half: bool) -> Any:
    at = _at(old, new, align, half).clip(0, old - 1)
    low = np.floor(at).astype(np.int64)
    weights, rows = np.zeros((new, old)), np.arange(new)
    np.add.at(weights, (rows, low), 1 - (at - low))
    np.add.at(weights, (rows, np.minimum(low + 1, old - 1)), at - low)
    return weights


def _cubic(old: int, new: int, align: bool, half: bool) -> Any:
    """Keys' cubic from a table of 2.6's: a = -1/2 for half pixels, weights outside left out; else -3/4."""
    a = -0.5 if half else -0.75
    at = _at(old, new, align, half)
    low = np.floor(at).astype(np.int64)
    part = np.rint((at - low) * STEPS) / STEPS
    weights = np.zeros((new, old))
    for k in range(-1, 3):
        d = np.abs(part - k)
        near = ((a + 2) * d - (a + 3)) * d * d + 1
        far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
        inside = (low + k >= 0) & (low + k < old)
        weight = np.where(d <= 1, near, np.where(d < 2, far, 0.0))
        np.add.at(weights, (np.arange(new), (low + k).clip(0, old - 1)), weight * (inside | (not half)))
    return weights / weights.sum(1, keepdims=True) if half else weights


def _area(old: int, new: int, align: bool) -> Any:
    """How much of each old pixel a new one covers."""
    step = (old - 1) / (new - 1) if align and new > 1 else old / new
    start = np.arange(new)[:, None] * step
    pixel = np.arange(old + int(np.ceil(step)))[None, :]
    parts = (np.minimum(pixel + 1, start + step) - np.maximum(pixel, start)).clip(0) / step
    weights = parts[:, :old].copy()
    weights[:, -1] += parts[:, old:].sum(1)  # the last pixel stands for those beyond it
    return weights


def _each(input: Any, sizes: tuple[int, ...], first: int, matrix: Any) -> Any:
    for i, new in enumerate(sizes):
        input = resample(input, matrix(input.shape[first + i], new), first + i)
    return input


def _nearest(input: Any, sizes: tuple[int, ...], places: Any) -> Any:
    for i, new in enumerate(sizes):
        old = input.shape[i + 2]
        at = places(old, new).astype(np.int64).clip(0, old - 1)
        input = index_select(input, i + 2, from_array(at))
    return input


def _plane(name: str, text: str, shown: str, run: Any) -> Any:
    def body(image: Any, size: Any, align_corners: bool = False, half_pixel_centers: bool = False) -> Any:
        _flags(name, align_corners, half_pixel_centers)
        return run(image, _sizes(name, image, size, 4, 2), align_corners, half_pixel_centers)

    body.__annotations__["image"] = "Array"
    body.__name__, body.__module__ = name.replace("V2", "").replace("Neighbor", "")[6:].lower() + "_resized", __name__
    body.__doc__ = (
        f"Return images (N, C, H, W) in another size, {text}.\n\nArgs:\n"
        "    align_corners: the centers of the corner pixels stay in place.\n"
        "    half_pixel_centers: pixels have their centers half a pixel from their corners.\n\nRaises:\n"
        "    ValueError: not four dimensions, sizes below 1, both flags.\n    TypeError: a flag that is no bool.\n\n"
        f"Examples:\n    >>> print(ops.{name}()(Tensor([[[[1.0, 3.0]]]]), (1, 4)))\n    {shown}\n\n"
        f"Source: ``mindspore.ops.{name}``."
    )
    return composite(primitive=f"{name}(align_corners=False, half_pixel_centers=False)(image, size)")(body)


_plane(
    "ResizeBilinearV2",
    "linearly between pixels",
    "[[[[1. 2. 3. 3.]]]]",
    lambda x, sizes, align, half: _each(x, sizes, 2, lambda old, new: _linear(old, new, align, half)),
)
_plane(
    "ResizeBicubic",
    "by cubic curves through four pixels",
    "[[[[1.       2.       3.       3.1875  ]]]]",
    lambda x, sizes, align, half: _each(x, sizes, 2, lambda old, new: _cubic(old, new, align, half)),
)


def _rounded(align: bool, half: bool) -> Any:
    def places(old: int, new: int) -> Any:
        if half:
            return np.floor((np.arange(new) + 0.5) * (old / new))
        return np.floor(_at(old, new, align, False) + (0.5 if align else 0.0))

    return places


_plane(
    "ResizeNearestNeighborV2",
    "each new pixel one of the old",
    "[[[[1. 1. 3. 3.]]]]",
    lambda x, sizes, align, half: _nearest(x, sizes, _rounded(align, half)),
)


@composite(primitive="ResizeArea(align_corners=False)(images, size)")
def resize_area(images: Array, size: Any, align_corners: bool = False) -> Any:
    """Return images (N, H, W, C) in another size, each new pixel the mean of what it covers of the old, float32.

    Raises:
        ValueError: not four dimensions, sizes below 1.
        TypeError: a flag that is no bool.

    Examples:
        >>> print(ops.ResizeArea()(Tensor([[[[1.0], [3.0], [5.0]]]]), Tensor([1, 1], mstype.int32)))
        [[[[3.]]]]

    Source: ``mindspore.ops.ResizeArea``.
    """
    _flags("ResizeArea", align_corners, False)
    sizes = _sizes("ResizeArea", images, size, 4, 2)
    return _each(images, sizes, 1, lambda old, new: _area(old, new, align_corners))


@composite(primitive="ResizeLinear1D(coordinate_transformation_mode='align_corners')(x, size)", rename={"x": "image"})
def resize_linear(image: Array, size: Any, coordinate_transformation_mode: str = "align_corners") -> Any:
    """Return rows (N, C, W) of another length, linearly between elements.

    Args:
        coordinate_transformation_mode: "align_corners" or "half_pixel".

    Raises:
        ValueError: not three dimensions, sizes below 1, another mode.

    Examples:
        >>> print(ops.ResizeLinear1D()(Tensor([[[1.0, 3.0]]]), (3,)))
        [[[1. 2. 3.]]]

    Source: ``mindspore.ops.ResizeLinear1D``.
    """
    mode = coordinate_transformation_mode
    if mode not in ("align_corners", "half_pixel"):
        fail(ValueError, "ResizeLinear1D", "'coordinate_transformation_mode'", "be one of these two", describe(mode))
    sizes = _sizes("ResizeLinear1D", image, size, 3, 1)
    align = mode == "align_corners"
    return _each(image, sizes, 2, lambda old, new: _linear(old, new, align, not align))


def _grown(name: str, x: Any, output_size: Any, scales: Any) -> tuple[int, ...]:
    if (output_size is None) == (scales is None):
        fail(ValueError, name, "one of 'output_size' and 'scales'", "be given", "neither or both")
    if output_size is not None:
        return _sizes(name, x, output_size, 5, 3)
    values = scales._a.tolist() if isinstance(scales, TensorBase) else list(scales)
    if x.ndim != 5 or len(values) != 3 or min(values) <= 0:
        fail(ValueError, name, "'scales'", "be three positive numbers for five dimensions", str(values))
    return tuple(int(n * factor) for n, factor in zip(x.shape[2:], values))


@composite(primitive="UpsampleNearest3D()(x, output_size=None, scales=None)", rename={"x": "image"})
def upsample_nearest(image: Array, output_size: Any = None, scales: Any = None) -> Any:
    """Return volumes (N, C, D, H, W) in another size, each new element one of the old.

    Raises:
        ValueError: not five dimensions, neither or both of size and scales, or numbers that are not positive.

    Examples:
        >>> print(ops.UpsampleNearest3D()(Tensor([[[[[1.0, 3.0]]]]]), (1, 1, 4)))
        [[[[[1. 1. 3. 3.]]]]]

    Source: ``mindspore.ops.UpsampleNearest3D``.
    """
    sizes = _grown("UpsampleNearest3D", image, output_size, scales)
    return _nearest(image, sizes, lambda old, new: np.floor(_at(old, new, False, False)))


@composite(
    primitive="UpsampleTrilinear3D(align_corners=False)(x, output_size=None, scales=None)", rename={"x": "image"}
)
def upsample_trilinear(image: Array, output_size: Any = None, scales: Any = None, align_corners: bool = False) -> Any:
    """Return volumes (N, C, D, H, W) in another size, linearly between elements.

    Raises:
        ValueError: not five dimensions, neither or both of size and scales, or numbers that are not positive.

    Examples:
        >>> print(ops.UpsampleTrilinear3D(True)(Tensor([[[[[1.0, 3.0]]]]]), (1, 1, 3)))
        [[[[[1. 2. 3.]]]]]

    Source: ``mindspore.ops.UpsampleTrilinear3D``.
    """
    sizes = _grown("UpsampleTrilinear3D", image, output_size, scales)
    return _each(image, sizes, 2, lambda old, new: _linear(old, new, align_corners, not align_corners))
