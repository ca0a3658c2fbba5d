"""Changing the element type: `astype` and its many short names, all of one op."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ms_dtype as mstype
from ms_kernels.core.dispatch import ops_by_name
from ms_kernels.core.operators import Operators
from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.tensor.construct import as_element_type, is_element_type

__all__ = ["SHORT", "Casting"]

# method -> the type it casts to
SHORT = {
    "bfloat16": mstype.bfloat16,
    "bool": mstype.bool_,
    "byte": mstype.uint8,
    "double": mstype.float64,
    "float": mstype.float32,
    "half": mstype.float16,
    "int": mstype.int32,
    "long": mstype.int64,
    "short": mstype.int16,
}


def _cast(tensor: TensorBase, dtype: Any) -> Any:
    return tensor if tensor.dtype == dtype else ops_by_name["cast"](tensor, dtype)


class Casting(Operators):
    """The part of Tensor that changes its element type."""

    __slots__ = ()

    def astype(self, dtype: Any, copy: bool = True) -> Any:
        """Return the tensor in another element type; itself, when it has that already.

        Args:
            dtype: a dtype, its name, a Python type or a NumPy one.
            copy: accepted for 2.6's sake.

        Raises:
            TypeError: `dtype` is none of these.

        Examples:
            >>> Tensor([1.7, -2.7]).astype("int32").tolist()
            [1, -2]
        """
        return _cast(self, as_element_type("Tensor.astype", dtype))

    def to(self, dtype: Any) -> Any:
        """Return the tensor in another element type; itself, when it has that already.

        Raises:
            TypeError: `dtype` is no dtype.
        """
        if not is_element_type(dtype):
            fail(TypeError, "Tensor.to", "'dtype'", "be a dtype of tensors", describe(dtype))
        return _cast(self, dtype)

    def type(self, dtype: Any = None) -> Any:
        """Return the element type's name, or the tensor in another element type.

        Examples:
            >>> Tensor([1.0]).type()
            'Float32'
        """
        if dtype is None:
            return str(self.dtype)
        return _cast(self, as_element_type("Tensor.type", dtype))

    def type_as(self, other: Any) -> Any:
        """Return the tensor in the element type of another.

        Raises:
            TypeError: `other` is no Tensor.
        """
        if not isinstance(other, TensorBase):
            fail(TypeError, "Tensor.type_as", "'other'", "be a Tensor", describe(other))
        return _cast(self, other.dtype)

    def to_coo(self) -> Any:
        """Return the values of a matrix that are not zero by coordinates: a COOTensor.

        Raises:
            ValueError: the tensor has not two dimensions.

        Examples:
            >>> Tensor([[0.0, 2.0], [3.0, 0.0]]).to_coo().values.tolist()
            [2.0, 3.0]
        """
        from ms_kernels.sparse import dense_to_sparse_coo

        return dense_to_sparse_coo(self)

    def to_csr(self) -> Any:
        """Return the values of a matrix that are not zero by rows: a CSRTensor; errors as `to_coo`."""
        from ms_kernels.sparse import dense_to_sparse_csr

        return dense_to_sparse_csr(self)


def _shorthand(name: str, dtype: Any) -> Callable[[TensorBase], Any]:
    def method(self: TensorBase) -> Any:
        return _cast(self, dtype)

    method.__name__, method.__qualname__ = name, f"Tensor.{name}"
    method.__doc__ = f"Return the tensor in {dtype!r}; itself, when it has that type already."
    return method


for _name, _dtype in SHORT.items():
    setattr(Casting, _name, _shorthand(_name, _dtype))
