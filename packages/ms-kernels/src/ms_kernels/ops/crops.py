"""Parts of images, brought to one size."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.core.tensor import from_array
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite
from ms_kernels.opdef.spec import Array
from ms_kernels.ops.getitem import take_key
from ms_kernels.ops.reduce import mean

__all__ = ["crop_and_resize", "roi_align"]


def _cut(name: str, image: Any, box_indices: Any, boxes: Any, crop_size: Any) -> tuple[int, int]:
    if image.ndim != 4 or boxes.ndim != 2 or boxes.shape[1] != 4 or box_indices.shape != boxes.shape[:1]:
        got = f"{list(image.shape)}, {list(boxes.shape)} and {list(box_indices.shape)}"
        fail(ValueError, name, "shapes", "be (N, H, W, C), (n, 4) and (n,)", got)
    if not isinstance(crop_size, (tuple, list)) or len(crop_size) != 2 or min(crop_size) < 1:
        fail(ValueError, name, "'crop_size'", "be two positive ints", describe(crop_size))
    return int(crop_size[0]), int(crop_size[1])


def _places(low: Any, high: Any, count: int, size: int) -> Any:
    """Where (n, count) samples between borders, given as parts of the size, lie."""
    if count == 1:
        return (low + high)[:, None] * 0.5 * (size - 1)
    step = (high - low) * np.float32(size - 1) / np.float32(count - 1)
    return (low * np.float32(size - 1))[:, None] + step[:, None] * np.arange(count, dtype=np.float32)


@composite(
    ops="crop_and_resize(image, boxes, box_indices, crop_size, method='bilinear', extrapolation_value=0.0)",
    primitive="CropAndResize(method='bilinear', extrapolation_value=0.0)(x, boxes, box_index, crop_size)",
    rename={"x": "image", "box_index": "box_indices"},
)
def crop_and_resize(
    image: Array,
    boxes: Array,
    box_indices: Array,
    crop_size: Any,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
) -> Any:
    """Return parts of images (N, H, W, C), all brought to one size: (n, *crop_size, C).

    Args:
        boxes: (y0, x0, y1, x1) of each part, as parts of the image's size less one pixel.
        box_indices: the image of each.
        method: "bilinear", "nearest" or "bilinear_v2" (pixels have a size).
        extrapolation_value: what stands outside of the image.

    Raises:
        ValueError: shapes that do not fit, another method.

    Examples:
        >>> x = Tensor([[[[1.0], [2.0]], [[3.0], [4.0]]]])
        >>> out = ops.crop_and_resize(x, Tensor([[0.0, 0.0, 0.5, 1.0]]), Tensor([0], mstype.int32), (2, 2))
        >>> print(out[0, :, :, 0])
        [[1. 2.]
         [2. 3.]]

    Source: ``mindspore.ops.crop_and_resize``.
    """
    rows, columns = _cut("crop_and_resize", image, box_indices, boxes, crop_size)
    if method not in ("bilinear", "nearest", "bilinear_v2"):
        fail(ValueError, "crop_and_resize", "'method'", "be 'bilinear', 'nearest' or 'bilinear_v2'", describe(method))
    y0, x0, y1, x1 = boxes._a.astype(np.float32).T
    height, width = image.shape[1:3]
    which = box_indices._a.astype(np.int64)[:, None, None]
    if method == "bilinear_v2":
        ys = _pixel_places(y0, y1, rows, height)
        xs = _pixel_places(x0, x1, columns, width)
    else:
        ys, xs = _places(y0, y1, rows, height), _places(x0, x1, columns, width)
    outside = ((ys < 0) | (ys > height - 1))[:, :, None] | ((xs < 0) | (xs > width - 1))[:, None, :]
    ys, xs = ys.clip(0, height - 1), xs.clip(0, width - 1)
    if method == "nearest":
        at = np.floor(ys + 0.5).astype(np.int64)[:, :, None], np.floor(xs + 0.5).astype(np.int64)[:, None, :]
        out = take_key(image, (which, *at))
    else:
        out = _between(image, which, ys[:, :, None], xs[:, None, :])
    kept = from_array((~outside)[..., None].astype(image._kind))
    filled = from_array((outside[..., None] * extrapolation_value).astype(image._kind))
    return out * kept + filled


def _pixel_places(low: Any, high: Any, count: int, size: int) -> Any:
    """The same where pixels have a size: from the one that holds the first border to that with the second."""
    first, last = (low * np.float32(size)).astype(np.int64), (high * np.float32(size)).astype(np.int64)
    whole = np.maximum(last - first + 1, 1)
    return first[:, None] + (np.arange(count) + 0.5) * (whole / count)[:, None] - 0.5


def _between(image: Any, which: Any, ys: Any, xs: Any) -> Any:
    """Bilinear values (n, rows, columns, C) of images at places."""
    top, left = np.floor(ys).astype(np.int64), np.floor(xs).astype(np.int64)
    below = np.minimum(top + 1, image.shape[1] - 1)
    right = np.minimum(left + 1, image.shape[2] - 1)

    def weight(values: Any) -> Any:
        return from_array(values[..., None].astype(image._kind))

    wy, wx = ys - top, xs - left
    upper = take_key(image, (which, top, left)) * weight(1 - wx) + take_key(image, (which, top, right)) * weight(wx)
    lower = take_key(image, (which, below, left)) * weight(1 - wx) + take_key(image, (which, below, right)) * weight(wx)
    return upper * weight(1 - wy) + lower * weight(wy)


def _line(start: Any, size: Any, bins: int, samples: int, limit: int) -> tuple[Any, Any, Any, Any]:
    """The two pixels beside each of the samples (rois, bins * samples), the weight of the second, and what counts."""
    at = start[:, None] + (np.arange(bins * samples) + 0.5) * (size / (bins * samples))[:, None]
    inside = (at >= -1) & (at <= limit)
    at = at.clip(0, limit - 1)
    low = np.floor(at).astype(np.int64)
    return low, np.minimum(low + 1, limit - 1), at - low, inside


@composite(
    primitive="ROIAlign(pooled_height, pooled_width, spatial_scale, sample_num=2, roi_end_mode=1)(features, rois)"
)
def roi_align(
    features: Array,
    rois: Array,
    pooled_height: int,
    pooled_width: int,
    spatial_scale: float,
    sample_num: int = 2,
    roi_end_mode: int = 1,
) -> Any:
    """Return, for each region of (N, C, H, W), the means of (pooled_height, pooled_width) bins: (n, C, ...).

    Args:
        rois: (n, 5): the image of each region, and its corners x0, y0, x1, y1.
        spatial_scale: by what the corners are multiplied.
        sample_num: how many bilinear samples a bin has in each direction; 0: as many as it covers whole pixels.
        roi_end_mode: 1: the last pixel belongs to the region.

    Raises:
        ValueError: shapes that do not fit, sizes below 1.

    Examples:
        >>> x = Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> print(ops.ROIAlign(1, 1, 0.5, 2)(x, Tensor([[0.0, 0.0, 0.0, 3.0, 3.0]])))
        [[[[3.25]]]]

    Source: He and others, Mask R-CNN; ``mindspore.ops.ROIAlign``.
    """
    if features.ndim != 4 or rois.ndim != 2 or rois.shape[1] != 5:
        got = f"{list(features.shape)} and {list(rois.shape)}"
        fail(ValueError, "ROIAlign", "shapes", "be (N, C, H, W) and (n, 5)", got)
    if min(pooled_height, pooled_width) < 1:
        fail(ValueError, "ROIAlign", "pooled sizes", "be positive", f"{pooled_height} and {pooled_width}")
    which, x0, y0, x1, y1 = rois._a.astype(np.float64).T
    x0, y0 = x0 * spatial_scale, y0 * spatial_scale
    wide, high = (x1 + roi_end_mode) * spatial_scale - x0, (y1 + roi_end_mode) * spatial_scale - y0
    if roi_end_mode == 0:
        wide, high = np.maximum(wide, 1), np.maximum(high, 1)
    if sample_num > 0:
        return _aligned(features, which, (y0, high), (x0, wide), pooled_height, pooled_width, sample_num, sample_num)
    from ms_kernels.ops.rearrange import concat

    parts = []
    for i in range(len(which)):
        one = slice(i, i + 1)
        tall, broad = (max(1, int(n[i] / size)) for n, size in ((high, pooled_height), (wide, pooled_width)))
        y, x = (y0[one], high[one]), (x0[one], wide[one])
        parts.append(_aligned(features, which[one], y, x, pooled_height, pooled_width, tall, broad))
    return concat(parts, 0)


def _aligned(
    x: Any, which: Any, ys: tuple[Any, Any], xs: tuple[Any, Any], rows: int, columns: int, tall: int, broad: int
) -> Any:
    top, below, wy, in_y = _line(*ys, rows, tall, x.shape[2])
    left, right, wx, in_x = _line(*xs, columns, broad, x.shape[3])
    image = which.astype(np.int64)[:, None, None]
    total: Any = None
    for at_y, part_y in ((top, 1 - wy), (below, wy)):
        for at_x, part_x in ((left, 1 - wx), (right, wx)):
            weight = (part_y * in_y)[:, :, None] * (part_x * in_x)[:, None, :]
            found = take_key(x, (image, slice(None), at_y[:, :, None], at_x[:, None, :]))  # (n, rows, columns, C)
            term = found * from_array(weight[..., None].astype(x._kind))
            total = term if total is None else total + term
    from ms_kernels.ops.shape import permute, reshape

    bins = reshape(total, (len(which), rows, tall, columns, broad, x.shape[1]))
    return permute(mean(bins, (2, 4)), (0, 3, 1, 2))
