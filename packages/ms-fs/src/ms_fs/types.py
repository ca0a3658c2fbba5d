"""The element types by the names that files give them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ms_dtype

__all__ = ["CKPT_NAMES", "CKPT_TYPES", "SAFETENSORS_NAMES", "SAFETENSORS_TYPES", "check_bools", "possible"]

# In the order in which the safetensors library lays tensors out: it sorts by type, then by name.
_TABLE = (
    (ms_dtype.uint64, "UInt64", "U64"),
    (ms_dtype.int64, "Int64", "I64"),
    (ms_dtype.float64, "Float64", "F64"),
    (ms_dtype.complex64, "Complex64", "C64"),
    (ms_dtype.float32, "Float32", "F32"),
    (ms_dtype.uint32, "UInt32", "U32"),
    (ms_dtype.int32, "Int32", "I32"),
    (ms_dtype.bfloat16, "BFloat16", "BF16"),
    (ms_dtype.float16, "Float16", "F16"),
    (ms_dtype.uint16, "UInt16", "U16"),
    (ms_dtype.int16, "Int16", "I16"),
    (ms_dtype.int8, "Int8", "I8"),
    (ms_dtype.uint8, "UInt8", "U8"),
    (ms_dtype.bool_, "Bool", "BOOL"),
    (ms_dtype.complex128, "Complex128", ""),
)


def _np(dtype: Any) -> np.dtype[Any]:
    found: np.dtype[Any] = np.dtype(dtype.np)
    return found


CKPT_TYPES: Mapping[str, np.dtype[Any]] = MappingProxyType({ckpt: _np(d) for d, ckpt, _ in _TABLE})
CKPT_NAMES: Mapping[np.dtype[Any], str] = MappingProxyType({_np(d): ckpt for d, ckpt, _ in _TABLE})
SAFETENSORS_TYPES: Mapping[str, np.dtype[Any]] = MappingProxyType({st: _np(d) for d, _, st in _TABLE if st})
SAFETENSORS_NAMES: Mapping[np.dtype[Any], str] = MappingProxyType({_np(d): st for d, _, st in _TABLE if st})


def check_bools(array: NDArray[Any]) -> bool:
    """Whether all bytes of a bool array are 0 or 1; NumPy takes any others for true, but not always for the same."""
    return array.dtype != np.bool_ or array.size == 0 or int(array.reshape(-1).view(np.uint8).max()) <= 1


def possible(shape: Iterable[int], dtype: np.dtype[Any]) -> bool:
    """Whether NumPy can have such an array; it wants the product of all dims but zeros to be small, too."""
    dims = tuple(shape)
    return len(dims) <= 64 and math.prod(dim or 1 for dim in dims) * dtype.itemsize < 1 << 62
