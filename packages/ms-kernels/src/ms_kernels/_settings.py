"""The process-wide settings: target, device number, execution mode.  A new thread sees them too."""

from __future__ import annotations

from typing import Any

from ms_kernels.core.dispatch import process_target
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.targets import names, target_named

__all__ = ["GRAPH_MODE", "PYNATIVE_MODE", "Settings", "settings"]

GRAPH_MODE, PYNATIVE_MODE = 0, 1


class Settings:
    """What `mindspore.set_context` and `mindspore.set_device` change; one object a process, `settings`.

    Attributes:
        device_target: name of the target that ops run on; "CPU" at first.
        device_id: number of the device, 0 at first.
        mode: PYNATIVE_MODE (1, at first) or GRAPH_MODE (0).

    Examples:
        >>> settings.device_target, settings.mode
        ('CPU', 1)
    """

    __slots__ = ("_device_id", "_mode", "_name")

    def __init__(self) -> None:
        self._name, self._device_id, self._mode = "CPU", 0, PYNATIVE_MODE

    @property
    def device_target(self) -> str:
        return self._name

    @device_target.setter
    def device_target(self, name: str) -> None:
        process_target.target = target_named(name)
        self._name = name

    @property
    def targets(self) -> tuple[str, ...]:
        """The names that `device_target` may take."""
        return names()

    @property
    def started(self) -> bool:
        """Whether an op has run in this process."""
        return process_target.ran

    @property
    def device_id(self) -> int:
        return self._device_id

    @device_id.setter
    def device_id(self, number: int) -> None:
        if isinstance(number, bool) or not isinstance(number, int):
            fail(TypeError, "set_device", "'device_id'", "be an int", describe(number))
        if not 0 <= number <= 4095:
            fail(ValueError, "set_device", "'device_id'", "be in [0, 4095]", str(number))
        self._device_id = number

    @property
    def mode(self) -> int:
        return self._mode

    @mode.setter
    def mode(self, value: Any) -> None:
        if value not in (GRAPH_MODE, PYNATIVE_MODE) or isinstance(value, bool):
            fail(ValueError, "set_context", "'mode'", "be GRAPH_MODE (0) or PYNATIVE_MODE (1)", describe(value))
        self._mode = value
        process_target.graph = value == GRAPH_MODE


settings = Settings()
