"""The context objects that 2.6 shows while functions are traced (``mindspore.common.jit_context``)."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

__all__ = ["JitContext", "TraceJitContext", "current_context", "jit_context", "set_jit_context"]


class JitContext:
    """What is known of a compilation that is under way.

    Attributes:
        compiled: whether a graph exists already.
        result: its results.
        phase: the name of the graph that is being made, "" for a compiled one.
        args: its arguments.
    """

    def __init__(self, compiled: bool = False, result: Any = None, phase: Any = None, args: Any = None) -> None:
        self.compiled, self.result, self.phase, self.args = compiled, result, phase, args

    def run_op(self, prim: Any, prim_res: Any, *args: Any) -> Any:
        """Run an op in this context; a subclass says how.

        Raises:
            AttributeError: it does not.
        """
        raise AttributeError(f"For '{type(self).__name__}', the method 'run_op' is not defined.")


class TraceJitContext(JitContext):
    """The context of a function that is traced.

    >>> context = TraceJitContext(phase="f.0")
    >>> context.phase, context.is_nested()
    ('f.0', False)
    """

    def __init__(self, compiled: bool = False, result: Any = None, phase: Any = None, args: Any = None) -> None:
        super().__init__(compiled, result, phase, args)
        self._nested = False

    def set_is_nested(self, status: bool) -> None:
        """Mark the context as one inside of another."""
        self._nested = status

    def is_nested(self) -> bool:
        """Tell whether it is one inside of another."""
        return self._nested


current_context: ContextVar[JitContext | None] = ContextVar("ms_jit_context", default=None)


def jit_context() -> JitContext | None:
    """Return the context of the compilation that is under way, None outside of one."""
    return current_context.get()


def set_jit_context(context: JitContext | None) -> None:
    """Set what `jit_context` returns.

    Raises:
        TypeError: `context` is no JitContext.
    """
    if context is not None and not isinstance(context, JitContext):
        raise TypeError(f"For 'set_jit_context', the 'context' must be a JitContext, but got {type(context).__name__}.")
    current_context.set(context)
