"""Gradient checks by random directions: reverse mode against central differences, first and second order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.tape.grad import run

__all__ = ["check_grad"]


def _outputs(value: Any) -> list[TensorBase]:
    flat = list(value) if isinstance(value, tuple) else [value]
    return [t for t in flat if t.dtype.kind in "fc"]


def _inner(tensors: Sequence[TensorBase], weights: Sequence[Any]) -> Any:
    """The sum of all elements, each weighted: a scalar that no gradient is lost in."""
    from ms_kernels.core.dispatch import ops_by_name

    total: Any = None
    for tensor, weight in zip(tensors, weights):
        product = ops_by_name["mul"](tensor, from_array(np.asarray(weight)))
        part = ops_by_name["sum_to"](product, ())
        total = part if total is None else total + part
    return total


def _directional(function: Callable[..., float], points: list[Any], directions: list[Any], step: float) -> float:
    moved = [function(*[p + s * step * d for p, d in zip(points, directions)]) for s in (-2, -1, 1, 2)]
    return (moved[0] - 8 * moved[1] + 8 * moved[2] - moved[3]) / (12 * step)


def check_grad(
    function: Callable[..., Any],
    points: Sequence[Any],
    order: int = 2,
    seed: int = 0,
    step: float = 1e-3,
    rtol: float = 2e-6,
) -> None:
    """Compare the gradients of a function of float64 tensors with differences of its values.

    Args:
        function: takes tensors, gives a tensor or a tuple of them.
        points: float64 arrays to check at.
        order: 2 checks the gradient of a random combination of the gradients too.

    Raises:
        AssertionError: they differ by more than `rtol` of the size of the terms.
    """
    rng = np.random.default_rng(seed)
    points = [np.array(p, np.float64) for p in points]
    outs = _outputs(function(*[from_array(np.asarray(p)) for p in points]))
    weights = [rng.uniform(0.5, 1.5, t.shape) * np.where(rng.random(t.shape) < 0.5, -1, 1) for t in outs]

    def weighted(*xs: TensorBase) -> Any:
        return _inner(_outputs(function(*xs)), weights)

    _check(weighted, points, rng, step, rtol, "first")
    if order < 2:
        return
    mixes = [rng.uniform(0.5, 1.5, p.shape) * np.where(rng.random(p.shape) < 0.5, -1, 1) for p in points]

    def mixed_gradient(*xs: TensorBase) -> Any:
        _, grads, _ = run(weighted, xs, {}, tuple(range(len(xs))), None, False)
        return _inner(grads, mixes)

    _check(mixed_gradient, points, rng, step, rtol * 20, "second")


def _check(function: Callable[..., Any], points: list[Any], rng: Any, step: float, rtol: float, order: str) -> None:
    directions = [rng.uniform(-1, 1, p.shape) for p in points]
    tensors = tuple(from_array(np.asarray(p)) for p in points)
    _, grads, _ = run(function, tensors, {}, tuple(range(len(points))), None, False)
    got = sum(float(np.sum(g._a * d)) for g, d in zip(grads, directions))
    size = sum(float(np.sum(np.abs(g._a * d))) for g, d in zip(grads, directions))

    def value(*arrays: Any) -> float:
        return float(function(*[from_array(np.asarray(a)) for a in arrays])._a)

    wanted = _directional(value, points, directions, step)
    scale = max(size, abs(wanted), abs(value(*points)), 1.0)
    assert abs(got - wanted) <= rtol * scale, f"{order} order: {got} by reverse mode, {wanted} by differences"
