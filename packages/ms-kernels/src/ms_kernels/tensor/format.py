"""Tensors as text, as MindSpore 2.6 prints them: `str` as NumPy does, `repr` in its own form."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.tape.batched import batched_in

__all__ = ["representation", "text"]

EDGE = 3  # what is shown of each end of a dimension that is cut short
LONG_VECTOR = 1000  # a longer one-dimensional tensor is cut short
LONG_DIMENSION = 2 * EDGE  # so is a longer dimension of any other tensor
# NumPy 2 turns to exponents earlier for short floats than the NumPy that 2.6 was made for
NUMPY_STYLE: dict[str, Any] = {"legacy": "1.25"} if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else {}
WIDTHS = {"float16": (11, 4), "float32": (15, 8), "float64": (15, 8)}  # of one number: columns, digits after the point
PER_LINE = {"float16": 12, "float32": 12, "float64": 12, "bool_": 12}
PER_LINE_ELSE = 24


def text(tensor: Any) -> str:
    """Return what `print` shows: the numbers alone, as NumPy prints them (bfloat16 with six decimals)."""
    array = tensor._a
    if array.dtype != mstype.np_bfloat16:
        with np.printoptions(**NUMPY_STYLE):
            return str(array)
    if not array.ndim:
        return _decimals(array[()])
    return np.array2string(array, formatter={"all": _decimals})


def representation(tensor: Any, as_numpy: bool = False) -> str:
    """Return what `repr` gives: shape, dtype and the numbers.

    Args:
        tensor: any Tensor, also one that stands for a shape only or waits for its initializer.
        as_numpy: print the numbers as NumPy does, which 2.6 does for a tensor that shares a NumPy array's memory.
    """
    shape = tensor.shape
    head = f"Tensor(shape={list(shape)}, dtype={tensor.dtype}, value={chr(10) if len(shape) > 1 else ' '}"
    if any(n <= 0 for n in shape) and not as_numpy:
        return head + ")"
    if tensor._waiting is not None and batched_in(tensor) is None:
        return head + "<uninitialized>)"
    array = tensor._a
    if as_numpy and array.dtype != mstype.np_bfloat16:
        with np.printoptions(**NUMPY_STYLE):
            return head + np.array2string(array, separator=", ") + ")"
    return head + _body(array, tensor.dtype.name) + ")"


def _decimals(value: Any) -> str:
    return f"{float(value):.6f}"


def _body(array: Any, dtype: str) -> str:
    if not array.ndim:
        return _single(array[()])
    number = _writer(dtype)
    if array.ndim == 1:
        return _vector(array, dtype, number)
    shown = _ends(array)
    words = [number(item) for item in shown.reshape(-1)]
    if dtype == "bfloat16" or array.dtype.kind in "iu":
        width = max(len(word) for word in words)
        words = [word.rjust(width) for word in words]
    return _block(words, shown.shape, array.shape, 1)


def _vector(array: Any, dtype: str, number: Callable[[Any], str]) -> str:
    long = array.size > LONG_VECTOR
    words = [number(item) for item in (_cut(array, 0) if long else array)]
    if dtype == "bfloat16" or array.dtype.kind in "iu":
        width = max(len(word) for word in words)
        words = [word.rjust(width) for word in words]
    if long:
        return _row(words, True)
    line = PER_LINE.get(dtype, PER_LINE_ELSE)
    rows = [", ".join(words[at : at + line]) for at in range(0, len(words), line)]
    return "[" + ", \n ".join(rows) + ("\n ]" if len(words) % line == 0 else "]")


def _ends(array: Any) -> Any:
    """The part of an array that is shown: both ends of each long dimension."""
    for axis in range(array.ndim):
        if array.shape[axis] > LONG_DIMENSION:
            array = _cut(array, axis)
    return array


def _cut(array: Any, axis: int) -> Any:
    return np.take(array, [*range(EDGE), *range(-EDGE, 0)], axis)


def _row(words: list[str], cut: bool) -> str:
    if not cut:
        return "[" + ", ".join(words) + "]"
    return "[" + ", ".join(words[:EDGE]) + " ... " + ", ".join(words[EDGE:]) + "]"


def _block(words: list[str], shown: tuple[int, ...], shape: tuple[int, ...], depth: int) -> str:
    """The text of one dimension and all inside it."""
    cut = shape[0] > LONG_DIMENSION
    if len(shown) == 1:
        return _row(words, cut)
    step = len(words) // shown[0]
    parts = [_block(words[i * step : (i + 1) * step], shown[1:], shape[1:], depth + 1) for i in range(shown[0])]
    gap = ",\n" + " " * depth
    if not cut:
        return "[" + gap.join(parts) + "]"
    middle = f",\n{' ' * depth}...\n{' ' * depth}"
    return "[" + gap.join(parts[:EDGE]) + middle + gap.join(parts[EDGE:]) + "]"


def _single(value: Any) -> str:
    """A tensor without dimensions: floats in the shortest form of six digits."""
    kind = value.dtype.kind
    if kind == "c":
        return _complex(value)
    return str(value) if kind in "biu" else _word(value, "g", "")


def _writer(dtype: str) -> Callable[[Any], str]:
    """How one number is written (before it is brought to a common width)."""
    if dtype in WIDTHS:
        width, digits = WIDTHS[dtype]
        return lambda value: _word(value, f"{width}.{digits}e", f">{width}")
    if dtype == "bool_":
        return lambda value: f"{bool(value)!s:>5}"
    if dtype == "bfloat16":
        return lambda value: f"{float(value):g}"  # no sign of nan here
    if dtype.startswith("complex"):
        return _complex
    return str


def _word(value: Any, form: str, width: str) -> str:
    number = float(value)
    if math.isnan(number):
        return f"{'-nan' if math.copysign(1.0, number) < 0 else 'nan':{width}}"
    return f"{number:{form}}"


def _complex(value: Any) -> str:
    real, imag = _word(value.real, "g", ""), _word(value.imag, "g", "")
    return f"{real}{'' if imag.startswith('-') else '+'}{imag}j"
