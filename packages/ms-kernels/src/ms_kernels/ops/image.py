"""Blocks of images: unfold and fold, shuffles of pixels and channels, space to depth and to batch, and back."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops.getitem import take_key
from ms_kernels.ops.pad import pad_constant
from ms_kernels.ops.shape import dims_of, permute, reshape

__all__ = ["channel_shuffle", "fold", "pixel_shuffle", "pixel_unshuffle", "unfold"]

Shape = tuple[int, ...]


def pair(name: str, value: Any, arg: str, least: int = 1) -> tuple[int, int]:
    """Return a size that is given once or for both directions, as two ints.

    Raises:
        TypeError: it is no int or tuple of ints.
        ValueError: not one or two, or one is less than `least`.
    """
    sizes = dims_of(name, value, arg)
    if len(sizes) not in (1, 2) or min(sizes) < least:
        fail(ValueError, name, f"'{arg}'", f"be one or two ints of at least {least}", str(sizes))
    return (sizes[0], sizes[-1])


class _Blocks:
    """Where the sliding blocks of an image lie."""

    def __init__(self, name: str, size: Any, kernel: Any, dilation: Any, padding: Any, stride: Any) -> None:
        self.size = pair(name, size, "output_size")
        self.kernel = pair(name, kernel, "kernel_size")
        self.dilation = pair(name, dilation, "dilation")
        self.padding = pair(name, padding, "padding", 0)
        self.stride = pair(name, stride, "stride")
        self.counts = tuple(
            (n + 2 * p - d * (k - 1) - 1) // s + 1
            for n, p, d, k, s in zip(self.size, self.padding, self.dilation, self.kernel, self.stride)
        )
        if min(self.counts) <= 0:
            fail(ValueError, name, "'kernel_size'", f"fit in the padded image of {self.size}", str(self.kernel))

    def windows(self, padded: Any) -> Any:
        """For each place in the kernel: the view of what lies under it, block by block."""
        for i, j in itertools.product(range(self.kernel[0]), range(self.kernel[1])):
            top, left = i * self.dilation[0], j * self.dilation[1]
            rows = slice(top, top + self.counts[0] * self.stride[0], self.stride[0])
            columns = slice(left, left + self.counts[1] * self.stride[1], self.stride[1])
            yield i, j, padded[..., rows, columns][..., : self.counts[0], : self.counts[1]]


def _columns_shape(shape: Shape, kernel: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Shape:
    if len(shape) != 4:
        fail(ValueError, "Im2Col", "'input'", "have four dimensions", str(len(shape)))
    at = _Blocks("Im2Col", shape[2:], kernel, dilation, padding, stride)
    return (shape[0], shape[1] * at.kernel[0] * at.kernel[1], at.counts[0] * at.counts[1])


def _unfold_vjp(g: Any, _out: Any, input: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    return fold(g, input.shape[2:], kernel_size, dilation, padding, stride)


@op(
    shape=_columns_shape,
    dtype=rules.same,
    vjp=_unfold_vjp,
    ascend="copy",
    batch="fold",
    ops="unfold(input, kernel_size, dilation=1, padding=0, stride=1)",
    mintf="unfold(input, kernel_size, dilation=1, padding=0, stride=1)",
    tensor="unfold(kernel_size, dilation=1, padding=0, stride=1)",
)
def unfold(input: Array, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Return the sliding blocks of images (N, C, H, W) as columns: (N, C * kernel elements, number of blocks).

    Raises:
        ValueError: not four dimensions, or a kernel greater than the padded image.

    Examples:
        >>> print(ops.unfold(Tensor([[[[1, 2, 3], [4, 5, 6]]]]), 2))
        [[[1 2]
          [2 3]
          [4 5]
          [5 6]]]

    Source: ``mindspore.ops.unfold``.
    """
    at = _Blocks("Im2Col", input.shape[2:], kernel_size, dilation, padding, stride)
    (top, left), (rows, columns) = at.padding, at.counts
    padded = np.pad(input, ((0, 0), (0, 0), (top, top), (left, left)))
    out = np.empty((*input.shape[:2], *at.kernel, rows, columns), input.dtype)
    for i, j, part in at.windows(padded):
        out[:, :, i, j] = part
    return out.reshape(input.shape[0], -1, rows * columns)


def _image_shape(shape: Shape, size: Any, kernel: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Shape:
    at = _Blocks("Col2Im", size, kernel, dilation, padding, stride)
    if len(shape) not in (3, 4):
        fail(ValueError, "Col2Im", "'input'", "have three or four dimensions", str(len(shape)))
    area, blocks = at.kernel[0] * at.kernel[1], at.counts[0] * at.counts[1]
    fits = shape[1] % area == 0 if len(shape) == 3 else shape[2] == area
    if not fits or shape[-1] != blocks:
        rule = f"hold {blocks} blocks of {area} elements"
        fail(ValueError, "Col2Im", "shape of 'input'", rule, str(list(shape)))
    return (shape[0], shape[1] // area if len(shape) == 3 else shape[1], *at.size)


@op(
    shape=_image_shape,
    dtype=rules.same,
    vjp=lambda g, _out, input, _output_size, kernel_size, dilation, padding, stride: reshape(
        unfold(g, kernel_size, dilation, padding, stride), input.shape
    ),
    ascend="sum_f32",
    batch="fold",
    ops=[
        "fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1)",
        "col2im(input_x, output_size, kernel_size, dilation, padding_value, stride)",
    ],
    mintf="fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1)",
    tensor=[
        "fold(output_size, kernel_size, dilation=1, padding=0, stride=1)",
        "col2im(output_size, kernel_size, dilation, padding_value, stride)",
    ],
    primitive="Col2Im(kernel_size, dilation=1, padding=0, stride=1)(x, output_size)",
    rename={"padding_value": "padding"},
)
def fold(input: Array, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Return images (N, C, H, W) in which each element is the sum of all blocks over it: the transpose of `unfold`.

    Args:
        input: (N, C * kernel elements, blocks), or (N, C, kernel elements, blocks).
        output_size: H and W, as ints or in a Tensor.

    Raises:
        ValueError: the shape does not hold the blocks of such an image.

    Examples:
        >>> print(ops.fold(Tensor(np.ones((1, 4, 2))), (2, 3), 2))
        [[[[1. 2. 1.]
           [1. 2. 1.]]]]

    Source: ``mindspore.ops.fold``.
    """
    at = _Blocks("Col2Im", output_size, kernel_size, dilation, padding, stride)
    n, c, height, width = _image_shape(input.shape, output_size, kernel_size, dilation, padding, stride)
    small = input.dtype.itemsize == 2 and input.dtype.kind not in "iu"
    parts = input.reshape(n, c, *at.kernel, *at.counts)
    (top, left) = at.padding
    padded = np.zeros((n, c, height + 2 * top, width + 2 * left), np.float32 if small else input.dtype)
    for i, j, view in at.windows(padded):
        view += parts[:, :, i, j].astype(padded.dtype, copy=False)
    return padded[:, :, top : top + height, left : left + width].astype(input.dtype)


@composite(primitive="Im2Col(ksizes, strides=1, dilations=1, pads=0)(x)")
def im2col(x: Array, ksizes: Any, strides: Any = 1, dilations: Any = 1, pads: Any = 0) -> Any:
    """Return as `unfold`, in four dimensions: (N, C, kernel elements, number of blocks).

    Examples:
        >>> ops.Im2Col(2)(Tensor(np.ones((1, 2, 3, 3)))).shape
        (1, 2, 4, 4)

    Source: ``mindspore.ops.Im2Col``.
    """
    found = unfold(x, ksizes, dilations, pads, strides)
    high, wide = pair("Im2Col", ksizes, "ksizes")
    return reshape(found, (*x.shape[:2], high * wide, found.shape[-1]))


def _factor(name: str, value: Any, arg: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        fail(TypeError, name, f"'{arg}'", "be an int", describe(value))
    if value <= 0:
        fail(ValueError, name, f"'{arg}'", "be positive", str(value))
    return value


@composite(ops="pixel_shuffle(input, upscale_factor)", mintf="pixel_shuffle(input, upscale_factor)")
def pixel_shuffle(input: Array, upscale_factor: int) -> Any:
    """Return (..., C * r * r, H, W) as (..., C, H * r, W * r): r * r channels become the pixels of one.

    Raises:
        ValueError: fewer than three dimensions, or channels that are no multiple of r * r.
        TypeError: `upscale_factor` is no int.

    Examples:
        >>> print(ops.pixel_shuffle(Tensor([[[1]], [[2]], [[3]], [[4]]]), 2))
        [[[1 2]
          [3 4]]]

    Source: ``mindspore.ops.pixel_shuffle``.
    """
    r = _factor("pixel_shuffle", upscale_factor, "upscale_factor")
    if input.ndim < 3:
        fail(ValueError, "pixel_shuffle", "'input'", "have at least three dimensions", str(input.ndim))
    *head, channels, high, wide = input.shape
    if channels % (r * r):
        fail(ValueError, "pixel_shuffle", "number of channels", f"be a multiple of {r * r}", str(channels))
    n = len(head)
    split = reshape(input, (*head, channels // (r * r), r, r, high, wide))
    turned = permute(split, (*range(n + 1), n + 3, n + 1, n + 4, n + 2))
    return reshape(turned, (*head, channels // (r * r), high * r, wide * r))


@composite(ops="pixel_unshuffle(input, downscale_factor)", mintf="pixel_unshuffle(input, downscale_factor)")
def pixel_unshuffle(input: Array, downscale_factor: int) -> Any:
    """Return (..., C, H * r, W * r) as (..., C * r * r, H, W): undoes `pixel_shuffle`.

    Raises:
        ValueError: fewer than three dimensions, or sides that are no multiples of r.
        TypeError: `downscale_factor` is no int.

    Examples:
        >>> print(ops.pixel_unshuffle(Tensor([[[1, 2], [3, 4]]]), 2).shape)
        (4, 1, 1)

    Source: ``mindspore.ops.pixel_unshuffle``.
    """
    r = _factor("pixel_unshuffle", downscale_factor, "downscale_factor")
    if input.ndim < 3:
        fail(ValueError, "pixel_unshuffle", "'input'", "have at least three dimensions", str(input.ndim))
    *head, channels, high, wide = input.shape
    if high % r or wide % r:
        fail(ValueError, "pixel_unshuffle", "last two dimensions", f"be multiples of {r}", f"{high} and {wide}")
    n = len(head)
    split = reshape(input, (*head, channels, high // r, r, wide // r, r))
    turned = permute(split, (*range(n + 1), n + 2, n + 4, n + 1, n + 3))
    return reshape(turned, (*head, channels * r * r, high // r, wide // r))


@composite(
    ops="channel_shuffle(x, groups)",
    mintf="channel_shuffle(input, groups)",
    primitive="ChannelShuffle(group)(x)",
    rename={"group": "groups"},
)
def channel_shuffle(input: Array, groups: int) -> Any:
    """Return images (N, C, ...) with their channels dealt out: of each of `groups` groups the first, then the second...

    Raises:
        ValueError: the channels cannot be divided into such groups.

    Examples:
        >>> print(ops.channel_shuffle(Tensor(np.arange(4).reshape(1, 4, 1)), 2).tolist())
        [[[0], [2], [1], [3]]]

    Source: ``mindspore.ops.channel_shuffle``.
    """
    count = _factor("ChannelShuffle", groups, "groups")
    if input.ndim < 3 or input.shape[1] % count:
        rule = f"have at least three dimensions and a multiple of {count} channels"
        fail(ValueError, "ChannelShuffle", "'x'", rule, f"shape {list(input.shape)}")
    n, channels, *rest = input.shape
    split = reshape(input, (n, count, channels // count, *rest))
    return reshape(permute(split, (0, 2, 1, *range(3, split.ndim))), input.shape)


def _depth(name: str, to_depth: bool, shown: str) -> Any:
    label = "SpaceToDepth" if to_depth else "DepthToSpace"

    def body(x: Any, block_size: int) -> Any:
        r = _factor(label, block_size, "block_size")
        if x.ndim != 4:
            fail(ValueError, label, "'x'", "have four dimensions", str(x.ndim))
        n, channels, high, wide = x.shape
        if (high % r or wide % r) if to_depth else channels % (r * r):
            rule = f"be divisible by 'block_size' {r}"
            fail(ValueError, label, "shape of 'x'", rule, str(list(x.shape)))
        if to_depth:
            split = permute(reshape(x, (n, channels, high // r, r, wide // r, r)), (0, 3, 5, 1, 2, 4))
            return reshape(split, (n, channels * r * r, high // r, wide // r))
        split = permute(reshape(x, (n, r, r, channels // (r * r), high, wide)), (0, 3, 4, 1, 5, 2))
        return reshape(split, (n, channels // (r * r), high * r, wide * r))

    body.__annotations__["x"] = "Array"
    body.__name__, body.__module__ = name, __name__
    body.__doc__ = (
        f"Return images (N, C, H, W) with {'blocks of pixels as channels' if to_depth else 'channels as pixels'}.\n\n"
        "Raises:\n    ValueError: sizes that the block size does not divide.\n\n"
        f"Examples:\n    >>> ops.{label}(2)(Tensor(np.ones((1, 4, 2, 2)))).shape\n    {shown}\n\n"
        f"Source: ``mindspore.ops.{label}``."
    )
    return composite(primitive=f"{label}(block_size)(x)", name=name)(body)


space_to_depth = _depth("space_to_depth", True, "(1, 16, 1, 1)")
depth_to_space = _depth("depth_to_space", False, "(1, 1, 4, 4)")


def _block_sizes(name: str, block: Any, borders: Any, arg: str, ndim: int) -> tuple[Shape, list[Any]]:
    pairs = borders.tolist() if hasattr(borders, "tolist") else borders
    if not isinstance(pairs, (list, tuple)) or not all(isinstance(p, (list, tuple)) and len(p) == 2 for p in pairs):
        fail(TypeError, name, f"'{arg}'", "be a list of pairs of ints", describe(borders))
    sizes = dims_of(name, block, "block_size")
    sizes = sizes * len(pairs) if isinstance(block, int) else sizes
    if len(sizes) != len(pairs) or len(sizes) >= ndim or min(sizes, default=0) < 1:
        rule = f"have one size and one pair for each of at most {ndim - 1} dimensions"
        fail(ValueError, name, f"'block_size' and '{arg}'", rule, f"{sizes} and {pairs}")
    if any(n < 0 for p in pairs for n in p):
        fail(ValueError, name, f"'{arg}'", "not be negative", str(pairs))
    return sizes, list(pairs)


@composite(
    ops="space_to_batch_nd(input_x, block_size, paddings)",
    primitive=["SpaceToBatchND(block_shape, paddings)(x)", "SpaceToBatch(block_size, paddings)(x)"],
    rename={"block_shape": "block_size"},
)
def space_to_batch_nd(input: Array, block_size: Any, paddings: Any) -> Any:
    """Return the tensor with its last dimensions padded with 0 and cut into blocks, whose elements go to the batch.

    Raises:
        ValueError: the blocks do not divide the padded sizes.

    Examples:
        >>> print(ops.space_to_batch_nd(Tensor([[[1, 2, 3, 4]]]), [2], [[0, 0]]).tolist())
        [[[1, 3]], [[2, 4]]]

    Source: ``mindspore.ops.space_to_batch_nd``.
    """
    sizes, pairs = _block_sizes("SpaceToBatchND", block_size, paddings, "paddings", input.ndim)
    padded = pad_constant(input, tuple(n for p in reversed(pairs) for n in p))
    count, keep = len(sizes), input.ndim - len(sizes)
    space = padded.shape[keep:]
    if any(n % b for n, b in zip(space, sizes)):
        fail(ValueError, "SpaceToBatchND", "padded sizes", f"be multiples of {sizes}", str(space))
    split = reshape(padded, (*padded.shape[:keep], *(k for n, b in zip(space, sizes) for k in (n // b, b))))
    order = (*range(keep + 1, split.ndim, 2), *range(keep), *range(keep, split.ndim, 2))
    batch = padded.shape[0] * int(np.prod(sizes))
    turned = permute(split, order)
    return reshape(turned, (batch, *turned.shape[count + 1 :]))


@composite(
    ops="batch_to_space_nd(input_x, block_shape, crops)",
    primitive=["BatchToSpaceND(block_shape, crops)(x)", "BatchToSpace(block_size, crops)(x)"],
    rename={"block_shape": "block_size"},
)
def batch_to_space_nd(input: Array, block_size: Any, crops: Any) -> Any:
    """Return the tensor with the batch dealt out as blocks of its last dimensions, then cropped: undoes the other way.

    Raises:
        ValueError: the batch is no multiple of the blocks, or more is cropped than there is.

    Examples:
        >>> print(ops.batch_to_space_nd(Tensor([[[1, 3]], [[2, 4]]]), [2], [[0, 0]]))
        [[[1 2 3 4]]]

    Source: ``mindspore.ops.batch_to_space_nd``.
    """
    sizes, pairs = _block_sizes("BatchToSpaceND", block_size, crops, "crops", input.ndim)
    count, keep, block = len(sizes), input.ndim - len(sizes), int(np.prod(sizes))
    if input.shape[0] % block:
        fail(ValueError, "BatchToSpaceND", "batch", f"be a multiple of {block}", str(input.shape[0]))
    split = reshape(input, (*sizes, input.shape[0] // block, *input.shape[1:]))
    order = (*range(count, count + keep), *(k for i in range(count) for k in (count + keep + i, i)))
    space = tuple(n * b for n, b in zip(input.shape[keep:], sizes))
    whole = reshape(permute(split, order), (input.shape[0] // block, *input.shape[1:keep], *space))
    if any(low + high > n for n, (low, high) in zip(space, pairs)):
        fail(ValueError, "BatchToSpaceND", "'crops'", f"take at most what there is, {space}", str(pairs))
    inner = tuple(slice(low, n - high) for n, (low, high) in zip(space, pairs))
    return take_key(whole, (*((slice(None),) * keep), *inner))
