"""Printing, against strings recorded from MindSpore 2.6 (vectors/make_tensor_text.py)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ms_dtype as mstype
from ms_kernels import Parameter, Tensor, from_numpy
from ms_kernels.core.tensor import from_array

ROWS = json.loads((Path(__file__).parent / "vectors" / "tensor_text.json").read_text())
KINDS = sorted({(row[0], row[3]) for row in ROWS})


def array_of(dtype: str, shape: list[int], raw: str) -> Any:
    kind = getattr(mstype, "bool_" if dtype == "bool" else dtype).np
    return np.frombuffer(bytearray.fromhex(raw), kind).reshape(shape)


@pytest.mark.parametrize(("dtype", "route"), KINDS)
def test_text_is_that_of_2_6(dtype: str, route: str) -> None:
    rows = [row for row in ROWS if row[0] == dtype and row[3] == route]
    assert len(rows) > 5
    for _, shape, raw, _, text, shown in rows:
        array = array_of(dtype, shape, raw)
        tensor = from_numpy(array) if route == "numpy" else from_array(array)
        assert str(tensor) == text
        assert repr(tensor) == shown


def test_recorded_rows_cover_all_types() -> None:
    kinds = {"float16", "float32", "float64", "bfloat16", "complex64", "complex128", "bool"}
    ints = {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
    assert {row[0] for row in ROWS} == kinds | ints
    assert len(ROWS) > 800


def test_text_of_views_is_that_of_their_elements() -> None:
    array = np.arange(24.0, dtype=np.float32).reshape(4, 6)
    for view in (array.T, array[::-1, ::2], array[:, 1], np.broadcast_to(array[0], (3, 6))):
        assert repr(from_array(view)) == repr(Tensor(view.copy()))
        assert str(from_array(view)) == str(Tensor(view.copy()))


def test_nan_keeps_its_sign_in_repr() -> None:
    bits = np.array([0x7FC00000, 0xFFC00000, 0xFF800000], np.uint32).view(np.float32)
    assert (
        repr(Tensor(bits))
        == "Tensor(shape=[3], dtype=Float32, value= [            nan,            -nan,            -inf])"
    )
    assert repr(Tensor(bits[1])) == "Tensor(shape=[], dtype=Float32, value= -nan)"
    assert str(Tensor(bits)) == "[ nan  nan -inf]"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ([1e100, 1e-300, -1e200], "[1.00000000e+100, 1.00000000e-300, -1.00000000e+200]"),
        ([-0.0], "[-0.00000000e+00]"),
    ],
)
def test_long_exponents_and_negative_zero(value: list[float], shown: str) -> None:
    assert repr(Tensor(value, mstype.float64)) == f"Tensor(shape=[{len(value)}], dtype=Float64, value= {shown})"


def test_complex_signs() -> None:
    values = np.array(
        [complex(0, np.nan), complex(0, -0.0), complex(np.inf, -np.inf), complex(1e10, 1e-10)], np.complex64
    )
    assert repr(Tensor(values)).endswith("value= [0+nanj, 0-0j, inf-infj, 1e+10+1e-10j])")


@pytest.mark.parametrize(
    ("shape", "shown"),
    [
        ((2, None), "Tensor(shape=[2, -1], dtype=Float32, value=\n)"),
        (-2, "Tensor(shape=[-2], dtype=Float32, value= )"),
        ((2,), "Tensor(shape=[2], dtype=Float32, value= <uninitialized>)"),
        ((2, 3), "Tensor(shape=[2, 3], dtype=Float32, value=\n<uninitialized>)"),
        ((), "Tensor(shape=[], dtype=Float32, value= <uninitialized>)"),
    ],
)
def test_tensors_without_data(shape: Any, shown: str) -> None:
    assert repr(Tensor(dtype=mstype.float32, shape=shape)) == shown


def test_print_options_of_numpy_apply_to_str_only() -> None:
    with np.printoptions(precision=3):
        assert str(Tensor([1.23456789])) == "[1.235]"
        assert repr(Tensor([1.23456789])) == "Tensor(shape=[1], dtype=Float32, value= [ 1.23456788e+00])"


def test_parameters() -> None:
    text = "Parameter (name=w, shape=(2, 1), dtype=Float16, requires_grad=False)"
    parameter = Parameter(Tensor([[1], [2]], mstype.float16), name="w", requires_grad=False)
    assert str(parameter) == repr(parameter) == text
    assert repr([Parameter(Tensor(1.0))]) == "[Parameter (name=Parameter, shape=(), dtype=Float32, requires_grad=True)]"


def test_class_prints_as_that_of_2_6() -> None:
    assert repr(Tensor) == "<class 'mindspore.common.tensor.Tensor'>"
    assert repr(Parameter) == "<class 'mindspore.common.parameter.Parameter'>"


def test_no_change_by_printing() -> None:
    tensor = Tensor(np.zeros((2000,)))
    before = tensor._changes
    repr(tensor), str(tensor)
    assert tensor._changes == before
    assert f"{tensor[:2]}" == "[0. 0.]"
    with pytest.raises(TypeError):
        f"{tensor:.2f}"
