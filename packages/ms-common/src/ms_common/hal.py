"""`mindspore.hal`: what devices there are, and their memory."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ms_common import runtime
from ms_common.runtime import empty_cache, synchronize
from ms_kernels import settings
from ms_kernels.opdef import errors

__all__ = [
    "device_count",
    "empty_cache",
    "get_arch_list",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "is_available",
    "is_initialized",
    "synchronize",
]
_MEMORY = (
    "memory_stats memory_summary memory_allocated max_memory_allocated reset_max_memory_allocated "
    "memory_reserved max_memory_reserved reset_max_memory_reserved reset_peak_memory_stats"
)
__all__ += _MEMORY.split()

_logger = logging.getLogger("ms_common.hal")
_TARGETS = ("CPU", "GPU", "Ascend")


def _known(function: str, target: Any) -> str:
    if target not in _TARGETS:
        rule = f"be one of {list(_TARGETS)}"
        errors.fail(ValueError, function, "'device_target'", rule, errors.describe(target))
    return str(target)


def _target(function: str, target: Any) -> str:
    """The target asked for, by default the one in use; ValueError when it is not there."""
    if target is None:
        return settings.device_target
    if not isinstance(target, str):
        errors.fail(TypeError, function, "'device_target'", "be of type str", errors.describe(target))
    if not is_available(_known(function, target)):
        errors.fail(ValueError, function, "'device_target'", "be available here", errors.describe(target))
    return str(target)


def _device(function: str, number: Any, target: Any) -> str:
    if isinstance(number, bool) or not isinstance(number, int):
        errors.fail(TypeError, function, "'device_id'", "be of type int", errors.describe(number))
    found = _target(function, target)
    if number < 0:
        errors.fail(ValueError, function, "'device_id'", "not be negative", errors.describe(number))
    if number >= device_count(found):
        errors.fail(ValueError, function, "'device_id'", f"be below {device_count(found)}", errors.describe(number))
    return found


def is_available(device_target: str) -> bool:
    """Whether a target can be used: 2.6's `mindspore.hal.is_available`. "Ascend" is emulated, so it can.

    Raises:
        ValueError: an unknown target.

    >>> is_available("CPU"), is_available("Ascend"), is_available("GPU")
    (True, True, False)
    """
    return _known("is_available", device_target) in settings.targets


def is_initialized(device_target: str) -> bool:
    """Whether operators have run on a target: 2.6's `mindspore.hal.is_initialized`.

    Raises:
        ValueError: an unknown target.

    >>> is_initialized("GPU")
    False
    """
    return _known("is_initialized", device_target) == settings.device_target and settings.started


def device_count(device_target: str | None = None) -> int:
    """Return the number of devices of a target, by default the one in use: 2.6's `mindspore.hal.device_count`.

    Raises:
        TypeError: the target is no str.
        ValueError: an unknown target, or one that is not here.

    >>> device_count("CPU")
    1
    """
    _target("device_count", device_target)
    return 1


def _nothing(function: str, target: str) -> None:
    _logger.warning("For '%s', %s has no answer; None is returned.", function, target, stacklevel=3)


def get_arch_list(device_target: str | None = None) -> Any:
    """Return None, as 2.6's `mindspore.hal.get_arch_list` does for all targets but GPU.

    Raises:
        ValueError: an unknown target, or one that is not here.
    """
    return _nothing("get_arch_list", _target("get_arch_list", device_target))


def get_device_capability(device_id: int, device_target: str | None = None) -> Any:
    """Return None, as 2.6's `mindspore.hal.get_device_capability` does for all targets but GPU.

    Raises:
        ValueError: an unknown target or device.
    """
    return _nothing("get_device_capability", _device("get_device_capability", device_id, device_target))


def get_device_name(device_id: int, device_target: str | None = None) -> str:
    """Return the name of a device: 2.6's `mindspore.hal.get_device_name`.

    Raises:
        TypeError: the number is no int.
        ValueError: an unknown target or device.

    >>> get_device_name(0, "CPU"), get_device_name(0, "Ascend")
    ('CPU', 'Ascend910B')
    """
    target = _device("get_device_name", device_id, device_target)
    return target if target == "CPU" else _chip().name.capitalize().replace("b", "B").replace("p", "P")


def _chip() -> Any:
    from ms_kernels.targets.ascend import PROFILES, get_profile

    return PROFILES[get_profile()]


@dataclass(frozen=True)
class AscendDeviceProperties:
    """What `get_device_properties` tells of an NPU: sizes in bytes."""

    name: str
    total_memory: int
    free_memory: int


def get_device_properties(device_id: int, device_target: str | None = None) -> Any:
    """Return name, size of the memory and free memory of an NPU: 2.6's `mindspore.hal.get_device_properties`.

    The size is that of the emulated chip, what is used is what the kernels' pool holds. For a CPU None is returned.

    Raises:
        TypeError: the number is no int.
        ValueError: an unknown target or device.

    >>> found = get_device_properties(0, "Ascend")
    >>> found.name, 0 < found.free_memory <= found.total_memory
    ('Ascend910B', True)
    """
    target = _device("get_device_properties", device_id, device_target)
    if target == "CPU":
        return _nothing("get_device_properties", target)
    total = _chip().memory
    return AscendDeviceProperties(get_device_name(0, target), total, max(total - runtime.memory_reserved(), 0))


def _by_target(function: Callable[[], Any]) -> Callable[..., Any]:
    """A function of `mindspore.runtime` as 2.6's `mindspore.hal` has it, with the target as an argument."""
    name = function.__name__

    def call(device_target: str | None = None) -> Any:
        _target(name, device_target)
        return function()

    call.__name__ = call.__qualname__ = name
    call.__doc__ = (
        f"Return `mindspore.runtime.{name}()`, for a target that must be here: 2.6's `mindspore.hal.{name}`.\n\n"
        "Raises:\n    TypeError: the target is no str.\n    ValueError: an unknown target, or one that is not here."
    )
    return call


memory_stats = _by_target(runtime.memory_stats)
memory_summary = _by_target(runtime.memory_summary)
memory_allocated = _by_target(runtime.memory_allocated)
max_memory_allocated = _by_target(runtime.max_memory_allocated)
reset_max_memory_allocated = _by_target(runtime.reset_max_memory_allocated)
memory_reserved = _by_target(runtime.memory_reserved)
max_memory_reserved = _by_target(runtime.max_memory_reserved)
reset_max_memory_reserved = _by_target(runtime.reset_max_memory_reserved)
reset_peak_memory_stats = _by_target(runtime.reset_peak_memory_stats)
