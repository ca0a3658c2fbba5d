"""The namespace `typing` of 2.6's native module: type classes, the constants kBool ... kRefKeyType, type numbers.

>>> kInt32 is Int(32), str_to_type("Float32") is kFloat32, type_id_to_type(type_to_type_id(kBool))
(True, True, mindspore.bool_)
"""

from __future__ import annotations

import re
from operator import index
from typing import Final, NamedTuple

from ms_dtype import dtype as _dtype
from ms_dtype.classes import (
    BFloat,
    Bool,
    Complex,
    COOTensorType,
    CSRTensorType,
    Dict,
    EnvType,
    Float,
    Function,
    Int,
    Keyword,
    List,
    Number,
    RefKeyType,
    RefType,
    RowTensorType,
    Slice,
    String,
    SymbolicKeyType,
    TensorType,
    Tuple,
    Type,
    TypeAny,
    TypeEllipsis,
    TypeMsClassType,
    TypeNone,
    TypeNull,
    TypeType,
    UInt,
    UndeterminedType,
)
from ms_dtype.convert import is_subclass, type_size_in_bytes

kBool: Final = _dtype.bool_
kInt4: Final = _dtype.qint4x2
kInt8: Final = _dtype.int8
kInt16: Final = _dtype.int16
kInt32: Final = _dtype.int32
kInt64: Final = _dtype.int64
kUInt8: Final = _dtype.uint8
kUInt16: Final = _dtype.uint16
kUInt32: Final = _dtype.uint32
kUInt64: Final = _dtype.uint64
kFloat16: Final = _dtype.float16
kFloat32: Final = _dtype.float32
kFloat64: Final = _dtype.float64
kBFloat16: Final = _dtype.bfloat16
kComplex64: Final = _dtype.complex64
kComplex128: Final = _dtype.complex128
kNumber: Final = _dtype.number
kInt: Final = _dtype.int_
kUInt: Final = _dtype.uint
kFloat: Final = _dtype.float_
kString: Final = _dtype.string
kList: Final = _dtype.list_
kTuple: Final = _dtype.tuple_
kTypeNone: Final = _dtype.type_none
kTypeNull: Final = _dtype._null
kTensorType: Final = _dtype.tensor_type
kRowTensorType: Final = _dtype.index_slices
kCOOTensorType: Final = _dtype.coo_tensor
kCSRTensorType: Final = _dtype.csr_tensor
kTypeEnv: Final = _dtype.env_type
kTypeType: Final = _dtype.type_type
kRefKeyType: Final = _dtype.type_refkey
kBFloat: Final = BFloat()

_BARE: Final[tuple[Type, ...]] = (
    *(kNumber, kInt, kUInt, kFloat, kBFloat, Complex(), kString, kList, kTuple, Dict(), Slice(), Keyword()),
    *(kTensorType, kRowTensorType, kCOOTensorType, kCSRTensorType, UndeterminedType(), kTypeEnv, kTypeNone, kTypeType),
    *(TypeEllipsis(), *_dtype.all_types, *_dtype.uint_type, _dtype.qint4x2),
)
_BY_NAME: Final[dict[str, Type]] = {
    **{str(each): each for each in _BARE},
    **{each.name: each for each in _BARE if each.kind != "o"},
    "bool": kBool,
    "int": kInt,
    "uint": kUInt,
    "float": kFloat,
    "complex": Complex(),
    "int4": kInt4,
    "EnvType": kTypeEnv,
    "Function": Function(),
}
del _BY_NAME["bool_"], _BY_NAME["Object:EnvType"]
# 2.6 takes a number without a width for its usual width
_BY_ID: Final[dict[int, Type]] = {
    **{each.type_id: each for each in (*_BARE, TypeAny(), kTypeNull, TypeMsClassType(), kRefKeyType)},
    kInt.type_id: kInt32,
    kFloat.type_id: kFloat32,
    kBFloat16.type_id: kBFloat16,
    # numbers that 2.6 also takes, but no type answers with
    0: kTypeNone,
    5: kTypeNone,
    28: RefType(),
    46: kFloat64,
}
del _BY_ID[UndeterminedType().type_id], _BY_ID[kUInt.type_id], _BY_ID[Complex().type_id]

__all__ = [
    "BFloat",
    "Bool",
    "COOTensorType",
    "CSRTensorType",
    "Complex",
    "Dict",
    "EnvType",
    "Float",
    "Function",
    "Int",
    "Keyword",
    "List",
    "Number",
    "RefKeyType",
    "RefType",
    "RowTensorType",
    "Slice",
    "String",
    "SymbolicKeyType",
    "TensorType",
    "Tuple",
    "Type",
    "TypeAny",
    "TypeEllipsis",
    "TypeId",
    "TypeMsClassType",
    "TypeNone",
    "TypeNull",
    "TypeType",
    "UInt",
    "UndeterminedType",
    "dump_type",
    "is_subclass",
    "kBFloat",
    "kBFloat16",
    "kBool",
    "kCOOTensorType",
    "kCSRTensorType",
    "kComplex64",
    "kComplex128",
    "kFloat",
    "kFloat16",
    "kFloat32",
    "kFloat64",
    "kInt",
    "kInt4",
    "kInt8",
    "kInt16",
    "kInt32",
    "kInt64",
    "kList",
    "kNumber",
    "kRefKeyType",
    "kRowTensorType",
    "kString",
    "kTensorType",
    "kTuple",
    "kTypeEnv",
    "kTypeNone",
    "kTypeNull",
    "kTypeType",
    "kUInt",
    "kUInt8",
    "kUInt16",
    "kUInt32",
    "kUInt64",
    "load_type",
    "str_to_type",
    "type_id_to_type",
    "type_size_in_bytes",
    "type_to_type_id",
]


class TypeId(NamedTuple):
    """The number of a type, as `dump_type` gives it."""

    value: int

    def __int__(self) -> int:
        return self.value

    def __index__(self) -> int:
        return self.value


def type_to_type_id(arg0: Type) -> int:
    """Give the number of a type.

    Raises:
        TypeError: `arg0` is no type.
    """
    if not isinstance(arg0, Type):
        raise TypeError(f"For 'type_to_type_id', the argument must be a Type, but got {arg0!r}.")
    return arg0.type_id


def type_id_to_type(arg0: int) -> Type:
    """Give the type of a number.

    Raises:
        RuntimeError: no type has that number, or not one that can be made from it.
    """
    found = _BY_ID.get(index(arg0))
    if found is None:
        raise RuntimeError(f"Not support the type: {arg0}")
    return found


def dump_type(arg0: Type) -> TypeId:
    """Give the number of a type, wrapped."""
    return TypeId(type_to_type_id(arg0))


def load_type(arg0: TypeId) -> Type:
    """Give the type of a wrapped number.

    Raises:
        TypeError: `arg0` is no TypeId.
        RuntimeError: no type has that number.
    """
    if not isinstance(arg0, TypeId):
        raise TypeError(f"For 'load_type', the argument must be a TypeId, but got {arg0!r}.")
    return type_id_to_type(arg0.value)


def _split(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for place, sign in enumerate(text):
        depth += (sign == "[") - (sign == "]")
        if sign == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    return [*parts, text[start:]]


def str_to_type(arg0: str) -> Type:
    """Give the type of a name, as `str()` of the type prints it or, for numbers, as its repr does.

    Raises:
        RuntimeError: there is no such type.

    >>> str_to_type("int32"), str_to_type("Tensor[Float16]"), str(str_to_type("List[Int32,Bool]"))
    (mindspore.int32, mindspore.tensor[float16], 'List[Int32,Bool]')
    """
    found = _BY_NAME.get(arg0)
    if found is not None:
        return found
    match = re.fullmatch(r"(Tensor|List|Tuple)\[(.+)\]", arg0)
    if match is None:
        raise RuntimeError(f"Unsupported type name: {arg0}!")
    if match[1] == "Tensor":
        return TensorType(str_to_type(match[2]))
    elements = [str_to_type(part.strip()) for part in _split(match[2])]
    return List(elements) if match[1] == "List" else Tuple(elements)
