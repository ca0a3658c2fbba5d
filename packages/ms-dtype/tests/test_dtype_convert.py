"""Conversions between our types, Python's and NumPy's, beyond what was recorded from 2.6."""

from __future__ import annotations

import logging
import subprocess
import sys
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ms_dtype as m
from ms_dtype import _bfloat16


@pytest.mark.parametrize("char", "?bhilqBHILQefdFD")
def test_from_numpy_knows_every_spelling(char: str) -> None:
    found = m.from_numpy(np.dtype(char))
    assert found.np == np.dtype(char)


@pytest.mark.parametrize(
    "dtype", [np.dtype(each) for each in (">f4", "U3", "S2", "O", "M8[s]", "V4", "i4,f4")], ids=str
)
def test_from_numpy_refuses(dtype: np.dtype[Any]) -> None:
    with pytest.raises(TypeError, match=r"For 'from_numpy', the 'dtype' must be one of bool_, int8, .* but got dtype"):
        m.from_numpy(dtype)


def test_numpy_classes_2_6_does_not_know() -> None:
    assert m.pytype_to_dtype(np.complex64) is m.complex64
    assert m.pytype_to_dtype(np.longlong) is m.int64
    assert m.pytype_to_dtype(ml_dtypes.bfloat16) is m.bfloat16
    assert m.get_py_obj_dtype(np.complex128(1)) is m.complex128


def test_abstract_numpy_class_is_refused() -> None:
    for cls in (np.number, np.generic, np.longdouble, np.timedelta64):
        with pytest.raises(NotImplementedError, match=r"The python type .* cannot be converted to MindSpore type."):
            m.pytype_to_dtype(cls)


@pytest.mark.parametrize("name", ["dtype_to_nptype", "dtype_to_pytype"])
def test_types_without_a_class(name: str) -> None:
    with pytest.raises(KeyError, match=f"For '{name}', the 'type_' must be a type .* has, but got mindspore.Null."):
        getattr(m, name)(m._null)


def test_size_of_what_is_no_type() -> None:
    with pytest.raises(TypeError, match=r"For 'type_size_in_bytes', the 'dtype' must be a Type, but got 4."):
        m.type_size_in_bytes(4)  # type: ignore[arg-type]


def test_is_subclass_wants_types() -> None:
    assert m.typing.is_subclass(m.TensorType(m.int8), m.tensor_type)
    assert not m.typing.is_subclass(m.tensor_type, m.TensorType(m.int8))
    with pytest.raises(TypeError, match=r"For 'is_subclass', both arguments must be a Type, but got 3."):
        m.typing.is_subclass(m.int8, 3)  # type: ignore[arg-type]


def test_numpy_without_bfloat16_is_logged(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    assert m.np_version_valid(True)
    monkeypatch.setattr(_bfloat16, "np_bfloat16", None)
    with caplog.at_level(logging.WARNING, "ms_dtype"):
        assert not m.np_version_valid(False)
        assert caplog.records == []
        assert not m.np_version_valid(True)
    assert "cannot hold ml_dtypes' bfloat16" in caplog.text


def test_broken_ml_dtypes_leaves_the_rest_usable() -> None:
    program = (
        "import sys; sys.modules['ml_dtypes'] = None\n"
        "import ms_dtype as m\n"
        "assert m.bfloat16.np is None and m.np_bfloat16 is None\n"
        "assert m.promote(m.bfloat16, m.float16) is m.float32\n"
        "try: m.dtype_to_nptype(m.bfloat16)\n"
        "except TypeError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    assert done.stdout.startswith("The Numpy bfloat16 data type is not supported now")
    assert "bfloat16 is not available" in done.stderr
