"""What comes out when types meet: 2.6's implicit conversion, as one table.

Two tensors:

- The higher category wins: bool, integers, floats, complex. Inside integers and floats the wider one wins.
- uint8 with a signed integer gives a signed integer of at least 16 bits.
- float16 with bfloat16 gives float32. float64 with complex64 gives complex128.
- uint16, uint32 and uint64 meet only themselves and bool; every other pair is a TypeError, as it is in 2.6 (PyTorch
  refuses such integer pairs too, NumPy would leave for float64 in the end). Cast one side to say what is meant.

A tensor and a Python number:

- The tensor's type stays when its category is not below the number's.
- A bool tensor with an int gives int64, a bool or integer tensor with a float gives float32.
- A complex number gives complex128 with float64 and complex64 with the other types. 2.6's functions take no Python
  complex at all; this is what PyTorch gives.
- uint16, uint32 and uint64 take bools only; with other numbers they are a TypeError, as in 2.6.
"""

from __future__ import annotations

from typing import Final

from ms_dtype.classes import Type
from ms_dtype.dtype import (
    bfloat16,
    bool_,
    complex64,
    complex128,
    complex_type,
    float16,
    float32,
    float64,
    float_type,
    int16,
    int64,
    int_type,
    uint8,
    uint16,
    uint32,
    uint64,
    uint_type,
)

element_types: Final[tuple[Type, ...]] = (bool_, *int_type, *uint_type, *float_type, *complex_type)
_LONELY: Final = (uint16, uint32, uint64)
_ORDER: Final = {kind: rank for rank, kind in enumerate("bifc")}


def _category(dtype: Type) -> int:
    return _ORDER["i" if dtype.kind == "u" else dtype.kind]


def _meet(low: Type, high: Type) -> Type | None:
    """Give the common type of two, `low` not being of a higher category; None where 2.6 has none."""
    if low is high or low is bool_:
        return high
    if low in _LONELY or high in _LONELY:
        return None
    if {low, high} == {float16, bfloat16}:
        return float32
    if low is float64 and high is complex64:
        return complex128
    if _category(low) < _category(high):
        return high
    if uint8 in (low, high):
        return max(low, high, int16, key=lambda each: (each.itemsize, each.kind == "i"))
    return max(low, high, key=lambda each: each.itemsize)


def _pairs() -> dict[tuple[Type, Type], Type]:
    table = {}
    for left in element_types:
        for right in element_types:
            low, high = sorted((left, right), key=_category)
            found = _meet(low, high)
            if found is not None:
                table[left, right] = found
    return table


def _with_scalar(dtype: Type, kind: str) -> Type:
    if _category(dtype) >= _ORDER[kind]:
        return dtype
    if kind == "c":
        return complex128 if dtype is float64 else complex64
    return int64 if kind == "i" else float32


_PAIRS: Final = _pairs()
_SCALARS: Final = {
    (dtype, kind): _with_scalar(dtype, kind)
    for dtype in element_types
    for kind in "bifc"
    if kind == "b" or dtype not in _LONELY
}


def promote(left: Type, right: Type) -> Type:
    """Give the type in which tensors of these two types are computed.

    Raises:
        TypeError: there is no implicit conversion between them, or one is not a type of tensor elements.

    >>> from ms_dtype import int8
    >>> promote(int8, uint8)
    mindspore.int16
    >>> promote(bfloat16, float16)
    mindspore.float32
    """
    found = _PAIRS.get((left, right))
    if found is None:
        raise TypeError(f"Type implicit conversion between {right} and {left} is not supported.")
    return found


def promote_scalar(dtype: Type, kind: str) -> Type:
    """Give the type in which a tensor is computed with a Python bool ("b"), int ("i"), float ("f") or complex ("c").

    Raises:
        TypeError: there is no implicit conversion between them, or `dtype` is not a type of tensor elements.
        ValueError: `kind` is none of the four letters.

    >>> from ms_dtype import int8
    >>> promote_scalar(int8, "i"), promote_scalar(int8, "f"), promote_scalar(float16, "f")
    (mindspore.int8, mindspore.float32, mindspore.float16)
    """
    found = _SCALARS.get((dtype, kind))
    if found is None:
        if kind not in _ORDER:
            raise ValueError(f"For 'promote_scalar', the 'kind' must be one of 'b', 'i', 'f', 'c', but got {kind!r}.")
        scalar = {"i": "Int64", "f": "Float32", "c": "Complex64"}.get(kind, "Bool")
        raise TypeError(f"Type implicit conversion between Tensor[{scalar}] and {dtype} is not supported.")
    return found
