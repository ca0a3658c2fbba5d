"""Writing along one dimension, under a mask, into a slice or a diagonal: each gives a changed copy."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.dispatch import replace, scope
from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._tape import broadcast_np, cast_np
from ms_kernels.ops.getitem import set_key, take_key
from ms_kernels.ops.scatter_nd import combine_key, positions
from ms_kernels.ops.shape import reshape

__all__ = ["index_add", "index_fill", "index_put", "masked_scatter", "overwrite"]


def overwrite(target: Any, value: Any) -> Any:
    """Give a Parameter new numbers in place, outside of any gradient; returns a Tensor on the same memory."""
    with scope(recording=False):
        replace(target, value)
    shown = from_array(target._a)
    shown._set_owner(target)
    return shown


def is_parameter(value: Any) -> bool:
    """Whether a value is a Parameter: its class carries 2.6's mark."""
    return hasattr(value, "__parameter__")


def _along(dim: int, key: Any) -> tuple[Any, ...]:
    return (*((slice(None),) * dim), key)


def _like(value: Any, dtype: Any) -> Any:
    """A number or a tensor as a tensor of a NumPy dtype."""
    if isinstance(value, TensorBase):
        return value if value._kind == dtype else cast_np(value, dtype)
    with np.errstate(all="ignore"):
        return from_array(np.asarray(value).astype(dtype))


@composite(
    ops=["index_add(x, indices, y, axis, use_lock=True, check_index_bound=True)"],
    mint="index_add(input, dim, index, source, alpha=1)",
    tensor=[
        "index_add(indices: Tensor, y, axis, use_lock=True, check_index_bound=True)",
        "index_add(dim: int, index, source, *, alpha=1)",
    ],
    inplace="index_add_(dim, index, source, *, alpha=1)",
    primitive="IndexAdd(axis, use_lock=True, check_index_bound=True)(x, indices, y)",
    rename={"indices": "index", "y": "source", "use_lock": "", "check_index_bound": ""},
)
def index_add(input: Array, dim: int, index: Array, source: Array, alpha: Any = 1) -> Any:
    """Return `input` with the slices of `source`, times `alpha`, added to those that `index` names along a dimension.

    A Parameter is changed itself.

    Raises:
        ValueError: `index` has not one dimension, or the shapes do not fit.
        RuntimeError: an index out of range.

    Examples:
        >>> print(mint.index_add(Tensor([1.0, 2.0, 3.0]), 0, Tensor([0, 0]), Tensor([5.0, 6.0])))
        [12.  2.  3.]

    Source: ``mindspore.ops.index_add``, ``mindspore.mint.index_add``.
    """
    at = rules.axis("IndexAdd", dim, input.ndim)
    places = positions("IndexAdd", index, input.shape[at])
    wanted = (*input.shape[:at], places.size, *input.shape[at + 1 :])
    if places.ndim != 1 or source.shape != wanted:
        fail(ValueError, "IndexAdd", "shape of 'y'", f"be {list(wanted)}", str(list(source.shape)))
    part = _like(source if alpha == 1 else source * alpha, input._kind)
    out = combine_key(input, _along(at, places), part, "add")
    return overwrite(input, out) if is_parameter(input) else out


@composite(
    ops="index_fill(x, axis, index, value)",
    tensor="index_fill(axis, index, value)",
    primitive="IndexFill()(x, dim, index, value)",
    rename={"value": "value"},
)
def index_fill(input: Array, dim: Any, index: Array, value: Any) -> Any:
    """Return `input` with one value at the slices that `index` names along a dimension.

    Raises:
        TypeError: indices that are no integers, or a value that is neither a number nor a Tensor.
        RuntimeError: an index out of range.

    Examples:
        >>> print(ops.index_fill(Tensor([1, 2, 3]), 0, Tensor([0, 2]), 7))
        [7 2 7]

    Source: ``mindspore.ops.index_fill``.
    """
    if not isinstance(value, (TensorBase, bool, int, float)):
        fail(TypeError, "IndexFill", "'value'", "be a number or a Tensor", describe(value))
    at = rules.axis("IndexFill", int(dim), input.ndim)
    places = positions("IndexFill", index, input.shape[at])
    return set_key(input, _along(at, places), _like(value, input._kind))


@composite(
    tensor="index_put(indices, values, accumulate=False)",
    inplace="index_put_(indices, values, accumulate=False)",
    primitive="IndexPut(accumulate=0)(x1, x2, indices)",
    rename={"x1": "input", "x2": "values"},
)
def index_put(input: Array, indices: Any, values: Array, accumulate: Any = False) -> Any:
    """Return `input` with `values` put (or added) where a tuple of index tensors says, as ``input[indices] = values``.

    Raises:
        TypeError: the indices are no list or tuple of integer Tensors, or the dtypes differ.
        ValueError: more index tensors than dimensions.

    Examples:
        >>> print(Tensor([[1, 2], [3, 4]]).index_put((Tensor([0, 1]), Tensor([1, 1])), Tensor([8, 9])))
        [[1 8]
         [3 9]]

    Source: ``mindspore.Tensor.index_put``.
    """
    if not isinstance(indices, (list, tuple)) or not all(isinstance(i, TensorBase) for i in indices):
        fail(TypeError, "IndexPut", "'indices'", "be a list or tuple of Tensors", describe(indices))
    if input.dtype is not values.dtype:
        fail(TypeError, "IndexPut", "dtype of 'values'", f"be {input.dtype}", str(values.dtype))
    if len(indices) > input.ndim:
        fail(ValueError, "IndexPut", "number of 'indices'", f"be at most {input.ndim}", str(len(indices)))
    key = tuple(i._a if i.dtype is mstype.bool_ else positions("IndexPut", i, n) for i, n in zip(indices, input.shape))
    if not accumulate:
        return set_key(input, key, values)
    shape = take_key(input, key).shape
    return combine_key(input, key, values if values.shape == shape else broadcast_np(values, shape), "add")


@composite(
    tensor="masked_scatter(mask, x)",
    primitive="MaskedScatter()(input, mask, updates)",
    rename={"updates": "source", "x": "source"},
)
def masked_scatter(input: Array, mask: Array, source: Array) -> Any:
    """Return `input` with the first elements of `source`, in turn, where `mask` (broadcast) holds.

    Raises:
        TypeError: the mask is not bool.
        ValueError: `source` has too few elements.

    Examples:
        >>> print(Tensor([1, 2, 3]).masked_scatter(Tensor([True, False, True]), Tensor([8, 9])))
        [8 2 9]

    Source: ``mindspore.Tensor.masked_scatter``.
    """
    if mask.dtype is not mstype.bool_:
        fail(TypeError, "MaskedScatter", "dtype of 'mask'", "be Bool", str(mask.dtype))
    shape = rules.broadcast("MaskedScatter")(input.shape, mask.shape)
    chosen = np.broadcast_to(mask._a, shape)
    count = int(chosen.sum())
    if count > source.size:
        fail(ValueError, "MaskedScatter", "number of elements of 'source'", f"be at least {count}", str(source.size))
    part = take_key(reshape(source, (source.size,)), (slice(0, count),))
    whole = input if input.shape == shape else broadcast_np(input, shape)
    return set_key(whole, (np.ascontiguousarray(chosen),), _like(part, input._kind))


def _into(name: str, input: Any, key: Any, src: Any) -> Any:
    """Put a tensor at a place of its own shape."""
    wanted = take_key(input, key).shape
    if src.shape != wanted:
        fail(ValueError, name, "shape of 'src'", f"be {list(wanted)}", str(list(src.shape)))
    return set_key(input, key, src)


@composite(ops="select_scatter(input, src, axis, index)", tensor="select_scatter(src, axis, index)")
def select_scatter(input: Array, src: Array, dim: int, index: int) -> Any:
    """Return `input` with `src` put at one slice along a dimension.

    Raises:
        ValueError: `src` has another shape.
        IndexError: the index is out of range.

    Examples:
        >>> print(ops.select_scatter(Tensor([[1, 2], [3, 4]]), Tensor([8, 9]), 1, 0))
        [[8 2]
         [9 4]]

    Source: ``mindspore.ops.select_scatter``.
    """
    return _into("select_scatter", input, _along(rules.axis("select_scatter", dim, input.ndim), int(index)), src)


@composite(
    ops="slice_scatter(input, src, axis=0, start=None, end=None, step=1)",
    tensor="slice_scatter(src, axis=0, start=None, end=None, step=1)",
)
def slice_scatter(
    input: Array, src: Array, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Any:
    """Return `input` with `src` put at a range of slices along a dimension.

    Raises:
        ValueError: `src` has another shape, or the step is not positive.

    Examples:
        >>> print(ops.slice_scatter(Tensor([1, 2, 3]), Tensor([8, 9]), 0, 1))
        [1 8 9]

    Source: ``mindspore.ops.slice_scatter``.
    """
    if isinstance(step, bool) or not isinstance(step, int) or step <= 0:
        fail(ValueError, "slice_scatter", "'step'", "be a positive int", describe(step))
    at = rules.axis("slice_scatter", dim, input.ndim)
    return _into("slice_scatter", input, _along(at, slice(start, end, step)), src)


def diagonal_key(name: str, shape: tuple[int, ...], offset: int, dim1: int, dim2: int) -> tuple[Any, ...]:
    """The key whose elements are a diagonal; the diagonal's dimension comes first."""
    first, second = rules.axis(name, dim1, len(shape), "dim1"), rules.axis(name, dim2, len(shape), "dim2")
    if first == second:
        fail(ValueError, name, "'dim1' and 'dim2'", "be different", str(dim1))
    count = max(0, min(shape[first] - max(-offset, 0), shape[second] - max(offset, 0)))
    steps = np.arange(count)
    rest = [i for i in range(len(shape)) if i not in (first, second)]
    grids: list[Any] = [None] * len(shape)
    tail = (1,) * len(rest)
    grids[first] = (steps + max(-offset, 0)).reshape(count, *tail)
    grids[second] = (steps + max(offset, 0)).reshape(count, *tail)
    for place, i in enumerate(rest):
        grids[i] = np.arange(shape[i]).reshape(1, *(shape[i] if k == place else 1 for k in range(len(rest))))
    return tuple(grids)


@composite(
    ops="diagonal_scatter(input, src, offset=0, dim1=0, dim2=1)",
    tensor="diagonal_scatter(src, offset=0, dim1=0, dim2=1)",
)
def diagonal_scatter(input: Array, src: Array, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """Return `input` with `src` put on a diagonal, `offset` above the main one; its last dimension runs along it.

    Raises:
        ValueError: `src` has not the diagonal's shape.

    Examples:
        >>> print(ops.diagonal_scatter(Tensor([[1, 2], [3, 4]]), Tensor([8, 9])))
        [[8 2]
         [3 9]]

    Source: ``mindspore.ops.diagonal_scatter``.
    """
    from ms_kernels.ops.shape import moveaxis

    key = diagonal_key("diagonal_scatter", input.shape, offset, dim1, dim2)
    found = np.broadcast_shapes(*(k.shape for k in key))
    wanted = (*found[1:], found[0])
    if src.shape != wanted:
        fail(ValueError, "diagonal_scatter", "shape of 'src'", f"be {list(wanted)}", str(list(src.shape)))
    return set_key(input, key, moveaxis(src, -1, 0))


def _in_rows(how: str, text: str, shown: str) -> Any:
    name, primitive = f"inplace_{how}", f"Inplace{how.capitalize()}"

    def body(input: Any, v: Any, indices: Any) -> Any:
        if not isinstance(indices, (int, tuple, TensorBase)) or isinstance(indices, bool):
            fail(TypeError, primitive, "'indices'", "be an int, a tuple of ints or a Tensor", describe(indices))
        if not input.ndim:
            fail(ValueError, primitive, "'x'", "have at least one dimension", "none")
        places = np.atleast_1d(positions(primitive, indices, input.shape[0]))
        if v.shape != (places.size, *input.shape[1:]):
            rule = f"be {[places.size, *input.shape[1:]]}"
            fail(ValueError, primitive, "shape of 'v'", rule, str(list(v.shape)))
        return set_key(input, (places,), v) if how == "update" else combine_key(input, (places,), v, how)

    body.__annotations__.update(input="Array", v="Array")
    body.__name__, body.__module__ = name, __name__
    body.__doc__ = (
        f"Return a copy of `x` with the rows that `indices` names {text} those of `v`.\n\n"
        "Raises:\n    RuntimeError: an index out of range.\n    ValueError: shapes that do not fit.\n    TypeError: "
        "indices of another type.\n\nExamples:\n"
        f"    >>> print(ops.{name}(Tensor([1.0, 2.0]), Tensor([5.0]), (1,)))\n    {shown}\n\n"
        f"Source: ``mindspore.ops.{name}``."
    )
    return composite(
        ops=f"{name}(x, v, indices)",
        tensor=f"{name}(v, indices)" if how == "update" else (),
        primitive=f"{primitive}(indices)(x, v)",
        name=name,
    )(body)


inplace_update = _in_rows("update", "replaced by", "[1. 5.]")
inplace_add = _in_rows("add", "increased by", "[1. 7.]")
inplace_sub = _in_rows("sub", "decreased by", "[ 1. -3.]")


@composite(
    ops="put_(input, index, source, accumulate=False)", tensor="put_(index, source, accumulate=False)", name="put_"
)
def put_(input: Array, index: Array, source: Array, accumulate: bool = False) -> Any:
    """Change a tensor in place: `source` is put (or added) at places counted over all elements; returns the tensor.

    Raises:
        TypeError: indices that are no integers.
        RuntimeError: an index out of range.
        ValueError: as many indices as elements of `source` are needed.

    Examples:
        >>> print(Tensor([[1, 2], [3, 4]]).put_(Tensor([0, 3]), Tensor([8, 9])))
        [[8 2]
         [3 9]]

    Source: ``mindspore.Tensor.put_``.
    """
    places = positions("put_", index, input.size).reshape(-1)
    if places.size != source.size:
        fail(
            ValueError, "put_", "number of elements of 'source'", f"be that of 'index', {places.size}", str(source.size)
        )
    flat, part = reshape(input, (input.size,)), _like(reshape(source, (source.size,)), input._kind)
    done = combine_key(flat, (places,), part, "add") if accumulate else set_key(flat, (places,), part)
    return replace(input, reshape(done, input.shape))
