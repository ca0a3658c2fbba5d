"""The mixin and the contract on what hooks may return."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass
from typing import Any

import pytest

from ms_hooks import Hookable, HookTable, run_tensor


@dataclass(frozen=True)
class Grad:
    """Has what makes a tensor."""

    value: float
    shape: tuple[int, ...] = (2,)
    dtype: str = "float32"


class Cell(Hookable):
    """Forward: weighted sum of its arguments; backward: the gradient times each weight."""

    def __setattr__(self, name: str, value: Any) -> None:
        raise AssertionError("the mixin goes past __setattr__")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        args, named = self._run_forward_pre_hooks(args, kwargs)
        return self._run_forward_hooks(args, named, sum(args) * named.get("scale", 1))

    def backward(self, *grads: Any) -> tuple[Any, ...]:
        grads = self._run_backward_pre_hooks(grads)
        inputs = tuple(Grad(2 * g.value) for g in grads)
        return self._run_backward_hooks(inputs, grads)


REGISTER = [
    "register_forward_pre_hook",
    "register_forward_hook",
    "register_backward_pre_hook",
    "register_backward_hook",
]


def test_no_hooks_cost_nothing() -> None:
    cell = Cell()
    assert not cell._hook_tables
    assert not vars(cell)
    assert cell(1, 2, scale=3) == 9
    assert cell.backward(Grad(1)) == (Grad(2),)


@pytest.mark.parametrize("name", REGISTER)
@pytest.mark.parametrize("fn", [3, None, "a"])
def test_not_callable(name: str, fn: Any) -> None:
    cell = Cell()
    with pytest.raises(TypeError, match=rf"When using '{name}\(hook_fn\)', the type of 'hook_fn' must be callable"):
        getattr(cell, name)(fn)
    assert not cell._hook_tables


@pytest.mark.parametrize("name", REGISTER[:2])
def test_with_kwargs_is_a_bool(name: str) -> None:
    with pytest.raises(TypeError, match=f"For '{name}', the 'with_kwargs' must be bool, but got int."):
        getattr(Cell(), name)(print, with_kwargs=1)


@pytest.mark.parametrize(
    ("result", "want"), [(None, 3), ((5, 6), 11), ((0, 0), 0)], ids=["unchanged", "replaced", "falsy values count"]
)
def test_forward_pre(result: Any, want: int) -> None:
    cell = Cell()
    seen: list[Any] = []
    cell.register_forward_pre_hook(lambda *given: seen.append(given) or result)
    assert cell(1, 2) == want
    assert seen == [(cell, (1, 2))]


def test_forward_pre_single_value_stands_alone() -> None:
    cell = Cell()
    cell.register_forward_pre_hook(lambda _cell, args: args[0] * 10)
    assert cell(1, scale=2) == 20


def named_pre(_cell: Hookable, _args: object) -> Any:
    return 1, 2, 3


def test_forward_pre_arity() -> None:
    cell = Cell()
    cell.register_forward_pre_hook(named_pre)
    with pytest.raises(TypeError) as caught:
        cell(1)
    assert str(caught.value) == (
        "The forward pre hook return value size is 3 not equal to input size 1, hook: 'named_pre'."
    )


def test_forward_pre_with_kwargs() -> None:
    cell = Cell()
    seen: list[Any] = []
    with cell.register_forward_pre_hook(lambda *given: seen.append(given), with_kwargs=True):
        assert cell(1, scale=2) == 2
    assert seen == [(cell, (1,), {"scale": 2})]
    cell.register_forward_pre_hook(
        lambda _cell, args, kwargs: ((args[0] + 1,), {**kwargs, "scale": 5}), with_kwargs=True
    )
    assert cell(1, scale=2) == 10


@pytest.mark.parametrize("result", [(1,), 1, ([1], {}), ((1,), None), ((1,), {}, 1), ((1,), [])])
def test_forward_pre_with_kwargs_wants_a_pair(result: Any) -> None:
    cell = Cell()
    cell.register_forward_pre_hook(lambda *_given: result, with_kwargs=True)
    with pytest.raises(TypeError, match=r"forward pre hook '.*<lambda>' with kwargs should return None or a tuple"):
        cell(1)


def test_forward_pre_with_kwargs_arity() -> None:
    cell = Cell()
    cell.register_forward_pre_hook(lambda *_given: ((1, 2), {}), with_kwargs=True)
    with pytest.raises(TypeError, match="return value size is 2 not equal to input size 1"):
        cell(1)


@pytest.mark.parametrize(("result", "want"), [(None, 3), (0, 0), ("text", "text"), ((1, 2), (1, 2))])
def test_forward_may_return_anything(result: Any, want: Any) -> None:
    cell = Cell()
    seen: list[Any] = []
    cell.register_forward_hook(lambda *given: seen.append(given) or result)
    assert cell(1, 2) == want
    assert seen == [(cell, (1, 2), 3)]


def test_forward_with_kwargs() -> None:
    cell = Cell()
    cell.register_forward_hook(lambda _cell, args, kwargs, out: (args, dict(kwargs), out), with_kwargs=True)
    assert cell(1, scale=2) == ((1,), {"scale": 2}, 2)


def test_hooks_run_in_order_each_on_the_result_of_the_one_before() -> None:
    cell = Cell()
    cell.register_forward_hook(lambda _cell, _args, out: out + 1)
    cell.register_forward_hook(lambda _cell, _args, _out: None)
    cell.register_forward_hook(lambda _cell, _args, out: out * 10)
    assert cell(1) == 20


@pytest.mark.parametrize(
    ("result", "want"), [(None, 2), (Grad(10), 20), ((Grad(10),), 20)], ids=["unchanged", "alone", "tuple"]
)
def test_backward_pre(result: Any, want: float) -> None:
    cell = Cell()
    seen: list[Any] = []
    cell.register_backward_pre_hook(lambda *given: seen.append(given) or result)
    assert cell.backward(Grad(1)) == (Grad(want),)
    assert seen == [(cell, (Grad(1),))]


@pytest.mark.parametrize(
    ("result", "want"), [(None, 2), (Grad(10), 10), ((Grad(10),), 10)], ids=["unchanged", "alone", "tuple"]
)
def test_backward(result: Any, want: float) -> None:
    cell = Cell()
    seen: list[Any] = []
    cell.register_backward_hook(lambda *given: seen.append(given) or result)
    assert cell.backward(Grad(1)) == (Grad(want),)
    assert seen == [(cell, (Grad(2),), (Grad(1),))]


@pytest.mark.parametrize(
    ("name", "kind", "of"),
    [
        ("register_backward_pre_hook", "backward pre", "expect output"),
        ("register_backward_hook", "backward", "expect grad input"),
    ],
)
def test_backward_contract(name: str, kind: str, of: str) -> None:
    cell = Cell()
    result: list[Any] = []

    def bad(*_given: object) -> Any:
        return result[-1]

    getattr(cell, name)(bad)
    for wrong in (3, "abc", [Grad(1)], (None,)):
        result.append(wrong)
        with pytest.raises(TypeError, match=rf"The output type of {kind} hook '.*bad' should be a tensor but got"):
            cell.backward(Grad(1))
    result.append((Grad(1), Grad(2)))
    with pytest.raises(TypeError, match=rf"The {kind} hook return value size is 2 not equal to {of} size 1, hook:"):
        cell.backward(Grad(1))


def test_none_may_stay_where_there_is_no_gradient() -> None:
    cell = Cell()
    cell.register_backward_hook(lambda _cell, grads, _out: (None, grads[1]))
    assert cell._run_backward_hooks((None, Grad(1)), (Grad(1),)) == (None, Grad(1))


def test_a_hook_that_raises_leaves_nothing_behind() -> None:
    cell = Cell()
    cell.register_forward_pre_hook(lambda _cell, args: (args[0] + 1,))

    def fails(_cell: object, _args: object) -> None:
        raise KeyError("boo")

    with cell.register_forward_pre_hook(fails), pytest.raises(KeyError, match="boo"):
        cell(1)
    assert cell(1) == 2


def test_removed_while_running() -> None:
    cell = Cell()
    second = None

    def first(_cell: object, _args: object, out: int) -> int:
        assert second is not None
        second.remove()
        return out + 1

    cell.register_forward_hook(first)
    second = cell.register_forward_hook(lambda _cell, _args, out: out * 100)
    cell.register_forward_hook(lambda _cell, _args, out: out + 10)
    assert cell(1) == cell(1) == 12


def test_has_hooks() -> None:
    cell = Cell()
    assert not cell._has_hooks("forward", "backward")
    handle = cell.register_backward_hook(print)
    assert cell._has_hooks("forward", "backward")
    assert not cell._has_hooks("forward", "forward_pre")
    handle.remove()
    assert not cell._has_hooks("forward", "backward")


def test_copies_and_pickles_have_no_hooks_of_their_own() -> None:
    cell = Cell()
    cell.register_forward_hook(lambda _cell, _args, out: out + 1)
    for twin in (Plain.like(cell, copy.deepcopy), Plain.like(cell, lambda c: pickle.loads(pickle.dumps(c)))):
        assert twin(1) == 1
        twin.register_forward_hook(lambda _cell, _args, _out: "twin")
    assert cell(1) == 2


class Plain(Cell):
    """A cell that can be rebuilt attribute by attribute."""

    __setattr__ = object.__setattr__

    @classmethod
    def like(cls, cell: Cell, copier: Any) -> Cell:
        plain = cls()
        plain.__dict__.update(vars(cell))
        twin: Cell = copier(plain)
        return twin


def test_tensor_hooks() -> None:
    table = HookTable()
    table.register(lambda _grad: None)
    table.register(lambda grad: Grad(grad.value * 3))
    table.register(lambda grad: Grad(grad.value + 1))
    assert run_tensor(table, Grad(2)) == Grad(7)


@pytest.mark.parametrize("result", [3, "a", (Grad(1),), [Grad(1)]])
def test_tensor_hook_returns_a_tensor(result: Any) -> None:
    table = HookTable()
    table.register(lambda _grad: result)
    with pytest.raises(RuntimeError, match="<lambda>' should return None or a Tensor, but got <class"):
        run_tensor(table, Grad(1))


@pytest.mark.parametrize("result", [Grad(1, shape=(1,)), Grad(1, dtype="float16")])
def test_tensor_hook_keeps_shape_and_dtype(result: Grad) -> None:
    table = HookTable()
    table.register(lambda _grad: result)
    with pytest.raises(RuntimeError, match=r"of shape \(2,\) and dtype float32, but got"):
        run_tensor(table, Grad(1))
