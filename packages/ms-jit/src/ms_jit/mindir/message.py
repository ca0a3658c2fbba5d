"""A message of MindIR in memory: read from bytes, changed by attribute, written again."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from ms_jit.mindir.schema import ENUMS, Field, fields, numbered
from ms_jit.mindir.wire import (
    BYTES,
    FIXED32,
    FIXED64,
    VARINT,
    MindIRError,
    Reader,
    put_bytes,
    put_tag,
    put_varint,
    signed,
)

__all__ = ["Message", "Messages", "parse"]

_DEPTH = 100  # messages inside messages
_COUNT = 4_000_000  # messages in all; a few bytes in a file become a few hundred in memory
_RANGES = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1), "uint64": (0, 2**64 - 1)}
_WIRE = {"string": BYTES, "bytes": BYTES, "float": FIXED32, "double": FIXED64}
_ESCAPES = {ord(sign): f"\\{shown}" for sign, shown in zip("\n\r\t\"'\\", "nrt\"'\\", strict=True)}
_DEFAULTS = {"string": "", "bytes": b"", "bool": False, "float": 0.0, "double": 0.0}


class Messages(list["Message"]):
    """A list of messages of one kind."""

    def __init__(self, kind: str, items: Any = ()) -> None:
        super().__init__(items)
        self.kind = kind

    def add(self, **values: Any) -> Message:
        """Append a new message with these values, and return it."""
        self.append(Message(self.kind, **values))
        return self[-1]


class Message:
    """One message; its fields are attributes.

    A field that was never set has its default: zero, nothing, an empty list, an empty message. Fields that this version
    does not know are kept and written again.

    Args:
        kind: the name of the message.
        **values: fields to set.

    Raises:
        AttributeError: there is no such field.
        TypeError: a value does not fit the field.

    >>> tensor = Message("TensorProto", name="w", dims=[2, 3])
    >>> tensor.data_type = 1
    >>> print(tensor)
    dims: 2
    dims: 3
    data_type: 1
    name: "w"
    <BLANKLINE>
    """

    __slots__ = ("_kind", "_set", "_unknown", "_values")

    def __init__(self, kind: str, **values: Any) -> None:
        object.__setattr__(self, "_kind", kind)
        object.__setattr__(self, "_values", {})
        object.__setattr__(self, "_unknown", [])
        object.__setattr__(self, "_set", True)  # False: made by looking at a field, so it does not count while empty
        for name, value in values.items():
            setattr(self, name, value)

    @property
    def kind(self) -> str:
        """The name of the message."""
        return str(self._kind)

    def __getattr__(self, name: str) -> Any:
        field = fields(self._kind).get(name)
        if field is None:
            raise AttributeError(f"{self._kind} has no field '{name}'")
        if name in self._values:
            return self._values[name]
        if field.table or field.many or field.is_message:
            self._values[name] = made = _empty(field)
            return made
        return min(ENUMS[field.kind].values()) if field.kind in ENUMS else _DEFAULTS.get(field.kind, 0)

    def __setattr__(self, name: str, value: Any) -> None:
        field = fields(self._kind).get(name)
        if field is None:
            raise AttributeError(f"{self._kind} has no field '{name}'")
        if field.table:
            self._values[name] = {_fit(field, k): _fit(field, v) for k, v in dict(value).items()}
        elif field.many:
            items = [_fit(field, item) for item in value]
            self._values[name] = Messages(field.kind, items) if field.is_message else items
        else:
            self._values[name] = _fit(field, value)

    def HasField(self, name: str) -> bool:
        """Whether a field that is no list was set."""
        value = self._values.get(name)
        return value is not None and not (isinstance(value, Message) and not value._counts())

    def ClearField(self, name: str) -> None:
        """Give a field its default again."""
        self._values.pop(name, None)

    def _counts(self) -> bool:
        return bool(self._set or self._unknown or any(True for _ in self.present()))

    def present(self) -> Iterator[tuple[Field, Any]]:
        """The fields that have values, in the order of their numbers; lists item by item."""
        for name, field in fields(self._kind).items():
            if name not in self._values:
                continue
            value = self._values[name]
            if field.table:
                yield from ((field, pair) for pair in value.items())
            elif field.many:
                yield from ((field, item) for item in value)
            elif not isinstance(value, Message) or value._counts():
                yield field, value

    def SerializeToString(self) -> bytes:
        """The message as bytes.

        Raises:
            TypeError: a list was given an item that does not fit.
        """
        out = bytearray()
        for field, value in self.present():
            if field.table:
                pair = bytearray()
                for number, text in enumerate(value, 1):
                    put_tag(pair, number, BYTES)
                    put_bytes(pair, _fit(field, text).encode())
                put_tag(out, field.number, BYTES)
                put_bytes(out, pair)
            else:
                _write(out, field, _fit(field, value))
        for number, kind, raw in self._unknown:
            put_tag(out, number, kind)
            out += raw
        return bytes(out)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Message):
            return NotImplemented
        return self._kind == other._kind and self.SerializeToString() == other.SerializeToString()

    __hash__ = None  # type: ignore[assignment]

    def lines(self, indent: str = "") -> Iterator[str]:
        """The message as text, line by line."""
        for field, value in self.present():
            if field.table:
                yield f'{indent}{field.name} {{ key: "{value[0]}" value: "{value[1]}" }}'
            elif isinstance(value, Message):
                yield f"{indent}{field.name} {{"
                yield from value.lines(indent + "  ")
                yield f"{indent}}}"
            else:
                yield f"{indent}{field.name}: {_text(field, value)}"

    def __str__(self) -> str:
        return "".join(line + "\n" for line in self.lines())

    def __repr__(self) -> str:
        return f"<{self._kind} of {len(self.SerializeToString())} bytes>"


def _empty(field: Field) -> Any:
    if field.table:
        return {}
    if field.many:
        return Messages(field.kind) if field.is_message else []
    made = Message(field.kind)
    object.__setattr__(made, "_set", False)
    return made


def _fit(field: Field, value: Any) -> Any:
    """A value as the field holds it."""
    kind = field.kind
    if field.is_message:
        fits = isinstance(value, Message) and value.kind == kind
    elif kind in _RANGES:
        low, high = _RANGES[kind]
        fits = isinstance(value, int) and low <= value <= high
    elif kind in ENUMS:
        if isinstance(value, str) and value in ENUMS[kind]:
            return ENUMS[kind][value]
        fits = isinstance(value, int) and -(2**31) <= value < 2**31
    elif kind in ("float", "double"):
        fits = isinstance(value, (int, float))
    else:
        fits = isinstance(value, {"string": str, "bytes": bytes, "bool": (bool, int)}[kind])  # type: ignore[arg-type]
    if not fits:
        raise TypeError(f"the field '{field.name}' holds {kind}, not {type(value).__name__}: {value!r}")
    return value


def _write(out: bytearray, field: Field, value: Any) -> None:
    put_tag(out, field.number, BYTES if field.is_message else _WIRE.get(field.kind, VARINT))
    if field.is_message:
        put_bytes(out, value.SerializeToString())
    elif field.kind == "float":
        big = abs(value) > 3.4028235677973366e38 and value == value
        out += struct.pack("<f", value if not big else float("inf") * (1 if value > 0 else -1))
    elif field.kind == "double":
        out += struct.pack("<d", value)
    elif field.kind in ("string", "bytes"):
        put_bytes(out, value.encode() if field.kind == "string" else value)
    else:
        put_varint(out, int(value))


def _text(field: Field, value: Any) -> str:
    if field.kind in ENUMS:
        return next((name for name, number in ENUMS[field.kind].items() if number == value), str(value))
    if field.kind == "bool":
        return str(bool(value)).lower()
    if field.kind == "float":
        return repr(float(f"{value:.7g}"))
    if field.kind == "string":
        return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    if field.kind == "bytes":
        return '"' + "".join(_ESCAPES.get(b) or (chr(b) if 32 <= b < 127 else f"\\{b:03o}") for b in value) + '"'
    return str(value)


class _Parser:
    """Reads one message with all inside; counts what it makes."""

    def __init__(self) -> None:
        self.left = _COUNT

    def message(self, kind: str, reader: Reader, depth: int = 0) -> Message:
        self.left -= 1
        if depth > _DEPTH or self.left < 0:
            raise reader.fail("messages nested too deep" if depth > _DEPTH else "more messages than can be held")
        made = Message(kind)
        known = numbered(kind)
        while reader.more():
            number, wire = reader.tag()
            field = known.get(number)
            if field is None:
                made._unknown.append((number, wire, reader.value(wire)))
            elif wire == BYTES and field.many and not field.is_message and field.kind not in ("string", "bytes"):
                packed = Reader(reader.data, *reader.span())
                while packed.more():
                    self._store(made, field, self._scalar(field, packed))
            else:
                want = BYTES if field.is_message or field.table else _WIRE.get(field.kind, VARINT)
                if wire != want:
                    raise reader.fail(f"a value of the wrong kind for '{field.name}'")
                self._store(made, field, self._value(field, reader, depth))
        return made

    def _store(self, made: Message, field: Field, value: Any) -> None:
        if field.table:
            getattr(made, field.name)[value[0]] = value[1]
        elif field.many:
            getattr(made, field.name).append(value)
        else:
            made._values[field.name] = value  # the last one counts

    def _value(self, field: Field, reader: Reader, depth: int) -> Any:
        if field.table:
            inside = Reader(reader.data, *reader.span())
            pair = {1: "", 2: ""}
            while inside.more():
                number, wire = inside.tag()
                if number not in pair or wire != BYTES:
                    raise inside.fail(f"something that is no entry of '{field.name}'")
                pair[number] = _decode(inside)
            return pair[1], pair[2]
        if field.is_message:
            return self.message(field.kind, Reader(reader.data, *reader.span()), depth + 1)
        return self._scalar(field, reader)

    @staticmethod
    def _scalar(field: Field, reader: Reader) -> Any:
        kind = field.kind
        if kind == "string":
            return _decode(reader)
        if kind == "bytes":
            return reader.raw()
        if kind == "float":
            return struct.unpack("<f", reader.fixed(4))[0]
        if kind == "double":
            return struct.unpack("<d", reader.fixed(8))[0]
        value = reader.varint()
        if kind == "bool":
            return value != 0
        if kind == "uint64":
            return value
        value = signed(value)
        if kind != "int64" and not -(2**31) <= value < 2**31:
            raise reader.fail(f"a number that is too large for '{field.name}'")
        return value


def _decode(reader: Reader) -> str:
    try:
        return reader.raw().decode()
    except UnicodeDecodeError:
        raise reader.fail("a text that is no UTF-8, before what stands") from None


def parse(kind: str, data: bytes | memoryview) -> Message:
    """Read a message.

    Raises:
        MindIRError: the bytes are no message of this kind; the text names the place.

    >>> parse("TensorProto", b"\\x08\\x02\\x08\\x03").dims
    [2, 3]
    >>> parse("TensorProto", b"\\x4a\\x7fabc")
    Traceback (most recent call last):
        ...
    ms_jit.mindir.wire.MindIRError: a value of 127 bytes, but only 3 are left at byte 2
    """
    try:
        return _Parser().message(kind, Reader(memoryview(data)))
    except RecursionError:
        raise MindIRError("messages nested too deep") from None
