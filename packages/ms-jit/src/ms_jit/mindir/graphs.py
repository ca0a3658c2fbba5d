"""Graphs as programs of MindIR."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import ms_dtype
from ms_jit.graph.flow import Cond, While
from ms_jit.graph.ir import Graph, Value
from ms_jit.graph.ir import Node as GraphNode
from ms_jit.graph.steps import Call as PythonCall
from ms_jit.graph.steps import Copy, DimOf, Filled, Hole, Store
from ms_jit.mindir.lowering import lower
from ms_jit.mindir.model import (
    MONAD,
    Constant,
    Function,
    Input,
    Node,
    Operator,
    OtherType,
    ParameterValue,
    Program,
    ScalarType,
    SequenceType,
    TensorType,
    Type,
)
from ms_jit.mindir.operators import DTYPE_CODES
from ms_jit.mindir.special import Call
from ms_jit.trees import Leaf
from ms_kernels import Parameter
from ms_kernels.core.dispatch import dispatch
from ms_kernels.core.tensor import TensorBase

__all__ = ["write_graph"]

_ARITHMETIC = frozenset({"Add", "Mul", "Sub"})
_OF_LENGTHS = {"add": "Add", "sub": "Sub", "mul": "Mul", "floordiv": "FloorDiv", "mod": "FloorMod"}


def write_graph(graph: Graph, form: Any, version: str = "") -> Program:
    """The program that a graph is.

    Args:
        graph: what was captured.
        form: how the graph's outputs make the result (see `ms_jit.trees`).
        version: what it says of the version that wrote it.

    Raises:
        RuntimeError: it does what MindIR cannot hold.
    """
    shared = _Shared(Program(Function(graph.name), producer=("ms-jit", version)))
    writer = _Writer(graph, shared.program.main, shared)
    writer.body()
    writer.end(*writer.result(form))
    return shared.program


class _Shared:
    """What the functions of one program have in common."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._operators: dict[str, Operator] = {}

    def operator(self, operator: Operator) -> Operator:
        """One object for all equal operators."""
        return self._operators.setdefault(repr(operator), operator)

    def function(self, name: str) -> Function:
        """A new function."""
        made = Function(f"{self.program.main.name}_{name}{len(self.program.functions) + 1}")
        self.program.functions[made.name] = made
        return made


class _Writer:
    """Writes one graph as a function."""

    def __init__(self, graph: Graph, function: Function, shared: _Shared, outer: bool = True) -> None:
        self.graph, self.function, self.shared, self.outer = graph, function, shared, outer
        self.names: dict[int, str] = {}
        self.constants: dict[Any, str] = {}
        self.stored = {id(node.args[0]) for node in graph.nodes if type(node.op) is Store}
        self.monad = ""
        self.pending: list[str] = []  # what the next effect must come after
        self.site: tuple[Any, tuple[Any, ...]] | None = None  # the op that is written, and its arguments

    def body(self) -> None:
        """Write inputs and nodes."""
        for value in self.graph.inputs:
            self.names[id(value)] = self.parameter(_type(value))
        for node in self.graph.nodes:
            self._node(node)

    def parameter(self, kind: Type) -> str:
        """Another input of the function."""
        name = f"{self.function.name}:x{len(self.function.inputs)}"
        self.function.inputs.append(Input(name, kind))
        return name

    def end(self, output: str, kind: Type) -> None:
        """Let the function give a value, after all that it has to do."""
        if self.pending or self.monad:
            output = self.call(Operator("Depend", is_function=False), [output, self._order_after()], kind)
        self.function.output, self.function.output_type = output, kind

    def result(self, form: Any) -> tuple[str, Type]:
        """The value of a form, and its type."""
        if type(form) is Leaf:
            if form.index >= 0:
                value = self.graph.outputs[form.index]
                return self.value(value), _type(value)
            return self.constant(form.value), _scalar_type(form.value)
        kind, keys, parts = form
        if keys is not None or kind not in (tuple, list):
            raise RuntimeError(f"For 'export', the result must be made of tuples and lists, but got a {kind.__name__}.")
        return self.sequence([self.result(part) for part in parts], kind is list)

    def sequence(self, parts: Sequence[tuple[str, Type]], is_list: bool = False) -> tuple[str, Type]:
        """A tuple or list of values."""
        whole = SequenceType(tuple(kind for _, kind in parts), is_list)
        maker = Operator("make_list" if is_list else "MakeTuple", is_function=False)
        return self.call(maker, [name for name, _ in parts], whole), whole

    def outputs(self) -> tuple[str, Type]:
        """The outputs of the graph: one as it is, more as a tuple."""
        found = [(self.value(value), _type(value)) for value in self.graph.outputs]
        return found[0] if len(found) == 1 else self.sequence(found)

    def call(self, operator: Operator | str, inputs: list[str], kind: Type | None) -> str:
        """Another node; gives the name of its result."""
        called = operator if isinstance(operator, str) else self.shared.operator(operator)
        name = f"{self.function.name}:n{len(self.function.nodes)}"
        scope = "Default" if isinstance(operator, str) else f"Default/{operator.name}-op{len(self.function.nodes)}"
        self.function.nodes.append(Node(name, called, inputs, kind, scope))
        return name

    def constant(self, value: Any) -> str:
        """A constant; equal ones are one."""
        key = (value.dtype, value.shape, value.tobytes()) if isinstance(value, np.ndarray) else (repr(value),)
        if key not in self.constants:
            self.constants[key] = f"{self.function.name}:c{len(self.constants)}"
            self.function.nodes.append(Constant(self.constants[key], value))
        return self.constants[key]

    def value(self, value: Value) -> str:
        """The name of a value of the graph."""
        if id(value) in self.names:
            return self.names[id(value)]
        if isinstance(value.tensor, Parameter):
            return self._load(value, value.tensor)
        if value.node is not None and type(value.node.op) is DimOf:
            given = dict(zip(value.node.op.places, value.node.args, strict=True))
            self.names[id(value)] = self._dim(value.node.op.dim, given)
            return self.names[id(value)]
        if value.tensor is None:
            made = "nothing" if value.node is None else f"'{value.node.op.name}', whose first result alone MindIR has"
            raise RuntimeError(f"For 'export', the function must be made of what MindIR has, but uses {made}.")
        self.names[id(value)] = self.constant(np.array(value.tensor._a))
        return self.names[id(value)]

    # -- nodes --------------------------------------------------------------------------------------------------------

    def _node(self, node: GraphNode) -> None:
        op = node.op
        if type(op) is Store:
            self._store(*node.args)
        elif type(op) is Copy:
            self.names[id(node.outs[0])] = self.value(node.args[0])
        elif isinstance(op, Cond):
            self._branch(op, node)
        elif isinstance(op, While):
            self._loop(op, node)
        elif type(op) is DimOf:
            pass  # it is written where it is used
        elif type(op) is not PythonCall or not op.fn.__name__.startswith("_check"):  # those only refuse values
            self._primitive_node(node)

    def _primitive_node(self, node: GraphNode) -> None:
        if not node.operands and not node.effect and hasattr(node.op, "record"):
            made = dispatch(node.op, node.args)  # it needs no input: its result is a constant
            for out, tensor in zip(node.outs, made if isinstance(made, tuple) else (made,), strict=True):
                self.names[id(out)] = self.constant(np.array(tensor._a))
            return
        op, args = (node.op.op, _filled(node)) if type(node.op) is Filled else (node.op, node.args)
        call = lower(op, args, node.outs) if args is not None and hasattr(op, "record") and not node.effect else None
        if call is None or args is None:
            at = f" at {node.source}" if node.source else ""
            raise RuntimeError(
                f"For 'export', the function must be made of what MindIR has, but '{node.op.name}'{at} is not in it."
            )
        self.site = op, args
        self._name_results(self._primitive(call, _results_type(node, call.first)), node, call.first)

    def _name_results(self, name: str, node: GraphNode, first: bool = False) -> None:
        if len(node.outs) == 1 or first:
            self.names[id(node.outs[0])] = name
            return
        for i, out in enumerate(node.outs):
            self.names[id(out)] = self._item(name, i, _type(out))

    def _primitive(self, call: Call, kind: Type | None) -> str:
        inputs = [self._argument(value, call) for value in call.inputs]
        if call.item is None:
            return self.call(call.operator, inputs, kind)
        return self._item(self.call(call.operator, inputs, None), call.item, kind)

    def _item(self, name: str, index: int, kind: Type | None) -> str:
        return self.call(Operator("TupleGetItem", is_function=False), [name, self.constant(index)], kind)

    def _argument(self, value: Any, call: Call) -> str:
        if isinstance(value, Value):
            return self.value(value)
        if isinstance(value, Call):
            return self._primitive(value, None)
        if isinstance(value, _Length):
            dtype = self._operand_dtype(1)
            cast = [self.value(value.value), self.constant(DTYPE_CODES[dtype.name])]
            return self.call(Operator("Cast"), cast, TensorType((), dtype.name))
        if isinstance(value, list):
            return self.sequence([(self._argument(item, call), _type(item)) for item in value])[0]
        if isinstance(value, TensorBase):
            return self.constant(np.array(value._a))
        if isinstance(value, (int, float)) and (self._is_operand(value) or call.operator.name in _ARITHMETIC):
            return self.constant(np.array(value, self._operand_dtype(value)))
        return self.constant(value)

    def _is_operand(self, value: Any) -> bool:
        """Whether a number stands where the op takes a tensor."""
        assert self.site is not None
        op, args = self.site
        return any(arg is value and kind for arg, kind in zip(args, op.kinds))

    def _operand_dtype(self, value: Any) -> Any:
        """The element type that a number takes beside the op's tensors."""
        assert self.site is not None
        beside = [arg.dtype for arg in self.site[1] if isinstance(arg, Value)]
        own = "b" if isinstance(value, bool) else "i" if isinstance(value, int) else "f"
        return np.dtype(ms_dtype.promote_scalar(beside[0], own).np if beside else type(value))

    def _dim(self, dim: Any, given: Mapping[int, Value]) -> str:
        """What is known of a length before the program runs, as a 0-d int64 tensor."""
        kind = TensorType((), "int64")
        if isinstance(dim, int):
            return self.constant(np.array(dim, np.int64))
        if dim.op == "input":
            place, axis = dim.args
            shape = self.call(Operator("Shape"), [self.value(given[place])], None)
            length = self._item(shape, axis, ScalarType("int64"))
            return self.call(Operator("ScalarToTensor"), [length, self.constant(DTYPE_CODES["int64"])], kind)
        if dim.op not in _OF_LENGTHS:
            raise RuntimeError(f"For 'export', lengths must come from sums, products and divisions, but got {dim}.")
        return self.call(Operator(_OF_LENGTHS[dim.op]), [self._dim(arg, given) for arg in dim.args], kind)

    # -- control flow -------------------------------------------------------------------------------------------------

    def _inner(self, graph: Graph, name: str) -> _Writer:
        return _Writer(graph, self.shared.function(name), self.shared, outer=False)

    def _partial(self, function: Function, inputs: list[str]) -> str:
        return self.call(Operator("Partial", is_function=False), [function.name, *inputs], OtherType("PARTIALCLOSURE"))

    def _switch(self, flag: str, ways: Sequence[str], kind: Type) -> str:
        chosen = self.call(Operator("Switch", is_function=False), [flag, *ways], None)
        return self.call(chosen, [], kind)

    def _branch(self, step: Cond, node: GraphNode) -> None:
        flag, *given = (self.value(arg) for arg in node.args)
        ways = []
        for graph, inputs in zip(step.graphs, (given[: step.count], given[step.count :]), strict=True):
            inner = self._inner(graph, "branch")
            inner.body()
            inner.end(*inner.outputs())
            ways.append(self._partial(inner.function, inputs))
        self._name_results(self._switch(flag, ways, _results_type(node)), node)

    def _loop(self, step: While, node: GraphNode) -> None:
        """A function that asks and calls the body; the body calls it again."""
        given = [self.value(arg) for arg in node.args]
        kind, count, asked = _results_type(node), step.values, step.values + step.count
        test, body = step.graphs
        head, again, end = self._inner(test, "test"), self._inner(body, "loop"), self._inner(Graph("end"), "end")
        head.body()
        rest = [head.parameter(_type(arg)) for arg in node.args[asked:]]
        own = [one.name for one in head.function.inputs]
        again.body()
        more = [again.parameter(_type(arg)) for arg in node.args[count:asked]]
        inputs = [one.name for one in again.function.inputs]
        used = inputs[count : len(inputs) - len(more)]
        state = [again.value(value) for value in body.outputs]
        again.end(again.call(head.function.name, [*state, *more, *used], kind), kind)
        last = [(end.parameter(_type(arg)), _type(arg)) for arg in node.args[:count]]
        end.end(*(last[0] if count == 1 else end.sequence(last)))
        ways = [
            head._partial(again.function, [*own[:count], *rest, *own[count:asked]]),
            head._partial(end.function, own[:count]),
        ]
        head.end(head._switch(head.value(test.outputs[0]), ways, kind), kind)
        self._name_results(self.call(head.function.name, given, kind), node)

    # -- weights ------------------------------------------------------------------------------------------------------

    def _weight(self, tensor: Parameter) -> str:
        name = f"{self.shared.program.main.name}:{tensor.name}"
        if name not in self.shared.program.parameters:
            self.shared.program.parameters[name] = ParameterValue(name, tensor.name, np.array(tensor._a))
        return name

    def _load(self, value: Value, tensor: Parameter) -> str:
        """The weight as it is at this point; a copy when it is changed later on."""
        kind = _type(value)
        name = self.call(Operator("Load", is_function=False), [self._weight(tensor), self._order()], kind)
        if id(value) in self.stored:
            name = self.call(Operator("TensorMove", is_function=False), [name], kind)
        else:
            self.names[id(value)] = name
        self.pending.append(name)
        return name

    def _store(self, target: Value, source: Value) -> None:
        new = self.value(source)
        if not isinstance(target.tensor, Parameter):
            if target.tensor is not None or target.node is None:
                raise RuntimeError("For 'export', tensors from outside must not change, unless they are Parameters.")
            self.names[id(target)] = new
            return
        if not self.outer:
            raise RuntimeError("For 'export', a Parameter must not change inside of control flow over tensors.")
        inputs = [self._weight(target.tensor), new, self._order_after()]
        self.pending.append(self.call(Operator("Assign", {"side_effect_mem": True}), inputs, _type(target)))
        self._order_after()

    def _order(self) -> str:
        if not self.monad:
            self.monad = self.constant(MONAD)
        return self.monad

    def _order_after(self) -> str:
        """The order after all that was loaded and stored so far."""
        if self.pending:
            after, self.pending = self.pending, []
            update = Operator("UpdateState", is_function=False)
            self.monad = self.call(update, [self._order(), *after], OtherType("UMONAD"))
        return self._order()


class _Length:
    """A length of an input, where an op takes a tensor or a number."""

    def __init__(self, value: Value) -> None:
        self.value = value


def _filled(node: GraphNode) -> tuple[Any, ...] | None:
    """The arguments of an op some of which are lengths of inputs; None for those that MindIR cannot hold.

    A shape may hold one such length, since that can be told from the others.
    """
    made: list[Any] = []
    for item, kind in zip(node.op.template, node.op.op.kinds, strict=True):
        if isinstance(item, Hole):
            given = node.args[item.index]
            made.append(_Length(given) if item.attribute else given)
            if item.attribute and not kind:
                return None
        elif type(item) is tuple and node.op.op.name == "reshape":
            shape = tuple(-1 if isinstance(part, Hole) else part for part in item)
            if shape.count(-1) > 1:
                return None
            made.append(shape)
        elif isinstance(item, (tuple, list, slice)) and "<" in repr(item):
            return None
        else:
            made.append(item)
    return tuple(made)


def _type(value: Value) -> TensorType:
    return TensorType(value.shape if value.shape is not None else (-2,), value.dtype.name.rstrip("_"))


def _results_type(node: GraphNode, first: bool = False) -> Type:
    if len(node.outs) == 1 or first:
        return _type(node.outs[0])
    return SequenceType(tuple(_type(out) for out in node.outs))


def _scalar_type(value: Any) -> Type:
    names = {bool: "bool", int: "int64", float: "float32"}
    return ScalarType(names[type(value)]) if type(value) in names else OtherType("NONE" if value is None else "STRING")
