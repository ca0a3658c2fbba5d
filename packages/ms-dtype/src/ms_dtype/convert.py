"""Between 2.6's types, Python's types and NumPy's."""

from __future__ import annotations

from types import FunctionType
from typing import Any, Final, TypeVar

import numpy as np

import ms_dtype
from ms_dtype.classes import TensorType, Type
from ms_dtype.dtype import (
    bfloat16,
    bool_,
    complex128,
    complex_type,
    float64,
    float_,
    float_type,
    function,
    int64,
    int_,
    int_type,
    list_,
    string,
    tuple_,
    type_none,
    type_type,
    uint_type,
)
from ms_dtype.promotion import element_types

_FROM_NUMPY: Final[dict[np.dtype[Any], Type]] = {each.np: each for each in element_types if each.np is not None}
_NUMPY_CLASS: Final[dict[Type, type[np.generic]]] = {
    each: each.np.type for each in element_types if each.np is not None and each is not bfloat16
}
_FROM_PYTHON: Final[dict[type, Type]] = {
    list: list_,
    tuple: tuple_,
    type(None): type_none,
    bool: bool_,
    int: int64,
    float: float64,
    complex: complex128,
    str: string,
    np.str_: string,
    **{each.type: found for each, found in _FROM_NUMPY.items()},
    **{np.dtype(code).type: _FROM_NUMPY[np.dtype(code)] for code in "lqLQ"},  # two classes share a width
}
_PYTHON_CLASS: Final[dict[Type, type]] = {
    bool_: bool,
    **dict.fromkeys((int_, *int_type, *uint_type), int),
    **dict.fromkeys((float_, *float_type), float),
    **dict.fromkeys(complex_type, complex),
    list_: list,
    tuple_: tuple,
    string: str,
    type_none: type(None),
}

_T = TypeVar("_T")


def _look_up(table: dict[Type, _T], type_: Type, caller: str, whose: str) -> _T:
    try:
        return table[type_]
    except KeyError:
        raise KeyError(f"For '{caller}', the 'type_' must be a type {whose} has, but got {type_!r}.") from None


def from_numpy(dtype: np.dtype[Any]) -> Type:
    """Give the type of tensors that hold elements of this NumPy dtype.

    Raises:
        TypeError: tensors cannot hold such elements (foreign byte order counts as such).

    >>> import numpy as np
    >>> from_numpy(np.dtype("float32"))
    mindspore.float32
    """
    found = _FROM_NUMPY.get(dtype)
    if found is None:
        allowed = ", ".join(each.name for each in _NUMPY_CLASS)
        raise TypeError(
            f"For 'from_numpy', the 'dtype' must be one of {allowed}, bfloat16 in native byte order, but got {dtype!r}."
        )
    return found


def dtype_to_nptype(type_: Type) -> type[np.generic]:
    """Give the NumPy class of a type's elements; bfloat16 gives ml_dtypes' class.

    Raises:
        TypeError: the installed NumPy cannot hold bfloat16.
        KeyError: NumPy has no such elements.

    >>> dtype_to_nptype(ms_dtype.int8)
    <class 'numpy.int8'>
    """
    if type_ is bfloat16:
        # through the package, so that a replaced `ms_dtype.np_version_valid` counts
        if not ms_dtype.np_version_valid(True):
            raise TypeError(
                "The Numpy bfloat16 data type is not supported now, please ensure that the current Numpy version "
                "is not less than the version when the mindspore is compiled."
            )
        found: type[np.generic] = ms_dtype.np_bfloat16
        return found
    return _look_up(_NUMPY_CLASS, type_, "dtype_to_nptype", "NumPy")


def dtype_to_pytype(type_: Type) -> type:
    """Give the Python class that stands for a type.

    Raises:
        KeyError: Python has no such class.

    >>> dtype_to_pytype(ms_dtype.bfloat16)
    <class 'float'>
    """
    return _look_up(_PYTHON_CLASS, type_, "dtype_to_pytype", "Python")


def pytype_to_dtype(obj: object) -> Type:
    """Give the type that stands for a Python or NumPy class; a type comes back as it is.

    Raises:
        TypeError: `obj` is neither a class, a NumPy dtype nor a type.
        NotImplementedError: no type stands for that class.

    >>> pytype_to_dtype(int), pytype_to_dtype(float), pytype_to_dtype(str)
    (mindspore.int64, mindspore.float64, mindspore.string_)
    """
    if isinstance(obj, Type):
        return obj
    if isinstance(obj, np.dtype):
        obj = obj.type
    if not isinstance(obj, type):
        raise TypeError(
            "For 'pytype_to_dtype', the argument 'obj' must be a python type object,"
            f"such as int, float, str, etc. But got type {type(obj)}."
        )
    found = _FROM_PYTHON.get(obj)
    if found is None:
        raise NotImplementedError(f"The python type {obj} cannot be converted to MindSpore type.")
    return found


def get_py_obj_dtype(obj: object) -> Type:
    """Give the type of a Python value.

    Functions, cells and primitives give `function`, tensors their tensor type, types `type_type`; anything else goes by
    its class. Tensors are known by their `shape` and a `dtype` of ours, cells by `construct`.

    Raises:
        NotImplementedError: no type stands for that value.

    >>> get_py_obj_dtype(1.5), get_py_obj_dtype(True), get_py_obj_dtype(ms_dtype.int8)
    (mindspore.float64, mindspore.bool_, mindspore.type_type)
    """
    if isinstance(obj, Type):
        return type_type
    if isinstance(obj, type):
        return pytype_to_dtype(obj)
    element = getattr(obj, "dtype", None)
    if isinstance(element, Type) and hasattr(obj, "shape"):
        return TensorType(element)
    if isinstance(obj, FunctionType) or hasattr(obj, "construct") or hasattr(obj, "__primitive_flag__"):
        return function
    return pytype_to_dtype(type(obj))


def type_size_in_bytes(dtype: Type) -> int:
    """Give the bytes of one element: 0 for types that are no numbers, 1 for numbers without a width.

    Raises:
        TypeError: `dtype` is no type.

    >>> type_size_in_bytes(ms_dtype.complex64)
    8
    """
    if not isinstance(dtype, Type):
        raise TypeError(f"For 'type_size_in_bytes', the 'dtype' must be a Type, but got {dtype!r}.")
    return dtype.itemsize


def is_subclass(arg0: Type, arg1: Type) -> bool:
    """Tell whether one type is the other or a kind of it.

    Raises:
        TypeError: an argument is no type.

    >>> is_subclass(ms_dtype.int32, ms_dtype.int_), is_subclass(ms_dtype.int_, ms_dtype.int32)
    (True, False)
    """
    for each in (arg0, arg1):
        if not isinstance(each, Type):
            raise TypeError(f"For 'is_subclass', both arguments must be a Type, but got {each!r}.")
    return arg0 is arg1 or (not arg1.args and isinstance(arg0, type(arg1)))


def _issubclass_(type_: object, dtype: object) -> bool:
    """Do as `is_subclass`, but say False to what is no type."""
    return isinstance(type_, Type) and isinstance(dtype, Type) and is_subclass(type_, dtype)
