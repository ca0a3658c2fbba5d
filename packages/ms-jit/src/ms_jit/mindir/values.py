"""Values, types and tensors of MindIR as Python's and NumPy's, and back."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

import ms_dtype
from ms_jit.mindir.message import Message
from ms_jit.mindir.model import MONAD, OtherType, ScalarType, SequenceType, TensorType, Type
from ms_jit.mindir.schema import ENUMS
from ms_jit.mindir.wire import MindIRError

__all__ = ["read_array", "read_type", "read_value", "write_array", "write_type", "write_value"]

KINDS = ENUMS["AttributeType"]
_NAMES = {number: name for name, number in KINDS.items()}
_DTYPES: Mapping[int, str] = MappingProxyType(
    {
        **{KINDS[name.upper()]: name for name in ("bool", "float16", "bfloat16", "complex64", "complex128")},
        **{KINDS[f"{sign}INT{bits}"]: f"{sign.lower()}int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)},
        KINDS["FLOAT"]: "float32",
        KINDS["DOUBLE"]: "float64",
        ENUMS["DataType"]["FLOAT64"]: "float64",
    }
)
_NUMBERS = {name: number for number, name in sorted(_DTYPES.items(), reverse=True)}
_INTS = frozenset(name for name in KINDS if name.lstrip("U").startswith("INT"))
# where numbers stand in files that do not use raw_data
_TYPED = {"float32": "float_data", "float64": "double_data", "int64": "int64_data", "uint64": "uint64_data"}
_DEPTH = 64  # tuples in tuples

External = Callable[[str, int, int], bytes]


def numpy_dtype(name: str) -> np.dtype[Any]:
    """NumPy's form of an element type."""
    return np.dtype(ms_dtype.bfloat16.np if name == "bfloat16" else name)


def dtype_name(number: int) -> str:
    """The name of an element type by its number in a tensor."""
    if number not in _DTYPES:
        raise MindIRError(f"element type {number} is not known")
    return _DTYPES[number]


def read_shape(tensor: Message) -> tuple[int, ...]:
    """The dims of a tensor; -1 where one is not known, (-2,) where their number is not."""
    shape = tuple(tensor.dims)
    if shape != (-2,) and any(dim < -1 for dim in shape):
        raise MindIRError(f"a tensor cannot have the shape {shape}")
    return shape


def read_array(tensor: Message, external: External | None = None) -> Any:
    """The data of a tensor as an ndarray.

    Args:
        tensor: a TensorProto.
        external: gives the bytes (location, offset, length) of tensors whose data is in another file.

    Raises:
        MindIRError: shape, element type and data do not fit each other.
    """
    name, shape = dtype_name(tensor.data_type), read_shape(tensor)
    dtype = numpy_dtype(name)
    if any(dim < 0 for dim in shape):
        raise MindIRError(f"the tensor '{tensor.name}' has data, but its shape is {shape}")
    if tensor.compression_type != 0:
        raise MindIRError(f"the tensor '{tensor.name}' is compressed")
    size = math.prod(shape)
    if tensor.HasField("external_data"):
        place = tensor.external_data
        if external is None or place.length != size * dtype.itemsize or place.offset < 0:
            raise MindIRError(f"the data of the tensor '{tensor.name}' is elsewhere, and cannot be had")
        raw = external(place.location, place.offset, place.length)
    elif tensor.HasField("raw_data") or size == 0:
        raw = tensor.raw_data
    else:
        numbers = getattr(tensor, _TYPED.get(name, "int32_data"))
        if len(numbers) != size or name.startswith(("complex", "bfloat", "float16")):
            raise MindIRError(f"the tensor '{tensor.name}' of shape {shape} holds {len(numbers)} numbers")
        return np.array(numbers).astype(dtype).reshape(shape)
    if len(raw) != size * dtype.itemsize:
        raise MindIRError(f"the tensor '{tensor.name}' of shape {shape} and {name} holds {len(raw)} bytes")
    return np.frombuffer(raw, dtype.newbyteorder("<") if dtype.kind in "iufc" else dtype).astype(dtype).reshape(shape)


def write_array(array: Any, name: str = "") -> Message:
    """A TensorProto with the data of an ndarray."""
    kind = array.dtype.name
    if kind not in _NUMBERS:
        raise MindIRError(f"MindIR has no element type {kind}")
    made = Message("TensorProto", dims=list(array.shape), data_type=_NUMBERS[kind])
    if name:
        made.name = name
    made.raw_data = np.ascontiguousarray(array).tobytes()
    return made


def read_type(info: Message, depth: int = 0) -> Type:
    """The type that an AttributeProto describes."""
    kind = _NAMES.get(info.type, "?")
    if kind in ("TENSORS", "TENSOR"):
        tensor = info.tensors[0] if info.tensors else info.t
        return TensorType(read_shape(tensor), dtype_name(tensor.data_type), tensor.ref_key)
    if kind == "SCALAR" and info.tensors:
        return ScalarType(dtype_name(info.tensors[0].data_type))
    if kind in ("TUPLE", "LIST"):
        if depth > _DEPTH:
            raise MindIRError("tuples nested too deep")
        return SequenceType(tuple(read_type(item, depth + 1) for item in info.values), kind == "LIST")
    return OtherType(kind)


def write_type(made: Message, kind: Type) -> Message:
    """Describe a type in an AttributeProto."""
    if isinstance(kind, TensorType):
        made.type = "TENSORS"
        tensor = made.tensors.add(dims=list(kind.shape), data_type=_NUMBERS[kind.dtype])
        if kind.parameter:
            tensor.ref_key = kind.parameter
    elif isinstance(kind, ScalarType):
        made.type = "SCALAR"
        made.tensors.add(dims=[0], data_type=_NUMBERS[kind.dtype])
    elif isinstance(kind, SequenceType):
        made.type = "LIST" if kind.is_list else "TUPLE"
        for item in kind.items:
            write_type(made.values.add(), item)
        made.seq_info.is_dyn_len = False
    else:
        made.type = kind.name
    return made


def read_value(info: Message, external: External | None = None, depth: int = 0) -> Any:
    """The value that an AttributeProto holds."""
    kind = _NAMES.get(info.type, "?")
    if kind in _INTS:
        return info.ints[0] if info.ints else info.i
    if kind == "BOOL":
        return bool(info.ints[0] if info.ints else info.i)
    if kind == "FLOAT":
        return info.floats[0] if info.floats else info.f
    if kind == "DOUBLE":
        return info.doubles[0] if info.doubles else info.d
    if kind == "STRING":
        return _text(info.strings[0] if info.strings else info.s)
    if kind in ("TENSORS", "TENSOR"):
        return read_array(info.tensors[0] if info.tensors else info.t, external)
    if kind in ("TUPLE", "LIST", "DICT"):
        if depth > _DEPTH:
            raise MindIRError("tuples nested too deep")
        items = [read_value(item, external, depth + 1) for item in info.values]
        if kind == "DICT":
            return {item.name: value for item, value in zip(info.values, items, strict=True)}
        return tuple(items) if kind == "TUPLE" else items
    if kind in ("UMONAD", "IOMONAD"):
        return MONAD
    if kind == "NONE":
        return None
    raise MindIRError(f"a value of the kind {kind} is not understood")


def write_value(made: Message, value: Any, *, inside: bool = False) -> Message:
    """Put a value into an AttributeProto; in a list MindSpore writes numbers and texts into the fields of lists."""
    if value is None:
        made.type = "NONE"
    elif value is MONAD:
        made.type = "UMONAD"
    elif isinstance(value, bool):
        _number(made, "BOOL", "i", "ints", int(value), inside)
    elif isinstance(value, int):
        _number(made, "INT64", "i", "ints", value, inside)
    elif isinstance(value, float):
        _number(made, "FLOAT", "f", "floats", value, inside)
    elif isinstance(value, str):
        _number(made, "STRING", "s", "strings", value.encode(), inside)
    elif isinstance(value, np.ndarray):
        made.type = "TENSORS"
        made.tensors.append(write_array(value, "value0"))
    elif isinstance(value, dict):
        made.type = "DICT"
        for name, item in value.items():
            write_value(made.values.add(name=name), item)
    elif isinstance(value, (list, tuple)):
        made.type = "LIST" if isinstance(value, list) else "TUPLE"
        for item in value:
            write_value(made.values.add(), item, inside=True)
    else:
        raise MindIRError(f"MindIR cannot hold a {type(value).__name__}")
    return made


def _number(made: Message, kind: str, one: str, many: str, value: Any, inside: bool) -> None:
    made.type = kind
    setattr(made, many if inside else one, [value] if inside else value)


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise MindIRError("a text is no UTF-8") from None
