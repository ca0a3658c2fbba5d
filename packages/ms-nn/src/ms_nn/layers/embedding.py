"""Embedding: a table looked up by number."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_initializer import initializer
from ms_kernels import Parameter, Tensor
from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail
from ms_nn import _check
from ms_nn.cell import Cell

__all__ = ["Embedding"]


class Embedding(Cell):
    """Rows of a trained table (``mindspore.nn.Embedding``).

    Args:
        vocab_size: rows of the table.
        embedding_size: columns of the table.
        use_one_hot: look up by a product with one-hot rows.
        embedding_table: Any, str, Initializer or number: the first table.
        dtype: of the table.
        padding_idx: this row is zero at first.

    Shapes: input of ints (...) -> (..., embedding_size).

    Raises:
        TypeError: an argument of the wrong type.
        ValueError: `padding_idx` out of range, or a first table of the wrong shape.

    >>> from ms_kernels import Tensor
    >>> print(Embedding(4, 2, embedding_table="ones", padding_idx=0)(Tensor([0, 3])))
    [[0. 0.]
     [1. 1.]]
    """

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        use_one_hot: bool = False,
        embedding_table: Any = "normal",
        dtype: Any = mstype.float32,
        padding_idx: int | None = None,
    ) -> None:
        super().__init__()
        self.vocab_size = _check.integer("Embedding", "vocab_size", vocab_size)
        self.embedding_size = _check.integer("Embedding", "embedding_size", embedding_size)
        self.use_one_hot = _check.boolean("Embedding", "use_one_hot", use_one_hot)
        self.dtype = dtype
        self.padding_idx = padding_idx
        first = initializer(embedding_table, [vocab_size, embedding_size], dtype=dtype)
        if padding_idx is not None:
            if isinstance(padding_idx, bool) or not isinstance(padding_idx, int) or not 0 <= padding_idx < vocab_size:
                fail(
                    ValueError,
                    "Embedding",
                    "'padding_idx'",
                    f"be in range of [0, {vocab_size})",
                    f"{padding_idx} with type '{type(padding_idx).__name__}'",
                )
            rows = np.array(first.init_data().asnumpy())
            rows[padding_idx] = 0
            first = Tensor(rows)
        self.embedding_table = Parameter(first, name="embedding_table")

    def construct(self, ids: Any) -> Any:
        """The rows."""
        if self.use_one_hot:
            width = Tensor(1.0, self.dtype), Tensor(0.0, self.dtype)
            flat = F.one_hot(ids.reshape((-1,)), self.vocab_size, *width)
            return F.matmul(flat, self.embedding_table).reshape((*ids.shape, self.embedding_size))
        return F.gather(self.embedding_table, ids, 0)

    def extend_repr(self) -> str:
        """Sizes and parameter."""
        return (
            f"vocab_size={self.vocab_size}, embedding_size={self.embedding_size}, use_one_hot={self.use_one_hot}, "
            f"embedding_table={self.embedding_table}, dtype={self.dtype}, padding_idx={self.padding_idx}"
        )
