"""Observers: what they see, in which order, and that they leave nothing behind."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ms_kernels import Tensor, functional, grad
from ms_kernels.core.dispatch import Op, dispatch, effect, process_target, replace, scope
from ms_kernels.core.tensor import TensorBase


class Notes:
    """An observer that does everything the usual way and writes down what it saw."""

    def __init__(self, whole: bool = False, watches: bool = True) -> None:
        self.whole, self.watches, self.seen = whole, watches, list[str]()

    def call(self, op: Op, args: tuple[Any, ...]) -> Any:
        self.seen.append(op.name)
        return dispatch(op, args)

    def store(self, tensor: TensorBase, out: TensorBase) -> None:
        self.seen.append("store")
        replace(tensor, out)

    def told(self, tensor: TensorBase, what: str) -> Any:
        self.seen.append(what)
        return None

    def effect(self, fn: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        self.seen.append("effect")
        return fn(*args)


def test_every_call_goes_through_the_observer_fast_or_not() -> None:
    x, notes = Tensor([1.0, 2.0]), Notes(watches=False)
    with scope(observer=notes):
        y = functional.sum(x + x, 0)
        x.add_(1)
    x + x
    assert notes.seen == ["add", "sum", "add", "store"]
    assert y.item() == 6 and x.asnumpy().tolist() == [2, 3]


def test_composites_come_whole_or_as_what_they_are_made_of() -> None:
    x = Tensor(np.ones((2, 2), np.float32))
    seen = []
    for whole in (False, True):
        notes = Notes(whole, watches=False)
        with scope(observer=notes):
            functional.norm(x)
        seen.append(notes.seen)
    parts, wholes = seen
    assert wholes[0] not in parts and len(wholes) == 1 and parts


def test_reads_and_changes_outside_of_ops_are_told() -> None:
    x, notes = Tensor([1.0, 2.0]), Notes()
    with scope(observer=notes):
        x.asnumpy()
        assert bool(x[0])
        assert x.shape == (2,) and x.size == 2
        assert memoryview(x).nbytes == 8  # type: ignore[arg-type]
        x._set(np.ones(2, np.float32))
    told = list(notes.seen)
    assert {"read", "shape", "size", "set"} <= set(told)
    x.asnumpy()
    assert notes.seen == told


def test_an_answer_to_shape_counts() -> None:
    class Eights(Notes):
        def told(self, tensor: TensorBase, what: str) -> Any:
            return (8,) if what == "shape" else None

    x = Tensor([1.0, 2.0])
    with scope(observer=Eights()):
        assert x.shape == (8,) and x.ndim == 1
    assert x.shape == (2,)


def test_observers_nest_and_the_inner_one_works_in_the_mode_of_the_outer() -> None:
    outer, inner = Notes(watches=False), Notes(watches=False)
    with scope(observer=outer), scope(observer=inner):
        Tensor(1.0) * Tensor(2.0)
    assert outer.seen == inner.seen == ["mul"]


def test_recording_goes_on_under_an_observer() -> None:
    notes = Notes(watches=False)

    def square(x: Tensor) -> Any:
        return x * x

    with scope(observer=notes):
        found = grad(square)(Tensor(3.0))
    assert found.item() == 6
    assert notes.seen[0] == "mul" and len(notes.seen) > 1  # forward, then what the gradient rule calls


def test_an_error_leaves_no_observer_behind() -> None:
    class Broken(Notes):
        def call(self, op: Op, args: tuple[Any, ...]) -> Any:
            raise LookupError(op.name)

    with pytest.raises(LookupError, match="add"), scope(observer=Broken()):
        Tensor(1.0) + Tensor(1.0)
    assert (Tensor(1.0) + Tensor(1.0)).item() == 2


def test_the_process_wide_observer_sees_all_threads_but_not_itself() -> None:
    class Deep(Notes):
        def call(self, op: Op, args: tuple[Any, ...]) -> Any:
            Tensor(1.0) - Tensor(1.0)  # not seen: its own work
            return super().call(op, args)

    notes = Deep(watches=False)
    process_target.observer = notes
    try:
        thread = threading.Thread(target=lambda: Tensor(1.0) + Tensor(1.0))
        thread.start()
        thread.join()
        Tensor(1.0) * Tensor(1.0)
    finally:
        process_target.observer = None
    Tensor(1.0) / Tensor(1.0)
    assert notes.seen == ["add", "mul"]


def test_effects_are_handed_over() -> None:
    notes, done = Notes(), []
    with scope(observer=notes):
        effect(done.append, 1)
    effect(done.append, 2)
    assert done == [1, 2] and notes.seen == ["effect"]
