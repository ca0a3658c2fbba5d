"""A tensor as Python values: numbers, lists, truth, iteration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ms_kernels.core.dispatch import ops_by_name
from ms_kernels.core.operators import Operators
from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef.errors import fail

__all__ = ["Scalars"]


class Scalars(Operators):
    """The part of Tensor that turns elements into Python's numbers."""

    __slots__ = ()

    def _one(self, name: str) -> Any:
        """The only element."""
        if self.size != 1:
            fail(ValueError, name, "tensor", "have only one element", str(self.size))
        return self._a.item()

    def item(self) -> Any:
        """Return the only element as a Python number.

        Raises:
            ValueError: the tensor has not one element.
        """
        return self._one("Tensor.item")

    def tolist(self) -> Any:
        """Return the elements as nested lists of Python numbers, or as a number without dimensions."""
        return self._a.tolist()

    def __bool__(self) -> bool:
        return bool(self._one("bool"))

    def __int__(self) -> int:
        return int(self._one("int"))

    def __float__(self) -> float:
        return float(self._one("float"))

    def __complex__(self) -> complex:
        return complex(self._one("complex"))

    def __index__(self) -> int:
        if self.dtype.kind not in "iub":
            fail(ValueError, "index", "tensor", "be of integers", str(self.dtype))
        return int(self._one("index"))

    def __len__(self) -> int:
        if not self.ndim:
            fail(TypeError, "len", "tensor", "have a dimension", "a tensor without")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        if not self.ndim:
            fail(TypeError, "iter", "tensor", "have a dimension", "a tensor without")
        return (self[i] for i in range(self.shape[0]))  # type: ignore[index]  # installed with the ops

    def __contains__(self, value: object) -> bool:
        """Whether any element equals the value (or, for a Tensor, the element it meets by broadcasting)."""
        found = self == value
        return bool(found._a.any()) if isinstance(found, TensorBase) else bool(found)

    def __round__(self) -> Any:
        return ops_by_name["round"](self)
