"""Joining, cutting and turning: what is made of concat, narrow, reshape and flip."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._tape import sum_to
from ms_kernels.ops.getitem import take_key
from ms_kernels.ops.matrices import meshgrid
from ms_kernels.ops.pad import pad_constant
from ms_kernels.ops.rearrange import concat, stack
from ms_kernels.ops.sections import narrow
from ms_kernels.ops.shape import dims_of, reshape

__all__ = ["atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "hstack", "tensor_split", "vstack"]


def tensors_of(name: str, values: Any, arg: str = "tensors") -> list[Any]:
    """Return a non-empty list or tuple of tensors as a list."""
    if not isinstance(values, (list, tuple)):
        fail(TypeError, name, f"'{arg}'", "be a list or tuple of Tensors", describe(values))
    if not values:
        fail(ValueError, name, f"'{arg}'", "hold at least one Tensor", "none")
    for value in values:
        if not isinstance(value, TensorBase):
            fail(TypeError, name, f"items of '{arg}'", "be Tensors", describe(value))
    return list(values)


def _lifted(tensor: Any, ndim: int) -> Any:
    """The tensor with at least `ndim` dimensions, as NumPy's atleast_* place the new ones."""
    if tensor.ndim >= ndim:
        return tensor
    shape = tensor.shape
    if ndim == 3 and tensor.ndim:
        return reshape(tensor, (1, *shape, 1) if tensor.ndim == 1 else (*shape, 1))
    return reshape(tensor, (1,) * (ndim - tensor.ndim) + tuple(shape))


def _atleast(ndim: int) -> Any:
    name = f"atleast_{ndim}d"

    def body(inputs: list[Array]) -> Any:
        if isinstance(inputs, TensorBase):
            return _lifted(inputs, ndim)
        return tuple(_lifted(item, ndim) for item in tensors_of(name, inputs, "inputs"))

    body.__name__, body.__module__ = name, __name__
    shape = {1: (1,), 2: (1, 1), 3: (1, 1, 1)}[ndim]
    body.__doc__ = (
        f"Return a tensor (or each of several) with at least {ndim} dimension(s), new ones of size "
        "1. Views.\n\nRaises:\n    TypeError: something else than Tensors.\n\n"
        f"Examples:\n    >>> ops.{name}(Tensor(5.0)).shape\n    {shape}\n\nSource: ``mindspore.ops.{name}``."
    )
    return composite(ops=f"{name}(inputs)", name=name)(body)


atleast_1d, atleast_2d, atleast_3d = _atleast(1), _atleast(2), _atleast(3)


@composite(ops="hstack(tensors)", mint="hstack(tensors)")
def hstack(tensors: list[Array]) -> Any:
    """Return tensors joined along the second dimension (vectors: the first).

    Raises:
        TypeError: something else than a list or tuple of Tensors.
        ValueError: no tensors, or shapes that do not fit.

    Examples:
        >>> print(ops.hstack([Tensor([1, 2]), Tensor([3])]))
        [1 2 3]

    Source: ``mindspore.ops.hstack``.
    """
    parts = [_lifted(t, 1) for t in tensors_of("hstack", tensors)]
    return concat(parts, 0 if parts[0].ndim == 1 else 1)


@composite(ops=["vstack(inputs)", "row_stack(tensors)"], rename={"inputs": "tensors"})
def vstack(tensors: list[Array]) -> Any:
    """Return tensors joined along the first dimension; vectors become rows.

    Raises:
        TypeError: something else than a list or tuple of Tensors.
        ValueError: no tensors, or shapes that do not fit.

    Examples:
        >>> print(ops.vstack([Tensor([1, 2]), Tensor([3, 4])]))
        [[1 2]
         [3 4]]

    Source: ``mindspore.ops.vstack``.
    """
    return concat([_lifted(t, 2) for t in tensors_of("vstack", tensors, "inputs")], 0)


@composite(ops="dstack(tensors)", mint="dstack(tensors)")
def dstack(tensors: list[Array]) -> Any:
    """Return tensors joined along the third dimension.

    Raises:
        TypeError: something else than a list or tuple of Tensors, or none.

    Examples:
        >>> print(ops.dstack([Tensor([1, 2]), Tensor([3, 4])]))
        [[[1 3]
          [2 4]]]

    Source: ``mindspore.ops.dstack``.
    """
    if isinstance(tensors, (list, tuple)) and not tensors:
        fail(TypeError, "dstack", "'tensors'", "hold at least one Tensor", "none")
    return concat([_lifted(t, 3) for t in tensors_of("dstack", tensors)], 2)


@composite(ops="column_stack(tensors)")
def column_stack(tensors: list[Array]) -> Any:
    """Return tensors joined along the second dimension; vectors become columns.

    Examples:
        >>> print(ops.column_stack([Tensor([1, 2]), Tensor([3, 4])]))
        [[1 3]
         [2 4]]

    Source: ``mindspore.ops.column_stack``.
    """
    parts = tensors_of("column_stack", tensors)
    return concat([reshape(t, (t.size, 1)) if t.ndim < 2 else t for t in parts], 1)


@composite(ops="block_diag(*inputs)", rename={"inputs": "tensors"})
def block_diag(tensors: list[Array]) -> Any:
    """Return a matrix with tensors of at most two dimensions along its diagonal and 0 elsewhere.

    Raises:
        TypeError: something else than Tensors.
        ValueError: more than two dimensions.

    Examples:
        >>> print(ops.block_diag(Tensor([1]), Tensor([[2, 3], [4, 5]])))
        [[1 0 0]
         [0 2 3]
         [0 4 5]]

    Source: ``mindspore.ops.block_diag``.
    """
    parts = tensors_of("block_diag", tensors, "inputs")
    for part in parts:
        if part.ndim > 2:
            fail(ValueError, "block_diag", "inputs", "have at most two dimensions", str(part.ndim))
    parts = [_lifted(part, 2) for part in parts]
    width, done, rows = sum(part.shape[1] for part in parts), 0, []
    for part in parts:
        rows.append(pad_constant(part, (done, width - done - part.shape[1])))
        done += part.shape[1]
    return concat(rows, 0)


def _cuts(name: str, input: Any, where: Any, at: int) -> Any:
    size, cuts = input.shape[at], []
    if isinstance(where, int) and not isinstance(where, bool):
        if where <= 0:
            fail(ValueError, name, "'indices_or_sections'", "be positive", str(where))
        small, more = divmod(size, where)
        cuts = list(itertools.accumulate([small + 1] * more + [small] * (where - more)))[:-1]
    elif isinstance(where, (tuple, list)):
        cuts = list(dims_of(name, where, "indices_or_sections"))
    else:
        fail(TypeError, name, "'indices_or_sections'", "be an int or a tuple of ints", describe(where))
    ends = [slice(a, b).indices(size) for a, b in zip((None, *cuts), (*cuts, None))]
    return tuple(narrow(input, at, low, max(0, high - low)) for low, high, _ in ends)


@composite(ops="tensor_split(input, indices_or_sections, axis=0)", tensor="tensor_split(indices_or_sections, axis=0)")
def tensor_split(input: Array, indices_or_sections: Any, dim: int = 0) -> Any:
    """Return the tensor cut along a dimension: into a number of parts of nearly one size, or before each index. Views.

    Raises:
        ValueError: no parts, or a tensor without dimensions.
        TypeError: neither an int nor a tuple or list of ints.

    Examples:
        >>> [part.tolist() for part in ops.tensor_split(Tensor([1, 2, 3]), 2)]
        [[1, 2], [3]]

    Source: ``mindspore.ops.tensor_split``.
    """
    if not input.ndim:
        fail(ValueError, "tensor_split", "'input'", "have at least one dimension", "none")
    return _cuts("tensor_split", input, indices_or_sections, rules.axis("tensor_split", dim, input.ndim))


def _split_along(name: str, at: int) -> Any:
    def body(input: Any, indices_or_sections: Any) -> Any:
        if input.ndim <= at:
            fail(ValueError, name, "'input'", f"have at least {at + 1} dimensions", str(input.ndim))
        return _cuts(name, input, indices_or_sections, at)

    body.__name__, body.__module__ = name, __name__
    body.__annotations__["input"] = "Array"
    shape = (2,) * (at + 1)
    cut = tuple(1 if i == at else n for i, n in enumerate(shape))
    body.__doc__ = (
        f"Return the tensor cut along dimension {at}: into a number of parts, or before each index. Views.\n\n"
        "Raises:\n    ValueError: too few dimensions, or no parts.\n\n"
        f"Examples:\n    >>> [part.shape for part in ops.{name}(Tensor(np.ones({shape})), 2)]\n    [{cut}, {cut}]\n\n"
        f"Source: ``mindspore.ops.{name}``."
    )
    return composite(ops=f"{name}(input, indices_or_sections)", tensor=f"{name}(indices_or_sections)", name=name)(body)


vsplit, hsplit, dsplit = _split_along("vsplit", 0), _split_along("hsplit", 1), _split_along("dsplit", 2)


@composite(ops="cartesian_prod(*inputs)", rename={"inputs": "tensors"})
def cartesian_prod(tensors: list[Array]) -> Any:
    """Return every choice of one element from each vector, one choice a row, the last vector's running fastest.

    Raises:
        TypeError: something else than Tensors.
        ValueError: a tensor that is no vector.

    Examples:
        >>> print(ops.cartesian_prod(Tensor([1, 2]), Tensor([3, 4])))
        [[1 3]
         [1 4]
         [2 3]
         [2 4]]

    Source: ``mindspore.ops.cartesian_prod``.
    """
    vectors = tensors_of("cartesian_prod", tensors, "inputs")
    for vector in vectors:
        if vector.ndim != 1:
            fail(ValueError, "cartesian_prod", "inputs", "have one dimension", str(vector.ndim))
    grids = meshgrid(tuple(vectors), "ij")
    return stack([reshape(grid, (grid.size,)) for grid in grids], 1)


@composite(ops="combinations(input, r=2, with_replacement=False)")
def combinations(input: Array, r: int = 2, with_replacement: bool = False) -> Any:
    """Return the combinations of `r` elements of a vector in order, one a row.

    Raises:
        ValueError: `input` is no vector, or `r` is negative.

    Examples:
        >>> print(ops.combinations(Tensor([1, 2, 3])))
        [[1 2]
         [1 3]
         [2 3]]

    Source: ``mindspore.ops.combinations``.
    """
    if input.ndim != 1:
        fail(ValueError, "combinations", "'input'", "have one dimension", str(input.ndim))
    if isinstance(r, bool) or not isinstance(r, int) or r < 1:
        fail(ValueError, "combinations", "'r'", "be a positive int", describe(r))
    kind = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = np.array(list(kind(range(input.size), r)), np.int64).reshape(-1, r)
    return take_key(input, (rows,)) if rows.size else from_array(np.empty(0, np.float32))


@composite(mint="select(input, dim, index)", tensor="select(dim: int, index: int|Tensor)", name="select_at")
def select_at(input: Array, dim: int, index: Any) -> Any:
    """Return one slice along a dimension, which is then gone. A view.

    Raises:
        IndexError: the index is out of range.
        ValueError: the dimension is.

    Examples:
        >>> print(mint.select(Tensor([[1, 2], [3, 4]]), 1, 0))
        [1 3]

    Source: ``mindspore.mint.select``.
    """
    at = rules.axis("select", dim, input.ndim, "dim")
    size, place = input.shape[at] if input.ndim else 0, int(index)
    if not -size <= place < size:
        fail(IndexError, "select", "'index'", f"be in [{-size}, {size})", str(place))
    return take_key(input, (*((slice(None),) * at), place))


@composite(tensor="sum_to_size(*size)", rename={"size": "sizes"})
def sum_to_size(input: Array, sizes: Any) -> Any:
    """Return the sums over what a broadcast of a tensor of a given shape has added.

    Raises:
        ValueError: that shape cannot be broadcast to this one.

    Examples:
        >>> print(Tensor([[1, 2], [3, 4]]).sum_to_size((1, 2)))
        [[4 6]]

    Source: ``mindspore.Tensor.sum_to_size``.
    """
    size, shape = dims_of("sum_to_size", sizes, "size"), input.shape
    tail = shape[len(shape) - len(size) :] if len(size) <= len(shape) else ()
    if len(size) > len(shape) or any(n not in (1, m) for n, m in zip(size, tail)):
        fail(ValueError, "sum_to_size", "'size'", f"be one that can be expanded to {list(shape)}", str(list(size)))
    return sum_to(input, size) if size != shape else input


@composite(ops="expand(input_x, size)", rename={"size": "shape"})
def expand(input: Array, shape: Any) -> Any:
    """Return the tensor broadcast to a shape (a tuple, or a Tensor that holds it). A view.

    Examples:
        >>> print(ops.expand(Tensor([1, 2]), Tensor([2, 2])))
        [[1 2]
         [1 2]]

    Source: ``mindspore.ops.expand``.
    """
    from ms_kernels.ops.shape import broadcast_to

    return broadcast_to(input, dims_of("expand", shape, "size"))
