"""Data in and out: NumPy, the buffer protocol, DLPack, pickles and copies."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.operators import Operators
from ms_kernels.core.tensor import from_array
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.tensor.construct import is_element_type, placeholder

__all__ = ["Bridge", "from_dlpack", "from_numpy", "packed", "rebuild", "unpacked"]


def packed(array: Any, protocol: int) -> Any:
    """An array's elements for a pickle; from protocol 5 on they can travel beside it without a copy."""
    raw: Any = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return pickle.PickleBuffer(raw) if protocol >= 5 else raw.tobytes()


def unpacked(dtype: str, shape: tuple[int, ...], data: Any) -> Any:
    """The array again; memory that may be written is used as it is."""
    raw = memoryview(data)
    found = np.frombuffer(bytearray(raw) if raw.readonly else raw, getattr(mstype, dtype).np)
    return found.reshape(shape)


def rebuild(dtype: str, shape: tuple[int, ...], data: Any) -> Any:
    """Make a pickled Tensor again; this function's place and arguments are kept from version to version."""
    return from_array(unpacked(dtype, shape, data))


class Bridge(Operators):
    """The part of Tensor that exchanges data with others."""

    __slots__ = ()

    def asnumpy(self) -> Any:
        """Return the data as an ndarray that shares its memory: a change of either is seen in the other.

        Examples:
            >>> t = Tensor([1.0, 2.0])
            >>> t.asnumpy()[0] = 5
            >>> print(t)
            [5. 2.]
        """
        array = self._a
        if not array.flags.writeable:  # memory of a read-only array, or of one that repeats elements
            array = np.array(array)
            self._swap(array)
        return array

    def numpy(self) -> Any:
        """The same as `asnumpy`."""
        return self.asnumpy()

    def get_bytes(self) -> bytes:
        """Return a copy of the elements' bytes, in the order of their indices."""
        return bytes(self._a.tobytes())

    @staticmethod
    def convert_bytes_to_tensor(bytes_obj: bytes, dims: Any, dtype: Any) -> Any:
        """Make a Tensor of the bytes that `get_bytes` gave.

        Raises:
            TypeError: `dtype` is no type of tensor elements.
            ValueError: the number of bytes does not fit.
        """
        if not is_element_type(dtype):
            fail(TypeError, "convert_bytes_to_tensor", "'dtype'", "be a type of tensor elements", describe(dtype))
        dims = tuple(dims)
        wanted = int(np.prod(dims, dtype=np.int64)) * dtype.itemsize
        if len(bytes_obj) != wanted:
            fail(ValueError, "convert_bytes_to_tensor", "'bytes_obj'", f"have {wanted} bytes", str(len(bytes_obj)))
        return rebuild(dtype.name, dims, bytes_obj)

    @staticmethod
    def from_numpy(array: Any) -> Any:
        """Make a Tensor that shares an ndarray's memory; see `mindspore.from_numpy`."""
        return from_numpy(array)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        array = self.asnumpy()
        if dtype is not None and np.dtype(dtype) != array.dtype:
            if copy is False:
                raise ValueError("For 'Tensor.__array__', the 'copy' must not be False where the dtype changes.")
            return array.astype(dtype)
        return array.copy() if copy else array

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self.asnumpy().__dlpack__(**kwargs)

    def __dlpack_device__(self) -> Any:
        return self.asnumpy().__dlpack_device__()

    def __reduce_ex__(self, protocol: Any) -> Any:
        return rebuild, (self.dtype.name, self.shape, packed(self._a, int(protocol)))

    def __reduce__(self) -> Any:
        return self.__reduce_ex__(4)

    def __copy__(self) -> Any:
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        waiting = self._waiting
        if waiting is None:
            made._set(np.array(self._a, order="C"))
        else:
            made._set_pending(placeholder(self.dtype.np, self.shape), waiting)
        own = {name: value for name, value in vars(self).items() if name not in ("_hooks", "_hook_table")}
        vars(made).update(copy.deepcopy(own, memo))
        return made


def from_numpy(array: Any) -> Any:
    """Make a Tensor that shares an ndarray's memory (``mindspore.from_numpy``).

    A change of either is seen in the other; a read-only array is shared until the tensor is changed.

    Raises:
        TypeError: `array` is no ndarray, or has no element type of tensors.

    Examples:
        >>> a = np.ones(2, np.float32)
        >>> t = from_numpy(a)
        >>> a[0] = 5
        >>> print(t)
        [5. 1.]
    """
    if not isinstance(array, np.ndarray):
        fail(TypeError, "from_numpy", "'array'", "be a NumPy array", describe(array))
    mstype.from_numpy(array.dtype)
    made = from_array(array if type(array) is np.ndarray else array.view(np.ndarray))
    made._like_numpy = True
    return made


def from_dlpack(other: Any) -> Any:
    """Make a Tensor that shares the memory of any object with ``__dlpack__`` on the CPU.

    Raises:
        TypeError: `other` has no ``__dlpack__``.

    Examples:
        >>> print(from_dlpack(np.arange(3)))
        [0 1 2]
    """
    if not hasattr(other, "__dlpack__"):
        fail(TypeError, "from_dlpack", "'other'", "have the method __dlpack__", describe(other))
    return from_array(np.from_dlpack(other))
