"""grad, value_and_grad, GradOperation: every form of their arguments, and the tape below them."""

from __future__ import annotations

import contextvars
import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import ms_kernels as ms
from ms_kernels import GradOperation, Parameter, ParameterTuple, Tensor, functional, get_grad, grad, value_and_grad

X, Y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
W, B = Parameter(Tensor([5.0, 6.0]), name="w"), Parameter(Tensor([7.0, 8.0]), name="b")
DX, DY, DW, DB = [15.0, 24.0], [5.0, 12.0], [3.0, 8.0], [1.0, 1.0]  # of x * y * w + b at X, Y


def f(x: Any, y: Any) -> Any:
    return x * y * W + B


def plain(value: Any) -> Any:
    """Tensors as lists, all else as it is."""
    if isinstance(value, Tensor):
        return value.tolist()
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return tuple(plain(item) for item in value) if isinstance(value, (tuple, list)) else value


@pytest.mark.parametrize(
    ("position", "weights", "wanted"),
    [
        (0, None, DX),
        (1, None, DY),
        ((0,), None, DX),
        ((0, 1), None, (DX, DY)),
        (None, W, DW),
        (None, [W], (DW,)),
        (None, ParameterTuple([W, B]), (DW, DB)),
        (0, [W, B], (DX, (DW, DB))),
        ((0, 1), W, ((DX, DY), DW)),
        ((0,), (W,), (DX, (DW,))),
    ],
)
def test_forms_of_positions_and_weights(position: Any, weights: Any, wanted: Any) -> None:
    assert plain(grad(f, position, weights)(X, Y)) == wanted
    value, grads = value_and_grad(f, position, weights)(X, Y)
    assert plain(value) == [22.0, 56.0]
    assert plain(grads) == wanted


@pytest.mark.parametrize(
    ("position", "weights", "wanted"),
    [
        (0, None, (0, DX)),
        ((0, 1), None, ((0, DX), (1, DY))),
        (0, [W, B], ((0, DX), (("w", DW), ("b", DB)))),
        (None, [W], (("w", DW),)),
        (None, W, ("w", DW)),
    ],
)
def test_return_ids_and_get_grad(position: Any, weights: Any, wanted: Any) -> None:
    found = grad(f, position, weights, return_ids=True)(X, Y)
    assert plain(found) == wanted
    if weights is not None:
        assert plain(get_grad(found, W)) == DW
    with pytest.raises(RuntimeError, match="identifier"):
        get_grad(found, 5)


def test_aux() -> None:
    def with_aux(x: Any, y: Any) -> Any:
        return x * y * W, x + 1, y

    grads, aux = grad(with_aux, 0, has_aux=True)(X, Y)
    assert plain(grads) == DX
    assert plain(aux) == ([2.0, 3.0], [3.0, 4.0])
    value, grads = value_and_grad(with_aux, 0, has_aux=True)(X, Y)
    assert len(value) == 3
    assert plain(grads) == DX


def test_several_results_are_summed_and_containers_walked() -> None:
    assert plain(grad(lambda x, y: (x * y, x + y))(X, Y)) == [4.0, 5.0]
    assert plain(grad(lambda x: {"a": [x * x, (x,)]})(X)) == [3.0, 5.0]
    assert plain(grad(lambda pair: pair[0] * pair[1])((X, Y))) == ([3.0, 4.0], [1.0, 2.0])
    assert plain(grad(lambda d: d["a"] * 2)({"a": X})) == {"a": [2.0, 2.0]}
    assert plain(grad(lambda x, k=2: x * k)(X, k=5)) == [5.0, 5.0]


def test_integers_have_gradients_as_in_2_6() -> None:
    found = grad(lambda x: x * x)(Tensor([1, 2]))
    assert plain(found) == [2, 4]
    assert str(found.dtype) == "Int64"


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda: grad(f, 2)(X, Y), RuntimeError, "less than the number of inputs"),
        (lambda: grad(f, -1), ValueError, "non-negative"),
        (lambda: grad(f, "a"), TypeError, "grad_position"),
        (lambda: grad(f, ()), RuntimeError, "not be empty"),
        (lambda: grad(f, None), ValueError, "not both be None"),
        (lambda: grad(3), TypeError, "function or a Cell"),
        (lambda: grad(f, 0, [3])(X, Y), TypeError, "be Parameters"),
        (lambda: grad(f, 0, has_aux=1), TypeError, "has_aux"),
        (lambda: grad(f, 0, has_aux=True)(X, Y), ValueError, "two or more"),
        (lambda: grad(lambda x: 3)(X), TypeError, "must be a Tensor or hold Tensors"),
        (lambda: grad(lambda x, k: x * k, 1)(X, 3), TypeError, "input 1"),
    ],
)
def test_errors(call: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        call()


def test_grad_operation() -> None:
    sens = Tensor([10.0, 20.0])
    assert plain(GradOperation()(f)(X, Y)) == DX
    assert plain(GradOperation(get_all=True)(f)(X, Y)) == (DX, DY)
    assert plain(GradOperation(get_by_list=True)(f, ParameterTuple([W, B]))(X, Y)) == (DW, DB)
    assert plain(GradOperation(get_all=True, get_by_list=True)(f, [W])(X, Y)) == ((DX, DY), (DW,))
    assert plain(GradOperation(sens_param=True)(f)(X, Y, sens)) == [150.0, 480.0]
    assert plain(GradOperation(get_all=True, sens_param=True)(f)(X, Y, sens)) == ([150.0, 480.0], [50.0, 240.0])


def test_gradients_of_gradients() -> None:
    cube = lambda x: x * x * x  # noqa: E731
    assert grad(grad(cube))(Tensor(2.0)).item() == 12
    assert grad(grad(grad(cube)))(Tensor(2.0)).item() == 6
    # the inner derivative sees the outer variable as a constant
    outer = grad(lambda x: x * grad(lambda y: x + y)(Tensor(1.0)))
    assert outer(Tensor(2.0)).item() == 1
    # a weight inside and outside
    norm = lambda: (grad(lambda: (W * W).sum(), None, W)() ** 2).sum()  # noqa: E731
    assert plain(grad(norm, None, W)()) == [40.0, 48.0]


def test_stop_gradient_and_no_grad() -> None:
    assert grad(lambda x: functional.stop_gradient(x) * x)(Tensor(3.0)).item() == 3

    def quiet(x: Any) -> Any:
        with ms.no_grad():
            y = x * x
        assert y._tape is None
        return y * x

    assert grad(quiet)(Tensor(3.0)).item() == 9


def test_nothing_is_recorded_outside() -> None:
    assert (W * 2)._tape is None
    value, _ = value_and_grad(lambda x: x * W)(X)
    assert value._tape is None


def test_an_exception_leaves_nothing_behind() -> None:
    frozen = Parameter(Tensor([1.0]), requires_grad=False)

    def bad(x: Any) -> Any:
        _ = x * frozen
        raise KeyError("user")

    with pytest.raises(KeyError, match="user"):
        grad(bad, 0, [frozen])(X[:1])
    assert not ms.is_recording()
    assert frozen._tape is None
    assert not frozen.requires_grad


def test_long_chains_need_no_recursion() -> None:
    def chain(x: Any) -> Any:
        for _ in range(100_000):
            x = x + 1.0
        return x

    assert grad(chain)(Tensor(1.0)).item() == 1


def test_change_in_place_of_what_a_gradient_needs_is_an_error() -> None:
    def bad(x: Any) -> Any:
        y = Tensor([3.0, 4.0])  # of no interest to the tape, so nothing of it is kept
        z = x.sum() * y
        y.add_(1)
        return z

    with pytest.raises(RuntimeError, match="changed in place"):
        grad(bad)(X)

    def fine(x: Any) -> Any:
        y = x * 2
        y.add_(1)
        return y * y

    assert plain(grad(fine)(X)) == [12.0, 20.0]


def test_memory_goes_with_the_result() -> None:
    kept: list[weakref.ref[Any]] = []

    def watched(x: Any) -> Any:
        y = functional.exp(x)
        kept.append(weakref.ref(y))
        return y * 2

    gc.disable()
    try:
        value, _ = value_and_grad(watched)(X)
        assert kept[0]() is None
    finally:
        gc.enable()
    assert value.shape == (2,)


def test_threads_record_for_themselves() -> None:
    found: list[Any] = []

    def work(scale: float) -> None:
        for _ in range(50):
            found.append((scale, grad(lambda x: x * W * scale, None, W)(X).tolist()))

    threads = [threading.Thread(target=work, args=(s,)) for s in (1.0, 2.0, 3.0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 150
    assert all(g == [scale, 2 * scale] for scale, g in found)


def test_a_new_context_does_not_record() -> None:
    seen: list[bool] = []

    def inside(x: Any) -> Any:
        seen.append(ms.is_recording())
        contextvars.Context().run(lambda: seen.append(ms.is_recording()))
        return x * 1

    grad(inside)(X)
    assert seen == [True, False]


def test_mixed_dtypes_give_each_operand_its_own() -> None:
    half, single = Tensor([1.0, 2.0], ms.Tensor([1.0]).dtype), Tensor(np.array([3.0, 4.0], np.float64))
    a, b = grad(lambda x, y: x * y, (0, 1))(half, single)
    assert (str(a.dtype), str(b.dtype)) == ("Float32", "Float64")
