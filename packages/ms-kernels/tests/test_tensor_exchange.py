"""Data in and out: NumPy, buffers, DLPack, pickles, copies."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import ms_dtype as mstype
from ms_kernels import Parameter, ParameterTuple, Tensor, functional
from ms_kernels.tensor.tensor import from_dlpack

KINDS = tuple(kind.name for kind in mstype.element_types)


def some(dtype: str, shape: tuple[int, ...] = (2, 3)) -> Tensor:
    return Tensor(np.arange(np.prod(shape)).reshape(shape), getattr(mstype, dtype))


@pytest.mark.parametrize("dtype", KINDS)
def test_asnumpy_shares(dtype: str) -> None:
    x = some(dtype)
    array = x.asnumpy()
    assert array.dtype == getattr(mstype, dtype).np
    assert array.flags.writeable
    array[0, 0] = 1
    assert x[0, 0].item() == 1
    x[0, 1] = 0
    assert array[0, 1] == 0
    assert x.numpy() is x.asnumpy()


def test_asnumpy_of_repeated_memory_can_be_written() -> None:
    x = functional.broadcast_to(Tensor([1.0]), (3,))
    x.asnumpy()[0] = 5
    assert x.tolist() == [5.0, 1.0, 1.0]
    y = functional.broadcast_to(Tensor([1.0]), (3,))
    y[0] = 5
    assert y.tolist() == [5.0, 1.0, 1.0]


@pytest.mark.parametrize("dtype", KINDS)
def test_asarray_shares_and_array_copies(dtype: str) -> None:
    x = some(dtype)
    shared, own = np.asarray(x), np.array(x)
    assert shared.dtype == own.dtype == getattr(mstype, dtype).np
    shared[0, 0] = 1
    assert x[0, 0].item() == 1
    own[0, 1] = 0
    assert x[0, 1].item() == 1
    wide = np.asarray(x, np.complex128)
    assert wide.dtype == np.complex128
    assert wide.tolist() == x.tolist()


def test_array_protocol() -> None:
    x = Tensor([1.0, 2.0])
    assert np.shares_memory(np.array(x, copy=False), x.asnumpy())
    assert np.shares_memory(x.__array__(), x.asnumpy())
    assert not np.shares_memory(x.__array__(copy=True), x.asnumpy())
    assert x.__array__(np.int32).dtype == np.int32
    with pytest.raises(ValueError, match="copy"):
        x.__array__(np.int32, copy=False)
    with pytest.raises(ValueError):
        np.array(x, np.int32, copy=False)
    assert np.asarray(x[::-1]).tolist() == [2.0, 1.0]
    assert np.asarray(Tensor(3)).shape == ()
    assert np.stack([x, x]).tolist() == [[1.0, 2.0], [1.0, 2.0]]
    assert np.sin(x).dtype == np.float32
    assert isinstance(np.ones(2, np.float32) + x, np.ndarray)


def test_buffers() -> None:
    x = Tensor([[1, 2], [3, 4]], mstype.int16)
    view: Any = memoryview(x)
    assert (view.format, view.shape, view.itemsize, view.readonly) == ("h", (2, 2), 2, False)
    view[0, 1] = 7
    assert x.tolist() == [[1, 7], [3, 4]]
    assert bytes(view) == x.get_bytes() == np.array([[1, 7], [3, 4]], np.int16).tobytes()
    assert memoryview(x.T).strides == (2, 4)
    del x
    assert view.tolist() == [[1, 7], [3, 4]]
    with pytest.raises((BufferError, ValueError)):
        memoryview(Tensor([1.0], mstype.bfloat16))


def test_bytes_back() -> None:
    x = some("bfloat16")
    again = Tensor.convert_bytes_to_tensor(x.get_bytes(), (2, 3), mstype.bfloat16)
    assert again.tolist() == x.tolist()
    again[0, 0] = 3
    with pytest.raises(ValueError, match="have 4 bytes"):
        Tensor.convert_bytes_to_tensor(b"123", (1,), mstype.float32)
    with pytest.raises(TypeError):
        Tensor.convert_bytes_to_tensor(b"1234", (1,), "float32")


def test_dlpack() -> None:
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    array = np.from_dlpack(x)
    array[0, 0] = 9
    assert x[0, 0].item() == 9
    assert x.__dlpack_device__() == (1, 0)
    source = np.arange(3)
    made = from_dlpack(source)
    assert made.tolist() == [0, 1, 2]
    assert np.shares_memory(made._a, source)
    assert from_dlpack(x.T).tolist() == x.T.tolist()
    with pytest.raises(TypeError):
        from_dlpack([1, 2])
    with pytest.raises(BufferError):
        np.from_dlpack(Tensor([1.0], mstype.bfloat16))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("dtype", KINDS)
def test_pickles(dtype: str, protocol: int) -> None:
    for x in (some(dtype), some(dtype, ()), some(dtype, (0, 2)), some(dtype, (4, 3)).T[1:]):
        again = pickle.loads(pickle.dumps(x, protocol))
        assert type(again) is Tensor
        assert (again.dtype, again.shape, again.tolist()) == (x.dtype, x.shape, x.tolist())
        if again.size:
            again.fill_(1)


def test_pickles_out_of_band() -> None:
    x = Tensor(np.ones((100, 100), np.float32))
    buffers: list[pickle.PickleBuffer] = []
    text = pickle.dumps(x, 5, buffer_callback=buffers.append)
    assert len(text) < 500
    assert sum(len(b.raw()) for b in buffers) == 40000
    assert pickle.loads(text, buffers=buffers).tolist() == x.tolist()


def test_pickled_parameters() -> None:
    p = Parameter(Tensor([1.0, 2.0], mstype.bfloat16), name="a.b", requires_grad=False, layerwise_parallel=True)
    p.comm_fusion = 3
    again = pickle.loads(pickle.dumps(p))
    assert isinstance(again, Parameter)
    assert (again.name, again.requires_grad, again.layerwise_parallel, again.comm_fusion) == ("a.b", False, True, 3)
    assert (again.dtype, again.tolist()) == (p.dtype, [1.0, 2.0])
    assert pickle.loads(pickle.dumps(Parameter(Tensor(1.0)))).requires_grad
    both = pickle.loads(pickle.dumps(ParameterTuple([p])))
    assert type(both) is ParameterTuple
    assert both[0].name == "a.b"


def test_pickles_name_our_function_and_no_alias() -> None:
    for made in (Tensor([1.0]), Parameter(Tensor([1.0])), Tensor, Parameter):
        text = pickle.dumps(made, 0)
        assert b"mindspore" not in text
        assert b"ms_kernels.tensor." in text


def test_classes_can_be_pickled() -> None:
    for kind in (Tensor, Parameter):
        assert pickle.loads(pickle.dumps(kind)) is kind


def test_pickles_are_read_by_another_process() -> None:
    text = pickle.dumps([Tensor([1.0, 2.0]), Parameter(Tensor([3]), name="w")]).hex()
    code = f"import pickle; x, w = pickle.loads(bytes.fromhex('{text}')); print(x.tolist(), w.name, w.tolist())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[1.0, 2.0] w [3]\n"


def test_copies() -> None:
    x = Tensor([1.0, 2.0], const_arg=True)
    x.note = [1]  # type: ignore[attr-defined]
    for made in (copy.copy(x), copy.deepcopy(x)):
        assert made is not x
        assert made.const_arg
        made[0] = 9
        assert x.tolist() == [1.0, 2.0]
    assert copy.deepcopy(x).note == [1]
    first, second = copy.deepcopy([x, x])
    assert first is second
    waiting = Tensor(dtype=mstype.float32, shape=(2, 3), init=lambda a: a.fill(4))
    again = copy.deepcopy(waiting)
    assert again.has_init
    assert again[0, 0] == 4
    assert waiting.has_init
    assert copy.deepcopy(Tensor(dtype=mstype.float32, shape=(2, None))).shape == (2, -1)


def test_shape_only_tensors_have_no_pickle() -> None:
    with pytest.raises(RuntimeError, match="data must exist"):
        pickle.dumps(Tensor(dtype=mstype.float32, shape=(2, None)))


@settings(max_examples=40, deadline=None)
@given(
    hnp.arrays(st.sampled_from(["int32", "float32", "bool"]), hnp.array_shapes(min_dims=1, max_dims=3, max_side=5)),
    st.data(),
)
def test_views_travel_like_their_elements(array: Any, data: Any) -> None:
    key = data.draw(hnp.basic_indices(array.shape, allow_newaxis=True))
    x = Tensor(array)[key]
    wanted = np.asarray(array[key])
    np.testing.assert_array_equal(np.asarray(x), wanted)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(x)).asnumpy(), wanted)
    np.testing.assert_array_equal(copy.deepcopy(x).asnumpy(), wanted)
    assert x.get_bytes() == wanted.tobytes()
