"""`mindspore.runtime`: memory of the kernels, and waiting for results."""

from __future__ import annotations

import gc

from ms_kernels.core import runtime

__all__ = ["empty_cache", "launch_blocking", "memory_allocated", "memory_reserved", "synchronize"]


def memory_allocated() -> int:
    """Return the bytes of large blocks that tensors use: 2.6's `mindspore.runtime.memory_allocated`.

    Small tensors live in NumPy's own memory and are not counted.

    >>> memory_allocated() >= 0
    True
    """
    return runtime.memory_stats()["in_use"]


def memory_reserved() -> int:
    """Return the bytes of large blocks in use or kept for later results: 2.6's `mindspore.runtime.memory_reserved`.

    >>> memory_reserved() >= memory_allocated()
    True
    """
    stats = runtime.memory_stats()
    return stats["in_use"] + stats["cached"]


def empty_cache() -> None:
    """Give blocks that are kept for later results back to the system: 2.6's `mindspore.runtime.empty_cache`.

    >>> empty_cache()
    >>> runtime.memory_stats()["cached"]
    0
    """
    gc.collect()
    runtime.trim_memory()


def synchronize() -> None:
    """Wait until all results are there: 2.6's `mindspore.runtime.synchronize`. On the CPU they always are.

    >>> synchronize()
    """


def launch_blocking() -> None:
    """Ask that every call waits for its result: 2.6's `mindspore.runtime.launch_blocking`. On the CPU each always does.

    >>> launch_blocking()
    """
