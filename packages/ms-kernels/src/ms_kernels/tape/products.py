"""vjp and jvp: a function's value together with the products of its Jacobian."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ms_kernels.core.dispatch import ops_by_name
from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.tape.grad import _flat, _map, _weight_list
from ms_kernels.tape.pullback import Pullback, Pushforward, check_flag, check_function

__all__ = ["jvp", "vjp"]


def _rebuilt(value: Any, tensors: Sequence[Any]) -> Any:
    """The tensors in the structure of value; lists become tuples, as in all results of 2.6."""
    left = iter(tensors)
    return _map(value, lambda _: next(left))


def vjp(fn: Callable[..., Any], *inputs: Any, weights: Any = None, has_aux: bool = False) -> tuple[Any, ...]:
    """Compute fn(*inputs), and return the function from an output's gradient to the inputs' (``mindspore.vjp``).

    Args:
        fn: a function or Cell.
        inputs: tensors, or tuples and lists of them.
        weights: a Parameter, or several, whose gradients are wanted as well.
        has_aux: only fn's first result is differentiated, the others are passed on.

    Returns:
        (value, vjp_fn), with `has_aux` (value, vjp_fn, aux). ``vjp_fn`` may be called often: it takes one gradient per
        output and gives a tuple of the inputs' gradients, or (that tuple, the weights' gradients) with `weights`.

    Raises:
        TypeError: an input holds no Tensor, `has_aux` is no bool; in vjp_fn: a gradient that is no Tensor.
        RuntimeError: in vjp_fn: another number of gradients than fn has outputs.
        ValueError: in vjp_fn: a gradient of another shape than its output.

    Examples:
        >>> from ms_kernels import Tensor
        >>> value, pull = vjp(lambda x, y: x * x * y, Tensor([1.0, 2.0]), Tensor([3.0, 4.0]))
        >>> print(value)
        [ 3. 16.]
        >>> for gradient in pull(Tensor([1.0, 10.0])):
        ...     print(gradient)
        [  6. 160.]
        [ 1. 40.]
    """
    check_function("vjp", fn)
    check_flag("vjp", "has_aux", has_aux)
    many = [] if weights is None else _weight_list(weights)
    pull = Pullback(fn, inputs, range(len(inputs)), many, has_aux, "vjp")

    def vjp_fn(*gradients: Any) -> Any:
        by_input, by_weight = pull(_cotangents(gradients, pull.outputs))
        if weights is None:
            return tuple(by_input)
        return tuple(by_input), by_weight[0] if isinstance(weights, TensorBase) else tuple(by_weight)

    return (pull.value, vjp_fn, pull.aux) if has_aux else (pull.value, vjp_fn)


def _cotangents(gradients: Any, outputs: Sequence[TensorBase]) -> list[Any]:
    """Check the gradients of a function's outputs; they may come in one tuple or one by one."""
    for gradient in gradients:
        if not isinstance(gradient, (TensorBase, tuple, list)):
            fail(TypeError, "vjp", "gradients of the outputs", "be Tensors", describe(gradient))
    found = _flat(gradients)
    if len(found) != len(outputs):
        rule = f"be as many as the outputs of 'fn', {len(outputs)}"
        fail(RuntimeError, "vjp", "gradients of the outputs", rule, str(len(found)))
    return [_like("vjp", gradient, out, "gradient of an output") for gradient, out in zip(found, outputs)]


def _like(name: str, given: TensorBase, like: TensorBase, what: str) -> Any:
    if given.shape != like.shape:
        fail(ValueError, name, f"shape of the {what}", f"be {list(like.shape)}", str(list(given.shape)))
    return given if given.dtype == like.dtype else ops_by_name["cast_np"](given, like._kind)


def jvp(fn: Callable[..., Any], inputs: Any, v: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """Compute fn(*inputs) and its derivative along v (``mindspore.jvp``).

    Args:
        fn: a function or Cell.
        inputs: a Tensor, or a tuple or list of them.
        v: one tangent per input, of its dtype and of its shape (or one that broadcasts to it).
        has_aux: only fn's first result is differentiated, the others are passed on.

    Returns:
        (value, derivative), the latter in the structure of the former; with `has_aux` also the other results.

    Raises:
        TypeError: an input or tangent is no Tensor, or a dtype differs.
        ValueError: another number of tangents than inputs, or a shape that does not fit; `fn` cannot be called.

    Examples:
        >>> from ms_kernels import Tensor
        >>> value, derivative = jvp(lambda x: x * x, Tensor([1.0, 2.0]), Tensor([1.0, 0.5]))
        >>> print(value, derivative)
        [1. 4.] [2. 2.]
    """
    check_function("jvp", fn, ValueError)
    check_flag("jvp", "has_aux", has_aux)
    args, tangents = (_tensors(item, key) for item, key in ((inputs, "inputs"), (v, "v")))
    if len(args) != len(tangents):
        fail(ValueError, "jvp", "length of 'v'", f"be that of 'inputs', {len(args)}", str(len(tangents)))
    given = [_tangent(tangent, x) for tangent, x in zip(tangents, args)]
    pull = Pullback(fn, args, range(len(args)), (), has_aux, "jvp")
    derivative = _rebuilt(pull.value, Pushforward(pull)(given))
    return (pull.value, derivative, pull.aux) if has_aux else (pull.value, derivative)


def _tensors(value: Any, key: str) -> list[Any]:
    items = [value] if isinstance(value, TensorBase) else value
    if not isinstance(items, (tuple, list)) or not all(isinstance(item, TensorBase) for item in items):
        fail(TypeError, "jvp", f"'{key}'", "be a Tensor, or a tuple or list of Tensors", describe(value))
    return list(items)


def _tangent(tangent: TensorBase, x: TensorBase) -> Any:
    if tangent.dtype != x.dtype:
        fail(TypeError, "jvp", "dtype of 'v'", f"be that of its input, {x.dtype}", str(tangent.dtype))
    if tangent.shape == x.shape:
        return tangent
    try:
        return ops_by_name["broadcast_to"](tangent, x.shape)
    except ValueError:
        fail(ValueError, "jvp", "shape of 'v'", f"fit its input's, {list(x.shape)}", str(list(tangent.shape)))
