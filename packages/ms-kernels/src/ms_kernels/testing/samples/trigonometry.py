"""Cases of ms_kernels.ops.trigonometry."""

from __future__ import annotations

import numpy as np

from ms_kernels.testing.case import FLOAT, Case
from ms_kernels.testing.samples.elementary import one

__all__ = ["CASES"]

CASES = {
    "sin": Case(np.sin, one(), (*FLOAT, "int32")),
    "cos": Case(np.cos, one()),
    "tan": Case(np.tan, one(-1.2, 1.2)),
    "asin": Case(np.arcsin, one(-0.9, 0.9)),
    "acos": Case(np.arccos, one(-0.9, 0.9)),
    "atan": Case(np.arctan, one()),
    "sinh": Case(np.sinh, one()),
    "cosh": Case(np.cosh, one()),
    "tanh": Case(np.tanh, one()),
    "asinh": Case(np.arcsinh, one()),
    "acosh": Case(np.arccosh, one(1.25, 3.0)),
    "atanh": Case(np.arctanh, one(-0.9, 0.9)),
}
