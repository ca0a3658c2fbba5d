"""Private memory formats of the cube, as functions of NumPy arrays: shapes, places, packing and unpacking."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ms_kernels.opdef.errors import describe, fail
from ms_kernels.targets.ascend.chip import Array
from ms_kernels.targets.ascend.rules import rule

__all__ = ["FORMATS", "c0_of", "format_shape", "from_format", "place_of", "to_format"]

Shape = tuple[int, ...]
_SOURCE = "MS ccsrc/utils/ms_device_shape_transfer.cc"


def _up(n: int, step: int) -> int:
    return -(-n // step)


@rule("AN-FMT-01", _SOURCE, "source")
def c0_of(dtype: Any) -> int:
    """C0 is 16; 32 for int8 and uint8; 64 for int4.

    >>> c0_of("float16"), c0_of("int8")
    (16, 32)
    """
    if str(dtype) == "int4":
        return 64
    return 32 if np.dtype(dtype).itemsize == 1 and np.dtype(dtype).kind in "iu" else 16


@rule("AN-FMT-02", _SOURCE, "source")
def _nc1hwc0(shape: Shape, c0: int) -> Shape:
    """NC1HWC0 and NDC1HWC0: (N, ceil(C/C0), H, W, C0); with D after N."""
    n, c, *area = shape
    return (n, *area[:-2], _up(c, c0), *area[-2:], c0)


@rule("AN-FMT-03", f"{_SOURCE}; H13", "source")
def _nz(shape: Shape, c0: int) -> Shape:
    """FRACTAL_NZ: (..., ceil(W/C0), ceil(H/16), 16, C0); 1-D of length 1 or a multiple of C0 unchanged, else
    (ceil(n/C0), 1, 16, C0)."""
    if len(shape) == 1:
        return shape if shape[0] == 1 or not shape[0] % c0 else (_up(shape[0], c0), 1, 16, c0)
    return (*shape[:-2], _up(shape[-1], c0), _up(shape[-2], 16), 16, c0)


@rule("AN-FMT-04", _SOURCE, "source")
def _z(shape: Shape, c0: int) -> Shape:
    """FRACTAL_Z and FRACTAL_Z_3D: (ceil(C/C0)*H*W, ceil(N/16), 16, C0), rows ordered c1, h, w; 3D: D*ceil(C/C0)*H*W."""
    n, c, *area = shape
    return (math.prod(area) * _up(c, c0), _up(n, 16), 16, c0)


@rule("AN-FMT-05", _SOURCE, "source")
def _c04(shape: Shape, c0: int) -> Shape:
    """NC1HWC0_C04 and FRACTAL_Z_C04: C padded to 4: (N, ceil(C/4), H, W, 4); (ceil(4*H*W/16), ceil(N/16), 16, 16)."""
    n, c, h, w = shape
    return (n, _up(c, 4), h, w, 4)


def _z_c04(shape: Shape, c0: int) -> Shape:
    n, _, h, w = shape
    return (_up(4 * h * w, 16), _up(n, 16), 16, 16)


def _pack_nc1hwc0(x: Array, c0: int) -> Array:
    n, c, *area = x.shape
    wide = np.zeros((n, _up(c, c0) * c0, *area), x.dtype)
    wide[:, :c] = x
    cut = wide.reshape(n, -1, c0, *area)  # n, c1, c0, (d,) h, w
    return np.asarray(np.moveaxis(np.moveaxis(cut, 2, -1), 1, -4), order="C")


def _unpack_nc1hwc0(x: Array, shape: Shape) -> Array:
    cut = np.moveaxis(np.moveaxis(x, -4, 1), -1, 2)
    return np.asarray(cut.reshape(shape[0], -1, *shape[2:])[:, : shape[1]], order="C")


def _pack_nz(x: Array, c0: int) -> Array:
    if len(_nz(x.shape, c0)) == 1:
        return np.array(x)
    matrix = x[None] if x.ndim == 1 else x
    *batch, h, w = matrix.shape
    wide = np.zeros((*batch, _up(h, 16) * 16, _up(w, c0) * c0), x.dtype)
    wide[..., :h, :w] = matrix
    cut = wide.reshape(*batch, _up(h, 16), 16, _up(w, c0), c0)
    return np.asarray(np.moveaxis(cut, -2, -4), order="C")


def _unpack_nz(x: Array, shape: Shape) -> Array:
    if x.ndim == 1:
        return np.array(x)
    whole = np.moveaxis(x, -4, -2)
    *batch, h1, h0, w1, w0 = whole.shape
    matrix = whole.reshape(*batch, h1 * h0, w1 * w0)
    if len(shape) == 1:
        return np.asarray(matrix[0, : shape[0]], order="C")
    return np.asarray(matrix[..., : shape[-2], : shape[-1]], order="C")


def _pack_z(x: Array, c0: int) -> Array:
    n, c, *area = x.shape
    wide = np.zeros((_up(n, 16) * 16, _up(c, c0) * c0, *area), x.dtype)
    wide[:n, :c] = x
    cut = wide.reshape(_up(n, 16), 16, _up(c, c0), c0, *area)
    order = (*range(4, len(area) + 2), 2, *range(len(area) + 2, len(area) + 4), 0, 1, 3)  # (d,) c1, h, w, n1, n0, c0
    return np.asarray(cut.transpose(order).reshape(_z(x.shape, c0)), order="C")


def _unpack_z(x: Array, shape: Shape) -> Array:
    n, c, *area = shape
    c0, c1 = x.shape[-1], _up(c, x.shape[-1])
    cut = x.reshape(*area[:-2], c1, *area[-2:], _up(n, 16), 16, c0)
    deep = len(area) - 2
    order = (deep + 3, deep + 4, deep, deep + 5, *range(deep), deep + 1, deep + 2)
    return np.asarray(cut.transpose(order).reshape(-1, c1 * c0, *area)[:n, :c], order="C")


def _pack_z_c04(x: Array, c0: int) -> Array:
    n, c, h, w = x.shape
    wide = np.zeros((_up(n, 16) * 16, 4, h, w), x.dtype)
    wide[:n, :c] = x
    rows = np.zeros((wide.shape[0], _up(4 * h * w, 16) * 16), x.dtype)
    rows[:, : 4 * h * w] = wide.transpose(0, 2, 3, 1).reshape(wide.shape[0], -1)
    return np.asarray(rows.reshape(_up(n, 16), 16, -1, 16).transpose(2, 0, 1, 3), order="C")


def _unpack_z_c04(x: Array, shape: Shape) -> Array:
    n, c, h, w = shape
    rows = x.transpose(1, 2, 0, 3).reshape(_up(n, 16) * 16, -1)[:, : 4 * h * w]
    return np.asarray(rows.reshape(-1, h, w, 4).transpose(0, 3, 1, 2)[:n, :c], order="C")


Row = tuple[Callable[[Shape, int], Shape], Callable[[Array, int], Array], Callable[[Array, Shape], Array]]
FORMATS: dict[str, Row] = {
    "NC1HWC0": (_nc1hwc0, _pack_nc1hwc0, _unpack_nc1hwc0),
    "NDC1HWC0": (_nc1hwc0, _pack_nc1hwc0, _unpack_nc1hwc0),
    "FRACTAL_NZ": (_nz, _pack_nz, _unpack_nz),
    "FRACTAL_Z": (_z, _pack_z, _unpack_z),
    "FRACTAL_Z_3D": (_z, _pack_z, _unpack_z),
    "NC1HWC0_C04": (_c04, lambda x, _c0: _pack_nc1hwc0(x, 4), _unpack_nc1hwc0),
    "FRACTAL_Z_C04": (_z_c04, _pack_z_c04, _unpack_z_c04),
}


def _row(name: str) -> Row:
    if name not in FORMATS:
        fail(ValueError, "to_format", "'format'", f"be one of {list(FORMATS)}", describe(name))
    return FORMATS[name]


def format_shape(name: str, shape: Shape, dtype: Any) -> Shape:
    """Return the shape in memory of a tensor (NCHW, NCDHW; the last two axes for FRACTAL_NZ) in a format.

    >>> format_shape("FRACTAL_NZ", (40, 56), "float16")
    (4, 3, 16, 16)
    """
    return _row(name)[0](tuple(shape), c0_of(dtype))


def to_format(name: str, x: Array) -> Array:
    """Return a tensor's elements in a format's order; padding is zero.

    >>> to_format("NC1HWC0", np.ones((1, 3, 2, 2), np.float16)).shape
    (1, 1, 2, 2, 16)
    """
    return _row(name)[1](np.asarray(x), c0_of(x.dtype))


def from_format(name: str, x: Array, shape: Shape) -> Array:
    """Return the tensor of a shape whose elements lie in a format's order: the reverse of `to_format`."""
    return _row(name)[2](np.asarray(x), tuple(shape))


def place_of(name: str, shape: Shape, dtype: Any, index: Shape) -> int:
    """Return the place, counted in elements, of one element of a tensor in a format.

    >>> place_of("FRACTAL_NZ", (40, 56), "float16", (17, 20))
    1044
    """
    numbers = np.zeros(shape, np.int8 if c0_of(dtype) == 32 else np.int16)
    numbers[index] = 1
    return int(np.flatnonzero(to_format(name, numbers))[0])
