"""Messages of MindIR to programs in neutral form, and back."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ms_jit.mindir.message import Message
from ms_jit.mindir.model import (
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
from ms_jit.mindir.values import (
    External,
    read_array,
    read_shape,
    read_type,
    read_value,
    write_array,
    write_type,
    write_value,
)
from ms_jit.mindir.wire import MindIRError

__all__ = ["read_program", "write_program"]

_IR_VERSION = "0.1.1"
_MIND_IR_VERSION = 3
_REF = "REF::"
_PRIMITIVE, _PRIMITIVE_FUNCTION = 1, 2


def read_program(model: Message, external: External | None = None) -> Program:
    """The program that a ModelProto holds.

    Args:
        model: the message.
        external: gives the bytes (location, offset, length) of weights that are in other files.

    Raises:
        MindIRError: it holds no graph, names what it does not have, or what this version does not understand.
    """
    if not model.HasField("graph"):
        raise MindIRError("there is no graph")
    if model.HasField("little_endian") and not model.little_endian:
        raise MindIRError("the data is of a machine of the other byte order")
    operators: dict[str, Operator | str] = {}
    for primitive in model.primitives:
        operators[primitive.name] = Operator(
            primitive.op_type,
            {item.name: read_value(item) for item in primitive.attribute},
            primitive.prim_type == _PRIMITIVE_FUNCTION,
            primitive.instance_name,
        )
    graphs = [model.graph, *model.functions]
    if max(Counter(graph.name for graph in graphs).values()) > 1:
        raise MindIRError("two functions have one name")
    main, *others = (_read_function(graph, operators, external) for graph in graphs)
    parameters = {}
    for graph in graphs:
        for tensor in graph.parameter:
            if tensor.name in parameters:
                raise MindIRError(f"two parameters have the name '{tensor.name}'")
            key = tensor.ref_key or tensor.name.rpartition(":")[2]
            parameters[tensor.name] = ParameterValue(tensor.name, key, read_array(tensor, external))
    producer = (model.producer_name, model.model_version or model.producer_version)
    program = Program(main, {f.name: f for f in others}, parameters, producer, dict(model.user_info))
    _check_names(program)
    return program


def _read_function(graph: Message, operators: dict[str, Operator | str], external: External | None) -> Function:
    function = Function(graph.name)
    for info in graph.input:
        function.inputs.append(Input(info.name, _read_info(info)))
    for node in graph.node:
        if len(node.output) != 1:
            raise MindIRError(f"the node '{node.name}' gives {len(node.output)} values, not one")
        if node.op_type == "Constant":
            held = next((item for item in node.attribute if item.name == "value"), None)
            if held is None:
                raise MindIRError(f"the constant '{node.name}' has no value")
            function.nodes.append(Constant(node.output[0], read_value(held, external)))
            continue
        if not node.op_type.startswith(_REF):
            raise MindIRError(f"the node '{node.name}' does not say what it calls, but '{node.op_type}'")
        name = node.op_type[len(_REF) :]
        shown = next((item for item in node.attribute if item.name == "shape"), None)
        kind = None if shown is None else read_type(shown)
        function.nodes.append(Node(node.output[0], operators.get(name, name), list(node.input), kind, node.domain))
    if len(graph.output) != 1:
        raise MindIRError(f"the function '{graph.name}' gives {len(graph.output)} values, not one")
    function.output, function.output_type = graph.output[0].name, _read_info(graph.output[0])
    function.attributes = {item.name: read_value(item) for item in graph.attribute}
    return function


def _read_info(info: Message) -> Type | None:
    if info.HasField("attr_info"):
        return read_type(info.attr_info)
    if len(info.tensor) == 1:
        made = Message("AttributeProto", type="TENSORS", tensors=info.tensor)
        return read_type(made)
    for tensor in info.tensor:
        read_shape(tensor)
    return None


def _check_names(program: Program) -> None:
    """Every name that is used must be there before it is used; those of other functions may come later."""
    everywhere: set[str] = {*program.functions, *program.parameters, program.main.name}
    for function in program.all_functions():
        made = [*(i.name for i in function.inputs), *(n.name for n in function.nodes)]
        twice = [name for name, count in Counter(made).items() if count > 1]
        if twice:
            raise MindIRError(f"the name '{twice[0]}' stands for two values in '{function.name}'")
        everywhere.update(made)
    for function in program.all_functions():
        later = {n.name for n in function.nodes}
        for node in function.nodes:
            if isinstance(node, Node):
                called = [node.operator] if isinstance(node.operator, str) else []
                for name in (*node.inputs, *called):
                    if name not in everywhere or name in later:
                        raise MindIRError(f"the node '{node.name}' uses '{name}', which is not there")
            later.discard(node.name)
        if function.output not in everywhere:
            raise MindIRError(f"the function '{function.name}' gives '{function.output}', which is not there")


def write_program(program: Program) -> Message:
    """A ModelProto that holds the program.

    Raises:
        MindIRError: it holds a value that MindIR has no form for.
    """
    model = Message("ModelProto", ir_version=_IR_VERSION, producer_name=program.producer[0])
    model.model_version = program.producer[1]
    refs: dict[int, str] = {}
    operators: list[tuple[str, Operator]] = []
    for function in program.all_functions():
        graph = model.graph if function is program.main else model.functions.add()
        _write_function(graph, function, refs, operators)
    for parameter in program.parameters.values():
        tensor = write_array(parameter.value, parameter.name)
        tensor.ref_key = parameter.key
        tensor.compression_type = "NO_COMPRESSION"
        model.graph.parameter.append(tensor)
    model.little_endian = True
    for ref, operator in operators:
        primitive = model.primitives.add(name=ref, op_type=operator.name)
        for name, value in operator.attributes.items():
            write_value(primitive.attribute.add(name=name), value)
        primitive.instance_name = operator.instance
        primitive.prim_type = _PRIMITIVE_FUNCTION if operator.is_function else _PRIMITIVE
    model.mind_ir_version = _MIND_IR_VERSION
    model.user_info = program.user_info
    return model


def _write_function(
    graph: Message, function: Function, refs: dict[int, str], operators: list[tuple[str, Operator]]
) -> None:
    graph.name = function.name
    for node in function.nodes:
        made = graph.node.add(output=[node.name], name=node.name)
        if isinstance(node, Constant):
            made.op_type = "Constant"
            write_value(made.attribute.add(name="value"), node.value)
            continue
        made.input = node.inputs
        if isinstance(node.operator, str):
            made.op_type = _REF + node.operator
        else:
            ref = refs.get(id(node.operator))
            if ref is None:
                ref = refs[id(node.operator)] = f"{node.operator.name}:{len(operators) + 1}"
                operators.append((ref, node.operator))
            made.op_type = _REF + ref
        if node.type is not None:
            write_type(made.attribute.add(name="shape"), node.type)
        if node.scope:
            made.domain = node.scope
    for one in function.inputs:
        _write_info(graph.input.add(name=one.name), one.type)
    _write_info(graph.output.add(name=function.output), function.output_type)
    for name, value in function.attributes.items():
        write_value(graph.attribute.add(name=name), value)


def _write_info(info: Message, kind: Any) -> None:
    if isinstance(kind, TensorType):
        described = write_type(Message("AttributeProto"), kind)
        info.tensor = described.tensors
    elif kind is not None:
        if isinstance(kind, SequenceType):
            info.denotation = "List" if kind.is_list else "Tuple"
        write_type(info.attr_info, kind)
