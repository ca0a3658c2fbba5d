"""Tables keep the order of registration and may change during a run."""

from __future__ import annotations

import copy
import functools
import pickle
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ms_hooks import Hook, HookHandle, HookTable, check_hook


class Callee:
    def __call__(self) -> str:
        return "object"

    def method(self) -> str:
        return "method"


def function() -> str:
    return "function"


CALLABLES: list[tuple[Callable[[], str], str]] = [
    (function, "function"),
    (lambda: "lambda", "<lambda>"),
    (Callee(), "Callee"),
    (Callee().method, "Callee.method"),
    (functools.partial(function), "function"),
    (functools.partial(functools.partial(Callee())), "Callee"),
]


@pytest.mark.parametrize(("fn", "name"), CALLABLES)
def test_anything_callable_is_a_hook_and_has_a_name(fn: Callable[[], str], name: str) -> None:
    check_hook("register_hook", fn)
    table = HookTable()
    table.register(fn)
    (hook,) = table.running()
    assert isinstance(hook.fn(), str)
    assert hook.name == name


@pytest.mark.parametrize("fn", [3, None, "print", [print]])
def test_other_things_are_not(fn: object) -> None:
    with pytest.raises(TypeError) as caught:
        check_hook("register_forward_hook", fn)
    assert str(caught.value) == (
        f"When using 'register_forward_hook(hook_fn)', the type of 'hook_fn' must be callable, but got {type(fn)}."
    )


@pytest.mark.parametrize(
    ("fn", "count", "fits"),
    [
        (lambda a: a, 1, True),
        (lambda a, b: a, 1, False),
        (lambda: None, 1, False),
        (lambda *args: args, 3, True),
        (lambda a, b=1: a, 1, True),
        (lambda a, *, b: a, 1, False),
        (functools.partial(lambda a, b: a, 1), 1, True),
        (functools.partial(lambda a, b: a, 1), 2, False),
        (Callee().method, 0, True),
        (Callee(), 1, False),
        (dict.fromkeys, 2, True),  # without a signature that could be asked, or with a fitting one
    ],
)
def test_a_hook_must_take_its_arguments(fn: Callable[..., object], count: int, fits: bool) -> None:
    if fits:
        check_hook("register_hook", fn, count)
        return
    with pytest.raises(TypeError, match=f"For 'register_hook', the hook '.*' must take {count} arguments"):
        check_hook("register_hook", fn, count)


def run(table: HookTable) -> list[object]:
    return [hook.fn() for hook in table.running()]


@given(st.lists(st.booleans(), max_size=12))
def test_order_is_that_of_registration(keep: list[bool]) -> None:
    table = HookTable()
    handles = [table.register(lambda i=i: i) for i in range(len(keep))]
    for handle, stays in zip(handles, keep, strict=True):
        if not stays:
            handle.remove()
    table.register(lambda: "last")
    assert run(table) == [i for i, stays in enumerate(keep) if stays] + ["last"]


def test_removed_during_a_run_before_its_turn() -> None:
    table = HookTable()
    handles: list[HookHandle] = []
    handles.append(table.register(lambda: handles[1].remove() or "a"))
    handles.append(table.register(lambda: "b"))
    handles.append(table.register(lambda: "c"))
    assert run(table) == run(table) == ["a", "c"]


def test_hook_that_removes_itself_runs_once() -> None:
    table = HookTable()
    handles: list[HookHandle] = []
    handles.append(table.register(lambda: handles[0].remove() or "once"))
    table.register(lambda: "always")
    assert run(table) == ["once", "always"]
    assert run(table) == ["always"]


def test_hook_added_during_a_run_starts_with_the_next() -> None:
    table = HookTable()
    first = table.register(lambda: table.register(lambda: "new") and "first")
    assert run(table) == ["first"]
    first.remove()
    assert run(table) == ["new"]


def test_copies_and_pickles_are_empty() -> None:
    table = HookTable()
    table.register(print)
    for twin in (copy.copy(table), copy.deepcopy(table), pickle.loads(pickle.dumps(table))):
        assert type(twin) is HookTable
        assert twin == {}
    assert list(table.values()) == [Hook(print)]
