"""The overflow status of an NPU: eight words that steps set in saturation mode, as old training loops ask for it.

On the CPU no step sets it; on the Ascend target `ms_kernels.targets.ascend` answers for the chip.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import fail
from ms_kernels.opdef.register import op
from ms_kernels.opdef.spec import Array

__all__ = ["npu_alloc_float_status", "npu_clear_float_status", "npu_get_float_status"]

_FLAG = "the result is a flag"
_WORDS = (8,)


def _status_shape(name: str) -> Any:
    def rule(shape: tuple[int, ...]) -> tuple[int, ...]:
        if shape != _WORDS:
            fail(ValueError, name, "shape of 'input_x'", "be [8]", str(list(shape)))
        return shape

    return rule


@op(
    shape=lambda: _WORDS,
    dtype=lambda: mstype.float32,
    nondiff=_FLAG,
    ascend="create",
    primitive="NPUAllocFloatStatus()()",
    name="npu_alloc_float_status",
)
def npu_alloc_float_status() -> Any:
    """Return a flag for `NPUGetFloatStatus` to write the overflow status to: 8 zeros, float32.

    Examples:
        >>> print(ops.NPUAllocFloatStatus()())
        [0. 0. 0. 0. 0. 0. 0. 0.]

    Source: ``mindspore.ops.NPUAllocFloatStatus``.
    """
    return np.zeros(_WORDS, np.float32)


@op(
    shape=_status_shape("NPUGetFloatStatus"),
    dtype=rules.same,
    nondiff=_FLAG,
    ascend="index",
    primitive="NPUGetFloatStatus()(input_x)",
    rename={"input_x": "input"},
)
def npu_get_float_status(input: Array) -> Any:
    """Write the overflow status to a flag (all zero: no step has overflowed); returns zeros.

    Raises:
        ValueError: the flag has another shape than [8].

    Examples:
        >>> flag = ops.NPUAllocFloatStatus()()
        >>> _ = ops.NPUGetFloatStatus()(flag)
        >>> print(flag)
        [0. 0. 0. 0. 0. 0. 0. 0.]

    Source: ``mindspore.ops.NPUGetFloatStatus``.
    """
    return np.zeros_like(input)


@op(
    shape=_status_shape("NPUClearFloatStatus"),
    dtype=rules.same,
    nondiff=_FLAG,
    ascend="index",
    primitive="NPUClearFloatStatus()(input_x)",
    rename={"input_x": "input"},
)
def npu_clear_float_status(input: Array) -> Any:
    """Clear the overflow status; returns zeros.

    Raises:
        ValueError: the flag has another shape than [8].

    Examples:
        >>> print(ops.NPUClearFloatStatus()(ops.NPUAllocFloatStatus()()))
        [0. 0. 0. 0. 0. 0. 0. 0.]

    Source: ``mindspore.ops.NPUClearFloatStatus``.
    """
    return np.zeros_like(input)
