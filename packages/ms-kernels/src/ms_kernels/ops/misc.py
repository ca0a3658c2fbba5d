"""Small ops of the older `mindspore.ops`: clipping by norms, ranges, shapes as tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import FLOATS, composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._limits import spacing
from ms_kernels.ops._tape import cast_np, plain
from ms_kernels.ops.arithmetic import add, maximum
from ms_kernels.ops.compare import where
from ms_kernels.ops.elementary import abs_, sqrt
from ms_kernels.ops.extremes import amax
from ms_kernels.ops.joins import tensors_of
from ms_kernels.ops.reduce import sum_

__all__ = ["clip_by_global_norm", "clip_by_norm", "dyn_shape", "eps"]


def _norm(parts: list[Any], order: float) -> Any:
    if order == float("inf"):
        each = [amax(abs_(part)) for part in parts]
        total = each[0]
        for one in each[1:]:
            total = maximum(total, one)
        return total
    powers = [sum_(part * part) if order == 2 else sum_(abs_(part) ** order) for part in parts]
    total = powers[0]
    for power in powers[1:]:
        total = add(total, power)
    return sqrt(total) if order == 2 else total ** (1 / order)


@composite(ops="clip_by_norm(x, max_norm, norm_type=2.0, error_if_nonfinite=False)", rename={"x": "tensors"})
def clip_by_norm(tensors: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False) -> Any:
    """Return a tensor, or several, made smaller by one factor so that the norm of all numbers is at most `max_norm`.

    Args:
        norm_type: the order of the norm, a number or "inf".
        error_if_nonfinite: whether a norm that is inf or NaN is an error.

    Raises:
        RuntimeError: the norm is not finite, and that is an error.
        TypeError: something else than Tensors.

    Examples:
        >>> print(ops.clip_by_norm(Tensor([3.0, 4.0]), 1.0))
        [0.59999996 0.79999995]

    Source: ``mindspore.ops.clip_by_norm``.
    """
    single = isinstance(tensors, TensorBase)
    parts = [tensors] if single else tensors_of("clip_by_norm", tensors, "x")
    total = _norm(parts, float(norm_type))
    if error_if_nonfinite and not np.isfinite(float(total.item())):
        fail(RuntimeError, "clip_by_norm", f"norm of order {norm_type}", "be finite", str(total.item()))
    factor = max_norm / (total + 1e-6)
    factor = where(factor < 1, factor, 1)
    out = [part * cast_np(factor, part._kind) for part in parts]
    return out[0] if single else tuple(out) if isinstance(tensors, tuple) else out


@composite(ops="clip_by_global_norm(x, clip_norm=1.0, use_norm=None)", rename={"x": "tensors"})
def clip_by_global_norm(tensors: Any, clip_norm: float = 1.0, use_norm: Any = None) -> Any:
    """Return tensors times ``clip_norm / max(norm of all numbers, clip_norm)``, as a tuple.

    Raises:
        ValueError: `clip_norm` is not positive, or `use_norm` is given.
        TypeError: something else than Tensors.

    Examples:
        >>> print(ops.clip_by_global_norm([Tensor([3.0, 4.0])], 1.0)[0])
        [0.6 0.8]

    Source: ``mindspore.ops.clip_by_global_norm``.
    """
    if isinstance(clip_norm, bool) or not isinstance(clip_norm, (int, float)) or clip_norm <= 0:
        fail(ValueError, "clip_by_global_norm", "'clip_norm'", "be a positive number", describe(clip_norm))
    if use_norm is not None:
        fail(ValueError, "clip_by_global_norm", "'use_norm'", "be None", describe(use_norm))
    single = isinstance(tensors, TensorBase)
    parts = [tensors] if single else tensors_of("clip_by_global_norm", tensors, "x")
    factor = clip_norm / maximum(_norm([cast_np(p, np.dtype(np.float32)) for p in parts], 2.0), clip_norm)
    out = tuple(part * cast_np(factor, part._kind) for part in parts)
    return out[0] if single else out


@op(
    shape=rules.same,
    dtype=rules.same,
    accepts=FLOATS,
    nondiff="the result does not depend on the numbers",
    ascend="copy",
    ops="eps(x)",
    primitive="Eps()(x)",
)
def eps(input: Array) -> Any:
    """Return a tensor of the same shape and type full of the distance from 1 to the next number of that type.

    Examples:
        >>> print(ops.eps(Tensor([5.0, 6.0])))
        [1.1920929e-07 1.1920929e-07]

    Source: ``mindspore.ops.eps``.
    """
    return np.full(input.shape, spacing(input.dtype), input.dtype)


@composite(mintf="one_hot(tensor, num_classes=-1)", name="one_hot_classes", label="one_hot")
def one_hot_classes(input: Array, num_classes: int = -1) -> Any:
    """Return a tensor with a new last dimension that is 1 where its index is the element, else 0, as int64.

    Args:
        num_classes: the size of the new dimension; -1: the largest element and one.

    Raises:
        ValueError: a negative element, or one that is not less than `num_classes`.

    Examples:
        >>> print(ms_kernels.mint_functional.one_hot(Tensor([0, 2])))
        [[1 0 0]
         [0 0 1]]

    Source: ``mindspore.mint.nn.functional.one_hot``.
    """
    from ms_kernels.ops.matrices import one_hot

    largest = int(input._a.max(initial=-1))
    size = largest + 1 if num_classes == -1 else num_classes
    if isinstance(size, bool) or not isinstance(size, int) or largest >= size or int(input._a.min(initial=0)) < 0:
        fail(ValueError, "one_hot", "elements of 'tensor'", f"be in [0, {size})", f"{largest} as largest")
    return one_hot(input, size)


@op(
    shape=lambda shape: (len(shape),),
    dtype=lambda _input: mstype.int64,
    nondiff="a shape has no gradient",
    ascend="index",
    batch="shape_of",
    ops="dyn_shape(input_x)",
    primitive=["TensorShape()(input_x)", "DynamicShape()(input_x)"],
)
def dyn_shape(input: Array) -> Any:
    """Return the shape as a tensor of int64.

    Examples:
        >>> print(ops.dyn_shape(Tensor([[1, 2, 3]])))
        [1 3]

    Source: ``mindspore.ops.dyn_shape``.
    """
    return np.array(input.shape, np.int64)


def _step(value: Any) -> Any:
    return plain(value)


@composite(
    ops="range(start, end, step, maxlen=1000000)",
    primitive="Range(maxlen=1000000)(start, limit, delta)",
    rename={"limit": "end", "delta": "step", "maxlen": ""},
    name="range",
)
def range_(start: Any, end: Any, step: Any) -> Any:
    """Return the numbers from `start` to before `end` by `step`, in the type of the Tensors that these are.

    Raises:
        ValueError: the step is 0 or leads away from `end`.

    Examples:
        >>> print(ops.range(Tensor(0), Tensor(6), Tensor(4)))
        [0 4]

    Source: ``mindspore.ops.range``.
    """
    from ms_kernels.ops.create import arange

    kinds = [v.dtype for v in (start, end, step) if isinstance(v, TensorBase)]
    return arange(_step(start), _step(end), _step(step), kinds[0] if kinds else None)


@composite(
    ops="clip_by_value(x, clip_value_min=None, clip_value_max=None)", rename={"x": "tensors"}, name="clip_by_value"
)
def clip_by_value(tensors: Any, clip_value_min: Any = None, clip_value_max: Any = None) -> Any:
    """Return a tensor, or a tuple of several, with the elements limited from below and above.

    Raises:
        ValueError: both limits are None.
        TypeError: something else than Tensors.

    Examples:
        >>> print(ops.clip_by_value(Tensor([-2.0, 0.5, 2.0]), -1, 1))
        [-1.   0.5  1. ]

    Source: ``mindspore.ops.clip_by_value``.
    """
    from ms_kernels.ops.pointwise import clamp

    if isinstance(tensors, TensorBase):
        return clamp(tensors, clip_value_min, clip_value_max)
    parts = tensors_of("clip_by_value", tensors, "x")
    return tuple(clamp(part, clip_value_min, clip_value_max) for part in parts)
