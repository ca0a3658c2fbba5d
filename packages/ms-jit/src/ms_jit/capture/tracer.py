"""The tracer: runs with a function, lets every op do its work, and writes down what it was."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ms_jit.capture.dims import Dim, Dims
from ms_jit.capture.errors import Uncapturable
from ms_jit.capture.guards import Guards, guard_cell
from ms_jit.capture.ints import TracedInt, plain
from ms_jit.capture.library import EVERYTHING
from ms_jit.capture.numbers import Numbers
from ms_jit.capture.shapes import shapes_of
from ms_jit.capture.template import Template
from ms_jit.capture.undo import Undo
from ms_jit.graph.ir import Graph, Node, Value
from ms_jit.graph.steps import Call, Copy, DimOf, Draw, Filled, Store
from ms_jit.trees import tensors_in
from ms_kernels.core.dispatch import (
    Op,
    current_mode_variable,
    decompose,
    dispatch,
    effect,
    is_recording,
    process_target,
    replace,
    scope,
)
from ms_kernels.core.tensor import TensorBase, alias, from_array
from ms_kernels.random.stream import draw

if TYPE_CHECKING:
    from ms_jit.capture.control import Control

__all__ = ["Tracer", "user_line"]


def user_line() -> str:
    """Return "file:line" of the innermost frame that is not of this library, "" when there is none."""
    frame = sys._getframe(1)
    while frame is not None:
        code = frame.f_code.co_filename
        if frame.f_globals.get("__name__", "").partition(".")[0] not in EVERYTHING and not code.startswith(
            "<ms_kernels"
        ):
            return f"{frame.f_code.co_filename}:{frame.f_lineno}"
        frame = frame.f_back  # type: ignore[assignment]
    return ""


class Tracer:
    """An observer that makes a graph of the calls of one run.

    A tensor is known by its array: every array that an op made, or that came in, has its value in the graph, and
    other arrays are captured when an op first uses them.

    Attributes:
        graph: what was written down so far.
        reads: (tensor, its count of changes) of the tensors from outside whose numbers the code itself looked at.
        undo: how to take back what the run did to tensors and generators from outside.
        asks_recording: whether the code asked if a gradient is recorded.
        guards: what else the code read from outside.
        control: what rewritten functions talk to; None when functions run as they are.
        dims: the dims that may differ from run to run.
        numbers: the tensors that stand for Python's numbers.
        failures: why the capture cannot succeed, in case that the code swallows it.
    """

    whole = True
    watches = True

    def __init__(self, name: str) -> None:
        self.graph = Graph(name)
        self.reads: list[tuple[TensorBase, int]] = []
        self.undo = Undo()
        self.asks_recording = False
        self.guards = Guards()
        self.control: Control | None = None
        self.dims = Dims()
        self.failures: list[Uncapturable] = []
        self.numbers = Numbers()
        self._later: list[Callable[[], None]] = []
        self._values: dict[int, Value] = {}
        self._alive: list[Any] = []  # the arrays whose addresses are keys
        self._fresh: dict[int, TensorBase] = {}  # tensors that the code itself made of Python's numbers
        self._shapes: dict[int, tuple[Any, ...]] = {}  # of values with dims that may differ: ints, Dims, None
        self._ints: dict[Any, Value] = {}

    # -- values -------------------------------------------------------------------------------------------------------

    def _name(self, tensor: TensorBase, value: Value) -> Value:
        array = tensor._raw
        self._values[id(array)] = value
        self._alive.append(array)
        return value

    def input(self, tensor: TensorBase, unknown: Sequence[int] = ()) -> Value:
        """Take a tensor as the next input; the dims of the axes `unknown` may differ from run to run."""
        place, shape = len(self.graph.inputs), alias(tensor)._raw.shape
        value = self._name(tensor, Value(tuple(-1 if i in unknown else n for i, n in enumerate(shape)), tensor.dtype))
        if unknown:
            self._shapes[id(value)] = tuple(
                self.dims.symbol(place, i, n) if i in unknown else n for i, n in enumerate(shape)
            )
        self.graph.inputs.append(value)
        return value

    def shape_of(self, value: Value) -> tuple[Any, ...]:
        """The dims of a value: ints, expressions, None for one that only a run can tell."""
        known = self._shapes.get(id(value))
        return known if known is not None else value.shape or ()

    def int_value(self, traced: TracedInt) -> Value:
        """The graph's value of a traced int."""
        source = traced.source
        if isinstance(source, Value):
            return source
        if source.key not in self._ints:
            places = sorted({place for place, _ in source.symbols()})
            step = DimOf(source, tuple(places))
            node = Node(step, tuple(self.graph.inputs[i] for i in places), user_line())
            self.graph.nodes.append(node)
            self._ints[source.key] = node.out((), from_array(np.array(0)).dtype)
        return self._ints[source.key]

    def value_of(self, tensor: TensorBase) -> Value:
        """The value of a tensor, which is captured if it has none."""
        known = self._values.get(id(alias(tensor)._raw))
        if known is not None:
            return known
        value = Value(tensor.shape, tensor.dtype, tensor=tensor, constant=id(tensor) in self._fresh)
        self.graph.captured.append(value)
        return self._name(tensor, value)

    def traced(self, tensor: TensorBase) -> bool:
        """Whether a tensor's numbers differ from run to run: it came in, or an op made it."""
        value = self._values.get(id(tensor._raw))
        return value is not None and value.tensor is None

    def add(self, step: Any, args: tuple[Any, ...], outs: tuple[TensorBase, ...] = (), effect: bool = False) -> Node:
        """Write down a node that made some tensors."""
        node = Node(step, args, user_line(), effect)
        for out in outs:
            self._name(out, node.out(alias(out)._raw.shape, out.dtype))
        self.graph.nodes.append(node)
        return node

    # -- what the dispatcher calls ------------------------------------------------------------------------------------

    def call(self, op: Op, args: tuple[Any, ...]) -> Any:
        """Do a call, and write it down: a composite as what it is made of, unless the target does it as a whole."""
        if op.is_composite:
            mode = current_mode_variable.get()
            target = process_target.target if mode is None or mode.target is None else mode.target
            if target is None or op.name not in target.composites:
                return self._composite(op, args)
            if mode is not None and mode.recording:
                raise Uncapturable(
                    f"the target computes '{op.label}' as a whole while a gradient is recorded", user_line()
                )
        return self._plain_call(op, args)

    def _composite(self, op: Op, args: tuple[Any, ...]) -> Any:
        nodes, captured, alive = len(self.graph.nodes), len(self.graph.captured), len(self._alive)
        try:
            with scope(observer=self):
                return decompose(op, args)
        except Uncapturable:
            if is_recording() or any(node.effect for node in self.graph.nodes[nodes:]):
                raise
            self.failures.clear()
            del self.graph.nodes[nodes:], self.graph.captured[captured:]
            for array in self._alive[alive:]:
                self._values.pop(id(array), None)
        out = dispatch(op, plain(args))  # its body looks at numbers: it stays one step
        outs = out if isinstance(out, tuple) else (out,)
        if not all(isinstance(item, TensorBase) for item in outs):
            raise Uncapturable(f"'{op.label}' gives results that depend on the value of a tensor", user_line())
        return self._written(op, args, out)

    def _plain_call(self, op: Op, args: tuple[Any, ...]) -> Any:
        if op.record.ascend == "random":
            self.undo.remember_stream(args[op.params.index("generator")] if "generator" in op.params else None)
        return self._written(op, args, dispatch(op, plain(args)))

    def _written(self, op: Op, args: tuple[Any, ...], out: Any) -> Any:
        outs = out if isinstance(out, tuple) else (out,)
        self.numbers.check(op, args, outs)
        given, values = Template(self, op).fill(args)
        if values is None:
            node = self.add(op, given, outs, effect=op.record.ascend == "random")  # its body draws numbers itself
        else:
            node = self.add(Filled(op, given), tuple(values), outs)
        for value, shape in zip(node.outs, shapes_of(self, op, args, outs)):
            if any(type(n) is not int for n in shape):
                value.shape = tuple(n if type(n) is int else -1 for n in shape)
                self._shapes[id(value)] = shape
        node.shares = any(np.may_share_memory(out._raw, arg._raw) for out in outs for arg in tensors_in(args))
        return out

    def store(self, tensor: TensorBase, out: TensorBase) -> None:
        """Put a result into a tensor, and write it down."""
        source = self.value_of(out)
        target = self.value_of(tensor)
        if self.is_constant(target):  # each run begins with the numbers of the first
            self.keep_constant(target, tensor)
            target = self.add(Copy(), (target,), (tensor,)).outs[0]
        else:
            self.undo.remember(tensor)  # also what an op made: it may be a view of what came in
        replace(tensor, out)
        self.add(Store(), (target, source), effect=True)
        self._name(tensor, target)  # it may have got other memory

    def effect(self, fn: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """Call what changes tensors on its own, and write it down."""
        given = tuple(self.value_of(arg) if isinstance(arg, TensorBase) else plain(arg) for arg in args)
        owner: Any = getattr(fn, "__self__", None)
        for tensor in (*args, *(owner.get_parameters() if hasattr(owner, "get_parameters") else ())):
            if isinstance(tensor, TensorBase):
                self.undo.remember(tensor)
        result = effect(fn, *plain(args))
        if result is not None:
            raise Uncapturable(f"'{getattr(fn, '__qualname__', fn)}' changes tensors and returns a value", user_line())
        self.add(Call(fn), given, effect=True)
        return None

    def told(self, about: Any, what: str) -> Any:
        """Answer what code does to tensors outside of ops."""
        if what == "draw":
            return self._draw(about)
        if what == "construct":
            guard_cell(self, about)
            return None if self.control is None else self.control.construct(about)
        if what == "index":
            return self._index(about)
        if what == "recording":
            self.asks_recording = True
        if what in ("shape", "size"):
            return self._shape(about, what)
        if about is None:
            return None
        raw = about._raw
        if what == "set" and raw is None:
            self._fresh[id(about)] = about
        elif id(about) not in self._fresh:
            if what != "read":
                raise self.failed("the data of a tensor is replaced or changed outside of any op")
            if self.traced(about):
                raise self.failed("the value of a tensor is needed while the graph is made")
            self.reads.append((about, about._changes))
        elif what == "write" and raw is not None and id(raw) in self._values:
            raise Uncapturable("a constant is changed outside of any op after its use", user_line())
        return None

    def failed(self, reason: str) -> Uncapturable:
        """What to raise where no observer is in sight; the code may swallow it."""
        made = Uncapturable(reason, user_line())
        self.failures.append(made)
        return made

    def _index(self, tensor: TensorBase) -> Any:
        """What stands for a tensor in the key of an index; None for one that is no part of the graph."""
        if not self.traced(tensor):
            return None
        if tensor.dtype.kind not in "iub":
            return None
        if tensor.ndim == 0 and tensor.dtype.kind != "b":
            return TracedInt(int(alias(tensor)._raw), self.value_of(tensor), self)
        self.value_of(tensor)
        return alias(tensor)._raw

    def is_constant(self, value: Value) -> bool:
        """Whether a value is a tensor that the code itself made of Python's numbers."""
        return value.constant

    def keep_constant(self, value: Value, tensor: TensorBase) -> None:
        """Let a constant keep the numbers that the tensor has now, whatever becomes of it."""
        value.tensor = from_array(np.array(tensor._raw))

    def guarded(self, value: Any) -> bool:
        """Whether a list, dict or set came from outside."""
        return self.guards.holds(value)

    def later(self, work: Callable[[], None]) -> None:
        """Leave work for the time when the capture has succeeded."""
        self._later.append(work)

    def finish(self) -> None:
        """Do what was left for the end."""
        for work in self._later:
            work()

    def _draw(self, generator: Any) -> tuple[int, int]:
        self.undo.remember_stream(generator)
        numbers = draw(generator)
        node = Node(Draw(generator), (), user_line(), effect=True)
        self.graph.nodes.append(node)
        kind = from_array(np.array(0)).dtype
        seed, offset = (TracedInt(number, node.out((), kind), self) for number in numbers)
        return seed, offset  # type: ignore[return-value]

    def _shape(self, tensor: TensorBase, what: str) -> Any:
        """What stands for a shape, or a number of elements, that may differ from run to run; None for others."""
        value = self._values.get(id(tensor._raw))
        shape = None if value is None else self._shapes.get(id(value))
        if shape is None:
            return None
        if None in shape:
            raise Uncapturable("a shape that depends on the values of tensors is needed while the graph is made")
        dims = tuple(TracedInt(n.now, n, self) if isinstance(n, Dim) else n for n in shape)
        return dims if what == "shape" else math.prod(dims)

    def settle(self, traced: TracedInt) -> int:
        """Called when code wants to know the number behind a traced int: from then on the graph fits only that."""
        if isinstance(traced.source, Dim):
            self.dims.compare("eq", traced.source, traced._number)
            return traced._number
        raise self.failed("a number drawn at random is needed while the graph is made")

    def array_value(self, array: Any) -> Value | None:
        """The value of an array among attributes, None for one that no op made."""
        value = self._values.get(id(array))
        return None if value is None or value.constant else value
