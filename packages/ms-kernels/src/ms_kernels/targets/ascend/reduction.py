"""Sums of the vector unit: trees of neighbours inside a repeat, repeats one after another or by a tree."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from ms_kernels.loops import elementwise, npu
from ms_kernels.opdef import rules as shape_rules
from ms_kernels.targets.ascend.casts import cast
from ms_kernels.targets.ascend.chip import Array, Chip
from ms_kernels.targets.ascend.kernels import kernel
from ms_kernels.targets.ascend.profiles import F32
from ms_kernels.targets.ascend.rules import rule, state

__all__ = ["mean_of", "sum_of", "tree_sum"]

Shape = tuple[int, ...]
_ONE = F32.type(1)

state(
    "AN-RED-04", "Integer sums wrap in the result type that the API chose: the op's body does.", "none", "approximation"
)


def _joined(chip: Chip, parts: list[Array], by_tree: bool) -> Array:
    """Parts added by the binary tree of neighbours, or one after another; the last axis of each is the tree's."""
    if not by_tree:
        total = parts[0]
        for part in parts[1:]:
            total = chip.step(np.add, total, part)
        return total
    padded = parts + [np.zeros_like(parts[0])] * ((1 << (len(parts) - 1).bit_length()) - len(parts))
    while len(padded) > 1:
        padded = [chip.step(np.add, a, b) for a, b in zip(padded[::2], padded[1::2])]
    return padded[0]


@rule("AN-RED-01", "H11 (910b: its first-n form; its printed example 35604 omits float16 rounding)", "documented")
def tree_sum(chip: Chip, rows: Array, across: str | None = None) -> Array:
    """Sum within a 256-byte repeat (128 float16, 64 float32): binary tree of neighbours, each add a step; repeats are
    combined by the same tree on 910 and 310p, one after another on 910b; missing elements and repeats are +0.

    The definition, one step after another, along the last axis; native loops compute the same for float32.
    """
    width = chip.choices.repeat_bytes // rows.dtype.itemsize
    n = rows.shape[-1]
    if not n:
        return np.zeros(rows.shape[:-1], rows.dtype)
    count = -(-n // width)
    padded = np.zeros((*rows.shape[:-1], count * width), rows.dtype)
    padded[..., :n] = rows
    cut = padded.reshape(*rows.shape[:-1], count, width)
    with np.errstate(all="ignore"):
        sums = _joined(chip, [cut[..., i] for i in range(width)], True)
        parts = [sums[..., i] for i in range(count)]
        return _joined(chip, parts, (across or chip.profile.across) == "tree")


@lru_cache(maxsize=1024)
def _layout(shape: Shape, axes: Shape, keepdim: bool) -> tuple[Shape | None, int, int, int, Shape]:
    """How an array is seen as (a, r, b), summed over r in row-major order: the order of its axes where it must be
    turned first, a, r, b, and the result's shape."""
    out = tuple(1 if i in axes else n for i, n in enumerate(shape) if keepdim or i not in axes)
    first, last = min(axes), max(axes)
    if last - first + 1 != len(axes):  # a kept axis between: the reduced ones to the end
        kept = tuple(i for i in range(len(shape)) if i not in axes)
        return (*kept, *sorted(axes)), math.prod(shape[i] for i in kept), math.prod(shape[i] for i in axes), 1, out
    return None, math.prod(shape[:first]), math.prod(shape[first : last + 1]), math.prod(shape[last + 1 :]), out


def _reduced(chip: Chip, x: Array, axes: tuple[int, ...], keepdim: bool, scale: Any) -> Array:
    if not axes:
        return chip.to(chip.wide(x) * scale, x.dtype)
    order, a, r, b, shape = _layout(x.shape, axes, keepdim)
    packed = np.asarray(x if order is None else x.transpose(order), order="C")
    out, bad = npu.tree(packed, a, r, b, scale, chip.choices.repeat_bytes // 4, chip.profile.across == "tree")
    if not chip.saturating:
        return out.reshape(shape)
    if bad:  # each step saturates: the definition
        wide = chip.wide(packed).reshape(a, r, b)
        with np.errstate(all="ignore"):
            scaled = chip.step(np.multiply, wide, scale) if scale != 1 else wide
        out = chip.to(tree_sum(chip, np.moveaxis(scaled, 1, -1)), x.dtype)
    return chip.narrowed(out, False).reshape(shape)


@rule("AN-RED-02", "TBE dynamic/reduce_sum.py; order across axes and cores: approximation", "source")
def sum_of(chip: Chip, x: Array, axes: tuple[int, ...], keepdim: bool = False) -> Array:
    """ops.sum: float16 and bfloat16 to float32, AN-RED-01 in float32 along the reduced axes in row-major order, one
    RN back."""
    return _reduced(chip, x, axes, keepdim, _ONE)


@rule("AN-RED-03", "TBE dynamic/reduce_mean.py", "source")
def mean_of(chip: Chip, x: Array, axes: tuple[int, ...], keepdim: bool = False) -> Array:
    """ops.mean: every element times RN(1/n, float32) first, then as sum; float16 in float32."""
    n = math.prod(x.shape[i] for i in axes)
    with np.errstate(all="ignore"):
        share = np.divide(F32.type(1), F32.type(n))
    if not n:
        return chip.to(np.full(sum_of(chip, x, axes, keepdim).shape, np.nan, F32), x.dtype)
    return _reduced(chip, x, axes, keepdim, share)


@kernel("sum")
def sum_kernel(chip: Chip, op: Any, values: list[Any]) -> Any:
    x, dim, keepdim, dtype, _widen = values
    if dtype is not None and dtype.np != x.dtype:
        x = cast(chip, x, dtype.np)
    if not npu.takes(x):
        return op.body(*values)
    return sum_of(chip, x, shape_rules.axes("ReduceSum", dim, x.ndim), keepdim)


@kernel("mean")
def mean_kernel(chip: Chip, op: Any, values: list[Any]) -> Any:
    x, dim, keepdim, dtype = values
    if dtype is not None and dtype.np != x.dtype:
        x = cast(chip, x, dtype.np)
    if not npu.takes(x):
        return op.body(*values)
    return mean_of(chip, x, shape_rules.axes("ReduceMean", dim, x.ndim), keepdim)


@kernel("sum_to")
def sum_to_kernel(chip: Chip, op: Any, values: list[Any]) -> Array:
    x, shape = values
    extra = x.ndim - len(shape)
    axes = (*range(extra), *(i + extra for i, n in enumerate(shape) if n == 1 and x.shape[i + extra] != 1))
    return np.reshape(sum_of(chip, x, axes) if axes else x, shape)


@kernel("cumsum")
@rule("AN-RED-05", "none", "approximation")
def cumsum_kernel(chip: Chip, op: Any, values: list[Any]) -> Array:
    """max and min follow AN-VEC-09; cumsum is sequential in float32 with one RN per output."""
    x, dim, dtype, _widen = values
    if dtype is not None and dtype.np != x.dtype:
        x = cast(chip, x, dtype.np)
    if not npu.takes(x) or not x.ndim:
        return np.asarray(op.body(x, dim, dtype, _widen))
    axis = shape_rules.axis("cumsum", dim, x.ndim, "dim")
    wide = np.asarray(x if x.dtype == F32 else elementwise.cast(x, F32), order="C")
    counts = math.prod(x.shape[:axis]), x.shape[axis], math.prod(x.shape[axis + 1 :])
    out, bad = npu.scan(wide, *counts)
    if bad and chip.saturating:
        with np.errstate(all="ignore"):
            lines = np.moveaxis(out, axis, 0)
            for i, step in enumerate(np.moveaxis(wide, axis, 0)):
                lines[i] = chip.step(np.add, lines[i - 1], step) if i else step
    return out if x.dtype == F32 else chip.finish(elementwise.cast(out, x.dtype))
