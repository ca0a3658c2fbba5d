"""Cases of ms_kernels.ops.image."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, Case

__all__ = ["CASES"]

SOME = (*FLOAT, "int32")


def _two(value: Any) -> Any:
    return (value, value) if isinstance(value, int) else tuple(value)


def _unfold(x: Any, kernel: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    (kh, kw), (dh, dw), (ph, pw), (sh, sw) = map(_two, (kernel, dilation, padding, stride))
    x = np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)))
    blocks = []
    for top in range(0, x.shape[2] - dh * (kh - 1), sh):
        for left in range(0, x.shape[3] - dw * (kw - 1), sw):
            part = x[:, :, top : top + dh * (kh - 1) + 1 : dh, left : left + dw * (kw - 1) + 1 : dw]
            blocks.append(part.reshape(x.shape[0], -1))
    return np.stack(blocks, -1)


def _fold(x: Any, size: Any, kernel: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    area = int(np.prod(_two(kernel)))
    channels = x.shape[1] if x.ndim == 4 else x.shape[1] // area
    flat = x.reshape(x.shape[0], -1, x.shape[-1])
    size = _two(size)
    unit = np.eye(size[0] * size[1]).reshape(-1, 1, *size)
    columns = _unfold(unit, kernel, dilation, padding, stride)
    parts = flat.reshape(x.shape[0], channels, *columns.shape[1:])
    return np.einsum("pkb,nckb->ncp", columns, parts).reshape(x.shape[0], channels, *size)


def _pixel_shuffle(x: Any, r: int) -> Any:
    *head, c, h, w = x.shape
    out = np.zeros((*head, c // r**2, h * r, w * r), x.dtype)
    for i in range(r):
        for j in range(r):
            out[..., i::r, j::r] = x[..., i * r + j :: r * r, :, :]
    return out


def _pixel_unshuffle(x: Any, r: int) -> Any:
    *head, c, h, w = x.shape
    out = np.zeros((*head, c * r**2, h // r, w // r), x.dtype)
    for i in range(r):
        for j in range(r):
            out[..., i * r + j :: r * r, :, :] = x[..., i::r, j::r]
    return out


def _space_to_depth(x: Any, r: int) -> Any:
    return np.concatenate([x[..., i::r, j::r] for i in range(r) for j in range(r)], 1)


def _depth_to_space(x: Any, r: int) -> Any:
    n, c, h, w = x.shape
    out = np.zeros((n, c // r**2, h * r, w * r), x.dtype)
    for i in range(r):
        for j in range(r):
            at = (i * r + j) * (c // r**2)
            out[..., i::r, j::r] = x[:, at : at + c // r**2]
    return out


def _space_to_batch(x: Any, block: Any, paddings: Any) -> Any:
    block = (block,) * len(paddings) if isinstance(block, int) else tuple(block)
    keep = x.ndim - len(block)
    x = np.pad(x, [(0, 0)] * keep + [tuple(p) for p in paddings])
    parts = [x[(...,) + tuple(slice(i, None, b) for i, b in zip(at, block))] for at in np.ndindex(block)]
    return np.concatenate(parts, 0)


def _batch_to_space(x: Any, block: Any, crops: Any) -> Any:
    block = (block,) * len(crops) if isinstance(block, int) else tuple(block)
    keep, count = x.ndim - len(block), int(np.prod(block))
    space = [n * b for n, b in zip(x.shape[keep:], block)]
    out = np.zeros((x.shape[0] // count, *x.shape[1:keep], *space), x.dtype)
    for part, at in zip(np.split(x, count), np.ndindex(block)):
        out[(...,) + tuple(slice(i, None, b) for i, b in zip(at, block))] = part
    return out[(...,) + tuple(slice(low, n - high) for n, (low, high) in zip(space, crops))]


CASES = {
    "unfold": Case(
        _unfold,
        lambda m: [(m(1, 2, 3, 4), 2), (m(2, 1, 5, 4), (3, 2), (2, 1), (1, 0), (1, 2)), (m(1, 1, 3, 3), 3, 1, 1, 2)],
        SOME,
    ),
    "fold": Case(
        _fold,
        lambda m: [
            (m(1, 8, 6), (3, 4), 2),
            (m(2, 1, 6, 3), (4, 3), (2, 3), 1, (0, 0), (1, 2)),
            (m(1, 9, 4), 3, 3, 1, 1, 2),
        ],
        SOME,
        tolerance={"bfloat16": (6e-2, 3e-2)},
    ),
    "im2col": Case(
        lambda x, k, s=1, d=1, p=0: _unfold(x, k, d, p, s).reshape(*x.shape[:2], int(np.prod(_two(k))), -1),
        lambda m: [(m(1, 2, 3, 4), 2), (m(2, 1, 5, 4), (3, 2), (1, 2), 1, (1, 0))],
        SOME,
    ),
    "pixel_shuffle": Case(_pixel_shuffle, lambda m: [(m(2, 8, 2, 3), 2), (m(4, 1, 1), 2), (m(1, 2, 3), 1)], SOME),
    "pixel_unshuffle": Case(_pixel_unshuffle, lambda m: [(m(2, 2, 4, 6), 2), (m(1, 3, 3), 3)], SOME),
    "channel_shuffle": Case(
        lambda x, g: np.concatenate([x[:, i :: x.shape[1] // g] for i in range(x.shape[1] // g)], 1),
        lambda m: [(m(2, 6, 2, 2), 3), (m(1, 4, 3), 2)],
        SOME,
    ),
    "space_to_depth": Case(_space_to_depth, lambda m: [(m(2, 3, 4, 2), 2)], SOME),
    "depth_to_space": Case(_depth_to_space, lambda m: [(m(2, 8, 1, 3), 2)], SOME),
    "space_to_batch_nd": Case(
        _space_to_batch,
        lambda m: [
            (m(2, 1, 2, 4), [2, 2], [[0, 0], [0, 0]]),
            (m(1, 2, 3), [2], [[1, 0]]),
            (m(1, 1, 2, 2), 2, [[1, 1], [0, 0]]),
        ],
        SOME,
    ),
    "batch_to_space_nd": Case(
        _batch_to_space,
        lambda m: [
            (m(4, 1, 2, 1), [2, 2], [[0, 0], [0, 0]]),
            (m(4, 2, 3), [2], [[1, 0]]),
            (m(8, 1, 2, 2), 2, [[1, 0], [0, 2]]),
        ],
        SOME,
    ),
}
