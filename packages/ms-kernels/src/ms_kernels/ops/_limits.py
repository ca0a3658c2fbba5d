"""The finite range of element types, bfloat16 among them."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

__all__ = ["NO_RULE", "limits", "spacing"]

NO_RULE = "2.6 has no gradient for it"


def limits(dtype: Any) -> tuple[Any, Any]:
    """The smallest and the largest finite number of a NumPy dtype."""
    find: Any = np.iinfo if dtype.kind in "iu" else ml_dtypes.finfo  # NumPy's finfo does not know bfloat16
    found = find(dtype)
    number = int if dtype.kind in "iu" else float
    return number(found.min), number(found.max)


def spacing(dtype: Any) -> float:
    """The distance from 1 to the next number of a NumPy float dtype."""
    find: Any = ml_dtypes.finfo
    return float(find(dtype).eps)
