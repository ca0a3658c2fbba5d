"""Embeddings: rows of a table by index."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.dispatch import effect
from ms_kernels.core.tensor import from_array
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._tape import cast_np
from ms_kernels.ops.compare import not_equal
from ms_kernels.ops.index import index_sum
from ms_kernels.ops.shape import reshape, unsqueeze
from ms_kernels.tape.batched import batched_in, known

__all__ = ["embedding"]

Shape = tuple[int, ...]


def _rows_vjp(g: Any, _out: Any, weight: Any, indices: Any, padding_idx: Any, by_freq: bool) -> Any:
    if batched_in(indices) is not None and not by_freq:
        rows = reshape(g, (indices.size, weight.shape[1]))
        flat = reshape(indices, (indices.size,))
        if padding_idx is not None:
            rows = rows * unsqueeze(cast_np(not_equal(flat, padding_idx), g._kind), 1)
        return index_sum(rows, 0, flat, weight.shape[0]), None
    places = indices._a.reshape(-1)
    share = np.ones(places.shape)
    if by_freq and places.size:
        share /= np.bincount(places)[places]
    if padding_idx is not None:
        share[places == padding_idx] = 0
    rows = reshape(g, (places.size, weight.shape[1])) * from_array(share[:, None].astype(g._kind))
    return index_sum(rows, 0, from_array(places), weight.shape[0]), None


@op(
    shape=lambda weight, indices, _padding, _freq: (*indices, weight[1]),
    dtype=lambda weight, *_rest: weight,
    vjp=_rows_vjp,
    ascend="copy",
    batch="rows",
    primitive="EmbeddingRows(padding_idx, by_freq)(weight, indices)",
    label="embedding",
)
def embedding_rows(weight: Array, indices: Array, padding_idx: int | None, by_freq: bool) -> Any:
    """Return the rows of a matrix at some indices.

    Args:
        padding_idx: the row that gets no gradient.
        by_freq: divide the gradient of each row by how often it is taken.

    Examples:
        >>> print(ops.EmbeddingRows(None, False)(Tensor([[1.0], [2.0]]), Tensor([1, 1])))
        [[2.]
         [2.]]

    Source: ``mindspore.mint.nn.functional.embedding``.
    """
    return weight[indices]


def _check_rows(input: Any, rows: int) -> None:
    places = known(input)
    if places.size and not (places.min() >= 0 and places.max() < rows):
        fail(IndexError, "embedding", "'input'", f"be in [0, {rows})", f"{places.min()} to {places.max()}")


def _renorm(weight: Any, input: Any, max_norm: float, norm_type: float) -> None:
    """Scale the rows in use that are longer than `max_norm`, in place, off the tape."""
    used = np.unique(input._a)
    rows = weight._a[used].astype(np.float64)
    norms = np.linalg.norm(rows, norm_type, axis=1)
    long = norms > max_norm
    scaled = rows[long] * (max_norm / (norms[long] + 1e-7))[:, None]
    weight._a[used[long]] = scaled.astype(weight._kind)
    weight._touch()


EMBEDDING = "embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False)"


@composite(ops=EMBEDDING, mintf=EMBEDDING)
def embedding(
    input: Array,
    weight: Array,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
) -> Any:
    """Return the rows of `weight` (num, dim) at the indices `input` (...): (..., dim).

    Args:
        padding_idx: the row that gets no gradient; negative from the end.
        max_norm: rows in use whose norm is larger are scaled down to it first, in place.
        norm_type: the p of that norm.
        scale_grad_by_freq: divide the gradient of each row by how often it is taken.

    Raises:
        TypeError: indices that are no integers.
        ValueError: a weight that is no matrix, a `padding_idx` that is no row.
        IndexError: an index that is no row.

    Examples:
        >>> print(ops.embedding(Tensor([1, 0]), Tensor([[1.0, 2.0], [3.0, 4.0]])))
        [[3. 4.]
         [1. 2.]]

    Source: ``mindspore.ops.embedding``, ``mindspore.mint.nn.functional.embedding``.
    """
    if input.dtype.kind not in "iu":
        fail(TypeError, "embedding", "dtype of 'input'", "be int32 or int64", str(input.dtype))
    if weight.ndim != 2:
        fail(ValueError, "embedding", "'weight'", "have two dimensions", f"shape {list(weight.shape)}")
    rows = weight.shape[0]
    if padding_idx is not None:
        if not -rows <= padding_idx < rows:
            fail(ValueError, "embedding", "'padding_idx'", f"be in [{-rows}, {rows})", describe(padding_idx))
        padding_idx %= rows
    effect(_check_rows, input, rows)
    if max_norm is not None:
        effect(_renorm, weight, input, float(max_norm), float(norm_type))
    return embedding_rows(weight, input, padding_idx, bool(scale_grad_by_freq))


def _hot_shape(shape: Shape, num_classes: int = -1) -> Shape:
    if isinstance(num_classes, bool) or not isinstance(num_classes, int):
        fail(TypeError, "one_hot", "'num_classes'", "be an int", describe(num_classes))
    if num_classes < -1:
        fail(ValueError, "one_hot", "'num_classes'", "be -1 or more", describe(num_classes))
    return (*shape, num_classes)


@op(
    shape=_hot_shape,
    dtype=rules.int64,
    nondiff="indices have no gradient",
    ascend="copy",
    batch="classes",
    mintf="one_hot(tensor, num_classes=-1)",
    label="one_hot",
)
def one_hot_mint(input: Array, num_classes: int = -1) -> Any:
    """Return a tensor with a new last dimension that is 1 where its index is the element, else 0, int64.

    Args:
        num_classes: the size of that dimension; -1: as the largest element needs.

    Raises:
        TypeError: elements that are no integers.
        ValueError: elements that are negative or too large.

    Examples:
        >>> print(ms_kernels.mint_functional.one_hot(Tensor([0, 2])))
        [[1 0 0]
         [0 0 1]]

    Source: ``mindspore.mint.nn.functional.one_hot``.
    """
    if input.dtype.kind not in "iu":
        fail(TypeError, "one_hot", "dtype of 'tensor'", "be int32 or int64", str(mstype.from_numpy(input.dtype)))
    top = int(input.max()) if input.size else -1
    size = top + 1 if num_classes == -1 else num_classes
    if input.size and (input.min() < 0 or top >= size):
        fail(ValueError, "one_hot", "'tensor'", f"be in [0, {size})", f"{input.min()} to {top}")
    return (input[..., None] == np.arange(size)).astype(np.int64)
