"""The type objects of 2.6's ``mindspore.common.dtype``, their other names, and the tuples of them.

>>> Int(32) is int32, intc is int32
(True, True)
"""

from __future__ import annotations

from typing import Final

from ms_dtype.classes import (
    BFloat,
    Bool,
    Complex,
    COOTensorType,
    CSRTensorType,
    EnvType,
    Float,
    Function,
    Int,
    List,
    Number,
    RefKeyType,
    RowTensorType,
    String,
    SymbolicKeyType,
    TensorType,
    Tuple,
    Type,
    TypeNone,
    TypeNull,
    TypeType,
    UInt,
    UndeterminedType,
)

bool_: Final = Bool()
qint4x2: Final = Int(4)
int8: Final = Int(8)
int16: Final = Int(16)
int32: Final = Int(32)
int64: Final = Int(64)
uint8: Final = UInt(8)
uint16: Final = UInt(16)
uint32: Final = UInt(32)
uint64: Final = UInt(64)
float16: Final = Float(16)
float32: Final = Float(32)
float64: Final = Float(64)
bfloat16: Final = BFloat(16)
complex64: Final = Complex(64)
complex128: Final = Complex(128)
number: Final = Number()
int_: Final = Int()
uint: Final = UInt()
float_: Final = Float()
string: Final = String()
list_: Final = List()
tuple_: Final = Tuple()
type_none: Final = TypeNone()
_null: Final = TypeNull()
tensor_type: Final = TensorType()
index_slices: Final = RowTensorType()
coo_tensor: Final = COOTensorType()
csr_tensor: Final = CSRTensorType()
undetermined: Final = UndeterminedType()
function: Final = Function()
symbolic_key: Final = SymbolicKeyType()
env_type: Final = EnvType()
type_type: Final = TypeType()
type_refkey: Final = RefKeyType()

byte: Final = int8
short: Final = int16
intc: Final = int32
intp: Final = int64
ubyte: Final = uint8
ushort: Final = uint16
uintc: Final = uint32
uintp: Final = uint64
half: Final = float16
single: Final = float32
double: Final = float64

int_type: Final = (int8, int16, int32, int64)
uint_type: Final = (uint8, uint16, uint32, uint64)
float_type: Final = (float16, float32, float64, bfloat16)
complex_type: Final = (complex64, complex128)
number_type: Final[tuple[Type, ...]] = (*int_type, *uint_type, *float_type, *complex_type, qint4x2)
# 2.6 names the types that have a second name twice here
signed_type: Final[tuple[Type, ...]] = (
    *(int8, byte, int16, short, int32, intc, int64, intp),
    *(float16, half, float32, single, float64, double, bfloat16),
    *complex_type,
)
all_types: Final[tuple[Type, ...]] = (bool_, int8, uint8, int16, int32, int64, *float_type, *complex_type)
implicit_conversion_seq: Final[dict[Type, int]] = {each: rank for rank, each in enumerate(all_types)}
