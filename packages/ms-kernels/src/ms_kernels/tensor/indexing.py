"""``tensor[key]`` and ``tensor[key] = value``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.core.dispatch import effect, is_recording, replace
from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.ops._keys import misfit, numpy_key
from ms_kernels.ops._tape import cast_np
from ms_kernels.ops.getitem import getitem, set_key
from ms_kernels.ops.shape import reshape
from ms_kernels.tensor.construct import as_ndarray

__all__ = ["getitem", "setitem"]


def setitem(tensor: Any, key: Any, value: Any) -> None:
    """Write in place; on the tape when gradients are recorded.

    Args:
        key: any of NumPy's kinds; see `numpy_key`.  False and an empty list select nothing.
        value: a number, a sequence of them, an ndarray or a Tensor; broadcast to the selection and cast.

    Raises:
        IndexError: the key does not fit.
        TypeError: the value is of another kind, or complex for a real tensor.
        ValueError: it cannot be broadcast to what the key selects.
    """
    place = numpy_key(key)
    if not isinstance(value, (TensorBase, int, float, complex, list, tuple, np.ndarray, np.generic)):
        fail(
            TypeError,
            "Tensor",
            "value of an assignment",
            "be a number, a sequence, an array or a Tensor",
            describe(value),
        )
    given = value if isinstance(value, TensorBase) else from_array(as_ndarray(value))
    if given.dtype.kind == "c" and tensor.dtype.kind != "c":
        fail(TypeError, "Tensor", "value of an assignment", f"be real for a tensor of {tensor.dtype}", str(given.dtype))
    if given.size == 1 and given.ndim:
        given = reshape(given, ())  # a single element goes wherever a number does
    if is_recording() and (tensor._tape is not None or given._tape is not None):
        replace(tensor, _placed(tensor, place, cast_np(given, tensor._kind)))
        return
    effect(_assign, tensor, given, place)


def _assign(tensor: Any, given: Any, place: tuple[Any, ...]) -> None:
    """Write into the tensor's own memory."""
    array = tensor._a
    if not array.flags.writeable:  # memory of a read-only array, or of one that repeats elements
        array = np.array(array)
        tensor._swap(array)
    with np.errstate(all="ignore"):
        _write(array, place, given._a)
    tensor._touch()


def _placed(tensor: Any, place: tuple[Any, ...], given: Any) -> Any:
    """The tensor with the selection replaced, as an op; errors as without the tape."""
    try:
        return set_key(tensor, place, given)
    except IndexError as error:
        return misfit(tensor.shape, place, error)
    except ValueError:
        return _unfit(given)


def _write(array: Any, place: tuple[Any, ...], given: Any) -> None:
    try:
        array[place] = given
    except IndexError as error:
        misfit(array.shape, place, error)
    except ValueError:
        _unfit(given)


def _unfit(given: Any) -> Any:
    fail(
        ValueError,
        "Tensor",
        "value of an assignment",
        "be broadcastable to the selection",
        f"the shape {list(given.shape)}",
    )
