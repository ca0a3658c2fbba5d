"""recompute: the same values, gradients and random numbers as a plain call, without its memory."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

from ms_kernels import Parameter, Tensor, functional, grad, recompute, value_and_grad
from ms_kernels.core.dispatch import is_recording
from ms_kernels.random.stream import default_stream

X = Tensor([1.0, 2.0, 3.0])


class Block:
    """A cell in small: something callable with a `construct`."""

    def __init__(self, construct: Any) -> None:
        self.construct, self.calls = construct, 0

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.calls += 1
        return self.construct(*args, **kwargs)


def same(f: Any, *args: Any, **kwargs: Any) -> None:
    """The gradients of f are the same with and without recompute."""
    plain, cheap = (value_and_grad(lambda *a, c=call: f(c, *a), **kwargs)(*args) for call in (_direct, recompute))
    for one, other in zip(_flat(plain), _flat(cheap), strict=True):
        np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())


def _direct(block: Any, *args: Any, **kwargs: Any) -> Any:
    return block(*args, **kwargs)


def _flat(value: Any) -> list[Any]:
    return [value] if isinstance(value, Tensor) else [t for item in value for t in _flat(item)]


def test_inputs_weights_and_surroundings_get_their_gradients() -> None:
    w = Parameter(Tensor([4.0, 5.0, 6.0]), name="w")

    def f(call: Any, x: Any, y: Any) -> Any:
        around = x * 3
        block = Block(lambda a, b: a * w * around + b.exp())
        return call(block, x * x, b=y)

    same(f, X, X * 0.5, grad_position=(0, 1), weights=[w])


def test_several_results_and_unused_ones() -> None:
    split = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))

    def f(call: Any, x: Any) -> Any:
        first, (second, count), same_again = call(Block(lambda a: (a[0] * 2, (a[1] ** 2, 7), a)), x)
        assert count == 7
        return first * second + same_again[0]

    same(f, split)
    same(lambda call, x: call(Block(lambda a: (a[0] * 2, a[1] * 3)), x)[1], split)


def test_nested_blocks_and_second_order() -> None:
    inner = Block(lambda a: a * a * a)

    def f(call: Any, x: Any) -> Any:
        return call(Block(lambda a: call(inner, a) + a), x)

    same(f, X)
    for call in (_direct, recompute):
        second = grad(grad(lambda x, c=call: f(c, x).sum()))(X)
        np.testing.assert_allclose(second.asnumpy(), 6 * X.asnumpy(), rtol=1e-6)


def test_the_second_run_draws_the_same_random_numbers() -> None:
    masks = []

    def noisy(x: Any) -> Any:
        masks.append(functional.rand(3).tolist())
        return x * Tensor(masks[-1])

    default_stream().set(7, 0)
    before = default_stream().peek()
    value, found = value_and_grad(lambda x: recompute(Block(noisy), x) + functional.rand(3) * 0)(X)
    assert len(masks) == 2 and masks[0] == masks[1]
    np.testing.assert_array_equal(found.asnumpy(), np.float32(masks[0]))
    assert value.shape == (3,)
    assert default_stream().peek()[1] - before[1] == 24  # two draws; the one in the backward pass left no trace


def test_activations_are_dropped() -> None:
    alive: list[Any] = []

    def construct(x: Any) -> Any:
        hidden = x * 2
        alive.append(weakref.ref(hidden))
        return hidden * hidden

    def f(x: Any) -> Any:
        y = recompute(Block(construct), x)
        gc.collect()
        assert alive[0]() is None
        return y

    assert grad(f)(X).tolist() == [8.0, 16.0, 24.0]
    assert len(alive) == 2


def test_without_gradient_it_is_a_plain_call() -> None:
    block = Block(lambda x: x + 1)
    assert recompute(block, X).tolist() == [2.0, 3.0, 4.0]
    assert block.calls == 1
    constant = grad(lambda x: x * recompute(block, Tensor([1.0, 1.0, 1.0])))(X)
    assert constant.tolist() == [2.0, 2.0, 2.0] and block.calls == 2


def test_hooks_run_once() -> None:
    seen: list[Any] = []
    w = Parameter(Tensor([2.0, 2.0, 2.0]), name="w")

    def tenfold(g: Any) -> Any:
        seen.append(g.tolist())
        return g * 10

    with w.register_hook(tenfold):
        found = grad(lambda x: recompute(Block(lambda a: a * w), x), 0, [w])(X)
    assert seen == [[1.0, 2.0, 3.0]]
    assert found[1][0].tolist() == [10.0, 20.0, 30.0]


def test_errors() -> None:
    for block in (3, lambda x: x):
        with pytest.raises(TypeError, match="'block'"):
            recompute(block, X)

    def changed(x: Any) -> Any:
        y = x * 2
        z = recompute(Block(lambda a: a * a), y)
        y.add_(1)
        return z

    with pytest.raises(RuntimeError, match="changed in place"):
        grad(changed)(X)
    flaky = Block(None)
    flaky.construct = lambda x: (x, x * 2) if flaky.calls == 1 else x.sum()
    with pytest.raises(RuntimeError, match="same results"):
        grad(lambda x: recompute(flaky, x * 1)[1])(X)


def test_a_view_of_an_input_stays_one() -> None:
    def f(x: Any) -> Any:
        y = recompute(Block(lambda a: a.reshape((1, 3))), x * 1)
        y.add_(1)
        return y

    with pytest.raises(RuntimeError, match="view"):
        grad(f)(X)


def test_an_error_in_the_second_run_puts_the_random_numbers_back() -> None:
    def construct(x: Any) -> Any:
        functional.rand(2)
        if block.calls == 2:
            raise KeyError("mine")
        return x * x

    block = Block(construct)
    start = default_stream().peek()
    with pytest.raises(KeyError, match="mine"):
        grad(lambda x: recompute(block, x))(X)
    assert default_stream().peek()[1] - start[1] == 12
    assert not is_recording()
