"""Reading and writing by Python's subscripts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.core.dispatch import CHECK_NEVER
from ms_kernels.opdef import rules
from ms_kernels.opdef.register import op, view
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._keys import looked_up, numpy_key
from ms_kernels.ops._tape import sum_to

__all__ = ["getitem", "put_key", "set_key", "take_key"]

Shape = tuple[int, ...]


def _key_shape(shape: Shape, key: Any) -> Shape:
    return looked_up(np.broadcast_to(np.empty((), np.int8), shape), key).shape  # type: ignore[no-any-return]


def _is_basic(key: Any) -> bool:
    return not any(isinstance(item, np.ndarray) for item in key)


def _take_key_vjp(g: Any, _out: Any, input: Any, key: Any) -> Any:
    return put_key(g, key, input.shape)


@view(
    shape=_key_shape,
    dtype=rules.same,
    vjp=_take_key_vjp,
    primitive="SliceKey(key)(x)",
    label="Tensor",
    check=CHECK_NEVER,  # the body finds the same errors
    batch="take_key",
)
def take_key(input: Array, key: Any) -> Any:
    """Return ``input[key]`` for a key in NumPy's form (a tuple of ints, slices, None, Ellipsis and arrays).

    A view when the key holds no arrays.

    Examples:
        >>> print(Tensor([[1, 2], [3, 4]])[:, 0])
        [1 3]

    Source: ``mindspore.Tensor.__getitem__``, NumPy's indexing.
    """
    return looked_up(input, key)


@op(
    shape=lambda _g, _key, shape: shape,
    dtype=rules.same,
    vjp=lambda g, _out, _input, key, _shape: take_key(g, key),
    ascend="scatter_add",
    batch="put_key",
    primitive="PutKey(key, shape)(x)",
)
def put_key(input: Array, key: Any, shape: Any) -> Any:
    """Return zeros of a shape with `input` added at ``[key]``: the gradient of `take_key`.

    Examples:
        >>> print(ops.PutKey((slice(1, 3),), (4,))(Tensor([5, 6])))
        [0 5 6 0]

    Source: the transpose of NumPy's indexing.
    """
    out = np.zeros(shape, input.dtype)
    if _is_basic(key):
        out[key] = input
    elif (input.dtype.kind == "f" and input.dtype.itemsize == 2) or input.dtype.kind == "V":
        wide = np.zeros(shape, np.float32)
        np.add.at(wide, key, input.astype(np.float32))
        return wide.astype(input.dtype)
    else:
        np.add.at(out, key, input)
    return out


def _set_key_vjp(g: Any, _out: Any, _input: Any, key: Any, value: Any) -> Any:
    return (
        lambda: set_key(g, key, value * 0),
        lambda: sum_to(take_key(g, key), value.shape),
    )


@op(
    shape=lambda input, _key, _value: input,
    dtype=rules.same,
    vjp=_set_key_vjp,
    ascend="copy",
    batch="set_key",
    primitive="SetKey(key)(x, value)",
    label="Tensor",
)
def set_key(input: Array, key: Any, value: Array) -> Any:
    """Return a copy of `input` with ``[key]`` replaced by `value`, which is broadcast and cast.

    Examples:
        >>> print(ops.SetKey((0,))(Tensor([1, 2]), Tensor(7)))
        [7 2]

    Source: ``mindspore.Tensor.__setitem__``, as a function.
    """
    out = input.copy()
    out[key] = value
    return out


def getitem(tensor: Any, key: Any) -> Any:
    """``tensor[key]``; the tensor itself for ``...``."""
    if key is Ellipsis:
        return tensor
    return take_key(tensor, numpy_key(key, empty=False))
