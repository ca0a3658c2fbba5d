"""CSRTensor: sparse matrices by rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ms_kernels.core.dispatch import ops_by_name
from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.tensor import sparse
from ms_kernels.tensor.sparse import COOTensor, Sparse, check_indices, check_shape, check_tensor

__all__ = ["CSRTensor"]


class CSRTensor(Sparse):
    """A sparse matrix given row by row (``mindspore.CSRTensor``).

    Args:
        indptr: integer Tensor of shape (rows + 1,): row i has the values from indptr[i] to indptr[i + 1].
        indices: integer Tensor of shape (n,): the column of each value.
        values: Tensor of shape (n, ...).
        shape: that of the dense tensor, a tuple: rows, columns, and the further dimensions of `values`.
        csr_tensor: another CSRTensor to share these with, in their place.

    Raises:
        TypeError: an argument of the wrong type, or indices of a dtype other than int16, int32, int64.
        ValueError: shapes that do not fit each other.

    Examples:
        >>> matrix = CSRTensor(Tensor([0, 1, 2]), Tensor([0, 1]), Tensor([1.0, 2.0]), (2, 4))
        >>> print(matrix.to_dense())
        [[1. 0. 0. 0.]
         [0. 2. 0. 0.]]
        >>> print(matrix.mm(Tensor([[1.0], [10.0], [0.0], [0.0]])))
        [[ 1.]
         [20.]]
    """

    def __init__(
        self, indptr: Any = None, indices: Any = None, values: Any = None, shape: Any = None, csr_tensor: Any = None
    ) -> None:
        if csr_tensor is not None:
            if not isinstance(csr_tensor, CSRTensor):
                fail(TypeError, "CSRTensor", "'csr_tensor'", "be a CSRTensor", describe(csr_tensor))
            if not indptr is indices is values is shape is None:
                fail(TypeError, "CSRTensor", "other arguments", "be None beside 'csr_tensor'")
            indptr, indices, values, shape = csr_tensor.to_tuple()
        for key, value in (("indptr", indptr), ("indices", indices), ("values", values)):
            check_tensor("CSRTensor", key, value)
        check_shape("CSRTensor", shape)
        check_indices("CSRTensor", "indptr", indptr, 1)
        check_indices("CSRTensor", "indices", indices, 1)
        if len(shape) != values.ndim + 1:
            fail(ValueError, "CSRTensor", "number of dimensions", f"be {values.ndim + 1}, as 'values' has", str(shape))
        if indptr.shape[0] != shape[0] + 1:
            fail(ValueError, "CSRTensor", "length of 'indptr'", f"be {shape[0] + 1}", str(indptr.shape[0]))
        if indices.shape[0] != values.shape[0]:
            got = f"{indices.shape[0]} and {values.shape[0]}"
            fail(ValueError, "CSRTensor", "lengths of 'indices' and 'values'", "be equal", got)
        self.indptr, self.indices, self.values, self.shape = indptr, indices, values, shape

    def __repr__(self) -> str:
        return "CSRTensor" + self._text("indptr", "indices", "values")

    def _with(self, values: Any) -> CSRTensor:
        return CSRTensor(self.indptr, self.indices, values, self.shape)

    def _rows(self) -> Any:
        """The row of each value.

        Raises:
            ValueError: `indptr` does not rise from 0 to the number of values.
        """
        pointers = self.indptr._a.astype(np.int64)
        counts = np.diff(pointers)
        if pointers[0] != 0 or (counts < 0).any() or pointers[-1] != self.size_of_rows:
            fail(ValueError, "CSRTensor", "'indptr'", f"rise from 0 to {self.size_of_rows}", str(pointers.tolist()))
        return np.repeat(np.arange(self.shape[0]), counts)

    @property
    def size_of_rows(self) -> int:
        """How many entries there are along the first dimension of the values."""
        return int(self.values.shape[0])

    def _matrix(self, name: str) -> None:
        if self.ndim != 2:
            fail(ValueError, name, "CSRTensor", "have 2 dimensions", str(self.ndim))

    def _keys(self) -> Any:
        return self._rows() * self.shape[1] + self.indices._a

    def _at(self, keys: Any, values: Any, shape: tuple[int, ...]) -> CSRTensor:
        rows, columns = np.divmod(keys, shape[1])
        indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=shape[0]))])
        kind = self.indptr._kind
        return CSRTensor(from_array(indptr.astype(kind)), from_array(columns.astype(kind)), values, shape)

    def to_tuple(self) -> tuple[Any, Any, Any, tuple[int, ...]]:
        """Return (indptr, indices, values, shape)."""
        return self.indptr, self.indices, self.values, self.shape

    def to_coo(self) -> COOTensor:
        """Return the same matrix by coordinates.

        Raises:
            ValueError: it has more than two dimensions.
        """
        self._matrix("CSRTensor.to_coo")
        pairs = np.stack([self._rows(), self.indices._a], 1).astype(self.indices._kind)
        return COOTensor(from_array(pairs), self.values, self.shape)

    def to_dense(self) -> Any:
        """Return the dense Tensor.

        Raises:
            ValueError: it has more than two dimensions.
        """
        return self.to_coo().to_dense()

    def _along_rows(self, values: Any) -> Any:
        """Sum entries that stand in one row: shape (rows, ...)."""
        start = from_array(np.zeros((self.shape[0], *values.shape[1:]), values._kind))
        return ops_by_name["index_add"](start, 0, from_array(self._rows()), values, 1)

    def sum(self, axis: int) -> Any:
        """Return the sum of each row, of shape (rows, 1); `axis` is 1 or -1.

        Raises:
            ValueError: another axis, or more than two dimensions.
        """
        self._matrix("CSRTensor.sum")
        if axis not in (1, -1):
            fail(ValueError, "CSRTensor.sum", "'axis'", "be 1 or -1", describe(axis))
        return self._along_rows(ops_by_name["reshape"](self.values, (-1, 1)))

    def mv(self, dense_vector: Any) -> Any:
        """Return the product with a dense column, a Tensor of shape (columns, 1).

        Raises:
            TypeError: no Tensor.
            ValueError: another shape.
        """
        check_tensor("CSRTensor.mv", "dense_vector", dense_vector)
        if dense_vector.shape != (self.shape[1], 1):
            fail(
                ValueError,
                "CSRTensor.mv",
                "shape of 'dense_vector'",
                f"be {(self.shape[1], 1)}",
                str(dense_vector.shape),
            )
        return self.mm(dense_vector)

    def mm(self, matrix: Any) -> Any:
        """Return the product with a dense matrix (a Tensor), or with a CSRTensor (a CSRTensor).

        Raises:
            TypeError: neither Tensor nor CSRTensor.
            ValueError: shapes that do not fit.
        """
        self._matrix("CSRTensor.mm")
        if not isinstance(matrix, (TensorBase, CSRTensor)):
            fail(TypeError, "CSRTensor.mm", "'matrix'", "be a Tensor or CSRTensor", describe(matrix))
        if len(matrix.shape) != 2 or matrix.shape[0] != self.shape[1]:
            fail(ValueError, "CSRTensor.mm", "shape of 'matrix'", f"be ({self.shape[1]}, n)", str(tuple(matrix.shape)))
        if isinstance(matrix, CSRTensor):
            return self._sparse_product(matrix)
        column = ops_by_name["reshape"](self.values, (-1, 1))
        return self._along_rows(ops_by_name["mul"](column, sparse.taken(matrix, self.indices._a)))

    def _sparse_product(self, other: CSRTensor) -> CSRTensor:
        """Every entry times every entry of the row of `other` that its column names."""
        counts = np.diff(other.indptr._a.astype(np.int64))[self.indices._a]
        left = np.repeat(np.arange(self.size_of_rows), counts)
        within = np.arange(left.size) - np.repeat(np.cumsum(counts) - counts, counts)
        right = other.indptr._a.astype(np.int64)[self.indices._a[left]] + within
        products = ops_by_name["mul"](sparse.taken(self.values, left), sparse.taken(other.values, right))
        shape = (self.shape[0], other.shape[1])
        keys, values = sparse.summed(self._rows()[left] * shape[1] + other.indices._a[right], products)
        return self._at(keys, values, shape)

    def add(self, b: CSRTensor, alpha: Any, beta: Any) -> CSRTensor:
        """Return alpha * self + beta * b; both factors are Tensors of one number.

        Raises:
            TypeError: `b` is no CSRTensor, or a factor no Tensor.
            ValueError: the shapes differ.
        """
        if not isinstance(b, CSRTensor):
            fail(TypeError, "CSRTensor.add", "'b'", "be a CSRTensor", describe(b))
        check_tensor("CSRTensor.add", "alpha", alpha)
        check_tensor("CSRTensor.add", "beta", beta)
        self._matrix("CSRTensor.add")
        self._same_shape(b)
        mul = ops_by_name["mul"]
        values = sparse.joined([mul(self.values, alpha), mul(b.values, beta)])
        return self._at(*sparse.summed(np.concatenate([self._keys(), b._keys()]), values), self.shape)

    def _same_shape(self, other: Any) -> None:
        if tuple(other.shape) != self.shape:
            fail(ValueError, "CSRTensor", "shape of the other operand", f"be {self.shape}", str(tuple(other.shape)))

    def _plus(self, other: Any, sign: int) -> Any:
        if not isinstance(other, CSRTensor):
            return NotImplemented
        one, factor = (from_array(np.array(n, self.values._kind)) for n in (1, sign))
        return self.add(other, one, factor)

    def _times(self, other: Any, combine: Callable[..., Any]) -> Any:
        if isinstance(other, (bool, int, float)):
            return self._with(combine(self.values, other))
        if not isinstance(other, TensorBase):
            return NotImplemented
        dense = ops_by_name["broadcast_to"](other, self.shape)
        pairs = np.stack([self._rows(), self.indices._a], 1)
        return self._with(combine(self.values, ops_by_name["gather_nd"](dense, from_array(pairs))))

    def __add__(self, other: Any) -> Any:
        return self._plus(other, 1)

    def __sub__(self, other: Any) -> Any:
        return self._plus(other, -1)

    def __mul__(self, other: Any) -> Any:
        return self._times(other, ops_by_name["mul"])

    def __truediv__(self, other: Any) -> Any:
        return self._times(other, lambda a, b: a / b)
