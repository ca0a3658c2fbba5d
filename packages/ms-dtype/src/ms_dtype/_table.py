"""The one table of 2.6's types; every class, constant and conversion is derived from these rows."""

from __future__ import annotations

from typing import Final, NamedTuple


class Row(NamedTuple):
    """One type: its class, width, the two spellings, native number, size and how elements look to NumPy."""

    cls: str
    bits: int
    name: str
    text: str
    type_id: int
    itemsize: int
    kind: str = "o"
    numpy: str | None = None


TABLE: Final[tuple[Row, ...]] = (
    Row("Number", 0, "number", "Number", 11, 1),
    Row("Bool", 0, "bool_", "Bool", 30, 1, "b", "bool"),
    Row("Int", 0, "int_", "Int", 31, 1),
    Row("Int", 4, "int4", "Int4", 50, 1),
    Row("Int", 8, "int8", "Int8", 32, 1, "i", "int8"),
    Row("Int", 16, "int16", "Int16", 33, 2, "i", "int16"),
    Row("Int", 32, "int32", "Int32", 34, 4, "i", "int32"),
    Row("Int", 64, "int64", "Int64", 35, 8, "i", "int64"),
    Row("UInt", 0, "uint", "UInt", 36, 1),
    Row("UInt", 8, "uint8", "UInt8", 37, 1, "u", "uint8"),
    Row("UInt", 16, "uint16", "UInt16", 38, 2, "u", "uint16"),
    Row("UInt", 32, "uint32", "UInt32", 39, 4, "u", "uint32"),
    Row("UInt", 64, "uint64", "UInt64", 40, 8, "u", "uint64"),
    Row("Float", 0, "float_", "Float", 41, 1),
    Row("Float", 16, "float16", "Float16", 42, 2, "f", "float16"),
    Row("Float", 32, "float32", "Float32", 43, 4, "f", "float32"),
    Row("Float", 64, "float64", "Float64", 44, 8, "f", "float64"),
    # 2.6 numbers the bare BFloat like bfloat16, so looking 45 up must find the latter: it comes last.
    Row("BFloat", 0, "bfloat", "BFloat", 45, 1),
    Row("BFloat", 16, "bfloat16", "BFloat16", 45, 2, "f", "bfloat16"),
    Row("Complex", 0, "complex", "Complex", 47, 1),
    Row("Complex", 64, "complex64", "Complex64", 48, 8, "c", "complex64"),
    Row("Complex", 128, "complex128", "Complex128", 49, 16, "c", "complex128"),
    Row("String", 0, "string_", "String", 12, 0),
    Row("List", 0, "list_", "List", 13, 0),
    Row("Tuple", 0, "tuple_", "Tuple", 14, 0),
    Row("Dict", 0, "Dictionary", "Dictionary", 22, 0),
    Row("Slice", 0, "Slice", "Slice", 15, 0),
    Row("Keyword", 0, "Keyword", "Keyword", 16, 0),
    Row("RefType", 0, "tensor", "Ref", 17, 0),
    Row("TensorType", 0, "tensor", "Tensor", 17, 0),
    Row("RowTensorType", 0, "RowTensor", "RowTensor", 18, 0),
    Row("COOTensorType", 0, "COOTensor", "COOTensor", 19, 0),
    Row("CSRTensorType", 0, "CSRTensor", "CSRTensor", 57, 0),
    Row("UndeterminedType", 0, "Undetermined", "Undetermined", 20, 0),
    Row("Function", 0, "function", "Func", 23, 0),
    Row("SymbolicKeyType", 0, "symbolic_key", "Object:SymbolicKey", 25, 0),
    Row("EnvType", 0, "env_type", "Object:EnvType", 26, 0),
    Row("RefKeyType", 0, "type_refkey", "Object:RefKey", 27, 0),
    Row("TypeNone", 0, "type_none", "None", 7, 0),
    Row("TypeNull", 0, "Null", "Null", 8, 0),
    Row("TypeType", 0, "type_type", "TypeType", 4, 0),
    Row("TypeAny", 0, "Any", "Any", 2, 0),
    Row("TypeEllipsis", 0, "Ellipsis", "Ellipsis", 9, 0),
    Row("TypeMsClassType", 0, "Class", "Class", 21, 0),
)


def rows_of(cls: str) -> dict[int, Row]:
    """Give the rows of one class by width, 0 being the class without a width."""
    return {row.bits: row for row in TABLE if row.cls == cls}
