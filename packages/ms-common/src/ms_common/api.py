"""`mindspore.common.api`: what is left of it without a graph compiler."""

from __future__ import annotations

import gc

from ms_kernels import no_grad as _no_grad
from ms_kernels.core import runtime

__all__ = ["_no_grad", "ms_memory_recycle"]


def ms_memory_recycle() -> None:
    """Give memory that is kept for later results back to the system: 2.6's `mindspore.ms_memory_recycle`.

    >>> from ms_common.api import ms_memory_recycle
    >>> ms_memory_recycle()
    """
    gc.collect()
    runtime.trim_memory()
