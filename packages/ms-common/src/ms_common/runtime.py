"""`mindspore.runtime`: memory of the kernels, settings of once a process, waiting for results."""

from __future__ import annotations

import gc
import re
from typing import Any

from ms_common.device import CHOSEN
from ms_kernels.core import runtime
from ms_kernels.opdef import errors

__all__ = [
    "dispatch_threads_num",
    "empty_cache",
    "launch_blocking",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "memory_summary",
    "reset_max_memory_allocated",
    "reset_max_memory_reserved",
    "reset_peak_memory_stats",
    "set_cpu_affinity",
    "set_kernel_launch_group",
    "set_memory",
    "synchronize",
]


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


def max_memory_allocated() -> int:
    """Return the most bytes of large blocks that were in use: 2.6's `mindspore.runtime.max_memory_allocated`.

    >>> max_memory_allocated() >= memory_allocated()
    True
    """
    return runtime.memory_stats()["peak_in_use"]


def max_memory_reserved() -> int:
    """Return the most bytes of large blocks in use or kept: 2.6's `mindspore.runtime.max_memory_reserved`.

    >>> max_memory_reserved() >= max_memory_allocated()
    True
    """
    return runtime.memory_stats()["peak_held"]


def reset_max_memory_allocated() -> None:
    """Start the peak of bytes in use anew: 2.6's `mindspore.runtime.reset_max_memory_allocated`.

    >>> reset_max_memory_allocated()
    """
    runtime.reset_memory_peaks(held=False)


def reset_max_memory_reserved() -> None:
    """Start the peak of bytes in use or kept anew: 2.6's `mindspore.runtime.reset_max_memory_reserved`.

    >>> reset_max_memory_reserved()
    """
    runtime.reset_memory_peaks(in_use=False)


def reset_peak_memory_stats() -> None:
    """Start both peaks anew: 2.6's `mindspore.runtime.reset_peak_memory_stats`.

    >>> reset_peak_memory_stats()
    """
    runtime.reset_memory_peaks()


def memory_stats() -> dict[str, Any]:
    """Return the numbers of the pool of large blocks under 2.6's names (`mindspore.runtime.memory_stats`).

    There is one pool; what 2.6 says of pools of its own is 0 and empty.

    >>> stats = memory_stats()
    >>> stats["total_reserved_memory"] == stats["total_allocated_memory"] + stats["total_idle_memory"]
    True
    """
    found = runtime.memory_stats()
    none: dict[str, Any] = {"block_unit_size": 0, "block_counts": 0, "blocks_info": {}}
    return {
        "total_reserved_memory": found["in_use"] + found["cached"],
        "total_allocated_memory": found["in_use"],
        "total_idle_memory": found["cached"],
        "total_eager_free_memory": 0,
        "max_reserved_memory": found["peak_held"],
        "max_allocated_memory": found["peak_in_use"],
        "commom_mem_pool_stats": dict(none),
        "persistent_mem_pool_stats": dict(none),
    }


def memory_summary() -> str:
    """Return the numbers of `memory_stats` as a table: 2.6's `mindspore.runtime.memory_summary`.

    >>> print(memory_summary().splitlines()[1])
    |               Memory summary                |
    """
    stats = memory_stats()
    rows = (
        ("Reserved memory", "total_reserved_memory"),
        ("Allocated memory", "total_allocated_memory"),
        ("Idle memory", "total_idle_memory"),
        ("Eager free memory", "total_eager_free_memory"),
        ("Max reserved memory", "max_reserved_memory"),
        ("Max allocated memory", "max_allocated_memory"),
    )
    double, single = f"|{'=' * 45}|", f"|{'-' * 45}|"
    lines = [double, f"|{'Memory summary':^45}|", double, f"| {'Metric':<20} | {'Data':<20} |", single]
    for title, key in rows:
        lines += [f"| {title:<20} | {_size(stats[key]):<20} |", single]
    return "\n".join([*lines[:-1], double, ""])


def _size(count: float) -> str:
    """Bytes as 2.6 prints them: a number of seven places and a unit."""
    unit = 0
    while count >= 1024 and unit < 3:
        count, unit = count / 1024, unit + 1
    text = f"{count:.0f}" if not unit else f"{count:.2f}"
    return f"{text:>6} {('B', 'KB', 'MB', 'GB')[unit]}"


def empty_cache() -> None:
    """Give blocks that are kept for later results back to the system: 2.6's `mindspore.runtime.empty_cache`.

    >>> empty_cache()
    >>> runtime.memory_stats()["cached"]
    0
    """
    gc.collect()
    runtime.trim_memory()


_SIZE = re.compile(r"[1-9][0-9]*(\.)?[0-9]*GB|0\.[0-9]*GB", re.ASCII)


def set_memory(
    init_size: str = "2GB",
    increase_size: str = "2GB",
    max_size: str = "1024GB",
    optimize_level: str = "O0",
    huge_page_reserve_size: str = "0GB",
) -> None:
    """Bound the memory of devices, once: 2.6's `mindspore.runtime.set_memory`.

    Blocks are taken from the system as they are needed, so sizes are checked and remembered only; `max_size` bounds
    what is kept for later results.

    Raises:
        TypeError: an argument that is no str.
        ValueError: a size of another form than "2.5GB", an unknown level.
        RuntimeError: it was called before.
    """
    sizes = {"init_size": init_size, "increase_size": increase_size, "max_size": max_size}
    given = {**sizes, "optimize_level": optimize_level, "huge_page_reserve_size": huge_page_reserve_size}
    for name, value in given.items():
        if not isinstance(value, str):
            errors.fail(TypeError, "set_memory", f"'{name}'", "be of type str", errors.describe(value))
    if CHOSEN.given("set_memory") is None:
        for name in (*sizes, "huge_page_reserve_size"):
            if not _SIZE.fullmatch(given[name]) and given[name] != "0GB":
                errors.fail(ValueError, "set_memory", f"'{name}'", "be a size such as '2.5GB'", repr(given[name]))
        if optimize_level not in ("O0", "O1"):
            errors.fail(ValueError, "set_memory", "'optimize_level'", "be 'O0' or 'O1'", repr(optimize_level))
    CHOSEN.once("set_memory", tuple(given.values()))
    limit = int(float(max_size.removesuffix("GB")) * (1 << 30))
    if limit < runtime.memory_stats()["limit"]:
        runtime.set_memory_limit(limit)


def set_cpu_affinity(enable_affinity: bool, affinity_cpu_list: dict[str, Any] | None = None) -> None:
    """Ask for threads bound to processors, once: 2.6's `mindspore.runtime.set_cpu_affinity`; nothing is bound here.

    Raises:
        TypeError: an argument of the wrong type.
        RuntimeError: it was called before.
    """
    if not isinstance(enable_affinity, bool):
        errors.fail(
            TypeError, "set_cpu_affinity", "'enable_affinity'", "be of type bool", errors.describe(enable_affinity)
        )
    if affinity_cpu_list is not None and not isinstance(affinity_cpu_list, dict):
        got = errors.describe(affinity_cpu_list)
        errors.fail(TypeError, "set_cpu_affinity", "'affinity_cpu_list'", "be of type dict", got)
    CHOSEN.once("set_cpu_affinity", enable_affinity)


def _count(function: str, name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        errors.fail(TypeError, function, f"'{name}'", "be of type int", errors.describe(value))
    if value < 1:
        errors.fail(ValueError, function, f"'{name}'", "be at least 1", errors.describe(value))


def dispatch_threads_num(threads_num: int) -> None:
    """Set the number of threads that hand out operators, once: 2.6's `mindspore.runtime.dispatch_threads_num`.

    The caller's thread hands them out here; the number is remembered only.

    Raises:
        TypeError: no int.
        ValueError: less than 1.
        RuntimeError: it was called before.
    """
    _count("dispatch_threads_num", "threads_num", threads_num)
    CHOSEN.once("dispatch_threads_num", threads_num)


def set_kernel_launch_group(thread_num: int = 2, kernel_group_num: int = 8) -> None:
    """Set how operators are launched in groups, once: 2.6's `mindspore.runtime.set_kernel_launch_group`.

    Operators run one after another here; the numbers are remembered only.

    Raises:
        TypeError: no int.
        ValueError: less than 1.
        RuntimeError: it was called before.
    """
    _count("set_kernel_launch_group", "thread_num", thread_num)
    _count("set_kernel_launch_group", "kernel_group_num", kernel_group_num)
    CHOSEN.once("set_kernel_launch_group", (thread_num, kernel_group_num))


def synchronize() -> None:
    """Wait until all results are there: 2.6's `mindspore.runtime.synchronize`. They always are.

    >>> synchronize()
    """


def launch_blocking() -> None:
    """Ask that every call waits for its result: 2.6's `mindspore.runtime.launch_blocking`. Each always does.

    >>> launch_blocking()
    """
