"""mutable: what may be marked, what the mark looks like, messages as MindSpore 2.6."""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
import weakref
from collections import OrderedDict, namedtuple
from typing import Any

import pytest

from ms_dynshape import mutable

TEXT = (
    "For 'mutable', the 'input_data' should be one of (bool, int, float, Tensor, tuple, list, dict) or their nested "
    "structures with no self-reference, but got "
)


class FakeTensor:
    """Has what makes a tensor."""

    shape = (2,)
    dtype = "float32"

    def asnumpy(self) -> list[float]:
        return [0.0, 0.0]


class FakeArray:
    """An array of another library, or a sparse tensor."""

    shape = (2,)
    dtype = "float32"

    def __repr__(self) -> str:
        return "FakeArray()"


Pair = namedtuple("Pair", "a b")


def test_signature() -> None:
    assert list(inspect.signature(mutable).parameters) == ["input_data", "dynamic_len"]
    assert mutable(input_data=[1], dynamic_len=True).__ms_dynamic_len__ is True


@pytest.mark.parametrize(
    ("value", "base"),
    [
        (1, int),
        (2.5, float),
        (True, int),
        (False, int),
        ([], list),
        ((), tuple),
        ({}, dict),
        ([[1, [2]], (3,)], list),
        ((1, 2.0), tuple),
        ({1: [2], None: 3, (1, 2): True}, dict),
        (OrderedDict(a=1), dict),
        (Pair(1, 2), tuple),
    ],
)
def test_marked_copy(value: Any, base: type) -> None:
    marked = mutable(value)
    assert isinstance(marked, base)
    assert marked == value
    assert type(marked).__name__ == "_" + ("bool" if isinstance(value, bool) else base.__name__).title()
    assert marked.__ms_mutable__ is True
    assert marked.__ms_dynamic_len__ is False
    assert marked.__ms_origin_object__ is value
    assert not hasattr(value, "__ms_mutable__")


def test_bool_prints_and_computes_as_a_bool() -> None:
    yes, no = mutable(True), mutable(False)
    assert (repr(yes), str(no), f"{yes}") == ("True", "False", "True")
    assert yes
    assert not no
    assert (yes.value, no.value) == (True, False)
    assert hash(yes) == hash(True)
    assert (yes & True) is True
    assert (no | True) is True
    assert (yes ^ True) is False
    assert yes + 1 == 2


def test_results_are_plain() -> None:
    assert type(mutable(3) + 1) is int
    assert type(mutable([1]) + [2]) is list
    assert type(mutable([1]).copy()) is list


def test_marked_values_can_be_marked_again() -> None:
    for value in (1, True, 2.5, [1], (1,), {"a": 1}):
        once = mutable(value)
        twice = mutable(once)
        assert type(twice) is type(once)
        assert twice.__ms_origin_object__ is value
    assert mutable([mutable(3)])[0].__ms_mutable__


@pytest.mark.parametrize("value", [1, 2.5, True, [1], (1,), {"a": 1}])
def test_copies_and_pickles_keep_the_mark(value: Any) -> None:
    marked = mutable(value)
    for twin in (copy.copy(marked), copy.deepcopy(marked), pickle.loads(pickle.dumps(marked))):
        assert type(twin) is type(marked)
        assert twin == value
        assert vars(twin) == vars(marked)


def test_tensor_is_marked_itself_and_stays_collectable() -> None:
    tensor = FakeTensor()
    marked = mutable(tensor)
    assert marked is tensor
    assert marked.__ms_mutable__ is True
    assert marked.__ms_dynamic_len__ is False
    seen = weakref.ref(tensor)
    gc.disable()
    try:
        del tensor, marked
        assert seen() is None
    finally:
        gc.enable()
    assert mutable({"a": [FakeTensor(), 1]}).__ms_mutable__


@pytest.mark.parametrize(
    "value", [None, "a", b"a", set(), 1 + 2j, object(), slice(1), range(3), FakeArray(), [None], {"a": "b"}, [1, ...]]
)
@pytest.mark.parametrize("dynamic_len", [False, True, 1])
def test_other_values(value: Any, dynamic_len: Any) -> None:
    with pytest.raises(TypeError) as caught:
        mutable(value, dynamic_len)
    assert str(caught.value) == f"{TEXT}{type(value).__name__}: {value}."


def test_self_reference() -> None:
    loop: list[Any] = [1]
    loop.append(loop)
    deep: dict[str, Any] = {"a": ([],)}
    deep["a"][0].append(deep)
    for value in (loop, deep):
        with pytest.raises(TypeError, match="with no self-reference"):
            mutable(value)
    twice = [1]
    assert mutable([twice, twice]) == [[1], [1]]


def test_dynamic_len() -> None:
    for value in ([1, 2], (1, 2.0), [], [(1, 2), (3,)]):
        assert mutable(value, True).__ms_dynamic_len__ is True
    for value, kind in ((1, "int"), ({"a": 1}, "dict"), (FakeTensor(), "FakeTensor")):
        with pytest.raises(TypeError) as caught:
            mutable(value, True)
        assert str(caught.value) == (
            f"For 'mutable', when the variable_len is True, the first input should be list or tuple, but got: {kind}"
        )
    with pytest.raises(TypeError, match="For 'mutable', the second input should be bool, but got: int"):
        mutable([1, 2], 1)  # type: ignore[arg-type]
