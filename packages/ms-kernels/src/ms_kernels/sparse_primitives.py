"""The Primitives of `mindspore.ops` that take a sparse matrix by its parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.core.dispatch import ops_by_name
from ms_kernels.core.tensor import from_array
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.primitive import Primitive
from ms_kernels.sparse import transposed
from ms_kernels.tensor.sparse import COOTensor, check_indices, check_tensor

__all__ = ["SparseSlice", "SparseTensorDenseAdd", "SparseTensorDenseMatmul", "SparseToDense"]


def _coo(name: str, indices: Any, values: Any, shape: Any) -> COOTensor:
    check_indices(name, "indices", indices, 2)
    check_tensor(name, "values", values)
    sizes = shape.asnumpy().tolist() if hasattr(shape, "asnumpy") else shape
    return COOTensor(indices, values, tuple(sizes))


class SparseToDense(Primitive):
    """Dense tensor of a sparse one's parts (``mindspore.ops.SparseToDense``): called with indices, values, shape.

    Examples:
        >>> from ms_kernels import Tensor
        >>> print(SparseToDense()(Tensor([[0, 1]]), Tensor([5.0]), (1, 2)))
        [[0. 5.]]
    """

    def __init__(self) -> None:
        super().__init__("SparseToDense")

    def __call__(self, indices: Any, values: Any, sparse_shape: Any) -> Any:
        return _coo(self.name, indices, values, sparse_shape).to_dense()


class SparseSlice(Primitive):
    """The part of a sparse tensor inside a box (``mindspore.ops.SparseSlice``): its indices, values and shape.

    Examples:
        >>> from ms_kernels import Tensor
        >>> start, size = Tensor([1, 1]), Tensor([2, 9])
        >>> found = SparseSlice()(Tensor([[0, 1], [1, 2]]), Tensor([5, 6]), Tensor([3, 4]), start, size)
        >>> [part.tolist() for part in found]
        [[[0, 1]], [6], [2, 3]]
    """

    def __init__(self) -> None:
        super().__init__("SparseSlice")

    def __call__(self, indices: Any, values: Any, shape: Any, start: Any, size: Any) -> tuple[Any, Any, Any]:
        check_indices(self.name, "indices", indices, 2)
        for key, value in (("values", values), ("shape", shape), ("start", start), ("size", size)):
            check_tensor(self.name, key, value)
        moved = indices._a - start._a
        left = np.maximum(np.minimum(size._a, shape._a - start._a), 0)
        inside = np.flatnonzero(((moved >= 0) & (moved < left)).all(1))
        kept = ops_by_name["index_select"](values, 0, from_array(inside))
        return from_array(moved[inside].astype(indices._kind)), kept, from_array(left.astype(np.int64))


class SparseTensorDenseAdd(Primitive):
    """Sum of a sparse matrix, given by its parts, and a dense one (``mindspore.ops.SparseTensorDenseAdd``).

    Examples:
        >>> from ms_kernels import Tensor
        >>> print(SparseTensorDenseAdd()(Tensor([[0, 1]]), Tensor([5.0]), (1, 2), Tensor([[1.0, 1.0]])))
        [[1. 6.]]
    """

    def __init__(self) -> None:
        super().__init__("SparseTensorDenseAdd")

    def __call__(self, x1_indices: Any, x1_values: Any, x1_shape: Any, x2: Any) -> Any:
        check_tensor(self.name, "x2", x2)
        return _coo(self.name, x1_indices, x1_values, x1_shape) + x2


class SparseTensorDenseMatmul(Primitive):
    """Product of a sparse matrix, given by its parts, and a dense one (``mindspore.ops.SparseTensorDenseMatmul``).

    Args:
        adjoint_st, adjoint_dt: transpose (and conjugate) the sparse, the dense matrix first.

    Examples:
        >>> from ms_kernels import Tensor
        >>> print(SparseTensorDenseMatmul()(Tensor([[0, 1]]), Tensor([5.0]), (1, 2), Tensor([[1.0], [2.0]])))
        [[10.]]
    """

    def __init__(self, adjoint_st: bool = False, adjoint_dt: bool = False) -> None:
        super().__init__("SparseTensorDenseMatmul")
        for key, value in (("adjoint_st", adjoint_st), ("adjoint_dt", adjoint_dt)):
            if not isinstance(value, bool):
                fail(TypeError, self.name, f"'{key}'", "be a bool", describe(value))
            self.attrs[key] = value

    def __call__(self, indices: Any, values: Any, sparse_shape: Any, dense: Any) -> Any:
        check_tensor(self.name, "dense", dense)
        left = _coo(self.name, indices, values, sparse_shape).to_csr()
        if self.attrs["adjoint_st"]:
            left = transposed(left, True)
        return left.mm(ops_by_name["conj"](dense).swapaxes(0, 1) if self.attrs["adjoint_dt"] else dense)
