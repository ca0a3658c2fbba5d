"""vjp, jvp, jacrev, jacfwd, jet, derivative: values against written-out derivatives, forms and errors as 2.6's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ms_dtype as mstype
from ms_kernels import Parameter, Tensor, functional, grad, jacfwd, jacrev, jvp, vjp
from ms_kernels.core.dispatch import is_recording

A, B = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
X = Tensor(np.arange(1, 7, dtype=np.float32).reshape(2, 3))


def lists(value: Any) -> Any:
    return value.tolist() if isinstance(value, Tensor) else tuple(lists(item) for item in value)


def product(x: Any, y: Any) -> Any:
    return x * x * y


def pair(x: Any, y: Any) -> Any:
    return x * x, x * y


def with_aux(x: Any, y: Any) -> Any:
    return x * y, x + 1, y


def test_vjp_can_be_asked_many_times() -> None:
    value, pull = vjp(product, A, B)
    assert lists(value) == [3.0, 16.0]
    for scale in (1.0, 10.0):
        assert lists(pull(Tensor([scale, scale]))) == ([6 * scale, 16 * scale], [scale, 4 * scale])
    assert value._tape is None and not is_recording()


def test_vjp_of_one_input_is_still_a_tuple() -> None:
    _, pull = vjp(lambda x: x * 2, A)
    assert lists(pull(B)) == ([6.0, 8.0],)


@pytest.mark.parametrize("together", [False, True])
def test_vjp_of_several_results(together: bool) -> None:
    value, pull = vjp(pair, A, B)
    assert lists(value) == ([1.0, 4.0], [3.0, 8.0])
    found = pull((A, B)) if together else pull(A, B)
    assert lists(found) == ([11.0, 24.0], [3.0, 8.0])


def test_vjp_of_nested_inputs_keeps_their_structure() -> None:
    _, pull = vjp(lambda xs: xs[0] * xs[1], (A, B))
    assert lists(pull(Tensor([1.0, 1.0]))) == (([3.0, 4.0], [1.0, 2.0]),)


def test_vjp_by_weights() -> None:
    w = Parameter(Tensor([5.0, 6.0]), name="w", requires_grad=False)
    one = Tensor([1.0, 1.0])
    assert lists(vjp(lambda x: x * w, A, weights=w)[1](one)) == (([5.0, 6.0],), [1.0, 2.0])
    assert lists(vjp(lambda x: x * w, A, weights=[w])[1](one)) == (([5.0, 6.0],), ([1.0, 2.0],))
    assert w._tape is None


def test_aux_is_passed_on() -> None:
    value, pull, aux = vjp(with_aux, A, B, has_aux=True)
    assert lists((value, aux)) == ([3.0, 8.0], ([2.0, 3.0], [3.0, 4.0]))
    assert lists(pull(Tensor([1.0, 1.0]))) == ([3.0, 4.0], [1.0, 2.0])
    assert lists(vjp(pair, A, B, has_aux=True)[2]) == [3.0, 8.0]
    assert lists(jvp(with_aux, (A, B), (A, B), has_aux=True)) == ([3.0, 8.0], [6.0, 16.0], ([2.0, 3.0], [3.0, 4.0]))
    for transform in (jacrev, jacfwd):
        assert lists(transform(with_aux, 0, True)(A, B)) == ([[3.0, 0.0], [0.0, 4.0]], ([2.0, 3.0], [3.0, 4.0]))


def test_vjp_inside_grad_and_grad_inside_vjp() -> None:
    def through(x: Any) -> Any:
        value, pull = vjp(lambda y: y * y * y, x)
        return (value * pull(x)[0]).sum()  # x^3 * 3 x^3

    assert lists(grad(through)(A)) == [18.0, 576.0]
    value, pull = vjp(grad(lambda x: (x * x * x).sum()), A)
    assert lists(value) == [3.0, 12.0]
    assert lists(pull(Tensor([1.0, 1.0]))) == ([6.0, 12.0],)


def test_jvp() -> None:
    assert lists(jvp(product, (A, B), (Tensor([1.0, 0.0]), Tensor([0.0, 1.0])))) == ([3.0, 16.0], [6.0, 4.0])
    assert lists(jvp(pair, [A, B], [A, B])) == (([1.0, 4.0], [3.0, 8.0]), ([2.0, 8.0], [6.0, 16.0]))
    assert lists(jvp(lambda x: x * x, A, Tensor(1.0))) == ([1.0, 4.0], [2.0, 4.0])
    assert lists(jvp(lambda x: x * x, Tensor([1, 2]), Tensor([1, 2]))) == ([1, 4], [2, 8])


def test_jvp_of_what_does_not_depend_on_the_input_is_zero() -> None:
    assert lists(jvp(lambda x: (x, Tensor(3.0)), A, A)[1]) == ([1.0, 2.0], 0.0)


def test_jvp_agrees_with_differences_through_softmax_and_matmul() -> None:
    rng = np.random.default_rng(0)
    x, w, v = (Tensor(rng.standard_normal(s)) for s in ((3, 4), (4, 5), (3, 4)))

    def f(x: Any) -> Any:
        return functional.softmax(functional.matmul(x, w), -1)

    _, found = jvp(f, x, v)
    step = 1e-6
    wanted = (f(x + v * step).asnumpy() - f(x - v * step).asnumpy()) / (2 * step)
    np.testing.assert_allclose(found.asnumpy(), wanted, atol=1e-8)


@pytest.mark.parametrize("transform", [jacrev, jacfwd])
def test_jacobians(transform: Any) -> None:
    assert lists(transform(product)(A, B)) == [[6.0, 0.0], [0.0, 16.0]]
    assert lists(transform(product, (1,))(A, B)) == [[1.0, 0.0], [0.0, 4.0]]
    by_x, by_y = [[6.0, 0.0], [0.0, 16.0]], [[1.0, 0.0], [0.0, 4.0]]
    assert lists(transform(product, (0, 1))(A, B)) == (by_x, by_y)
    first, second = transform(pair, (0, 1))(A, B)
    assert lists(first) == ([[2.0, 0.0], [0.0, 4.0]], [[0.0, 0.0], [0.0, 0.0]])
    assert lists(second) == ([[3.0, 0.0], [0.0, 4.0]], [[1.0, 0.0], [0.0, 2.0]])
    assert lists(transform(lambda x: (x * x).sum())(A)) == [2.0, 4.0]
    assert lists(transform(lambda x: x * x)(Tensor(3.0))) == 6.0
    assert transform(lambda x: x.sum(0))(X).shape == (3, 2, 3)
    assert transform(lambda x: x * x)(Tensor(np.zeros((0, 2), np.float32))).shape == (0, 2, 0, 2)


@pytest.mark.parametrize("outer", [jacrev, jacfwd])
@pytest.mark.parametrize("inner", [jacrev, jacfwd])
def test_hessians(outer: Any, inner: Any) -> None:
    w = Tensor([[2.0, 1.0], [1.0, 3.0]])
    hessian = outer(inner(lambda x: (x * functional.matmul(w, x)).sum() + (x * x * x).sum()))
    np.testing.assert_allclose(hessian(A).asnumpy(), [[4 + 6, 2], [2, 6 + 12]], rtol=1e-6)


def test_derivative_and_jet() -> None:
    value, second = functional.derivative(product, (A, B), 2)
    assert lists(value) == [3.0, 16.0]
    np.testing.assert_allclose(second.asnumpy(), [10.0, 16.0], rtol=1e-6)
    value, rows = functional.jet(functional.sin, Tensor([1.0, 2.0]), Tensor([[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]]))
    at = np.array([1.0, 2.0])
    np.testing.assert_allclose(value.asnumpy(), np.sin(at), rtol=1e-6)
    np.testing.assert_allclose(rows.asnumpy(), [np.cos(at), -np.sin(at), -np.cos(at)], rtol=1e-5)
    third = functional.derivative(lambda x: x * x * x, Tensor([1, 2]), 3)[1]
    assert third.dtype == mstype.float32 and lists(third) == [6.0, 6.0]


@pytest.mark.parametrize(
    ("kind", "text", "call"),
    [
        (TypeError, "'fn'", lambda: vjp(3, A)),  # type: ignore[arg-type]
        (TypeError, "'has_aux'", lambda: vjp(product, A, B, has_aux=1)),  # type: ignore[arg-type]
        (TypeError, "input 0", lambda: vjp(product, 3.0, B)),
        (ValueError, "has_aux", lambda: vjp(product, A, B, has_aux=True)),
        (TypeError, "gradients", lambda: vjp(product, A, B)[1](1.0)),
        (RuntimeError, "as many", lambda: vjp(pair, A, B)[1](A)),
        (RuntimeError, "as many", lambda: vjp(product, A, B)[1](A, B)),
        (ValueError, "shape", lambda: vjp(product, A, B)[1](Tensor(1.0))),
        (ValueError, "'fn'", lambda: jvp(3, A, A)),  # type: ignore[arg-type]
        (TypeError, "'inputs'", lambda: jvp(product, 1.0, A)),
        (TypeError, "'v'", lambda: jvp(product, A, 1.0)),
        (ValueError, "length of 'v'", lambda: jvp(product, (A, B), (A,))),
        (ValueError, "shape of 'v'", lambda: jvp(lambda x: x, A, X)),
        (TypeError, "dtype of 'v'", lambda: jvp(lambda x: x, A, Tensor(1))),
        (ValueError, "'fn'", lambda: jacrev(3)),  # type: ignore[arg-type]
        (TypeError, "'grad_position'", lambda: jacfwd(product, None)),  # type: ignore[arg-type]
        (TypeError, "'grad_position'", lambda: jacrev(product, "a")),  # type: ignore[arg-type]
        (ValueError, "non-negative", lambda: jacfwd(product, -1)),
        (ValueError, "number of inputs", lambda: jacrev(product, 2)(A, B)),
        (TypeError, "'has_aux'", lambda: jacrev(product, 0, 1)),  # type: ignore[arg-type]
        (TypeError, "dtype of input 0", lambda: jacrev(lambda x: x * 2)(Tensor([1, 2]))),
        (TypeError, "input 1", lambda: jacfwd(product, 1)(A, 2.0)),
        (ValueError, "'order'", lambda: functional.derivative(product, (A, B), 0)),
        (TypeError, "'order'", lambda: functional.derivative(product, (A, B), 1.0)),  # type: ignore[arg-type]
        (TypeError, "'primals'", lambda: functional.derivative(product, 3.0, 1)),
        (TypeError, "both", lambda: functional.jet(product, A, (A,))),
        (ValueError, "'series'", lambda: functional.jet(lambda x: x, A, A)),
    ],
)
def test_errors(kind: Any, text: str, call: Any) -> None:
    with pytest.raises(kind, match=text):
        call()
    assert not is_recording()


def test_an_exception_of_the_function_leaves_no_mode_behind() -> None:
    def broken(x: Any) -> Any:
        raise KeyError("mine")

    for call in (
        lambda: vjp(broken, A),
        lambda: jvp(broken, A, A),
        lambda: jacrev(broken)(A),
        lambda: jacfwd(broken)(A),
    ):
        with pytest.raises(KeyError, match="mine"):
            call()
        assert not is_recording()
