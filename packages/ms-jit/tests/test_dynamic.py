"""One graph for many shapes: what is shared, what is guarded, and that the results are the eager ones."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

from ms_dynshape.auto_dynamic_shape import auto_dynamic_shape_dict
from ms_jit.api import jit
from ms_jit.capture.dims import Dims
from ms_kernels import Parameter, Tensor, functional, value_and_grad

RNG = np.random.default_rng(0)
W = Parameter(Tensor(RNG.standard_normal((6, 4)).astype(np.float32)), name="w")


def tensor(*shape: int) -> Tensor:
    return Tensor(RNG.standard_normal(shape).astype(np.float32))


def runs(fn: Any, *shapes: tuple[int, ...]) -> Any:
    """Call a dynamic function with tensors of some shapes and compare with eager; returns (function, captures)."""
    compiled = jit(fn, dynamic=1)
    for shape in shapes:
        x = tensor(*shape)
        np.testing.assert_array_equal(compiled(x).asnumpy(), fn(x).asnumpy())
        np.testing.assert_array_equal(compiled(x).asnumpy(), fn(x).asnumpy())
    assert not compiled.reasons, compiled.reasons
    return compiled, compiled._captures


def test_the_third_signature_serves_every_batch_size() -> None:
    def f(x: Any) -> Any:
        return functional.relu(functional.matmul(x, W)) * 2

    compiled, captures = runs(f, (2, 6), (3, 6), (4, 6), (5, 6), (64, 6), (7, 6))
    assert captures == 3
    assert [str(guard) for (shared,) in compiled._shapes.shared.values() for guard in shared.guards] == [
        "dim(0, 1) eq 6 is True"
    ]


def test_code_may_compute_with_shapes() -> None:
    def f(x: Any) -> Any:
        n, c, h, w = x.shape
        y = x.reshape(n, c * h, w).mean(-1)
        y = functional.concat((y, y), 0)
        if n > 1:
            y = y / x.shape[0]
        return y.reshape(2 * n, -1)[: y.shape[0] // 2]

    _, captures = runs(f, (2, 3, 4, 5), (3, 3, 4, 5), (6, 3, 4, 5), (9, 3, 4, 5), (5, 3, 4, 5))
    assert captures == 3


def test_a_comparison_that_comes_out_otherwise_is_captured_anew() -> None:
    def f(x: Any) -> Any:
        return x * 2 if len(x) > 10 else x + 1

    _, captures = runs(f, (2, 3), (3, 3), (4, 3), (5, 3), (12, 3), (13, 3), (6, 3), (40, 3))
    assert captures == 4


def test_numbers_that_the_code_needs_fix_the_dims() -> None:
    def f(x: Any) -> Any:
        return x * sum(range(x.shape[0]))

    _, captures = runs(f, (2, 3), (3, 3), (4, 3), (5, 3), (6, 3))
    assert captures == 5


def test_a_dim_that_meets_a_constant_is_fixed() -> None:
    bias = tensor(4)
    _, captures = runs(lambda x: x + bias, (2, 4), (3, 4), (5, 4), (6, 4), (7, 4))
    assert captures == 3
    with pytest.raises(ValueError):
        jit(lambda x: x + bias, dynamic=1)(tensor(2, 5))


def test_gradients_serve_every_size_too() -> None:
    def loss(x: Any) -> Any:
        return (functional.softmax(functional.matmul(x, W), -1) ** 2).mean()

    def step(x: Any) -> Any:
        value, (by_x, by_w) = value_and_grad(loss, 0, W)(x)
        return functional.concat((by_x.reshape(-1), by_w.reshape(-1), value.reshape(1)))

    compiled = jit(step, dynamic=1)
    for rows in (2, 3, 4, 5, 9, 4):
        x = tensor(rows, 6)
        np.testing.assert_array_equal(compiled(x).asnumpy(), step(x).asnumpy())
    assert not compiled.reasons


def test_shapes_that_depend_on_values_run_in_python_when_they_are_needed() -> None:
    def counts(x: Any) -> Any:
        found = functional.nonzero(x > 0)
        return found * found.shape[0]

    compiled = jit(counts)
    for _ in range(3):
        x = tensor(3, 4)
        np.testing.assert_array_equal(compiled(x).asnumpy(), counts(x).asnumpy())
    assert "shape that depends on the values" in compiled.reasons[0]
    passes = jit(lambda x: functional.nonzero(x > 0) * 2)
    for _ in range(3):
        x = tensor(3, 4)
        np.testing.assert_array_equal(passes(x).asnumpy(), (functional.nonzero(x > 0) * 2).asnumpy())
    assert not passes.reasons and passes.hits == 2


def test_a_shape_that_is_returned_is_the_one_of_each_call() -> None:
    compiled = jit(lambda x: (x + 1, x.shape), dynamic=1)
    for rows in (2, 3, 4, 5):
        assert compiled(tensor(rows, 3))[1] == (rows, 3)


def test_what_is_known_of_a_function_goes_with_it() -> None:
    gc.collect()
    before = len(auto_dynamic_shape_dict)
    compiled = jit(lambda x: x + 1, dynamic=1)
    compiled(tensor(2))
    assert len(auto_dynamic_shape_dict) == before + 1
    del compiled
    gc.collect()
    assert len(auto_dynamic_shape_dict) == before


def test_expressions_over_dims() -> None:
    dims = Dims()
    n, m = dims.symbol(0, 0, 4), dims.symbol(1, 1, 6)
    product: Any = dims.combine("mul", n, 3)
    assert product.now == 12 and dims.of_prime(product.prime, 12) is product
    assert dims.combine("floordiv", product, n) == 3 and dims.combine("mod", product, 3) == 0
    total: Any = dims.of_prime(n.prime + m.prime, 10)
    assert total.value({(0, 0): 1, (1, 1): 5}) == 6 and total.symbols() == {(0, 0), (1, 1)}
    assert dims.of_prime(n.prime * m.prime * 2, 48).value({(0, 0): 2, (1, 1): 3}) == 12  # type: ignore[union-attr]
    assert dims.compare("eq", product, dims.combine("mul", n, 3)) and not dims.guards
    assert dims.compare("lt", n, m) and not dims.compare("eq", n, 1)
    assert [guard.holds({(0, 0): 1, (1, 1): 5}) for guard in dims.guards] == [True, False]
    assert dims.of_prime(5, 5) == 5 and dims.of_prime(5, 6) is None
