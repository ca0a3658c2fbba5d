"""`Tensor(...)`, `tensor()`: data of every kind, dtypes, shapes, initializers, errors."""

from __future__ import annotations

import threading
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import ms_dtype as mstype
from ms_dynshape import Symbol
from ms_kernels import Parameter, Tensor, from_numpy, tensor


@pytest.mark.parametrize(
    ("data", "dtype", "values"),
    [
        (1, mstype.int64, 1),
        (1.5, mstype.float32, 1.5),
        (True, mstype.bool_, True),
        (1 + 2j, mstype.complex128, 1 + 2j),
        ([1, 2], mstype.int64, [1, 2]),
        ((1, 2), mstype.int64, [1, 2]),
        ([1.0, 2], mstype.float32, [1.0, 2.0]),
        ([True, False], mstype.bool_, [True, False]),
        ([True, 2], mstype.int64, [1, 2]),
        ([1j, 2], mstype.complex128, [1j, 2 + 0j]),
        ([], mstype.float32, []),
        ([[]], mstype.float32, [[]]),
        (2**63, mstype.uint64, 2**63),
        (-(2**63), mstype.int64, -(2**63)),
        (1e300, mstype.float32, float("inf")),
        (np.float32(1), mstype.float32, 1.0),
        (np.float64(1), mstype.float64, 1.0),
        (np.int8(1), mstype.int8, 1),
        (np.bool_(True), mstype.bool_, True),
        (ml_dtypes.bfloat16(3), mstype.bfloat16, 3.0),
        (np.array([1.0, 2]), mstype.float64, [1.0, 2.0]),
        (np.array([1, 2], np.float16), mstype.float16, [1.0, 2.0]),
        (np.array([1, 2], ">i4"), mstype.int32, [1, 2]),
        ([np.float64(1)], mstype.float32, [1.0]),
        ([np.int8(1)], mstype.int8, [1]),
        ([np.array([1.0, 2]), np.array([3.0, 4])], mstype.float32, [[1.0, 2.0], [3.0, 4.0]]),
        ([np.array([1.0], np.float16)], mstype.float16, [[1.0]]),
    ],
)
def test_dtype_that_2_6_chooses(data: Any, dtype: Any, values: Any) -> None:
    made = Tensor(data)
    assert made.dtype == dtype
    assert made.tolist() == values
    assert tensor(data).dtype == dtype
    assert made._a.flags.c_contiguous
    assert made._a.flags.writeable


def test_tensors_inside_sequences() -> None:
    assert Tensor([Tensor(1), Tensor(2)]).tolist() == [1, 2]
    assert Tensor([Tensor([1, 2]), Tensor([2, 3])]).shape == (2, 2)
    assert Tensor((Tensor(1.5), 2)).dtype == mstype.float32
    assert Tensor([Tensor([1.5]), [2]]).tolist() == [[1.5], [2.0]]
    assert Tensor([Tensor(1, mstype.int8), Tensor(2, mstype.int8)]).dtype == mstype.int8
    assert Tensor([Tensor(1, mstype.float16)]).dtype == mstype.float16
    assert Tensor([Tensor(1, mstype.bfloat16)]).dtype == mstype.bfloat16
    assert Tensor([Parameter(Tensor(2.0)), 1]).tolist() == [2.0, 1.0]


@pytest.mark.parametrize(
    ("data", "dtype", "values"),
    [
        ([1.7, -2.7], mstype.int32, [1, -2]),
        ([1.7, 0.0], mstype.bool_, [True, False]),
        ([300, -1], mstype.int8, [44, -1]),
        ([300, -1], mstype.uint8, [44, 255]),
        (-1, mstype.uint64, 2**64 - 1),
        (2**40, mstype.int32, 0),
        (1e300, mstype.float64, 1e300),
        ([0.1, 0.2], mstype.float64, [0.1, 0.2]),
        ([0.5], mstype.complex64, [0.5 + 0j]),
    ],
)
def test_given_dtype(data: Any, dtype: Any, values: Any) -> None:
    made = Tensor(data, dtype)
    assert made.dtype == dtype
    assert made.tolist() == values


def test_data_is_copied() -> None:
    array = np.ones(3, np.float32)
    made, again = Tensor(array), Tensor(Tensor(array))
    array[0] = 5
    assert made.tolist() == again.tolist() == [1, 1, 1]
    first = Tensor([1.0, 2.0])
    second = Tensor(first)
    second[0] = 9
    assert first.tolist() == [1.0, 2.0]
    assert Tensor(np.asfortranarray(np.arange(6).reshape(2, 3))).stride() == [3, 1]


def test_from_numpy_shares() -> None:
    array = np.ones(3, np.float32)
    for made in (from_numpy(array), Tensor.from_numpy(array)):
        array[0] = 5
        assert made.tolist() == [5, 1, 1]
        made[1] = 7
        assert array[1] == 7
        array[:] = 1
    turned = from_numpy(np.arange(6).reshape(2, 3).T)
    assert turned.stride() == [1, 3]


def test_from_numpy_leaves_read_only_memory_alone() -> None:
    array = np.ones(3, np.float32)
    array.flags.writeable = False
    change: Any
    for change in (lambda t: t.__setitem__(0, 5), lambda t: t.add_(4), lambda t: t.asnumpy().__setitem__(0, 5)):
        made = from_numpy(array)
        change(made)
        assert made.tolist()[0] == 5
        assert array.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("kind", "args"),
    [
        (TypeError, {}),
        (TypeError, {"input_data": "a"}),
        (TypeError, {"input_data": {1: 2}}),
        (TypeError, {"input_data": range(3)}),
        (TypeError, {"input_data": ["a"]}),
        (TypeError, {"input_data": [None]}),
        (TypeError, {"input_data": [[1, 2], [3]]}),
        (TypeError, {"input_data": [1, [2]]}),
        (TypeError, {"input_data": np.array([None])}),
        (TypeError, {"input_data": np.array([1], np.longdouble)}),
        (TypeError, {"input_data": np.array(["2000-01-01"], "datetime64[D]")}),
        (RuntimeError, {"input_data": 2**64}),
        (TypeError, {"input_data": [1], "dtype": "float32"}),
        (TypeError, {"input_data": [1], "dtype": np.float32}),
        (TypeError, {"input_data": [1], "dtype": int}),
        (TypeError, {"input_data": [1], "dtype": mstype.number}),
        (ValueError, {"input_data": [1], "shape": (1,)}),
        (ValueError, {"input_data": [1], "dtype": mstype.float32, "shape": (1,), "init": np.zeros}),
        (TypeError, {"shape": (2, 3)}),
        (ValueError, {"shape": (2, None)}),
        (TypeError, {"dtype": mstype.float32, "shape": "a"}),
        (TypeError, {"dtype": mstype.float32, "shape": (2.5,)}),
        (ValueError, {"dtype": mstype.float32, "shape": (-3,)}),
        (ValueError, {"dtype": mstype.float32, "init": np.zeros}),
        (ValueError, {"shape": (2,), "init": np.zeros}),
        (ValueError, {"dtype": mstype.float32, "shape": (2, None), "init": np.zeros}),
        (TypeError, {"dtype": mstype.float32, "shape": (2,), "init": 3}),
        (TypeError, {"input_data": [1], "const_arg": 1}),
        (ValueError, {"input_data": [1], "device": "Ascend"}),
        (TypeError, {"input_data": [1], "nothing": 1}),
    ],
)
def test_errors(kind: type[Exception], args: dict[str, Any]) -> None:
    with pytest.raises(kind):
        Tensor(**args)


@pytest.mark.parametrize(
    ("shape", "dims"),
    [
        ((2, None), (2, -1)),
        ([2, -1], (2, -1)),
        ((-2,), (-2,)),
        (-2, (-2,)),
        (None, (-2,)),
        (3, (3,)),
        ((), ()),
        ((Symbol(), 2), (-1, 2)),
    ],
)
def test_shapes_without_data(shape: Any, dims: tuple[int, ...]) -> None:
    made = Tensor(dtype=mstype.float16, shape=shape)
    assert made.shape == dims
    assert made.ndim == len(dims)
    assert made.dtype == mstype.float16
    assert not made.has_init
    assert made.init is None
    if any(n < 0 for n in dims):
        assert made.size == 0
        for use in (made.asnumpy, lambda: made + 1, lambda: str(made)):
            with pytest.raises(RuntimeError, match="data must exist"):
                use()
    else:
        assert made.asnumpy().shape == dims


class Count:
    """An initializer that counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, array: Any) -> None:
        self.calls += 1
        array[...] = self.calls


def test_initializers_fill_once_and_late() -> None:
    init = Count()
    made = Tensor(dtype=mstype.float32, shape=[2, 3], init=init)
    assert made.has_init
    assert made.init is init
    assert made.shape == (2, 3)
    assert repr(made).endswith("<uninitialized>)")
    assert init.calls == 0
    assert made.init_data() is made
    assert not made.has_init
    assert made.init is None
    assert (made + 1).tolist() == [[2, 2, 2], [2, 2, 2]]
    assert init.calls == 1
    with pytest.raises(TypeError):
        made.init_data()
    for use in (
        lambda t: t + 1,
        lambda t: t.asnumpy(),
        str,
        memoryview,
        lambda t: t[0],
        lambda t: t.astype(mstype.int32),
    ):
        other = Tensor(dtype=mstype.float32, shape=2, init=Count())
        use(other)
        assert other.tolist() == [1, 1]
        assert not other.has_init


def test_init_data_of_another_shape() -> None:
    made = Tensor(dtype=mstype.float32, shape=(2, 3), init=Count())
    assert made.init_data(shape=(1, 3)).shape == (1, 3)
    assert made.shape == (1, 3)


def test_threads_fill_once() -> None:
    init = Count()
    made = Tensor(dtype=mstype.float32, shape=(64,), init=init)
    start = threading.Barrier(8)

    def use() -> None:
        start.wait()
        made.asnumpy()

    threads = [threading.Thread(target=use) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert init.calls == 1


def test_const_arg() -> None:
    assert Tensor([1]).const_arg is False
    assert Tensor([1], const_arg=True).const_arg is True
    made = Tensor([1])
    assert made.set_const_arg() is made
    assert made.const_arg is True
    with pytest.raises(TypeError):
        made.set_const_arg(3)


NUMPY_KINDS = st.sampled_from(
    [
        "bool",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float16",
        "float32",
        "float64",
        "complex64",
    ]
)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_arrays_come_back_as_they_were(data: Any) -> None:
    kind = data.draw(NUMPY_KINDS)
    array = data.draw(hnp.arrays(kind, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)))
    made = Tensor(array)
    assert made.dtype == mstype.from_numpy(array.dtype)
    assert made.shape == array.shape
    np.testing.assert_array_equal(made.asnumpy(), array)
    assert made.asnumpy().dtype == array.dtype
    np.testing.assert_array_equal(Tensor(made.tolist(), made.dtype).asnumpy().reshape(array.shape), array)


def test_symbols_in_a_shape_are_kept() -> None:
    batch = Symbol(max=8, divisor=2)
    assert Tensor(shape=[batch, None, 3], dtype=mstype.float32).symbolic_shape == [{"max": 8, "divisor": 2}, None, 3]
    alone = Tensor(shape=batch, dtype=mstype.float32)
    assert alone.shape == (-1,) and alone.symbolic_shape == [{"max": 8, "divisor": 2}]
    assert Tensor(shape=[None, 3], dtype=mstype.float32).symbolic_shape is None
    assert Tensor([1.0]).symbolic_shape is None
