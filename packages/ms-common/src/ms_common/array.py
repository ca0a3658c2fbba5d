"""`mindspore.numpy`: making, joining, splitting, moving and multiplying tensors under NumPy's names.

The part of 2.6's module that networks use. Element types follow 2.6: whole numbers give int32, others float32.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import ms_dtype as mstype
from ms_kernels import Tensor, functional, mint
from ms_kernels.opdef import errors

__all__ = [
    "arange",
    "array",
    "asarray",
    "broadcast_to",
    "concatenate",
    "dot",
    "empty",
    "expand_dims",
    "eye",
    "flip",
    "full",
    "full_like",
    "identity",
    "inner",
    "linspace",
    "matmul",
    "meshgrid",
    "moveaxis",
    "ones",
    "ones_like",
    "outer",
    "ravel",
    "repeat",
    "reshape",
    "roll",
    "split",
    "squeeze",
    "stack",
    "swapaxes",
    "tensordot",
    "tile",
    "transpose",
    "where",
    "zeros",
    "zeros_like",
]

Axes: TypeAlias = "int | Sequence[int]"
Shape: TypeAlias = "int | Sequence[int] | Tensor"


def _kind(dtype: Any) -> Any:
    """The element type that a type, its name or a Python type stands for; None stays None."""
    if isinstance(dtype, str):
        return getattr(mstype, dtype)
    plain: dict[Any, Any] = {int: mstype.int32, float: mstype.float32, bool: mstype.bool_}
    return plain.get(dtype, dtype)


def _natural(*numbers: Any) -> Any:
    if all(isinstance(n, bool) for n in numbers):
        return mstype.bool_
    return mstype.int32 if all(isinstance(n, int) for n in numbers) else mstype.float32


def _shape(function: str, shape: Shape) -> tuple[int, ...]:
    if isinstance(shape, Tensor):
        shape = shape.asnumpy().ravel().tolist()
    dims = (shape,) if isinstance(shape, int) else shape
    if not isinstance(dims, (tuple, list)):
        errors.fail(TypeError, function, "'shape'", "be an int, a tuple, a list or a Tensor", errors.describe(shape))
    if any(d < 0 for d in dims):
        errors.fail(ValueError, function, "'shape'", "have no negative dim", errors.describe(shape))
    return tuple(dims)


def _tuple(axes: Axes) -> tuple[int, ...]:
    return (axes,) if isinstance(axes, int) else tuple(axes)


def asarray(a: Any, dtype: Any = None) -> Any:
    """The tensor of numbers, nested sequences or arrays; a tensor of that type is given back as it is.

    >>> asarray([1, 2])
    Tensor(shape=[2], dtype=Int32, value= [1, 2])
    """
    dtype = _kind(dtype)
    if isinstance(a, Tensor):
        return a if dtype in (None, a.dtype) else a.astype(dtype)
    found = Tensor(a)
    if dtype is None and not hasattr(a, "dtype"):  # Python's own numbers: 64 bits become 32
        narrower: dict[Any, Any] = {mstype.int64: mstype.int32, mstype.float64: mstype.float32}
        dtype = narrower.get(found.dtype)
    return found if dtype in (None, found.dtype) else found.astype(dtype)


def array(obj: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Any:
    """As `asarray`, with memory of its own where `copy` is set and at least `ndmin` dims, the new ones in front.

    >>> array([1.5], ndmin=2).shape
    (1, 1)
    """
    made = asarray(obj, dtype)
    if copy and made is obj:
        made = made.copy()
    return made.reshape((1,) * (ndmin - made.ndim) + made.shape) if ndmin > made.ndim else made


def ones(shape: Shape, dtype: Any = mstype.float32) -> Any:
    """A tensor of ones; TypeError where `shape` is no int, tuple, list or Tensor, ValueError for a negative dim.

    >>> ones((2,), mstype.int32).asnumpy().tolist()
    [1, 1]
    """
    return mint.ones(_shape("ones", shape), dtype=_kind(dtype))


def zeros(shape: Shape, dtype: Any = mstype.float32) -> Any:
    """A tensor of zeros; errors as `ones`.

    >>> zeros(2).asnumpy().tolist()
    [0.0, 0.0]
    """
    return mint.zeros(_shape("zeros", shape), dtype=_kind(dtype))


def empty(shape: Shape, dtype: Any = mstype.float32) -> Any:
    """A tensor whose values mean nothing: zeros, as 2.6 gives; errors as `ones`.

    >>> empty((2, 3)).shape
    (2, 3)
    """
    return mint.zeros(_shape("empty", shape), dtype=_kind(dtype))


def full(shape: Shape, fill_value: Any, dtype: Any = None) -> Any:
    """A tensor filled with a number, or with an array that is broadcast; its type is the value's where none is given.

    >>> full((2,), 3).dtype
    mindspore.int32
    """
    value = asarray(fill_value, dtype)
    return mint.broadcast_to(value, _shape("full", shape)).copy()


def ones_like(a: Any, dtype: Any = None, shape: Shape | None = None) -> Any:
    """Ones of the shape and type of `a`, where no others are given.

    >>> ones_like([1, 2]).asnumpy().tolist()
    [1, 1]
    """
    like = asarray(a)
    return ones(like.shape if shape is None else shape, _kind(dtype) or like.dtype)


def zeros_like(a: Any, dtype: Any = None, shape: Shape | None = None) -> Any:
    """Zeros of the shape and type of `a`, where no others are given.

    >>> zeros_like([1.0, 2.0]).dtype
    mindspore.float32
    """
    like = asarray(a)
    return zeros(like.shape if shape is None else shape, _kind(dtype) or like.dtype)


def full_like(a: Any, fill_value: Any, dtype: Any = None, shape: Shape | None = None) -> Any:
    """As `full`, of the shape and type of `a` where no others are given.

    >>> full_like([1, 2], 7.5).asnumpy().tolist()
    [7, 7]
    """
    like = asarray(a)
    return full(like.shape if shape is None else shape, fill_value, _kind(dtype) or like.dtype)


def arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Any:
    """The numbers from `start` (or 0) to before `stop`, `step` (or 1) apart.

    >>> arange(1, 4, 0.5).asnumpy().tolist()
    [1.0, 1.5, 2.0, 2.5, 3.0, 3.5]
    """
    if stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    return mint.arange(start, stop, step, dtype=_kind(dtype) or _natural(start, stop, step))


def linspace(start: Any, stop: Any, num: int = 50, dtype: Any = None) -> Any:
    """`num` numbers from `start` to `stop`, both included, equally far apart; float32 where no type is given.

    >>> linspace(0, 1, 3).asnumpy().tolist()
    [0.0, 0.5, 1.0]
    """
    return mint.linspace(start, stop, num, dtype=mstype.float32).astype(_kind(dtype) or mstype.float32)


def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = mstype.float32) -> Any:
    """An (N, M) matrix with ones on diagonal number `k` (positive: above the main one) and zeros elsewhere.

    >>> eye(2, 3, 1).asnumpy().tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    rows, columns = mint.arange(0, N, 1), mint.arange(0, N if M is None else M, 1)
    return (columns - rows.reshape(N, 1) == k).astype(_kind(dtype))


def identity(n: int, dtype: Any = mstype.float32) -> Any:
    """The (n, n) matrix with ones on the main diagonal.

    >>> identity(2).asnumpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return eye(n, dtype=dtype)


def concatenate(arrays: Tensor | Sequence[Tensor], axis: int | None = 0) -> Any:
    """The tensors one behind the other along `axis`; flattened first where it is None. Types are promoted.

    >>> concatenate((ones(1), zeros(2))).asnumpy().tolist()
    [1.0, 0.0, 0.0]
    """
    parts = list(arrays)
    return mint.cat([p.reshape(-1) for p in parts]) if axis is None else mint.cat(parts, axis)


def stack(arrays: Tensor | Sequence[Tensor], axis: int = 0) -> Any:
    """The tensors, all of one shape, beside each other along a new axis.

    >>> stack([ones(2), zeros(2)], -1).asnumpy().tolist()
    [[1.0, 0.0], [1.0, 0.0]]
    """
    return mint.stack(list(arrays), axis)


def split(x: Tensor, indices_or_sections: Axes, axis: int = 0) -> Any:
    """Cut `x` along `axis`: in so many equal parts (a tuple), or at the places given (a list).

    TypeError where the places are neither an int nor ints, ValueError where the dim cannot be cut in equal parts.

    >>> [p.asnumpy().tolist() for p in split(arange(4), 2)]
    [[0, 1], [2, 3]]
    >>> [p.shape for p in split(arange(4), [1])]
    [(1,), (3,)]
    """
    if not isinstance(indices_or_sections, (int, tuple, list)):
        rule = "be an int or a tuple or list of ints"
        errors.fail(TypeError, "split", "'indices_or_sections'", rule, errors.describe(indices_or_sections))
    if isinstance(indices_or_sections, int):
        dim = x.shape[axis]
        if dim % indices_or_sections:
            rule = f"divide dim {axis} of 'x', which is {dim},"
            errors.fail(ValueError, "split", "'indices_or_sections'", rule, str(indices_or_sections))
        return tuple(mint.split(x, dim // indices_or_sections, axis))
    return list(functional.tensor_split(x, tuple(indices_or_sections), axis))


def tile(a: Tensor, reps: Axes) -> Any:
    """`a` repeated so often along each axis; missing counts are 1, in front.

    >>> tile(arange(2), 2).asnumpy().tolist()
    [0, 1, 0, 1]
    """
    counts = _tuple(reps)
    return mint.tile(a, (1,) * (a.ndim - len(counts)) + counts)


def repeat(a: Tensor, repeats: Axes, axis: int | None = None) -> Any:
    """Each element, or each slice along `axis`, so many times in a row; without an axis `a` is flattened.

    >>> repeat(arange(2), 2).asnumpy().tolist()
    [0, 0, 1, 1]
    """
    counts: Any = repeats
    if isinstance(repeats, (tuple, list)):
        counts = repeats[0] if len(repeats) == 1 else Tensor(list(repeats))
    return mint.repeat_interleave(a, counts, axis)


def roll(a: Tensor, shift: Axes, axis: Axes | None = None) -> Any:
    """Elements moved along the axes; what leaves at the end comes in at the front. Without axes `a` counts as flat.

    >>> roll(arange(3), 1).asnumpy().tolist()
    [2, 0, 1]
    """
    return mint.roll(a, shift) if axis is None else mint.roll(a, shift, axis)


def flip(m: Tensor, axis: Axes | None = None) -> Any:
    """The order of elements turned round along the axes, or along all.

    >>> flip(arange(3)).asnumpy().tolist()
    [2, 1, 0]
    """
    return mint.flip(m, tuple(range(m.ndim)) if axis is None else _tuple(axis))


def reshape(x: Tensor, new_shape: Axes) -> Any:
    """The same elements in another shape; one dim may be -1.

    >>> reshape(arange(4), (2, -1)).shape
    (2, 2)
    """
    return mint.reshape(x, _tuple(new_shape))


def ravel(x: Tensor) -> Any:
    """The elements in one dim.

    >>> ravel(ones((2, 2))).shape
    (4,)
    """
    return mint.reshape(x, (-1,))


def transpose(a: Tensor, axes: Axes | None = None) -> Any:
    """The axes in another order: that given, or the reverse.

    >>> transpose(ones((2, 3))).shape
    (3, 2)
    """
    return mint.permute(a, tuple(range(a.ndim))[::-1] if axes is None else _tuple(axes))


def swapaxes(x: Tensor, axis1: int, axis2: int) -> Any:
    """Two axes change places.

    >>> swapaxes(ones((2, 3)), 0, 1).shape
    (3, 2)
    """
    return mint.transpose(x, axis1, axis2)


def moveaxis(a: Tensor, source: Axes, destination: Axes) -> Any:
    """Axes moved to other places; the others keep their order.

    >>> moveaxis(ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    return functional.movedim(a, source, destination)


def expand_dims(a: Tensor, axis: Axes) -> Any:
    """New axes of one element, at these places of the result.

    >>> expand_dims(ones(2), (0, 2)).shape
    (1, 2, 1)
    """
    places = _tuple(axis)
    for place in sorted(p % (a.ndim + len(places)) for p in places):
        a = mint.unsqueeze(a, place)
    return a


def squeeze(a: Tensor, axis: Axes | None = None) -> Any:
    """Without the axes of one element: those given, or all.

    >>> squeeze(ones((1, 2))).shape
    (2,)
    """
    return functional.squeeze(a) if axis is None else functional.squeeze(a, axis)


def broadcast_to(array: Tensor, shape: Sequence[int]) -> Any:
    """`array` spread to a shape by NumPy's rules.

    >>> broadcast_to(ones(2), (3, 2)).shape
    (3, 2)
    """
    return mint.broadcast_to(array, tuple(shape))


def where(condition: Tensor, x: Any = None, y: Any = None) -> Any:
    """Elements of `x` where the condition holds, else those of `y`; TypeError where one of them is missing.

    >>> where(arange(3) > 1, 1.0, 0.0).asnumpy().tolist()
    [0.0, 0.0, 1.0]
    """
    for name, value in (("x", x), ("y", y)):
        if value is None:
            errors.fail(TypeError, "where", f"'{name}'", "be a tensor or a number", "None")
    return mint.where(condition, asarray(x), asarray(y))


def meshgrid(*xi: Tensor, indexing: str = "xy") -> list[Tensor]:
    """The coordinates of a grid: for each vector a tensor that repeats it along the axes of the others.

    >>> [g.shape for g in meshgrid(arange(2), arange(3))]
    [(3, 2), (3, 2)]
    """
    return list(mint.meshgrid(*xi, indexing=indexing))


def matmul(x1: Tensor, x2: Tensor, dtype: Any = None) -> Any:
    """The matrix product, broadcast over leading dims.

    >>> matmul(ones((2, 3)), ones((3, 1))).asnumpy().tolist()
    [[3.0], [3.0]]
    """
    product = mint.matmul(x1, x2)
    return product if dtype is None else product.astype(_kind(dtype))


def tensordot(a: Tensor, b: Tensor, axes: Any = 2) -> Any:
    """The sum of products over pairs of axes: the last of `a` with the first of `b`, or those given for each.

    >>> tensordot(ones((2, 3)), ones((2, 3)), ((0, 1), (0, 1))).asnumpy().tolist()
    6.0
    """
    return functional.tensor_dot(a, b, axes)


def dot(a: Tensor, b: Tensor) -> Any:
    """The sum of products over the last axis of `a` and the last but one (or only) of `b`; a number multiplies.

    >>> int(dot(arange(3), arange(3)))
    5
    """
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    return functional.tensor_dot(a, b, ((a.ndim - 1,), (max(b.ndim - 2, 0),)))


def inner(a: Tensor, b: Tensor) -> Any:
    """The sum of products over the last axes of both; a number multiplies.

    >>> inner(ones((2, 3)), ones((4, 3))).shape
    (2, 4)
    """
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    return functional.tensor_dot(a, b, ((a.ndim - 1,), (b.ndim - 1,)))


def outer(a: Tensor, b: Tensor) -> Any:
    """All products of an element of `a` and one of `b`, both flattened.

    >>> outer(arange(3), arange(2)).asnumpy().tolist()
    [[0, 0], [0, 1], [0, 2]]
    """
    return a.reshape(-1, 1) * b.reshape(1, -1)
