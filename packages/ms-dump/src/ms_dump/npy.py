"""Arrays as the bytes of .npy files, one header for all arrays of a shape."""

from __future__ import annotations

import io
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["header", "plain"]


def plain(array: NDArray[Any]) -> NDArray[Any]:
    """The array in a type that .npy files have: bfloat16 becomes float32.

    >>> from ms_kernels import Tensor
    >>> plain(Tensor([1.5]).bfloat16()._a).dtype
    dtype('float32')
    """
    return array if array.dtype.isbuiltin == 1 else array.astype(np.float32)


@lru_cache(maxsize=4096)
def header(dtype: Any, shape: tuple[int, ...]) -> bytes:
    """What stands before the elements of a packed array in its file."""
    out = io.BytesIO()
    described = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(out, described)
    return out.getvalue()
