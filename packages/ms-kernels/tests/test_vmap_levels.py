"""vmap together with what else changes how calls run: gradients inside and outside, in-place changes, recompute."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ms_kernels import Parameter, Tensor, functional, grad, jacfwd, jacrev, recompute, stop_gradient, vmap
from ms_kernels import value_and_grad as with_value
from ms_kernels.tape.function import _Function
from ms_kernels.tape.level import Level
from ms_kernels.tape.modes import no_grad

RNG = np.random.default_rng(3)
X = RNG.normal(size=(4, 3)).astype(np.float32)
W = RNG.normal(size=(3, 2)).astype(np.float32)


def rows(fn: Any, *args: Any) -> Any:
    """A function of samples, one after the other."""
    return np.stack([fn(*(Tensor(a[i]) for a in args)).asnumpy() for i in range(len(args[0]))])


def test_the_function_runs_once() -> None:
    calls = []

    def f(x: Any) -> Any:
        calls.append(x.shape)
        return functional.softmax(functional.matmul(x, Tensor(W))).sum()

    np.testing.assert_allclose(vmap(f)(Tensor(X)).asnumpy(), rows(f, X), rtol=1e-6)
    assert calls[:1] == [(3,)] and len(calls) == 1 + len(X)


def test_a_function_that_looks_at_numbers_runs_for_each_sample() -> None:
    seen = []

    def f(x: Any) -> Any:
        y = x * 2
        seen.append(float(y.sum()))
        return y if seen[-1] > 0 else -y

    found = vmap(f)(Tensor(X)).asnumpy()
    np.testing.assert_allclose(found, np.where(X.sum(1, keepdims=True) > 0, 2 * X, -2 * X), rtol=1e-6)
    assert len(seen) == len(X)


def test_only_the_op_that_looks_at_numbers_runs_for_each_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    looped = []
    plain = Level._one_by_one

    def noted(self: Level, op: Any, args: Any) -> Any:
        looped.append(op.name)
        return plain(self, op, args)

    monkeypatch.setattr(Level, "_one_by_one", noted)
    calls = []

    def f(x: Any) -> Any:
        calls.append(1)
        return functional.histc(x * 2, 4, 0.0, 4.0) + x.sum()

    found = vmap(f)(Tensor(X)).asnumpy()
    assert looped == ["histc"] and len(calls) == 1
    np.testing.assert_allclose(found, rows(f, X), rtol=1e-6)


def test_gradients_of_shared_tensors_are_per_sample() -> None:
    w = Parameter(Tensor(W), name="w")

    def loss(x: Any) -> Any:
        return (functional.matmul(x, w) ** 2).sum()

    def of_weight(x: Any) -> Any:
        return with_value(loss, None, w)(x)[1]

    found = vmap(of_weight)(Tensor(X)).asnumpy()
    assert found.shape == (4, 3, 2)
    np.testing.assert_allclose(found, rows(of_weight, X), rtol=1e-5)
    assert w._tape is not None and w._tape.op is None


def test_every_order_of_grad_and_vmap() -> None:
    def cube(x: Any) -> Any:
        return (x * x * x).sum()

    x = Tensor(X)
    inside = vmap(grad(cube))
    np.testing.assert_allclose(inside(x).asnumpy(), 3 * X * X, rtol=1e-5)
    np.testing.assert_allclose(vmap(grad(lambda a: grad(cube)(a).sum()))(x).asnumpy(), 6 * X, rtol=1e-5)
    np.testing.assert_allclose(grad(lambda a: vmap(cube)(a).sum())(x).asnumpy(), 3 * X * X, rtol=1e-5)
    np.testing.assert_allclose(grad(lambda a: inside(a).sum())(x).asnumpy(), 6 * X, rtol=1e-5)
    twice = vmap(lambda row: vmap(grad(lambda s: s * s * s))(row))(x)
    np.testing.assert_allclose(twice.asnumpy(), 3 * X * X, rtol=1e-5)
    hessians = vmap(jacfwd(jacrev(cube)))(x).asnumpy()
    np.testing.assert_allclose(hessians, np.stack([np.diag(6 * row) for row in X]), rtol=1e-5, atol=1e-6)


def test_a_shared_tensor_has_one_gradient_outside() -> None:
    def total(w: Any) -> Any:
        return vmap(lambda x: functional.matmul(x, w).sum())(Tensor(X)).sum()

    np.testing.assert_allclose(grad(total)(Tensor(W)).asnumpy(), np.repeat(X.sum(0)[:, None], 2, 1), rtol=1e-5)

    def mixed(w: Any) -> Any:  # the gradient inside depends on w, and so does its sum
        return vmap(lambda x: grad(lambda a: (functional.matmul(a, w) ** 2).sum())(x))(Tensor(X)).sum()

    step, wide = 1e-3, W.astype(np.float64)

    def by_hand(w: Any) -> float:
        return float(sum((2 * w @ (w.T @ row)).sum() for row in X.astype(np.float64)))

    found = grad(mixed)(Tensor(W)).asnumpy()
    for place in np.ndindex(W.shape):
        move = np.zeros_like(wide)
        move[place] = step
        assert found[place] == pytest.approx((by_hand(wide + move) - by_hand(wide - move)) / (2 * step), rel=1e-4)


def test_constants() -> None:
    def f(x: Any) -> Any:
        return (x * stop_gradient(x)).sum()

    np.testing.assert_allclose(vmap(grad(f))(Tensor(X)).asnumpy(), X)
    np.testing.assert_allclose(grad(lambda a: vmap(f)(a).sum())(Tensor(X)).asnumpy(), X)

    def g(x: Any) -> Any:
        with no_grad():
            y = x * x
        return (x * y).sum()

    np.testing.assert_allclose(vmap(grad(g))(Tensor(X)).asnumpy(), X * X, rtol=1e-6)
    np.testing.assert_allclose(grad(lambda a: vmap(g)(a).sum())(Tensor(X)).asnumpy(), X * X, rtol=1e-6)


class Cube(_Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return g * x * 10  # not the true one, so that the test tells whose gradient is used


class Block:
    def construct(self, x: Any) -> Any:
        return functional.sin(x) * x

    __call__ = construct


@pytest.mark.parametrize("outside", [False, True])
def test_custom_gradients_and_recompute(outside: bool) -> None:
    def asked(fn: Any) -> Any:
        if outside:
            return grad(lambda a: vmap(fn)(a).sum())(Tensor(X)).asnumpy()
        return vmap(grad(fn))(Tensor(X)).asnumpy()

    np.testing.assert_allclose(asked(lambda x: Cube.apply(x).sum()), 10 * X, rtol=1e-6)
    wanted = np.sin(X) + X * np.cos(X)
    np.testing.assert_allclose(asked(lambda x: recompute(Block(), x).sum()), wanted, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("outside", [False, True])
def test_hooks_on_tensors(outside: bool) -> None:
    def f(x: Any) -> Any:
        y = x * x
        y.register_hook(lambda g: g * 5)
        return y.sum()

    if outside:
        found = grad(lambda a: vmap(f)(a).sum())(Tensor(X))
    else:
        found = vmap(grad(f))(Tensor(X))
    np.testing.assert_allclose(found.asnumpy(), 10 * X, rtol=1e-6)


def test_changes_in_place() -> None:
    def f(x: Any) -> Any:
        y = x * 1
        y.add_(x)
        y[0] = 7.0
        y[1:] *= 2
        return y

    np.testing.assert_allclose(vmap(f)(Tensor(X)).asnumpy(), rows(f, X))

    def g(x: Any) -> Any:
        total = Tensor(np.zeros(3, np.float32))
        total.add_(x)
        return total

    np.testing.assert_allclose(vmap(g)(Tensor(X)).asnumpy(), X)
    start = Tensor(X)
    vmap(lambda x: x.add_(1.0))(start)
    np.testing.assert_allclose(start.asnumpy(), X + 1)


def test_keys_of_samples() -> None:
    at = Tensor(np.array([2, 0, 1, 1]))
    table = Tensor(RNG.normal(size=(3, 5, 2)).astype(np.float32))
    pairs = Tensor(RNG.integers(0, 3, (4, 2)))
    cases: list[tuple[Any, Any]] = [
        (lambda t, i: t[i], at),
        (lambda t, i: t[:, i], at),
        (lambda t, i: t[i, 1:, 0], at),
        (lambda t, i: t[:, i, 1], pairs),
        (lambda t, i: t[i], pairs),
        (lambda t, i: t[i, :, i % 2], pairs),
        (lambda t, i: t[..., i % 2], pairs),
        (lambda t, i: t[None, :, i], pairs),
        (lambda t, i: t[:, [0, 2], i[0] % 2], pairs),
    ]
    many = Tensor(RNG.normal(size=(4, 3, 5, 2)).astype(np.float32))
    for read, index in cases:
        wanted = np.stack([read(table, index[s]).asnumpy() for s in range(4)])
        np.testing.assert_array_equal(vmap(read, (None, 0))(table, index).asnumpy(), wanted)
        wanted = np.stack([read(many[s], index[s]).asnumpy() for s in range(4)])
        np.testing.assert_array_equal(vmap(read)(many, index).asnumpy(), wanted)
        slopes = vmap(grad(lambda t, i, read=read: (read(t, i) ** 2).sum()))(many, index).asnumpy()
        one = [grad(lambda t, s=s, read=read, index=index: (read(t, index[s]) ** 2).sum())(many[s]) for s in range(4)]
        np.testing.assert_allclose(slopes, np.stack([t.asnumpy() for t in one]), rtol=1e-6)


def test_errors_speak_of_one_sample() -> None:
    with pytest.raises(ValueError, match=r"\[3\] and \[2\]"):
        vmap(lambda x: x + Tensor(np.ones(2, np.float32)))(Tensor(X))
    with pytest.raises(ValueError, match="axis"):
        vmap(lambda x: x.sum(1))(Tensor(X))
    with pytest.raises(IndexError, match=r"\[3\]"):
        vmap(lambda x: x[3])(Tensor(X))


def test_nothing_outlives_the_call() -> None:
    kept: list[Any] = []

    def keep(x: Any) -> Any:
        kept.append(x)
        return x

    vmap(keep)(Tensor(X))
    with pytest.raises(RuntimeError, match="after the call"):
        kept[0].asnumpy()

    def broken(x: Any) -> Any:
        raise KeyError("mine")

    with pytest.raises(KeyError):
        vmap(broken)(Tensor(X))
    assert (Tensor(X) + 1).asnumpy().shape == (4, 3)


def test_random_numbers_are_drawn_for_each_sample_of_an_operand() -> None:
    found = vmap(lambda x: functional.dropout(x, 0.5))(Tensor(np.ones((4, 200), np.float32))).asnumpy()
    assert len({tuple(row) for row in found}) == 4
    shared = vmap(lambda x: x + functional.rand(5))(Tensor(np.zeros((4, 5), np.float32))).asnumpy()
    assert len({tuple(row) for row in shared}) == 1
