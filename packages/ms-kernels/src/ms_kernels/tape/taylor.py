"""jet and derivative: higher derivatives along a curve through a function's inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import factorial
from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.dispatch import ops_by_name
from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.tape.grad import _flat, _map
from ms_kernels.tape.products import jvp
from ms_kernels.tape.pullback import check_function

__all__ = ["derivative", "jet"]


def _floating(name: str, x: Any) -> Any:
    if not isinstance(x, TensorBase):
        fail(TypeError, name, "'primals'", "be Tensors", describe(x))
    return x if x.dtype.kind in "fc" else ops_by_name["cast_np"](x, np.dtype(np.float32))


def _along(fn: Callable[..., Any], primals: list[Any], slopes: Sequence[Sequence[Any]], order: int) -> list[Any]:
    """The value and the first `order` derivatives, at t = 0, of fn(x + t * s1 + t^2 / 2 * s2 + ...)."""
    add, mul = ops_by_name["add"], ops_by_name["mul"]

    def curve(t: Any) -> Any:
        args = []
        for x, terms in zip(primals, slopes):
            at = x
            power: Any = None
            for degree, slope in enumerate(terms, 1):
                power = t if power is None else mul(power, t)
                at = add(at, mul(mul(slope, 1 / factorial(degree)), ops_by_name["cast_np"](power, x._kind)))
            args.append(at)
        return fn(*args)

    zero, one = (from_array(np.array(n, np.float32)) for n in (0, 1))
    if any(x.dtype == mstype.float64 for x in primals):
        zero, one = (from_array(np.array(n, np.float64)) for n in (0, 1))
    found: list[Callable[[Any], Any]] = [curve]
    for _ in range(order):
        found.append(_slope(found[-1], one))
    return [function(zero) for function in found]


def _slope(function: Callable[[Any], Any], one: Any) -> Callable[[Any], Any]:
    return lambda t: jvp(function, t, one)[1]


def jet(fn: Callable[..., Any], primals: Any, series: Any) -> tuple[Any, Any]:
    """Compute the derivatives of fn along a curve through its inputs (``mindspore.ops.jet``).

    Args:
        fn: a function or Cell.
        primals: where the curve starts: a Tensor, or a tuple with one per input; integers become float32.
        series: in the same form, the curve's first n derivatives, stacked along a new first dimension.

    Returns:
        (fn(*primals), the first n derivatives of the result, stacked in the same way).

    Raises:
        TypeError: `primals` and `series` are not both Tensors or both tuples.
        ValueError: their lengths, shapes or orders differ.

    Examples:
        >>> from ms_kernels import Tensor
        >>> value, derivatives = jet(lambda x: x * x, Tensor([3.0]), Tensor([[1.0], [0.0]]))
        >>> print(value, derivatives.tolist())
        [9.] [[6.0], [2.0]]
    """
    check_function("jet", fn)
    if type(primals) is not type(series) and not (isinstance(primals, TensorBase) and isinstance(series, TensorBase)):
        got = f"{describe(primals)} and {describe(series)}"
        fail(TypeError, "jet", "'primals' and 'series'", "be both Tensors or both tuples", got)
    starts = [_floating("jet", x) for x in (primals if isinstance(primals, (tuple, list)) else (primals,))]
    curves = [_floating("jet", x) for x in (series if isinstance(series, (tuple, list)) else (series,))]
    if len(starts) != len(curves):
        fail(ValueError, "jet", "length of 'series'", f"be that of 'primals', {len(starts)}", str(len(curves)))
    orders = {x.shape[0] if x.ndim else 0 for x in curves}
    for x, curve in zip(starts, curves):
        if curve.shape[1:] != x.shape or len(orders) != 1 or 0 in orders:
            rule = f"be [n, *{list(x.shape)}] with the same n > 0 for all"
            fail(ValueError, "jet", "shape of 'series'", rule, str(list(curve.shape)))
    order = orders.pop()
    value, *rest = _along(fn, starts, [ops_by_name["unbind"](curve, 0) for curve in curves], order)
    columns = iter([ops_by_name["stack"](list(column), 0) for column in zip(*map(_flat, rest))])
    return value, _map(value, lambda _: next(columns))


def derivative(fn: Callable[..., Any], primals: Any, order: int) -> tuple[Any, Any]:
    """Compute the derivative of a given order when all inputs grow together (``mindspore.ops.derivative``).

    For a function that works element by element, this is its derivative in each element.

    Args:
        fn: a function or Cell.
        primals: a Tensor, or a tuple with one per input; integers become float32.
        order: 1 or more.

    Returns:
        (fn(*primals), the derivative), both in the structure of fn's result.

    Raises:
        TypeError: `order` is no int, or `primals` holds no Tensor.
        ValueError: `order` is less than 1.

    Examples:
        >>> from ms_kernels import Tensor
        >>> value, second = derivative(lambda x: x * x * x, Tensor([2.0, 3.0]), 2)
        >>> print(value, second)
        [ 8. 27.] [12. 18.]
    """
    check_function("derivative", fn)
    if isinstance(order, bool) or not isinstance(order, int):
        fail(TypeError, "derivative", "'order'", "be an int", describe(order))
    if order < 1:
        fail(ValueError, "derivative", "'order'", "be at least 1", str(order))
    starts = [_floating("derivative", x) for x in (primals if isinstance(primals, (tuple, list)) else (primals,))]
    ones = [[from_array(np.ones(x.shape, x._kind))] for x in starts]
    value, *rest = _along(fn, starts, ones, order)
    return value, rest[-1]
