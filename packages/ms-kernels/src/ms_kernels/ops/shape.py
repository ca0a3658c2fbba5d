"""New layouts of the same numbers: views, joins, splits and repetitions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite, view
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._tape import sum_to

__all__ = ["broadcast_to", "flatten", "permute", "reshape", "squeeze", "swapaxes", "unsqueeze"]

Shape = tuple[int, ...]


def dims_of(name: str, value: Any, arg: str = "shape") -> Shape:
    """Return a shape or a list of axes as a tuple of ints; tensors of ints count."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    items = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    for item in items:
        if isinstance(item, bool) or not hasattr(item, "__index__"):
            fail(TypeError, name, f"'{arg}'", "be an int or a tuple of ints", describe(item))
    return tuple(int(item) for item in items)


def _reshape_shape(shape: Shape, target: Any) -> Shape:
    if type(target) is tuple and -1 not in shape and all(type(n) is int and n >= 0 for n in target):
        if math.prod(shape) == math.prod(target):  # the usual call
            return target
    wanted = dims_of("Reshape", target)
    size, known = math.prod(shape), math.prod(n for n in wanted if n != -1)
    if wanted.count(-1) > 1 or any(n < -1 for n in wanted):
        fail(ValueError, "Reshape", "'shape'", "have at most one -1 and no other negative dim", str(wanted))
    if (-1 in wanted and known and size % known == 0) or (-1 not in wanted and known == size) or -1 in shape:
        return tuple(size // known if n == -1 else n for n in wanted)
    if -1 in wanted and size == 0 == known:
        fail(ValueError, "Reshape", "'shape'", "leave no doubt about -1", str(wanted))
    return fail(ValueError, "Reshape", "'shape'", f"hold the {size} elements of shape {list(shape)}", str(wanted))


def _reshape_vjp(g: Any, _out: Any, input: Any, _shape: Any) -> Any:
    return reshape(g, input.shape)


@view(
    shape=_reshape_shape,
    dtype=rules.same,
    vjp=_reshape_vjp,
    ops="reshape(input, shape)",
    mint="reshape(input, shape)",
    tensor=["reshape(*shape)", "view(*shape)"],
    primitive="Reshape()(x, shape)",
    batch="reshape",
)
def reshape(input: Array, shape: Any) -> Any:
    """Return the same elements, in row-major order, in another shape; one dim may be -1. A view where possible.

    Raises:
        ValueError: the shape does not hold as many elements.
        TypeError: the shape is no tuple of ints.

    Examples:
        >>> print(ops.reshape(Tensor([[1, 2, 3], [4, 5, 6]]), (3, -1)))
        [[1 2]
         [3 4]
         [5 6]]

    Source: ``mindspore.ops.reshape``.
    """
    return input.reshape(_reshape_shape(input.shape, shape))


def _order(shape: Shape, dim: Any) -> Shape:
    if type(dim) is tuple and sorted(dim) == list(range(len(shape))):  # the usual call
        return dim
    given = dims_of("Transpose", dim, "axis") if dim is not None and dim != () else tuple(range(len(shape)))[::-1]
    found = tuple(rules.axis("Transpose", d, len(shape)) for d in given)
    if sorted(found) != list(range(len(shape))):
        fail(ValueError, "Transpose", "'axis'", f"name each of the {len(shape)} dimensions once", str(given))
    return found


def _permute_vjp(g: Any, _out: Any, input: Any, dim: Any) -> Any:
    return permute(g, tuple(int(i) for i in np.argsort(_order(input.shape, dim))))


@view(
    shape=lambda shape, dim=None: tuple(shape[i] for i in _order(shape, dim)),
    dtype=rules.same,
    vjp=_permute_vjp,
    ops=["permute(input, axis)", "transpose(input, input_perm)"],
    mint="permute(input, dims)",
    tensor=["permute(*axis)", "transpose(*axes)"],
    primitive="Transpose()(x, input_perm)",
    rename={"axes": "dim"},
    batch="permute",
)
def permute(input: Array, dim: Any = None) -> Any:
    """Return the tensor with its dimensions in another order, reversed by default. A view.

    Raises:
        ValueError: a dimension is missing or named twice.

    Examples:
        >>> ops.permute(Tensor(np.zeros((2, 3, 4))), (2, 0, 1)).shape
        (4, 2, 3)

    Source: ``mindspore.ops.permute``, ``mindspore.ops.transpose``.
    """
    return input.transpose(_order(input.shape, dim))


def _swapped(shape: Shape, axis0: int, axis1: int) -> Shape:
    a, b = rules.axis("swapaxes", axis0, len(shape)), rules.axis("swapaxes", axis1, len(shape))
    order = list(shape)
    if shape:
        order[a], order[b] = order[b], order[a]
    return tuple(order)


def _swapaxes_vjp(g: Any, _out: Any, _input: Any, axis0: Any, axis1: Any) -> Any:
    return swapaxes(g, axis0, axis1)


@view(
    shape=_swapped,
    dtype=rules.same,
    vjp=_swapaxes_vjp,
    ops=["swapaxes(input, axis0, axis1)", "swapdims(input, dim0, dim1)"],
    mint=["swapaxes(input, axis0, axis1)", "transpose(input, dim0, dim1)"],
    tensor=["swapaxes(axis0, axis1)", "swapdims(dim0, dim1)"],
    rename={"dim0": "axis0", "dim1": "axis1"},
    batch="two_axes",
)
def swapaxes(input: Array, axis0: int, axis1: int) -> Any:
    """Return the tensor with two dimensions exchanged. A view.

    Examples:
        >>> ops.swapaxes(Tensor(np.zeros((2, 3, 4))), 0, 2).shape
        (4, 3, 2)

    Source: ``mindspore.ops.swapaxes``.
    """
    return input.swapaxes(axis0, axis1) if input.ndim else input[...]


@composite(
    ops=["moveaxis(x, source, destination)", "movedim(x, source, destination)"],
    tensor=["moveaxis(source, destination)", "movedim(source, destination)"],
)
def moveaxis(input: Array, source: Any, destination: Any) -> Any:
    """Return the tensor with some dimensions at new places, the others in their order. A view.

    Examples:
        >>> ops.moveaxis(Tensor(np.zeros((2, 3, 4))), 0, -1).shape
        (3, 4, 2)

    Source: ``mindspore.ops.moveaxis``.
    """
    n = input.ndim
    start = [rules.axis("moveaxis", d, n, "source") for d in dims_of("moveaxis", source, "source")]
    end = [rules.axis("moveaxis", d, n, "destination") for d in dims_of("moveaxis", destination, "destination")]
    if len(start) != len(end) or len(set(start)) != len(start) or len(set(end)) != len(end):
        fail(
            ValueError,
            "moveaxis",
            "'source' and 'destination'",
            "name as many dimensions, each once",
            f"{source} and {destination}",
        )
    order = [d for d in range(n) if d not in start]
    for at, d in sorted(zip(end, start)):
        order.insert(at, d)
    return permute(input, tuple(order))


def _unsqueezed(shape: Shape, dim: int) -> Shape:
    at = rules.axis("ExpandDims", dim, len(shape) + 1)
    return (*shape[:at], 1, *shape[at:])


@view(
    shape=_unsqueezed,
    dtype=rules.same,
    vjp=lambda g, _out, input, _dim: reshape(g, input.shape),
    ops=["unsqueeze(input, dim)", "expand_dims(input_x, axis)"],
    mint="unsqueeze(input, dim)",
    tensor=["unsqueeze(dim)", "expand_dims(axis)"],
    primitive="ExpandDims()(x, axis)",
    batch="reshape",
)
def unsqueeze(input: Array, dim: int) -> Any:
    """Return the tensor with a dimension of size 1 put in at `dim`. A view.

    Examples:
        >>> ops.unsqueeze(Tensor([1, 2]), 0).shape
        (1, 2)

    Source: ``mindspore.ops.unsqueeze``, ``mindspore.ops.expand_dims``.
    """
    at = dim if dim >= 0 else dim + input.ndim + 1
    return input[(slice(None),) * at + (None,)]


def _squeezed(shape: Shape, dim: Any = None) -> Shape:
    if dim is None or dim == ():
        return tuple(n for n in shape if n != 1)
    gone = {rules.axis("Squeeze", d, len(shape)) for d in dims_of("Squeeze", dim, "axis")}
    for d in gone if shape else ():
        if shape[d] != 1:
            fail(ValueError, "Squeeze", "dimensions in 'axis'", "have size 1", f"axis {d} of shape {list(shape)}")
    return tuple(n for i, n in enumerate(shape) if i not in gone)


@view(
    shape=_squeezed,
    dtype=rules.same,
    vjp=lambda g, _out, input, _dim: reshape(g, input.shape),
    ops="squeeze(input, axis=None)",
    tensor=["squeeze(axis=None)"],
    primitive="Squeeze(axis=())(x)",
    batch="reshape",
)
def squeeze(input: Array, dim: Any = None) -> Any:
    """Return the tensor without dimensions of size 1 (all of them, or those named). A view.

    Raises:
        ValueError: a dimension named has another size.

    Examples:
        >>> ops.squeeze(Tensor([[1, 2]]), 0).shape
        (2,)

    Source: ``mindspore.ops.squeeze``.
    """
    return input.reshape(_squeezed(input.shape, dim))


@composite(mint="squeeze(input, dim)", name="squeeze_if_one")
def squeeze_if_one(input: Array, dim: Any) -> Any:
    """Return the tensor without those of the named dimensions that have size 1; the others stay. A view.

    Examples:
        >>> mint.squeeze(Tensor([[1, 2]]), (0, 1)).shape
        (2,)

    Source: ``mindspore.mint.squeeze``.
    """
    named = [rules.axis("squeeze", d, input.ndim, "dim") for d in dims_of("squeeze", dim, "dim")]
    ones = tuple(d for d in named if input.ndim and input.shape[d] == 1)
    return squeeze(input, ones) if ones else reshape(input, input.shape)


def _broadcasted(shape: Shape, target: Any) -> Shape:
    wanted = list(dims_of("BroadcastTo", target))
    extra = len(wanted) - len(shape)
    for i, n in enumerate(wanted):
        if n == -1 and i >= extra >= 0:
            wanted[i] = shape[i - extra]
    if extra < 0 or any(n != wanted[i + extra] and n != 1 for i, n in enumerate(shape)) or min(wanted, default=0) < 0:
        fail(
            ValueError,
            "BroadcastTo",
            "'shape'",
            f"be one that {list(shape)} can be broadcast to",
            str(list(dims_of("", target))),
        )
    return tuple(wanted)


@view(
    shape=_broadcasted,
    dtype=rules.same,
    vjp=lambda g, _out, input, _shape: sum_to(g, input.shape),
    ops="broadcast_to(input, shape)",
    mint="broadcast_to(input, shape)",
    tensor=["broadcast_to(shape)", "expand(*size)"],
    primitive="BroadcastTo(shape)(x)",
    rename={"size": "shape"},
    batch="broadcast",
)
def broadcast_to(input: Array, shape: Any) -> Any:
    """Return the tensor repeated along new dimensions and those of size 1; -1 keeps a dimension's size. A view.

    Raises:
        ValueError: the shapes do not fit.

    Examples:
        >>> print(ops.broadcast_to(Tensor([1, 2]), (2, 2)))
        [[1 2]
         [1 2]]

    Source: ``mindspore.ops.broadcast_to``.
    """
    return np.broadcast_to(input, _broadcasted(input.shape, shape))


@composite(
    tensor=["expand_as(other)", "view_as(other)", "reshape_as(other)"],
    ops=["view_as(input, other)", "expand_as(input, other)"],
)
def expand_as(input: Array, other: Array) -> Any:
    """Return the tensor in the shape of `other`: as a reshape where the sizes agree, else broadcast.

    Examples:
        >>> Tensor([1, 2]).expand_as(Tensor([[1, 2], [3, 4]])).shape
        (2, 2)

    Source: ``mindspore.Tensor.expand_as``, ``mindspore.Tensor.view_as``.
    """
    return reshape(input, other.shape) if input.size == other.size else broadcast_to(input, other.shape)


@composite(
    mint="flatten(input, start_dim=0, end_dim=-1)",
    mintf="flatten(input, start_dim=0, end_dim=-1)",
    ops="flatten(input, order='C', *, start_dim=1, end_dim=-1)",
    tensor=["flatten(start_dim=0, end_dim=-1)", "flatten(order='C', *, start_dim=0, end_dim=-1)"],
    primitive="Flatten()(x)",
)
def flatten(input: Array, order: str = "C", start_dim: int = 1, end_dim: int = -1) -> Any:
    """Return the tensor with the dimensions from `start_dim` to `end_dim` joined to one; order "F" reverses them first.

    Raises:
        ValueError: `start_dim` is after `end_dim`, or `order` is neither "C" nor "F".

    Examples:
        >>> ops.flatten(Tensor(np.zeros((2, 3, 4)))).shape
        (2, 12)

    Source: ``mindspore.ops.flatten``, ``mindspore.mint.flatten``.
    """
    if order not in ("C", "F"):
        fail(ValueError, "flatten", "'order'", "be 'C' or 'F'", describe(order))
    if order == "F":
        input = permute(input)
    n = input.ndim
    if n < 2:
        return reshape(input, (-1,)) if input.size else reshape(input, (0,))
    first, last = rules.axis("flatten", start_dim, n, "start_dim"), rules.axis("flatten", end_dim, n, "end_dim")
    if first > last:
        fail(ValueError, "flatten", "'start_dim'", "not come after 'end_dim'", f"{start_dim} and {end_dim}")
    shape = input.shape
    return reshape(input, (*shape[:first], math.prod(shape[first : last + 1]), *shape[last + 1 :]))


@composite(ops="ravel(input)", mint="ravel(input)", tensor="ravel()")
def ravel(input: Array) -> Any:
    """Return the elements in row-major order, in one dimension.

    Examples:
        >>> print(ops.ravel(Tensor([[1, 2], [3, 4]])))
        [1 2 3 4]

    Source: ``mindspore.ops.ravel``.
    """
    return reshape(input, (input.size,))
