"""Pooling over windows as 2.6 calls it, for one, two and three dimensions."""

from __future__ import annotations

from typing import Any

import ms_dtype as mstype
from ms_kernels.opdef.errors import fail
from ms_kernels.opdef.register import composite
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._spatial import spatial, spread_padding
from ms_kernels.ops.pool import avg_pool, batched, max_pool
from ms_kernels.ops.shape import squeeze

__all__ = ["avg_pool2d", "max_pool2d"]

Shape = tuple[int, ...]


def flat_pad(name: str, padding: Any, kernel: Shape, limit: bool = True) -> Shape:
    pads = spatial(name, "padding", padding, len(kernel), 0)
    if limit and any(2 * p > k for p, k in zip(pads, kernel)):
        fail(ValueError, name, "'padding'", "be at most half of the kernel", f"{pads} for kernel {kernel}")
    return tuple(p for p in pads for _ in range(2))


def _max(
    name: str,
    n: int,
    input: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    return_indices: bool,
    ceil_mode: bool,
) -> Any:
    x, batch = batched(name, n, input)
    kernel = spatial(name, "kernel_size", kernel_size, n)
    steps = kernel if stride is None else spatial(name, "stride", stride, n)
    found = max_pool(
        x,
        kernel,
        steps,
        flat_pad(name, padding, kernel),
        spatial(name, "dilation", dilation, n),
        ceil_mode,
        mstype.int64,
    )
    outs = found if batch else tuple(squeeze(t, 0) for t in found)
    return outs if return_indices else outs[0]


@composite(
    ops="max_pool2d(x, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False)",
    mintf="max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, *, "
    "ceil_mode=False, return_indices=False)",
)
def max_pool2d(
    input: Array,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    return_indices: bool = False,
    ceil_mode: bool = False,
) -> Any:
    """Return the largest element of each window of (N, C, H, W) or (C, H, W), and with `return_indices` its flat place.

    Raises:
        ValueError: a window that does not fit, a padding above half of the kernel.
        TypeError: an option of the wrong type, an input that is no float.

    Examples:
        >>> print(ops.max_pool2d(Tensor(np.arange(16).reshape(1, 1, 4, 4), mstype.float32), 2)[0, 0])
        [[ 5.  7.]
         [13. 15.]]

    Source: ``mindspore.ops.max_pool2d``.
    """
    return _max("max_pool2d", 2, input, kernel_size, stride, padding, dilation, return_indices, ceil_mode)


@composite(
    ops="max_pool3d(x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False)",
)
def max_pool3d(
    input: Array,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the largest element of each window of (N, C, D, H, W), and with `return_indices` its flat place.

    Examples:
        >>> ops.max_pool3d(Tensor(np.ones((1, 1, 4, 4, 4)), mstype.float32), 2).shape
        (1, 1, 2, 2, 2)

    Source: ``mindspore.ops.max_pool3d``.
    """
    return _max("max_pool3d", 3, input, kernel_size, stride, padding, dilation, return_indices, ceil_mode)


def _mean(
    name: str,
    n: int,
    input: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count: bool,
    divisor: Any,
) -> Any:
    x, batch = batched(name, n, input)
    kernel = spatial(name, "kernel_size", kernel_size, n)
    steps = kernel if stride is None else spatial(name, "stride", stride, n)
    out = avg_pool(x, kernel, steps, flat_pad(name, padding, kernel), ceil_mode, count, divisor or None)
    return out if batch else squeeze(out, 0)


@composite(
    ops="avg_pool1d(input_x, kernel_size=1, stride=1, padding=0, ceil_mode=False, count_include_pad=True)",
    mintf="avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True)",
)
def avg_pool1d(
    input: Array,
    kernel_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Any:
    """Return the mean of each window of (N, C, L).

    Examples:
        >>> print(ops.avg_pool1d(Tensor([[[1.0, 3.0, 5.0]]]), 2))
        [[[2. 4.]]]

    Source: ``mindspore.ops.avg_pool1d``.
    """
    return _mean("avg_pool1d", 1, input, kernel_size, stride, padding, ceil_mode, count_include_pad, None)


def _mean_op(n: int, sizes: str, mint: bool, example: str, shown: str) -> Any:
    name = f"avg_pool{n}d"

    def body(
        input: Array,
        kernel_size: Any = 1,
        stride: Any = 1,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: Any = 0,
    ) -> Any:
        return _mean(name, n, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)

    body.__module__ = __name__
    body.__doc__ = f"""Return the mean of each window of (N, C, {sizes}) or (C, {sizes}).

Args:
    count_include_pad: whether padded zeros count in the mean's divisor.
    divisor_override: divide by this number instead; 0 or None for none.

Examples:
    >>> print({example})
    {shown}

Source: ``mindspore.ops.{name}``."""
    rest = "padding=0, ceil_mode=False, count_include_pad=True, divisor_override"
    return composite(
        ops=f"{name}(input_x, kernel_size=1, stride=1, {rest}=0)",
        mintf=f"{name}(input, kernel_size, stride=None, {rest}=None)" if mint else (),
        name=name,
    )(body)


avg_pool2d = _mean_op(
    2,
    "H, W",
    True,
    "ops.avg_pool2d(Tensor(np.arange(16).reshape(1, 1, 4, 4), mstype.float32), 2, 2)[0, 0]",
    "[[ 2.5  4.5]\n     [10.5 12.5]]",
)
avg_pool3d = _mean_op(
    3,
    "D, H, W",
    True,
    "ops.avg_pool3d(Tensor(np.ones((1, 1, 4, 4, 4)), mstype.float32), 2, 2).shape",
    "(1, 1, 2, 2, 2)",
)


def _by_mode(primitive: str, name: str, mode: str, pool: Any, text: str, shown: str) -> Any:
    """Declare one of 2.6's pooling primitives: (N, C, H, W) only, padding by mode."""

    def body(
        input: Array, kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "valid", data_format: str = "NCHW"
    ) -> Any:
        if data_format != "NCHW":
            fail(ValueError, primitive, "'data_format'", "be 'NCHW'", data_format)
        x, _ = batched(primitive, 2, input)
        kernel, steps = spatial(primitive, "kernel_size", kernel_size, 2), spatial(primitive, "strides", strides, 2)
        return pool(x, kernel, steps, spread_padding(primitive, pad_mode, 0, x.shape[2:], kernel, steps, (1, 1)))

    body.__module__ = __name__
    body.__doc__ = f"""Return the {text}, padded as `pad_mode` ("valid" or "same") says.

Examples:
    >>> print(ops.{primitive}(2, 2)(Tensor(np.arange(16).reshape(1, 1, 4, 4), mstype.float32))[0, 0])
    {shown}

Source: ``mindspore.ops.{primitive}``."""
    form = f"{primitive}(kernel_size=1, strides=1, pad_mode='{mode}', data_format='NCHW')(x)"
    return composite(primitive=form, name=name)(body)


max_pool_mode = _by_mode(
    "MaxPool",
    "max_pool_mode",
    "valid",
    lambda x, kernel, steps, pads: max_pool(x, kernel, steps, pads, (1, 1), False, mstype.int64)[0],
    "largest element of each window",
    "[[ 5.  7.]\n     [13. 15.]]",
)
avg_pool_mode = _by_mode(
    "AvgPool",
    "avg_pool_mode",
    "VALID",
    lambda x, kernel, steps, pads: avg_pool(x, kernel, steps, pads, False, False, None),
    "mean of each window (padding is not counted)",
    "[[ 2.5  4.5]\n     [10.5 12.5]]",
)
