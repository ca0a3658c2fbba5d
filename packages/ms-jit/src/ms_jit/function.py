"""What `jit` makes of a function: a callable that captures each signature once and then runs its graph."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from typing import Any

from ms_jit.arguments import JitArguments
from ms_jit.capture.errors import Uncapturable
from ms_jit.capture.run import Captured, capture
from ms_jit.dynamic import Declared, Shapes, Shared, loose_check
from ms_jit.execute import build
from ms_jit.flops import collector
from ms_jit.graph.draw import save_graph
from ms_jit.graph.ir import Graph
from ms_jit.passes import optimize
from ms_jit.trees import check_of, maker_of, tensors_in
from ms_kernels import Parameter
from ms_kernels.core.checks import Check
from ms_kernels.core.dispatch import current_mode_variable, is_recording, process_target, scope
from ms_kernels.core.program import Compiled, Entry, Program

__all__ = ["JitFunction"]

MOST = 64  # entries of one function; the oldest goes first


class JitFunction(Compiled):
    """A function whose calls are captured as graphs.

    Attributes:
        fn: the function itself, also as ``__wrapped__``.
        arguments: what `jit` was asked for.
        reasons: why calls were left to Python, the newest last.
    """

    def __init__(self, fn: Callable[..., Any], arguments: JitArguments) -> None:
        functools.update_wrapper(self, fn)
        self.fn, self.arguments = fn, arguments
        self.reasons: list[str] = []
        self._python: list[Entry] = []
        self._captures = 0
        self._shapes: Shapes | Declared | None = Shapes() if arguments.dynamic else None
        if arguments.capture_mode == "trace":
            self.__trace_func__ = True

    def __repr__(self) -> str:
        return f"<jit {getattr(self.fn, '__qualname__', repr(self.fn))}>"

    def declare(self, inputs: Sequence[Any]) -> None:
        """Let one graph serve all lengths along the unknown dims of some tensors, one for each argument."""
        self._shapes = Declared(inputs)

    def graphs(self) -> list[Graph]:
        """The graphs of all signatures that were captured, the newest first."""
        return list(dict.fromkeys(entry.note.graph for entry in self.entries))

    def peaks(self) -> list[int]:
        """The most bytes that the results in each of `graphs` take at a time."""
        return [built.plan.peak for built in {id(entry.note): entry.note for entry in self.entries}.values()]

    def miss(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Serve a call that no entry fits: capture it, or leave it to Python where that cannot be."""
        if os.environ.get("MS_JIT") == "0":
            return self.fn(*args, **kwargs)
        mode = current_mode_variable.get()
        if process_target.observer is not None or (mode is not None and mode.observer is not None):
            return self.fn(*args, **kwargs)  # part of a larger capture, or watched
        if any(entry.matches(args, kwargs) for entry in self._python):
            return self.fn(*args, **kwargs)
        found = None if self._shapes is None else self._shapes.find(args, kwargs)
        if found is not None:
            self._keep(found)
            return self(*args, **kwargs)
        if self._captures > 2 * MOST and self.hits < self._captures:
            return self._left_to_python(Uncapturable("what it reads differs at nearly every call"), args, kwargs)
        try:
            captured = self._capture(args, kwargs)
        except Uncapturable as error:
            if is_recording() and self._captured_off_the_tape(args, kwargs):
                return self(*args, **kwargs)
            return self._left_to_python(error, args, kwargs)
        return captured.result

    def _keep(self, entry: Entry) -> None:
        self.entries = (entry, *self.entries)[:MOST]

    def _capture(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Captured:
        """Capture a call, and keep its graph."""
        self._captures += 1
        axes, wanted = ([], None) if self._shapes is None else self._shapes.unknown(args, kwargs)
        rewrite, name = self.arguments.capture_mode != "trace", getattr(self.fn, "__name__", "graph")
        try:
            captured = capture(self.fn, args, kwargs, name, rewrite, axes if any(axes) else ())
        except Uncapturable:
            if not any(axes):
                raise
            axes = []
            captured = capture(self.fn, args, kwargs, name, rewrite)
        if not captured.tracer.guards.intact():
            self._left(Uncapturable("what it reads from outside is changed by itself"), args, kwargs)
            return captured
        stamp = self._stamp(captured)
        self._keep(stamp(map(check_of, args), {key: check_of(value) for key, value in kwargs.items()}))
        if self._shapes is not None:
            self._shapes.compiled(wanted, _shared(captured, axes, args, kwargs, stamp))
        return captured

    def _captured_off_the_tape(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Capture a function whose control flow over tensors stands in the way of recording it at the same time.

        What the capturing run changed is taken back: the graph's first run, which is recorded, does it again.
        """
        try:
            with scope(recording=False):
                captured = self._capture(args, kwargs)
        except Uncapturable:
            return False
        captured.tracer.undo.back()
        return not captured.tracer.asks_recording and captured.tracer.guards.intact()

    def _left_to_python(self, error: Uncapturable, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self._left(error, args, kwargs)
        return self.fn(*args, **kwargs)

    def _left(self, error: Uncapturable, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Leave calls like this one to Python from now on."""
        kept = {name: check_of(value) for name, value in kwargs.items()}
        empty = Program((), _tensor_count(args, kwargs), _tensor_count(args, kwargs), ())
        self._python = [*self._python[-MOST:], Entry(map(check_of, args), empty, keywords=kept)]
        reason = f"{error.source}: {error.reason}" if error.source else error.reason
        if self.arguments.fullgraph:
            raise RuntimeError(f"For 'jit', the whole function must be one graph with fullgraph=True, but at {reason}.")
        self.reasons = [*self.reasons[-MOST:], reason]

    def _stamp(self, captured: Captured) -> Callable[..., Entry]:
        """Compile a captured graph; returns what makes its entries for given checks."""
        tracer, form = captured.tracer, captured.form
        collector.add(captured.graph, captured.tracer.dims.used)
        save_graph(captured.graph, "captured")
        graph = optimize(captured.graph)
        built = build(graph, self.arguments.jit_level)
        save_graph(built.graph, "compiled")
        guards: list[Any] = [*tracer.guards, *((tensor, "_changes", changes) for tensor, changes in tracer.reads)]
        if tracer.asks_recording:
            guards.append(is_recording if is_recording() else _not_recording)
        mode = current_mode_variable.get()
        return lambda checks, keywords: Entry(
            checks,
            built.program,
            keywords=keywords,
            recorded=built.recorded,
            guards=guards,
            captured=[
                (v.tensor, Check.tensor(type(v.tensor), v.tensor._kind, v.tensor.shape, False))
                for v in graph.captured
                if not v.constant
            ],
            rebuild=maker_of(form),
            target=process_target.target if mode is None or mode.target is None else mode.target,
            note=built,
        )


def _shared(
    captured: Captured,
    axes: list[list[int]],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    stamp: Callable[..., Entry],
) -> Shared | None:
    """A captured graph for all the shapes that it serves; None when it is for one alone."""
    if not captured.tracer.dims.used:
        return None
    left = list(axes)
    checks = [loose_check(arg, left) for arg in args]
    loose = stamp(checks, {key: loose_check(value, left) for key, value in kwargs.items()})

    def exact(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Entry:
        return stamp(map(check_of, args), {key: check_of(value) for key, value in kwargs.items()})

    return Shared(loose, captured.tracer.dims.guards, exact)


def _tensor_count(args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
    """How many inputs the tensors among the arguments make."""
    return sum(not isinstance(tensor, Parameter) for tensor in tensors_in((args, kwargs)))


def _not_recording() -> bool:
    return not is_recording()
