"""Sorting, the largest elements, and distinct elements."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._keys import place_of
from ms_kernels.ops.extremes import argmax, argmin
from ms_kernels.ops.getitem import put_key
from ms_kernels.ops.index import gather
from ms_kernels.ops.shape import dims_of, reshape

__all__ = ["argsort", "max_with_place", "min_with_place", "sort", "topk", "unique"]

Shape = tuple[int, ...]


def _order(input: Any, dim: int, descending: bool) -> Any:
    """The stable sorting order; NaN counts as the largest."""
    if not input.ndim:
        return np.zeros((), np.int64)
    wide = input.astype(np.float32) if input.dtype.kind == "V" or input.dtype.name == "bfloat16" else input
    if not descending:
        return np.argsort(wide, dim, kind="stable")
    turned = np.flip(wide, dim)  # equal elements keep their order in a descending sort as well
    return np.flip(wide.shape[dim] - 1 - np.argsort(turned, dim, kind="stable"), dim)


def _sort_shape(shape: Shape, dim: int = -1, *_rest: Any) -> list[Shape]:
    rules.axis("Sort", dim, len(shape))
    return [shape, shape]


def _along_grad(g: Any, places: Any, shape: Shape, dim: int) -> Any:
    """Put a gradient back at the places along a dimension where its elements came from."""
    at = rules.axis("sort", dim, len(shape))
    if not shape:
        return g
    grid: list[Any] = list(np.ix_(*(np.arange(n) for n in places.shape)))
    grid[at] = place_of(places)
    return put_key(g, tuple(grid), shape)


def _values_vjp(g: Any, out: Any, input: Any, dim: int) -> Any:
    return _along_grad(g[0], out[1], input.shape, dim)


@op(
    shape=_sort_shape,
    dtype=lambda input, _dim=-1, _descending=False, _stable=False, index=mstype.int64: (input, index),
    vjp=lambda g, out, input, dim, _descending, _stable, _index: _values_vjp(g, out, input, dim),
    ascend="sort",
    batch="axis",
    ops="sort(input_x, axis=-1, descending=False); index=int32",
    mint="sort(input, *, dim=-1, descending=False, stable=False)",
    tensor=[
        "sort(axis=-1, descending=False); index=int32",
        "sort(dim=-1, descending=False, stable=False); index=int32",
    ],
    primitive="Sort(axis=-1, descending=False)(x); index=int32",
)
def sort(input: Array, dim: int = -1, descending: bool = False, stable: bool = False, index: Any = mstype.int64) -> Any:
    """Return the elements sorted along a dimension, and where they came from; equal ones keep their order.

    Places are int64 in `mint`, int32 in `ops` and as a method, as in 2.6.

    Examples:
        >>> values, places = ops.sort(Tensor([3.0, 1.0, 2.0]))
        >>> print(values, places)
        [1. 2. 3.] [1 2 0]

    Source: ``mindspore.ops.sort``.
    """
    places = _order(input, dim, descending).astype(index.np, copy=False)
    return (np.take_along_axis(input, places, dim) if input.ndim else input.copy()), places


@op(
    shape=lambda shape, dim=-1, *_rest: _sort_shape(shape, dim)[0],
    dtype=lambda _input, _dim=-1, _descending=False, _stable=False, index=mstype.int64: index,
    nondiff="the result is an index",
    ascend="sort",
    batch="axis",
    ops="argsort(input, axis=-1, descending=False); index=int32",
    mint="argsort(input, dim=-1, descending=False, stable=False)",
    tensor=[
        "argsort(axis=-1, descending=False); index=int32",
        "argsort(dim=-1, descending=False, stable=False); index=int32",
    ],
)
def argsort(
    input: Array, dim: int = -1, descending: bool = False, stable: bool = False, index: Any = mstype.int64
) -> Any:
    """Return the order that sorts along a dimension, as int64 (`mint`) or int32; equal elements keep their order.

    Examples:
        >>> print(ops.argsort(Tensor([3.0, 1.0, 2.0])))
        [1 2 0]

    Source: ``mindspore.ops.argsort``.
    """
    return _order(input, dim, descending).astype(index.np, copy=False)


def _top_shape(shape: Shape, k: int, dim: Any = -1, *_rest: Any) -> list[Shape]:
    at = rules.axis("TopK", -1 if dim is None else dim, len(shape))
    size = shape[at] if shape else 1
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or not 0 <= k <= size:
        fail(ValueError, "TopK", "'k'", f"be an int in [0, {size}]", describe(k))
    out = (*shape[:at], int(k), *shape[at + 1 :]) if shape else ()
    return [out, out]


@op(
    shape=_top_shape,
    dtype=lambda input, _k, _dim=-1, _largest=True, _sorted=True, index=mstype.int64: (input, index),
    vjp=lambda g, out, input, _k, dim, _largest, _sorted, _index: _values_vjp(
        g, out, input, -1 if dim is None else dim
    ),
    ascend="sort",
    batch="axis",
    ops=[
        "topk(input, k, dim=None, largest=True, sorted=True); index=int32",
        "top_k(input_x, k, sorted=True); index=int32",
    ],
    mint="topk(input, k, dim=-1, largest=True, sorted=True)",
    tensor=["topk(k, dim=None, largest=True, sorted=True); index=int32", "top_k(k, sorted=True); index=int32"],
    primitive="TopK(sorted=True)(input_x, k); index=int32",
)
def topk(
    input: Array, k: int, dim: Any = -1, largest: bool = True, sorted: bool = True, index: Any = mstype.int64
) -> Any:
    """Return the k largest (or smallest) elements along a dimension in order, and where they are.

    Places are int64 in `mint`, int32 in `ops` and as a method, as in 2.6.

    Raises:
        ValueError: `k` is above the dimension's size.

    Examples:
        >>> values, places = mint.topk(Tensor([3.0, 1.0, 2.0]), 2)
        >>> print(values, places)
        [3. 2.] [0 2]

    Source: ``mindspore.mint.topk``.
    """
    if not input.ndim:
        return input.copy(), np.zeros((), np.int64)
    axis = rules.axis("TopK", -1 if dim is None else dim, input.ndim)
    places = np.take(_order(input, axis, largest), np.arange(k), axis)
    return np.take_along_axis(input, places, axis), places.astype(index.np, copy=False)


def _best(input: Any, dim: int, keepdim: bool, largest: bool) -> Any:
    """The extremum along one dimension with its place: one gradient, at that place."""
    places = (argmax if largest else argmin)(input, dim, True)
    if not input.ndim:
        return input * 1, places
    values = gather(input, dim, places)
    if keepdim:
        return values, places
    shape = rules.reduced("max")(input.shape, rules.axis("max", dim, input.ndim))
    return reshape(values, shape), reshape(places, shape)


def _bounded(input: Any, dim: Any, keepdim: bool, initial: Any, where: Any, largest: bool) -> Any:
    """2.6's ops.max and ops.min: everything, or along one axis with `initial` and `where`."""
    from ms_kernels.ops.arithmetic import maximum, minimum
    from ms_kernels.ops.compare import equal
    from ms_kernels.ops.compare import where as choose
    from ms_kernels.ops.extremes import amax, amin

    if where is not None:
        if initial is None:
            fail(ValueError, "max" if largest else "min", "'initial'", "be given together with 'where'")
        input = choose(where, input, initial)
    if dim is None:
        out = (amax if largest else amin)(input)
        if initial is not None:
            out = (maximum if largest else minimum)(out, initial)
        return out, argmax(input) * 0
    values, places = _best(input, dim, keepdim, largest)
    if initial is None:
        return values, places
    values = (maximum if largest else minimum)(values, initial)
    return values, choose(equal(values, initial), 0, places)  # as 2.6: the place of `initial` is the first


def _with_place(name: str, largest: bool, shown: str) -> Any:
    word = "largest" if largest else "smallest"

    def body(input: Any, dim: Any = None, keepdim: bool = False, initial: Any = None, where: Any = None) -> Any:
        return _bounded(input, dim, keepdim, initial, where, largest)

    body.__annotations__["input"] = "Array"
    body.__name__, body.__module__ = f"{name}_with_place", __name__
    body.__doc__ = (
        f"Return the {word} element along a dimension (by default: of all) and its place.\n\n"
        "Args:\n    initial: takes part in the comparison.\n    where: only these elements do; needs `initial`.\n\n"
        f"Examples:\n    >>> values, places = ops.{name}(Tensor([[3.0, 1.0], [2.0, 5.0]]), 1)\n"
        f"    >>> print(values, places)\n    {shown}\n\nSource: ``mindspore.ops.{name}``."
    )
    primitive = f"Arg{name.capitalize()}WithValue"
    return composite(
        ops=f"{name}(input, axis=None, keepdims=False, *, initial=None, where=None)",
        label=primitive,
        name=f"{name}_with_place",
    )(body)


max_with_place = _with_place("max", True, "[3. 5.] [0 1]")
min_with_place = _with_place("min", False, "[1. 2.] [1 0]")


def _mint_best(name: str, largest: bool, shown: str) -> Any:
    from ms_kernels.ops.arithmetic import maximum, minimum
    from ms_kernels.ops.extremes import amax, amin

    whole, paired = (amax, maximum) if largest else (amin, minimum)

    def all_of(input: Any) -> Any:
        return whole(input)

    def along(input: Any, dim: int, keepdim: bool = False) -> Any:
        return _best(input, dim, keepdim, largest)

    def pair(input: Any, other: Any) -> Any:
        return paired(input, other)

    word = "largest" if largest else "smallest"
    for body, text, example in (
        (
            all_of,
            f"Return the {word} of all elements.",
            f"print(mint.{name}(Tensor([1.0, 3.0])))\n    {'3.0' if largest else '1.0'}",
        ),
        (
            along,
            f"Return the {word} element along a dimension and its place.",
            f"print(*mint.{name}(Tensor([[3.0, 1.0], [2.0, 5.0]]), 1))\n    {shown}",
        ),
        (
            pair,
            f"Return the {word} of two elements, broadcast together.",
            f"print(mint.{name}(Tensor([1.0, 3.0]), Tensor([2.0, 2.0])))\n    {'[2. 3.]' if largest else '[1. 2.]'}",
        ),
    ):
        body.__annotations__.update(input="Array", **({"other": "Array"} if body is pair else {}))
        body.__module__ = __name__
        body.__doc__ = f"{text}\n\nExamples:\n    >>> {example}\n\nSource: ``mindspore.mint.{name}``."
    composite(mint=f"{name}(input)", name=f"{name}_of_all", tensor=f"{name}()")(all_of)
    composite(
        mint=f"{name}(input, dim: int, keepdim: bool=False)",
        name=f"{name}_along",
        tensor=f"{name}(dim: int, keepdim: bool=False)",
    )(along)
    return composite(mint=f"{name}(input, other: Tensor)", name=f"{name}_pair", tensor=f"{name}(other: Tensor)")(pair)


max_pair = _mint_best("max", True, "[3. 5.] [0 1]")
min_pair = _mint_best("min", False, "[1. 2.] [1 0]")


def _tensor_best(name: str, largest: bool) -> Any:
    def body(
        input: Any, dim: Any = None, keepdim: bool = False, initial: Any = None, where: Any = True, places: bool = False
    ) -> Any:
        mask = None if where is True else where
        if isinstance(dim, (tuple, list)):
            from ms_kernels.ops.extremes import amax, amin

            return (amax if largest else amin)(input, dims_of(name, dim, "axis"), keepdim)
        found = _bounded(input, dim, keepdim, initial, mask, largest)
        return found if places else found[0]

    body.__annotations__["input"] = "Array"
    body.__name__, body.__module__ = f"{name}_by_axis", __name__
    shown = "[3. 5.]" if largest else "[1. 2.]"
    body.__doc__ = (
        f"Return the {'largest' if largest else 'smallest'} element along `axis`; with `return_indices` its place.\n\n"
        f"Examples:\n    >>> print(Tensor([[3.0, 1.0], [2.0, 5.0]]).{name}(axis=1))\n    {shown}\n\n"
        f"Source: ``mindspore.Tensor.{name}``."
    )
    return composite(
        tensor=f"{name}(axis=None, keepdims=False, *, initial=None, where=True, return_indices=False)",
        rename={"return_indices": "places"},
        name=f"{name}_by_axis",
    )(body)


max_by_axis = _tensor_best("max", True)
min_by_axis = _tensor_best("min", False)


def _distinct(input: Any, inverse: bool, counts: bool) -> Any:
    wide = input.astype(np.float32) if input.dtype.name == "bfloat16" else input
    values, back, count = np.unique(wide, return_inverse=True, return_counts=True)
    return values.astype(input.dtype), back.reshape(input.shape).astype(np.int64), count.astype(np.int64)


@op(
    shape=lambda shape: [(-1,), shape, (-1,)],
    dtype=lambda input: (input, mstype.int64, mstype.int64),
    nondiff="which elements are distinct changes by jumps",
    ascend="sort",
    primitive="UniqueParts()(x)",
)
def unique_parts(input: Array) -> Any:
    """Return the distinct elements in order, where each element is among them, and how often each occurs.

    Examples:
        >>> print(*ops.UniqueParts()(Tensor([2, 1, 2])))
        [1 2] [1 0 1] [1 2]

    Source: NumPy's unique.
    """
    return _distinct(input, True, True)


@composite(
    mint="unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None)",
    tensor="unique(sorted=True, return_inverse=False, return_counts=False, dim=None)",
)
def unique(
    input: Array, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: Any = None
) -> Any:
    """Return the distinct elements in order, and if asked where each element is among them and how often each occurs.

    Raises:
        ValueError: `dim` is given (distinct slices are not offered).

    Examples:
        >>> print(mint.unique(Tensor([2, 1, 2])))
        [1 2]

    Source: ``mindspore.mint.unique``.
    """
    if dim is not None:
        fail(ValueError, "unique", "'dim'", "be None", describe(dim))
    values, inverse, counts = unique_parts(input)
    out = (values, *((inverse,) if return_inverse else ()), *((counts,) if return_counts else ()))
    return out[0] if len(out) == 1 else out
