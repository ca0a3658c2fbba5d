"""Hooks on cells, custom gradients and recomputation."""

from __future__ import annotations

import copy
import functools
import pickle
from typing import Any

import numpy as np
import pytest

import ms_nn as nn
from ms_kernels import Parameter, Tensor, grad, value_and_grad


def t(*values: float) -> Tensor:
    return Tensor(np.array(values, np.float32))


def same(found: Any, *values: float) -> None:
    np.testing.assert_array_equal(found.asnumpy(), np.array(values, np.float32))


class Doubling(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.r = nn.ReLU()

    def construct(self, x: Any, y: Any = None, *, k: int = 1) -> Any:
        out = self.r(x * 2 * k)
        return out if y is None else (out, y)


# -- forward ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("returned", "expected"), [(None, (2, 4)), (t(5, 5), (10, 10)), ((t(5, 5),), (10, 10))])
def test_forward_pre_hook(returned: Any, expected: tuple[float, ...]) -> None:
    cell, seen = Doubling(), []

    def hook(owner: Any, args: Any) -> Any:
        seen.append((owner, len(args)))
        return returned

    cell.register_forward_pre_hook(hook)
    same(cell(t(1, 2)), *expected)
    assert seen == [(cell, 1)]


def test_forward_pre_hook_returns_too_many() -> None:
    cell = Doubling()
    cell.register_forward_pre_hook(lambda _cell, args: (args[0], args[0]))
    with pytest.raises(TypeError, match="return value size is 2 not equal to input size 1"):
        cell(t(1.0))


def test_forward_pre_hook_with_kwargs() -> None:
    cell = Doubling()
    cell.register_forward_pre_hook(lambda _cell, args, kwargs: (args, {**kwargs, "k": 10}), with_kwargs=True)
    same(cell(t(1, 2), k=3), 20, 40)


def test_forward_hook() -> None:
    cell, seen = Doubling(), []
    handle = cell.register_forward_hook(lambda _cell, args, out: seen.append((len(args), type(out).__name__)))
    same(cell(t(1, 2)), 2, 4)
    cell(t(1, 2), t(3.0))
    assert seen == [(1, "Tensor"), (2, "tuple")]
    handle.remove()
    handle.remove()
    cell.register_forward_hook(lambda _cell, _args, out: out + 1)
    cell.register_forward_hook(lambda _cell, _args, _kwargs, out: out * 10, with_kwargs=True)
    same(cell(t(1, 2)), 30, 50)
    assert len(seen) == 2


def test_order_and_removal() -> None:
    cell, seen = Doubling(), []
    handles = [
        cell.register_forward_pre_hook(functools.partial(lambda number, _cell, _args: seen.append(number), number))
        for number in range(3)
    ]
    cell.register_forward_hook(lambda _cell, _args, _out: seen.append("f"))
    cell.register_backward_hook(lambda _cell, _gi, _go: seen.append("b"))
    cell.register_backward_pre_hook(lambda _cell, _go: seen.append("bp"))
    handles[1].remove()
    grad(lambda x: cell(x).sum())(t(1, 2))
    assert seen == [0, 2, "f", "bp", "b"]


def test_a_hook_that_raises_leaves_nothing_behind() -> None:
    cell = Doubling()
    handle = cell.register_forward_hook(lambda _cell, _args, _out: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        grad(lambda x: cell(x).sum())(t(1, 2))
    handle.remove()
    same(grad(lambda x: cell(x).sum())(t(1, 2)), 2, 2)


@pytest.mark.parametrize("register", ["forward_pre", "forward", "backward_pre", "backward"])
def test_not_callable(register: str) -> None:
    with pytest.raises(TypeError, match="the type of 'hook_fn' must be"):
        getattr(Doubling(), f"register_{register}_hook")(3)


# -- backward ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("returned", "expected"), [(None, (2, 2)), (t(7, 7), (7, 7)), ((t(7, 7),), (7, 7))])
def test_backward_hook(returned: Any, expected: tuple[float, ...]) -> None:
    cell, seen = Doubling(), []

    def hook(owner: Any, grad_input: Any, grad_output: Any) -> Any:
        seen.append((owner, [g.asnumpy().tolist() for g in grad_input], [g.asnumpy().tolist() for g in grad_output]))
        return returned

    cell.register_backward_hook(hook)
    same(grad(lambda x: cell(x).sum())(t(1, 2)), *expected)
    assert seen == [(cell, [[2.0, 2.0]], [[1.0, 1.0]])]


def test_backward_hook_with_many_inputs() -> None:
    cell, seen = Doubling(), []
    cell.register_backward_hook(lambda _cell, gi, go: seen.append((len(gi), [g.asnumpy().tolist() for g in go])))

    def loss(x: Any, y: Any) -> Any:
        first, second = cell(x, y)
        return first.sum() + second.sum() * 3

    by_x, by_y = grad(loss, (0, 1))(t(1, 2), t(3, 4))
    same(by_x, 2, 2)
    same(by_y, 3, 3)
    assert seen == [(2, [[1.0, 1.0], [3.0, 3.0]])]
    cell.register_backward_hook(lambda _cell, _gi, _go: (t(1, 1), t(2, 2)))
    by_x, by_y = grad(loss, (0, 1))(t(1, 2), t(3, 4))
    same(by_x, 1, 1)
    same(by_y, 2, 2)


@pytest.mark.parametrize(("returned", "expected"), [(None, (2, 2)), (t(7, 7), (14, 14)), ((t(7, 7),), (14, 14))])
def test_backward_pre_hook(returned: Any, expected: tuple[float, ...]) -> None:
    cell = Doubling()
    cell.register_backward_pre_hook(lambda _cell, _go: returned)
    same(grad(lambda x: cell(x).sum())(t(1, 2)), *expected)


@pytest.mark.parametrize(
    ("returned", "kind"), [(3, TypeError), ((t(7, 7), t(1, 1)), TypeError), ((t(7, 7, 7),), ValueError)]
)
@pytest.mark.parametrize("register", ["backward", "backward_pre"])
def test_backward_hooks_return_something_wrong(register: str, returned: Any, kind: type[Exception]) -> None:
    cell = Doubling()
    getattr(cell, f"register_{register}_hook")(lambda *_args: returned)
    with pytest.raises(kind):
        grad(lambda x: cell(x).sum())(t(1, 2))


def test_backward_hook_of_the_first_layer() -> None:
    """The input has no gradient there: the hook gets None in its place."""
    net, seen = nn.SequentialCell(nn.Dense(2, 2), nn.Dense(2, 1)), []
    net[0].register_backward_hook(lambda _cell, gi, go: seen.append((gi, go[0].shape)))
    x = Tensor(np.ones((1, 2), np.float32))
    value_and_grad(lambda: net(x).sum(), None, net.trainable_params())()
    assert seen == [((None,), (1, 2))]


def test_backward_hooks_do_not_run_without_a_gradient() -> None:
    cell, seen = Doubling(), []
    cell.register_backward_hook(lambda _cell, _gi, _go: seen.append(1))
    same(cell(t(1, 2)), 2, 4)
    assert seen == []


def times_hundred(_cell: Any, _args: Any, out: Any) -> Any:
    return out * 100


def test_copies_have_no_hooks() -> None:
    cell = Doubling()
    cell.register_forward_hook(times_hundred)
    same(cell(t(1.0)), 200)
    for twin in (copy.deepcopy(cell.r), copy.deepcopy(cell), copy.copy(cell), pickle.loads(pickle.dumps(cell))):
        assert not twin._hook_tables
    same(copy.deepcopy(cell)(t(1.0)), 2)


# -- custom gradients -------------------------------------------------------------------------------------------------


class Product(nn.Cell):
    def construct(self, x: Any, y: Any) -> Any:
        return x * y

    def bprop(self, x: Any, y: Any, out: Any, dout: Any) -> Any:
        return dout * 10, dout * 20


def test_bprop() -> None:
    by_x, by_y = grad(Product(), (0, 1))(t(1.0), t(2.0))
    same(by_x, 10)
    same(by_y, 20)
    same(Product()(t(3.0), t(2.0)), 6)


def test_bprop_of_one_input_may_return_a_tensor() -> None:
    class One(nn.Cell):
        def construct(self, x: Any) -> Any:
            return x * 2

        def bprop(self, x: Any, out: Any, dout: Any) -> Any:
            return dout * 10 + out + x

    same(grad(One())(t(1.0)), 13)


def test_bprop_returns_too_few() -> None:
    class Few(Product):
        def bprop(self, x: Any, y: Any, out: Any, dout: Any) -> Any:
            return (dout * 10,)

    with pytest.raises(RuntimeError, match="must return a gradient for each of the 2 inputs"):
        grad(Few(), (0, 1))(t(1.0), t(2.0))


def test_bprop_with_weights() -> None:
    class Weighted(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.w = Parameter(t(3.0))

        def construct(self, x: Any) -> Any:
            return x * self.w

        def bprop(self, x: Any, out: Any, dout: Any) -> Any:
            return (dout * 10,), {self.w: dout * x * 7}

    cell = Weighted()
    by_x, (by_w,) = grad(cell, 0, cell.trainable_params())(t(2.0))
    same(by_x, 10)
    same(by_w, 14)


# -- recomputation ----------------------------------------------------------------------------------------------------


def test_recompute_gives_the_same_gradients() -> None:
    plain = nn.SequentialCell(nn.Dense(3, 4), nn.Tanh(), nn.Dense(4, 2))
    again = copy.deepcopy(plain)
    again[1].recompute()
    again.recompute()
    x = Tensor(np.random.RandomState(0).standard_normal((5, 3)).astype(np.float32))
    for net in (plain, again):
        net.value = value_and_grad(lambda v, net=net: (net(v) ** 2).sum(), 0, net.trainable_params())(x)
    np.testing.assert_array_equal(plain.value[0].asnumpy(), again.value[0].asnumpy())
    for left, right in zip(plain.value[1][1], again.value[1][1], strict=True):
        np.testing.assert_allclose(left.asnumpy(), right.asnumpy(), rtol=1e-6)
    np.testing.assert_allclose(plain.value[1][0].asnumpy(), again.value[1][0].asnumpy(), rtol=1e-6)


def test_recompute_runs_twice() -> None:
    calls: list[int] = []

    class Counted(nn.Cell):
        def construct(self, x: Any) -> Any:
            calls.append(1)
            return x * x

    cell = Counted()
    cell.recompute()
    same(grad(lambda x: cell(x).sum())(t(3.0)), 6)
    assert len(calls) == 2
    cell(t(3.0))
    assert len(calls) == 3


def test_recompute_draws_the_same_numbers() -> None:
    drop = nn.Dropout(p=0.5).set_train()
    drop.recompute()
    x = Tensor(np.ones(64, np.float32))
    value, gradient = value_and_grad(lambda v: drop(v))(x)
    np.testing.assert_array_equal(value.asnumpy(), gradient.asnumpy())
