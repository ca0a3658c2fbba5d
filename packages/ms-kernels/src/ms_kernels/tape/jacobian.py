"""jacrev and jacfwd: whole Jacobians, row by row or column by column."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ms_kernels.core.dispatch import ops_by_name
from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.tape.batching import moved
from ms_kernels.tape.grad import _map, _positions
from ms_kernels.tape.pullback import Pullback, Pushforward, check_flag, check_function
from ms_kernels.tape.vmap import vmap

__all__ = ["jacfwd", "jacrev"]

Position = int | tuple[int, ...]
_PART = 1 << 22  # how many elements the units of one walk may have together


def _zeros(x: TensorBase) -> Any:
    return from_array(np.zeros(x.shape, x._kind))


def _along(tensors: list[Any], at: int, walk: Callable[[list[Any]], list[Any]]) -> list[Any] | None:
    """Each result of a walk for all units of one tensor (zeros for the others), along a new first axis.

    The units (one in a single place, else zero) are the samples of one walk for all, in parts of limited memory.
    None if the tensor has no elements.
    """
    x = tensors[at]
    most = max(1, _PART // max(1, x.size))
    parts = []
    for start in range(0, x.size, most):
        count = min(most, x.size - start)
        units = np.zeros((count, x.size), x._kind)
        units[np.arange(count), np.arange(start, start + count)] = 1

        def one(unit: Any) -> Any:
            return tuple(walk([unit if i == at else _zeros(other) for i, other in enumerate(tensors)]))

        parts.append(vmap(one)(from_array(units.reshape(count, *x.shape))))
    if not parts:
        return None
    return [column[0] if len(parts) == 1 else ops_by_name["concat"](list(column), 0) for column in zip(*parts)]


def _transform(name: str, fn: Any, grad_position: Any, has_aux: Any, jacobians: Any) -> Callable[..., Any]:
    check_function(name, fn, ValueError)
    check_flag(name, "has_aux", has_aux)
    positions = _positions(grad_position, name)
    if positions is None:
        fail(TypeError, name, "'grad_position'", "be an int or a tuple of ints", "None")

    def jacobian(*args: Any) -> Any:
        for position in positions:
            if position >= len(args):
                rule = f"be less than the number of inputs, {len(args)}"
                fail(ValueError, name, "'grad_position'", rule, str(position))
            if not isinstance(args[position], TensorBase):
                fail(TypeError, name, f"input {position} of 'fn'", "be a Tensor", describe(args[position]))
            if args[position].dtype.kind not in "fc":
                rule = "be a floating-point or complex one"
                fail(TypeError, name, f"dtype of input {position}", rule, str(args[position].dtype))
        pull = Pullback(fn, args, positions, (), has_aux, name)
        rows = iter(jacobians(pull))

        def one(_: TensorBase) -> Any:
            found = next(rows)
            return found[0] if len(positions) == 1 else tuple(found)

        value = tuple(pull.value) if isinstance(pull.value, list) else pull.value
        result = _map(value, one)
        return (result, pull.aux) if has_aux else result

    return jacobian


def _by_rows(pull: Pullback) -> list[list[Any]]:
    """For each output the Jacobians by each input: one walk back for all elements of the output."""
    reshape, found = ops_by_name["reshape"], []
    for at, out in enumerate(pull.outputs):
        rows = _along(pull.outputs, at, lambda seeds: pull(seeds)[0])
        found.append(
            [
                from_array(np.zeros(out.shape + x.shape, x._kind))
                if rows is None
                else reshape(rows[i], out.shape + x.shape)
                for i, x in enumerate(pull.inputs)
            ]
        )
    return found


def _by_columns(pull: Pullback) -> list[list[Any]]:
    """The same by one derivative for all elements of an input."""
    push = Pushforward(pull)
    columns = [_along(pull.inputs, at, push) for at in range(len(pull.inputs))]
    return [[_turned(columns[i], at, out, x) for i, x in enumerate(pull.inputs)] for at, out in enumerate(pull.outputs)]


def _turned(columns: list[Any] | None, at: int, out: TensorBase, x: TensorBase) -> Any:
    """The derivatives of one output along each unit of an input, with the units last."""
    if columns is None:
        return from_array(np.zeros(out.shape + x.shape, x._kind))
    return ops_by_name["reshape"](moved(columns[at], 0, out.ndim), out.shape + x.shape)


def jacrev(fn: Callable[..., Any], grad_position: Position = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return a function that computes fn's Jacobian in reverse mode (``mindspore.jacrev``): for few outputs.

    Args:
        fn: a function or Cell from tensors to a tensor or a tuple of them.
        grad_position: the input to differentiate by; a tuple of several gives a tuple of Jacobians.
        has_aux: only fn's first result is differentiated; the function then returns (Jacobian, other results).

    Returns:
        A function giving, for each output, Jacobians of the output's shape followed by the input's.

    Raises:
        TypeError: `grad_position` is no int or tuple, `has_aux` no bool, an input no floating-point Tensor.
        ValueError: `fn` cannot be called, or a position is out of range.

    Examples:
        >>> from ms_kernels import Tensor
        >>> print(jacrev(lambda x: x * x)(Tensor([1.0, 2.0])))
        [[2. 0.]
         [0. 4.]]
    """
    return _transform("jacrev", fn, grad_position, has_aux, _by_rows)


def jacfwd(fn: Callable[..., Any], grad_position: Position = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return a function that computes fn's Jacobian in forward mode (``mindspore.jacfwd``): for few inputs.

    Arguments, result and errors are those of `jacrev`.

    Examples:
        >>> from ms_kernels import Tensor
        >>> hessian = jacfwd(jacrev(lambda x: (x * x * x).sum()))
        >>> print(hessian(Tensor([1.0, 2.0])))
        [[ 6.  0.]
         [ 0. 12.]]
    """
    return _transform("jacfwd", fn, grad_position, has_aux, _by_columns)
