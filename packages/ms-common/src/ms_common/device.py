"""Devices and the kernels' threads: `set_device`, `get_current_device`, `set_deterministic`, `device_context.cpu`."""

from __future__ import annotations

from typing import Any, NamedTuple

from ms_common.context import K_CONTEXT, check_supported
from ms_kernels import settings, targets
from ms_kernels.core import runtime
from ms_kernels.opdef import errors

__all__ = [
    "CHOSEN",
    "DeviceInfo",
    "device_count",
    "get_current_device",
    "is_available",
    "set_deterministic",
    "set_device",
    "threads_num",
]


def _typed(function: str, name: str, value: Any, kind: type) -> None:
    if not isinstance(value, kind):
        errors.fail(TypeError, function, f"'{name}'", f"be of type {kind.__name__}", errors.describe(value))


class DeviceInfo(NamedTuple):
    """A device: the target's name and the number of the device; prints as 2.6's."""

    device_target: str
    device_id: int

    def __repr__(self) -> str:
        return repr((self.device_target, self.device_id))


class _Chosen:
    """What `set_device`, `set_deterministic` and other settings of once a process were given."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}

    def given(self, name: str) -> Any:
        """The value that a setting has, None before."""
        return self._values.get(name)

    def once(self, name: str, value: Any) -> None:
        """Note a value; RuntimeError when there is one."""
        if name in self._values:
            raise RuntimeError(f"For '{name}', the setting must be made once, but got {value!r} as a second one.")
        self._values[name] = value

    def reset(self) -> None:
        """Forget everything: what a new process does."""
        self._values.clear()


CHOSEN = _Chosen()


def set_device(device_target: str, device_id: int | None = None) -> None:
    """Choose the device that runs the operators: 2.6's `mindspore.set_device`.

    It can be called once a process, before any operator has run; again only with the same device.

    Args:
        device_target: "CPU" or "Ascend", the emulated NPU; "GPU" is not supported.
        device_id: number of the device, 0 or more; None is device 0.

    Raises:
        TypeError: an argument of the wrong type.
        ValueError: an unknown target, or a negative number.
        RuntimeError: the target is not supported here, another device was chosen, an operator has run.

    >>> from ms_common.device import get_current_device, set_device
    >>> get_current_device().device_target
    'CPU'
    """
    _typed("set_device", "device_target", device_target, str)
    if device_id is not None:
        _typed("set_device", "device_id", device_id, int)
    if device_target not in ("CPU", "GPU", "Ascend"):
        errors.fail(
            ValueError,
            "set_device",
            "'device_target'",
            "be one of ['CPU', 'GPU', 'Ascend']",
            errors.describe(device_target),
        )
    if device_id is not None and device_id < 0:
        errors.fail(ValueError, "set_device", "'device_id'", "be at least 0", errors.describe(device_id))
    target, number = check_supported("set_device", device_target), int(device_id or 0)
    if CHOSEN.given("set_device") == (target, number):
        return
    if CHOSEN.given("set_device") is None and settings.started:
        raise RuntimeError("For 'set_device', the device must be chosen before an operator runs, but one has run.")
    CHOSEN.once("set_device", (target, number))
    settings.device_target = target
    settings.device_id = number


def get_current_device() -> DeviceInfo:
    """Return target and number of the device in use: 2.6's `mindspore.get_current_device`.

    >>> from ms_common.device import get_current_device
    >>> get_current_device().device_target
    'CPU'
    """
    return DeviceInfo(settings.device_target, settings.device_id)


def set_deterministic(deterministic: bool) -> None:
    """Ask for results that are equal in every run: 2.6's `mindspore.set_deterministic`; once a process.

    The kernels' results always are for a given number of threads; the environment variables that 2.6 sets for its
    libraries (HCCL_DETERMINISTIC, TE_PARALLEL_COMPILER) are set, or contrary ones removed, as well.

    Raises:
        TypeError: the argument is not a bool.
        RuntimeError: it was called before.
    """
    _typed("set_deterministic", "deterministic", deterministic, bool)
    CHOSEN.once("set_deterministic", deterministic)
    K_CONTEXT.fix("deterministic", "ON" if deterministic else "OFF")


def threads_num(num: int) -> None:
    """Set the size of the kernels' thread pool, once: 2.6's `mindspore.device_context.cpu.op_tuning.threads_num`.

    Raises:
        TypeError: `num` is not an int (a bool is none).
        ValueError: `num` is less than 1.
        RuntimeError: it was called before.
    """
    if isinstance(num, bool):
        errors.fail(TypeError, "threads_num", "'num'", "be of type int", errors.describe(num))
    _typed("threads_num", "num", num, int)
    if num < 1:
        errors.fail(ValueError, "threads_num", "'num'", "be at least 1", errors.describe(num))
    CHOSEN.once("threads_num", num)
    runtime.set_threads(num)


def is_available() -> bool:
    """Whether the CPU can be used: 2.6's `mindspore.device_context.cpu.is_available`.

    >>> from ms_common.device import is_available
    >>> is_available()
    True
    """
    return "CPU" in targets.names()


def device_count() -> int:
    """The number of CPU devices: 2.6's `mindspore.device_context.cpu.device_count`.

    >>> from ms_common.device import device_count
    >>> device_count()
    1
    """
    return 1
