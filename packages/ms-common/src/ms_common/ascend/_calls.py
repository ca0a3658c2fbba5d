"""What the settings of the Ascend target share: the first call on another target, values that are set once."""

from __future__ import annotations

import logging
from typing import Any

from ms_kernels import settings
from ms_kernels.opdef import errors
from ms_kernels.targets.ascend.rules import rule

__all__ = ["CALLS", "Calls", "typed"]

_logger = logging.getLogger("ms_common.ascend")


def typed(function: str, name: str, value: Any, kind: type) -> None:
    """TypeError unless a value has a type, as 2.6's checks of arguments, which come before all others."""
    if not isinstance(value, kind):
        errors.fail(TypeError, function, f"'{name}'", f"be of type {kind.__name__}", errors.describe(value))


class Calls:
    """Which settings were called, and what they were given."""

    def __init__(self) -> None:
        self._called: set[str] = set()
        self._given: dict[str, Any] = {}

    @rule("AN-KNOB-10", "MS python/mindspore/device_context/ascend/op_precision.py, device.py", "source")
    def accepted(self, name: str) -> bool:
        """On a CPU or GPU target the first call of each function of op_precision, op_tuning and op_debug logs an error
        and returns; later calls check and store."""
        first = name not in self._called
        self._called.add(name)
        if not first or settings.device_target == "Ascend":
            return True
        _logger.error("For '%s', the target must be Ascend, but got %s.", name, settings.device_target, stacklevel=3)
        return False

    @rule("AN-KNOB-11", "MS python/mindspore/device_context/ascend/op_tuning.py, op_debug.py", "source")
    def once(self, name: str, value: Any) -> None:
        """op_tuning and op_debug: accepted and validated, once per setting except aclinit_config; no numeric effect.

        Raises:
            RuntimeError: the setting was made before with another value.
        """
        if name in self._given and self._given[name] != value:
            raise RuntimeError(
                f"For '{name}', the value must be set once, but got {value!r} after {self._given[name]!r}."
            )
        self._given[name] = value

    def given(self, name: str) -> Any:
        """The value of a setting, None before it was made."""
        return self._given.get(name)

    def reset(self) -> None:
        """Forget everything: what a new process does."""
        self._called.clear()
        self._given.clear()


CALLS = Calls()
