"""_Function: user-written forward and backward."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

from ms_kernels import Tensor, grad, value_and_grad
from ms_kernels.tape.function import _Function
from ms_kernels.testing.gradcheck import check_grad


class Product(_Function):
    """x * y * k, with second derivatives since backward is written in tensor ops."""

    @staticmethod
    def forward(ctx: Any, x: Any, y: Any, k: float) -> Any:
        ctx.save_for_backward(x, y)
        ctx.k = k
        return x * y * k

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        x, y = ctx.saved_tensors
        return g * y * ctx.k, g * x * ctx.k, None


class Split(_Function):
    """Two results, one of which nothing may use."""

    @staticmethod
    def forward(ctx: Any, x: Any, keep_none: bool) -> Any:
        ctx.set_materialize_grads(not keep_none)
        return x * 2, x * 3

    @staticmethod
    def backward(ctx: Any, a: Any, b: Any) -> Any:
        seen.append(a is None)
        return (a * 2 if a is not None else 0) + b * 3, None


seen: list[bool] = []


def test_gradients_to_second_order() -> None:
    rng = np.random.default_rng(0)
    check_grad(lambda x, y: Product.apply(x, y, 2.0), [rng.random(3), rng.random(3)])


def test_needs_input_grad_and_no_tape_outside() -> None:
    seen: list[Any] = []

    class Probe(_Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any, k: int) -> Any:
            seen.append(ctx.needs_input_grad)
            return x * y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g, g, None

    x, y = Tensor(3.0), Tensor(4.0)
    assert Probe.apply(x, y, 1)._tape is None
    grad(lambda a: Probe.apply(a, y, 1))(x)
    assert seen == [(False, False, False), (True, False, False)]


def test_results_that_nothing_uses() -> None:
    for keep_none in (False, True):
        assert grad(lambda x, k=keep_none: Split.apply(x, k)[1])(Tensor(1.0)).item() == 3
    assert seen[-2:] == [False, True]
    assert grad(lambda x: sum(Split.apply(x, False)))(Tensor(1.0)).item() == 5


def test_no_cycle_keeps_the_arguments() -> None:
    x = Tensor([1.0, 2.0])
    gone = weakref.ref(x)
    gc.disable()
    try:
        value_and_grad(lambda a: Product.apply(a, a, 1.0).sum())(x)
        del x
        assert gone() is None
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("found", "kind", "text"),
    [((1, 2, 3, 4), RuntimeError, "number of gradients"), ((1.0, None, None), TypeError, "must be Tensors or None")],
)
def test_wrong_gradients(found: Any, kind: type[Exception], text: str) -> None:
    class Bad(Product):
        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return found

    with pytest.raises(kind, match=text):
        grad(lambda a: Bad.apply(a, a, 1.0))(Tensor(1.0))


def test_forward_without_a_tensor() -> None:
    class Bad(_Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return 3

    with pytest.raises(TypeError, match="result of forward"):
        Bad.apply(Tensor(1.0))
