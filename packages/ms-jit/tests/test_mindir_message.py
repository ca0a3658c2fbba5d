"""Messages: the wire format against protobuf's rules, and bytes that nobody should trust."""

from __future__ import annotations

import struct
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ms_jit.mindir.message import Message, parse
from ms_jit.mindir.schema import ENUMS, fields
from ms_jit.mindir.wire import BYTES, MindIRError, Reader, put_bytes, put_tag, put_varint, signed

INT64 = st.integers(-(2**63), 2**63 - 1)


@given(st.integers(0, 2**64 - 1))
def test_numbers(value: int) -> None:
    out = bytearray()
    put_varint(out, value)
    assert len(out) == max(1, (value.bit_length() + 6) // 7)
    assert Reader(memoryview(bytes(out))).varint() == value


@given(INT64)
def test_signed_numbers(value: int) -> None:
    out = bytearray()
    put_varint(out, value)
    assert signed(Reader(memoryview(bytes(out))).varint()) == value


@st.composite
def attributes(draw: st.DrawFn, depth: int = 2) -> Message:
    made = Message("AttributeProto")
    for name, values in {
        "name": st.text(st.characters(exclude_categories=["Cs"])),
        "i": INT64,
        "f": st.floats(width=32, allow_nan=False),
        "d": st.floats(allow_nan=False),
        "s": st.binary(),
        "ints": st.lists(INT64),
        "doubles": st.lists(st.floats(allow_nan=False)),
        "strings": st.lists(st.binary()),
        "type": st.sampled_from(sorted(ENUMS["AttributeType"])),
    }.items():
        if draw(st.booleans()):
            setattr(made, name, draw(values))
    if depth and draw(st.booleans()):
        made.values = draw(st.lists(attributes(depth - 1), max_size=2))
    return made


@given(attributes())
def test_what_is_written_is_read(message: Message) -> None:
    again = parse("AttributeProto", message.SerializeToString())
    assert again == message
    assert str(again) == str(message)


def test_the_bytes_are_those_of_protobuf() -> None:
    message = Message("TensorProto", dims=[1, -1, 300], data_type=1, name="é", raw_data=b"\0\1", double_data=[0.5])
    want = b"\x08\x01\x08" + b"\xff" * 9 + b"\x01" + b"\x08\xac\x02" + b"\x10\x01" + b"\x3a\x02\xc3\xa9"
    assert message.SerializeToString() == want + b"\x4a\x02\0\1" + b"\x51" + struct.pack("<d", 0.5)


def test_packed_lists_and_unknown_fields() -> None:
    assert parse("TensorProto", b"\x0a\x03\x01\xac\x02").dims == [1, 300]
    assert parse("TensorProto", b"\x1a\x08" + struct.pack("<ff", 1, 2)).float_data == [1.0, 2.0]
    unknown = b"\xfa\x06\x02ab" + b"\xf8\x06\x07" + b"\xf9\x06" + bytes(8) + b"\xfd\x06" + bytes(4)
    assert parse("TensorProto", unknown).SerializeToString() == unknown
    assert parse("TensorProto", b"\x10\x01\x10\x02").data_type == 2  # the last one counts


def test_fields_that_were_never_set() -> None:
    model = Message("ModelProto")
    assert (model.ir_version, model.mind_ir_version, model.little_endian, model.functions) == ("", 0, False, [])
    assert model.graph.name == ""
    assert model.user_info == {}
    assert not model.HasField("graph")
    assert model.SerializeToString() == b""
    model.graph.name = ""
    assert model.HasField("graph")
    assert model.SerializeToString() == b"\x3a\x02\x12\x00"
    model.ClearField("graph")
    assert model.SerializeToString() == b""
    assert Message("PrimitiveProto").prim_type == 1


def test_setting_fields() -> None:
    model = Message("ModelProto", user_info={"a": "b"})
    node = model.graph.node.add(input=["x"], op_type="Constant")
    assert model.graph.node[0] is node
    for name, value in {
        "graph": 3,
        "ir_version": b"a",
        "mind_ir_version": 2**63,
        "little_endian": "yes",
        "functions": [Message("NodeProto")],
        "user_info": {"a": 1},
    }.items():
        with pytest.raises(TypeError, match="holds"):
            setattr(model, name, value)
    with pytest.raises(AttributeError, match="ModelProto has no field 'nodes'"):
        model.nodes = []
    with pytest.raises(AttributeError, match="ModelProto has no field 'nodes'"):
        model.nodes  # noqa: B018
    node.input.append(3)
    with pytest.raises(TypeError, match="the field 'input' holds string, not int: 3"):
        model.SerializeToString()
    with pytest.raises(TypeError):
        Message("AttributeProto", type="NO_SUCH")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\x08", "a number that is cut off or too long at byte 1"),
        (b"\x08" + b"\xff" * 10, "a number that is cut off or too long"),
        (b"\x08" + b"\xff" * 9 + b"\x7f", "a number that is cut off or too long"),
        (b"\x00\x01", "something that is no field"),
        (b"\x0b", "something that is no field"),
        (b"\x3a\x05ab", "a value of 5 bytes, but only 2 are left"),
        (b"\x3a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "but only 0 are left"),
        (b"\x3a\x01\xff", "a text that is no UTF-8"),
        (b"\x38\x01", "a value of the wrong kind for 'name'"),
        (b"\x10" + b"\xff" * 4 + b"\x0f", "a number that is too large for 'data_type'"),
        (b"\x51\x00", "a value of 8 bytes, but only 1 are left"),
    ],
)
def test_bad_bytes(data: bytes, text: str) -> None:
    with pytest.raises(MindIRError) as caught:
        parse("TensorProto", data)
    assert text in str(caught.value)


def test_bad_table() -> None:
    with pytest.raises(MindIRError, match="no entry of 'user_info'"):
        parse("ModelProto", b"\x72\x02\x18\x01")


@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    try:
        read = parse("ModelProto", data)
    except MindIRError:
        return
    assert parse("ModelProto", read.SerializeToString()) == read


def test_depth() -> None:
    data = b""
    for _ in range(5000):
        out = bytearray()
        put_tag(out, fields("AttributeProto")["values"].number, BYTES)
        put_bytes(out, data)
        data = bytes(out)
    with pytest.raises(MindIRError, match="messages nested too deep"):
        parse("AttributeProto", data)


def test_number_of_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ms_jit.mindir.message._COUNT", 1000)
    with pytest.raises(MindIRError, match="more messages than can be held"):
        parse("GraphProto", b"\x0a\x00" * 1000)
    assert len(parse("GraphProto", b"\x0a\x00" * 999).node) == 999


def test_time_is_linear() -> None:
    data = b"\x0a\x07\x0a\x01x\x12\x02yz" * 20_000
    start = time.perf_counter()
    assert len(parse("GraphProto", data).node) == 20_000
    assert time.perf_counter() - start < 5
