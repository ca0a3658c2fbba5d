"""Attention of several heads: MultiheadAttention."""

from __future__ import annotations

import math
from typing import Any

import ms_dtype as mstype
from ms_initializer import XavierNormal, XavierUniform, Zero, initializer
from ms_kernels import Parameter, Tensor
from ms_kernels import functional as F
from ms_kernels.opdef.errors import operand
from ms_nn.cell import Cell
from ms_nn.layers.linear import Dense

__all__ = ["MultiheadAttention"]


def _leaves_out(mask: Tensor) -> bool:
    """Whether a mask says what to leave out, rather than what to add."""
    return mask.dtype in (mstype.bool_, mstype.uint8)


def _additive(mask: Tensor, dtype: Any) -> Any:
    """A mask as what is added to the scores: -inf where it leaves out."""
    if not _leaves_out(mask):
        return mask.astype(dtype)
    return F.masked_fill(F.zeros(tuple(mask.shape), dtype), mask.astype(mstype.bool_), float("-inf"))


class MultiheadAttention(Cell):
    """softmax(Q K^T / sqrt(d) + mask) V in several heads, then a dense layer (``mindspore.nn.MultiheadAttention``).

    Vaswani et al., "Attention Is All You Need" (2017), section 3.2.

    Args:
        embed_dim: size of the queries and of the result, a multiple of `num_heads`.
        num_heads: number of heads; each has d = embed_dim / num_heads features.
        dropout: probability that a weight is dropped in training.
        has_bias: the projections have biases.
        add_bias_kv: a learned key and value are appended to the sequences.
        add_zero_attn: a key and value of zeros are appended.
        kdim, vdim: sizes of keys and values; `embed_dim` if None.
        batch_first: the batch is the first dimension, not the second.
        dtype: of the parameters.

    Shapes: query (L, N, embed_dim), key (S, N, kdim), value (S, N, vdim), or with N first if `batch_first`, or all
    without N; key_padding_mask (N, S) (or (S,)); attn_mask (L, S) or (N * num_heads, L, S). Result: (output like the
    query, weights (N, L, S), averaged over the heads, or (N, num_heads, L, S)); a tuple of the output alone without
    `need_weights`.

    Masks: True (in attn_mask also a byte that is not 0) leaves a key out, a float is added to the score. As in 2.6
    attn_mask decides how a key_padding_mask beside it counts: a True beside floats adds 1, so give two masks of one
    kind; a float beside bools leaves out if it is not 0.

    Raises:
        ValueError: `embed_dim` is no multiple of `num_heads`, or (in the call) shapes or mask types do not fit.
        TypeError: (in the call) an operand is no Tensor.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> x = Tensor(np.ones((3, 2, 4), np.float32))
    >>> output, weights = MultiheadAttention(4, 2)(x, x, x)
    >>> output.shape, weights.shape
    ((3, 2, 4), (2, 3, 3))
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        has_bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__()
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self.dropout, self.batch_first, self.add_zero_attn = dropout, batch_first, add_zero_attn
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise ValueError("The init argument 'embed_dim' must be divisible by 'num_heads'.")
        self._one_weight = self.kdim == embed_dim and self.vdim == embed_dim

        def parameter(init: Any, own: str, *shape: int) -> Parameter:
            return Parameter(initializer(init, shape, dtype), name=own)

        if self._one_weight:
            self.in_proj_weight = parameter(XavierUniform(), "in_proj_weight", 3 * embed_dim, embed_dim)
        else:
            self.q_proj_weight = parameter(XavierUniform(), "q_proj_weight", embed_dim, embed_dim)
            self.k_proj_weight = parameter(XavierUniform(), "k_proj_weight", embed_dim, self.kdim)
            self.v_proj_weight = parameter(XavierUniform(), "v_proj_weight", embed_dim, self.vdim)
        self.in_proj_bias: Any = parameter(Zero(), "in_proj_bias", 3 * embed_dim) if has_bias else None
        self.out_proj = Dense(embed_dim, embed_dim, has_bias=has_bias, dtype=dtype)
        self.bias_k: Any = parameter(XavierNormal(), "bias_k", 1, 1, embed_dim) if add_bias_kv else None
        self.bias_v: Any = parameter(XavierNormal(), "bias_v", 1, 1, embed_dim) if add_bias_kv else None

    def construct(
        self,
        query: Any,
        key: Any,
        value: Any,
        key_padding_mask: Any = None,
        need_weights: bool = True,
        attn_mask: Any = None,
        average_attn_weights: bool = True,
    ) -> Any:
        """The output, and the weights if they are wanted, in a tuple."""
        self._check(query, key, value)
        batched = query.ndim == 3
        if not batched:
            query, key, value = query.expand_dims(1), key.expand_dims(1), value.expand_dims(1)
            if key_padding_mask is not None:
                key_padding_mask = key_padding_mask.expand_dims(0)
        same = query is key and key is value
        if not (batched and self.batch_first):  # inside, the batch comes first
            query = query.swapaxes(0, 1)
            key, value = (query, query) if same else (key.swapaxes(0, 1), value.swapaxes(0, 1))
        batch, length, _ = query.shape
        mask = self._mask(key_padding_mask, attn_mask, (batch, length, key.shape[1]), query.dtype)
        query, key, value = self._project(query, key, value, same)
        added = 0
        if self.bias_k is not None:
            key = F.concat((key, F.tile(self.bias_k, (batch, 1, 1))), 1)
            value = F.concat((value, F.tile(self.bias_v, (batch, 1, 1))), 1)
            added += 1
        if self.add_zero_attn:
            zero = F.zeros((batch, 1, self.embed_dim), key.dtype)
            key, value = F.concat((key, zero), 1), F.concat((value, zero), 1)
            added += 1
        scores = F.matmul(self._heads(query / math.sqrt(self.head_dim)), self._heads(key).swapaxes(-2, -1))
        if mask is not None:
            if added:
                mask = F.concat((mask, F.zeros((*mask.shape[:-1], added), mask.dtype)), -1)
            scores = scores + mask
        weights = F.softmax(scores, -1)
        if self.training and self.dropout > 0:
            weights = F.dropout(weights, self.dropout)
        joined = F.matmul(weights, self._heads(value)).transpose(0, 2, 1, 3).reshape((batch, length, self.embed_dim))
        output = self.out_proj(joined)
        if not batched:
            output = output.squeeze(0)
        elif not self.batch_first:
            output = output.swapaxes(0, 1)
        if not need_weights:
            return (output,)
        if average_attn_weights:
            weights = weights.mean(1)
        return output, weights if batched else weights.squeeze(0)

    def _check(self, query: Any, key: Any, value: Any) -> None:
        for arg, given in (("query", query), ("key", key), ("value", value)):
            if not isinstance(given, Tensor):
                operand("MultiheadAttention", arg, given)
        if query.ndim not in (2, 3):
            raise ValueError(
                f"The `query` should be unbatched 2D or batched 3D tensor, but got `query` with {query.ndim}D."
            )
        if key.ndim != query.ndim or value.ndim != query.ndim:
            raise ValueError(
                f"The `key` and `value` should be {query.ndim}D as the `query`, but got {key.ndim}D and {value.ndim}D."
            )
        if query.shape[-1] != self.embed_dim:
            raise ValueError(f"The `embed_dim` should be {self.embed_dim}, but got {query.shape[-1]}.")
        if key.shape[:-1] != value.shape[:-1] or (self._one_weight and key.shape != value.shape):
            raise ValueError(f"The shape of `key` {key.shape} does not match `value` {value.shape}.")
        batch = 0 if self.batch_first else 1
        if query.ndim == 3 and key.shape[batch] != query.shape[batch]:
            raise ValueError(f"The batch of `key` should be {query.shape[batch]}, but got {key.shape[batch]}.")

    def _mask(self, padding: Any, attn: Any, sizes: tuple[int, int, int], dtype: Any) -> Any:
        """Both masks as one that broadcasts to (N, heads, L, S), or None."""
        batch, length, keys = sizes
        if padding is not None:
            if tuple(padding.shape) != (batch, keys):
                raise ValueError(
                    f"The shape of `key_padding_mask` should be {(batch, keys)}, but got {tuple(padding.shape)}."
                )
            if padding.dtype != mstype.bool_ and padding.dtype.kind != "f":
                raise ValueError("only bool and floating types of key_padding_mask are supported")
            padding = padding.reshape((batch, 1, 1, keys))
        if attn is None:
            return None if padding is None else _additive(padding, dtype)
        if not _leaves_out(attn) and attn.dtype.kind != "f":
            raise ValueError(f"`attn_mask` only support float, byte, and bool types, but got not {attn.dtype}.")
        wanted = (length, keys) if attn.ndim == 2 else (batch * self.num_heads, length, keys)
        if tuple(attn.shape) != wanted:
            raise ValueError(f"The shape of the `attn_mask` should be {wanted}, but got {tuple(attn.shape)}.")
        leading = (1, 1) if attn.ndim == 2 else (batch, self.num_heads)
        attn = attn.reshape((*leading, length, keys))
        if padding is None:
            return _additive(attn, dtype)
        if _leaves_out(attn):
            return _additive(F.logical_or(attn.astype(mstype.bool_), padding.astype(mstype.bool_)), dtype)
        return attn.astype(dtype) + padding.astype(dtype)

    def _project(self, query: Any, key: Any, value: Any, same: bool) -> tuple[Any, Any, Any]:
        size = self.embed_dim
        if same and self._one_weight:  # one product in place of three
            q, k, v = F.dense(query, self.in_proj_weight, self.in_proj_bias).split(size, -1)
            return q, k, v
        parts = (slice(0, size), slice(size, 2 * size), slice(2 * size, 3 * size))
        if self._one_weight:
            weights = [self.in_proj_weight[part] for part in parts]
        else:
            weights = [self.q_proj_weight, self.k_proj_weight, self.v_proj_weight]
        biases = [None if self.in_proj_bias is None else self.in_proj_bias[part] for part in parts]
        q, k, v = (F.dense(x, w, b) for x, w, b in zip((query, key, value), weights, biases, strict=True))
        return q, k, v

    def _heads(self, x: Any) -> Any:
        """(N, T, E) as (N, heads, T, E / heads)."""
        return x.reshape((x.shape[0], x.shape[1], self.num_heads, self.head_dim)).transpose(0, 2, 1, 3)
