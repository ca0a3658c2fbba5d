"""The keys of ``set_context(ascend_config={...})``: one row each, with what 2.6 accepts."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from ms_kernels.opdef import errors
from ms_kernels.targets.ascend.precision import check_flag, check_mode
from ms_kernels.targets.ascend.rules import rule

__all__ = ["CONFIG", "DEBUG_OPTIONS", "check_config", "check_type"]

DEBUG_OPTIONS = ("oom",)
_ORDERS = ("bfs", "dfs", "rdfs")


def check_type(name: str, value: Any, *kinds: type) -> None:
    """TypeError for a value of another type; a bool counts as an int only where bool is asked for."""
    fits = isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))
    if not fits:
        words = " or ".join(kind.__name__ for kind in kinds)
        errors.fail(TypeError, "set_context", f"'{name}'", f"be of type {words}", errors.describe(value))


def _typed(*kinds: type) -> Callable[[str, Any], None]:
    return lambda name, value: check_type(name, value, *kinds)


def _one_of(kind: type, *words: Any) -> Callable[[str, Any], None]:
    def check(name: str, value: Any) -> None:
        check_type(name, value, kind)
        if value not in words:
            errors.fail(ValueError, "set_context", f"'{name}'", f"be one of {list(words)}", errors.describe(value))

    return check


def _path(name: str, value: Any) -> None:
    check_type(name, value, str)
    if not os.path.exists(value):
        errors.fail(ValueError, "set_context", f"'{name}'", "be the path of a file", errors.describe(value))


def _mode(name: str, value: Any) -> None:
    check_type(name, value, str)
    check_mode(name, value)


def _options(name: str, value: Any) -> None:
    check_type(name, value, dict)
    for level, settings in value.items():
        if level not in ("global", "session"):
            rule_text = "have the keys 'global' and 'session'"
            errors.fail(ValueError, "set_context", f"'{name}'", rule_text, errors.describe(level))
        check_type(name, settings, dict)
        for key, word in settings.items():
            check_type(name, key, str)
            check_type(name, word, str)


def _order(name: str, value: Any) -> None:
    check_type(name, value, dict)
    for graph, order in value.items():
        check_type(name, graph, str)
        if order not in _ORDERS:
            errors.fail(
                ValueError, "set_context", f"'{name}'", f"have values of {list(_ORDERS)}", errors.describe(order)
            )


_FLAG, _COUNT = _one_of(bool, True, False), _typed(int)
CONFIG: Mapping[str, Callable[[str, Any], None]] = MappingProxyType(
    {
        "precision_mode": _mode,
        "jit_compile": _FLAG,
        "atomic_clean_policy": _one_of(int, 0, 1),
        "matmul_allow_hf32": check_flag,
        "conv_allow_hf32": check_flag,
        "op_precision_mode": _path,
        "op_debug_option": _one_of(str, *DEBUG_OPTIONS),
        "ge_options": _options,
        "parallel_speed_up_json_path": _typed(str, type(None)),
        "host_scheduling_max_threshold": _COUNT,
        "hccl_watchdog": _FLAG,
        "topo_order": _order,
        "cur_step_num": _COUNT,
        "save_checkpoint_steps": _COUNT,
        "need_ckpt": _FLAG,
        "last_triggered_step": _COUNT,
    }
)


@rule("AN-KNOB-06", "MS python/mindspore/context.py", "source")
def check_config(values: Mapping[str, Any]) -> None:
    """set_context(ascend_config={...}): unknown keys (also allow_hf32, and exception_dump, which 2.6 removed) and bad
    values raise ValueError, bad types TypeError; it may be called again. The precision keys at the top level of
    set_context raise ValueError.
    """
    for key, value in values.items():
        if key not in CONFIG:
            rule_text = f"have keys of {list(CONFIG)}"
            errors.fail(ValueError, "set_context", "'ascend_config'", rule_text, errors.describe(key))
        CONFIG[key](key, value)
