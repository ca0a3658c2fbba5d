"""Blocks between `_jit_begin` and `_jit_end`: recorded at their first run, a graph from the second on.

The Python lines of a block run every time.  In later runs its ops compute nothing: they give tensors that have a shape
and a dtype only, and `_jit_end` gives the results of the graph.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import numpy as np

from ms_jit.capture.errors import Uncapturable
from ms_jit.capture.tracer import Tracer
from ms_jit.context import TraceJitContext, current_context
from ms_jit.execute import Built, build
from ms_jit.graph.steps import Copy
from ms_jit.passes import optimize
from ms_jit.trees import check_of, form_of, rebuild, tensors_in
from ms_kernels import Parameter
from ms_kernels.core.dispatch import Op, decompose, dispatch, scope
from ms_kernels.core.tensor import StandIn, TensorBase, from_array

__all__ = ["_jit_begin", "_jit_end", "_jit_trace_begin", "_jit_trace_end", "recorded_blocks"]

MOST = 256  # recorded signatures of all blocks together; the oldest goes first
NESTED = "Should not use jit_block and jit_trace at the same time."


class _Recorded:
    """What one run of a block left: its graph for arguments like those."""

    def __init__(self, name: str, args: tuple[Any, ...], tracer: _Recorder, built: Built, form: Any) -> None:
        self.name, self.built, self.form = name, built, form
        self.checks = [check_of(arg) for arg in args]
        self.pairs = _same(args)
        self.shapes = [[(out.shape, out.dtype) for out in node.outs] for node in tracer.calls]
        self.names = [node.op.name for node in tracer.calls]

    def fits(self, name: str, args: tuple[Any, ...]) -> bool:
        if name != self.name or len(args) != len(self.checks) or _same(args) != self.pairs:
            return False
        return all(check.matches(arg) for check, arg in zip(self.checks, args))


recorded_blocks: list[_Recorded] = []
_open: ContextVar[Any] = ContextVar("ms_jit_block", default=None)


def _same(args: tuple[Any, ...]) -> list[int]:
    """Which tensors among the arguments are one and the same."""
    seen: dict[int, int] = {}
    return [seen.setdefault(id(tensor), len(seen)) for tensor in tensors_in(args)]


def _inputs(args: tuple[Any, ...]) -> list[TensorBase]:
    return [tensor for tensor in tensors_in(args) if not isinstance(tensor, Parameter)]


class _Recorder(Tracer):
    """The first run: everything is done for real, and numbers may be looked at."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.calls: list[Any] = []
        self.reason = ""

    def call(self, op: Op, args: tuple[Any, ...]) -> Any:
        if self.reason:
            return dispatch(op, args)
        try:
            return super().call(op, args)
        except Uncapturable as error:  # the block cannot become a graph: it goes on in Python
            self.reason = error.reason
            return dispatch(op, args)

    def _written(self, op: Op, args: tuple[Any, ...], out: Any) -> Any:
        super()._written(op, args, out)
        self.calls.append(self.graph.nodes[-1])
        return out

    def told(self, about: Any, what: str) -> Any:
        if what == "index":
            return None
        if what in ("draw", "recording", "construct") or (what == "set" and about._raw is None):
            return super().told(about, what)
        return None


class _Promise(StandIn):
    """What a tensor of a later run waits for: nothing, before the end of the block."""

    def fill(self, tensor: Any) -> None:
        """Refuse.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError(
            f"For '_jit_begin', the value of a tensor of shape {list(self.dims)} must not be read inside of a compiled "
            "block, but it was: it exists when '_jit_end' has run the graph."
        )


class _Skipper:
    """Later runs: ops give tensors without numbers, in the order of the first run."""

    whole = True
    watches = True

    def __init__(self, recorded: _Recorded) -> None:
        self.recorded, self.at = recorded, 0

    def call(self, op: Op, args: tuple[Any, ...]) -> Any:
        """Give the tensors that the op gave at the first run, without numbers."""
        if op.is_composite and (self.at >= len(self.recorded.names) or self.recorded.names[self.at] != op.name):
            with scope(observer=self):
                return decompose(op, args)
        if self.at >= len(self.recorded.names) or self.recorded.names[self.at] != op.name:
            known = self.recorded.names[self.at] if self.at < len(self.recorded.names) else "the end of the block"
            raise RuntimeError(
                "For '_jit_begin', a block must call the ops of its first run, "
                f"but got '{op.label}' in place of {known}."
            )
        outs = tuple(_promise(shape, dtype) for shape, dtype in self.recorded.shapes[self.at])
        self.at += 1
        return outs if len(outs) != 1 else outs[0]

    def store(self, tensor: TensorBase, out: TensorBase) -> None:
        """Change nothing: the graph will."""

    def told(self, about: Any, what: str) -> Any:
        """Give random calls numbers that nobody uses."""
        return (0, 0) if what == "draw" else None

    def effect(self, fn: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """Change nothing: the graph will."""


def _promise(shape: Any, dtype: Any) -> Any:
    array: Any = np.broadcast_to(np.zeros((), dtype.np), shape)
    tensor = from_array(array)
    tensor._set_pending(array, _Promise(tuple(shape)))
    return tensor


class _Block:
    """An open block."""

    def __init__(self, name: str, args: tuple[Any, ...], frame: Any) -> None:
        self.name, self.args, self.frame = name, args, frame
        self.recorded = next((item for item in recorded_blocks if item.fits(name, args)), None)
        self.observer: Any
        if self.recorded is None:
            self.observer = _Recorder(name)
            for tensor in _inputs(args):
                self.observer.input(tensor)
        else:
            self.observer = _Skipper(self.recorded)
        self.scope = scope(observer=self.observer)
        self.context = TraceJitContext(compiled=self.recorded is not None, phase="" if self.recorded else f"{name}.0")

    def open(self) -> None:
        self.scope.__enter__()
        self.token = _open.set(self)
        self.outside = current_context.set(self.context)

    def close(self) -> None:
        current_context.reset(self.outside)
        _open.reset(self.token)
        self.scope.__exit__()


def _left_over(block: _Block) -> bool:
    """Whether the function that opened a block has ended without closing it: an error went through it."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        if frame is block.frame:
            return False
        frame = frame.f_back
    return True


def _jit_begin(fn_name: Any = "", *args: Any) -> None:
    """Open a block (``mindspore.common.jit_begin_end._jit_begin``).

    Args:
        fn_name: the block's name; a first argument that is no text is an argument, and the calling function the name.
        args: what the block computes from: blocks of one name whose arguments agree in class, dtype and shape (numbers:
            in value) share a graph.

    Raises:
        RuntimeError: a block is open; it is closed then.

    Examples:
        >>> from ms_kernels import Tensor
        >>> def twice(x):
        ...     _jit_begin("twice", x)
        ...     return _jit_end(x + x)
        >>> print(twice(Tensor(1.0)), twice(Tensor(2.0)))
        2.0 4.0
    """
    frame = sys._getframe(1)
    if not isinstance(fn_name, str):
        args, fn_name = (fn_name, *args), frame.f_code.co_name
    before = _open.get()
    if before is not None:
        before.close()
        if not _left_over(before):
            raise RuntimeError(NESTED)
    _Block(fn_name, args, frame).open()


def _jit_end(*output_args: Any) -> Any:
    """Close the block and return its results: one as it is, several as a tuple, none as ``()``.

    Raises:
        RuntimeError: no block is open.
    """
    block = _open.get()
    if block is None:
        raise RuntimeError("For '_jit_end', a block must be open, but there was no '_jit_begin' before it.")
    block.close()
    if block.recorded is not None:
        outs = block.recorded.built.program.run(tuple(_inputs(block.args)))
        outputs = rebuild(block.recorded.form, outs)
    else:
        outputs = output_args
        if not block.observer.reason:
            _record(block, outputs)
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def _record(block: _Block, outputs: tuple[Any, ...]) -> None:
    tracer: _Recorder = block.observer
    found: list[TensorBase] = []
    form = form_of(outputs, found)
    for tensor in found:
        value = tracer.value_of(tensor)
        if value.constant:
            value = tracer.add(Copy(), (value,), (tensor,)).outs[0]
        tracer.graph.outputs.append(value)
    built = build(optimize(tracer.graph))
    recorded_blocks.insert(0, _Recorded(block.name, block.args, tracer, built, form))
    del recorded_blocks[MOST:]


_jit_trace_begin, _jit_trace_end = _jit_begin, _jit_end
