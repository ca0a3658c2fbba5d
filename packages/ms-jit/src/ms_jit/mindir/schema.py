"""The messages of MindIR: fields by number, as files of MindSpore 2.6 have them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

__all__ = ["ENUMS", "SCALARS", "Field", "fields", "numbered"]

SCALARS = frozenset({"string", "bytes", "bool", "int32", "int64", "uint64", "float", "double"})

# A line is a message: name: number field type, ...; a * marks repeated fields, a % text by text.
_MESSAGES = """
ModelProto: 1 ir_version string, 2 producer_name string, 3 producer_version string, 4 domain string,
    5 model_version string, 6 doc_string string, 7 graph GraphProto, 8 functions *GraphProto,
    9 preprocessor PreprocessorProto, 10 little_endian bool, 11 parallel ParallelProto, 12 primitives *PrimitiveProto,
    13 mind_ir_version int64, 14 user_info %string
GraphProto: 1 node *NodeProto, 2 name string, 3 parameter *TensorProto, 4 doc_string string, 5 input *ValueInfoProto,
    6 output *ValueInfoProto, 7 bprop_hash string, 8 attribute *AttributeProto, 9 bprop_filepath string,
    10 map_parameter *MapTensorProto
NodeProto: 1 input *string, 2 output *string, 3 name string, 4 op_type string, 5 attribute *AttributeProto,
    6 doc_string string, 7 domain string, 8 node_attr *AttributeProto, 9 primal_attr *AttributeProto
AttributeProto: 1 name string, 2 f float, 3 i int64, 4 d double, 5 s bytes, 6 t TensorProto, 7 g GraphProto,
    8 floats *float, 9 doubles *double, 10 ints *int64, 11 strings *bytes, 12 tensors *TensorProto,
    13 graphs *GraphProto, 14 doc_string string, 15 ref_attr_name string, 16 type AttributeType,
    17 values *AttributeProto, 18 seq_info SeqInfoProto, 19 functor FunctorProto, 20 graph_holder ScalarGraphHolderProto
TensorProto: 1 dims *int64, 2 data_type int32, 3 float_data *float, 4 int32_data *int32, 5 string_data *bytes,
    6 int64_data *int64, 7 name string, 8 doc_string string, 9 raw_data bytes, 10 double_data *double,
    11 uint64_data *uint64, 12 external_data ExternalDataProto, 13 ref_key string, 14 min_dims *int64,
    15 max_dims *int64, 16 compression_type CompressionType, 17 quant_params *QuantParamProto
ExternalDataProto: 1 location string, 2 offset int64, 3 length int64
QuantParamProto: 1 quant_algo_name string, 2 attribute *AttributeProto
SeqInfoProto: 1 is_dyn_len bool, 2 tuple_elem_item AttributeProto
FunctorProto: 1 type FunctorType, 2 name string, 3 values *AttributeProto
ScalarGraphHolderProto: 1 scalar_node *ScalarNodeProto, 2 input_shape_index *uint64
ScalarNodeProto: 1 scalar_op_type int64, 2 in_index *int64, 3 value *int64
ValueInfoProto: 1 name string, 2 tensor *TensorProto, 3 doc_string string, 4 denotation string,
    5 attr_info AttributeProto
MapTensorProto: 1 name string, 2 default_value AttributeProto, 3 key_tensor TensorProto, 4 value_tensor TensorProto,
    5 status_tensor TensorProto
PreprocessorProto: 1 op *PreprocessOpProto
PreprocessOpProto: 1 input_columns string, 2 output_columns string, 3 project_columns string, 4 op_type string,
    5 operations string, 6 offload bool
ParallelProto: 1 layout *LayoutProto
LayoutProto: 1 name string, 2 device_arrangement_int *int64, 3 tensor_map_int *int64, 4 slice_shape_int *int64,
    5 field_size int64, 6 uniform_split bool, 7 opt_shard_group string, 8 pipeline_shared bool, 9 is_send bool,
    10 peer_rank int64, 11 sr_tag int64, 12 opt_shard_slice_shape_int *int64
PrimitiveProto: 1 name string, 2 op_type string, 3 attribute *AttributeProto, 4 instance_name string,
    5 prim_type PrimType
"""

# Values by name; a name's number is its place, counted from the number given.
_NUMBERS = (
    "UNDEFINED FLOAT UINT8 INT8 UINT16 INT16 INT32 INT64 STRING BOOL FLOAT16 DOUBLE UINT32 UINT64 COMPLEX64 COMPLEX128 "
    "BFLOAT16"
)
_ENUMS = {
    "AttributeType": (
        0,
        f"{_NUMBERS} TENSOR GRAPH TENSORS TUPLE LIST DICT UMONAD IOMONAD NONE PRIMITIVECLOSURE FUNCGRAPHCLOSURE "
        "PARTIALCLOSURE UNIONFUNCCLOSURE CSR_TENSOR COO_TENSOR ROW_TENSOR CLASS_TYPE NAME_SPACE SYMBOL TYPE_NULL "
        "MAP_TENSOR FUNCTOR SCALAR SCALAR_GRAPH_HOLDER",
    ),
    "DataType": (0, f"{_NUMBERS} FLOAT64 QINT4X2"),
    "CompressionType": (0, "NO_COMPRESSION INDEXING SPARSE FSE BIT_PACKING FSE_INT FSE_INFER"),
    "FunctorType": (1, "SHAPE_CALC_FUNCTOR ANY_FUNCTOR"),
    "PrimType": (1, "PRIMITIVE PRIMITIVE_FUNCTION"),
}
ENUMS: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {kind: {name: i for i, name in enumerate(names.split(), first)} for kind, (first, names) in _ENUMS.items()}
)


class Field(NamedTuple):
    """One field of a message.

    Attributes:
        number: its number in the file.
        name: what it is called.
        kind: a scalar type, the name of an enum or of a message.
        many: whether it holds a list.
        table: whether it holds texts by text.
    """

    number: int
    name: str
    kind: str
    many: bool
    table: bool

    @property
    def is_message(self) -> bool:
        return self.kind not in SCALARS and self.kind not in ENUMS


@cache
def _table() -> dict[str, dict[str, Field]]:
    table: dict[str, dict[str, Field]] = {}
    for line in _MESSAGES.replace(",\n", ",").strip().splitlines():
        message, _, rest = line.partition(":")
        found = {}
        for text in rest.split(","):
            number, name, kind = text.split()
            found[name] = Field(int(number), name, kind.lstrip("*%"), kind[0] == "*", kind[0] == "%")
        table[message] = found
    return table


def fields(message: str) -> Mapping[str, Field]:
    """The fields of a message by name, in the order of their numbers.

    >>> fields("TensorProto")["dims"].kind
    'int64'
    """
    return _table()[message]


@cache
def numbered(message: str) -> Mapping[int, Field]:
    """The fields of a message by number."""
    return {field.number: field for field in fields(message).values()}
