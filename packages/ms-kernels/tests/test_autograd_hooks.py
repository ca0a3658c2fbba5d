"""Hooks on gradients: of inputs, of tensors inside, of Parameters; and stop_gradient's forms."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

from ms_hooks import _TensorHookHandle
from ms_kernels import Parameter, Tensor, functional, grad, stop_gradient, value_and_grad

X = [1.0, 2.0]


def test_of_an_input() -> None:
    x = Tensor(X)
    seen: list[Any] = []
    handle = x.register_hook(lambda g: seen.append(g.tolist()))
    assert grad(lambda x: (x * x).sum())(x).tolist() == [2.0, 4.0]
    assert seen == [[2.0, 4.0]]
    handle.remove()
    grad(lambda x: (x * x).sum())(x)
    assert len(seen) == 1


def test_of_a_tensor_inside_it_sees_the_whole_sum_once() -> None:
    seen: list[Any] = []

    def tenfold(g: Any) -> Any:
        seen.append(g.tolist())
        return g * 10

    def f(x: Any) -> Any:
        y = x * 2
        y.register_hook(tenfold)
        return (y * y).sum() + y.sum()

    assert grad(f)(Tensor(X)).tolist() == [100.0, 180.0]
    assert seen == [[5.0, 9.0]]


def test_of_a_parameter_in_order_until_removed() -> None:
    w = Parameter(Tensor(X), name="w")
    first = w.register_hook(lambda g: g + 1)
    second = w.register_hook(lambda g: g * 10)
    by_weight = grad(lambda x: (x * w).sum(), None, [w])
    assert by_weight(Tensor([3.0, 4.0]))[0].tolist() == [40.0, 50.0]
    first.remove()
    assert by_weight(Tensor([3.0, 4.0]))[0].tolist() == [30.0, 40.0]
    second.remove()
    assert by_weight(Tensor([3.0, 4.0]))[0].tolist() == [3.0, 4.0]
    assert w.hooks() == []


def test_the_handle_is_weak_and_outlives_its_tensor() -> None:
    x = Tensor([3.0])
    handle = x.register_hook(lambda g: g * 2)
    assert type(handle) is _TensorHookHandle
    assert handle.tensor_ref() is x
    assert isinstance(handle.id, int)
    assert grad(lambda x: x * x)(x).tolist() == [12.0]
    handle.remove()
    handle.remove()
    assert grad(lambda x: x * x)(x).tolist() == [6.0]
    late = x.register_hook(lambda g: g)
    gone = weakref.ref(x)
    del x
    gc.collect()
    assert gone() is None and late.tensor_ref() is None
    late.remove()
    late.remove()


def test_a_hook_takes_one_argument() -> None:
    for wrong in (lambda: None, lambda a, b: a):
        with pytest.raises(TypeError, match=r"For 'register_hook', the hook '.*' must take 1 arguments"):
            Tensor(X).register_hook(wrong)


def test_a_removed_hook_of_a_tensor_inside_does_not_run() -> None:
    def f(x: Any) -> Any:
        y = x * 2
        y.register_hook(lambda g: g * 100).remove()
        return (y * y).sum()

    assert grad(f)(Tensor(X)).tolist() == [8.0, 16.0]


@pytest.mark.parametrize("where", ["input", "inside", "parameter"])
@pytest.mark.parametrize(
    ("wrong", "text"),
    [(lambda g: g.sum(), "shape"), (lambda g: g.half(), "dtype"), (lambda g: 3, "Tensor"), (lambda g: (g,), "Tensor")],
)
def test_a_wrong_result_is_a_runtime_error(where: str, wrong: Any, text: str) -> None:
    x, w = Tensor(X), Parameter(Tensor(X), name="w")

    def f(x: Any) -> Any:
        y = x * w
        if where == "inside":
            y.register_hook(wrong)
        return y * y

    if where != "inside":
        (x if where == "input" else w).register_hook(wrong)
    with pytest.raises(RuntimeError, match=text):
        value_and_grad(f, 0, [w])(x)


def test_what_a_hook_raises_comes_out_as_it_is() -> None:
    def bad(g: Any) -> Any:
        raise KeyError("mine")

    x = Tensor(X)
    with x.register_hook(bad), pytest.raises(KeyError, match="mine"):
        grad(lambda x: x * x)(x)
    assert grad(lambda x: x * x)(x).tolist() == [2.0, 4.0]
    with pytest.raises(TypeError, match="callable"):
        x.register_hook(3)


def test_stop_gradient_of_every_form() -> None:
    x = Tensor(X)
    assert stop_gradient(3) == 3 and stop_gradient("a") == "a" and stop_gradient(None) is None
    assert isinstance(stop_gradient([x]), tuple)
    found = grad(lambda x: x * stop_gradient((x * x, 5))[0] + stop_gradient([x])[0])(x)
    assert found.tolist() == [1.0, 4.0]


@pytest.mark.parametrize(
    ("hook", "wanted"),
    [(lambda g: None, [9.0, 16.0]), (lambda g: g[0] * 10, [90.0, 160.0]), (lambda g: (g[0] * 10,), [90.0, 160.0])],
)
def test_hook_backward(hook: Any, wanted: Any) -> None:
    show = functional.HookBackward(hook, "id")
    assert repr(show) == "Prim[HookBackward]<cell_id=id>"
    assert grad(lambda x, y: show(x * y) * y)(Tensor(X), Tensor([3.0, 4.0])).tolist() == wanted
    assert show(Tensor(X)).tolist() == X


def test_hook_backward_of_two_inputs() -> None:
    both = functional.HookBackward(lambda g: (g[0] * 10, g[1] * 100))

    def f(x: Any, y: Any) -> Any:
        a, b = both(x, y)
        return a * b

    by_x, by_y = grad(f, (0, 1))(Tensor(X), Tensor([3.0, 4.0]))
    assert (by_x.tolist(), by_y.tolist()) == ([30.0, 40.0], [100.0, 200.0])


@pytest.mark.parametrize(
    ("kind", "hook"),
    [(ValueError, lambda g: g[0].sum()), (TypeError, lambda g: 3), (TypeError, lambda g: (g[0], g[0]))],
)
def test_a_wrong_result_of_hook_backward(kind: Any, hook: Any) -> None:
    with pytest.raises(kind, match="HookBackward"):
        grad(functional.HookBackward(hook))(Tensor(X))


def test_insert_gradient_of() -> None:
    half, same = functional.InsertGradientOf(lambda g: g * 0.5), functional.InsertGradientOf(lambda g: None)
    assert grad(lambda x: half(x * 3) + same(x))(Tensor(X)).tolist() == [2.5, 2.5]
    not_callable: Any = 3
    for wrong in (
        lambda: half(3),
        lambda: functional.HookBackward(not_callable),
        lambda: functional.HookBackward(print)(3),
    ):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(TypeError, match="gradients"):
        grad(functional.InsertGradientOf(lambda g: 3))(Tensor(X))
