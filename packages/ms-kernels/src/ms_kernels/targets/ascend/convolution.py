"""Convolutions and their gradients on the cube, in its order of the sum."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from ms_kernels.targets.ascend.chip import Array, Chip
from ms_kernels.targets.ascend.cube import Tables, add_bias, arranged, block_ends, cube_inputs, run_cube, write_out
from ms_kernels.targets.ascend.kernels import kernel
from ms_kernels.targets.ascend.rules import rule

__all__ = ["k_order"]

Ints = tuple[int, ...]


@rule("AN-CUBE-07", "FRACTAL_Z order in MS ccsrc/utils/ms_device_shape_transfer.cc", "approximation")
def k_order(channels: int, window: Ints, c0: int = 16) -> list[tuple[int, int, Ints]]:
    """Conv K order: channel group of C0, then kernel row, kernel column, channel in the group; each group and position
    makes its own block (float32: two of 8), short groups are zero-padded.

    Returns (first channel, last + 1, position) of each block of C0.
    """
    groups = [(first, min(first + c0, channels)) for first in range(0, channels, c0)]
    return [(first, last, at) for first, last in groups for at in np.ndindex(*window)]


@lru_cache(maxsize=128)
def _sum_places(channels: int, window: Ints, steps: Ints, turned: Ints, block: int) -> tuple[Array, Array, Array]:
    """Places of the sum in an image and in (C, *window) kernels, and the ends of its blocks.

    `steps`: elements between channels, and between kernel positions of each dimension; `turned`: the same of kernels.
    """
    image, weight, ends = [], [], []
    for first, last, at in k_order(channels, window):
        for low in range(first, last, block):
            run = np.arange(low, min(low + block, last))
            image.append(run * steps[0] + sum(p * s for p, s in zip(at, steps[1:])))
            weight.append(run * turned[0] + sum(p * s for p, s in zip(at, turned[1:])))
            ends.append(len(run))
    return (
        np.concatenate(image).astype(np.intp),
        np.concatenate(weight).astype(np.intp),
        np.cumsum(ends).astype(np.intp),
    )


def _strides(shape: Ints) -> Ints:
    return tuple(math.prod(shape[i + 1 :]) for i in range(len(shape)))


@lru_cache(maxsize=128)
def _grid(counts: Ints, steps: Ints) -> Array:
    """Places of a grid of elements in row-major order."""
    total = np.zeros(1, np.intp)
    for count, step in zip(counts, steps):
        total = (total[:, None] + np.arange(count, dtype=np.intp) * step).reshape(-1)
    return total


def _padded(x: Array, padding: Ints, holes: Ints | None = None) -> Array:
    """The image with zeros around it, and between its elements where it is spread; negative padding cuts."""
    if holes is not None and any(h > 1 for h in holes):
        wide = np.zeros((*x.shape[:2], *((n - 1) * h + 1 for n, h in zip(x.shape[2:], holes))), x.dtype)
        spots = (slice(None), slice(None), *(slice(None, None, h) for h in holes))
        wide[spots] = x
        x = wide
    pairs = [(padding[2 * i], padding[2 * i + 1]) for i in range(x.ndim - 2)]
    if not any(p for pair in pairs for p in pair):
        return np.asarray(x, order="C")
    whole = slice(None)
    inner, cut, shape = [whole, whole], [whole, whole], list(x.shape[:2])
    for n, (low, high) in zip(x.shape[2:], pairs):
        shape.append(n + low + high)
        inner.append(slice(max(low, 0), n + low + min(high, 0)))
        cut.append(slice(max(-low, 0), n + min(high, 0)))
    out = np.zeros(shape, x.dtype)
    out[tuple(inner)] = x[tuple(cut)]
    return out


@lru_cache(maxsize=256)
def _window_tables(
    image: Ints,
    weights: int,
    turned: Ints,
    outputs: int,
    output_step: int,
    stride: Ints,
    dilation: Ints,
    groups: int,
    window: Ints,
    sizes: Ints,
    block: int,
) -> Tables:
    """The tables for windows of a padded image times kernels whose places `turned` describes.

    `outputs` of each of `groups` groups, `output_step` elements apart in the kernels, which are `weights` elements;
    `sizes` of the result.
    """
    n, channels, steps = image[0], image[1] // groups, _strides(image)
    spots = (steps[1], *(s * d for s, d in zip(steps[2:], dilation)))
    places, kernels, ends = _sum_places(channels, window, spots, turned, block)
    pixels = _grid((n, *sizes), (steps[0], *(s * t for s, t in zip(steps[2:], stride))))
    area, base = math.prod(sizes), np.arange(groups, dtype=np.intp)
    left = (_grid((outputs,), (output_step,)), kernels, base * (weights // groups))
    right = (pixels, places, base * (channels * steps[1]))
    out = (_grid((outputs,), (area,)), _grid((n, area), (groups * outputs * area, 1)), base * (outputs * area))
    return arranged(left, right, out, (n, groups * outputs, *sizes), ends)


@lru_cache(maxsize=256)
def _kernel_tables(
    image: Ints, grad: Ints, shape: Ints, stride: Ints, dilation: Ints, groups: int, block: int
) -> Tables:
    """The tables for the gradient of kernels: a sum over images and pixels, in blocks of pixels."""
    n, sizes, window, steps = grad[0], grad[2:], shape[2:], _strides(image)
    outputs, channels, area = grad[1] // groups, image[1] // groups, math.prod(sizes)
    base, row = np.arange(groups, dtype=np.intp), channels * math.prod(window)
    left = (_grid((outputs,), (area,)), _grid((n, area), (grad[1] * area, 1)), base * (outputs * area))
    spots = (steps[1], *(s * d for s, d in zip(steps[2:], dilation)))
    pixels = _grid((n, *sizes), (steps[0], *(s * t for s, t in zip(steps[2:], stride))))
    right = (_grid((channels, *window), spots), pixels, base * (channels * steps[1]))
    out = (_grid((outputs,), (row,)), _grid((row,), (1,)), base * (outputs * row))
    return arranged(left, right, out, shape, block_ends(n * area, block))


def _fast(chip: Chip, op: Any, operands: list[Array], values: list[Any], dtype: Any) -> Array:
    """The CPU's kernel on the cube's inputs: another order of the sum."""
    return write_out(chip, chip.finish(op.body(*operands, *values)), dtype)


@kernel("convolution")
def convolution_kernel(chip: Chip, op: Any, values: list[Any]) -> Array:
    x, weight, bias, stride, padding, dilation, groups = values
    (a, w), block = cube_inputs(chip, op.label, op.name, x, weight)
    if chip.choices.cube == "fast":
        acc = chip.finish(op.body(a, w, None, stride, padding, dilation, groups))
    else:
        a, w = _padded(a, padding), np.asarray(w, order="C")
        window, steps = w.shape[2:], _strides(w.shape)
        sizes = tuple((n - d * (k - 1) - 1) // s + 1 for n, d, k, s in zip(a.shape[2:], dilation, window, stride))
        each, given = w.shape[0] // groups, (tuple(stride), tuple(dilation), groups, window, sizes, block)
        acc = run_cube(chip, w, a, _window_tables(a.shape, w.size, steps[1:], each, steps[0], *given))
    if bias is not None:
        acc = add_bias(chip, acc, bias.reshape(1, -1, *([1] * (x.ndim - 2))))
    return write_out(chip, acc, x.dtype)


@kernel("conv_grad_input")
def grad_input_kernel(chip: Chip, op: Any, values: list[Any]) -> Array:
    """The gradient of the input as a convolution of the spread gradient with turned kernels: output channels take the
    place of input channels in the order of the sum."""
    grad, weight, shape, stride, padding, dilation, groups = values
    (g, w), block = cube_inputs(chip, op.label, op.name, grad, weight)
    if chip.choices.cube == "fast":
        return _fast(chip, op, [g, w], values[2:], grad.dtype)
    window, count = w.shape[2:], len(shape) - 2
    around = []
    for i in range(count):
        reach = dilation[i] * (window[i] - 1)
        spread = (g.shape[i + 2] - 1) * stride[i] + 1
        low = reach - padding[2 * i]
        around += [low, shape[i + 2] + reach - spread - low]
    a = _padded(g, tuple(around), tuple(stride))
    w = np.asarray(np.flip(w, tuple(range(2, w.ndim))), order="C")
    steps, given = _strides(w.shape), ((1,) * count, tuple(dilation), groups, window, tuple(shape[2:]), block)
    tables = _window_tables(a.shape, w.size, (steps[0], *steps[2:]), w.shape[1], steps[1], *given)
    return write_out(chip, run_cube(chip, w, a, tables), grad.dtype)


@kernel("conv_grad_weight")
def grad_weight_kernel(chip: Chip, op: Any, values: list[Any]) -> Array:
    """The gradient of the kernels: for each kernel place a sum over images and pixels, in blocks of pixels."""
    grad, x, shape, stride, padding, dilation, groups = values
    (g, a), block = cube_inputs(chip, op.label, op.name, grad, x)
    if chip.choices.cube == "fast":
        return _fast(chip, op, [g, a], values[2:], grad.dtype)
    a, g = _padded(a, padding), np.asarray(g, order="C")
    tables = _kernel_tables(a.shape, g.shape, tuple(shape), tuple(stride), tuple(dilation), groups, block)
    return write_out(chip, run_cube(chip, g, a, tables), grad.dtype)
