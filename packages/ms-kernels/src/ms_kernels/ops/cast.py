"""Copies: in another element type, in another order of memory, conjugated."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.dispatch import CHECK_NEVER, PROMOTE
from ms_kernels.loops import elementwise as loops
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import FLOATS, composite, op
from ms_kernels.opdef.spec import Array

__all__ = ["cast", "conj", "copy"]


def _target(_input: Any, dtype: Any) -> Any:
    if not isinstance(dtype, mstype.Type) or dtype.np is None:
        fail(TypeError, "Cast", "'dtype'", "be a dtype of tensors", describe(dtype))
    return dtype


@op(
    shape=rules.same,
    dtype=_target,
    promote=PROMOTE,
    vjp=lambda g, _out, _input, _dtype: g,
    fuse="elementwise",
    ascend="cast",
    ops="cast(input, dtype)",
    primitive="Cast()(input_x, dtype)",
)
def cast(input: Array, dtype: Any) -> Any:
    """Return `input` in another element type; numbers that do not fit wrap as in C, or become inf.

    Raises:
        TypeError: `dtype` is no dtype of tensors, or `input` neither a Tensor nor a number.

    Examples:
        >>> ops.cast(Tensor([1.7, -2.7]), mstype.int32).tolist()
        [1, -2]

    Source: ``mindspore.ops.cast``.
    """
    kind = _target(input, dtype).np
    if input.dtype in FLOATS and kind in FLOATS:
        return loops.cast(input, kind)
    with np.errstate(all="ignore"):
        if input.dtype.kind == "c" and kind.kind != "c" and kind.kind != "b":
            input = input.real
        return input.astype(kind, order="C")


@composite(ops="type_as(input, other)")
def type_as(input: Array, other: Array) -> Any:
    """Return `input` in the element type of another tensor.

    Examples:
        >>> ops.type_as(Tensor([1.7]), Tensor([1])).tolist()
        [1]

    Source: ``mindspore.ops.type_as``.
    """
    return cast(input, other.dtype)


@op(
    shape=rules.same,
    dtype=rules.same,
    vjp=lambda g, _out, _input: g,
    check=CHECK_NEVER,
    fuse="elementwise",
    ascend="copy",
    ops="deepcopy(input_x)",
    mint="clone(input)",
    tensor=["copy()", "clone()"],
)
def copy(input: Array) -> Any:
    """Return a contiguous copy.

    Examples:
        >>> x = Tensor([1, 2])
        >>> y = x.copy()
        >>> y[0] = 5
        >>> print(x)
        [1 2]

    Source: ``mindspore.Tensor.copy``, ``mindspore.mint.clone``.
    """
    return np.array(input, order="C")


def _conj_vjp(g: Any, _out: Any, _input: Any) -> Any:
    return conj(g)


@op(
    shape=rules.same,
    dtype=rules.same,
    vjp=_conj_vjp,
    fuse="elementwise",
    ascend="copy",
    ops="conj(input)",
    tensor="conj()",
    primitive="Conj()(input)",
)
def conj(input: Array) -> Any:
    """Return the conjugate complex numbers; real ones as they are.

    Examples:
        >>> ops.conj(Tensor([1 + 2j])).tolist()
        [(1-2j)]

    Source: ``mindspore.ops.conj``.
    """
    return np.conjugate(input) if input.dtype.kind == "c" else np.array(input)
