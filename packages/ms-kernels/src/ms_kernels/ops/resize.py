"""Images in other sizes: interpolation along each dimension in turn, a matrix per dimension."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import FLOATS, composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops.index import index_select
from ms_kernels.ops.shape import dims_of

__all__ = ["interpolate", "resample"]

# mode: the numbers of dimensions of the input that it serves
MODES = {
    "nearest": (3, 4, 5),
    "nearest-exact": (3, 4, 5),
    "linear": (3,),
    "bilinear": (4,),
    "bicubic": (4,),
    "trilinear": (5,),
    "area": (3, 4, 5),
}
SMOOTH = ("linear", "bilinear", "bicubic", "trilinear")
STEPS = 1024  # 2.6 rounds the place between two pixels to such a part before it looks up the cubic weights


_ARGUMENTS = "input, size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None"


def _centers(size: int, out: int, scale: float, align: bool) -> Any:
    """Where the centers of the new pixels lie among the old ones."""
    places = np.arange(out, dtype=np.float64)
    if align:
        return places * ((size - 1) / (out - 1) if out > 1 else 0.0)
    return (places + 0.5) * scale - 0.5


def _linear(size: int, out: int, scale: float, align: bool) -> Any:
    at = _centers(size, out, scale, align).clip(0, size - 1)
    low = np.floor(at).astype(np.int64)
    weights = np.zeros((out, size))
    rows = np.arange(out)
    np.add.at(weights, (rows, low), 1 - (at - low))
    np.add.at(weights, (rows, np.minimum(low + 1, size - 1)), at - low)
    return weights


def _cubic(size: int, out: int, scale: float, align: bool) -> Any:
    """Keys' cubic: a = -3/4 with repeated borders for aligned corners; else -1/2, with weights outside left out."""
    a = -0.75 if align else -0.5
    at = _centers(size, out, scale, align)
    low = np.floor(at).astype(np.int64)
    part = np.rint((at - low) * STEPS) / STEPS
    weights = np.zeros((out, size))
    for k in range(-1, 3):
        d = np.abs(part - k)
        near = ((a + 2) * d - (a + 3)) * d * d + 1
        far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
        weight = np.where(d <= 1, near, np.where(d < 2, far, 0.0))
        inside = (low + k >= 0) & (low + k < size)
        np.add.at(weights, (np.arange(out), (low + k).clip(0, size - 1)), weight * (inside | align))
    return weights if align else weights / weights.sum(1, keepdims=True)


def _area(size: int, out: int, _scale: float, _align: bool) -> Any:
    weights = np.zeros((out, size))
    for i in range(out):
        low, high = i * size // out, -(-(i + 1) * size // out)
        weights[i, low:high] = 1 / (high - low)
    return weights


def _resample_vjp(g: Any, _out: Any, _input: Any, matrix: Any, dim: Any) -> Any:
    return resample(g, matrix.T, dim)


@op(
    shape=lambda shape, matrix, dim: (*shape[:dim], matrix.shape[0], *shape[dim + 1 :]),
    dtype=rules.same,
    vjp=_resample_vjp,
    accepts=FLOATS,
    ascend="matmul",
    batch="resample",
    primitive="Resample(matrix, dim)(x)",
)
def resample(input: Array, matrix: Any, dim: int) -> Any:
    """Return the tensor with each row along a dimension multiplied by a matrix (new size, old size).

    Examples:
        >>> print(ops.Resample(np.array([[0.5, 0.5]]), 0)(Tensor([1.0, 3.0])))
        [2.]

    Source: a linear map of one dimension.
    """
    wide = np.float64 if input.dtype == np.float64 else np.float32
    rows = np.moveaxis(input.astype(wide, copy=False), dim, -1)
    return np.moveaxis(rows @ matrix.T.astype(wide), -1, dim).astype(input.dtype)


def _sizes(space: Any, size: Any, scale_factor: Any) -> tuple[list[int], list[float] | None]:
    """The new sizes, and the factors where those were given."""
    n = len(space)
    if size is not None and scale_factor is not None:
        fail(ValueError, "interpolate", "'size' and 'scale_factor'", "not be given both")
    if size is not None:
        wanted = dims_of("interpolate", size, "size")
        wanted = wanted * n if isinstance(size, int) else wanted
        if len(wanted) != n:
            fail(ValueError, "interpolate", "'size'", f"have a number for each of the {n} dimensions", str(wanted))
        if min(wanted) <= 0:
            fail(ValueError, "interpolate", "'size'", "be positive", str(wanted))
        return list(wanted), None
    if scale_factor is None:
        fail(ValueError, "interpolate", "'size' or 'scale_factor'", "be given", "neither")
    factors = list(scale_factor) if isinstance(scale_factor, (tuple, list)) else [scale_factor] * n
    if any(isinstance(f, bool) or not isinstance(f, (int, float)) for f in factors):
        fail(TypeError, "interpolate", "'scale_factor'", "be a number or a tuple of numbers", describe(scale_factor))
    if len(factors) != n or min(factors) <= 0:
        rule = f"have a positive number for each of the {n} dimensions"
        fail(ValueError, "interpolate", "'scale_factor'", rule, str(factors))
    return [max(1, math.floor(s * f)) for s, f in zip(space, factors)], [float(f) for f in factors]


def _resized(input: Any, sizes: list[int], factors: list[float] | None, mode: str, align: bool) -> Any:
    for i, (old, new) in enumerate(zip(input.shape[2:], sizes)):
        scale = old / new if factors is None else 1 / factors[i]
        if mode.startswith("nearest"):
            shift = 0.5 if mode == "nearest-exact" else 0.0
            places = ((np.arange(new) + shift) * np.float32(scale)).astype(np.int64).clip(0, old - 1)
            input = index_select(input, i + 2, from_array(places))
        elif old != new or mode == "bicubic":
            maker = {"area": _area, "bicubic": _cubic}.get(mode, _linear)
            input = resample(input, maker(old, new, scale, align), i + 2)
    return input


@composite(
    ops=[f"interpolate({_ARGUMENTS})", f"upsample({_ARGUMENTS})"],
    mintf=[
        f"interpolate({_ARGUMENTS}); scaled=True",
        "upsample(input, size=None, scale_factor=None, mode='nearest', align_corners=None); scaled=True",
    ],
)
def interpolate(
    input: Array,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    scaled: bool = False,
) -> Any:
    """Return images (N, C, ...) with one to three spatial dimensions in another size.

    Args:
        size: the new sizes, an int for all.
        scale_factor: or the factors by which they grow.
        mode: "nearest", "nearest-exact", "area"; "linear" (3-D), "bilinear" and "bicubic" (4-D), "trilinear" (5-D).
        align_corners: whether the centers of the corner pixels stay in place; for the linear and cubic modes.
        recompute_scale_factor: take the factors from the sizes; in ``ops``, factors are taken only so (but for "area").

    Raises:
        ValueError: an unknown mode, one for other dimensions, neither or both of size and factor, align_corners with a
            mode that has no such choice.
        TypeError: the input is no Tensor.

    Examples:
        >>> x = Tensor([[[1.0, 2.0, 3.0]]])
        >>> print(ops.interpolate(x, size=(6,)))
        [[[1. 1. 2. 2. 3. 3.]]]
        >>> print(ops.interpolate(x, size=(5,), mode="linear", align_corners=True))
        [[[1.  1.5 2.  2.5 3. ]]]

    Source: ``mindspore.ops.interpolate``, ``mindspore.mint.nn.functional.interpolate``.
    """
    if not isinstance(input, TensorBase):
        fail(TypeError, "interpolate", "'input'", "be a Tensor", describe(input))
    if mode not in MODES:
        fail(ValueError, "interpolate", "'mode'", f"be one of {list(MODES)}", repr(mode))
    if input.ndim not in MODES[mode]:
        fail(ValueError, "interpolate", "'input'", f"have {MODES[mode]} dimensions for '{mode}'", str(input.ndim))
    if align_corners is not None and mode not in SMOOTH:
        fail(ValueError, "interpolate", "'align_corners'", f"be None for '{mode}'", str(align_corners))
    sizes, factors = _sizes(input.shape[2:], size, scale_factor)
    if factors is not None and not (recompute_scale_factor or scaled or mode == "area"):
        rule = f"be given with recompute_scale_factor=True for '{mode}' in {input.ndim} dimensions"
        fail(ValueError, "interpolate", "'scale_factor'", rule)
    return _resized(input, sizes, None if recompute_scale_factor else factors, mode, bool(align_corners))


@composite(primitive="ResizeNearestNeighbor(size, align_corners=False)(input_x)")
def resize_nearest(input: Array, size: Any, align_corners: bool = False) -> Any:
    """Return images (N, C, H, W) in another size, each new pixel the nearest of the old.

    Raises:
        ValueError: not four dimensions.

    Examples:
        >>> print(ops.ResizeNearestNeighbor((1, 4))(Tensor([[[[1.0, 2.0]]]])))
        [[[[1. 1. 2. 2.]]]]

    Source: ``mindspore.ops.ResizeNearestNeighbor``.
    """
    if input.ndim != 4:
        fail(ValueError, "ResizeNearestNeighbor", "'input_x'", "have four dimensions", str(input.ndim))
    sizes, _ = _sizes(input.shape[2:], size, None)
    if not align_corners:
        return _resized(input, sizes, None, "nearest", False)
    for i, (old, new) in enumerate(zip(input.shape[2:], sizes)):
        places = np.floor(_centers(old, new, 1.0, True) + 0.5).astype(np.int64)
        input = index_select(input, i + 2, from_array(places))
    return input
