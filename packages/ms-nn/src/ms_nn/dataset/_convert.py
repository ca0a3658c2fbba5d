"""Arrays out of what sources and functions give."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels import Tensor
from ms_nn.dataset._iterators import Row

__all__ = ["array", "columns_of"]


def array(value: Any) -> np.ndarray[Any, Any]:
    """A value as a NumPy array of numbers or strings.

    Raises:
        RuntimeError: it is nothing of that kind.
    """
    made = value.asnumpy() if isinstance(value, Tensor) else np.asarray(value)
    if made.dtype.kind == "O":
        raise RuntimeError(
            "Exception thrown from user defined Python function in dataset: the data must be NumPy arrays, numbers or "
            f"strings, but got {type(value).__name__}."
        )
    return made


def columns_of(result: Any) -> Row:
    """The columns of a row: one for each item of a tuple, else a single one."""
    return tuple(array(item) for item in result) if isinstance(result, tuple) else (array(result),)
