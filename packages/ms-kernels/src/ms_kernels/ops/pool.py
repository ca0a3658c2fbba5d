"""Pooling: largest and mean elements of windows."""

from __future__ import annotations

from typing import Any

import ms_dtype as mstype
from ms_kernels.loops import pool as loops
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import fail
from ms_kernels.opdef.register import FLOATS, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops.index import gather
from ms_kernels.ops.shape import reshape, unsqueeze

__all__ = ["avg_pool", "max_pool"]

Shape = tuple[int, ...]


def _pooled(
    name: str, shape: Shape, kernel: Shape, stride: Shape, padding: Shape, dilation: Shape, ceil_mode: bool
) -> Shape:
    n = len(kernel)
    if len(shape) != n + 2:
        fail(ValueError, name, "'input'", f"have {n + 2} dimensions", f"shape {list(shape)}")
    sizes = []
    for i in range(n):
        size = loops.pooled_size(
            shape[i + 2], kernel[i], stride[i], padding[2 * i], padding[2 * i + 1], dilation[i], ceil_mode
        )
        if size < 1:
            fail(
                ValueError, name, "window", "fit into the padded input", f"kernel {list(kernel)} for {list(shape[2:])}"
            )
        sizes.append(size)
    return (*shape[:2], *sizes)


def _max_shape(
    shape: Shape, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool = False, _index: Any = None
) -> list[Shape]:
    return [_pooled("MaxPool", shape, kernel, stride, padding, dilation, ceil_mode)] * 2


def at_places(input: Any, places: Any) -> Any:
    """The elements at flat places of each channel: the linear map whose adjoint is `max_pool_grad`."""
    n, c = input.shape[:2]
    return reshape(gather(reshape(input, (n, c, -1)), 2, reshape(places, (n, c, -1))), places.shape)


def _max_pool_vjp(
    g: Any,
    out: Any,
    input: Any,
    _kernel: Any,
    _stride: Any,
    _padding: Any,
    _dilation: Any,
    _ceil_mode: Any,
    _index: Any,
) -> Any:
    return max_pool_grad(g[0], out[1], input.shape)


@op(
    shape=_max_shape,
    dtype=lambda input, *_rest: (input, _rest[5] if len(_rest) > 5 else mstype.int64),
    accepts=FLOATS,
    vjp=_max_pool_vjp,
    ascend="extremum",
    batch="fold",
    primitive="MaxPoolPlaces(kernel, stride, padding, dilation, ceil_mode=False)(x)",
    label="MaxPool",
)
def max_pool(
    input: Array,
    kernel: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil_mode: bool = False,
    index: Any = mstype.int64,
) -> Any:
    """Return the largest element of each window of (N, C, ...) and its place in the flat channel; NaN wins.

    Args:
        kernel, stride, dilation: one int a spatial dimension.
        padding: (before, after) of each spatial dimension, flat; padded elements never win.

    Examples:
        >>> y, place = ops.MaxPoolPlaces((2,), (2,), (0, 0), (1,))(Tensor([[[1.0, 3.0, 2.0, 0.0]]]))
        >>> print(y, place)
        [[[3. 2.]]] [[[1 2]]]

    Source: ``mindspore.ops.MaxPoolWithArgmaxV2``.
    """
    return loops.max_pool(input, kernel, stride, padding, dilation, ceil_mode, True, index.np)


@op(
    shape=lambda _grad, _places, shape: shape,
    dtype=rules.same,
    vjp=lambda g, _out, _grad, places, _shape: (at_places(g, places), None),
    ascend="scatter_add",
    batch="fold",
    primitive="MaxPoolPlacesGrad(shape)(dy, places)",
    rename={"dy": "grad"},
)
def max_pool_grad(grad: Array, places: Array, shape: Any) -> Any:
    """Return the gradient of `max_pool`'s input: each element of the gradient at the place where it was found.

    Examples:
        >>> print(ops.MaxPoolPlacesGrad((1, 1, 4))(Tensor([[[5.0, 6.0]]]), Tensor([[[1, 2]]])))
        [[[0. 5. 6. 0.]]]

    Source: the derivative of the maximum.
    """
    return loops.max_pool_grad(grad, places, shape)


def _avg_shape(
    shape: Shape,
    kernel: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool = False,
    _count: bool = True,
    _divisor: Any = None,
) -> Shape:
    return _pooled("AvgPool", shape, kernel, stride, padding, (1,) * len(kernel), ceil_mode)


def _avg_pool_vjp(
    g: Any, _out: Any, input: Any, kernel: Any, stride: Any, padding: Any, ceil_mode: Any, count_pad: Any, divisor: Any
) -> Any:
    return avg_pool_grad(g, input.shape, kernel, stride, padding, ceil_mode, count_pad, divisor)


@op(
    shape=_avg_shape,
    dtype=rules.same,
    accepts=FLOATS,
    vjp=_avg_pool_vjp,
    ascend="sum_f32",
    batch="fold",
    primitive="AvgPoolWindows(kernel, stride, padding, ceil_mode=False, count_pad=True, divisor=None)(x)",
    label="AvgPool",
)
def avg_pool(
    input: Array,
    kernel: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool = False,
    count_pad: bool = True,
    divisor: Any = None,
) -> Any:
    """Return the mean of each window of (N, C, ...).

    Args:
        count_pad: whether padded zeros count in the mean's divisor.
        divisor: divide by this number instead.

    Examples:
        >>> print(ops.AvgPoolWindows((2,), (2,), (0, 0))(Tensor([[[1.0, 3.0, 2.0, 0.0]]])))
        [[[2. 1.]]]

    Source: ``mindspore.ops.AvgPool``.
    """
    return loops.avg_pool(input, kernel, stride, padding, ceil_mode, count_pad, divisor)


@op(
    shape=lambda _grad, shape, *_rest: shape,
    dtype=rules.same,
    vjp=lambda g, _out, _grad, _shape, kernel, stride, padding, ceil_mode, count_pad, divisor: avg_pool(
        g, kernel, stride, padding, ceil_mode, count_pad, divisor
    ),
    ascend="scatter_add",
    batch="fold",
    primitive="AvgPoolWindowsGrad(shape, kernel, stride, padding, ceil_mode=False, count_pad=True, divisor=None)(dy)",
    rename={"dy": "grad"},
)
def avg_pool_grad(
    grad: Array,
    shape: Any,
    kernel: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool = False,
    count_pad: bool = True,
    divisor: Any = None,
) -> Any:
    """Return the gradient of `avg_pool`'s input.

    Examples:
        >>> print(ops.AvgPoolWindowsGrad((1, 1, 4), (2,), (2,), (0, 0))(Tensor([[[2.0, 4.0]]])))
        [[[1. 1. 2. 2.]]]

    Source: the derivative of the mean.
    """
    return loops.avg_pool_grad(grad, shape, kernel, stride, padding, ceil_mode, count_pad, divisor)


def batched(name: str, n: int, input: Any) -> tuple[Any, bool]:
    if input.ndim not in (n + 1, n + 2):
        fail(ValueError, name, "'input'", f"have {n + 1} or {n + 2} dimensions", f"shape {list(input.shape)}")
    return (input, True) if input.ndim == n + 2 else (unsqueeze(input, 0), False)
