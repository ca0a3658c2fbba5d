"""Tables looked up by number, with limited norms or summed by field: EmbeddingLookup, MultiFieldEmbeddingLookup."""

from __future__ import annotations

from typing import Any

import ms_dtype as mstype
from ms_initializer import initializer
from ms_kernels import Parameter
from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail
from ms_nn import _check
from ms_nn.cell import Cell

__all__ = ["EmbeddingLookup", "MultiFieldEmbeddingLookup"]

_LOWEST = -3e38  # stands for nothing among maxima; what segments without elements hold is below it


class EmbeddingLookup(Cell):
    """Rows of a trained table; a number that is out of range gives zeros (``mindspore.nn.EmbeddingLookup``).

    Args:
        vocab_size: rows of the table.
        embedding_size: columns of the table.
        param_init: Tensor, str, Initializer or number: the first table.
        target: "CPU" or "DEVICE"; one and the same here.
        max_norm: rows longer than this are shortened to it when looked up.
        sparse, slice_mode, manual_shapes, vocab_cache_size: about 2.6's distributed tables; without effect.
        dtype: of the table.

    Shapes: input of ints (...) -> (..., embedding_size).

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.

    >>> from ms_kernels import Tensor
    >>> table = EmbeddingLookup(4, 2, param_init="ones")
    >>> print(table(Tensor([[1, 9]])))
    [[[1. 1.]
      [0. 0.]]]
    """

    BATCH_SLICE = "batch_slice"
    FIELD_SLICE = "field_slice"
    TABLE_ROW_SLICE = "table_row_slice"
    TABLE_COLUMN_SLICE = "table_column_slice"

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        param_init: Any = "normal",
        target: str = "CPU",
        slice_mode: str = "batch_slice",
        manual_shapes: Any = None,
        max_norm: float | None = None,
        sparse: bool = True,
        vocab_cache_size: int = 0,
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.sparse = _check.boolean(name, "sparse", sparse)
        self.vocab_size = _check.integer(name, "vocab_size", vocab_size)
        self.vocab_cache_size = _check.integer(name, "vocab_cache_size", vocab_cache_size, 0)
        self.target = _check.choice(name, "target", target, ("CPU", "DEVICE"))
        self.embedding_size = _check.integer(name, "embedding_size", embedding_size)
        self.slice_mode, self.manual_shapes = slice_mode, manual_shapes
        if max_norm is not None:
            if not isinstance(max_norm, float):
                fail(TypeError, name, "'max_norm'", "be float", f"'{type(max_norm).__name__}'")
            _check.real(name, "max_norm", max_norm, above=0)
        self.max_norm = max_norm
        first = initializer(param_init, [vocab_size, embedding_size], dtype)
        self.embedding_table = Parameter(first, name="embedding_table")

    def _rows(self, indices: Any) -> Any:
        if indices.dtype.kind not in "iu":
            fail(TypeError, type(self).__name__, "dtype of 'indices'", "be an int type", str(indices.dtype))
        inside = F.logical_and(indices >= 0, indices < self.vocab_size)
        rows = F.gather(self.embedding_table, F.where(inside, indices, F.zeros_like(indices)), 0)
        rows = F.where(F.expand_dims(inside, -1), rows, F.zeros_like(rows))
        if self.max_norm is None:
            return rows
        total = F.sum(F.square(rows), -1, True)
        # the root of 0 has no derivative; such rows are short enough
        long = total > self.max_norm**2
        return F.where(long, rows * (self.max_norm / F.sqrt(F.where(long, total, F.ones_like(total)))), rows)

    def construct(self, indices: Any) -> Any:
        """The rows."""
        return self._rows(indices)


class MultiFieldEmbeddingLookup(EmbeddingLookup):
    """Rows of a table times values, combined by field (``mindspore.nn.MultiFieldEmbeddingLookup``).

    Args:
        vocab_size, embedding_size, param_init, target, slice_mode, max_norm, sparse, dtype: see `EmbeddingLookup`.
        field_size: how many fields there are.
        feature_num_list: about 2.6's distributed tables; without effect.
        operator: "SUM"; "MEAN", the sum divided by that of the values; "MAX".

    The call takes row numbers, float32 values and int32 field numbers, all (batch, n). What has the value 0 does not
    count, and fields without anything are zero.

    Shapes: (batch, field_size, embedding_size).

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range; in the call, other inputs than these.

    >>> import ms_dtype as mstype
    >>> from ms_kernels import Tensor
    >>> layer = MultiFieldEmbeddingLookup(4, 1, 2, param_init="ones")
    >>> rows, values = Tensor([[0, 1, 3]]), Tensor([[2.0, 1.0, 1.0]])
    >>> print(layer(rows, values, Tensor([[0, 0, 1]], mstype.int32)))
    [[[3.]
      [1.]]]
    """

    OPERATOR_SUM = "SUM"
    OPERATOR_MEAN = "MEAN"
    OPERATOR_MAX = "MAX"

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        field_size: int,
        param_init: Any = "normal",
        target: str = "CPU",
        slice_mode: str = "batch_slice",
        feature_num_list: Any = None,
        max_norm: float | None = None,
        sparse: bool = True,
        operator: str = "SUM",
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__(
            vocab_size, embedding_size, param_init, target, slice_mode, feature_num_list, max_norm, sparse, dtype=dtype
        )
        name = "MultiFieldEmbeddingLookup"
        self.field_size = _check.integer(name, "field_size", field_size)
        self.operator = _check.choice(name, "operator", operator, ("SUM", "MAX", "MEAN"))

    def construct(  # type: ignore[override]  # as 2.6 has it
        self, input_indices: Any, input_values: Any, field_ids: Any
    ) -> Any:
        """One row for each field."""
        name = "MultiFieldEmbeddingLookup"
        wanted = (("input_indices", input_indices, (mstype.int32, mstype.int64)),)
        floats = (("input_values", input_values, (mstype.float32,)), ("field_ids", field_ids, (mstype.int32,)))
        for arg, value, dtypes in (*wanted, *floats):
            if value.ndim != 2:
                fail(ValueError, name, f"dimension of '{arg}'", "be 2d", str(value.ndim))
            if value.dtype not in dtypes:
                fail(TypeError, name, f"'{arg}'", f"be one of {[str(dtype) for dtype in dtypes]}", str(value.dtype))
        batch, size = input_indices.shape[0], self.embedding_size
        rows = self._rows(input_indices) * F.expand_dims(input_values, -1)
        # all samples at once: the fields of sample i are segments i * field_size onward
        first = F.expand_dims(F.arange(batch, dtype=mstype.int32) * self.field_size, -1)
        segments, count = F.reshape(field_ids + first, (-1,)), batch * self.field_size
        if self.operator == "MAX":
            low = F.full_like(rows, _LOWEST)
            counted = F.where(F.expand_dims(input_values != 0, -1), rows, low)
            found = F.unsorted_segment_max(F.reshape(counted, (-1, size)), segments, count)
            found = F.where(found > _LOWEST, found, F.zeros_like(found))
        else:
            found = F.unsorted_segment_sum(F.reshape(rows, (-1, size)), segments, count)
        if self.operator == "MEAN":
            total = F.expand_dims(F.unsorted_segment_sum(F.reshape(input_values, (-1,)), segments, count), -1)
            found = found / F.where(total == 0, F.ones_like(total), total)
        return F.reshape(found, (batch, self.field_size, size))
