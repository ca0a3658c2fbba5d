"""Cases of the overflow status."""

from __future__ import annotations

import numpy as np

from ms_kernels.testing.case import Case

_FLAG = "a flag has no gradient"

CASES = {
    "npu_alloc_float_status": Case(
        oracle=lambda: np.zeros(8), inputs=lambda make: [()], dtypes=("float32",), grad=0, views=False, note=_FLAG
    ),
    **{
        name: Case(
            oracle=lambda x: np.zeros_like(x),
            inputs=lambda make: [(make(8),)],
            dtypes=("float16", "float32"),
            grad=0,
            views=False,
            note=_FLAG,
        )
        for name in ("npu_get_float_status", "npu_clear_float_status")
    },
}
