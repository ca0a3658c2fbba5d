"""`TensorArray`: a list of Tensors of one shape and dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels import Tensor
from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail
from ms_nn import _check
from ms_nn.cell import Cell

__all__ = ["TensorArray"]


class TensorArray(Cell):
    """Tensors of one shape and dtype by number (``mindspore.nn.TensorArray``).

    Args:
        dtype: of the elements.
        element_shape: their shape.
        dynamic_size: it grows with what is written.
        size: how many elements it has at first, all zero.
        name: a remark.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.
        RuntimeError: in a method: it is closed, there is no such element, or a value of another shape or dtype.

    >>> import ms_dtype as mstype
    >>> array = TensorArray(mstype.int64, ())
    >>> array.write(0, 1), array.write(1, 2)
    (True, True)
    >>> print(array.read(1), array.stack())
    2 [1 2]
    """

    def __init__(
        self, dtype: Any, element_shape: Any, dynamic_size: bool = True, size: int = 0, name: str = "TA"
    ) -> None:
        super().__init__()
        if getattr(dtype, "np", None) is None:
            fail(TypeError, "TensorArray", "'dtype'", "be a dtype of Tensor elements", str(dtype))
        self.dtype = dtype
        _check.instance("TensorArray", "element_shape", element_shape, (tuple, list, int))
        shape = (element_shape,) if isinstance(element_shape, int) else element_shape
        self.element_shape = tuple(_check.integer("TensorArray", "element_shape", item, 0) for item in shape)
        self.dynamic_size = _check.boolean("TensorArray", "dynamic_size", dynamic_size)
        zero = Tensor(np.zeros(self.element_shape, dtype.np))
        self._zero = zero
        self._items: list[Any] | None = [zero] * _check.integer("TensorArray", "size", size, 0)
        self.name = name

    def _open(self) -> list[Any]:
        if self._items is None:
            fail(RuntimeError, "TensorArray", "array", "be open", "one that was closed")
        return self._items

    def write(self, index: Any, value: Any) -> bool:
        """Put a value, a Tensor or number, at a place; places before it that were never written are zero.

        Raises:
            RuntimeError: the place is out of range, or the value has another shape or dtype.
        """
        items, place = self._open(), int(index)
        tensor = value if isinstance(value, Tensor) else Tensor(value, self.dtype)
        if tuple(tensor.shape) != self.element_shape or tensor.dtype != self.dtype:
            fail(
                RuntimeError,
                "TensorArray.write",
                "'value'",
                f"have shape {list(self.element_shape)} and dtype {self.dtype}",
                f"{list(tensor.shape)} and {tensor.dtype}",
            )
        if place < 0 or (place >= len(items) and not self.dynamic_size):
            fail(RuntimeError, "TensorArray.write", "'index'", f"be in range of [0, {len(items)})", str(place))
        items.extend([self._zero] * (place + 1 - len(items)))
        items[place] = tensor
        return True

    def read(self, index: Any) -> Any:
        """The value at a place.

        Raises:
            RuntimeError: the place is out of range.
        """
        items, place = self._open(), int(index)
        if not 0 <= place < len(items):
            fail(RuntimeError, "TensorArray.read", "'index'", f"be in range of [0, {len(items)})", str(place))
        return items[place]

    def stack(self) -> Any:
        """All values in one Tensor."""
        items = self._open()
        return F.stack(items) if items else Tensor(np.zeros((0, *self.element_shape), self.dtype.np))

    def size(self) -> Any:
        """How many values there are, as an int64 Tensor."""
        return Tensor(len(self._open()), mstype.int64)

    def clear(self) -> bool:
        """Forget all values."""
        self._open().clear()
        return True

    def close(self) -> bool:
        """Forget all values; nothing may be read or written after this."""
        self._open()
        self._items = None
        return True
