"""Gradients of slices: their parts are added in place to the gradient of the whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ms_kernels import Tensor, functional, grad, value_and_grad

X = np.arange(24.0).reshape(2, 3, 4) / 5 - 1
KEYS: list[Any] = [
    0,
    (slice(None), 1),
    (..., slice(1, 3)),
    (slice(None), slice(None, None, -1)),
    (1, None, slice(0, 2)),
    (slice(None), [2, 0]),
    np.array([[True, False, True], [False, False, True]]),
]


def squares(x: Any) -> Any:
    total = 0
    for weight, key in enumerate(KEYS, 1):
        part = x[key]
        total = total + weight * (part * part).sum()
    return total


def wanted() -> Any:
    counts = np.zeros_like(X)
    for weight, key in enumerate(KEYS, 1):
        counts[key] += weight
    return 2 * counts * X


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_many_slices(dtype: str) -> None:
    found = grad(squares)(Tensor(X.astype(dtype)))
    assert found.asnumpy().dtype == dtype
    np.testing.assert_allclose(found.asnumpy(), wanted(), rtol=2e-2 if dtype == "float16" else 1e-6)


def test_second_order() -> None:
    second = grad(lambda x: grad(squares)(x).sum())(Tensor(X))
    np.testing.assert_allclose(second.asnumpy() * X, wanted())


def test_a_gradient_that_others_share_stays_as_it_is() -> None:
    def fn(x: Any, y: Any) -> Any:
        first = x[0]
        return (x + y).sum() + (first * 3).sum()

    gx, gy = grad(fn, (0, 1))(Tensor(X), Tensor(X))
    np.testing.assert_array_equal(gy.asnumpy(), np.ones_like(X))
    np.testing.assert_array_equal(gx.asnumpy()[0], np.full((3, 4), 4.0))
    np.testing.assert_array_equal(gx.asnumpy()[1], np.ones((3, 4)))


def test_whole_and_slices_in_any_order() -> None:
    def fn(x: Any) -> Any:
        y = x * 2
        out = y[0].sum() * 3
        out = out + (y * y).sum()
        out = out + y[1, 1:].sum()
        return out + functional.exp(y)[..., 0].sum()

    plain = 2 * 2 * 2 * X
    plain[0] += 6
    plain[1, 1:] += 2
    plain[..., 0] += 2 * np.exp(2 * X[..., 0])
    np.testing.assert_allclose(grad(fn)(Tensor(X)).asnumpy(), plain)


def test_split_and_loops_over_rows() -> None:
    def fn(x: Any) -> Any:
        left, right = functional.split(x, 2, 2)
        return sum((row * row).sum() for row in left) + right.sum()

    value, found = value_and_grad(fn)(Tensor(X))
    np.testing.assert_allclose(value.item(), (X[..., :2] ** 2).sum() + X[..., 2:].sum())
    np.testing.assert_allclose(found.asnumpy(), np.concatenate((2 * X[..., :2], np.ones((2, 3, 2))), -1))


def test_hooks_see_the_whole_sum() -> None:
    seen = []

    def fn(x: Any) -> Any:
        y = x * 1
        y.register_hook(lambda g: seen.append(g.asnumpy().copy()))
        return y[0].sum() + y[0, 0].sum()

    grad(fn)(Tensor(X))
    assert len(seen) == 1
    assert seen[0].sum() == 16
