"""Programs in neutral form: what is checked, and how functions, branches and loops run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ms_jit import set_recursion_limit
from ms_jit.mindir.convert import read_program, write_program
from ms_jit.mindir.evaluate import GraphProgram
from ms_jit.mindir.message import Message
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
)
from ms_jit.mindir.operators import CODES, DTYPE_CODES, attribute_names, callable_of, decode
from ms_jit.mindir.values import read_array, read_type, read_value, write_array, write_type, write_value
from ms_jit.mindir.wire import MindIRError
from ms_kernels import Tensor

FLOATS = TensorType((2,), "float32")


def op(name: str, **attributes: Any) -> Operator:
    return Operator(name, attributes, is_function=not attributes)


def double() -> Program:
    """x + x"""
    main = Function("main", [Input("x", FLOATS)], [Node("y", op("Add"), ["x", "x"], FLOATS)], "y", FLOATS)
    return Program(main)


def test_run() -> None:
    program = GraphProgram(double())
    assert program(Tensor([1.0, 2.0])).asnumpy().tolist() == [2.0, 4.0]
    assert program.inputs == [Input("x", FLOATS)]


def renamed(model: Message) -> None:
    model.graph.node[0].input[1] = "z"


def two_outputs(model: Message) -> None:
    model.graph.node[0].output.append("z")


def twice(model: Message) -> None:
    model.graph.node.append(model.graph.node[0])


def twin(model: Message) -> None:
    model.functions.append(model.graph)


def valueless(model: Message) -> None:
    model.graph.node[0].op_type = "Constant"


def unknown_call(model: Message) -> None:
    model.graph.node[0].op_type = "REF::nobody"


def no_ref(model: Message) -> None:
    model.graph.node[0].op_type = "Add"


def no_output(model: Message) -> None:
    model.graph.ClearField("output")


def other_output(model: Message) -> None:
    model.graph.output[0].name = "z"


def big_endian(model: Message) -> None:
    model.little_endian = False


def bad_shape(model: Message) -> None:
    model.graph.input[0].tensor[0].dims = [-5]


def bad_dtype(model: Message) -> None:
    model.graph.input[0].tensor[0].data_type = 99


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (renamed, "the node 'y' uses 'z', which is not there"),
        (two_outputs, "the node 'y' gives 2 values, not one"),
        (twice, "the name 'y' stands for two values in 'main'"),
        (twin, "two functions have one name"),
        (valueless, "the constant 'y' has no value"),
        (unknown_call, "the node 'y' uses 'nobody', which is not there"),
        (no_ref, "the node 'y' does not say what it calls, but 'Add'"),
        (no_output, "the function 'main' gives 0 values, not one"),
        (other_output, "the function 'main' gives 'z', which is not there"),
        (big_endian, "the data is of a machine of the other byte order"),
        (bad_shape, "a tensor cannot have the shape (-5,)"),
        (bad_dtype, "element type 99 is not known"),
    ],
)
def test_refused(change: Callable[[Message], None], text: str) -> None:
    model = write_program(double())
    change(model)
    with pytest.raises(MindIRError) as caught:
        read_program(model)
    assert str(caught.value) == text


def test_used_before_it_is_made() -> None:
    program = double()
    program.main.nodes.insert(0, Node("early", op("Neg"), ["y"]))
    with pytest.raises(MindIRError, match="the node 'early' uses 'y', which is not there"):
        read_program(write_program(program))


@pytest.mark.parametrize(
    ("operator", "text"),
    [
        (op("NoSuchThing"), "there is no primitive 'NoSuchThing'"),
        (op("__import__"), "'__import__' is no name of a primitive"),
        (op("os.system"), "'os.system' is no name of a primitive"),
        (op("_settings"), "'_settings' is no name of a primitive"),
        (op("Tensor"), "there is no primitive 'Tensor'"),
        (op("Conv2D", kernel_size=3), "the primitive 'Conv2D' cannot be made"),
    ],
)
def test_primitives_that_are_none(operator: Operator, text: str) -> None:
    program = double()
    program.main.nodes[0] = Node("y", operator, ["x", "x"])
    with pytest.raises(MindIRError, match=text):
        GraphProgram(program)


def test_calls_of_what_is_no_function() -> None:
    program = double()
    program.main.nodes[0] = Node("y", "x", ["x"])
    with pytest.raises(MindIRError, match="the node 'y' calls 'x', which is no function"):
        GraphProgram(program)(Tensor([1.0]))
    program.main.nodes[0] = Node("y", op("Partial"), ["x", "x"])
    with pytest.raises(MindIRError, match="the node 'y' cannot run"):
        GraphProgram(program)(Tensor([1.0]))
    program.main.nodes[0] = Node("y", "main", ["x", "x"])
    with pytest.raises(MindIRError, match="'main' has 1 parameters, but got 2 values"):
        GraphProgram(program)(Tensor([1.0]))


def counting(tail: bool) -> Program:
    """Counts down to 0; with a tail call, or with an addition after each call."""
    main = Function("main", [Input("n")], [Node("r", "step", ["n"])], "r")
    step = Function(
        "step",
        [Input("n")],
        [
            Constant("zero", np.float32(0).reshape(())),
            Node("more", op("Greater"), ["n", "zero"]),
            Node("again", op("Partial"), ["down", "n"]),
            Node("end", op("Partial"), ["same", "n"]),
            Node("which", op("Switch"), ["more", "again", "end"]),
            Node("result", "which", []),
        ],
        "result",
    )
    down = Function(
        "down",
        [Input("n")],
        [
            Constant("one", np.float32(1).reshape(())),
            Node("less", op("Sub"), ["n", "one"]),
            Node("rest", "step", ["less"]),
            *([] if tail else [Node("sum", op("Add"), ["rest", "one"])]),
        ],
        "rest" if tail else "sum",
    )
    same = Function("same", [Input("n")], [], "n")
    return Program(main, {"step": step, "down": down, "same": same})


def test_loops_need_no_stack() -> None:
    assert float(GraphProgram(counting(tail=True))(Tensor(5000.0))) == 0


def test_recursion_has_a_limit() -> None:
    program = GraphProgram(counting(tail=False))
    assert float(program(Tensor(300.0))) == 300
    set_recursion_limit(50)
    try:
        assert float(program(Tensor(20.0))) == 20
        with pytest.raises(RuntimeError, match="Exceed function call depth limit 50"):
            program(Tensor(300.0))
    finally:
        set_recursion_limit()


def test_values_of_the_function_around() -> None:
    inner = Function("inner", [Input("b")], [Node("p", op("Mul"), ["b", "twice"])], "p")
    main = Function("main", [Input("x")], [Node("twice", op("Add"), ["x", "x"]), Node("r", "inner", ["x"])], "r")
    program = read_program(write_program(Program(main, {"inner": inner})))
    assert GraphProgram(program)(Tensor([3.0])).asnumpy().tolist() == [18.0]


def test_effects_in_order() -> None:
    """Load, assign, load: the second sees the new value, the first kept a copy."""
    nodes = [
        Constant("u", MONAD),
        Node("old", op("Load"), ["w", "u"]),
        Node("kept", op("TensorMove"), ["old"]),
        Node("u1", op("UpdateState"), ["u", "kept"]),
        Node("set", op("Assign"), ["w", "x", "u1"]),
        Node("u2", op("UpdateState"), ["u1", "set"]),
        Node("new", op("Load"), ["w", "u2"]),
        Node("both", op("MakeTuple"), ["kept", "new"]),
        Node("r", op("Depend"), ["both", "u2"]),
    ]
    weight = ParameterValue("w", "net.w", np.array([1.0], np.float32))
    program = GraphProgram(Program(Function("main", [Input("x")], nodes, "r"), {}, {"w": weight}))
    kept, new = program(Tensor([7.0]))
    assert (kept.asnumpy().tolist(), new.asnumpy().tolist()) == ([1.0], [7.0])
    assert program.parameters["net.w"].asnumpy().tolist() == [7.0]
    assert program.parameters["net.w"].name == "net.w"


def test_types() -> None:
    kinds = [
        TensorType((2, -1), "bfloat16", "w"),
        TensorType((-2,), "bool"),
        TensorType((), "float64"),
        ScalarType("int64"),
        SequenceType((FLOATS, SequenceType((ScalarType("float32"),), True))),
        OtherType("NONE"),
    ]
    for kind in kinds:
        assert read_type(write_type(Message("AttributeProto"), kind)) == kind


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, False, 0, -5, 2**62, 2.5, "text", "", (), [], (1, (2.5, "a"), [True, None]), {"a": 1, "b": (2,)}),
        MONAD,
    ],
)
def test_values(value: Any) -> None:
    read = read_value(write_value(Message("AttributeProto"), value))
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize("name", [name for name in DTYPE_CODES if name != "bfloat16"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (2, 2)])
def test_arrays(name: str, shape: tuple[int, ...]) -> None:
    array = (np.arange(np.prod(shape)) + 1).astype(name).reshape(shape)
    read = read_array(write_array(array, "w"))
    assert (read.dtype, read.shape) == (array.dtype, shape)
    assert np.array_equal(read, array)
    assert read.flags.writeable


def test_arrays_of_numbers() -> None:
    """Files that do not use raw_data."""
    read = read_array(Message("TensorProto", dims=[2], data_type=1, float_data=[1.5, 2.5]))
    assert (read.dtype.name, read.tolist()) == ("float32", [1.5, 2.5])
    assert read_array(Message("TensorProto", dims=[2], data_type=3, int32_data=[1, -2])).tolist() == [1, -2]
    assert read_array(Message("TensorProto", dims=[1], data_type=7, int64_data=[2**40])).tolist() == [2**40]


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"dims": [2], "data_type": 1, "raw_data": b"1234"}, "holds 4 bytes"),
        ({"dims": [2**40, 2**40], "data_type": 1, "raw_data": b"1234"}, "holds 4 bytes"),
        ({"dims": [-1], "data_type": 1, "raw_data": b"1234"}, "has data, but its shape is"),
        ({"dims": [3], "data_type": 1, "float_data": [1.0]}, "holds 1 numbers"),
        ({"dims": [3], "data_type": 8}, "element type 8 is not known"),
        ({"dims": [1], "data_type": 1, "raw_data": b"1234", "compression_type": 2}, "is compressed"),
        ({"dims": [1], "data_type": 1, "external_data": Message("ExternalDataProto", length=4)}, "is elsewhere"),
    ],
)
def test_bad_arrays(fields: dict[str, Any], text: str) -> None:
    with pytest.raises(MindIRError, match=text):
        read_array(Message("TensorProto", name="w", **fields))


def test_deep_tuples() -> None:
    deep = Message("AttributeProto", type="TUPLE")
    for _ in range(80):
        deep = Message("AttributeProto", type="TUPLE", values=[deep])
    for read in (read_value, read_type):
        with pytest.raises(MindIRError, match="tuples nested too deep"):
            read(deep)


def test_what_mindir_cannot_hold() -> None:
    with pytest.raises(MindIRError, match="MindIR cannot hold a set"):
        write_value(Message("AttributeProto"), {1})
    with pytest.raises(MindIRError, match="a value of the kind SYMBOL is not understood"):
        read_value(Message("AttributeProto", type="SYMBOL"))


def test_codes() -> None:
    assert decode("data_format", 1) == "NHWC"
    assert decode("pad_mode", 2) == "valid"
    assert decode("pad_mode", "valid") == "valid"
    assert str(decode("dtype", 43)) == "Float32"
    assert decode("axis", 1) == 1
    assert decode("keep_dims", True) is True
    assert decode("reduction", 0) == "sum"
    assert decode("reduction", 0, "TensorScatterElements") == "none"
    assert decode("indexing", 0) == "ij"
    assert all(len(set(codes.values())) == len(codes) for codes in CODES.values())
    assert attribute_names("MatMul") == ["transpose_a", "transpose_b"]
    assert attribute_names("Nothing") is None


def test_a_result_that_is_not_there() -> None:
    program = double()
    first = Node("g", op("GroupNorm"), ["x", "one", "none", "none", "eps"])
    constants = [Constant("one", 1), Constant("none", None), Constant("eps", 1e-5)]
    program.main.nodes[:] = [*constants, first, Node("y", op("TupleGetItem"), ["g", "one"])]
    with pytest.raises(MindIRError, match="the node 'y' cannot run: tuple index out of range"):
        GraphProgram(program)(Tensor([[1.0, 2.0]]))


def test_functions_of_mint() -> None:
    assert callable_of(op("ClampScalar"))([Tensor([3.0]), 0.5, 2.0]).asnumpy().tolist() == [2.0]
    assert callable_of(op("DivMod"))([Tensor([-3.0]), Tensor(2.0), 1]).asnumpy().tolist() == [-1.0]
    total = callable_of(op("SumExt"))([Tensor([[1.0, 2.0]]), (1,), True, 42])
    assert (str(total.dtype), total.asnumpy().tolist()) == ("Float16", [[3.0]])
