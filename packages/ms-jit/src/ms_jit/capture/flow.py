"""Control flow over tensors: both ways of a branch, and a loop's body, as graphs of their own."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ms_jit.capture.errors import Uncapturable
from ms_jit.capture.inner import Inner
from ms_jit.capture.snapshot import Contents
from ms_jit.capture.standins import Unbound, double
from ms_jit.capture.undo import Undo
from ms_jit.graph.flow import Cond, While
from ms_jit.trees import Leaf, form_of, rebuild
from ms_kernels import Tensor
from ms_kernels.core.checks import same_value
from ms_kernels.core.dispatch import current_mode_variable, ops_by_name, scope
from ms_kernels.core.tensor import TensorBase, alias, from_array

if TYPE_CHECKING:
    from ms_jit.capture.tracer import Tracer

__all__ = ["branch_over", "choose_over", "loop_over"]

State = tuple[Any, ...]
_NUMBERS = (bool, int)  # a float has more digits than a tensor made of it


@contextlib.contextmanager
def _unobserved() -> Iterator[None]:
    """Calls inside are done, and no tracer sees them."""
    mode = current_mode_variable.get()
    assert mode is not None and mode.inner is not None
    token = current_mode_variable.set(mode.inner)
    try:
        yield
    finally:
        current_mode_variable.reset(token)


@contextlib.contextmanager
def _under(inner: Inner) -> Iterator[None]:
    """Calls inside go to the inner tracer instead of the one around it."""
    with _unobserved(), scope(observer=inner):
        yield


def _check_mode(tracer: Tracer) -> None:
    mode = current_mode_variable.get()
    if tracer.dims.used:
        raise Uncapturable("control flow depends on a tensor where shapes may differ")
    if mode is not None and mode.recording:
        raise Uncapturable("control flow depends on a tensor where a gradient is recorded")


def _check_kept(held: Contents) -> None:
    """A list or dict that one way changes is not the one of the other way."""
    if not held():
        raise Uncapturable("a container is changed where control flow depends on a tensor")


class _Way:
    """One way of a branch: its graph, what it returned and the state that it left."""

    def __init__(self, tracer: Tracer, run: Callable[[], Any], get: Any, undo: Undo) -> None:
        self.inner = Inner(tracer, undo)
        with _under(self.inner):
            returned = run()
            self.found: list[Any] = []
            self.form = form_of((returned, get() if get is not None else ()), self.found)


def branch_over(tracer: Tracer, flag: Any, then: Any, other: Any, get: Any, put: Any, names: State) -> None:
    """Capture both ways of an ``if`` statement, and go the one that the flag chooses now."""
    choose_over(tracer, flag, then, other, get, put, names)


def choose_over(tracer: Tracer, flag: Any, then: Any, other: Any, get: Any, put: Any, names: State) -> Any:
    """Capture both ways of an ``if`` that returns a value, and go the one that the flag chooses now."""
    _check_mode(tracer)
    chosen = bool(alias(flag)._raw)
    start = get() if get is not None else ()
    undo, held = Undo(), Contents(tuple(start))
    try:
        away = _Way(tracer, other if chosen else then, get, undo)
    except Exception as error:
        raise Uncapturable(f"the way not taken of a branch raises {type(error).__name__}") from error
    finally:
        with _unobserved():
            undo.back()
        if put is not None:
            put(start)
    taken = _Way(tracer, then if chosen else other, get, tracer.undo)
    _check_kept(held)
    outs: list[TensorBase] = []
    made = _merged(taken, away, outs, names)
    ways = (taken, away) if chosen else (away, taken)
    step = Cond(ways[0].inner.graph, ways[1].inner.graph, len(ways[0].inner.imports))
    args = (tracer.value_of(flag), *ways[0].inner.imports, *ways[1].inner.imports)
    effect = any(node.effect for way in ways for node in way.inner.graph.nodes)
    tracer.add(step, args, tuple(outs), effect).shares = True
    returned, state = made
    if put is not None:
        put(state)
    return returned


def _merged(taken: _Way, away: _Way, outs: list[TensorBase], names: State) -> Any:
    """What is returned and left after the branch: where the ways differ, a result of the branch."""

    def join(one: Any, other: Any) -> Any:
        left, right = _leaf(one, taken), _leaf(other, away)
        if left is _NONE or right is _NONE:
            if type(one) is not type(other) or one[:2] != other[:2] or len(one[2]) != len(other[2]):
                raise Uncapturable("the two ways of a branch give results of different forms")
            return one[0], one[1], [join(a, b) for a, b in zip(one[2], other[2])]
        if left is right or (not isinstance(left, TensorBase) and same_value(left, right)):
            return Leaf(-1, left)
        if isinstance(left, Unbound) or isinstance(right, Unbound):
            return Leaf(-1, left if isinstance(left, Unbound) else right)
        first, second = _tensor(left), _tensor(right)
        number = _is_number(taken.inner, left)
        if number is not _is_number(away.inner, right):
            raise Uncapturable(f"the two ways of a branch give {_shown(left)} and {_shown(right)}")
        if first is None or second is None or first.shape != second.shape or first.dtype != second.dtype:
            raise Uncapturable(f"the two ways of a branch give {_shown(left)} and {_shown(right)}")
        taken.inner.graph.outputs.append(taken.inner.value_of(first))
        away.inner.graph.outputs.append(away.inner.value_of(second))
        outs.append(double(first))
        if number:
            taken.inner.numbers.add(outs[-1])
        return Leaf(-1, outs[-1])

    return rebuild(join(taken.form, away.form), ())


_NONE = object()


def _leaf(form: Any, way: _Way) -> Any:
    if type(form) is not Leaf:
        return _NONE
    return form.value if form.index < 0 else way.found[form.index]


def _shown(value: Any) -> str:
    if isinstance(value, TensorBase):
        return f"a Tensor of shape {list(value.shape)} and dtype {value.dtype}"
    return f"{value!r}"


def _is_number(tracer: Tracer, value: Any) -> bool:
    """Whether a value is a number to Python, be it a tensor in the graph."""
    return tracer.numbers.holds(value) if isinstance(value, TensorBase) else True


def _tensor(value: Any) -> Any:
    """A tensor, or a number as one; None for other things."""
    if isinstance(value, TensorBase):
        return value
    return Tensor(value) if type(value) in _NUMBERS else None


def loop_over(tracer: Tracer, test: Any, body: Any, get: Any, put: Any, names: State) -> None:
    """Capture a ``while`` from its present state on, and run it to its end."""
    _check_mode(tracer)
    start = list(get()) if get is not None else []
    undo, held = Undo(), Contents(tuple(start))
    try:
        step, varying = _body(tracer, undo, start, get, put, body, names)
        asks = Inner(tracer, undo)
        flag = _round(asks, start, varying, put, test)
        asks.graph.outputs.append(asks.value_of(_as_flag(asks, flag)))
    except Exception as error:
        raise Uncapturable(f"a loop over a tensor raises {type(error).__name__}") from error
    finally:
        with _unobserved():
            undo.back()
    _check_kept(held)
    undo.join(tracer.undo)
    run = While(asks.graph, step.graph, len(varying), len(asks.imports))
    given = [start[i] for i in varying]
    args = (*(tracer.value_of(item) for item in given), *asks.imports, *step.imports)
    with _unobserved():
        results = run(*given, *asks.tensors, *step.tensors)
    outs = [double(item) for item in results]
    effect = any(node.effect for graph in (asks.graph, step.graph) for node in graph.nodes)
    tracer.add(run, args, tuple(outs), effect).shares = True
    for i, out in zip(varying, outs):
        if tracer.numbers.holds(start[i]):
            tracer.numbers.add(out)
        start[i] = out
    if put is not None:
        put(tuple(start))


def _body(
    tracer: Tracer, undo: Undo, start: list[Any], get: Any, put: Any, body: Any, names: State
) -> tuple[Inner, list[int]]:
    """Capture a round; returns it and which parts of the state it changes, which are tensors in `start` afterwards.

    What changes becomes an input, which may make more of the state change: so until no more does.
    """
    varying: list[int] = []
    while True:
        step = Inner(tracer, undo)
        _round(step, start, varying, put, body)
        after = get() if get is not None else ()
        with _unobserved():
            undo.back()
        more = [i for i in range(len(start)) if i not in varying and _changed(start[i], after[i])]
        if not more:
            break
        for i in more:
            if _tensor(start[i]) is None:
                raise Uncapturable(f"a loop over a tensor changes '{names[i]}', which is no tensor and no number")
            number, start[i] = _is_number(tracer, start[i]), _tensor(start[i])
            if number:
                tracer.numbers.add(start[i])
        varying = sorted(varying + more)
    for i in varying:
        new = _tensor(after[i])
        if new is None or new.shape != start[i].shape or new.dtype != start[i].dtype:
            what = f"'{names[i]}' is {_shown(start[i])} before a round of a loop, and then {_shown(after[i])}"
            raise Uncapturable(what)
        if _is_number(step, after[i]) is not tracer.numbers.holds(start[i]):
            raise Uncapturable(f"'{names[i]}' is a number before a round of a loop or after it, and else a tensor")
        step.graph.outputs.append(step.value_of(new))
    return step, varying


def _changed(old: Any, new: Any) -> bool:
    """Whether a round changed a part of the state; one that it sets anew each time does not count."""
    if old is new or isinstance(old, Unbound):
        return False
    return isinstance(old, TensorBase) or not same_value(old, new)


def _round(inner: Inner, start: list[Any], kinds: list[int], put: Any, run: Callable[[], Any]) -> Any:
    """Run a part of a round on inputs of its own."""
    state = list(start)
    for i in kinds:
        state[i] = double(start[i])
        inner.input(state[i])
        if inner.numbers.holds(start[i]):
            inner.numbers.add(state[i])
    if put is not None:
        put(tuple(state))
    with _under(inner):
        return run()


def _as_flag(inner: Inner, value: Any) -> Any:
    if isinstance(value, TensorBase):
        if value.size != 1:
            raise Uncapturable("the test of a loop gives more than one element")
        if value.dtype.kind == "b" and value.ndim == 0:
            return value
        with _under(inner):
            return ops_by_name["reshape"](ops_by_name["not_equal"](value, 0), ())
    return from_array(np.array(bool(value)))
