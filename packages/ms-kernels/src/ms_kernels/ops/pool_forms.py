"""Pooling in 2.6's other forms: by power mean, in three dimensions, primitives that return places."""

from __future__ import annotations

from typing import Any

import ms_dtype as mstype
from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._spatial import spatial, spread_padding
from ms_kernels.ops._tape import cast_np
from ms_kernels.ops.adaptive import adaptive_avg, adaptive_max, target_sizes
from ms_kernels.ops.arithmetic import pow_
from ms_kernels.ops.pool import avg_pool, max_pool
from ms_kernels.ops.pooling import avg_pool1d, avg_pool2d
from ms_kernels.ops.shape import squeeze, unsqueeze

__all__ = ["adaptive_avg_pool3d", "adaptive_max_pool3d", "lp_pool1d", "lp_pool2d"]


def _three(name: str, input: Any) -> tuple[Any, bool]:
    if input.ndim not in (4, 5):
        fail(ValueError, name, "'input'", "have 4 or 5 dimensions", f"shape {list(input.shape)}")
    return (input, True) if input.ndim == 5 else (unsqueeze(input, 0), False)


@composite(
    ops="adaptive_avg_pool3d(input, output_size)",
    mintf="adaptive_avg_pool3d(input, output_size)",
    primitive="AdaptiveAvgPool3D(output_size)(input)",
)
def adaptive_avg_pool3d(input: Array, output_size: Any) -> Any:
    """Return means over windows so that the result is (..., D, H, W) of `output_size`; None keeps a size.

    Raises:
        ValueError: an input of other than 4 or 5 dimensions, sizes below 1.

    Examples:
        >>> ops.adaptive_avg_pool3d(Tensor(np.arange(8).reshape(1, 2, 2, 2), mstype.float32), 1).item()
        3.5

    Source: ``mindspore.ops.adaptive_avg_pool3d``.
    """
    x, batch = _three("adaptive_avg_pool3d", input)
    out = adaptive_avg(x, target_sizes("adaptive_avg_pool3d", output_size, input.shape, 3))
    return out if batch else squeeze(out, 0)


@composite(
    ops="adaptive_max_pool3d(input, output_size, return_indices=False)",
    primitive="AdaptiveMaxPool3D()(input, output_size); return_indices=True",
)
def adaptive_max_pool3d(input: Array, output_size: Any, return_indices: bool = False) -> Any:
    """Return the largest elements of windows so that the result is (..., D, H, W) of `output_size`; None keeps a size.

    Args:
        return_indices: return the flat places too, int32.

    Raises:
        ValueError: an input of other than 4 or 5 dimensions, sizes below 1.

    Examples:
        >>> x = Tensor(np.arange(8).reshape(1, 2, 2, 2), mstype.float32)
        >>> [t.item() for t in ops.adaptive_max_pool3d(x, 1, True)]
        [7.0, 7]

    Source: ``mindspore.ops.adaptive_max_pool3d``.
    """
    x, batch = _three("adaptive_max_pool3d", input)
    size = tuple(output_size._a.tolist()) if isinstance(output_size, TensorBase) else output_size
    y, places = adaptive_max(x, target_sizes("adaptive_max_pool3d", size, input.shape, 3))
    outs = (y, cast_np(places, mstype.int32.np))
    if not batch:
        outs = (squeeze(outs[0], 0), squeeze(outs[1], 0))
    return outs if return_indices else y if batch else outs[0]


def _power_mean(name: str, n: int, input: Any, norm_type: Any, kernel_size: Any, stride: Any, ceil_mode: bool) -> Any:
    if isinstance(norm_type, bool) or not isinstance(norm_type, (int, float)):
        fail(TypeError, name, "'norm_type'", "be a number", describe(norm_type))
    if norm_type == 0:
        fail(ValueError, name, "'norm_type'", "not be 0", describe(norm_type))
    kernel = spatial(name, "kernel_size", kernel_size, n)
    steps = kernel if stride is None else spatial(name, "stride", stride, n)
    pool = avg_pool1d if n == 1 else avg_pool2d
    total = pool(pow_(input, norm_type), kernel, steps, 0, ceil_mode)
    for size in kernel:
        total = total * size
    return pow_(total, 1 / norm_type)


@composite(ops="lp_pool1d(x, norm_type, kernel_size, stride=None, ceil_mode=False)")
def lp_pool1d(input: Array, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Any:
    """Return ``sum(x ** p) ** (1 / p)`` of each window of (N, C, L) or (C, L); p is `norm_type`.

    A window that `ceil_mode` lets reach past the end counts as full: its mean takes the place of what is missing.

    Raises:
        TypeError: a `norm_type` that is no number.
        ValueError: a `norm_type` of 0, windows that do not fit.

    Examples:
        >>> print(ops.lp_pool1d(Tensor([[[3.0, 4.0, 6.0, 8.0]]]), 2, 2))
        [[[ 5. 10.]]]

    Source: ``mindspore.ops.lp_pool1d``.
    """
    return _power_mean("lp_pool1d", 1, input, norm_type, kernel_size, stride, ceil_mode)


@composite(ops="lp_pool2d(x, norm_type, kernel_size, stride=None, ceil_mode=False)")
def lp_pool2d(input: Array, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Any:
    """Return ``sum(x ** p) ** (1 / p)`` of each window of (N, C, H, W); p is `norm_type`.

    Raises:
        TypeError: a `norm_type` that is no number.
        ValueError: a `norm_type` of 0, windows that do not fit.

    Examples:
        >>> print(ops.lp_pool2d(Tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), 1, 2))
        [[[[10.]]]]

    Source: ``mindspore.ops.lp_pool2d``.
    """
    return _power_mean("lp_pool2d", 2, input, norm_type, kernel_size, stride, ceil_mode)


def _check_format(name: str, data_format: str, wanted: str) -> None:
    if data_format != wanted:
        fail(ValueError, name, "'data_format'", f"be '{wanted}'", describe(data_format))


def _by_mode(name: str, n: int, x: Any, kernel_size: Any, strides: Any, pad_mode: Any, pad: Any) -> tuple[Any, ...]:
    if x.ndim != n + 2:
        fail(ValueError, name, "'x'", f"have {n + 2} dimensions", f"shape {list(x.shape)}")
    kernel, steps = spatial(name, "kernel_size", kernel_size, n), spatial(name, "strides", strides, n)
    return kernel, steps, spread_padding(name, pad_mode, pad, x.shape[2:], kernel, steps, (1,) * n)


@composite(
    primitive="MaxPool3D(kernel_size=1, strides=1, pad_mode='VALID', pad_list=0, ceil_mode=None, "
    "data_format='NCDHW')(x)",
)
def max_pool3d_mode(
    input: Array,
    kernel_size: Any = 1,
    strides: Any = 1,
    pad_mode: str = "VALID",
    pad_list: Any = 0,
    ceil_mode: bool | None = None,
    data_format: str = "NCDHW",
) -> Any:
    """Return the largest element of each window of (N, C, D, H, W), padded as `pad_mode` and `pad_list` say.

    Raises:
        ValueError: options or shapes that do not fit.

    Examples:
        >>> ops.MaxPool3D(2)(Tensor(np.arange(8).reshape(1, 1, 2, 2, 2), mstype.float32)).item()
        7.0

    Source: ``mindspore.ops.MaxPool3D``.
    """
    _check_format("MaxPool3D", data_format, "NCDHW")
    window = _by_mode("MaxPool3D", 3, input, kernel_size, strides, pad_mode, pad_list)
    return max_pool(input, *window, (1, 1, 1), bool(ceil_mode), mstype.int64)[0]


@composite(
    primitive="AvgPool3D(kernel_size=1, strides=1, pad_mode='valid', pad=0, ceil_mode=False, count_include_pad=True, "
    "divisor_override=0, data_format='NCDHW')(x)",
)
def avg_pool3d_mode(
    input: Array,
    kernel_size: Any = 1,
    strides: Any = 1,
    pad_mode: str = "valid",
    pad: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
    data_format: str = "NCDHW",
) -> Any:
    """Return the mean of each window of (N, C, D, H, W), padded as `pad_mode` and `pad` say.

    Raises:
        ValueError: options or shapes that do not fit.

    Examples:
        >>> ops.AvgPool3D(2)(Tensor(np.arange(8).reshape(1, 1, 2, 2, 2), mstype.float32)).item()
        3.5

    Source: ``mindspore.ops.AvgPool3D``.
    """
    _check_format("AvgPool3D", data_format, "NCDHW")
    window = _by_mode("AvgPool3D", 3, input, kernel_size, strides, pad_mode, pad)
    return avg_pool(input, *window, ceil_mode, count_include_pad, divisor_override or None)


@composite(
    primitive="MaxPoolWithArgmax(kernel_size=1, strides=1, pad_mode='valid', data_format='NCHW')(x)",
)
def max_pool_places(
    input: Array, kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "valid", data_format: str = "NCHW"
) -> Any:
    """Return the largest element of each window of (N, C, H, W), and its flat place in the channel, int32.

    Raises:
        ValueError: options or shapes that do not fit.

    Examples:
        >>> [t.item() for t in ops.MaxPoolWithArgmax(2)(Tensor([[[[1.0, 2.0], [4.0, 3.0]]]]))]
        [4.0, 2]

    Source: ``mindspore.ops.MaxPoolWithArgmax``.
    """
    _check_format("MaxPoolWithArgmax", data_format, "NCHW")
    window = _by_mode("MaxPoolWithArgmax", 2, input, kernel_size, strides, pad_mode, 0)
    return max_pool(input, *window, (1, 1), False, mstype.int32)


def _with_places(
    name: str, n: int, x: Any, kernel_size: Any, strides: Any, pads: Any, dilation: Any, ceil_mode: bool, index: Any
) -> Any:
    if index not in (mstype.int32, mstype.int64):
        fail(TypeError, name, "'argmax_type'", "be int32 or int64", describe(index))
    steps = kernel_size if strides is None else strides
    window = _by_mode(name, n, x, kernel_size, steps, "pad", spatial(name, "pads", pads, n, 0))
    return max_pool(x, *window, spatial(name, "dilation", dilation, n), ceil_mode, index)


@composite(
    primitive="MaxPoolWithArgmaxV2(kernel_size, strides=None, pads=0, dilation=(1, 1), ceil_mode=False, "
    "argmax_type=int64)(x)",
    name="max_pool2d_places",
)
def max_pool2d_places(
    input: Array,
    kernel_size: Any,
    strides: Any = None,
    pads: Any = 0,
    dilation: Any = (1, 1),
    ceil_mode: bool = False,
    argmax_type: Any = mstype.int64,
) -> Any:
    """Return the largest element of each window of (N, C, H, W), and its flat place in the channel.

    Raises:
        ValueError: options or shapes that do not fit.
        TypeError: an `argmax_type` other than int32 and int64.

    Examples:
        >>> [t.item() for t in ops.MaxPoolWithArgmaxV2(2)(Tensor([[[[1.0, 2.0], [4.0, 3.0]]]]))]
        [4.0, 2]

    Source: ``mindspore.ops.MaxPoolWithArgmaxV2``.
    """
    return _with_places("MaxPoolWithArgmaxV2", 2, input, kernel_size, strides, pads, dilation, ceil_mode, argmax_type)


@composite(
    primitive="MaxPool3DWithArgmax(ksize, strides, pads, dilation=(1, 1, 1), ceil_mode=False, data_format='NCDHW', "
    "argmax_type=int64)(x)",
    rename={"ksize": "kernel_size"},
    name="max_pool3d_places",
)
def max_pool3d_places(
    input: Array,
    kernel_size: Any,
    strides: Any,
    pads: Any,
    dilation: Any = (1, 1, 1),
    ceil_mode: bool = False,
    data_format: str = "NCDHW",
    argmax_type: Any = mstype.int64,
) -> Any:
    """Return the largest element of each window of (N, C, D, H, W), and its flat place in the channel.

    Raises:
        ValueError: options or shapes that do not fit.
        TypeError: an `argmax_type` other than int32 and int64.

    Examples:
        >>> x = Tensor(np.arange(8).reshape(1, 1, 2, 2, 2), mstype.float32)
        >>> [t.item() for t in ops.MaxPool3DWithArgmax(2, 2, 0)(x)]
        [7.0, 7]

    Source: ``mindspore.ops.MaxPool3DWithArgmax``.
    """
    _check_format("MaxPool3DWithArgmax", data_format, "NCDHW")
    return _with_places("MaxPool3DWithArgmax", 3, input, kernel_size, strides, pads, dilation, ceil_mode, argmax_type)
