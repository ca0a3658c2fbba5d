"""`mindspore.context`: `set_context` and `get_context` over the process-wide settings of ms-kernels.

>>> from ms_common import context
>>> context.set_context(mode=context.PYNATIVE_MODE)
>>> context.get_context("mode"), context.get_context("device_target")
(1, 'CPU')
"""

from __future__ import annotations

import logging
import os
from typing import Any

from ms_common.options import OPTIONS
from ms_kernels import settings, targets
from ms_kernels.core import runtime
from ms_kernels.opdef import errors

__all__ = ["COMPATIBLE", "GRAPH_MODE", "LAX", "PYNATIVE_MODE", "STRICT", "get_context", "set_context"]

GRAPH_MODE = 0
PYNATIVE_MODE = 1
STRICT = 0
COMPATIBLE = 1
LAX = 2
RELEASE = 0
DEBUG = 1

_logger = logging.getLogger("ms_common.context")


def check_supported(function: str, target: str) -> str:
    """Return the target's own name; RuntimeError, as 2.6, when this installation cannot run on it."""
    name = "Ascend" if target == "Davinci" else target
    if name not in targets.names():
        raise RuntimeError(
            f"For '{function}', the 'device_target' must be one that this process supports "
            f"({', '.join(targets.names())}), but got '{target}'. Unsupported device target {target}."
        )
    return name


def emulator() -> Any:
    """The emulated NPU of this process."""
    from ms_kernels.targets.ascend.target import emulator as found

    return found


def tell_libraries(deterministic: bool) -> None:
    """Set the variables by which 2.6 asks its libraries for determinism, or remove those that say otherwise."""
    for name, on, off in (("HCCL_DETERMINISTIC", "true", "false"), ("TE_PARALLEL_COMPILER", "1", "0")):
        if deterministic:
            os.environ[name] = on
        elif os.environ.get(name, off) != off:
            _logger.warning("'%s' is removed, since it asks for what 'deterministic' turns off.", name, stacklevel=4)
            del os.environ[name]


class _Context:
    """What `set_context` set; settings that the kernels read live in `ms_kernels.settings`."""

    def __init__(self) -> None:
        self._kept: dict[str, Any] = {}
        self._fixed: set[str] = set()

    def get(self, key: str) -> Any:
        if key in ("mode", "device_target", "device_id"):
            return getattr(settings, key)
        if key == "runtime_num_threads":
            return runtime.get_threads()
        return self._kept.get(key, OPTIONS[key].default)

    def set(self, key: str, value: Any) -> None:
        if key == "device_target":
            settings.device_target = check_supported("set_context", value)
        elif key == "device_id":
            if settings.started and value != settings.device_id:  # 2.6 has a TypeError for it
                fixed = f"stay {settings.device_id} once an operator has run"
                errors.fail(TypeError, "set_context", "'device_id'", fixed, errors.describe(value))
            settings.device_id = int(value)
        elif key == "mode":
            settings.mode = int(value)
        elif key == "ascend_config":
            if settings.device_target == "Ascend":
                self._kept[key] = {**self._kept.get(key, {}), **value}
                emulator().precision.configure(value)
        elif key == "runtime_num_threads":
            runtime.set_threads(value or runtime.get_threads())
        elif key not in self._fixed:
            convert = OPTIONS[key].convert
            self._kept[key] = value if convert is None else convert(value)
            if key == "deterministic":
                tell_libraries(value == "ON")

    def fix(self, key: str, value: Any) -> None:
        """Set a value that `set_context` cannot change any more."""
        self._fixed.discard(key)
        self.set(key, value)
        self._fixed.add(key)

    def reset(self) -> None:
        """Forget what was set; the kernels' own settings stay."""
        self._kept.clear()
        self._fixed.clear()


K_CONTEXT = _Context()


class MSContext:
    """The part of 2.6's internal context that programs ask: which chip the device is."""

    @staticmethod
    def get_instance() -> MSContext:
        """The one object of the process."""
        return _MS_CONTEXT

    def get_ascend_soc_version(self) -> str:
        """The soc string of the emulated chip in use; empty on other targets.

        >>> MSContext.get_instance().get_ascend_soc_version()
        ''
        """
        return str(emulator().profile) if settings.device_target == "Ascend" else ""


_MS_CONTEXT = MSContext()


def set_context(**kwargs: Any) -> None:
    """Set properties of the running environment: 2.6's `mindspore.set_context`.

    These have an effect: `mode` (GRAPH_MODE or PYNATIVE_MODE), `device_target`, `device_id`, `runtime_num_threads`
    (size of the kernels' thread pool; 0 leaves it as it is), `deterministic`, and on the Ascend target `ascend_config`
    (its precision settings). All other keywords of 2.6 are checked and remembered for `get_context`; a warning says
    that nothing depends on them. Keywords that 2.6 calls deprecated log a warning, too.

    Raises:
        ValueError: an unknown keyword, or a value outside its range.
        TypeError: a value of the wrong type.
        RuntimeError: a device target that is not supported.

    All keywords and values are checked before any is set.

    >>> import ms_common.context as context
    >>> context.set_context(mode=2)
    Traceback (most recent call last):
    ...
    ValueError: For 'set_context', the 'mode' must be one of [0, 1], but got 2 (int).
    """
    for key in kwargs:
        if key not in OPTIONS:
            raise ValueError(f"For 'set_context', the keyword must be a setting of 2.6, but got '{key}'.")
    for key, value in kwargs.items():
        OPTIONS[key].check(key, value)
        if key == "device_target":
            check_supported("set_context", value)
        if key == "ascend_config":
            target = kwargs.get("device_target", settings.device_target)
            if target not in ("Ascend", "Davinci"):
                _logger.warning("For 'set_context', 'ascend_config' is ignored on %s.", target, stacklevel=2)
                continue
            from ms_common.ascend_config import check_config  # loads the emulated NPU

            check_config(value)
    for key, value in kwargs.items():
        option = OPTIONS[key]
        if not option.effective:
            _logger.warning("For 'set_context', '%s' has no effect: its value is only remembered.", key, stacklevel=2)
        elif option.instead is not None:
            _logger.warning(
                "For 'set_context', '%s' is deprecated since 2.6, use %s instead.", key, option.instead, stacklevel=2
            )
        K_CONTEXT.set(key, value)


def get_context(attr_key: str) -> Any:
    """Return a property of the running environment by its name: 2.6's `mindspore.get_context`.

    Raises:
        TypeError: `attr_key` is not text.
        ValueError: 2.6 has no such property.

    >>> import ms_common.context as context
    >>> context.get_context("device_id")
    0
    """
    if not isinstance(attr_key, str):
        errors.fail(TypeError, "get_context", "'attr_key'", "be of type str", errors.describe(attr_key))
    if attr_key not in OPTIONS:
        raise ValueError(f"For 'get_context', the 'attr_key' must be a setting of 2.6, but got '{attr_key}'.")
    return K_CONTEXT.get(attr_key)
