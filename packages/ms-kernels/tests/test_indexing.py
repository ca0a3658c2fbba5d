"""Reading and writing by index, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import ms_dtype as mstype
from ms_kernels import Tensor, functional, grad, no_grad

X = np.arange(24).reshape(2, 3, 4)
SHAPES = hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=4)
SOME = settings(max_examples=150, deadline=None)


def as_ours(key: Any, kind: str) -> Any:
    """A key for NumPy as one of ours: its index arrays as Tensors, lists or arrays."""
    if isinstance(key, tuple):
        return tuple(as_ours(item, kind) for item in key)
    if isinstance(key, np.ndarray) and (kind == "tensor" or key.ndim == 0 or not key.size):
        return Tensor(key)
    if isinstance(key, np.ndarray) and kind == "list" and key.ndim == 1:  # a nested list alone stands for a tuple
        return key.tolist()
    return key


@st.composite
def mixed(draw: Any, shape: tuple[int, ...]) -> Any:
    """Ints, slices, newaxis, an Ellipsis, index arrays and a mask, side by side."""
    lead = draw(st.sampled_from([(), (2,), (3, 1), (2, 2)]))
    items: list[Any] = []
    at = 0
    while at < len(shape):
        n = shape[at]
        what = draw(st.sampled_from(["int", "slice", "array", "new", "stop", "mask"]))
        if what == "new":
            items.append(None)
            continue
        if what == "stop":
            break
        if what == "int":
            items.append(draw(st.integers(-n, n - 1)))
        elif what == "slice":
            items.append(draw(st.slices(n)))
        elif what == "array":
            items.append(
                draw(
                    hnp.arrays(draw(st.sampled_from(["int64", "int32", "int8"])), lead, elements=st.integers(-n, n - 1))
                )
            )
        elif what == "mask" and not any(isinstance(item, np.ndarray) for item in items):
            items.append(draw(hnp.arrays(bool, (n,))))
            lead = (1,)  # a mask is broadcast with the index arrays: only lengths of 1 are sure to fit
        else:
            items.append(slice(None))
        at += 1
    if at < len(shape) and draw(st.booleans()):
        items.append(Ellipsis)
    return tuple(items)


@st.composite
def cases(draw: Any) -> tuple[tuple[int, ...], Any, str]:
    shape = draw(SHAPES)
    key = draw(
        st.one_of(
            hnp.basic_indices(shape, allow_newaxis=True),
            hnp.integer_array_indices(shape),
            hnp.arrays(bool, shape),
            hnp.arrays(bool, shape[:1]),
            mixed(shape),
        )
    )
    return shape, key, draw(st.sampled_from(["tensor", "list", "array"]))


def array_of(shape: tuple[int, ...], dtype: str = "float32") -> Any:
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


def numpy_takes(shape: tuple[int, ...], key: Any) -> bool:
    try:
        np.empty(shape)[key]
    except IndexError:
        return False
    return True


@SOME
@given(cases())
def test_reading(case: Any) -> None:
    shape, key, kind = case
    array = array_of(shape)
    if not numpy_takes(shape, key):
        with pytest.raises((IndexError, ValueError)):
            Tensor(array)[as_ours(key, kind)]
        return
    got = Tensor(array)[as_ours(key, kind)]
    wanted = array[key]
    assert got.shape == np.shape(wanted)
    np.testing.assert_array_equal(got.asnumpy(), wanted)


@SOME
@given(cases(), st.sampled_from(["number", "whole", "row", "int"]))
def test_writing(case: Any, value: str) -> None:
    shape, key, kind = case
    if not numpy_takes(shape, key):
        return
    array = array_of(shape)
    x = Tensor(array)
    selected = array[key]
    new: Any = -1.5
    if value == "whole" and selected.size:
        new = -np.arange(1, selected.size + 1).reshape(selected.shape).astype(np.float32)
    elif value == "row" and selected.ndim and selected.shape[-1] > 0:
        new = -np.arange(1.0, selected.shape[-1] + 1, dtype=np.float32)
    elif value == "int":
        new = np.asarray(-7)
    x[as_ours(key, kind)] = Tensor(new) if isinstance(new, np.ndarray) else new
    array[key] = new
    np.testing.assert_array_equal(x.asnumpy(), array)


def view_of(array: Any, key: Any) -> Any:
    """What a basic key selects, as a view even where it is one element."""
    found = array[key]
    if isinstance(found, np.ndarray):
        return found
    return array[(*key, Ellipsis) if isinstance(key, tuple) else (key, Ellipsis)]


@SOME
@given(st.data())
def test_basic_keys_give_views_and_views_of_views(data: Any) -> None:
    shape = data.draw(SHAPES)
    array = array_of(shape)
    x = Tensor(array)
    part, wanted = x, array
    for _ in range(2):
        if wanted.ndim:
            key = data.draw(hnp.basic_indices(wanted.shape, allow_newaxis=True))
            part, wanted = part[key], view_of(wanted, key)
    before = x._changes
    part[...] = -1
    wanted[...] = -1
    np.testing.assert_array_equal(x.asnumpy(), array)
    assert not part.size or x._changes == before + 1
    part.add_(Tensor(5.0))
    wanted += 5
    np.testing.assert_array_equal(x.asnumpy(), array)


@SOME
@given(cases())
def test_gradient_of_reading(case: Any) -> None:
    shape, key, kind = case
    if not numpy_takes(shape, key):
        return
    array = array_of(shape)
    weights = np.arange(1.0, np.size(array[key]) + 1, dtype=np.float32).reshape(np.shape(array[key]))
    got = grad(lambda x: (x[as_ours(key, kind)] * Tensor(weights)).sum())(Tensor(array))
    wanted = np.zeros_like(array)
    np.add.at(wanted, key, weights)
    np.testing.assert_array_equal(got.asnumpy(), wanted)


@SOME
@given(cases())
def test_gradient_of_writing(case: Any) -> None:
    shape, key, kind = case
    if not numpy_takes(shape, key):
        return
    array = array_of(shape)

    def loss(x: Any, value: Any) -> Any:
        y = x * 2
        y[as_ours(key, kind)] = value * 3
        return (y * Tensor(array + 1)).sum()

    by_x, by_value = grad(loss, (0, 1))(Tensor(array), Tensor(1.0))
    kept = np.full(shape, 2.0, np.float32)
    kept[key] = 0
    places = np.arange(array.size).reshape(shape)[key]
    hit = np.unique(places)
    np.testing.assert_array_equal(by_x.asnumpy(), kept * (array + 1))
    if np.size(places) == hit.size:  # where a place is written twice, whose gradient counts is open
        assert by_value.item() == 3 * (array + 1).reshape(-1)[hit].sum()


def test_writing_under_the_tape() -> None:
    def views(x: Any) -> Any:
        y = x * 1
        part = y[0]
        part[0] = 5.0
        return y.sum()

    with pytest.raises(RuntimeError, match="must not be a view"):
        grad(views)(Tensor([[1.0, 2.0]]))

    def quiet(x: Any) -> Any:
        y = Tensor([0.0, 0.0])
        with no_grad():
            y[0] = x[0] * 10
        return (y * x).sum()

    assert grad(quiet)(Tensor([1.0, 2.0])).tolist() == [10.0, 0.0]

    def late(x: Any) -> Any:
        y = x * 2
        z = y * y
        y[0] = 1.0
        return z.sum()

    assert grad(late)(Tensor([1.0, 2.0])).tolist() == [8.0, 16.0]

    def wrong(x: Any) -> Any:
        y = x * 1
        y[:] = Tensor([1.0, 2.0, 3.0])
        return y

    with pytest.raises(ValueError, match="broadcastable"):
        grad(wrong)(Tensor([1.0, 2.0]))

    def outside(x: Any) -> Any:
        y = x * 1
        y[5] = x[0]
        return y

    with pytest.raises(IndexError, match="fit the shape"):
        grad(outside)(Tensor([1.0, 2.0]))


def test_second_order_through_writing() -> None:
    def loss(x: Any) -> Any:
        y = x * x
        y[0] = x[1] * x[1] * x[1]
        return (y * y).sum()

    got = grad(lambda x: grad(loss)(x).sum())(Tensor(np.array([2.0, 3.0])))
    assert got.tolist() == [0.0, 30 * 81 + 12 * 9]


@pytest.mark.parametrize("bound", [Tensor(1), np.int32(1), True, Tensor([1], mstype.int8)])
def test_bounds_of_slices(bound: Any) -> None:
    np.testing.assert_array_equal(Tensor(X)[bound:].asnumpy(), X[1:])
    np.testing.assert_array_equal(Tensor(X)[:, ::bound].asnumpy(), X)


def test_keys_of_2_6() -> None:
    x = Tensor(X)
    assert x[...] is x
    assert x[:] is not x
    assert x[[0, 1]].shape == (2, 3, 4)
    assert x[[[0, 1], [1, 0]]].shape == (2, 4)  # a list of lists stands for a tuple
    assert x[[slice(None), slice(0, 1)]].shape == (2, 1, 4)
    assert x[[0, Tensor(1)]].shape == x[[Tensor(0), Tensor(1)]].shape == (4,)
    assert x[[None]].shape == (1, 2, 3, 4)
    assert x[0, (0, 1)].shape == (2, 4)
    assert x[0, [True, False, True]].shape == (2, 4)
    assert x[Tensor([[0, 1], [1, 0]])].shape == (2, 2, 3, 4)
    assert x[True].shape == (1, 2, 3, 4)
    assert x[True, 0].shape == (1, 3, 4)
    assert x[np.int64(1)].tolist() == x[1].tolist() == x[Tensor(1)].tolist()
    assert Tensor(np.zeros((0, 3)))[Tensor([], mstype.int64)].shape == (0, 3)
    assert Tensor(1.0)[...].shape == Tensor(1.0)[()].shape == ()
    assert Tensor(1.0)[None].shape == Tensor(1.0)[True].shape == (1,)


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        (IndexError, 5),
        (IndexError, -3),
        (IndexError, (0, 5)),
        (IndexError, (0, 0, 0, 0)),
        (IndexError, 1.0),
        (IndexError, "a"),
        (IndexError, {}),
        (IndexError, 1j),
        (IndexError, (..., ...)),
        (IndexError, range(2)),
        (IndexError, False),
        (IndexError, []),
        (IndexError, [0, 5]),
        (IndexError, Tensor([0, 5])),
        (IndexError, Tensor([0.0, 1])),
        (TypeError, [0.0, 1]),
        (ValueError, Tensor([True, False, True])),
        (ValueError, (Tensor([0, 1]), Tensor([0, 1, 2]))),
        (ValueError, slice(None, None, 0)),
        (TypeError, slice("a", None)),
        (TypeError, slice(1.5, None)),
        (TypeError, slice(Tensor(1.0), None)),
        (TypeError, slice(Tensor([1, 2]), None)),
        (IndexError, object()),
        (IndexError, ([[0], [0, 1]],)),
    ],
)
def test_errors_of_keys(kind: type[Exception], key: Any) -> None:
    with pytest.raises(kind, match=r"For 'Tensor', the .* must"):
        Tensor(X)[key]
    if key is not False and not (isinstance(key, list) and not key):
        with pytest.raises(kind, match=r"For 'Tensor', the .* must"):
            Tensor(X)[key] = 1


def test_tensors_without_dimensions_have_no_index() -> None:
    x = Tensor(1.0)
    with pytest.raises(TypeError, match="have a dimension"):
        x[0]
    with pytest.raises(TypeError, match="have a dimension"):
        x[0] = 5
    with pytest.raises(IndexError):
        x[:]
    x[...] = 5
    assert x.item() == 5
    x[()] = 6
    assert x.item() == 6


@pytest.mark.parametrize(
    ("kind", "key", "value"),
    [
        (TypeError, 0, "a"),
        (TypeError, 0, None),
        (TypeError, 0, {}),
        (TypeError, 0, 1j),
        (TypeError, 0, Tensor([1j])),
        (ValueError, 0, [1, 2]),
        (ValueError, slice(None), [1, 2, 3]),
        (ValueError, slice(0, 2), Tensor([1, 2, 3])),
        (TypeError, 0, ["a"]),
        (TypeError, 0, [[1], [1, 2]]),
        (ValueError, 0, Tensor([1.0, 2.0])),
    ],
)
def test_errors_of_values(kind: type[Exception], key: Any, value: Any) -> None:
    x = Tensor(np.arange(4))
    with pytest.raises(kind):
        x[key] = value
    assert x.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("dtype", "value", "wanted"),
    [
        ("int64", 9.7, 9),
        ("int64", True, 1),
        ("int8", 300, 44),
        ("uint8", -1, 255),
        ("float16", 1e9, float("inf")),
        ("bool_", 5, True),
        ("bfloat16", 1.5, 1.5),
        ("complex64", 1j, 1j),
        ("float32", Tensor([7]), 7.0),
        ("float32", np.float64(7), 7.0),
        ("float32", [7], 7.0),
        ("int32", float("nan"), -(2**31)),
    ],
)
def test_values_are_cast(dtype: str, value: Any, wanted: Any) -> None:
    x = Tensor([0, 1], getattr(mstype, dtype))
    x[0] = value
    assert x[0].item() == wanted
    assert x.dtype == getattr(mstype, dtype)


def test_writing_nothing_and_everywhere() -> None:
    x = Tensor(np.arange(4))
    key: Any
    for key in (False, [], x > 100, slice(1, 1)):
        x[key] = 5
    assert x.tolist() == [0, 1, 2, 3]
    for key in (..., (), None, True, slice(None)):
        x[key] = x[key] + 1
    assert x.tolist() == [5, 6, 7, 8]
    x[::-1] = Tensor([1, 2, 3, 4])
    assert x.tolist() == [4, 3, 2, 1]
    with pytest.raises((AttributeError, TypeError)):
        del x[0]


def test_writing_from_itself() -> None:
    x = Tensor(np.arange(6))
    x[1:] = x[:-1]
    assert x.tolist() == [0, 0, 1, 2, 3, 4]


def test_writing_to_repeated_memory_writes_one_element() -> None:
    x = functional.broadcast_to(Tensor([[1.0], [2.0]]), (2, 3))
    x[0, 0] = 9
    assert x.tolist() == [[9.0, 1.0, 1.0], [2.0, 2.0, 2.0]]
