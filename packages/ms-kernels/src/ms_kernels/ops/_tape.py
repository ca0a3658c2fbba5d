"""Ops that only the tape calls: undoing a broadcast, casting a gradient back."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.dispatch import as_scalar, common_of
from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.loops import elementwise
from ms_kernels.opdef import rules
from ms_kernels.opdef.register import FLOATS, op
from ms_kernels.opdef.spec import Array

__all__ = ["broadcast_np", "cast_np", "meet", "plain", "sum_to"]


def _sum_to_vjp(g: Any, _out: Any, input: Any, _shape: Any) -> Any:
    return broadcast_np(g, input.shape)


@op(
    shape=lambda _input, shape: shape,
    dtype=rules.same,
    vjp=_sum_to_vjp,
    ascend="sum_f32",
    batch="sum_to",
)
def sum_to(input: Array, shape: Any) -> Any:
    """Sum over the dimensions in which `shape` is smaller: undoes a broadcast."""
    extra = input.ndim - len(shape)
    axes = tuple(range(extra)) + tuple(i + extra for i, n in enumerate(shape) if n == 1 and input.shape[i + extra] != 1)
    return _sum(input, axes).reshape(shape)


def _sum(input: Any, axes: tuple[int, ...]) -> Any:
    from ms_kernels.loops import reduce

    return (
        reduce.reduce("sum", input, axes, False) if input.dtype in FLOATS else input.sum(axis=axes, dtype=input.dtype)
    )


@op(
    shape=lambda _input, shape: shape,
    dtype=rules.same,
    vjp=lambda g, _out, input, _shape: sum_to(g, input.shape),
    view=True,
    fuse="view",
    ascend="copy",
    batch="broadcast",
)
def broadcast_np(input: Array, shape: Any) -> Any:
    """Broadcast to a shape: the reverse of `sum_to`."""
    return np.broadcast_to(input, shape)


def _cast_np_vjp(g: Any, _out: Any, input: Any, _dtype: Any) -> Any:
    return cast_np(g, input._kind)


@op(
    shape=rules.same,
    dtype=lambda _input, dtype: mstype.from_numpy(dtype),
    vjp=_cast_np_vjp,
    fuse="elementwise",
    ascend="cast",
)
def cast_np(input: Array, dtype: Any) -> Any:
    """Cast to a NumPy dtype."""
    return elementwise.cast(input, dtype) if input.dtype in FLOATS and dtype in FLOATS else input.astype(dtype)


def plain(value: Any) -> Any:
    """A tensor of one element as its number; anything else as it is."""
    if isinstance(value, TensorBase) and value.size == 1:
        number: Any = value
        return number.item()
    return value


def meet(*values: Any) -> tuple[Any, ...]:
    """Bring tensors and Python numbers to their common dtype, as tensors."""
    dtype = common_of(values)
    return tuple(
        (value if value._kind == dtype else cast_np(value, dtype))
        if isinstance(value, TensorBase)
        else from_array(as_scalar(value, dtype))
        for value in values
    )
