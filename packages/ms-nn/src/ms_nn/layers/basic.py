"""Upsample and ClipByNorm."""

from __future__ import annotations

from typing import Any

import ms_dtype as mstype
from ms_kernels import Tensor
from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail
from ms_nn.cell import Cell

__all__ = ["ClipByNorm", "Upsample"]


class Upsample(Cell):
    """Images (N, C, ...) in another size (``mindspore.nn.Upsample``).

    Args:
        size: the new sizes, an int for all.
        scale_factor: or the factors by which they grow.
        mode: "nearest", "nearest-exact", "area"; "linear" (3-D), "bilinear" and "bicubic" (4-D), "trilinear" (5-D).
        align_corners: whether the centers of the corner pixels stay in place; for the linear and cubic modes.
        recompute_scale_factor: take the factors from the sizes; factors are taken only so, but for "area".

    Raises:
        ValueError: (in the call) an unknown mode, one for other dimensions, or neither or both of size and factor.

    >>> from ms_kernels import Tensor
    >>> print(Upsample(size=4)(Tensor([[[1.0, 2.0]]])))
    [[[1. 1. 2. 2.]]]
    """

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.size, self.scale_factor, self.mode = size, scale_factor, mode
        self.align_corners, self.recompute_scale_factor = align_corners, recompute_scale_factor

    def construct(self, x: Any) -> Any:
        """The images in their new size."""
        return F.interpolate(
            x, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor
        )


class ClipByNorm(Cell):
    """clip_norm * x / max(L2 norm of x, clip_norm), in float32 (``mindspore.nn.ClipByNorm``).

    Args:
        axis: the dimensions over which the norm goes, an int or several; None for all.

    The call takes x and `clip_norm`, a Tensor that broadcasts to x; both float16 or float32.

    Raises:
        TypeError: `axis` is neither int nor ints; in the call, something else than such Tensors.
        ValueError: (in the call) `axis` is out of range, or `clip_norm` does not broadcast to x.

    >>> from ms_kernels import Tensor
    >>> print(ClipByNorm()(Tensor([3.0, 4.0]), Tensor(1.0)))
    [0.6 0.8]
    """

    def __init__(self, axis: Any = None) -> None:
        super().__init__()
        if axis is not None and (isinstance(axis, bool) or not isinstance(axis, (int, tuple, list))):
            got = f"type '{type(axis).__name__}'"
            fail(TypeError, "ClipByNorm", "type of 'axis'", "be one of '['int', 'tuple', 'list']'", got)
        axes = () if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
        for i, item in enumerate(axes):
            if type(item) is not int:
                fail(TypeError, "ClipByNorm", f"type of 'axis[{i}]'", "be 'int'", f"type '{type(item).__name__}'")
        self.axis = axes

    def construct(self, x: Any, clip_norm: Any) -> Any:
        """x where its norm is at most `clip_norm`, otherwise shortened to it."""
        for arg, value in (("x", x), ("clip_norm", clip_norm)):
            if not isinstance(value, Tensor):
                fail(TypeError, "ClipByNorm", f"'{arg}'", "be a Tensor", type(value).__name__)
            if value.dtype not in (mstype.float16, mstype.float32):
                fail(TypeError, "ClipByNorm", f"dtype of '{arg}'", "be float16 or float32", str(value.dtype))
        if any(not -x.ndim <= axis < x.ndim for axis in self.axis):
            fail(ValueError, "ClipByNorm", "'axis'", f"be in range [{-x.ndim}, {x.ndim})", str(self.axis))
        shape = clip_norm.shape
        if len(shape) > x.ndim or any(a not in (1, b) for a, b in zip(shape[::-1], x.shape[::-1])):
            fail(ValueError, "ClipByNorm", "shape of 'clip_norm'", f"broadcast to {list(x.shape)}", str(list(shape)))
        x, limit = x.astype(mstype.float32), clip_norm.astype(mstype.float32)
        axes = tuple(sorted({axis % x.ndim for axis in self.axis})) or None
        total = F.sum(F.square(x), axes, True)
        # the root of 0 has no derivative, and 0 is divided by 1
        norm = F.where(total > 0, F.sqrt(F.where(total > 0, total, 1.0)), 0.0)
        longest = F.maximum(norm, limit)
        return x * limit / F.where(longest == 0, 1.0, longest)
