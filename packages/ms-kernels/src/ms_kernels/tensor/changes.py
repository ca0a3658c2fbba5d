"""Changes in place by hand (those by an op are its in-place twins), and tensors made in the likeness of another."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.core.dispatch import ops_by_name, replace
from ms_kernels.core.operators import Operators
from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.tensor.construct import dims_of, is_element_type

__all__ = ["Changes"]


class Changes(Operators):
    """The part of Tensor that overwrites elements, or makes new tensors of its type."""

    __slots__ = ()

    def copy_(self, src: Any, non_blocking: bool = False) -> Any:
        """Overwrite the elements with those of another Tensor, broadcast and cast; returns self.

        Raises:
            TypeError: `src` is no Tensor.
            ValueError: its shape cannot be broadcast.

        Examples:
            >>> print(Tensor([1.0, 2.0]).copy_(Tensor([5])))
            [5. 5.]
        """
        if not isinstance(src, TensorBase):
            fail(TypeError, "Tensor.copy_", "'src'", "be a Tensor", describe(src))
        cast = src if src.dtype == self.dtype else ops_by_name["cast"](src, self.dtype)
        if src.shape != self.shape:
            try:
                np.broadcast_to(np.empty(()), self.shape) if not src.ndim else np.broadcast_shapes(
                    src.shape, self.shape
                )
                fits = np.broadcast_shapes(src.shape, self.shape) == self.shape
            except ValueError:
                fits = False
            if not fits:
                rule = f"be broadcastable to {list(self.shape)}"
                fail(ValueError, "Tensor.copy_", "shape of 'src'", rule, str(list(src.shape)))
            cast = ops_by_name["broadcast_np"](cast, self.shape)
        return replace(self, cast)

    def fill_(self, value: Any) -> Any:
        """Overwrite all elements with one number (or Tensor of one element without dimensions); returns self.

        Raises:
            TypeError: `value` is no number.
            ValueError: it is a Tensor with dimensions.
        """
        if isinstance(value, TensorBase):
            if value.ndim:
                fail(ValueError, "Tensor.fill_", "'value'", "be without dimensions", f"the shape {list(value.shape)}")
            return self.copy_(value)
        return replace(self, from_array(self._full("Tensor.fill_", value)))

    def zero_(self) -> Any:
        """Overwrite all elements with 0; returns self."""
        return self.fill_(0)

    def fill(self, value: Any) -> Any:
        """Return a tensor of this shape and type that is full of one number.

        Raises:
            TypeError: `value` is no number.
        """
        return from_array(self._full("Tensor.fill", value))

    def _full(self, name: str, value: Any) -> Any:
        if not isinstance(value, (bool, int, float, complex, np.generic)):
            fail(TypeError, name, "'value'", "be a number", describe(value))
        if isinstance(value, complex) and self.dtype.kind != "c":
            fail(TypeError, name, "'value'", f"be real for a tensor of {self.dtype}", describe(value))
        with np.errstate(all="ignore"):
            return np.full(self.shape, np.asarray(value).astype(self.dtype.np))

    def itemset(self, *args: Any) -> Any:
        """Return the tensor with one element replaced: ``itemset(value)``, or ``itemset(index, value)``.

        Args:
            index: a number counted over all elements, or a tuple with one for each dimension.

        Raises:
            IndexError: the index is out of range, or is missing for a tensor of more than one element.
            TypeError: the index is none.
        """
        if not 1 <= len(args) <= 2:
            fail(TypeError, "Tensor.itemset", "arguments", "be 'value', or 'index' and 'value'", str(len(args)))
        if len(args) == 1 and self.size != 1:
            fail(IndexError, "Tensor.itemset", "index", "be given for more than one element", f"{self.size} elements")
        index, value = args if len(args) == 2 else (0, args[0])
        place = index if isinstance(index, tuple) else (index,)
        if not all(isinstance(i, (int, np.integer)) and not isinstance(i, bool) for i in place):
            fail(TypeError, "Tensor.itemset", "index", "be an int or a tuple of ints", describe(index))
        sizes = self.shape if isinstance(index, tuple) else (self.size,)
        if len(place) != len(sizes) or any(not -n <= i < n for i, n in zip(place, sizes)):
            fail(IndexError, "Tensor.itemset", "index", f"lie in the shape {list(sizes)}", str(index))
        made = from_array(np.array(self._a, order="C"))
        with np.errstate(all="ignore"):
            made._a.reshape(sizes)[place] = np.asarray(value).astype(self.dtype.np)
        return made

    def assign_value(self, value: Any) -> Any:
        """Take over the shape, type and elements of another Tensor; returns self.

        Raises:
            TypeError: `value` is no Tensor.
        """
        if not isinstance(value, TensorBase):
            fail(TypeError, "Tensor.assign_value", "'value'", "be a Tensor", describe(value))
        self._set(np.array(value._a, order="C"))
        return self

    def set_dtype(self, dtype: Any) -> Any:
        """Cast the tensor itself to another element type, which is returned.

        Raises:
            TypeError: `dtype` is no type of tensor elements.
        """
        if not is_element_type(dtype):
            fail(TypeError, "Tensor.set_dtype", "'dtype'", "be a type of tensor elements", describe(dtype))
        with np.errstate(all="ignore"):
            self._set(self._a.astype(dtype.np))
        return dtype

    def value(self) -> Any:
        """Return the tensor; of a Parameter, a Tensor of its present values."""
        return self

    def _made(self, name: str, size: Any, dtype: Any, fill: int | None) -> Any:
        if dtype is not None and not is_element_type(dtype):
            fail(TypeError, name, "'dtype'", "be a type of tensor elements", describe(dtype))
        kind = self.dtype.np if dtype is None else dtype.np
        dims = dims_of(name, size)
        return from_array(np.empty(dims, kind) if fill is None else np.full(dims, fill, kind))

    def new_zeros(self, size: Any, dtype: Any = None) -> Any:
        """Return a tensor of zeros, of this tensor's type unless `dtype` says otherwise.

        Examples:
            >>> print(Tensor([1.5]).new_zeros((2,)))
            [0. 0.]
        """
        return self._made("Tensor.new_zeros", size, dtype, 0)

    def new_ones(self, size: Any, dtype: Any = None) -> Any:
        """Return a tensor of ones, of this tensor's type unless `dtype` says otherwise."""
        return self._made("Tensor.new_ones", size, dtype, 1)

    def new_empty(self, size: Any, *, dtype: Any = None, device: Any = None) -> Any:
        """Return a tensor of undefined content, of this tensor's type unless `dtype` says otherwise."""
        return self._made("Tensor.new_empty", size, dtype, None)
