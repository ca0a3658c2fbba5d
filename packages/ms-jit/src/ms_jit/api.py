"""`jit` itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ms_jit.arguments import check_arguments
from ms_jit.function import JitFunction
from ms_jit.graph.draw import svg

__all__ = ["_jit_trace", "draw", "jit"]


def jit(
    function: Callable[..., Any] | None = None,
    *,
    capture_mode: str = "ast",
    jit_level: str = "O0",
    dynamic: int = 0,
    fullgraph: bool = False,
    backend: str = "",
    **options: Any,
) -> Any:
    """Compile a function, a method or a Cell to a graph (``mindspore.jit``).

    Args:
        function: what to compile; without it, a decorator is returned.
        capture_mode: how the graph is made: "ast" (out of the source, with control flow over tensors), "bytecode" (what
            runs, in pieces where Python needs a tensor's value) or "trace" (what runs, once).
        jit_level: "O0" runs op by op, "O1" fuses ops.
        dynamic: 1 lets one graph serve changing shapes.
        fullgraph: whether it is an error when the function does not become one graph.
        backend: "ms_backend" or "GE" (Ascend alone); "" chooses by target and level.
        **options: see ``mindspore.jit``.

    Returns:
        A callable that captures each new signature of arguments once and runs its graph from then on.  A Cell comes
        back itself, with its `construct` compiled.

    Raises:
        TypeError: `function` is not callable, or an argument of the wrong type.
        ValueError: a value that is not among those allowed.

    Examples:
        >>> from ms_kernels import Tensor
        >>> @jit
        ... def f(x, y):
        ...     return x * y + 1
        >>> print(f(Tensor(2.0), Tensor(3.0)))
        7.0

    Source: ``mindspore.jit`` of 2.6.0.
    """
    arguments = check_arguments(capture_mode, jit_level, dynamic, fullgraph, backend, options)

    def compiled(fn: Any) -> Any:
        if not callable(fn):
            raise TypeError(f"For 'jit', the 'function' must be callable, but got {type(fn).__name__}.")
        if hasattr(fn, "construct") and hasattr(fn, "cells_and_names"):
            fn.construct = JitFunction(fn.construct, arguments)
            return fn
        return fn if isinstance(fn, JitFunction) else JitFunction(fn, arguments)

    return compiled if function is None else compiled(function)


def draw(fn: JitFunction, path: Any = None) -> str:
    """Return the newest graph of a compiled function as an SVG picture, and write it to a file if one is named.

    Raises:
        TypeError: `fn` is no compiled function.
        ValueError: it has no graph yet: it was not called, or runs in Python.
    """
    if not isinstance(fn, JitFunction):
        raise TypeError(f"For 'draw', the 'fn' must be a function that jit made, but got {type(fn).__name__}.")
    graphs = fn.graphs()
    if not graphs:
        why = f": {fn.reasons[-1]}" if fn.reasons else ", since it was not called yet"
        raise ValueError(f"For 'draw', the 'fn' must have a graph, but {fn!r} has none{why}.")
    picture = svg(graphs[0])
    if path is not None:
        Path(path).write_text(picture, encoding="utf-8")
    return picture


def _jit_trace(fn: Callable[..., Any]) -> JitFunction:
    """Compile a function by what it does when it runs: its body runs once for each signature of its arguments.

    Raises:
        TypeError: `fn` is not callable.

    Source: ``mindspore.common.jit_trace._jit_trace``.
    """
    if not callable(fn):
        raise TypeError(f"For '_jit_trace', the 'fn' must be callable, but got {type(fn).__name__}.")
    return JitFunction(fn, check_arguments("trace"))
