"""Type objects: made once, kept through copies and pickles, closed to changes."""

from __future__ import annotations

import copy
import pickle
import re
import subprocess
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

import ms_dtype as m
from ms_dtype import typing as T

OBJECTS = sorted({each for each in vars(m).values() if isinstance(each, m.Type)}, key=repr)
COMPOSED = [
    m.TensorType(m.float32),
    m.TensorType(m.List([m.int8])),
    m.List([m.int32, m.float32]),
    m.Tuple([m.Tuple([m.int32]), m.bool_]),
    m.FunctionType([m.int32], m.float32),
    T.RefType(m.int8),
    *(T.BFloat(), T.Complex(), T.Dict(), T.Slice(), T.Keyword(), T.RefType(), T.TypeAny(), T.TypeEllipsis()),
]


@pytest.mark.parametrize("each", [*OBJECTS, *COMPOSED], ids=str)
def test_copies_and_pickles_are_the_object(each: m.Type) -> None:
    assert copy.copy(each) is each
    assert copy.deepcopy({"a": [each]})["a"][0] is each
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(each, protocol)) is each
    assert type(each)(*each.args) is each


def test_pickles_from_another_process() -> None:
    program = (
        "import pickle, sys, ms_dtype as m; sys.stdout.buffer.write(pickle.dumps([m.int8, m.TensorType(m.bfloat16)]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    first, second = pickle.loads(done.stdout)
    assert first is m.int8
    assert second is m.TensorType(m.bfloat16)


def test_threads_get_one_object() -> None:
    workers = 8
    for count in range(1, 20):
        barrier = Barrier(workers)

        def make(_: int, count: int = count, barrier: Barrier = barrier) -> m.Type:
            barrier.wait()
            return m.Tuple([m.uint16] * count)

        with ThreadPoolExecutor(workers) as pool:
            made = list(pool.map(make, range(workers)))
        assert len({id(each) for each in made}) == 1


@pytest.mark.parametrize("each", [m.int32, m.tensor_type, m.function], ids=str)
def test_attributes_cannot_be_changed(each: m.Type) -> None:
    name = each.name
    with pytest.raises(
        AttributeError, match=re.escape(f"'{type(each).__name__}' object attribute 'name' is read-only")
    ):
        each.name = "other"
    with pytest.raises(AttributeError, match="'name' is read-only"):
        del each.name
    with pytest.raises(AttributeError):
        each.new = 1
    assert each.name == name
    assert weakref.ref(each)() is each


def test_subclass_has_its_own_objects() -> None:
    class Mine(T.Int):
        pass

    assert Mine(32) is Mine(32)
    assert Mine(32) is not m.int32
    assert isinstance(Mine(32), m.Int)
    assert repr(Mine(32)) == "mindspore.int32"


def test_base_class_makes_nothing() -> None:
    with pytest.raises(TypeError, match="Type: No constructor defined!"):
        m.Type()


@pytest.mark.parametrize("each", m.element_types, ids=str)
def test_element_types_tell_about_their_elements(each: m.Type) -> None:
    assert each.np == np.dtype(m.dtype_to_nptype(each))
    assert each.itemsize == each.np.itemsize == m.type_size_in_bytes(each)
    assert each.kind == ("f" if each is m.bfloat16 else each.np.kind)
    assert getattr(m, each.name) is each
    assert m.from_numpy(each.np) is each


@pytest.mark.parametrize("each", [each for each in [*OBJECTS, *COMPOSED] if each not in m.element_types], ids=str)
def test_other_types_have_no_elements(each: m.Type) -> None:
    assert each.np is None
    assert each.kind == "o"


def test_quant_dtype() -> None:
    assert len(m.QuantDtype) == 32
    for bits in range(1, 17):
        assert m.QuantDtype[f"INT{bits}"].value() == bits - 1
        assert m.QuantDtype[f"UINT{bits}"].value() == 99 + bits
    assert pickle.loads(pickle.dumps(m.QuantDtype.UINT4)) is m.QuantDtype.UINT4
    assert repr(m.QuantDtype.INT8) == "<QuantDtype.INT8: 7>"
    assert str(m.QuantDtype.INT8) == "QuantDtype.INT8"


@pytest.mark.parametrize("cls", [T.Int, T.UInt, T.Float, T.BFloat, T.Complex])
def test_widths_are_checked(cls: type) -> None:
    with pytest.raises(RuntimeError, match=f"For {cls.__name__} type only support number of .*bits, but got 7bits$"):
        cls(7)
    with pytest.raises(TypeError, match=f"For '{cls.__name__}', the 'nbits' must be an int, but got str."):
        cls("8")
    assert cls() is cls(None)


def test_parts_are_checked() -> None:
    with pytest.raises(TypeError, match=r"For 'List', the 'elements' must be a list of Type, but got \[3\]."):
        m.List([3])  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"For 'Tuple', the 'elements' must be a list of Type, but got mindspore.int8."):
        m.Tuple(m.int8)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"For 'TensorType', the 'element' must be a Type, but got <class 'float'>."):
        m.TensorType(float)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"For 'Function', the 'retval' must be a Type, but got None."):
        m.FunctionType([m.int8])


def test_type_numbers_round_trip() -> None:
    for each in m.element_types:
        assert T.load_type(T.dump_type(each)) is each
        assert int(T.dump_type(each)) == T.dump_type(each).value == each.type_id
    with pytest.raises(TypeError, match=r"For 'load_type', the argument must be a TypeId, but got 30."):
        T.load_type(30)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"For 'type_to_type_id', the argument must be a Type, but got 'int8'."):
        T.type_to_type_id("int8")  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="Not support the type: 999"):
        T.type_id_to_type(999)


def test_names_round_trip() -> None:
    for each in [*m.element_types, m.TensorType(m.int8), m.List([m.Tuple([m.int8, m.bool_]), m.TensorType(m.uint16)])]:
        assert T.str_to_type(str(each)) is each
    with pytest.raises(RuntimeError, match="Unsupported type name: Int7!"):
        T.str_to_type("List[Int8,Int7]")
