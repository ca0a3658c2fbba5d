"""Counting the arithmetic of graphs."""

from __future__ import annotations

import numpy as np
import pytest

from ms_jit import flops_collection, jit
from ms_jit.flops import collector
from ms_kernels import Parameter, Tensor, functional, value_and_grad


def tensor(*shape: int) -> Tensor:
    return Tensor(np.ones(shape, np.float32))


def test_products_convolutions_and_their_gradients_are_counted() -> None:
    w, kernel = Parameter(tensor(6, 4), name="w"), Parameter(tensor(5, 3, 2, 2), name="kernel")

    def loss(x, image):  # type: ignore[no-untyped-def]
        return functional.matmul(x, w).sum() + functional.conv2d(image, kernel).sum()

    x, image = tensor(2, 6), tensor(2, 3, 4, 4)
    jit(loss)(x, image)
    product, convolution = 2 * 2 * 4 * 6, 2 * (2 * 5 * 3 * 3) * (3 * 2 * 2)
    assert flops_collection("predict") == (*[product + convolution] * 4, False)

    def step(x, image):  # type: ignore[no-untyped-def]
        value, grads = value_and_grad(loss, 0, [w, kernel])(x, image)
        w.sub_(grads[1][0])
        return value

    jit(step)(x, image)
    assert flops_collection()[0] == 3 * product + 2 * convolution


def test_wrong_phases_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collector, "newest", {})
    with pytest.raises(RuntimeError, match="a graph must have run for phase 'train'"):
        flops_collection()
    with pytest.raises(TypeError, match="must be a str"):
        flops_collection(1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="but got 'other'"):
        flops_collection("other")
