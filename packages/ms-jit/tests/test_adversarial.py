"""Programs made to break a capture: whatever happens outside, a compiled function gives what the function gives."""

from __future__ import annotations

import functools
import threading
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ms_jit.api import jit
from ms_kernels import Parameter, Tensor, grad, vmap

Wrap = Callable[[Any], Any]
MODES: dict[str, dict[str, Any]] = {
    "ast": {},
    "ast-O1": {"jit_level": "O1"},
    "bytecode": {"capture_mode": "bytecode"},
    "dynamic": {"dynamic": 1},
}
SCENARIOS: dict[str, Callable[[Wrap], list[Any]]] = {}


def scenario(fn: Callable[[Wrap], list[Any]]) -> Callable[[Wrap], list[Any]]:
    SCENARIOS[fn.__name__] = fn
    return fn


def tensor(*values: float) -> Tensor:
    return Tensor(np.array(values, np.float32))


def seen(value: Any) -> Any:
    """A value so that equal ones compare equal: bits, shape and dtype of a tensor, types of all else."""
    if isinstance(value, Tensor):
        return "Tensor", str(value.dtype), tuple(value.shape), value.asnumpy().tobytes()
    if isinstance(value, dict):
        return "dict", [(key, seen(item)) for key, item in value.items()]
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [seen(item) for item in value]
    return type(value).__name__, repr(value)


def told(fn: Any, *args: Any, **kwargs: Any) -> Any:
    try:
        return seen(fn(*args, **kwargs))
    except Exception as error:
        return type(error).__name__, str(error)


def _changing(change: Callable[[], None], *fns: Any) -> list[Any]:
    """What functions give before and after something outside has changed."""
    before = [told(fn, tensor(1.0, 2.0)) for fn in fns for _ in range(2)]
    change()
    return before + [told(fn, tensor(1.0, 2.0)) for fn in fns for _ in range(2)]


@scenario
def nested_containers(wrap: Wrap) -> list[Any]:
    held: Any = {"a": [1.0, {"b": (2.0, [3.0])}]}
    pair = ([1.0], [2.0])
    array = np.array([1.0, 2.0], np.float32)

    def change() -> None:
        held["a"][1]["b"][1][0] = 8.0
        pair[1][0] = 7.0
        array[1] = 9.0

    fns = (lambda x: x * held["a"][1]["b"][1][0], lambda x: x + pair[1][0], lambda x: x * Tensor(array))
    return _changing(change, *map(wrap, fns))


@scenario
def functions_that_are_not_rewritten(wrap: Wrap) -> list[Any]:
    factor, count = [2.0], 0
    scale = types.SimpleNamespace(by=3.0)

    def generate(x: Any) -> Any:
        for i in range(3):
            yield x * factor[0] * i

    def counting(x: Any) -> Any:
        nonlocal count
        count += 1
        return x + count

    def change() -> None:
        factor[0], scale.by = 5.0, 6.0

    fns = (
        counting,
        lambda x: sum(generate(x)),
        lambda x: sum(x * factor[0] * i for i in range(3)),
        lambda x: x * sorted([3, 1, 2], key=lambda v: v * (4 - factor[0]))[0],
        lambda x: functools.reduce(lambda a, b: a + b * scale.by, [x, x]),
        lambda x: x * getattr(scale, "by") + hasattr(scale, "other"),  # noqa: B009
        lambda x: x * vars(scale)["by"],
    )
    return [*_changing(change, *map(wrap, fns)), count]


@scenario
def classes_and_functions_are_exchanged(wrap: Wrap) -> list[Any]:
    class Model:
        k = 2.0

        @property
        def triple(self) -> float:
            return self.k * 3

        def scaled(self, x: Any, more: Any = (1.0,)) -> Any:
            return x * self.k + more[0]

        def __len__(self) -> int:
            return int(self.k)

        def __call__(self, x: Any) -> Any:
            return x - self.k

    model = Model()

    def helper(x: Any, by: Any = [2.0]) -> Any:  # noqa: B006
        return x * by[0]

    def change() -> None:
        Model.k = 5.0
        helper.__defaults__[0][0] = 7.0  # type: ignore[index]

    fns = (
        lambda x: x * Model.k,
        lambda x: x * model.triple,
        lambda x: model.scaled(x),
        lambda x: x * len(model),
        lambda x: model(x),
        lambda x: helper(x),
        helper,
    )
    jitted = [wrap(fn) for fn in fns]
    out = _changing(change, *jitted)

    def swap() -> None:
        nonlocal helper
        Model.scaled = lambda self, x: x * 100  # type: ignore[method-assign, assignment]
        helper = lambda x: x - 100  # type: ignore[assignment]  # noqa: E731

    return out + _changing(swap, *jitted)


@scenario
def containers_are_changed(wrap: Wrap) -> list[Any]:
    kept: dict[str, int] = {"n": 0}

    def counts(x: Any) -> Any:
        kept["n"] += 1
        return x * kept["n"]

    def fills(items: Any, x: Any) -> Any:
        items.append(x)
        items[0] = x * 2
        return x

    def branches(x: Any) -> Any:
        items = [x]
        if x.sum() < 10:
            items[0] = x + 1
        return items[0]

    def grows(x: Any) -> Any:
        items = []
        while x.sum() < 10:
            x = x + 1
            items.append(x)
        return items

    out: list[Any] = []
    counts, fills, branches, grows = map(wrap, (counts, fills, branches, grows))
    for value in (1.0, 20.0, 2.0):
        given = [tensor(1.0)]
        out += [told(counts, tensor(value)), told(fills, given, tensor(value)), seen(given)]
        out += [told(branches, tensor(value)), told(grows, tensor(value))]
    own = [tensor(1.0)]
    return [*out, dict(kept), wrap(lambda items: items)(own) is own]


@scenario
def the_end_of_a_capture_is_swallowed(wrap: Wrap) -> list[Any]:
    class Quiet:
        def __enter__(self) -> Any:
            return self

        def __exit__(self, *error: Any) -> bool:
            return True

    def bare(x: Any) -> Any:
        try:
            return x * float(x.sum())
        except:  # noqa: E722
            return x * 100

    def within(x: Any) -> Any:
        y = x
        with Quiet():
            y = x * float(x.sum())
            y = x * 3
        return y + 0

    def last(x: Any) -> Any:
        try:
            y = x * float(x.sum())
        finally:
            if len(x.shape) > 1:
                raise ValueError("deep")
        return y

    return [told(fn, tensor(value)) for fn in map(wrap, (bare, within, last)) for value in (1.0, 5.0)]


@scenario
def numbers_depend_on_a_tensor(wrap: Wrap) -> list[Any]:
    def number(x: Any) -> Any:
        n = 0
        if x.sum() > 0:
            n = 1
        return n, not x.sum() > 0, (3 if x.sum() > 1 else 4)

    def promotes(x: Any) -> Any:
        m, f = 2, 0.5
        if x.sum() > 0:
            m, f = 3, 2.5
        return x * m, x / m, x * f

    def loops(x: Any) -> Any:
        i, s = 0, 0.0
        while x.sum() < 10:
            x, i, s = x + 1, i + 1, s + 0.1
        return x, i, x * s

    def breaks(x: Any) -> Any:
        for i in range(5):
            x = x + i
            if x.sum() > 6:
                break
        return x * i, i

    def chooses(x: Any) -> Any:
        return (x and x * 2), (x or 5), (None or x)

    fns = [wrap(fn) for fn in (number, promotes, loops, breaks, chooses)]
    kinds = (np.int8, np.float16, np.float32, np.float64)
    return [told(fn, Tensor(np.array([n], kind))) for fn in fns for kind in kinds for n in (1, 0, 20)]


@scenario
def changes_in_place_inside_of_control_flow(wrap: Wrap) -> list[Any]:
    weight = Parameter(tensor(0.0))

    def branches(x: Any) -> Any:
        if x.sum() < 10:
            x.add_(1.0)
            weight.add_(2.0)
        else:
            weight.mul_(3.0)
        return x * weight

    def loops(x: Any) -> Any:
        y = x[0]
        while x.sum() < 10:
            x.add_(1.0)
            weight.add_(2.0)
        return x * weight + y

    out: list[Any] = []
    for fn in map(wrap, (branches, loops)):
        for value in (1.0, 20.0, 1.0):
            given = tensor(value)
            out += [told(fn, given), seen(given), seen(weight)]
    return out


@scenario
def transforms_of_what_changes(wrap: Wrap) -> list[Any]:
    box = types.SimpleNamespace(k=2.0)
    held = [2.0]

    def f(x: Any) -> Any:
        return (x * box.k).sum() * held[0]

    def change() -> None:
        box.k, held[0] = 5.0, 3.0

    fns = (grad(f), lambda x: grad(f)(x), vmap(f), lambda x: vmap(f)(x), vmap(wrap(lambda x: x * held[0])))
    return _changing(change, *map(wrap, fns))


@scenario
def shapes_in_arithmetic(wrap: Wrap) -> list[Any]:
    def f(x: Any) -> Any:
        n = x.shape[0]
        return x * n**0.5, x * (n * 0.5), x / max(n, 1), divmod(n, 2), 2**n, -n, 7 - n, 1.5 + n, n / 2, x[: n // 2]

    f = wrap(f)
    return [told(f, Tensor(np.arange(n * 2, dtype=np.float32).reshape(n, 2))) for n in (4, 5, 6, 7, 0, 1, 2, 9)]


@scenario
def many_threads(wrap: Wrap) -> list[Any]:
    def f(x: Any) -> Any:
        return x * 2 + x.shape[0] if x.sum() > 5 else x - 1

    f, found = wrap(f), {}

    def work(i: int) -> None:
        for k in range(10):
            found[i, k] = told(f, Tensor(np.full(((i + k) % 4 + 1,), k % 4, np.float32)))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(found.items())


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario(name: str, mode: str) -> None:
    def wrap(fn: Any) -> Any:
        return jit(fn, **MODES[mode])

    assert SCENARIOS[name](wrap) == SCENARIOS[name](lambda fn: fn)
