"""More of 2.6's primitives on images: scaling with a kernel of choice, glimpses, boxes of several classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._draw import seeded
from ms_kernels.ops._limits import NO_RULE
from ms_kernels.ops._tape import cast_np
from ms_kernels.ops.resize import resample

__all__: list[str] = []

Shape = tuple[int, ...]


def _lanczos(radius: int) -> Callable[[Any], Any]:
    return lambda x: np.where(np.abs(x) < radius, np.sinc(x) * np.sinc(x / radius), 0)


def _keys(b: float, c: float) -> Callable[[Any], Any]:
    """The cubics of Mitchell and Netravali."""

    def kernel(x: Any) -> Any:
        x = np.abs(x)
        near = ((12 - 9 * b - 6 * c) * x**3 + (-18 + 12 * b + 6 * c) * x**2 + 6 - 2 * b) / 6
        far = ((-b - 6 * c) * x**3 + (6 * b + 30 * c) * x**2 + (-12 * b - 48 * c) * x + 8 * b + 24 * c) / 6
        return np.where(x < 1, near, np.where(x < 2, far, 0))

    return kernel


KERNELS: dict[str, tuple[float, Callable[[Any], Any]]] = {
    "lanczos1": (1, _lanczos(1)),
    "lanczos3": (3, _lanczos(3)),
    "lanczos5": (5, _lanczos(5)),
    "gaussian": (1.5, lambda x: np.where(np.abs(x) < 1.5, np.exp(-x * x / (2 * 0.25)), 0)),
    "box": (1, lambda x: np.where(np.abs(x) < 0.5, 1.0, np.where(np.abs(x) == 0.5, 0.5, 0))),
    "triangle": (1, lambda x: (1 - np.abs(x)).clip(0)),
    "keyscubic": (2, _keys(0, 0.5)),
    "mitchellcubic": (2, _keys(1 / 3, 1 / 3)),
}


def _weights(old: int, new: int, scale: float, shift: float, kind: str, antialias: bool) -> Any:
    radius, kernel = KERNELS[kind]
    wide = max(1 / scale, 1.0) if antialias else 1.0
    at = (np.arange(new) + 0.5 - shift) / scale
    first = np.ceil(at - radius * wide - 0.5).clip(0, old - 1)
    last = np.floor(at + radius * wide - 0.5).clip(0, old - 1)
    pixel = np.arange(old)[None, :]
    inside = (pixel >= first[:, None]) & (pixel <= last[:, None])
    weights = np.where(inside, kernel((pixel + 0.5 - at[:, None]) / wide), 0)
    total = weights.sum(1, keepdims=True)
    weights = np.where(np.abs(total) > 1e-12, weights / np.where(total == 0, 1, total), 0)
    return np.where(((at >= 0) & (at <= old))[:, None], weights, 0)


def _pair(name: str, value: Any) -> tuple[float, float]:
    found = value._a.tolist() if isinstance(value, TensorBase) else list(value)
    if len(found) != 2:
        fail(ValueError, "ScaleAndTranslate", f"'{name}'", "have two elements", str(found))
    return found[0], found[1]


@composite(
    primitive="ScaleAndTranslate(kernel_type='lanczos3', antialias=True)(images, size, scale, translation)",
    rename={"translation": "shift"},
)
def scale_and_translate(
    images: Array, size: Any, scale: Any, shift: Any, kernel_type: str = "lanczos3", antialias: bool = True
) -> Any:
    """Return images (N, H, W, C) scaled about the origin, moved, and cut to a size, as float32.

    Args:
        scale, translation: factors and numbers of pixels, of rows and of columns.
        kernel_type: "lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic".
        antialias: whether the kernel grows when images shrink.

    Raises:
        ValueError: not four dimensions, another kernel, scales that are not positive.

    Examples:
        >>> x, one, zero = Tensor([[[[1.0], [3.0]]]]), Tensor([1.0, 2.0]), Tensor([0.0, 0.0])
        >>> print(ops.ScaleAndTranslate("triangle")(x, Tensor([1, 4], mstype.int32), one, zero).ravel())
        [1.  1.5 2.5 3. ]

    Source: ``mindspore.ops.ScaleAndTranslate``.
    """
    name = "ScaleAndTranslate"
    if kernel_type not in KERNELS:
        fail(ValueError, name, "'kernel_type'", f"be one of {list(KERNELS)}", describe(kernel_type))
    if images.ndim != 4:
        fail(ValueError, name, "'images'", "have four dimensions", f"shape {list(images.shape)}")
    factors = _pair("scale", scale)
    if min(factors) <= 0:
        fail(ValueError, name, "'scale'", "be positive", str(factors))
    out = cast_np(images, np.dtype(np.float32)) if images.dtype is not mstype.float64 else images
    for i, (new, factor, move) in enumerate(zip(_pair("size", size), factors, _pair("translation", shift))):
        matrix = _weights(images.shape[1 + i], int(new), factor, move, kernel_type, antialias)
        out = resample(out, matrix, 1 + i)
    return cast_np(out, np.dtype(np.float32))


@op(
    shape=lambda x, _size, _offsets, *_rest: (x[0], -1, -1, x[3]),
    dtype=lambda x, *_rest: x,
    nondiff=NO_RULE,
    ascend="copy",
    primitive="ExtractGlimpse(centered=True, normalized=True, uniform_noise=True, noise='uniform')(x, size, offsets)",
    rename={"x": "input"},
)
def extract_glimpse(
    input: Array,
    size: Array,
    offsets: Array,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    noise: str = "uniform",
) -> Any:
    """Return parts of a size of images (N, H, W, C) around an offset each; noise stands where they leave the image.

    Args:
        centered: offsets count from the middle, else from the first pixel.
        normalized: they are parts of half the size (centered) or of the size, else pixels (centered: half ones).
        noise: "uniform", "gaussian" or "zero".

    Raises:
        ValueError: shapes that do not fit, another noise.

    Examples:
        >>> x = Tensor(np.arange(9).reshape(1, 3, 3, 1), mstype.float32)
        >>> glimpse = ops.ExtractGlimpse(False, False, False, "zero")
        >>> print(glimpse(x, Tensor([2, 2], mstype.int32), Tensor([[1.0, 1.0]]))[0, :, :, 0])
        [[0. 1.]
         [3. 4.]]

    Source: ``mindspore.ops.ExtractGlimpse``.
    """
    name = "ExtractGlimpse"
    if input.ndim != 4 or size.shape != (2,) or offsets.shape != (input.shape[0], 2):
        got = f"{list(input.shape)}, {list(size.shape)} and {list(offsets.shape)}"
        fail(ValueError, name, "shapes", "be (N, H, W, C), (2,) and (N, 2)", got)
    if noise not in ("uniform", "gaussian", "zero"):
        fail(ValueError, name, "'noise'", "be 'uniform', 'gaussian' or 'zero'", describe(noise))
    rows, columns = int(size[0]), int(size[1])
    out = np.zeros((input.shape[0], rows, columns, input.shape[3]), np.float64)
    if noise != "zero":
        seed, offset = seeded(name)
        rng = np.random.default_rng([seed & 0xFFFFFFFFFFFFFFFF, offset & 0xFFFFFFFFFFFFFFFF])
        out[...] = rng.random(out.shape) if noise == "uniform" else rng.standard_normal(out.shape)
    for i, (y, x) in enumerate(offsets.astype(np.float64)):
        starts = []
        for place, whole, part in ((y, input.shape[1], rows), (x, input.shape[2], columns)):
            if centered:
                middle = (place + 1) * whole / 2 if normalized else (place + whole) / 2
            else:
                middle = place * whole if normalized else place
            starts.append(int(middle - part / 2))  # toward 0, as 2.6
        ys, xs = (start + np.arange(n) for start, n in zip(starts, (rows, columns)))
        good_y, good_x = (ys >= 0) & (ys < input.shape[1]), (xs >= 0) & (xs < input.shape[2])
        out[i][np.ix_(good_y, good_x)] = input[i][np.ix_(ys[good_y], xs[good_x])]
    return out.astype(input.dtype)


def _corner_overlap(a: Any, b: Any) -> float:
    """The shared area of two boxes over that which either covers; any two opposite corners may be given."""
    (ya, yb), (xa, xb) = sorted(a[::2]), sorted(a[1::2])
    (yc, yd), (xc, xd) = sorted(b[::2]), sorted(b[1::2])
    shared = max(0.0, min(yb, yd) - max(ya, yc)) * max(0.0, min(xb, xd) - max(xa, xc))
    whole = (yb - ya) * (xb - xa) + (yd - yc) * (xd - xc) - shared
    return shared / whole if whole > 0 else 0.0


_COMBINED = "boxes, scores, max_output_size_per_class, max_total_size, iou_threshold, score_threshold"


@op(
    shape=lambda boxes, *_rest: [(boxes[0], -1, 4), (boxes[0], -1), (boxes[0], -1), (boxes[0],)],
    dtype=lambda *_a: (mstype.float32, mstype.float32, mstype.float32, mstype.int32),
    nondiff=NO_RULE,
    ascend="sort",
    primitive=f"CombinedNonMaxSuppression(pad_per_class=False, clip_boxes=True)({_COMBINED})",
    rename={"max_output_size_per_class": "per_class", "max_total_size": "total"},
)
def combined_non_max_suppression(
    boxes: Array,
    scores: Array,
    per_class: Array,
    total: Array,
    iou_threshold: Array,
    score_threshold: Array,
    pad_per_class: bool = False,
    clip_boxes: bool = True,
) -> Any:
    """Return the best boxes of each image over all classes: boxes, scores, classes, and how many there are.

    Args:
        boxes: (N, boxes, 1 or classes, 4), two opposite corners each.
        scores: (N, boxes, classes).
        pad_per_class: there is room for ``max_output_size_per_class`` boxes of each class, at most `max_total_size`.
        clip_boxes: boxes are cut to [0, 1].

    Raises:
        ValueError: shapes that do not fit.

    Examples:
        >>> b, s = Tensor([[[[0.0, 0.0, 1.0, 1.0]], [[0.0, 0.0, 1.0, 0.9]]]]), Tensor([[[0.9], [0.8]]])
        >>> two, half = Tensor(2, mstype.int32), Tensor(0.5)
        >>> print(ops.CombinedNonMaxSuppression()(b, s, two, two, half, Tensor(0.0))[1])
        [[0.9 0. ]]

    Source: ``mindspore.ops.CombinedNonMaxSuppression``.
    """
    name = "CombinedNonMaxSuppression"
    if boxes.ndim != 4 or scores.ndim != 3 or boxes.shape[:2] != scores.shape[:2] or boxes.shape[3] != 4:
        got = f"{list(boxes.shape)} and {list(scores.shape)}"
        fail(ValueError, name, "shapes", "be (N, n, q, 4) and (N, n, classes)", got)
    if boxes.shape[2] not in (1, scores.shape[2]):
        rule = f"be 1 or {scores.shape[2]}"
        fail(ValueError, name, "third dimension of 'boxes'", rule, str(boxes.shape[2]))
    room = min(int(total), int(per_class) * scores.shape[2]) if pad_per_class else int(total)
    out = np.zeros((len(boxes), room, 4), np.float32), np.zeros((2, len(boxes), room), np.float32)
    counts = np.zeros(len(boxes), np.int32)
    for n in range(len(boxes)):
        found: list[tuple[float, int, int]] = []
        for kind in range(scores.shape[2]):
            places = boxes[n, :, kind if boxes.shape[2] > 1 else 0].astype(np.float64)
            kept: list[int] = []
            for i in np.argsort(-scores[n, :, kind].astype(np.float64), kind="stable").tolist():
                if len(kept) >= int(per_class) or not scores[n, i, kind] > score_threshold:
                    break
                if all(_corner_overlap(places[i], places[j]) <= iou_threshold for j in kept):
                    kept.append(i)
            found.extend((float(scores[n, i, kind]), kind, i) for i in kept)
        found.sort(key=lambda row: -row[0])
        counts[n] = min(len(found), room)
        for at, (score, kind, i) in enumerate(found[:room]):
            box = boxes[n, i, kind if boxes.shape[2] > 1 else 0]
            out[0][n, at] = box.clip(0, 1) if clip_boxes else box
            out[1][:, n, at] = score, kind
    return out[0], out[1][0], out[1][1], counts
