"""Reading and writing at the places that rows of indices name: gather_nd, scatter_nd, tensor_scatter_*, segments."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.core.dispatch import CHECK_NEVER
from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import FLOATS, composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._limits import limits
from ms_kernels.ops._tape import cast_np
from ms_kernels.ops.compare import equal, where
from ms_kernels.ops.create import full
from ms_kernels.ops.getitem import put_key, set_key, take_key
from ms_kernels.ops.shape import dims_of
from ms_kernels.tape.batched import batched_in, known

__all__ = ["combine_key", "gather_nd", "scatter_nd", "tensor_scatter", "unsorted_segment_sum"]

Shape = tuple[int, ...]


def rows_key(name: str, indices: Any, shape: Shape) -> tuple[Any, ...]:
    """Turn indices whose last dimension holds places into a NumPy key for a shape.

    Raises:
        TypeError: the indices are no integers.
        ValueError: there are more of them in a row than dimensions.
        RuntimeError: one is negative or too great.
    """
    rows = known(indices)
    if rows.dtype.kind not in "iu":
        fail(TypeError, name, "dtype of 'indices'", "be an integer type", str(indices.dtype))
    if not indices.ndim or rows.shape[-1] > len(shape):
        got = str(rows.shape[-1]) if indices.ndim else "no dimension"
        fail(ValueError, name, "last dimension of 'indices'", f"be at most {len(shape)}", got)
    for place in range(rows.shape[-1]):
        column = rows[..., place]
        if column.size and not (column.min() >= 0 and column.max() < shape[place]):
            wrong = int(column.min()) if column.min() < 0 else int(column.max())
            fail(RuntimeError, name, "'indices'", f"lie in the shape {list(shape)}", f"{wrong} in dimension {place}")
    if batched_in(indices) is not None:
        return tuple(take_key(indices, (Ellipsis, place)) for place in range(rows.shape[-1]))
    return tuple(rows[..., place] for place in range(rows.shape[-1]))


def _updates_fit(name: str, indices: Any, updates: Any, shape: Shape) -> None:
    wanted = (*indices.shape[:-1], *shape[indices.shape[-1] :])
    if updates.shape != wanted:
        fail(ValueError, name, "shape of 'updates'", f"be {list(wanted)}", str(list(updates.shape)))


def _combine_vjp(g: Any, out: Any, input: Any, key: Any, value: Any, how: str) -> Any:
    if how in ("add", "sub"):
        return g, lambda: take_key(g, key) if how == "add" else -take_key(g, key)
    if how in ("max", "min"):
        kept, won = equal(input, out), equal(value, take_key(out, key))
        kept, won = cast_np(kept, g._kind), cast_np(won, g._kind)
        share = g / (kept + put_key(won, key, input.shape))
        return lambda: share * kept, lambda: take_key(share, key) * won
    if how == "div":
        return lambda: combine_key(g, key, value, how), lambda: -take_key(g * out, key) / value
    return lambda: combine_key(g, key, value, how), lambda: _factor_gradient(g, out, input, key, value)


def _factor_gradient(g: Any, out: Any, input: Any, key: Any, value: Any) -> Any:
    """Of each factor: the product of all others; for a factor that is 0 from the product of those that are not."""
    zero = equal(value, 0)
    counts = np.zeros(input.shape, np.int64)
    np.add.at(counts, key, zero._a)
    rest = where(zero, 1, value)
    found = take_key(g * out, key) / rest
    if not counts.any():
        return found
    only = from_array(zero._a & (counts[key] == 1))
    return where(only, take_key(g * combine_key(input, key, rest, "mul"), key), where(zero, 0, found))


@op(
    shape=lambda input, _key, _value, _how: input,
    dtype=rules.same,
    vjp=_combine_vjp,
    check=CHECK_NEVER,  # those who call it have looked
    ascend="scatter_add",
    batch="set_key",
    primitive="CombineKey(key, how)(x, value)",
)
def combine_key(input: Array, key: Any, value: Array, how: str) -> Any:
    """Return a copy of `input` combined with `value` at ``[key]``, a place that is named twice twice.

    Args:
        how: "add", "sub", "mul", "div", "max" or "min".

    Examples:
        >>> print(ops.CombineKey((np.array([0, 0]),), "mul")(Tensor([1.0, 5.0]), Tensor([2.0, 3.0])))
        [6. 5.]

    Source: NumPy's ufunc.at.
    """
    wide = np.float32 if input.dtype in FLOATS and input.dtype.itemsize == 2 else input.dtype
    out, part = input.astype(wide), value.astype(wide)
    if how == "div" and input.dtype.kind in "iu":
        divisor = np.ones(input.shape, np.float64)
        np.multiply.at(divisor, key, part)
        return np.trunc(input / divisor).astype(input.dtype)
    names = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "max": np.maximum}
    with np.errstate(all="ignore"):
        names.get(how, np.minimum).at(out, key, part)
    return out.astype(input.dtype, copy=False)


@composite(ops="gather_nd(input_x, indices)", tensor="gather_nd(indices)", primitive="GatherNd()(input_x, indices)")
def gather_nd(input: Array, indices: Array) -> Any:
    """Return the elements (or slices) of `input` at the places that the rows of `indices` name.

    Raises:
        RuntimeError: a place out of range.
        ValueError: more numbers in a row than dimensions.
        TypeError: indices that are no integers.

    Examples:
        >>> print(ops.gather_nd(Tensor([[1, 2], [3, 4]]), Tensor([[0, 1], [1, 0]])))
        [2 3]

    Source: ``mindspore.ops.gather_nd``.
    """
    return take_key(input, rows_key("GatherNd", indices, input.shape))


@composite(ops="scatter_nd(indices, updates, shape)", primitive="ScatterNd()(indices, updates, shape)")
def scatter_nd(indices: Array, updates: Array, shape: Any) -> Any:
    """Return zeros of a shape with `updates` added at the places that the rows of `indices` name.

    Raises:
        RuntimeError: a place out of range.
        ValueError: `updates` has another shape than indices and shape ask for.

    Examples:
        >>> print(ops.scatter_nd(Tensor([[0], [2], [0]]), Tensor([1.0, 2.0, 3.0]), (4,)))
        [4. 0. 2. 0.]

    Source: ``mindspore.ops.scatter_nd``.
    """
    size = dims_of("ScatterNd", shape)
    key = rows_key("ScatterNd", indices, size)
    _updates_fit("ScatterNd", indices, updates, size)
    return put_key(updates, key, size)


def tensor_scatter(name: str, how: str, input: Any, indices: Any, updates: Any) -> Any:
    """Combine `updates` with `input` at rows of indices; "update" replaces."""
    key = rows_key(name, indices, input.shape)
    _updates_fit(name, indices, updates, input.shape)
    return set_key(input, key, updates) if how == "update" else combine_key(input, key, updates, how)


def _tensor_scatter(how: str, text: str, shown: str) -> Any:
    name, primitive = f"tensor_scatter_{how}", f"TensorScatter{how.capitalize()}"

    def body(input: Any, indices: Any, updates: Any) -> Any:
        if input.dtype is not updates.dtype:
            got = f"{input.dtype} and {updates.dtype}"
            fail(TypeError, primitive, "dtypes of 'input_x' and 'updates'", "be equal", got)
        return tensor_scatter(primitive, how, input, indices, updates)

    body.__annotations__.update(input="Array", indices="Array", updates="Array")
    body.__name__, body.__module__ = name, __name__
    body.__doc__ = (
        f"Return a copy of `input_x` {text} `updates` at the places that the rows of `indices` name, in turn.\n\n"
        "Raises:\n    RuntimeError: a place out of range.\n    ValueError: `updates` has another shape than these "
        "places.\n    TypeError: the dtypes differ.\n\nExamples:\n"
        f"    >>> x = Tensor([6.0, 2.0, 3.0])\n"
        f"    >>> print(ops.{name}(x, Tensor([[0], [2]]), Tensor([2.0, 4.0])))\n    {shown}\n\n"
        f"Source: ``mindspore.ops.{name}``."
    )
    method = {"add": "scatter_add", "update": "tensor_scatter_update"}.get(how, f"scatter_{how}")
    return composite(
        ops=f"{name}(input_x, indices, updates)",
        tensor=f"{method}(indices, updates)",
        primitive=f"{primitive}()(input_x, indices, updates)",
        name=name,
    )(body)


tensor_scatter_update = _tensor_scatter("update", "that holds", "[2. 2. 4.]")
tensor_scatter_add = _tensor_scatter("add", "increased by", "[8. 2. 7.]")
tensor_scatter_sub = _tensor_scatter("sub", "decreased by", "[ 4.  2. -1.]")
tensor_scatter_mul = _tensor_scatter("mul", "multiplied by", "[12.  2. 12.]")
tensor_scatter_div = _tensor_scatter("div", "divided by", "[3.   2.   0.75]")
tensor_scatter_max = _tensor_scatter("max", "with the larger of itself and", "[6. 2. 4.]")
tensor_scatter_min = _tensor_scatter("min", "with the smaller of itself and", "[2. 2. 3.]")


def _bound(dtype: Any, how: str) -> Any:
    """What an empty segment holds: the neutral element among finite numbers."""
    if how == "prod":
        return 1
    lowest, highest = limits(dtype.np)
    return lowest if how == "max" else highest


def _segment(how: str, primitive: str, text: str, shown: str) -> Any:
    name = f"unsorted_segment_{how}"

    def body(input: Any, segment_ids: Any, num_segments: Any) -> Any:
        ids, count = segment_ids._a, int(num_segments)
        if ids.dtype.kind not in "iu":
            fail(TypeError, primitive, "dtype of 'segment_ids'", "be an integer type", str(segment_ids.dtype))
        if input.shape[: ids.ndim] != ids.shape:
            rule = f"be the first dims of {list(input.shape)}"
            fail(ValueError, primitive, "shape of 'segment_ids'", rule, str(list(ids.shape)))
        if count <= 0:
            fail(ValueError, primitive, "'num_segments'", "be positive", describe(num_segments))
        if ids.size and int(ids.max()) >= count:
            fail(RuntimeError, primitive, "'segment_ids'", f"be less than {count}", str(int(ids.max())))
        used = ids >= 0
        if not used.all():
            input, ids = take_key(input, (used,)), ids[used]
        shape = (count, *input.shape[ids.ndim :])
        if how == "sum":
            return put_key(input, (ids,), shape)
        start = full(shape, _bound(input.dtype, how), input.dtype)
        return combine_key(start, (ids,), input, {"prod": "mul"}.get(how, how))

    body.__annotations__.update(input="Array", segment_ids="Array")
    body.__name__, body.__module__ = name, __name__
    body.__doc__ = (
        f"Return the {text} of the slices that have one number in `segment_ids`; negative numbers are left out.\n\n"
        "Raises:\n    ValueError: `segment_ids` does not have the first dims of the input, or no segments.\n"
        "    RuntimeError: a number is not less than `num_segments`.\n\nExamples:\n"
        f"    >>> print(ops.{name}(Tensor([2.0, 3.0, 4.0]), Tensor([0, 1, 0]), 2))\n    {shown}\n\n"
        f"Source: ``mindspore.ops.{name}``."
    )
    return composite(
        ops=f"{name}({'input_x' if how == 'sum' else 'x'}, segment_ids, num_segments)",
        tensor=f"{name}(segment_ids, num_segments)" if how != "sum" else (),
        primitive=f"{primitive}()(x, segment_ids, num_segments)",
        name=name,
    )(body)


unsorted_segment_sum = _segment("sum", "UnsortedSegmentSum", "sum", "[6. 3.]")
unsorted_segment_prod = _segment("prod", "UnsortedSegmentProd", "product", "[8. 3.]")
unsorted_segment_max = _segment("max", "UnsortedSegmentMax", "largest", "[4. 3.]")
unsorted_segment_min = _segment("min", "UnsortedSegmentMin", "smallest", "[2. 3.]")
SEGMENTS = {
    "sum": unsorted_segment_sum,
    "prod": unsorted_segment_prod,
    "max": unsorted_segment_max,
    "min": unsorted_segment_min,
}


@composite(
    ops="tensor_scatter_elements(input_x, indices, updates, axis=0, reduction='none')",
    primitive="TensorScatterElements(axis=0, reduction='none')(data, indices, updates)",
    rename={"data": "input"},
)
def tensor_scatter_elements(input: Array, indices: Array, updates: Array, dim: int = 0, reduction: str = "none") -> Any:
    """Return `input_x` with ``updates[i][j]`` put (or added) at ``[indices[i][j]][j]``, here for axis 0.

    Args:
        reduction: "none" replaces, "add" adds.

    Raises:
        ValueError: another reduction, or shapes that do not fit.

    Examples:
        >>> x = Tensor([[1.0, 2.0, 3.0]])
        >>> print(ops.tensor_scatter_elements(x, Tensor([[0, 2]]), Tensor([[8.0, 9.0]]), axis=1))
        [[8. 2. 9.]]

    Source: ``mindspore.ops.tensor_scatter_elements``.
    """
    from ms_kernels.ops.index import scatter_add, scatter_typed

    if reduction not in ("none", "add"):
        fail(ValueError, "TensorScatterElements", "'reduction'", "be 'none' or 'add'", describe(reduction))
    if input.dtype is not updates.dtype:
        got = f"{input.dtype} and {updates.dtype}"
        fail(TypeError, "TensorScatterElements", "dtypes of 'input_x' and 'updates'", "be equal", got)
    return (scatter_typed if reduction == "none" else scatter_add)(input, dim, indices, updates)


def positions(name: str, index: Any, size: int) -> Any:
    """Return an index tensor, a list or an int as an array of places in a dimension of a size.

    Raises:
        TypeError: something else.
        RuntimeError: out of range.
    """
    found = np.asarray(known(index) if isinstance(index, TensorBase) else index)
    if found.dtype.kind not in "iu":
        fail(TypeError, name, "'indices'", "be an int, a tuple of ints or a Tensor of them", describe(index))
    if found.size and (int(found.min()) < -size or int(found.max()) >= size):
        wrong = int(found.min()) if found.min() < -size else int(found.max())
        fail(RuntimeError, name, "'indices'", f"be in [{-size}, {size})", str(wrong))
    return index if batched_in(index) is not None else found
