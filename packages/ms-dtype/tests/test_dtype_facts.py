"""What 2.6.0 states about `mindspore.common.dtype`, one test per statement."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import ms_dtype as m
from ms_dtype import typing as T

SAME = {
    "kBool": "bool_",
    "kInt4": "qint4x2",
    **{f"kInt{bits}": f"int{bits}" for bits in (8, 16, 32, 64)},
    **{f"kUInt{bits}": f"uint{bits}" for bits in (8, 16, 32, 64)},
    **{f"kFloat{bits}": f"float{bits}" for bits in (16, 32, 64)},
    "kBFloat16": "bfloat16",
    "kComplex64": "complex64",
    "kComplex128": "complex128",
    "kNumber": "number",
    "kInt": "int_",
    "kUInt": "uint",
    "kFloat": "float_",
    "kString": "string",
    "kList": "list_",
    "kTuple": "tuple_",
    "kTypeNone": "type_none",
    "kTypeNull": "_null",
    "kTensorType": "tensor_type",
    "kRowTensorType": "index_slices",
    "kCOOTensorType": "coo_tensor",
    "kCSRTensorType": "csr_tensor",
    "kTypeEnv": "env_type",
    "kTypeType": "type_type",
    "kRefKeyType": "type_refkey",
}


def test_dt_01_constants_of_typing() -> None:
    assert len(SAME) == 32
    for constant, name in SAME.items():
        assert getattr(T, constant) is getattr(m, name), constant


def test_dt_02_objects_without_a_constant() -> None:
    for name, cls in (
        ("undetermined", "UndeterminedType"),
        ("function", "Function"),
        ("symbolic_key", "SymbolicKeyType"),
    ):
        found = getattr(m, name)
        assert type(found) is getattr(T, cls)
        assert not [each for each in dir(T) if each.startswith("k") and getattr(T, each) is found]


@pytest.mark.parametrize(
    ("other", "name"),
    [
        *(("byte", "int8"), ("short", "int16"), ("intc", "int32"), ("intp", "int64")),
        *(("ubyte", "uint8"), ("ushort", "uint16"), ("uintc", "uint32"), ("uintp", "uint64")),
        *(("half", "float16"), ("single", "float32"), ("double", "float64")),
    ],
)
def test_dt_03_other_names(other: str, name: str) -> None:
    assert getattr(m, other) is getattr(m, name)


def test_dt_04_classes_are_those_of_typing() -> None:
    for name in ("Type", "Int", "Float", "Bool", "String", "List", "Tuple", "Dict", "Slice", "TensorType", "EnvType"):
        assert getattr(m, name) is getattr(T, name)
    for name, other in (
        ("FunctionType", "Function"),
        ("NoneType", "TypeNone"),
        ("_NullType", "TypeNull"),
        ("AnythingType", "TypeAny"),
        ("Ellipsis_", "TypeEllipsis"),
        ("MsClassType", "TypeMsClassType"),
    ):
        assert getattr(m, name) is getattr(T, other)


def test_dt_05_equal_only_at_same_kind_and_width() -> None:
    made = [
        *((T.Int, bits) for bits in (4, 8, 16, 32, 64)),
        *((T.UInt, bits) for bits in (8, 16, 32, 64)),
        *((T.Float, bits) for bits in (16, 32, 64)),
        (T.BFloat, 16),
        (T.Complex, 64),
        (T.Complex, 128),
    ]
    for one in made:
        for other in made:
            left, right = one[0](one[1]), other[0](other[1])
            assert (left == right) is (one == other)
            if one == other:
                assert hash(left) == hash(right)


def test_dt_06_bfloat16_is_the_name_in_the_module() -> None:
    assert m.dtype_to_nptype(m.bfloat16) is m.np_bfloat16
    assert m.np_bfloat16 is ml_dtypes.bfloat16
    assert np.dtype(m.np_bfloat16).itemsize == 2


def test_dt_06_a_replaced_np_bfloat16_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(m, "np_bfloat16", np.int16)
    assert m.dtype_to_nptype(m.bfloat16) is np.int16


def test_dt_07_numpy_that_cannot_hold_bfloat16(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def too_old(verbose: bool) -> bool:
        asked.append(verbose)
        return False

    monkeypatch.setattr(m, "np_version_valid", too_old)
    assert m.dtype_to_nptype(m.float32) is np.float32
    assert asked == []
    for _ in range(2):
        with pytest.raises(TypeError) as caught:
            m.dtype_to_nptype(m.bfloat16)
        assert str(caught.value) == (
            "The Numpy bfloat16 data type is not supported now, please ensure that the current Numpy version is not "
            "less than the version when the mindspore is compiled."
        )
    assert asked == [True, True]


def test_dt_08_table_of_numpy_classes() -> None:
    expected = {
        "bool_": np.bool_,
        **{
            name: getattr(np, name)
            for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
        },
        **{name: getattr(np, name) for name in ("float16", "float32", "float64", "complex64", "complex128")},
    }
    assert len(expected) == 14
    for name, cls in expected.items():
        assert m.dtype_to_nptype(getattr(m, name)) is cls


def test_dt_09_all_covers_types_and_conversions() -> None:
    types = {name for name in vars(m) if isinstance(getattr(m, name), m.Type)}
    conversions = {"dtype_to_nptype", "dtype_to_pytype", "pytype_to_dtype", "get_py_obj_dtype", "type_size_in_bytes"}
    assert types | conversions | {"Type", "Int", "TensorType", "QuantDtype"} <= set(m.__all__)
