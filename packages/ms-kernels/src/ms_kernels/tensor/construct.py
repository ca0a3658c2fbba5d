"""What `Tensor(...)` takes: its data as an ndarray, its dtype, its shape."""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np

import ms_dtype as mstype
from ms_dynshape import Symbol
from ms_kernels.core.tensor import TensorBase, Unknown
from ms_kernels.opdef.errors import describe, fail

__all__ = ["as_ndarray", "as_element_type", "dims_of", "is_element_type", "no_data", "placeholder"]

TYPES = (bool, int, float, complex, np.generic)
KINDS = "be a number, a sequence of numbers, an array or a Tensor"


def is_element_type(dtype: Any) -> TypeGuard[mstype.Type]:
    """Whether a value is a dtype that tensors can have."""
    return isinstance(dtype, mstype.Type) and dtype.np is not None


def as_ndarray(data: Any, dtype: Any = None) -> Any:
    """Return a new C-contiguous array of `data`, of the dtype given or of the one that 2.6 chooses.

    Raises:
        TypeError: `data` or `dtype` is of a wrong kind, or a sequence is ragged.
        RuntimeError: an integer that no type holds.
    """
    if dtype is None:
        if type(data) is float and -1e38 < data < 1e38:
            return np.array(data, np.float32)
        if type(data) is int and -(2**63) <= data < 2**63:
            return np.array(data, np.int64)
    elif not is_element_type(dtype):
        fail(TypeError, "Tensor", "'dtype'", "be a type of tensor elements", describe(dtype))
    found = _array(data, dtype is not None)
    if found.dtype.kind not in "biufc" and found.dtype != mstype.np_bfloat16:
        if any(isinstance(item, int) and not -(2**63) <= item < 2**64 for item in found.reshape(-1)):
            fail(RuntimeError, "Tensor", "'input_data'", "hold integers of at most 64 bits", "a larger one")
        fail(TypeError, "Tensor", "'input_data'", "hold numbers", f"elements of type {found.dtype}")
    if dtype is None:
        kind = found.dtype if found.dtype.isnative else found.dtype.newbyteorder("=")
        mstype.from_numpy(kind)
    else:
        kind = dtype.np
    if kind == found.dtype:
        return found if isinstance(data, (list, tuple)) else np.array(found, order="C")
    with np.errstate(all="ignore"):  # numbers that do not fit wrap or become inf, as in C
        return np.array(found, kind, order="C")


def _array(data: Any, exact: bool) -> Any:
    """The data as some array; Python's floats in sequences as float32, unless a dtype is given (`exact`)."""
    if isinstance(data, TensorBase):
        return data._a
    if isinstance(data, (np.ndarray, np.generic)):
        return np.asarray(data)
    if not isinstance(data, (bool, int, float, complex, list, tuple)):
        fail(TypeError, "Tensor", "'input_data'", KINDS, describe(data))
    try:
        found = np.array(data)
    except (ValueError, TypeError):
        found = _of_tensors(data)
    if found.dtype == np.float64 and not exact:
        with np.errstate(over="ignore"):
            return found.astype(np.float32)
    return found


def _of_tensors(data: Any) -> Any:
    """A sequence that NumPy cannot take as it is: it may hold bfloat16 tensors without dimensions."""

    def plain(item: Any) -> Any:
        if isinstance(item, (list, tuple)):
            return [plain(part) for part in item]
        return item._a if isinstance(item, TensorBase) else item

    try:
        return np.array(plain(data))
    except (ValueError, TypeError):
        fail(TypeError, "Tensor", "'input_data'", "have equal lengths in each dimension", "a ragged sequence")


def as_element_type(name: str, value: Any) -> Any:
    """Return the dtype meant by one, its name, a Python type or a NumPy one.

    Raises:
        TypeError: it is none of these.
    """
    found = value
    if isinstance(value, str):
        low = value.lower()
        found = getattr(mstype, "bool_" if low == "bool" else low, None)
    elif isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, TYPES)):
        found = mstype.from_numpy(np.dtype(value))
    if not is_element_type(found):
        fail(TypeError, name, "'dtype'", "be a type of tensor elements", describe(value))
    return found


def dims_of(name: str, shape: Any) -> tuple[int, ...]:
    """Return a shape of known dims: an int, or a sequence of ints that are not negative.

    Raises:
        TypeError: it is neither.
        ValueError: a negative dim.
    """
    items = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    for item in items:
        if isinstance(item, bool) or not isinstance(item, (int, np.integer)):
            fail(TypeError, name, "'size'", "be an int or a tuple of ints", describe(item))
        if item < 0:
            fail(ValueError, name, "'size'", "not be negative", str(item))
    return tuple(int(item) for item in items)


def _open_dims(shape: Any) -> tuple[int, ...]:
    """A shape whose dims may be unknown: None and Symbols are -1; (-2,) is a shape of unknown rank."""
    if shape is None:
        return (-2,)
    if not isinstance(shape, (int, tuple, list, Symbol)) or isinstance(shape, bool):
        fail(TypeError, "Tensor", "'shape'", "be an int, a Symbol, a tuple or a list", describe(shape))
    dims = []
    for item in shape if isinstance(shape, (tuple, list)) else (shape,):
        if item is None or isinstance(item, Symbol):
            item = -1
        if isinstance(item, bool) or not isinstance(item, (int, np.integer)):
            fail(TypeError, "Tensor", "'shape'", "be made of ints, None and Symbols", describe(item))
        dims.append(int(item))
    if any(n < -1 for n in dims) and dims != [-2]:
        fail(ValueError, "Tensor", "'shape'", "be made of ints from -1 on, or be -2 alone", str(tuple(dims)))
    return tuple(dims)


def symbols_of(shape: Any) -> list[Any] | None:
    """The dims of a shape as they were given, if a Symbol is among them."""
    dims = list(shape) if isinstance(shape, (tuple, list)) else [shape]
    return dims if any(isinstance(item, Symbol) for item in dims) else None


def placeholder(dtype: Any, dims: tuple[int, ...]) -> Any:
    """An array that has a dtype and a shape and takes no memory; unknown dims are 0."""
    return np.broadcast_to(np.zeros((), dtype), tuple(max(n, 0) for n in dims))


def no_data(input_data: Any, dtype: Any, shape: Any, init: Any) -> tuple[Any, Any]:
    """Check the arguments of a Tensor without data; return its placeholder and what it waits for.

    Raises:
        TypeError: no argument at all, or one of the wrong type.
        ValueError: arguments that exclude each other, or one that is missing.
    """
    if init is not None and (input_data is not None or dtype is None or shape is None):
        fail(
            ValueError, "Tensor", "'init'", "come with 'dtype' and 'shape' and without 'input_data'", "other arguments"
        )
    if input_data is not None:
        fail(ValueError, "Tensor", "'shape'", "be None where 'input_data' is given", str(shape))
    if shape is None and dtype is None:
        fail(TypeError, "Tensor", "'input_data'", KINDS, "None")
    dims = _open_dims(shape)
    is_open = any(n < 0 for n in dims)
    if is_open and (dtype is None or init is not None):
        fail(ValueError, "Tensor", "'shape' with unknown dims", "come with 'dtype' and without 'init'", str(dims))
    if not is_element_type(dtype):
        fail(TypeError, "Tensor", "'dtype'", "be a type of tensor elements", describe(dtype))
    if init is not None and not callable(init):
        fail(TypeError, "Tensor", "'init'", "be an initializer", describe(init))
    return placeholder(dtype.np, dims), Unknown(dims) if init is None else init
