"""Scaled dot product attention."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import FLOATS, composite
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._tape import cast_np
from ms_kernels.ops.compare import where
from ms_kernels.ops.linalg import matmul
from ms_kernels.ops.rearrange import concat
from ms_kernels.ops.shape import permute, reshape
from ms_kernels.ops.softmax import softmax

__all__ = ["flash_attention_score"]

NAME = "flash_attention_score"
# where (batch, heads, sequence, size) are found in each layout, once the hidden size is cut into heads
_ORDERS = {"BSH": (0, 2, 1, 3), "SBH": (1, 2, 0, 3), "BNSD": (0, 1, 2, 3), "BSND": (0, 2, 1, 3), "TND": (0, 2, 1, 3)}
_BACK = {"BSH": (0, 2, 1, 3), "SBH": (2, 0, 1, 3), "BNSD": (0, 1, 2, 3), "BSND": (0, 2, 1, 3), "TND": (0, 2, 1, 3)}


def _to_heads(x: Any, layout: str, size: int | None) -> Any:
    """Bring an operand to (B, N, S, D); `size` is D, where the layout does not tell."""
    if size is not None:
        if x.shape[2] % size:
            fail(ValueError, NAME, "hidden size", f"be a multiple of the head size {size}", str(x.shape[2]))
        x = reshape(x, (*x.shape[:2], x.shape[2] // size, size))
    return permute(x, _ORDERS[layout])


def _allowed(rows: int, columns: int, mode: int, before: int, after: int) -> Any:
    """Which places of (S1, S2) a sparse mode leaves, as bool."""
    gap = np.arange(columns)[None, :] - np.arange(rows)[:, None]
    right = gap - (columns - rows)  # counted from the lower right corner
    if mode == 0:
        return (gap <= after) & (gap >= -before)
    if mode == 2:
        return gap <= 0
    if mode == 4:
        return (right <= after) & (right >= -before)
    return right <= 0 if mode in (3, 5) else np.ones((rows, columns), bool)


def _kept(shape: tuple[int, ...], mask: Any, mode: int, prefix: Any, before: int, after: int) -> Any:
    keep = _allowed(shape[2], shape[3], mode, before, after)
    if mode == 5:
        if prefix is None:
            fail(ValueError, NAME, "'prefix'", "be given for sparse_mode 5", "None")
        ends = np.asarray(prefix._a if isinstance(prefix, TensorBase) else prefix).reshape(-1, 1, 1, 1)
        keep = keep | (np.arange(shape[3]) < ends)
    if mask is not None and mode in (0, 1, 5):
        try:
            keep = keep & ~np.broadcast_to(mask._a.astype(bool), (*mask.shape[:-2], *shape[2:]))
        except ValueError:
            wanted = f"end in {list(shape[2:])}"
            fail(ValueError, NAME, "shape of 'attn_mask'", wanted, str(list(mask.shape)))
    return keep


def _attend(q: Any, k: Any, v: Any, shift: Any, drop: Any, keep: Any, scale: float, share: float) -> Any:
    """The formula on (B, N, S, D), in float32 for 16-bit types."""
    kind = q._kind
    if kind.itemsize == 2:
        q, k, v = (cast_np(t, np.dtype(np.float32)) for t in (q, k, v))
    groups = q.shape[1] // k.shape[1]
    if groups > 1:
        k, v = (
            reshape(concat([reshape(t, (*t.shape[:2], 1, *t.shape[2:]))] * groups, 2), (t.shape[0], -1, *t.shape[2:]))
            for t in (k, v)
        )
    scores = matmul(q, permute(k, (0, 1, 3, 2))) * scale
    if shift is not None:
        scores = scores + cast_np(shift, scores._kind)
    if not keep.all():
        scores = where(from_array(np.ascontiguousarray(keep)), scores, float(np.finfo(scores._kind).min))
    weights = softmax(scores, -1)
    if drop is not None:
        bits = np.unpackbits(drop._a, axis=-1, bitorder="little")
        if bits.shape != weights.shape:
            fail(
                ValueError,
                NAME,
                "shape of 'drop_mask'",
                f"give a bit for each of {list(weights.shape)}",
                str(list(drop.shape)),
            )
        weights = weights * from_array((bits / share).astype(weights._kind))
    return cast_np(matmul(weights, v), kind)


def _checked(query: Any, key: Any, value: Any, head_num: Any, layout: Any, mode: Any, share: Any) -> None:
    if layout not in _ORDERS:
        fail(ValueError, NAME, "'input_layout'", f"be one of {', '.join(_ORDERS)}", describe(layout))
    if mode not in (0, 1, 2, 3, 4, 5):
        fail(ValueError, NAME, "'sparse_mode'", "be from 0 to 5", describe(mode))
    if isinstance(head_num, bool) or not isinstance(head_num, int) or head_num < 1:
        fail(ValueError, NAME, "'head_num'", "be a positive int", describe(head_num))
    if not 0 < share <= 1:
        fail(ValueError, NAME, "'keep_prob'", "be in (0, 1]", describe(share))
    ndim = 4 if layout in ("BNSD", "BSND") else 3
    for arg, x in (("query", query), ("key", key), ("value", value)):
        if x._kind not in FLOATS:
            fail(TypeError, NAME, f"dtype of '{arg}'", "be a float type", str(x.dtype))
        if x.ndim != ndim:
            fail(ValueError, NAME, f"'{arg}'", f"have {ndim} dimensions for '{layout}'", f"shape {list(x.shape)}")


@composite(
    ops="flash_attention_score(query, key, value, head_num, real_shift=None, drop_mask=None, padding_mask=None, "
    "attn_mask=None, prefix=None, actual_seq_qlen=None, actual_seq_kvlen=None, keep_prob=1.0, scalar_value=1.0, "
    "pre_tokens=2147483647, next_tokens=2147483647, inner_precise=0, input_layout='BSH', sparse_mode=0)",
    rename={"padding_mask": "", "inner_precise": ""},
)
def flash_attention_score(
    query: Array,
    key: Array,
    value: Array,
    head_num: int,
    real_shift: Array | None = None,
    drop_mask: Array | None = None,
    attn_mask: Array | None = None,
    prefix: Any = None,
    actual_seq_qlen: Any = None,
    actual_seq_kvlen: Any = None,
    keep_prob: float = 1.0,
    scalar_value: float = 1.0,
    pre_tokens: int = 2147483647,
    next_tokens: int = 2147483647,
    input_layout: str = "BSH",
    sparse_mode: int = 0,
) -> Any:
    """Return ``dropout(softmax(mask(scale * query @ key.T + shift))) @ value`` for each head, in the query's layout.

    Args:
        query, key, value: in the layout "BSH", "SBH", "BNSD", "BSND" or "TND" (batch, sequence, heads, size; H is heads
            times size, T all sequences one after the other); key and value may have fewer heads, which are shared.
        head_num: the query's heads.
        real_shift: added to the scores, broadcast to (B, N, S1, S2).
        drop_mask: a bit for each score, 1 to keep it; kept ones are divided by `keep_prob`.
        attn_mask: 1 or True where a score does not count; used in the modes 0, 1 and 5.
        prefix: for mode 5, how many keys every query of a batch sees.
        actual_seq_qlen, actual_seq_kvlen: for "TND", where the sequences end.
        scalar_value: the scale, as a rule ``1 / sqrt(size)``.
        pre_tokens, next_tokens: for the modes 0 and 4, how far before and after itself a query sees.
        sparse_mode: 0 a band from the upper left corner, 1 the mask alone, 2 and 3 causal from the upper left or the
            lower right corner, 4 a band from the lower right corner, 5 causal with a prefix.

    Raises:
        ValueError: shapes or options that do not fit.
        TypeError: operands that are no float tensors.

    Examples:
        >>> x, v = Tensor(np.zeros((1, 2, 1)), mstype.float32), Tensor([[[1.0], [3.0]]])
        >>> print(ops.flash_attention_score(x, x, v, 1, sparse_mode=2).ravel())
        [1. 2.]

    Source: Dao et al., FlashAttention; ``mindspore.ops.flash_attention_score``.
    """
    _checked(query, key, value, head_num, input_layout, sparse_mode, keep_prob)
    if input_layout == "TND":
        if actual_seq_qlen is None or actual_seq_kvlen is None:
            fail(ValueError, NAME, "'actual_seq_qlen' and 'actual_seq_kvlen'", "be given for 'TND'", "None")
        ends = [list(t._a.tolist() if isinstance(t, TensorBase) else t) for t in (actual_seq_qlen, actual_seq_kvlen)]
        parts, first, start = [], 0, 0
        for last, end in zip(*ends):
            one = (reshape(query[first:last], (1, last - first, *query.shape[1:])),)
            two = (reshape(t[start:end], (1, end - start, *t.shape[1:])) for t in (key, value))
            part = flash_attention_score(
                *one,
                *two,
                head_num,
                real_shift,
                None,
                attn_mask,
                prefix,
                None,
                None,
                keep_prob,
                scalar_value,
                pre_tokens,
                next_tokens,
                "BSND",
                sparse_mode,
            )
            parts.append(reshape(part, part.shape[1:]))
            first, start = last, end
        return concat(parts, 0)
    size = query.shape[2] // head_num if query.ndim == 3 else None
    q, k, v = (_to_heads(t, input_layout, size) for t in (query, key, value))
    if q.shape[1] != head_num or head_num % k.shape[1] or k.shape != v.shape or q.shape[3] != k.shape[3]:
        got = f"shapes {list(query.shape)}, {list(key.shape)} and {list(value.shape)}"
        fail(ValueError, NAME, "operands", f"have {head_num} heads, or a part of them, of one size", got)
    keep = _kept((*q.shape[:3], k.shape[2]), attn_mask, sparse_mode, prefix, pre_tokens, next_tokens)
    out = permute(_attend(q, k, v, real_shift, drop_mask, keep, scalar_value, keep_prob), _BACK[input_layout])
    return reshape(out, query.shape)
