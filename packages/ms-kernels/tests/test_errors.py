"""Errors of operators and methods: their types and texts, and that a traceback never ends inside native code."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest

import ms_dtype as mstype
from ms_kernels import Parameter, Tensor, from_numpy, functional, grad, mint, no_grad, value_and_grad

A: Any = Tensor(np.ones((2, 3), np.float32))
B: Any = Tensor(np.ones((4, 3), np.float32))
V: Any = Tensor([1.0, 2.0, 3.0])
P: Any = Parameter(Tensor([1.0, 2.0, 3.0]), name="p")
FORM = r"For ('[\w.]+'|an in-place operation), the .+ must .+\.|Failed calling \S+ with .*"

CASES: list[tuple[str, type[Exception], str, Callable[[], Any]]] = [
    # shapes that cannot be broadcast
    ("add", ValueError, "shapes of its inputs must be broadcastable, but got [2, 3] and [4, 3]", lambda: A + B),
    ("sub", ValueError, "must be broadcastable", lambda: A - B),
    ("rsub", ValueError, "must be broadcastable", lambda: functional.sub(B, A)),
    ("mul", ValueError, "must be broadcastable", lambda: A * B),
    ("truediv", ValueError, "must be broadcastable", lambda: A / B),
    ("floordiv", ValueError, "must be broadcastable", lambda: A // B),
    ("mod", ValueError, "must be broadcastable", lambda: A % B),
    ("pow", ValueError, "must be broadcastable", lambda: A**B),
    ("eq", ValueError, "must be broadcastable", lambda: A == B),
    ("lt", ValueError, "must be broadcastable", lambda: A < B),
    ("maximum", ValueError, "must be broadcastable", lambda: functional.maximum(A, B)),
    ("iadd", ValueError, "must be broadcastable", lambda: A.add_(B)),
    ("broadcast_to", ValueError, "must", lambda: A.broadcast_to((2, 4))),
    # shapes that do not fit
    ("matmul", ValueError, "inner dimensions must be equal", lambda: A @ B),
    ("matmul0", ValueError, "must have at least one dimension", lambda: A @ Tensor(1.0)),
    ("reshape", ValueError, "must", lambda: A.reshape(4, 2)),
    ("reshape2", ValueError, "must", lambda: A.reshape(-1, -1)),
    ("view", ValueError, "must", lambda: A.view(5)),
    ("concat", ValueError, "must", lambda: functional.cat((A, Tensor(np.ones((2, 2, 2), np.float32))))),
    ("stack", ValueError, "must", lambda: functional.stack((A, B))),
    ("permute", ValueError, "must", lambda: A.permute(0, 0)),
    ("inplace", ValueError, "must have the shape [3] of 'input', but got [2, 3]", lambda: Tensor([1.0, 2, 3]).add_(A)),
    ("split", ValueError, "must sum up to 2", lambda: A.split([1, 2])),
    # axes
    ("sum", ValueError, "'axis' must be in [-2, 2), but got 2", lambda: A.sum(2)),
    ("mean", ValueError, "'axis' must be in [-2, 2), but got -3", lambda: A.mean(-3)),
    ("twice", ValueError, "'axis' must not name a dimension twice", lambda: A.sum((0, 0))),
    ("axis type", TypeError, "'axis' must be an int, but got float", lambda: A.mean(1.5)),
    ("swapaxes", ValueError, "must be in [-2, 2)", lambda: A.swapaxes(0, 5)),
    ("unsqueeze", ValueError, "must be in", lambda: A.unsqueeze(9)),
    ("squeeze", ValueError, "must be in", lambda: A.squeeze(9)),
    ("argmax", ValueError, "must be in", lambda: A.argmax(7)),
    ("softmax", ValueError, "must be in", lambda: functional.softmax(A, 7)),
    ("index_select", ValueError, "must be in", lambda: A.index_select(5, Tensor([0]))),
    # operands and their types
    ("add None", TypeError, "'other' must be a Tensor or a number, but got None", lambda: A + None),
    ("add str", TypeError, "'other' must be a Tensor or a number, but got 'a' (str)", lambda: A + "a"),
    ("add dict", TypeError, "'other' must be a Tensor or a number, but got dict", lambda: functional.add(A, {})),
    ("radd", TypeError, "'input' must be a Tensor or a number, but got 'a' (str)", lambda: "a" + A),
    ("lt None", TypeError, "'other' must be a Tensor or a number, but got None", lambda: A < None),
    ("exp", TypeError, "must be a Tensor", lambda: functional.exp("a")),
    ("dense", TypeError, "'input' must be a Tensor, but got 3 (int)", lambda: functional.dense(3, A)),
    ("softmax", TypeError, "'input' must be a Tensor, but got 1.0 (float)", lambda: functional.softmax(1.0)),
    ("reduce", TypeError, "must be a Tensor", lambda: functional.reduce_sum([1, 2])),
    ("concat type", TypeError, "must be a Tensor", lambda: functional.cat((A, 3))),
    (
        "mask",
        TypeError,
        "dtype of 'mask' must be Bool, but got Int64",
        lambda: functional.masked_fill(V, Tensor([1, 0, 1]), 1.0),
    ),
    ("gather", TypeError, "dtype of indices must be an integer type", lambda: A.index_select(0, Tensor([0.5]))),
    ("gather range", IndexError, "indices must be in [-2, 2), but got 5", lambda: A.index_select(0, Tensor([5]))),
    ("promotion", TypeError, "", lambda: Tensor([1], mstype.uint16) + Tensor([1.0])),
    # numbers of arguments
    ("too many", TypeError, "", lambda: A.exp(1)),
    ("too few", TypeError, "", lambda: functional.add(A)),
    ("keyword", TypeError, "", lambda: functional.add(A, other=A, nothing=1)),
    ("method", TypeError, "valid calling should be", lambda: A.add(A, A, A)),
    ("Primitive", TypeError, "", lambda: functional.Add()(A)),
    # operators that nothing serves
    ("divmod", TypeError, "", lambda: divmod(A, A)),
    ("pow3", TypeError, "must be at most 2, but got 3", lambda: pow(A, 2, 3)),
    # construction, conversion, indexing
    ("ragged", TypeError, "must have equal lengths", lambda: Tensor([[1], [1, 2]])),
    ("longdouble", TypeError, "", lambda: from_numpy(np.ones(1, np.longdouble))),
    ("bool", ValueError, "must have only one element, but got 3", lambda: bool(V)),
    ("if", ValueError, "must have only one element, but got 3", lambda: 1 if V > 1 else 0),
    ("index", IndexError, "must fit the shape [3]", lambda: V[3]),
    ("setitem", ValueError, "must be broadcastable", lambda: V.__setitem__(slice(None), [1, 2])),
    ("data", RuntimeError, "must exist", lambda: Tensor(dtype=mstype.float32, shape=(None,)) + 1),
    ("buffer", RuntimeError, "must exist", lambda: memoryview(Tensor(dtype=mstype.float32, shape=(None,)))),
    # gradients
    ("no function", TypeError, "'fn' must be a function or a Cell", lambda: grad(cast(Any, 3))),
    ("position", RuntimeError, "must be less than the number of inputs, 1", lambda: grad(lambda x: x, 1)(V)),
    ("nothing", ValueError, "must not both be None", lambda: value_and_grad(lambda x: x, None)),
    ("inside", ValueError, "must be broadcastable", lambda: grad(lambda x: (x + A * B).sum())(A)),
    ("view", RuntimeError, "must not be a view", lambda: grad(_view)(V)),
    ("leaf", RuntimeError, "must not be a Parameter", lambda: grad(_leaf, None, P)(V)),
]


def _view(x: Any) -> Any:
    y = x * 2
    y[:2].mul_(x[:2])
    return y.sum()


def _leaf(x: Any) -> Any:
    P.mul_(x)
    return P.sum()


def raised(call: Callable[[], Any]) -> Exception:
    try:
        call()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize(("kind", "text", "call"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_type_and_text(kind: type[Exception], text: str, call: Callable[[], Any]) -> None:
    error = raised(call)
    assert type(error) is kind
    assert text in str(error)
    if text:
        assert re.fullmatch(FORM, str(error), re.DOTALL)


@pytest.mark.parametrize("call", [case[3] for case in CASES], ids=[case[0] for case in CASES])
def test_traceback_ends_in_python(call: Callable[[], Any]) -> None:
    error: BaseException | None = raised(call)
    while error is not None:
        last = traceback.extract_tb(error.__traceback__)[-1]
        assert last.filename.endswith(".py"), last
        error = error.__cause__


def test_nothing_is_done_before_an_error() -> None:
    x = Tensor([1.0, 2.0, 3.0])
    for call in (
        lambda: x.add_(A),
        lambda: x.add_("a"),
        lambda: x.__setitem__(7, 1),
        lambda: x.copy_(A),
        lambda: x.fill_("a"),
    ):
        before = x._changes
        raised(call)
        assert x._changes == before
        assert x.tolist() == [1.0, 2.0, 3.0]


def test_changes_without_the_tape_are_free() -> None:
    p = Parameter(Tensor([1.0]), name="p")
    p.add_(1)
    with no_grad():
        p.mul_(3)
    assert p.tolist() == [6.0]
    assert mint.sum(p).item() == 6.0
