"""Tensors made from sizes and numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._rows import named
from ms_kernels.ops._tape import plain
from ms_kernels.ops.shape import dims_of

__all__ = ["arange", "full", "linspace", "ones", "zeros"]

Shape = tuple[int, ...]


CONSTANT = "the result does not depend on any tensor's values"


def element_type(name: str, dtype: Any, default: Any = mstype.float32) -> Any:
    """The NumPy dtype asked for."""
    found = default if dtype is None else dtype
    if not isinstance(found, mstype.Type) or found.np is None:
        fail(TypeError, name, "'dtype'", "be a type of tensor elements", describe(dtype))
    return found.np


def sizes(name: str, size: Any) -> Shape:
    dims = dims_of(name, size, "size")
    if min(dims, default=0) < 0:
        fail(ValueError, name, "'size'", "not be negative", str(dims))
    return dims


def dtype_of(dtype: Any, default: Any) -> Any:
    return default if dtype is None else dtype


def _constant(name: str, number: int) -> Any:
    def body(size: Any, dtype: Any = None) -> Any:
        return np.full(sizes(name, size), number, element_type(name, dtype))

    text = (
        f"Return a tensor of a shape filled with {number}, float32 by default.\n\n"
        "Raises:\n    ValueError: a negative size.\n    TypeError: a size or dtype of the wrong type."
    )
    named(body, name, __name__, text, f"ops.{name}(2)", f"[{number}. {number}.]")
    return op(
        shape=lambda size, _dtype=None: sizes(name, size),
        dtype=lambda _size, dtype=None: dtype_of(dtype, mstype.float32),
        nondiff=CONSTANT,
        ascend="copy",
        ops=f"{name}(size, dtype=None)" if number == 0 else f"{name}(shape, dtype=None)",
        mint=f"{name}(size, *, dtype=None)",
        primitive=f"{name.capitalize()}()(shape, type)",
        rename={"shape": "size", "type": "dtype"},
        name=name,
    )(body)


zeros = _constant("zeros", 0)


ones = _constant("ones", 1)


def _like(name: str, number: int) -> Any:
    def body(input: Any, dtype: Any = None) -> Any:
        return np.full(input.shape, number, input.dtype if dtype is None else element_type(name, dtype))

    text = f"Return a tensor of another's shape and (by default) dtype, filled with {number}."
    named(body, name, __name__, text, f"ops.{name}(Tensor([5, 6]))", f"[{number} {number}]")
    return op(
        shape=rules.same,
        dtype=lambda input, dtype=None: dtype_of(dtype, input),
        nondiff=CONSTANT,
        ascend="copy",
        ops=f"{name}(input, *, dtype=None)",
        mint=f"{name}(input, *, dtype=None)",
        primitive=f"{'Ones' if number else 'Zeros'}Like()(x)",
        name=name,
    )(body)


zeros_like = _like("zeros_like", 0)


ones_like = _like("ones_like", 1)


def _filled(name: str, size: Shape, value: Any, dtype: Any, default: Any) -> Any:
    value = plain(value)
    if not isinstance(value, (bool, int, float, complex)):
        fail(TypeError, name, "'fill_value'", "be a number", describe(value))
    return np.full(size, value, element_type(name, dtype, default))


def number_type(value: Any) -> Any:
    if isinstance(value, TensorBase):
        return value.dtype
    kinds = ((bool, mstype.bool_), (int, mstype.int64), (float, mstype.float32), (complex, mstype.complex64))
    return next((kind for python, kind in kinds if isinstance(value, python)), mstype.float32)


@op(
    shape=lambda size, _value, _dtype=None: sizes("full", size),
    dtype=lambda _size, value, dtype=None: dtype_of(dtype, number_type(value)),
    nondiff=CONSTANT,
    ascend="copy",
    ops="full(size, fill_value, *, dtype=None)",
    mint="full(size, fill_value, *, dtype=None)",
)
def full(size: Any, fill_value: Any, dtype: Any = None) -> Any:
    """Return a tensor of a shape filled with one number, by default of that number's type.

    Examples:
        >>> print(ops.full((2,), 7))
        [7 7]

    Source: ``mindspore.ops.full``.
    """
    return _filled("full", sizes("full", size), fill_value, dtype, number_type(fill_value))


@op(
    shape=lambda _dtype, size, _value: sizes("fill", size),
    dtype=lambda dtype, _size, _value: dtype,
    nondiff=CONSTANT,
    ascend="copy",
    ops="fill(type, shape, value)",
    rename={"type": "dtype", "shape": "size", "value": "fill_value"},
    name="fill",
)
def fill(dtype: Any, size: Any, fill_value: Any) -> Any:
    """Return a tensor of a dtype and a shape filled with one number.

    Examples:
        >>> print(ops.fill(mstype.float32, (2,), 7))
        [7. 7.]

    Source: ``mindspore.ops.fill``.
    """
    return _filled("fill", sizes("fill", size), fill_value, dtype, None)


@op(
    shape=lambda input, _value, _dtype=None: input,
    dtype=lambda input, _value, dtype=None: dtype_of(dtype, input),
    nondiff=CONSTANT,
    ascend="copy",
    batch="elementwise",
    ops="full_like(input, fill_value, *, dtype=None)",
    mint="full_like(input, fill_value, *, dtype=None)",
    primitive="Fills()(x, value)",
    rename={"value": "fill_value"},
    label="full_like",
)
def full_like(input: Array, fill_value: Any, dtype: Any = None) -> Any:
    """Return a tensor of another's shape and (by default) dtype, filled with one number.

    Examples:
        >>> print(ops.full_like(Tensor([5.0, 6.0]), 7))
        [7. 7.]

    Source: ``mindspore.ops.full_like``.
    """
    return _filled("full_like", input.shape, fill_value, dtype, mstype.from_numpy(input.dtype))


def _span(start: Any, end: Any, step: Any) -> tuple[Any, Any, Any]:
    first, last = (0, start) if end is None else (start, end)
    values = [plain(v) for v in (first, last, step)]
    for value in values:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            fail(TypeError, "arange", "'start', 'end' and 'step'", "be numbers", describe(value))
    low, high, by = values
    if by == 0 or (high - low) * by < 0:
        fail(ValueError, "arange", "'step'", "lead from 'start' to 'end'", f"start {low}, end {high}, step {by}")
    return low, high, by


def _count(start: Any, end: Any, step: Any) -> int:
    low, high, by = _span(start, end, step)
    count: int = math.ceil((high - low) / by)
    return max(0, count)


def _arange_type(start: Any, end: Any, step: Any, dtype: Any) -> Any:
    whole = all(isinstance(v, int) for v in _span(start, end, step))
    return dtype_of(dtype, mstype.int64 if whole else mstype.float32)


@op(
    shape=lambda start, end=None, step=1, _dtype=None: (_count(start, end, step),),
    dtype=lambda start, end=None, step=1, dtype=None: _arange_type(start, end, step, dtype),
    nondiff=CONSTANT,
    ascend="copy",
    ops="arange(start=0, end=None, step=1, *, dtype=None)",
    mint="arange(start=0, end=None, step=1, *, dtype=None)",
)
def arange(start: Any = 0, end: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """Return the numbers from `start` (0) to before `end` by `step`: int64 for ints, else float32.

    Raises:
        ValueError: the step is 0 or leads away from `end`.
        TypeError: something else than numbers.

    Examples:
        >>> print(ops.arange(1, 6, 2))
        [1 3 5]

    Source: ``mindspore.ops.arange``.
    """
    low, _, by = _span(start, end, step)
    return (low + by * np.arange(_count(start, end, step))).astype(_arange_type(start, end, step, dtype).np)


def _steps(steps: Any) -> int:
    steps = plain(steps)
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 0:
        fail(ValueError, "linspace", "'steps'", "be a non-negative int", describe(steps))
    return int(steps)


@op(
    shape=lambda _start, _end, steps, _dtype=None: (_steps(steps),),
    dtype=lambda _start, _end, _steps, dtype=None: dtype_of(dtype, mstype.float32),
    nondiff=CONSTANT,
    ascend="copy",
    ops="linspace(start, end, steps)",
    mint="linspace(start, end, steps, *, dtype=None)",
    primitive="LinSpace()(start, stop, num)",
    rename={"stop": "end", "num": "steps"},
)
def linspace(start: Any, end: Any, steps: Any, dtype: Any = None) -> Any:
    """Return `steps` numbers evenly from `start` to `end`, both included, as float32.

    Examples:
        >>> print(ops.linspace(1, 10, 4))
        [ 1.  4.  7. 10.]

    Source: ``mindspore.ops.linspace``.
    """
    low, high = plain(start), plain(end)
    return np.linspace(low, high, _steps(steps)).astype(element_type("linspace", dtype))
