"""Cases of the families boxes, colours, crops and resize_forms."""

from __future__ import annotations

import colorsys
from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, Case, Maker

__all__ = ["CASES"]

PLAIN = ("float32", "float64")
NO_RULE = "2.6 has no gradient for it"
LOOSE = {"float16": (1e-2, 1e-2), "bfloat16": (5e-2, 5e-2), "float32": (1e-4, 1e-5)}
STEPS = 1024


def _boxes(m: Maker, n: int) -> Any:
    corner = m(n, 2, low=0.0, high=4.0)
    return np.concatenate([corner, corner + m(n, 2, low=1.0, high=4.0)], 1)


def _encode(a: Any, b: Any, means: Any = (0,) * 4, stds: Any = (1,) * 4) -> Any:
    (ax, ay, aw, ah), (bx, by, bw, bh) = (
        ((t[:, 0] + t[:, 2]) / 2, (t[:, 1] + t[:, 3]) / 2, t[:, 2] - t[:, 0] + 1, t[:, 3] - t[:, 1] + 1) for t in (a, b)
    )
    found = np.stack([(bx - ax) / aw, (by - ay) / ah, np.log(bw / aw), np.log(bh / ah)], 1)
    return (found - np.array(means)) / np.array(stds)


def _decode(a: Any, d: Any, shape: Any, means: Any = (0,) * 4, stds: Any = (1,) * 4, clip: float = 0.016) -> Any:
    d = d * np.array(stds) + np.array(means)
    x, y = (a[:, 0] + a[:, 2]) / 2, (a[:, 1] + a[:, 3]) / 2
    w, h = a[:, 2] - a[:, 0] + 1, a[:, 3] - a[:, 1] + 1
    most = abs(np.log(clip))
    x, y = x + w * d[:, 0], y + h * d[:, 1]
    w, h = w * np.exp(d[:, 2].clip(-most, most)), h * np.exp(d[:, 3].clip(-most, most))
    ends = np.stack([x - w / 2 + 0.5, y - h / 2 + 0.5, x + w / 2 - 0.5, y + h / 2 - 0.5], 1)
    return ends.clip(0, np.array([shape[1], shape[0], shape[1], shape[0]]))


def _area(t: Any) -> Any:
    return (t[2] - t[0] + 1) * (t[3] - t[1] + 1)


def _iou(a: Any, b: Any, mode: str = "iou") -> Any:
    out = np.zeros((len(b), len(a)))
    for i, one in enumerate(b):
        for j, other in enumerate(a):
            wide = max(0, min(one[2], other[2]) - max(one[0], other[0]) + 1)
            high = max(0, min(one[3], other[3]) - max(one[1], other[1]) + 1)
            whole = _area(one) if mode == "iof" else _area(one) + _area(other) - wide * high
            out[i, j] = wide * high / whole
    return out


def _valid(boxes: Any, meta: Any) -> Any:
    height, width, ratio = meta
    inside = (boxes[:, 2] <= width * ratio - 1) & (boxes[:, 3] <= height * ratio - 1)
    return inside & (boxes[:, :2] >= 0).all(1)


def _overlap(a: Any, b: Any) -> float:
    shared = max(0, min(a[2], b[2]) - max(a[0], b[0])) * max(0, min(a[3], b[3]) - max(a[1], b[1]))
    return float(shared / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared))


def _nms(boxes: Any, threshold: float = 0.5) -> Any:
    rows = boxes[np.argsort(-boxes[:, 4], kind="stable")]
    kept: list[int] = []
    for i, row in enumerate(rows):
        if all(_overlap(row, rows[j]) <= threshold for j in kept):
            kept.append(i)
    return rows, np.arange(len(rows)), np.isin(np.arange(len(rows)), kept)


def _scored(m: Maker) -> list[tuple[Any, ...]]:
    rows = np.concatenate([_boxes(m, 6), m.distinct(6, 1) / 8], 1).astype(m.np)
    return [(rows, 0.3), (rows,)]


def _chosen(overlaps: Any, scores: Any, count: Any, most: Any, least: Any) -> Any:
    kept: list[int] = []
    for i in np.argsort(-scores):
        if len(kept) < count and scores[i] > least and all(overlaps[i, j] <= most for j in kept):
            kept.append(int(i))
    return np.array(kept)


def _by_pixel(convert: Any) -> Any:
    return lambda x, *rest: np.array([convert(*p, *rest) for p in x.reshape(-1, 3)]).reshape(x.shape)


def _hue(r: float, g: float, b: float, delta: float) -> Any:
    h, s, v = colorsys.rgb_to_hsv(r, g, b)
    return colorsys.hsv_to_rgb((h + delta) % 1, s, v)


def _saturation(r: float, g: float, b: float, scale: float) -> Any:
    h, s, v = colorsys.rgb_to_hsv(r, g, b)
    return colorsys.hsv_to_rgb(h, min(1, s * scale), v)


def _pixels(m: Maker) -> Any:
    return m(2, 2, 3, low=0.1, high=0.9)


def _bilinear(image: Any, y: float, x: float) -> Any:
    """The value of one image (H, W, C) at a place inside."""
    top, left = int(np.floor(y)), int(np.floor(x))
    below, right = min(top + 1, image.shape[0] - 1), min(left + 1, image.shape[1] - 1)
    wy, wx = y - top, x - left
    upper = image[top, left] * (1 - wx) + image[top, right] * wx
    return upper * (1 - wy) + (image[below, left] * (1 - wx) + image[below, right] * wx) * wy


def _crop(x: Any, boxes: Any, which: Any, size: Any, method: str = "bilinear", outside: float = 0.0) -> Any:
    out = np.full((len(boxes), *size, x.shape[3]), float(outside))
    height, width = x.shape[1:3]
    for at in np.ndindex(len(boxes), *size):
        y0, x0, y1, x1 = boxes[at[0]]
        if method == "bilinear_v2":
            spans = [
                (int(a * n), max(1, int(b * n) - int(a * n) + 1)) for a, b, n in ((y0, y1, height), (x0, x1, width))
            ]
            y, z = (start + (i + 0.5) * span / n - 0.5 for (start, span), i, n in zip(spans, at[1:], size))
        else:
            y = (y0 + (y1 - y0) * at[1] / (size[0] - 1)) * (height - 1)
            z = (x0 + (x1 - x0) * at[2] / (size[1] - 1)) * (width - 1)
        if 0 <= y <= height - 1 and 0 <= z <= width - 1:
            image = x[which[at[0]]]
            out[at] = image[int(y + 0.5), int(z + 0.5)] if method == "nearest" else _bilinear(image, y, z)
    return out


def _roi(x: Any, rois: Any, rows: int, columns: int, scale: float, samples: int = 2, mode: int = 1) -> Any:
    out = np.zeros((len(rois), x.shape[1], rows, columns))
    for n, (which, x0, y0, x1, y1) in enumerate(rois):
        left, top = x0 * scale, y0 * scale
        wide, high = (x1 + mode) * scale - left, (y1 + mode) * scale - top
        if mode == 0:
            wide, high = max(wide, 1), max(high, 1)
        tall, broad = (samples, samples) if samples else (max(1, int(high / rows)), max(1, int(wide / columns)))
        image = x[int(which)].transpose(1, 2, 0)
        for i, j in np.ndindex(rows, columns):
            for a, b in np.ndindex(tall, broad):
                y, z = top + (i + (a + 0.5) / tall) * high / rows, left + (j + (b + 0.5) / broad) * wide / columns
                if -1 <= y <= x.shape[2] and -1 <= z <= x.shape[3]:
                    y, z = min(max(y, 0), x.shape[2] - 1), min(max(z, 0), x.shape[3] - 1)
                    out[n, :, i, j] += _bilinear(image, y, z) / (tall * broad)
    return out


def _rois(_m: Maker) -> Any:
    return np.array([[0, 1, 0.5, 3, 2.5], [1, 0, 1, 2, 3]], np.float32)


def _where(old: int, new: int, align: bool, half: bool) -> Any:
    at = np.arange(new) * 1.0
    if align and new > 1:
        return at * (old - 1) / (new - 1)
    return (at + 0.5) * old / new - 0.5 if half else at * old / new


def _line(row: Any, new: int, align: bool, half: bool) -> Any:
    return np.interp(_where(len(row), new, align, half), np.arange(len(row)), row)


def _curve(row: Any, new: int, align: bool, half: bool) -> Any:
    a, out = (-0.5 if half else -0.75), []
    for place in _where(len(row), new, align, half):
        low = int(np.floor(place))
        t = np.rint((place - low) * STEPS) / STEPS
        total = weight = 0.0
        for k in range(-1, 3):
            d = abs(t - k)
            w = (
                ((a + 2) * d - (a + 3)) * d * d + 1
                if d <= 1
                else ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
                if d < 2
                else 0
            )
            if half and not 0 <= low + k < len(row):
                continue
            total += w * row[min(max(low + k, 0), len(row) - 1)]
            weight += w
        out.append(total / weight if half else total)
    return np.array(out)


def _step(row: Any, new: int, align: bool, half: bool) -> Any:
    if half:
        at = np.floor((np.arange(new) + 0.5) * len(row) / new)
    else:
        at = np.floor(_where(len(row), new, align, False) + (0.5 if align else 0))
    return row[at.astype(int).clip(0, len(row) - 1)]


def _covered(row: Any, new: int, align: bool, _half: bool) -> Any:
    step = (len(row) - 1) / (new - 1) if align and new > 1 else len(row) / new
    fine = 720  # sizes in the inputs divide it
    out = []
    for i in range(new):
        places = i * step + (np.arange(fine) + 0.5) * step / fine
        out.append(row[np.floor(places).astype(int).clip(0, len(row) - 1)].mean())
    return np.array(out)


def _sized(line: Any, first: int) -> Any:
    def oracle(x: Any, size: Any, align: bool = False, half: bool = False) -> Any:
        for i, n in enumerate(size):
            x = np.apply_along_axis(line, first + i, x, n, align, half)
        return x

    return oracle


def _linear(x: Any, size: Any, mode: str = "align_corners") -> Any:
    return _sized(_line, 2)(x, size, mode == "align_corners", mode == "half_pixel")


def _volume(line: Any, half: bool) -> Any:
    def oracle(x: Any, size: Any = None, scales: Any = None, align: bool = False) -> Any:
        size = size or tuple(int(n * s) for n, s in zip(x.shape[2:], scales))
        return _sized(line, 2)(x, size, align, half and not align)

    return oracle


def _planes(m: Maker) -> list[tuple[Any, ...]]:
    return [(m(1, 2, 4, 5), (6, 3), *flags) for flags in ((), (True,), (False, True))]


CASES = {
    "bounding_box_encode": Case(
        _encode,
        lambda m: [
            (_boxes(m, 3), _boxes(m, 3)),
            (_boxes(m, 2), _boxes(m, 2), (0.1, 0.0, 0.2, 0.0), (1.0, 2.0, 0.5, 1.0)),
        ],
        PLAIN,
        tolerance=LOOSE,
    ),
    "bounding_box_decode": Case(
        _decode,
        lambda m: [
            (_boxes(m, 3) + 4, m(3, 4, low=-0.4, high=0.4), (40, 40)),
            (_boxes(m, 3) + 4, m(3, 4), (20, 12), (0.1, 0.0, 0.2, 0.0), (0.5, 0.5, 0.25, 0.5)),
        ],
        PLAIN,
        tolerance=LOOSE,
    ),
    "check_valid": Case(
        _valid, lambda m: [(_boxes(m, 8), np.array([6.0, 5.0, 1.25], m.np))], FLOAT, 0, note="the result is bool"
    ),
    "iou": Case(
        _iou, lambda m: [(_boxes(m, 3), _boxes(m, 4)), (_boxes(m, 2), _boxes(m, 2), "iof")], PLAIN, tolerance=LOOSE
    ),
    "nms_with_mask": Case(_nms, _scored, PLAIN, 0, note=NO_RULE),
    "non_max_suppression_with_overlaps": Case(
        _chosen,
        lambda m: [
            (m(5, 5, low=0, high=1), m.distinct(5), np.array(3, np.int32), np.array(0.6, m.np), np.array(-0.3, m.np))
        ],
        PLAIN,
        0,
        note="the result is an index",
    ),
    "non_max_suppression": Case(
        lambda boxes, scores, count, most, least: _chosen(
            np.array([[_overlap(a, b) for b in boxes] for a in boxes]), scores, count, most, least
        ),
        lambda m: [(_boxes(m, 6), m.distinct(6), 4, 0.3, -0.6), (_boxes(m, 3), m.distinct(3), 3, 0.9, -9.0)],
        PLAIN,
        0,
        note="the result is an index",
    ),
    "rgb_to_hsv": Case(
        _by_pixel(colorsys.rgb_to_hsv), lambda m: [(_pixels(m),)], FLOAT, 0, tolerance=LOOSE, note=NO_RULE
    ),
    "hsv_to_rgb": Case(
        _by_pixel(colorsys.hsv_to_rgb), lambda m: [(_pixels(m),)], FLOAT, 0, tolerance=LOOSE, note=NO_RULE
    ),
    "adjust_hue": Case(
        _by_pixel(_hue), lambda m: [(_pixels(m), np.array(0.25, m.np))], FLOAT, 0, tolerance=LOOSE, note=NO_RULE
    ),
    "adjust_saturation": Case(
        _by_pixel(_saturation),
        lambda m: [(_pixels(m), np.array(n, m.np)) for n in (0.5, 4.0)],
        FLOAT,
        0,
        tolerance=LOOSE,
        note=NO_RULE,
    ),
    "crop_and_resize": Case(
        _crop,
        lambda m: [
            (
                m(2, 5, 4, 2),
                np.array([[0.1, 0.2, 0.9, 0.8], [0.5, 0.0, 1.3, 0.6]], np.float32),
                np.array([1, 0]),
                (3, 2),
            ),
            (m(1, 5, 4, 2), np.array([[0.85, 0.2, 0.1, 0.8]], np.float32), np.array([0]), (2, 3), "nearest", 0.5),
            (m(1, 6, 5, 2), np.array([[0.0, 0.25, 0.7, 0.7]], np.float32), np.array([0]), (3, 4), "bilinear_v2"),
        ],
        PLAIN,
        tolerance=LOOSE | {"float64": (1e-5, 1e-6)},
        wrt=(0,),
        views=False,
        note="places are computed in float32, as 2.6's; only the image has a gradient",
    ),
    "roi_align": Case(
        _roi,
        lambda m: [
            (m(2, 2, 5, 4), _rois(m), 2, 3, 0.5),
            (m(2, 1, 5, 4), _rois(m), 2, 1, 1.0, 0, 0),
            (m(2, 1, 5, 4), _rois(m), 1, 2, 1.0, 3, 1),
        ],
        PLAIN,
        tolerance=LOOSE,
        wrt=(0,),
    ),
    "bilinear_resized": Case(_sized(_line, 2), _planes, FLOAT, tolerance=LOOSE),
    "bicubic_resized": Case(_sized(_curve, 2), _planes, PLAIN, tolerance=LOOSE),
    "nearest_resized": Case(_sized(_step, 2), _planes, FLOAT),
    "resize_area": Case(
        _sized(_covered, 1),
        lambda m: [(m(1, 4, 6, 2), (2, 3)), (m(1, 5, 4, 1), (3, 6)), (m(1, 5, 4, 1), (3, 2), True)],
        PLAIN,
        tolerance=LOOSE | {"float64": (1e-9, 1e-9)},
    ),
    "resize_linear": Case(
        _linear, lambda m: [(m(1, 2, 5), (8,)), (m(2, 1, 5), (3,), "half_pixel")], PLAIN, tolerance=LOOSE
    ),
    "upsample_nearest": Case(
        _volume(_step, False),
        lambda m: [(m(1, 2, 2, 3, 2), (4, 5, 3)), (m(1, 1, 2, 3, 2), None, (2.0, 1.0, 1.5))],
        FLOAT,
    ),
    "upsample_trilinear": Case(
        _volume(_line, True),
        lambda m: [(m(1, 2, 2, 3, 2), (4, 5, 3)), (m(1, 1, 2, 3, 2), None, (2.0, 1.0, 1.5), True)],
        PLAIN,
        tolerance=LOOSE,
    ),
}
