"""The headers of .npy files, one for all arrays of a shape."""

from __future__ import annotations

import io
from functools import lru_cache
from typing import Any

import numpy as np

__all__ = ["header"]


@lru_cache(maxsize=4096)
def header(dtype: Any, shape: tuple[int, ...]) -> bytes:
    """What stands before the elements of a packed array in its file."""
    out = io.BytesIO()
    described = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(out, described)
    return out.getvalue()
