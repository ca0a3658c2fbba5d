"""Boxes in images: corners (x0, y0, x1, y1), how they overlap, which of them to keep."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import FLOATS, composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._limits import NO_RULE
from ms_kernels.ops._tape import plain
from ms_kernels.ops.arithmetic import maximum, minimum
from ms_kernels.ops.elementary import exp, log
from ms_kernels.ops.getitem import take_key
from ms_kernels.ops.pointwise import clamp
from ms_kernels.ops.rearrange import stack

__all__ = ["bounding_box_decode", "bounding_box_encode", "check_valid", "iou"]

Shape = tuple[int, ...]
FOUR = (0.0, 0.0, 0.0, 0.0)
ONES = (1.0, 1.0, 1.0, 1.0)


def _boxes(name: str, *given: Any) -> None:
    for item in given:
        if item.ndim != 2 or item.shape[1] != 4:
            fail(ValueError, name, "shapes of boxes", "be [n, 4]", str(list(item.shape)))


def _four(name: str, arg: str, value: Any) -> tuple[float, ...]:
    found = (value,) * 4 if isinstance(value, (int, float)) else tuple(value)
    if len(found) != 4 or not all(isinstance(n, (int, float)) for n in found):
        fail(ValueError, name, f"'{arg}'", "be four numbers", describe(value))
    return tuple(float(n) for n in found)


def _columns(boxes: Any) -> list[Any]:
    return [take_key(boxes, (slice(None), i)) for i in range(4)]


def _middle(boxes: Any) -> tuple[Any, Any, Any, Any]:
    """Centers, widths and heights; the last pixel counts."""
    x0, y0, x1, y1 = _columns(boxes)
    return (x0 + x1) * 0.5, (y0 + y1) * 0.5, x1 - x0 + 1, y1 - y0 + 1


_MEANS = "means=(0.0, 0.0, 0.0, 0.0), stds=(1.0, 1.0, 1.0, 1.0)"


@composite(
    ops=f"bounding_box_encode(anchor_box, groundtruth_box, {_MEANS})",
    primitive=f"BoundingBoxEncode({_MEANS})(anchor_box, groundtruth_box)",
    rename={"groundtruth_box": "target"},
)
def bounding_box_encode(anchor_box: Array, target: Array, means: Any = FOUR, stds: Any = ONES) -> Any:
    """Return how to move boxes onto others: offsets of the centers over the sizes, logarithms of the sizes' ratios.

    Args:
        means, stds: subtracted from the four numbers, which are then divided.

    Raises:
        ValueError: boxes that are not (n, 4), means or stds that are not four numbers.

    Examples:
        >>> a, b = Tensor([[0.0, 0.0, 1.0, 1.0]]), Tensor([[1.0, 0.0, 2.0, 1.0]])
        >>> print(ops.bounding_box_encode(a, b))
        [[0.5 0.  0.  0. ]]

    Source: Girshick, Fast R-CNN; ``mindspore.ops.bounding_box_encode``.
    """
    name = "bounding_box_encode"
    _boxes(name, anchor_box, target)
    x, y, w, h = _middle(anchor_box)
    tx, ty, tw, th = _middle(target)
    found = [(tx - x) / w, (ty - y) / h, log(tw / w), log(th / h)]
    pairs = zip(found, _four(name, "means", means), _four(name, "stds", stds))
    return stack([(item - mean) / std for item, mean, std in pairs], 1)


@composite(
    ops=f"bounding_box_decode(anchor_box, deltas, max_shape, {_MEANS}, wh_ratio_clip=0.016)",
    primitive=f"BoundingBoxDecode(max_shape, {_MEANS}, wh_ratio_clip=0.016)(anchor_box, deltas)",
)
def bounding_box_decode(
    anchor_box: Array,
    deltas: Array,
    max_shape: Any,
    means: Any = FOUR,
    stds: Any = ONES,
    wh_ratio_clip: float = 0.016,
) -> Any:
    """Return boxes moved as `bounding_box_encode` tells, cut off at an image's borders.

    Args:
        max_shape: height and width of the image.
        wh_ratio_clip: sizes grow or shrink at most by this ratio.

    Raises:
        ValueError: boxes that are not (n, 4), means or stds that are not four numbers, a `max_shape` of other length.

    Examples:
        >>> a, d = Tensor([[0.0, 0.0, 1.0, 1.0]]), Tensor([[0.5, 0.0, 0.0, 0.0]])
        >>> print(ops.bounding_box_decode(a, d, (8, 8)))
        [[1. 0. 2. 1.]]

    Source: ``mindspore.ops.bounding_box_decode``.
    """
    name = "bounding_box_decode"
    _boxes(name, anchor_box, deltas)
    if not isinstance(max_shape, (tuple, list)) or len(max_shape) != 2:
        fail(ValueError, name, "'max_shape'", "be (height, width)", describe(max_shape))
    pairs = zip(_columns(deltas), _four(name, "means", means), _four(name, "stds", stds))
    dx, dy, dw, dh = (item * std + mean for item, mean, std in pairs)
    most = abs(float(np.log(wh_ratio_clip)))
    x, y, w, h = _middle(anchor_box)
    tx, ty = x + w * dx, y + h * dy
    tw, th = w * exp(clamp(dw, -most, most)), h * exp(clamp(dh, -most, most))
    bottom, right = max_shape
    corners = [
        (tx - tw * 0.5 + 0.5, right),
        (ty - th * 0.5 + 0.5, bottom),
        (tx + tw * 0.5 - 0.5, right),
        (ty + th * 0.5 - 0.5, bottom),
    ]
    return stack([clamp(corner, 0, end) for corner, end in corners], 1)


@op(
    shape=lambda bboxes, _metas: bboxes[:1],
    dtype=rules.boolean,
    nondiff="the result is bool",
    ascend="index",
    ops="check_valid(bboxes, img_metas)",
    primitive="CheckValid()(bboxes, img_metas)",
    label="CheckValid",
)
def check_valid(bboxes: Array, img_metas: Array) -> Any:
    """Return which boxes lie in an image.

    Args:
        img_metas: the image's height, width, and by what both were scaled.

    Examples:
        >>> print(ops.check_valid(Tensor([[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 9.0, 1.0]]), Tensor([4.0, 4.0, 1.0])))
        [ True False]

    Source: ``mindspore.ops.check_valid``.
    """
    height, width, ratio = (float(n) for n in img_metas)
    bottom, right = height * ratio - 1, width * ratio - 1
    x0, y0, x1, y1 = bboxes.astype(np.float32).T
    return (x0 >= 0) & (y0 >= 0) & (x1 <= right) & (y1 <= bottom)


@composite(
    ops="iou(anchor_boxes, gt_boxes, mode='iou')",
    primitive="IOU(mode='iou')(anchor_boxes, gt_boxes)",
    rename={"gt_boxes": "other"},
)
def iou(anchor_boxes: Array, other: Array, mode: str = "iou") -> Any:
    """Return, for each box of `gt_boxes` (rows) and each of `anchor_boxes`, the area that they share over another.

    Args:
        mode: "iou": over the area that either covers; "iof": over that of the second.

    Raises:
        ValueError: boxes that are not (n, 4), another mode.

    Examples:
        >>> print(ops.iou(Tensor([[0.0, 0.0, 1.0, 1.0]]), Tensor([[0.0, 0.0, 1.0, 0.0]])))
        [[0.5]]

    Source: ``mindspore.ops.iou``.
    """
    _boxes("iou", anchor_boxes, other)
    if mode not in ("iou", "iof"):
        fail(ValueError, "iou", "'mode'", "be 'iou' or 'iof'", describe(mode))
    a = [take_key(c, (None, slice(None))) for c in _columns(anchor_boxes)]
    b = [take_key(c, (slice(None), None)) for c in _columns(other)]
    wide = clamp(minimum(a[2], b[2]) - maximum(a[0], b[0]) + 1, 0)
    high = clamp(minimum(a[3], b[3]) - maximum(a[1], b[1]) + 1, 0)
    first, second = ((c[2] - c[0] + 1) * (c[3] - c[1] + 1) for c in (a, b))
    shared = wide * high
    return shared / (first + second - shared if mode == "iou" else second)


def _overlaps(boxes: Any) -> Any:
    corner = np.maximum(boxes[:, None, :2], boxes[None, :, :2])
    end = np.minimum(boxes[:, None, 2:4], boxes[None, :, 2:4])
    shared = (end - corner).clip(0).prod(-1)
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    return shared / (area[:, None] + area[None, :] - shared)


@op(
    shape=lambda bboxes, _threshold=0.5: [bboxes, bboxes[:1], bboxes[:1]],
    dtype=lambda bboxes, _threshold=0.5: (bboxes, mstype.int32, mstype.bool_),
    accepts=FLOATS,
    nondiff=NO_RULE,
    ascend="sort",
    primitive="NMSWithMask(iou_threshold=0.5)(bboxes)",
)
def nms_with_mask(bboxes: Array, iou_threshold: float = 0.5) -> Any:
    """Return boxes with scores (n, 5) by descending score, their places in this order, and which of them to keep.

    A box is kept if it overlaps none that is kept and has a higher score by more than the threshold.

    Raises:
        ValueError: boxes of other shapes.

    Examples:
        >>> x = Tensor([[0.0, 0.0, 2.0, 2.0, 0.5], [0.0, 0.0, 2.0, 2.5, 0.9], [5.0, 5.0, 6.0, 6.0, 0.1]])
        >>> print(ops.NMSWithMask(0.5)(x)[2])
        [ True False  True]

    Source: ``mindspore.ops.NMSWithMask``.
    """
    if bboxes.ndim != 2 or bboxes.shape[1] != 5:
        fail(ValueError, "NMSWithMask", "shape of 'bboxes'", "be [n, 5]", str(list(bboxes.shape)))
    order = np.argsort(-bboxes[:, 4].astype(np.float64), kind="stable")
    rows = bboxes[order]
    near = _overlaps(rows[:, :4].astype(np.float64)) > iou_threshold
    kept = np.ones(len(rows), bool)
    for i in range(len(rows)):
        if kept[i]:
            kept[i + 1 :] &= ~near[i, i + 1 :]
    return rows, np.arange(len(rows), dtype=np.int32), kept


@op(
    shape=lambda *_shapes: (-1,),
    dtype=lambda *_dtypes: mstype.int32,
    nondiff="the result is an index",
    ascend="sort",
    primitive="NonMaxSuppressionWithOverlaps()(overlaps, scores, max_output_size, overlap_threshold, score_threshold)",
)
def non_max_suppression_with_overlaps(
    overlaps: Array, scores: Array, max_output_size: Array, overlap_threshold: Array, score_threshold: Array
) -> Any:
    """Return the numbers of boxes to keep, by descending score, given how all overlap each other.

    Examples:
        >>> o, s = Tensor([[1.0, 0.9], [0.9, 1.0]]), Tensor([0.5, 0.8])
        >>> op = ops.NonMaxSuppressionWithOverlaps()
        >>> print(op(o, s, Tensor(2, mstype.int32), Tensor(0.5), Tensor(0.0)))
        [1]

    Source: ``mindspore.ops.NonMaxSuppressionWithOverlaps``.
    """
    kept: list[int] = []
    for i in np.argsort(-scores.astype(np.float64), kind="stable").tolist():
        if len(kept) >= int(max_output_size) or not scores[i] > score_threshold:
            break
        if all(overlaps[i, j] <= overlap_threshold for j in kept):
            kept.append(i)
    return np.array(kept, np.int32)


@op(
    shape=lambda *_shapes: (-1,),
    dtype=lambda *_dtypes: mstype.int32,
    nondiff="the result is an index",
    ascend="sort",
    primitive="NonMaxSuppressionV3()(boxes, scores, max_output_size, iou_threshold, score_threshold)",
)
def non_max_suppression(
    boxes: Array, scores: Array, max_output_size: Any, iou_threshold: Any, score_threshold: Any
) -> Any:
    """Return the numbers of boxes (n, 4) to keep, by descending score.

    Args:
        boxes: two opposite corners each.
        max_output_size: how many to keep at most.
        iou_threshold: a box that overlaps one that is kept by more of what either covers is dropped.
        score_threshold: boxes need a higher score.

    Raises:
        ValueError: shapes that do not fit.

    Examples:
        >>> b = Tensor([[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9], [3.0, 3.0, 2.0, 2.0]])
        >>> print(ops.NonMaxSuppressionV3()(b, Tensor([0.5, 0.9, 0.1]), 3, 0.5, 0.0))
        [1 2]

    Source: ``mindspore.ops.NonMaxSuppressionV3``.
    """
    if boxes.ndim != 2 or boxes.shape[1] != 4 or scores.shape != boxes.shape[:1]:
        got = f"{list(boxes.shape)} and {list(scores.shape)}"
        fail(ValueError, "NonMaxSuppressionV3", "shapes of 'boxes' and 'scores'", "be [n, 4] and [n]", got)
    wide = boxes.astype(np.float64)
    corners = np.concatenate([np.minimum(wide[:, :2], wide[:, 2:]), np.maximum(wide[:, :2], wide[:, 2:])], 1)
    near = _overlaps(corners) > float(plain(iou_threshold))
    kept: list[int] = []
    for i in np.argsort(-scores.astype(np.float64), kind="stable").tolist():
        if len(kept) >= int(plain(max_output_size)) or not scores[i] > float(plain(score_threshold)):
            break
        if not near[i, kept].any():
            kept.append(i)
    return np.array(kept, np.int32)
