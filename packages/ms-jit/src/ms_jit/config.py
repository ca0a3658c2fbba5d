"""`JitConfig`: how a graph is compiled and run (`mindspore.common.jit_config` of 2.6.0)."""

from __future__ import annotations

from typing import Any

__all__ = ["JitConfig"]

_LEVELS = ["O0", "O1", "O2"]
_BACKENDS = {"O0": "ms_backend", "O1": "ms_backend", "O2": "GE"}
# option -> (values that are told, may it be blank)
_CHOICES = {
    "exc_mode": (["auto", "sink", "no_sink"], False),
    "jit_syntax_level": (["STRICT", "LAX"], True),
    "debug_level": (["RELEASE", "DEBUG"], False),
    "infer_boost": (["on", "off"], True),
}


class JitConfig:
    """How a graph is compiled and run (``mindspore.JitConfig``).

    Args:
        jit_level: "O0" (op by op), "O1" (ops fused), "O2" (the whole graph in one call, Ascend only), or "" for the
            level that the target takes by itself.
        exc_mode: "auto", "sink" (the whole graph at once) or "no_sink" (op by op).
        jit_syntax_level: "STRICT" (basic syntax), "LAX" (all that can be done), or "".
        debug_level: "RELEASE" or "DEBUG".
        infer_boost: "on", "off" or "".
        **kwargs: further options; ``backend`` names what runs the graph.

    Without a backend, "O0" and "O1" choose "ms_backend", "O2" chooses "GE"; a given one stays, whatever it is.

    Attributes:
        jit_config_dict: all options by name.

    Raises:
        ValueError: one of the five options has another value.

    >>> JitConfig("O1").jit_config_dict["backend"]
    'ms_backend'
    >>> "backend" in JitConfig().jit_config_dict
    False
    """

    def __init__(
        self,
        jit_level: str = "",
        exc_mode: str = "auto",
        jit_syntax_level: str = "",
        debug_level: str = "RELEASE",
        infer_boost: str = "off",
        **kwargs: Any,
    ) -> None:
        if jit_level != "" and jit_level not in _LEVELS:
            raise ValueError(f"For 'jit_level' must be one of {_LEVELS}.")
        given = dict(zip(_CHOICES, (exc_mode, jit_syntax_level, debug_level, infer_boost), strict=True))
        for name, value in given.items():
            choices, blank = _CHOICES[name]
            if value not in choices and not (blank and value == ""):
                raise ValueError(f"For '{name}' must be one of '{choices}'.")
        self.jit_config_dict: dict[str, Any] = {**kwargs, "jit_level": jit_level, **given}
        if jit_level in _BACKENDS:
            self.jit_config_dict.setdefault("backend", _BACKENDS[jit_level])
