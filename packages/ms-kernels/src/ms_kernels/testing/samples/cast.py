"""Cases of ms_kernels.ops.cast."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.testing.case import ALL, REAL, Case, Maker

__all__ = ["CASES"]


def _targets(m: Maker) -> list[tuple[Any, ...]]:
    if m.dtype == "float64":  # the gradient check wants results as precise as this
        return [(m(2, 3), mstype.float64), (m(0, 3), mstype.float64), (m(), mstype.float64)]
    names = ("float32", "float64", "int32", "complex64", "bool_", "float16", "bfloat16")
    return [(m(2, 3), getattr(mstype, name)) for name in names] + [(m(), mstype.float64), (m(0, 3), mstype.int8)]


def _cast(x: Any, dtype: Any) -> Any:
    wide = {"f": np.float64, "c": np.complex128, "b": np.bool_}.get(dtype.kind, np.int64)
    return np.asarray(x).astype(wide)


CASES = {
    "cast": Case(_cast, _targets, (*REAL, "bool_")),
    "type_as": Case(lambda x, y: x.astype(y.dtype), lambda m: [(m(2, 3), m(1)), (m(), m(1))], REAL, wrt=(0,)),
    "copy": Case(np.array, lambda m: [(m(2, 3),), (m(),), (m(0, 2),), (m(2, 3).T,)], ALL),
    "conj": Case(lambda x: np.conjugate(x) if x.dtype.kind == "c" else x, lambda m: [(m(2, 3),), (m(),)], ALL),
}
