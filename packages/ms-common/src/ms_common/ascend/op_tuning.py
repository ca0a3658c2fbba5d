"""`mindspore.device_context.ascend.op_tuning`: accepted and checked as 2.6 does; nothing is tuned here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ms_common.ascend._calls import CALLS
from ms_kernels.opdef import errors

__all__ = ["aoe_job_type", "aoe_tune_mode", "op_compile"]


def _word(function: str, name: str, value: Any, words: Sequence[Any]) -> None:
    if not CALLS.accepted(function):
        return
    if value not in words:
        errors.fail(ValueError, function, f"'{name}'", f"be one of {list(words)}", errors.describe(value))
    CALLS.once(function, value)


def op_compile(value: bool) -> None:
    """Choose whether operators are compiled anew: 2.6's setting, without effect here.

    Raises:
        ValueError: neither True nor False.
        RuntimeError: the other value was set before.

    Source: ``mindspore.device_context.ascend.op_tuning.op_compile``.
    """
    _word("op_compile", "value", value, (True, False))


def aoe_tune_mode(tune_mode: str) -> None:
    """Choose tuning "online" or "offline": 2.6's setting, without effect here.

    Raises:
        ValueError: another word.
        RuntimeError: the other word was set before.

    Source: ``mindspore.device_context.ascend.op_tuning.aoe_tune_mode``.
    """
    _word("aoe_tune_mode", "tune_mode", tune_mode, ("online", "offline"))


def aoe_job_type(config: str) -> None:
    """Choose what is tuned, "1" subgraphs or "2" operators: 2.6's setting, without effect here.

    Raises:
        ValueError: another word.
        RuntimeError: the other word was set before.

    Source: ``mindspore.device_context.ascend.op_tuning.aoe_job_type``.
    """
    _word("aoe_job_type", "config", config, ("1", "2"))
