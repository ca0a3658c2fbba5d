"""Arguments against what set_inputs declared; the texts are MindSpore 2.6's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ms_dynshape import Symbol, mutable
from ms_jit import jit
from ms_jit.declared import check_declared
from ms_kernels import Tensor


def T(*shape: int, dtype: Any = np.float32) -> Any:
    return Tensor(np.ones(shape, dtype))


float32, int32 = T(1).dtype, T(1, dtype=np.int32).dtype
KIND = "For set_inputs or tuple(list) in set_inputs, the {}th "


def D(*shape: Any, dtype: Any = float32) -> Any:
    return Tensor(shape=shape, dtype=dtype)


ONE = Symbol(max=32, unique=True)
OCT = Symbol(divisor=8, remainder=1)


@pytest.mark.parametrize(
    ("declared", "args"),
    [
        ([D(None, 2)], [T(5, 2)]),
        ([D(-2)], [T(5, 2, 1)]),
        ([D(-2)], [T()]),
        ([T(2, 3)], [T(2, 3)]),
        ([D(None, OCT)], [T(1, 9)]),
        ([D(ONE, ONE), D(ONE)], [T(3, 3), T(3)]),
        ([D(None), None, 1, "a"], [T(3), None, 1, "a"]),
        ([(D(None), [D(None, 2)])], [(T(3), [T(3, 2)])]),
        ([mutable(1)], [mutable(2)]),
        ([], []),
    ],
)
def test_fits(declared: Any, args: Any) -> None:
    check_declared(args, declared)


MUTABLE = KIND + "should be mutable one, but got static!"
STATIC = KIND + "should be static one, but got mutable!"
SHAPE = "For set_inputs and tuple(list) in set_inputs, the {} of {}th input must be the same as expected, but got "


@pytest.mark.parametrize(
    ("declared", "args", "error", "text"),
    [
        (
            [D(None), D(3)],
            [T(3)],
            ValueError,
            "For set_inputs, the length of input must be equal to expected one, but got expected: 2 and input: 1!",
        ),
        ([D(None), D(3)], [T(3), T(4)], ValueError, SHAPE.format("shape", 2) + "expected: 3, and input: 4!"),
        ([D(None)], [T(3, 3)], ValueError, SHAPE.format("dims", 1) + "expected: 1, and input: 2!"),
        (
            [D(-2)],
            [T(3, dtype=np.int32)],
            TypeError,
            KIND.format(1) + "type should be Tensor[Float32], but got Tensor[Int32]!",
        ),
        ([D(None), None], [T(3), T(3)], TypeError, STATIC.format(2)),
        ([D(None), D(None)], [T(3), None], TypeError, MUTABLE.format(2)),
        ([D(None)], [3], TypeError, MUTABLE.format(1)),
        ([mutable(1)], [1], TypeError, MUTABLE.format(1)),
        (
            [D(None), 1],
            [T(3), 2],
            ValueError,
            KIND.format(2) + "should be 1, but got 2!",
        ),
        ([1], [True], ValueError, KIND.format(1) + "should be 1, but got True!"),
        (
            [D(None, OCT)],
            [T(1, 8)],
            ValueError,
            "The 2th shape value of 1th actual input args must be match the 'divisor'(d) and 'remainder'(r) of "
            "`Symbol`. The value should be 'd * N + r' for 'N > 0', got d=8 and r=1, but actual shape value is '8'. "
            "Actual shape: (1, 8), axis: 1",
        ),
        (
            [D(ONE), D(ONE)],
            [T(3), T(4)],
            ValueError,
            "The 1th shape value of 2th actual input args is a unique symbol, all values must be the same. "
            "The previous value is 3, but the current value is 4. Actual shape: (4,), axis: 0.",
        ),
        (
            [D(ONE)],
            [T(33)],
            ValueError,
            "The 1th shape value of 1th actual input args must be less than or equal to the 'max' value '32' of "
            "`Symbol`, but got '33'. Actual shape: (33,), axis: 0.",
        ),
        (
            [D(Symbol(min=4))],
            [T(3)],
            ValueError,
            "The 1th shape value of 1th actual input args must be greater than or equal to the 'min' value '4' of "
            "`Symbol`, but got '3'. Actual shape: (3,), axis: 0.",
        ),
    ],
)
def test_does_not_fit(declared: Any, args: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        check_declared(args, declared)
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("declared", "args"), [([(D(None),)], [(T(3), T(3))]), ([[D(None)]], [(T(3),)]), ([(D(None),)], [([T(3)],)])]
)
def test_other_structures(declared: Any, args: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"the 1th should be"):
        check_declared(args, declared)


def test_dtypes_are_compared() -> None:
    check_declared([T(2, dtype=np.int32)], [D(None, dtype=int32)])


@pytest.mark.parametrize("kind", [tuple, list])
def test_mutable_arguments_are_inputs(kind: Any) -> None:
    """A marked sequence is taken apart as a plain one, and the function still sees the mark."""

    @jit
    def add(pair: Any) -> Any:
        return pair[0] + pair[1] if getattr(pair, "__ms_mutable__", False) else None

    for number in (1, 2):
        assert add(mutable(kind([T(2) * number, T(2)]))).asnumpy().tolist() == [number + 1] * 2
    assert len(add.entries) == 1
    assert add.reasons == []
