"""Changes in place while gradients are recorded: rules see the values from before, views that went stale are errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ms_kernels import Tensor, functional, grad

X = np.arange(12.0).reshape(3, 4) / 4 + 1
S = np.array([[3.0, 2.0], [1.0, 0.5], [2.0, 4.0]])


def add_to_part(x: Any, s: Any) -> Any:
    y = x * x
    y[:, 0:2] += s * s
    return y * y


def scale_part(x: Any, s: Any) -> Any:
    y = x * x
    y[:, 0:2] *= s
    return y * y


def result_that_a_rule_keeps(x: Any, s: Any) -> Any:
    y = functional.exp(x)
    y[:, 0:2] += s * s
    return functional.relu(y) * y


def used_before(x: Any, s: Any) -> Any:
    y = x * 3
    z = y * y
    y[0] = s[0, 0]
    y[2, 1:3] -= s[1]
    return z * y


def through_a_view(x: Any, s: Any) -> Any:
    y = functional.exp(x)
    row = y[1]
    square = row * row
    y[1] = s[0, 1]
    y[1, 1:3] *= s[2]
    return (y * y).sum() + square.sum()


def methods(x: Any, s: Any) -> Any:
    y = x * 2
    z = y * y
    y.add_(s.sum())
    z.mul_(y)
    return z + y


def many_changes(x: Any, s: Any) -> Any:
    y = x * 1
    total = y.sum()
    for i in range(3):
        y[i] = y[i] * s[i, 0]
        total = total + (y * y).sum()
    return total


CASES = [add_to_part, scale_part, result_that_a_rule_keeps, used_before, through_a_view, methods, many_changes]


def differences(fn: Callable[..., Any], args: list[Any], place: int) -> Any:
    """The gradient of the sum of the result, by central differences."""
    out = np.zeros_like(args[place])
    for index in np.ndindex(*out.shape):
        ends = []
        for step in (1e-5, -1e-5):
            moved = [a.copy() for a in args]
            moved[place][index] += step
            ends.append(float(fn(*(Tensor(a) for a in moved)).sum()))
        out[index] = (ends[0] - ends[1]) / 2e-5
    return out


@pytest.mark.parametrize("fn", CASES)
def test_gradients_are_those_of_the_values_at_the_time(fn: Callable[..., Any]) -> None:
    plain = fn(Tensor(X), Tensor(S)).asnumpy()
    recorded = []

    def watched(x: Any, s: Any) -> Any:
        out = fn(x, s)
        recorded.append(out.asnumpy().copy())
        return out

    found = grad(watched, (0, 1))(Tensor(X), Tensor(S))
    np.testing.assert_array_equal(recorded[0], plain)  # recording changes no value
    for place, got in enumerate(found):
        np.testing.assert_allclose(got.asnumpy(), differences(fn, [X, S], place), rtol=1e-6, atol=1e-6)


def test_second_order() -> None:
    def cubes(x: Any) -> Any:
        y = x * 1
        z = y * y
        y[0] = 0.0
        return (z * x).sum()

    second = grad(lambda x: grad(cubes)(x).sum())(Tensor(X))
    np.testing.assert_allclose(second.asnumpy(), 6 * X)


def test_a_view_made_before_the_change_may_not_be_used_after_it() -> None:
    def stale(x: Any) -> Any:
        y = x * 1
        flat = y.reshape(-1)
        y[0] = 5.0
        return flat * flat

    with pytest.raises(RuntimeError, match="must not be a view of a tensor that was changed in place since"):
        grad(stale)(Tensor(X))


def test_nothing_is_kept_without_need() -> None:
    kept = []

    def fresh(x: Any) -> Any:
        y = x * 1
        before = y.asnumpy()
        y[0] = x[1]
        kept.append(np.shares_memory(before, y.asnumpy()))
        return y

    grad(fresh)(Tensor(X))
    assert kept == [True]
