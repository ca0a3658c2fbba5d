"""Checks of the arguments of `jit` itself."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["JitArguments", "check_arguments"]

_LOG = logging.getLogger("ms_jit")

_CAPTURES = ["ast", "bytecode", "trace"]
_LEVELS = ["O0", "O1"]
_BACKENDS = ["ms_backend", "GE"]

# option -> (its type, the backends that heed it)
_OPTIONS: dict[str, tuple[type, list[str]]] = {
    "disable_format_transform": (bool, ["ms_backend"]),
    "exec_order": (str, ["ms_backend"]),
    "ge_options": (dict, ["GE"]),
    "infer_boost": (str, ["ms_backend"]),
}
_VALUES = {"exec_order": ["bfs", "dfs"], "infer_boost": ["on", "off"]}
_GE_KEYS = ["global", "session"]
# parameters of older versions -> what stands for them now
_OLD = {
    "compile_once": None,
    "hash_args": None,
    "input_signature": "dynamic",
    "jit_config": "jit_level, fullgraph or options",
    "mode": "capture_mode",
}
_SILENT = {"hash_args"}


@dataclass(frozen=True)
class JitArguments:
    """What `jit` was asked for, checked.

    Attributes:
        capture_mode: "ast", "bytecode" or "trace".
        jit_level: "O0" or "O1".
        dynamic: whether shapes are generalised when they change.
        fullgraph: whether what cannot be captured is an error.
        backend: "ms_backend", or "GE" when it was named.
        options: those that the backend heeds.
        old: values given for parameters of older versions.
    """

    capture_mode: str = "ast"
    jit_level: str = "O0"
    dynamic: bool = False
    fullgraph: bool = False
    backend: str = "ms_backend"
    options: Mapping[str, Any] = field(default_factory=dict)
    old: Mapping[str, Any] = field(default_factory=dict)


def check_arguments(
    capture_mode: str = "ast",
    jit_level: str = "O0",
    dynamic: int = 0,
    fullgraph: bool = False,
    backend: str = "",
    options: Mapping[str, Any] | None = None,
) -> JitArguments:
    """Check the arguments of `jit`, in 2.6's order and words.

    Options that the backend does not heed are left out, with a warning in the log; so are unknown ones.

    Raises:
        TypeError: `dynamic` is no int, `fullgraph` no bool, or an option has the wrong type.
        ValueError: any other value is not among those allowed.

    >>> check_arguments(jit_level="O1").backend
    'ms_backend'
    >>> check_arguments(jit_level="O2")
    Traceback (most recent call last):
        ...
    ValueError: For 'jit', the 'jit_level' must be str and must be in '['O0', 'O1']', but got 'O2'.
    """
    _among("capture_mode", capture_mode, _CAPTURES)
    _among("jit_level", jit_level, _LEVELS)
    if isinstance(dynamic, bool) or not isinstance(dynamic, int):
        raise TypeError(f"For 'jit', the 'dynamic' must be 'int',  but got '{type(dynamic).__name__}'.")
    if dynamic not in (0, 1):
        raise ValueError(f"For 'jit', the 'dynamic' must be in range of [0, 1], but got {dynamic} with type 'int'.")
    if not isinstance(fullgraph, bool):
        raise TypeError(f"For 'jit', the 'fullgraph' must be a bool, but got {type(fullgraph).__name__}.")
    if backend != "":
        _among("backend", backend, _BACKENDS)
    chosen = backend or "ms_backend"
    given = dict(options or {})
    old = {name: given.pop(name) for name in _OLD if name in given}
    for name in old.keys() - _SILENT:
        now = f" Please use the parameter '{_OLD[name]}' instead." if _OLD[name] else ""
        _LOG.warning("For 'jit', the parameter '%s' has been deprecated.%s", name, now)
    return JitArguments(capture_mode, jit_level, bool(dynamic), fullgraph, chosen, _check_options(given, chosen), old)


def _among(name: str, value: object, choices: list[str]) -> None:
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"For 'jit', the '{name}' must be str and must be in '{choices}', but got '{value}'.")


def _check_options(options: dict[str, Any], backend: str) -> dict[str, Any]:
    """The options that the backend heeds."""
    heeded = {}
    for name, value in options.items():
        if name not in _OPTIONS:
            _LOG.warning("For 'jit(options)', the option argument '%s' is not recognized, please check!", name)
            continue
        kind, backends = _OPTIONS[name]
        if not isinstance(value, kind):
            raise TypeError(f"For 'jit(options)', the type of '{name}' must be {kind.__name__}, but got {type(value)}.")
        if name in _VALUES and value not in _VALUES[name]:
            raise ValueError(f"For '{name}', the value of '{name}' must be one of {_VALUES[name]}, but got '{value}'.")
        if kind is dict:
            _check_ge_options(value)
        if backend in backends:
            heeded[name] = value
        else:
            _LOG.warning(
                "For 'jit(options)', the option '%s' is only support backend in '%s', but got '%s', ignore it.",
                name,
                backends,
                backend,
            )
    json.dumps(options)  # a graph is stored under its options, so even those that are ignored must be plain data
    return heeded


def _check_ge_options(options: Any) -> None:
    for level, values in options.items():
        if level not in _GE_KEYS:
            raise ValueError(f"For 'ge_options', the key of 'ge_options' must be one of {_GE_KEYS}, but got '{level}'.")
        if not isinstance(values, dict):
            raise TypeError(
                f"For 'ge_options', the type of {level} options must be dict, but got {type(values)}. "
                f"The error options: {values}."
            )
        for key, value in values.items():
            for what, text in (("key", key), ("value", value)):
                if not isinstance(text, str):
                    end = "." if what == "key" else ""
                    raise TypeError(
                        "For 'ge_options', the type of key and value must be str, "
                        f"but got {type(text)}. The error {what} is {text}{end}"
                    )
