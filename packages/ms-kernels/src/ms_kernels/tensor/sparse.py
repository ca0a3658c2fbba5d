"""Sparse tensors by coordinates: COOTensor, and the older SparseTensor and RowTensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ms_kernels.core.dispatch import common_of, ops_by_name
from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.tensor.format import representation

if TYPE_CHECKING:
    from ms_kernels.tensor.sparse_rows import CSRTensor

__all__ = ["COOTensor", "RowTensor", "SparseTensor"]

INDEX = ("int16", "int32", "int64")
_Self = TypeVar("_Self", bound="Sparse")


def check_tensor(name: str, key: str, value: Any) -> None:
    """Raise unless value is a Tensor."""
    if not isinstance(value, TensorBase):
        fail(TypeError, name, f"'{key}'", "be a Tensor", describe(value))


def check_shape(name: str, shape: Any) -> tuple[int, ...]:
    """Raise unless shape is a tuple of positive ints; returns it."""
    if not isinstance(shape, tuple):
        fail(TypeError, name, "'shape'", "be a tuple", describe(shape))
    for n in shape:
        if isinstance(n, bool) or not isinstance(n, int):
            fail(TypeError, name, "elements of 'shape'", "be ints", describe(n))
        if n <= 0:
            fail(ValueError, name, "elements of 'shape'", "be positive", str(n))
    return shape


def check_indices(name: str, key: str, value: Any, ndim: int) -> None:
    """Raise unless value is an integer Tensor of a number of dimensions."""
    check_tensor(name, key, value)
    if value.dtype.name not in INDEX:
        fail(TypeError, name, f"dtype of '{key}'", f"be one of [{', '.join(INDEX)}]", str(value.dtype))
    if value.ndim != ndim:
        fail(ValueError, name, f"'{key}'", f"have {ndim} dimension{'s' * (ndim > 1)}", str(value.ndim))


def shown(tensor: Any) -> str:
    """The text of a part of a sparse tensor: as of a Tensor, without commas between numbers."""
    head, text = representation(tensor).split("value=", 1)
    gap = "" if tensor.ndim == 1 else "\n"
    return f"{head}value={gap}{text.strip().replace(', ', ' ').replace(',', '')}"


def summed(keys: Any, values: Any) -> tuple[Any, Any]:
    """Sum the values that have one key: the distinct keys, ascending, and the sums (on the tape like any other)."""
    distinct, place = np.unique(keys, return_inverse=True)
    start = from_array(np.zeros((distinct.size, *values.shape[1:]), values._kind))
    return distinct, ops_by_name["index_add"](start, 0, from_array(place.reshape(-1).astype(np.int64)), values, 1)


def taken(values: Any, places: Any) -> Any:
    """The values at some places along the first dimension."""
    return ops_by_name["index_select"](values, 0, from_array(np.asarray(places, np.int64)))


def joined(parts: list[Any]) -> Any:
    """Values one after the other, in the dtype in which they meet."""
    dtype = common_of(parts)
    return ops_by_name["concat"]([ops_by_name["cast_np"](part, dtype) for part in parts], 0)


class Sparse:
    """What all sparse tensors have: values, a shape, and the properties that follow from them."""

    values: Any
    shape: tuple[int, ...]

    def _with(self: _Self, values: Any) -> _Self:
        raise NotImplementedError

    @property
    def dtype(self) -> Any:
        """The element type of the values."""
        return self.values.dtype

    @property
    def size(self) -> int:
        """How many values are stored."""
        return int(self.values.size)

    @property
    def itemsize(self) -> int:
        """The bytes of one value."""
        return int(self.values.itemsize)

    @property
    def ndim(self) -> int:
        """The number of dimensions of the dense tensor that is meant."""
        return len(self.shape)

    def astype(self: _Self, dtype: Any) -> _Self:
        """Return the tensor with its values in another element type."""
        return self._with(self.values.astype(dtype))

    def abs(self: _Self) -> _Self:
        """Return the tensor with the absolute values."""
        return self._with(ops_by_name["abs"](self.values))

    def _text(self, *parts: str) -> str:
        body = ", ".join(f"{part}={shown(getattr(self, part))}" for part in parts)
        return f"(shape={list(self.shape)}, dtype={self.dtype}, {body})"


class COOTensor(Sparse):
    """A sparse matrix given by the coordinates of its values (``mindspore.COOTensor``).

    Args:
        indices: integer Tensor of shape (n, 2): row and column of each value.
        values: Tensor of shape (n,).
        shape: the two sizes of the dense matrix, a tuple.
        coo_tensor: another COOTensor to share indices, values and shape with, in place of the three.

    Raises:
        TypeError: an argument of the wrong type, or indices of a dtype other than int16, int32, int64.
        ValueError: shapes that do not fit each other.

    Examples:
        >>> indices = Tensor([[0, 1], [1, 2]], mstype.int32)
        >>> print(COOTensor(indices, Tensor([1.0, 2.0]), (2, 3)).to_dense())
        [[0. 1. 0.]
         [0. 0. 2.]]
    """

    def __init__(self, indices: Any = None, values: Any = None, shape: Any = None, coo_tensor: Any = None) -> None:
        if coo_tensor is not None:
            if not isinstance(coo_tensor, COOTensor):
                fail(TypeError, "COOTensor", "'coo_tensor'", "be a COOTensor", describe(coo_tensor))
            if not indices is values is shape is None:
                fail(TypeError, "COOTensor", "'indices', 'values' and 'shape'", "be None beside 'coo_tensor'")
            indices, values, shape = coo_tensor.indices, coo_tensor.values, coo_tensor.shape
        check_tensor("COOTensor", "indices", indices)
        check_tensor("COOTensor", "values", values)
        check_shape("COOTensor", shape)
        check_indices("COOTensor", "indices", indices, 2)
        if values.ndim != 1:
            fail(ValueError, "COOTensor", "'values'", "have 1 dimension", str(values.ndim))
        if len(shape) != 2 or indices.shape[1] != 2:
            fail(ValueError, "COOTensor", "length of 'shape'", "be 2, that of each row of 'indices'", str(shape))
        if indices.shape[0] != values.shape[0]:
            got = f"{indices.shape[0]} and {values.shape[0]}"
            fail(ValueError, "COOTensor", "lengths of 'indices' and 'values'", "be equal", got)
        if values.shape[0] > shape[0] * shape[1]:
            fail(ValueError, "COOTensor", "'shape'", f"have room for {values.shape[0]} values", str(shape))
        self.indices: Any = indices
        self.values, self.shape = values, shape

    def __repr__(self) -> str:
        return "COOTensor" + self._text("indices", "values")

    def _with(self, values: Any) -> COOTensor:
        return COOTensor(self.indices, values, self.shape)

    def _keys(self) -> Any:
        """One number per value that tells its place, in the order of rows then columns."""
        rows, columns = self.indices._a.astype(np.int64).T
        return rows * self.shape[1] + columns

    def _at(self, keys: Any, values: Any) -> COOTensor:
        pairs = np.stack(np.divmod(keys, self.shape[1]), 1).astype(self.indices._kind)
        return COOTensor(from_array(pairs), values, self.shape)

    def to_tuple(self) -> tuple[Any, Any, tuple[int, ...]]:
        """Return (indices, values, shape)."""
        return self.indices, self.values, self.shape

    def to_dense(self) -> Any:
        """Return the dense Tensor; values with the same coordinates are added up.

        Raises:
            RuntimeError: coordinates outside the shape.
        """
        array = self.indices._a
        if array.size and ((array < 0) | (array >= np.array(self.shape))).any():
            fail(RuntimeError, "COOTensor.to_dense", "'indices'", f"lie inside the shape {self.shape}", "others")
        flat = from_array(np.zeros(self.shape[0] * self.shape[1], self.values._kind))
        dense = ops_by_name["index_add"](flat, 0, from_array(self._keys()), self.values, 1)
        return ops_by_name["reshape"](dense, self.shape)

    def to_csr(self) -> CSRTensor:
        """Return the same matrix by rows; values keep their order within a row."""
        from ms_kernels.tensor.sparse_rows import CSRTensor

        rows, columns = self.indices._a.T
        order = np.argsort(rows, kind="stable")
        counts = np.bincount(rows, minlength=self.shape[0])
        indptr = np.concatenate([[0], np.cumsum(counts)]).astype(rows.dtype)
        return CSRTensor(from_array(indptr), from_array(columns[order]), taken(self.values, order), self.shape)

    def coalesce(self) -> COOTensor:
        """Return the tensor with coordinates sorted, and values with the same ones added up.

        Examples:
            >>> twice = COOTensor(Tensor([[0, 1], [0, 1]]), Tensor([1.0, 2.0]), (2, 2))
            >>> twice.coalesce().values
            Tensor(shape=[1], dtype=Float32, value= [ 3.00000000e+00])
        """
        return self._at(*summed(self._keys(), self.values))

    def add(self, other: COOTensor, thresh: Any) -> COOTensor:
        """Return the sum of two COOTensors, without values whose magnitude is below `thresh` (a Tensor of one number).

        Raises:
            TypeError: `other` is no COOTensor, or `thresh` no Tensor.
            ValueError: the shapes differ.
        """
        if not isinstance(other, COOTensor):
            fail(TypeError, "COOTensor.add", "'other'", "be a COOTensor", describe(other))
        check_tensor("COOTensor.add", "thresh", thresh)
        self._same_shape(other)
        keys, values = summed(np.concatenate([self._keys(), other._keys()]), joined([self.values, other.values]))
        kept = np.flatnonzero(~(np.abs(values._a) < thresh._a))
        return self._at(keys, values) if kept.size == keys.size else self._at(keys[kept], taken(values, kept))

    def _same_shape(self, other: Any) -> None:
        if tuple(other.shape) != self.shape:
            fail(ValueError, "COOTensor", "shape of the other operand", f"be {self.shape}", str(tuple(other.shape)))

    def _plus(self, other: Any, sign: int) -> Any:
        if isinstance(other, COOTensor):
            other = other if sign > 0 else other._with(ops_by_name["neg"](other.values))
            return self.add(other, from_array(np.zeros((), np.float32)))
        if not isinstance(other, TensorBase):
            return NotImplemented
        self._same_shape(other)
        return ops_by_name["add" if sign > 0 else "sub"](self.to_dense(), other, 1)

    def _times(self, other: Any, combine: Callable[..., Any]) -> Any:
        """Values combined with those of a dense tensor at their places."""
        if not isinstance(other, TensorBase):
            return NotImplemented
        self._same_shape(other)
        return self._with(combine(self.values, ops_by_name["gather_nd"](other, self.indices)))

    def __add__(self, other: Any) -> Any:
        return self._plus(other, 1)

    def __radd__(self, other: Any) -> Any:
        return self._plus(other, 1)

    def __sub__(self, other: Any) -> Any:
        return self._plus(other, -1)

    def __mul__(self, other: Any) -> Any:
        return self._times(other, ops_by_name["mul"])

    def __truediv__(self, other: Any) -> Any:
        return self._times(other, lambda a, b: a / b)


class SparseTensor:
    """The former name of COOTensor, without methods (``mindspore.SparseTensor``); arguments are the same.

    Examples:
        >>> SparseTensor(Tensor([[0, 1]]), Tensor([5.0]), (2, 2)).shape
        (2, 2)
    """

    def __init__(self, indices: Any, values: Any, shape: Any) -> None:
        same = COOTensor(indices, values, shape)
        self.indices, self.values, self.shape = same.indices, same.values, same.shape
        self._same = same

    def __repr__(self) -> str:
        return repr(self._same)


class RowTensor(Sparse):
    """Some rows of a tensor (``mindspore.RowTensor``).

    Args:
        indices: integer Tensor of shape (n,): which rows.
        values: Tensor of shape (n, ...): the rows.
        shape: that of the dense tensor, a tuple.
        row_tensor: another RowTensor, in place of the three.

    Raises:
        TypeError: an argument of the wrong type.

    Examples:
        >>> rows = RowTensor(Tensor([0]), Tensor([[1.0, 2.0]]), (3, 2))
        >>> rows.dense_shape
        (3, 2)
    """

    def __init__(self, indices: Any = None, values: Any = None, shape: Any = None, row_tensor: Any = None) -> None:
        if row_tensor is not None:
            if not isinstance(row_tensor, RowTensor):
                fail(TypeError, "RowTensor", "'row_tensor'", "be a RowTensor", describe(row_tensor))
            indices, values, shape = row_tensor.indices, row_tensor.values, row_tensor.shape
        check_tensor("RowTensor", "indices", indices)
        check_tensor("RowTensor", "values", values)
        if not isinstance(shape, tuple):
            fail(TypeError, "RowTensor", "'shape'", "be a tuple", describe(shape))
        self.indices: Any = indices
        self.values, self.shape = values, shape

    @property
    def dense_shape(self) -> tuple[int, ...]:
        """The shape of the dense tensor."""
        return self.shape

    def _with(self, values: Any) -> RowTensor:
        return RowTensor(self.indices, values, self.shape)

    def __repr__(self) -> str:
        return "RowTensor" + self._text("indices", "values")
