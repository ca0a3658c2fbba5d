"""Index expressions: 2.6's kinds of keys in NumPy's form, and its errors."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.tensor import TensorBase, tell
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.tape.batched import batched_in

__all__ = ["looked_up", "numpy_key", "place_of"]

KINDS = "be an int, slice, None, Ellipsis, bool, sequence or Tensor"


def numpy_key(key: Any, empty: bool = True) -> tuple[Any, ...]:
    """Turn an index of 2.6's kinds (ints, slices, None, Ellipsis, bools, sequences, tensors) into NumPy's form.

    A list of ints or bools is an index array; a list that holds anything else stands for a tuple.

    Args:
        empty: whether False and an empty list, which select nothing, may be used.

    Raises:
        IndexError: an item of another kind.
        TypeError: the bound of a slice is no integer.
        ValueError: the step of a slice is 0.
    """
    if isinstance(key, list) and any(not isinstance(item, (int, float, complex, str, np.generic)) for item in key):
        key = tuple(key)
    items = key if isinstance(key, tuple) else (key,)
    if not empty and any(item is False or (isinstance(item, list) and not item) for item in items):
        fail(IndexError, "Tensor", "index", "select something", "False or an empty list")
    return tuple(_item(item) for item in items)


def _item(item: Any) -> Any:
    if isinstance(item, int):  # the most frequent kind, bool among them
        return np.asarray(item) if isinstance(item, bool) else item
    if item is None or item is Ellipsis:
        return item
    if isinstance(item, slice):
        return _slice(item)
    if isinstance(item, TensorBase):
        if batched_in(item) is not None:  # `vmap` looks it up
            return item
        traced = tell(item, "index")  # a graph looks it up at each run
        if traced is not None:
            return traced
        item = item._a
    elif isinstance(item, (list, tuple)):
        item = _sequence(item)
    if isinstance(item, np.ndarray):
        if item.dtype.kind not in "iub":
            fail(IndexError, "Tensor", "index", "be integers or bool", f"{mstype.from_numpy(item.dtype)}")
        return int(item) if item.ndim == 0 and item.dtype.kind != "b" else item
    if hasattr(item, "__index__"):
        return int(item)
    return fail(IndexError, "Tensor", "index", KINDS, describe(item))


def place_of(index: TensorBase) -> Any:
    """Return a tensor of places as an item of a key."""
    return index if batched_in(index) is not None else index._a


def _sequence(items: Any) -> Any:
    if not items:
        return np.empty(0, np.int64)
    try:
        found = np.asarray([x._a if isinstance(x, TensorBase) else x for x in items])
    except ValueError:
        fail(IndexError, "Tensor", "index", "be a sequence of equal lengths", "a ragged one")
    if found.dtype.kind not in "iub":
        fail(TypeError, "Tensor", "items of a sequence as index", "be integers or bool", f"{found.dtype}")
    return found


def _slice(item: slice) -> slice:
    found = slice(_bound(item.start), _bound(item.stop), _bound(item.step))
    if found.step == 0:
        fail(ValueError, "Tensor", "step of a slice", "not be 0", "0")
    return found


def _bound(value: Any) -> int | None:
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, TensorBase):
        if value.size != 1 or value.dtype.kind not in "iub":
            fail(
                TypeError, "Tensor", "bound of a slice", "be one integer", f"{value.dtype} of shape {list(value.shape)}"
            )
        return int(value._a.item())
    if isinstance(value, np.integer):
        return int(value)
    return fail(TypeError, "Tensor", "bound of a slice", "be an int, None or a Tensor of one", describe(value))


def looked_up(array: Any, key: tuple[Any, ...]) -> Any:
    """Return ``array[key]``.

    Raises:
        IndexError: too many indices, or one out of range.
        ValueError: a mask or index arrays of the wrong shape.
        TypeError: an int as index of an array without dimensions.
    """
    try:
        found = array[key]
    except IndexError as error:
        return misfit(array.shape, key, error)
    # the ellipsis gives a view where NumPy would copy the element
    return found if isinstance(found, np.ndarray) else array[key + (Ellipsis,)]


def misfit(shape: tuple[int, ...], key: tuple[Any, ...], error: IndexError) -> Any:
    """Raise what 2.6 raises for a key that does not fit a shape."""
    text = str(error)
    if not shape and len(key) == 1 and isinstance(key[0], int):
        fail(TypeError, "Tensor", "tensor under an index", "have a dimension", "one without")
    if "broadcast" in text:
        shapes = " and ".join(str(list(item.shape)) for item in key if isinstance(item, np.ndarray))
        fail(ValueError, "Tensor", "index tensors", "be broadcastable", shapes)
    if "boolean" in text:
        masks = " and ".join(str(list(item.shape)) for item in key if isinstance(item, np.ndarray))
        fail(ValueError, "Tensor", "mask", f"have sizes of the shape {list(shape)}", masks)
    fail(IndexError, "Tensor", "index", f"fit the shape {list(shape)}", f"one for which {text}")
