"""jacrev and jacfwd: whole Jacobians, row by row or column by column."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ms_kernels.core.dispatch import ops_by_name
from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.tape.grad import _map, _positions
from ms_kernels.tape.pullback import Pullback, Pushforward, check_flag, check_function

__all__ = ["jacfwd", "jacrev"]

Position = int | tuple[int, ...]


def _units(x: TensorBase) -> Iterator[Any]:
    """The tensors of x's shape that are one in a single place."""
    for place in range(x.size):
        unit = np.zeros(x.size, x._kind)
        unit[place] = 1
        yield from_array(unit.reshape(x.shape))


def _zeros(x: TensorBase) -> Any:
    return from_array(np.zeros(x.shape, x._kind))


def _stacked(items: list[Any], shape: tuple[int, ...], dim: int, empty: Any) -> Any:
    """Stack along a new first or last dimension, and give the result a shape."""
    return ops_by_name["reshape"](ops_by_name["stack"](items, dim), shape) if items else empty(shape)


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
    """For each output the Jacobians by each input: one walk back per element of the output."""
    found = []
    for at, out in enumerate(pull.outputs):
        rows = []
        for unit in _units(out):
            rows.append(pull([unit if i == at else _zeros(other) for i, other in enumerate(pull.outputs)])[0])
        found.append(
            [_stacked([row[i] for row in rows], out.shape + x.shape, 0, _empty(x)) for i, x in enumerate(pull.inputs)]
        )
    return found


def _by_columns(pull: Pullback) -> list[list[Any]]:
    """The same by one derivative per element of the inputs."""
    push = Pushforward(pull)
    columns = [
        [push([unit if i == at else _zeros(other) for i, other in enumerate(pull.inputs)]) for unit in _units(x)]
        for at, x in enumerate(pull.inputs)
    ]
    return [
        [
            _stacked([column[at] for column in columns[i]], out.shape + x.shape, -1, _empty(x))
            for i, x in enumerate(pull.inputs)
        ]
        for at, out in enumerate(pull.outputs)
    ]


def _empty(x: TensorBase) -> Callable[[tuple[int, ...]], Any]:
    return lambda shape: from_array(np.zeros(shape, x._kind))


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
