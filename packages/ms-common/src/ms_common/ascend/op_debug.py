"""`mindspore.device_context.ascend.op_debug`: accepted and checked as 2.6 does; nothing here times out or watches."""

from __future__ import annotations

from typing import Any

from ms_common.ascend._calls import CALLS, typed
from ms_kernels.opdef import errors

__all__ = ["aclinit_config", "debug_option", "execute_timeout"]

_ACL = ("max_opqueue_num", "err_msg_mode", "dump")


def execute_timeout(op_timeout: int) -> None:
    """Set the seconds after which an operator counts as hanging: 2.6's setting, without effect here.

    Raises:
        TypeError: no int.
        ValueError: a negative number.
        RuntimeError: another number was set before.

    Source: ``mindspore.device_context.ascend.op_debug.execute_timeout``.
    """
    typed("execute_timeout", "op_timeout", op_timeout, int)
    if not CALLS.accepted("execute_timeout"):
        return
    if op_timeout < 0:
        errors.fail(ValueError, "execute_timeout", "'op_timeout'", "be at least 0", errors.describe(op_timeout))
    CALLS.once("execute_timeout", op_timeout)


def debug_option(option_value: str) -> None:
    """Choose a check of operators, "oom": 2.6's setting, without effect here.

    Raises:
        ValueError: another word.
        RuntimeError: another word was set before.

    Source: ``mindspore.device_context.ascend.op_debug.debug_option``.
    """
    if not CALLS.accepted("debug_option"):
        return
    if option_value != "oom":
        errors.fail(ValueError, "debug_option", "'option_value'", "be 'oom'", errors.describe(option_value))
    CALLS.once("debug_option", option_value)


def aclinit_config(config: dict[str, Any]) -> None:
    """Hand settings to the driver (max_opqueue_num, err_msg_mode, dump): 2.6's setting, without effect here.

    It may be called again.

    Raises:
        TypeError: no dict, max_opqueue_num or err_msg_mode no str, dump no dict.
        ValueError: another key, another err_msg_mode than "0" and "1".

    Source: ``mindspore.device_context.ascend.op_debug.aclinit_config``.
    """
    function = "aclinit_config"
    if not CALLS.accepted(function):
        return
    typed(function, "config", config, dict)
    for key, value in config.items():
        if key not in _ACL:
            errors.fail(ValueError, function, "'config'", f"have keys of {list(_ACL)}", errors.describe(key))
        typed(function, key, value, dict if key == "dump" else str)
        if key == "err_msg_mode" and value not in ("0", "1"):
            errors.fail(ValueError, function, "'err_msg_mode'", "be '0' or '1'", errors.describe(value))
