"""Calls of image, box and array primitives and functions, for `make_primitives.py`; see `calls_primitives.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["CALLS"]

RNG = np.random.RandomState(7)


def f(*shape: int, low: float = 0.0, high: float = 1.0, dtype: Any = np.float32) -> Any:
    return RNG.uniform(low, high, shape).astype(dtype)


def i32(*values: Any) -> Any:
    return np.array(values, np.int32)


def boxes(n: int, size: float = 10.0) -> Any:
    corner = RNG.uniform(0, size / 2, (n, 2))
    return np.concatenate([corner, corner + RNG.uniform(1, size / 2, (n, 2))], 1).astype(np.float32)


def scored(n: int) -> Any:
    return np.concatenate([boxes(n), RNG.permutation(n)[:, None] / 10.0], 1).astype(np.float32)


IMAGE = f(2, 3, 4, 3)
CALLS: list[tuple[str, Any, tuple[Any, ...]]] = [
    ("RGBToHSV", (), (IMAGE,)),
    ("HSVToRGB", (), (f(1, 2, 5, 3),)),
    ("AdjustHue", (), (IMAGE, np.array(0.2, np.float32))),
    ("AdjustSaturation", (), (IMAGE, np.array(0.5, np.float32))),
    ("AdjustSaturation", (), (IMAGE, np.array(2.5, np.float32))),
    ("BoundingBoxEncode", ((0.0, 0.1, 0.2, 0.3), (1.0, 2.0, 0.5, 1.0)), (boxes(4), boxes(4))),
    ("BoundingBoxDecode", ((20, 12), (0.0, 0.1, 0.0, 0.0), (0.1, 0.1, 0.2, 0.2)), (boxes(4), f(4, 4, low=-1))),
    ("bounding_box_encode", None, (boxes(3), boxes(3))),
    ("bounding_box_decode", None, (boxes(3), f(3, 4, low=-1), (8, 9))),
    ("CheckValid", (), (boxes(6), np.array([9.0, 8.0, 1.0], np.float32))),
    ("check_valid", None, (boxes(6), np.array([8.0, 7.0, 1.2], np.float32))),
    ("IOU", (), (boxes(3), boxes(4))),
    ("IOU", ("iof",), (boxes(3), boxes(4))),
    ("iou", None, (boxes(2), boxes(2))),
    ("NMSWithMask", (0.3,), (scored(6),)),
    (
        "NonMaxSuppressionWithOverlaps",
        (),
        (f(5, 5), f(5), np.array(3, np.int32), np.array(0.6, np.float32), np.array(0.1, np.float32)),
    ),
    ("ROIAlign", (2, 3, 0.5, 2), (f(2, 3, 8, 8), np.array([[0, 1, 2, 9, 12], [1, 3, 0, 14, 10]], np.float32))),
    ("ROIAlign", (2, 2, 1.0, 0, 0), (f(1, 2, 6, 6), np.array([[0, 0.5, 0.5, 4, 3]], np.float32))),
    (
        "crop_and_resize",
        None,
        (f(2, 6, 5, 3), np.array([[0.1, 0.2, 0.9, 0.8], [0.5, 0.0, 1.2, 0.6]], np.float32), i32(1, 0), (3, 2)),
    ),
    (
        "crop_and_resize",
        None,
        (f(1, 6, 5, 2), np.array([[0.9, 0.2, 0.1, 0.8]], np.float32), i32(0), (2, 4), "nearest", 0.5),
    ),
    (
        "CropAndResize",
        ("bilinear_v2", 0.5),
        (f(1, 6, 5, 2), np.array([[0.0, 0.2, 0.7, 0.8]], np.float32), i32(0), (3, 4)),
    ),
    ("ResizeBilinearV2", (), (f(1, 2, 4, 5), (6, 3))),
    ("ResizeBilinearV2", (True,), (f(1, 2, 4, 5), (6, 3))),
    ("ResizeBilinearV2", (False, True), (f(1, 2, 4, 5), (6, 3))),
    ("ResizeNearestNeighborV2", (), (f(1, 2, 4, 5), (6, 3))),
    ("ResizeNearestNeighborV2", (True,), (f(1, 2, 4, 5), (6, 3))),
    ("ResizeNearestNeighborV2", (False, True), (f(1, 2, 4, 5), (6, 3))),
    ("ResizeBicubic", (), (f(1, 2, 4, 5), (6, 3))),
    ("ResizeBicubic", (True,), (f(1, 2, 4, 5), (6, 3))),
    ("ResizeBicubic", (False, True), (f(1, 2, 4, 5), (6, 3))),
    ("ResizeArea", (), (f(1, 4, 6, 2), i32(2, 3))),
    ("ResizeArea", (), (f(1, 5, 4, 1), i32(3, 6))),
    ("ResizeArea", (True,), (f(1, 5, 4, 1), i32(3, 2))),
    ("ResizeLinear1D", (), (f(1, 2, 5), (8,))),
    ("ResizeLinear1D", ("half_pixel",), (f(1, 2, 5), (3,))),
    ("UpsampleNearest3D", (), (f(1, 1, 2, 3, 2), (4, 5, 3))),
    ("UpsampleTrilinear3D", (), (f(1, 1, 2, 3, 2), (4, 5, 3))),
    ("UpsampleTrilinear3D", (True,), (f(1, 1, 2, 3, 2), (4, 5, 3))),
    ("Addcdiv", (), (f(2, 3), f(3), f(2, 1, low=1, high=2), np.array(0.5, np.float32))),
    ("Addcmul", (), (f(2, 3), f(3), f(2, 1), np.array(0.5, np.float32))),
    ("CheckNumerics", (), (f(3),)),
    ("CheckNumerics", (), (np.array([1.0, np.nan], np.float32),)),
    ("CompareAndBitpack", (), (f(2, 16), np.array(0.5, np.float32))),
    ("EqualCount", (), (i32(1, 2, 3), i32(1, 2, 4))),
    ("EqualCount", (), (f(3), f(3))),
    ("FillV2", (), (i32(2, 3), np.array(1.5, np.float32))),
    ("FillV2", (), ((2,), np.array(7, np.int64))),
    ("IdentityN", (), ([f(2), i32(1, 2)],)),
    ("ListDiff", (), (np.arange(1, 7).astype(np.int32), i32(1, 3, 5))),
    ("MatrixLogarithm", (), (np.array([[2 + 1j, 0.5], [0.3, 3]], np.complex64),)),
    ("MatrixSolveLs", (), (f(3, 2), f(3, 1), np.array(0.0, np.float64))),
    ("MatrixSolveLs", (False,), (f(3, 2), f(3, 1), np.array(0.0, np.float64))),
    ("MatrixSolveLs", (), (f(2, 3, 2), f(2, 3, 2), np.array(0.5, np.float64))),
    ("NthElement", (), (f(2, 5), np.array(1, np.int32))),
    ("NthElement", (True,), (f(2, 5), np.array(1, np.int32))),
    (
        "NoRepeatNGram",
        (3,),
        (
            np.array(
                [[[1, 2, 1, 2, 5, 1, 2], [9, 3, 0, 5, 4, 1, 5]], [[4, 8, 6, 4, 5, 6, 4], [4, 8, 8, 4, 3, 4, 8]]],
                np.int32,
            ),
            f(2, 2, 10),
        ),
    ),
    ("DataFormatDimMap", (), (i32(0, 1, 2, 3, -1),)),
    ("DataFormatDimMap", ("NCHW", "NHWC"), (i32(0, 1, 2, -3),)),
    ("DataFormatVecPermute", (), (i32(1, 2, 3, 4),)),
    ("DataFormatVecPermute", ("NCHW", "NHWC"), (np.array([[1, 2], [3, 4], [5, 6], [7, 8]], np.int32),)),
    ("DataFormatVecPermute", (), (i32(5, 6),)),
    ("InplaceUpdateV2", (), (f(3, 2), i32(0, 2), f(2, 2))),
    ("TridiagonalMatMul", (), (f(1, 4), f(1, 4), f(1, 4), f(4, 3))),
    ("Bincount", (), (i32(1, 2, 2, 0, 5), np.array(4, np.int32), np.array([1, 2, 3, 4, 5], np.float32))),
    ("Bincount", (), (i32(1, 2, 2, 0), np.array(4, np.int32), i32())),
    ("RaggedRange", (np.int64,), (np.array([2, 5, 8]), np.array([3, 5, 12]), np.array([1, 1, 2]))),
    ("RaggedRange", (np.int32,), (f(2), f(2, low=3, high=4), f(2, low=0.5))),
    (
        "Coalesce",
        (),
        (np.array([[0, 0, 1], [1, 1, 2]]), np.array([1.0, 5.0, 4.0], np.float32), np.array([3, 3])),
    ),
    ("sparse_segment_mean", None, (f(4, 3), i32(0, 2, 1, 3), i32(0, 0, 2, 2))),
    ("float_power_ext", None, (i32(1, 2, 3), f(3))),
    (
        "EditDistance",
        (),
        (
            np.array([[0, 0, 0], [1, 0, 1], [1, 1, 1]]),
            np.array([1, 2, 3], np.float32),
            np.array([1, 1, 2]),
            np.array([[0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1]]),
            np.array([1, 3, 2, 1], np.float32),
            np.array([2, 2, 2]),
        ),
    ),
    (
        "EditDistance",
        (False,),
        (
            np.array([[0, 0], [0, 1], [1, 0]]),
            np.array([1, 2, 3]),
            np.array([2, 2]),
            np.array([[0, 0], [0, 1], [0, 2], [1, 0]]),
            np.array([1, 3, 2, 3]),
            np.array([2, 3]),
        ),
    ),
    ("ScatterAddWithAxis", (1,), (f(3, 3), np.array([[0, 2], [1, 1], [0, 0]]), f(3, 2))),
    ("SubAndFilter", (), (i32(7, 2, 9, 4), np.array(5, np.int32), np.array(2, np.int32))),
    ("HammingWindow", (), (np.array([6]),)),
]
CALLS += [
    (
        "ScaleAndTranslate",
        (kind, antialias),
        (f(1, 5, 4, 2), i32(*size), np.array(scale, np.float32), np.array(move, np.float32)),
    )
    for kind, antialias, size, scale, move in (
        ("lanczos3", True, (4, 4), (1.5, 0.6), (0.0, 0.5)),
        ("lanczos1", False, (4, 4), (1.5, 0.6), (0.0, 0.5)),
        ("lanczos5", True, (3, 6), (0.5, 2.0), (0.0, -0.5)),
        ("gaussian", True, (4, 4), (1.5, 0.6), (0.0, 0.5)),
        ("box", True, (4, 4), (1.3, 0.7), (0.0, 0.4)),
        ("triangle", False, (4, 4), (1.5, 0.6), (0.0, 0.5)),
        ("keyscubic", True, (4, 4), (1.5, 0.6), (0.0, 0.5)),
        ("mitchellcubic", True, (4, 4), (1.5, 0.6), (0.0, 0.5)),
    )
]
CALLS += [
    ("ExtractGlimpse", (centered, normalized, False, "zero"), (f(2, 5, 4, 1), i32(3, 2), np.array(at, np.float32)))
    for centered, normalized, at in (
        (False, False, [[1.0, 1.0], [3.0, 3.0]]),
        (True, False, [[0.0, 0.0], [1.0, -1.0]]),
        (True, True, [[0.0, 0.0], [0.5, -0.5]]),
        (False, True, [[0.5, 0.5], [0.2, 0.9]]),
    )
]
CALLS += [
    (
        "CombinedNonMaxSuppression",
        flags,
        (
            np.sort(RNG.uniform(-0.1, 1.1, (2, 4, q, 2, 2)), -2).astype(np.float32).reshape(2, 4, q, 4),
            f(2, 4, 3),
            np.array(2, np.int32),
            np.array(5, np.int32),
            np.array(0.3, np.float32),
            np.array(0.2, np.float32),
        ),
    )
    for flags, q in (((), 1), ((False, False), 3), ((True, True), 3))
]
CALLS += [
    (
        "deformable_conv2d",
        None,
        (
            f(2, 4, 5, 6, low=-1),
            f(4, 4 // groups, 3, 2, low=-1),
            f(2, 3 * parts * 6, *out, low=-1.5, high=1.5),
            (3, 2),
            strides,
            padding,
            f(4) if bias else None,
            dilations,
            groups,
            parts,
        ),
    )
    for strides, padding, dilations, groups, parts, bias, out in (
        ((1, 1, 1, 1), (0, 0, 0, 0), (1, 1, 1, 1), 1, 1, False, (3, 5)),
        ((1, 1, 2, 1), (1, 0, 2, 1), (1, 1, 1, 2), 1, 1, True, (2, 7)),
        ((1, 1, 1, 1), (1, 1, 0, 0), (1, 1, 1, 1), 1, 2, True, (5, 5)),
        ((1, 1, 1, 2), (1, 1, 0, 0), (1, 1, 1, 1), 2, 1, False, (5, 3)),
    )
]
