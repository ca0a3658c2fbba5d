"""Captured graphs as programs of MindIR: `export` of MindSpore 2.6."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import ms_dtype
from ms_jit.capture.errors import Uncapturable
from ms_jit.capture.run import Captured, capture
from ms_jit.graph.ir import Node as GraphNode
from ms_jit.graph.ir import Value
from ms_jit.graph.steps import Call as PythonCall
from ms_jit.graph.steps import Copy, Store
from ms_jit.mindir.files import check_file_name, save_program
from ms_jit.mindir.lowering import lower
from ms_jit.mindir.model import (
    MONAD,
    Constant,
    Function,
    Input,
    Node,
    Operator,
    ParameterValue,
    Program,
    SequenceType,
    TensorType,
    Type,
)
from ms_jit.mindir.special import Call
from ms_jit.passes import optimize
from ms_jit.trees import Leaf
from ms_kernels import Parameter, Tensor
from ms_kernels.core.tensor import TensorBase

__all__ = ["export", "program_of"]

_ARITHMETIC = frozenset({"Add", "Mul", "Sub"})
_FORMATS = ["AIR", "ONNX", "MINDIR"]


def export(net: Any, *inputs: Any, file_name: str, file_format: str, **kwargs: Any) -> None:
    """Write what a network does to such inputs as a MindIR file (``mindspore.export``).

    The graph is the one of these shapes and values; control flow over tensors is that of this run.

    Args:
        net: a Cell, or a function.
        inputs: tensors (only shapes and dtypes count) and constants, as `net` takes them.
        file_name: ".mindir" is added where it lacks.
        file_format: "MINDIR"; 2.6's other formats are not written here.
        **kwargs: ``custom_func`` may change the message (see `load_mindir`) before it is written.

    Raises:
        TypeError: the name is no text, or `net` is not callable.
        ValueError: the name is not legal, or the format is none, or not MINDIR; a shape has unknown dims.
        RuntimeError: the function does what a file cannot hold; the text says what and where.
    """
    if file_format not in _FORMATS:
        raise ValueError(f"For 'export', 'file_format' must be one of {_FORMATS}, but got {file_format}.")
    check_file_name(file_name)
    if file_format != "MINDIR":
        raise ValueError(f"For 'export', 'file_format' must be MINDIR here, but got {file_format}.")
    if not callable(net) or isinstance(net, type):
        raise TypeError(f"For 'export', the 'net' must be a Cell or a function, but got {net}.")
    if kwargs.get("enc_key") is not None:
        raise ValueError("For 'export', the file must not be encrypted, but got an 'enc_key'.")
    save_program(program_of(net, inputs), file_name, kwargs.get("custom_func"))


def program_of(net: Callable[..., Any], inputs: tuple[Any, ...], version: str = "2.6.0") -> Program:
    """The program that a network is for such inputs.

    Raises:
        ValueError: an input has unknown dims.
        RuntimeError: the function does what MindIR cannot hold.

    >>> program = program_of(lambda x: x * x, (Tensor([1.0, 2.0]),))
    >>> [node.operator.name for node in program.main.nodes]
    ['Mul']
    """
    for value in inputs:
        if isinstance(value, TensorBase) and any(dim < 0 for dim in value.shape):
            raise ValueError(f"For 'export', the inputs must have known shapes, but got {tuple(value.shape)}.")
    name = f"{type(net).__name__}_construct" if hasattr(net, "construct") else getattr(net, "__name__", "main")
    try:
        captured = capture(net, inputs, {}, name)
    except Uncapturable as error:
        raise RuntimeError(
            f"For 'export', the function must be one graph, but at {error.source}: {error.reason}."
        ) from error
    captured.tracer.undo.back()  # an export changes no weights
    return _Writer(captured, "".join(c if c.isalnum() else "_" for c in name), version).program()


class _Writer:
    """Writes one graph as a function."""

    def __init__(self, captured: Captured, name: str, version: str) -> None:
        self.captured, self.graph = captured, optimize(captured.graph)
        self.main = Function(name)
        self.made = Program(self.main, producer=("ms-jit", version))
        self.names: dict[int, str] = {}
        self.constants: dict[Any, str] = {}
        self.operators: dict[Any, Operator] = {}
        self.stored = {id(node.args[0]) for node in self.graph.nodes if type(node.op) is Store}
        self.monad = ""
        self.pending: list[str] = []  # what the next effect must come after

    def program(self) -> Program:
        for i, value in enumerate(self.graph.inputs):
            self.names[id(value)] = f"{self.main.name}:x{i}"
            self.main.inputs.append(Input(self.names[id(value)], _type(value)))
        for node in self.graph.nodes:
            self._node(node)
        output, kind = self._result(self.captured.form)
        if self.monad:
            output = self._call(Operator("Depend", is_function=False), [output, self._effect_order()], kind)
        self.main.output, self.main.output_type = output, kind
        return self.made

    def _node(self, node: GraphNode) -> None:
        if type(node.op) is Store:
            self._store(*node.args)
            return
        if type(node.op) is Copy:
            self.names[id(node.outs[0])] = self._value(node.args[0])
            return
        if type(node.op) is PythonCall and node.op.fn.__name__.startswith("_check"):
            return  # it only refuses values
        call = lower(node.op, node.args, node.outs) if hasattr(node.op, "record") else None
        if call is None or node.effect:
            raise RuntimeError(
                f"For 'export', the function must be made of what MindIR has, but '{node.op.name}'"
                f"{f' at {node.source}' if node.source else ''} is not in it."
            )
        self.site = node
        many = len(node.outs) > 1 and not call.first
        kind: Type = SequenceType(tuple(_type(out) for out in node.outs)) if many else _type(node.outs[0])
        name = self._primitive(call, kind)
        for i, out in enumerate(node.outs[:1] if call.first else node.outs):
            self.names[id(out)] = self._item(name, i, _type(out)) if many else name

    def _primitive(self, call: Call, kind: Type | None) -> str:
        inputs = [self._argument(value, call) for value in call.inputs]
        if call.item is None:
            return self._call(call.operator, inputs, kind)
        return self._item(self._call(call.operator, inputs, None), call.item, kind)

    def _item(self, name: str, index: int, kind: Type | None) -> str:
        return self._call(Operator("TupleGetItem", is_function=False), [name, self._constant(index)], kind)

    def _argument(self, value: Any, call: Call) -> str:
        if isinstance(value, Value):
            return self._value(value)
        if isinstance(value, Call):
            return self._primitive(value, _type(self.site.outs[0]))
        if isinstance(value, list):
            parts = [self._argument(item, call) for item in value]
            kinds = SequenceType(tuple(_type(item) for item in value))
            return self._call(Operator("MakeTuple", is_function=False), parts, kinds)
        if isinstance(value, TensorBase):
            return self._constant(np.array(value._a))
        if isinstance(value, (int, float)) and (self._is_operand(value) or call.operator.name in _ARITHMETIC):
            return self._constant(np.array(value, self._operand_dtype(value)))
        return self._constant(value)

    def _is_operand(self, value: Any) -> bool:
        """Whether a number stands where the op takes a tensor."""
        return any(arg is value and kind for arg, kind in zip(self.site.args, self.site.op.kinds))

    def _operand_dtype(self, value: Any) -> Any:
        """The element type that a number takes beside the op's tensors."""
        beside = [arg.dtype for arg in self.site.args if isinstance(arg, Value)]
        own = "b" if isinstance(value, bool) else "i" if isinstance(value, int) else "f"
        return ms_dtype.promote_scalar(beside[0], own).np if beside else np.dtype(type(value))

    def _value(self, value: Value) -> str:
        if id(value) in self.names:
            return self.names[id(value)]
        tensor = value.tensor
        if tensor is None:
            raise RuntimeError("For 'export', the function must be one graph, but a value comes from nowhere.")
        if isinstance(tensor, Parameter):
            return self._load(value, tensor)
        array = np.array(tensor.asnumpy() if isinstance(tensor, Tensor) else tensor._a)
        self.names[id(value)] = self._constant(array)
        return self.names[id(value)]

    def _parameter(self, tensor: Parameter) -> str:
        name = f"{self.main.name}:{tensor.name}"
        if name not in self.made.parameters:
            self.made.parameters[name] = ParameterValue(name, tensor.name, np.array(tensor._a))
        return name

    def _load(self, value: Value, tensor: Parameter) -> str:
        """The weight as it is at this point; a copy when it is changed later on."""
        kind = _type(value)
        name = self._call(Operator("Load", is_function=False), [self._parameter(tensor), self._order()], kind)
        if id(value) in self.stored:
            name = self._call(Operator("TensorMove", is_function=False), [name], kind)
        else:
            self.names[id(value)] = name
        self.pending.append(name)
        return name

    def _store(self, target: Value, source: Value) -> None:
        new = self._value(source)
        if not isinstance(target.tensor, Parameter):
            if target.tensor is not None or target.node is None:
                raise RuntimeError("For 'export', tensors from outside must not change, unless they are Parameters.")
            self.names[id(target)] = new
            return
        assign = Operator("Assign", {"side_effect_mem": True})
        order = self._effect_order()
        done = self._call(assign, [self._parameter(target.tensor), new, order], _type(target))
        self.pending.append(done)
        self.monad = self._effect_order()

    def _order(self) -> str:
        if not self.monad:
            self.monad = self._constant(MONAD)
        return self.monad

    def _effect_order(self) -> str:
        """The order after all that was loaded and stored so far."""
        if self.pending:
            after, self.pending = self.pending, []
            self.monad = self._call(Operator("UpdateState", is_function=False), [self._order(), *after], None)
        return self._order()

    def _constant(self, value: Any) -> str:
        key = (type(value), value.dtype, value.shape, value.tobytes()) if isinstance(value, np.ndarray) else None
        key = key or (repr(value),)
        if key not in self.constants:
            self.constants[key] = f"c{len(self.constants)}"
            self.main.nodes.append(Constant(self.constants[key], value))
        return self.constants[key]

    def _call(self, operator: Operator, inputs: list[str], kind: Type | None) -> str:
        shared = self.operators.setdefault(repr(operator), operator)
        name = f"{self.main.name}:n{len(self.main.nodes)}"
        self.main.nodes.append(Node(name, shared, inputs, kind, f"Default/{operator.name}"))
        return name

    def _result(self, form: Any) -> tuple[str, Type]:
        if type(form) is Leaf:
            if form.index >= 0:
                value = self.graph.outputs[form.index]
                return self._value(value), _type(value)
            return self._constant(form.value), _scalar_type(form.value)
        kind, keys, parts = form
        if keys is not None or kind not in (tuple, list):
            raise RuntimeError(f"For 'export', the result must be made of tuples and lists, but got a {kind.__name__}.")
        found = [self._result(part) for part in parts]
        whole = SequenceType(tuple(item for _, item in found), kind is list)
        maker = Operator("MakeTuple" if kind is tuple else "make_list", is_function=False)
        return self._call(maker, [name for name, _ in found], whole), whole


def _type(value: Value) -> TensorType:
    return TensorType(value.shape if value.shape is not None else (-2,), value.dtype.name.rstrip("_"))


def _scalar_type(value: Any) -> Type:
    from ms_jit.mindir.model import OtherType, ScalarType

    names = {bool: "bool", int: "int64", float: "float32"}
    return ScalarType(names[type(value)]) if type(value) in names else OtherType("NONE" if value is None else "STRING")
