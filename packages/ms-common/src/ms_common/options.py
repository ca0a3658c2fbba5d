"""The keywords of `set_context`: one row each, with 2.6's types, ranges and defaults."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ms_kernels.opdef import errors

__all__ = ["DEVICES", "OPTIONS", "Option"]

DEVICES = ("CPU", "GPU", "Ascend", "Davinci")


_SIZE = re.compile(r"\d+(\.\d+)?GB")


def _gigabytes(value: str) -> float:
    return float(value[:-2])


@dataclass(frozen=True)
class Option:
    """A keyword of `set_context`.

    Attributes:
        kinds: the Python types that a value may have.
        default: what `get_context` gives before anything was set.
        choices: the values that it may have, when these can be listed.
        low, high: bounds of a number, both included.
        instead: the 2.6 interface that replaces the keyword, for those which 2.6 calls deprecated.
        convert: turns what is set into what `get_context` gives.
        effective: whether anything here depends on the value; others are checked and remembered only.
    """

    kinds: tuple[type, ...]
    default: Any
    choices: tuple[Any, ...] | None = None
    low: int | None = None
    high: int | None = None
    instead: str | None = None
    convert: Callable[[Any], Any] | None = None
    effective: bool = False

    def check(self, name: str, value: Any) -> None:
        """Raise TypeError or ValueError, as 2.6, when `value` cannot be set."""
        fits: bool = isinstance(value, self.kinds)
        if value is not None and not fits:
            kinds = " or ".join(kind.__name__ for kind in self.kinds)
            errors.fail(TypeError, "set_context", f"'{name}'", f"be of type {kinds}", errors.describe(value))
        if self.choices is not None and value not in self.choices:
            choices = ", ".join(repr(c) for c in self.choices)
            errors.fail(ValueError, "set_context", f"'{name}'", f"be one of [{choices}]", errors.describe(value))
        if value is None:
            errors.fail(ValueError, "set_context", f"'{name}'", "be given", "None")
        too_low = self.low is not None and value < self.low
        if too_low or (self.high is not None and value > self.high):
            bounds = f"at least {self.low}" if self.high is None else f"in the range [{self.low}, {self.high}]"
            errors.fail(ValueError, "set_context", f"'{name}'", f"be {bounds}", errors.describe(value))
        if self.convert is _gigabytes and not _SIZE.fullmatch(value):
            errors.fail(ValueError, "set_context", f"'{name}'", "be a size such as '3.5GB'", errors.describe(value))


def _flag(default: Any = False, instead: str | None = None) -> Option:
    return Option((bool,), default, instead=instead)


def _text(default: str = "", *choices: str, instead: str | None = None) -> Option:
    return Option((str,), default, choices or None, instead=instead)


_MEMORY = "mindspore.runtime.set_memory()"

OPTIONS: Mapping[str, Option] = MappingProxyType(
    {
        "mode": Option((int,), 1, (0, 1), effective=True),
        "device_target": Option((str,), "CPU", DEVICES, instead="mindspore.set_device()", effective=True),
        "device_id": Option((int,), 0, low=0, high=4095, instead="mindspore.set_device()", effective=True),
        "runtime_num_threads": Option(
            (int,), 0, low=0, instead="mindspore.device_context.cpu.op_tuning.threads_num()", effective=True
        ),
        "deterministic": Option((str,), "OFF", ("ON", "OFF"), instead="mindspore.set_deterministic()", effective=True),
        # What a graph compiler, or a device that is not here, would act upon.
        "jit_level": _text(),
        "jit_config": Option((dict,), {}),
        "jit_syntax_level": Option((int,), 2, (0, 2)),
        "debug_level": Option((int,), 0, (0, 1), instead="nothing"),
        "save_graphs": Option(
            (bool, int), 0, low=0, high=3, instead="the environment variable MS_DEV_SAVE_GRAPHS", convert=int
        ),
        "save_graphs_path": _text(".", instead="the environment variable MS_DEV_SAVE_GRAPHS_PATH"),
        "precompile_only": _flag(instead="the environment variable MS_DEV_PRECOMPILE_ONLY"),
        "enable_compile_cache": _flag(None, instead="the environment variable MS_COMPILER_CACHE_ENABLE"),
        "compile_cache_path": _text(instead="the environment variable MS_COMPILER_CACHE_PATH"),
        "max_call_depth": Option((int,), 1000, low=1, instead="mindspore.set_recursion_limit()"),
        "enable_graph_kernel": _flag(instead="jit_config={'jit_level': 'O1'}"),
        "graph_kernel_flags": _text(),
        "exec_order": _text("bfs", "bfs", "dfs"),
        "check_bprop": _flag(instead="nothing"),
        "grad_for_scalar": _flag(instead="a derivative by a tensor"),
        "reserve_class_name_in_scope": _flag(True),
        "infer_boost": _text("off"),
        "inter_op_parallel_num": Option((int,), 0, low=0, instead="mindspore.runtime.dispatch_threads_num()"),
        "pynative_synchronize": _flag(instead="mindspore.runtime.launch_blocking()"),
        "memory_optimize_level": Option((str,), 0, ("O0", "O1"), instead=_MEMORY, convert=("O0", "O1").index),
        "max_device_memory": Option((str,), 1024.0, instead=_MEMORY, convert=_gigabytes),
        "mempool_block_size": Option((str,), 1.0, instead=_MEMORY, convert=_gigabytes),
        "memory_offload": Option(
            (str,), False, ("ON", "OFF"), instead="the device parameter of mindspore.Parameter", convert="ON".__eq__
        ),
        "variable_memory_max_size": _text("0", instead=_MEMORY),
        "ascend_config": Option((dict,), {}, instead="mindspore.device_context.ascend", effective=True),
        "gpu_config": Option((dict,), {}, instead="mindspore.device_context.gpu"),
        "enable_reduce_precision": _flag(True),
        "op_timeout": Option((int,), 900, low=0, instead="mindspore.device_context.ascend.op_debug.execute_timeout()"),
        "aoe_tune_mode": _text("", "online", "offline"),
        "aoe_config": Option((dict,), {}),
        "print_file_path": _text(),
        "env_config_path": _text(),
        "disable_format_transform": _flag(),
        "support_binary": _flag(),
    }
)
