"""Layers on sparse matrices: SparseToDense, SparseTensorDenseMatmul."""

from __future__ import annotations

from typing import Any

from ms_kernels import Tensor
from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail
from ms_nn import _check
from ms_nn.cell import Cell
from ms_nn.layers.plain import Plain

__all__ = ["SparseTensorDenseMatmul", "SparseToDense"]


class SparseToDense(Plain):
    """A COOTensor as a Tensor (``mindspore.nn.SparseToDense``).

    >>> from ms_kernels import Tensor
    >>> from ms_kernels.tensor.sparse import COOTensor
    >>> print(SparseToDense()(COOTensor(Tensor([[0, 1], [1, 0]]), Tensor([1.0, 2.0]), (2, 2))))
    [[0. 1.]
     [2. 0.]]
    """

    def construct(self, sparse_tensor: Any) -> Any:
        """The Tensor."""
        return F.tensor_scatter_add(
            F.zeros(tuple(sparse_tensor.shape), sparse_tensor.values.dtype), sparse_tensor.indices, sparse_tensor.values
        )


class SparseTensorDenseMatmul(Cell):
    """The product of a sparse matrix, given by places and values, and a dense one (``nn.SparseTensorDenseMatmul``).

    Args:
        adjoint_st: transpose (and conjugate) the sparse one first.
        adjoint_dt: transpose (and conjugate) the dense one first.

    The call takes `indices` (n, 2), `values` (n,), `sparse_shape` (a tuple of two ints) and `dense`.

    Raises:
        TypeError: an argument is no bool; in the call, `sparse_shape` is no tuple of ints.

    >>> from ms_kernels import Tensor
    >>> indices, values = Tensor([[0, 1], [1, 0]]), Tensor([1.0, 2.0])
    >>> print(SparseTensorDenseMatmul()(indices, values, (2, 2), Tensor([[1.0], [3.0]])))
    [[3.]
     [2.]]
    """

    def __init__(self, adjoint_st: bool = False, adjoint_dt: bool = False) -> None:
        super().__init__()
        self.adjoint_st = _check.boolean("SparseTensorDenseMatmul", "adjoint_st", adjoint_st)
        self.adjoint_dt = _check.boolean("SparseTensorDenseMatmul", "adjoint_dt", adjoint_dt)

    def construct(self, indices: Any, values: Any, sparse_shape: Any, dense: Any) -> Any:
        """The product."""
        name = "SparseTensorDenseMatmul"
        if isinstance(sparse_shape, Tensor):
            sparse_shape = tuple(sparse_shape.tolist())
        _check.instance(name, "sparse_shape", sparse_shape, tuple)
        rows, columns = indices[:, 0], indices[:, 1]
        height, width = sparse_shape
        if self.adjoint_st:
            rows, columns, height, width = columns, rows, width, height
            values = F.conj(values) if values.dtype.kind == "c" else values
        if self.adjoint_dt:
            dense = F.swapaxes(F.conj(dense) if dense.dtype.kind == "c" else dense, 0, 1)
        if dense.ndim != 2 or dense.shape[0] != width:
            fail(ValueError, name, "shape of 'dense'", f"have {width} rows", str(list(dense.shape)))
        products = F.gather(dense, columns, 0) * F.expand_dims(values, 1)
        start = F.zeros((height, dense.shape[1]), products.dtype)
        return F.tensor_scatter_add(start, F.expand_dims(rows, 1), products)
