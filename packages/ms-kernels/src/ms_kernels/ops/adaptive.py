"""Pooling to a given size."""

from __future__ import annotations

from typing import Any

import ms_dtype as mstype
from ms_kernels.loops import pool as loops
from ms_kernels.opdef import rules
from ms_kernels.opdef.register import FLOATS, composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._spatial import spatial
from ms_kernels.ops.pool import batched, max_pool_grad
from ms_kernels.ops.shape import squeeze

__all__ = ["adaptive_avg_pool2d"]

Shape = tuple[int, ...]


def _adaptive_shape(shape: Shape, size: Any) -> Shape:
    return (*shape[:2], *size)


def _adaptive_avg_vjp(g: Any, _out: Any, input: Any, size: Any) -> Any:
    return adaptive_avg_grad(g, input.shape)


@op(
    shape=_adaptive_shape,
    dtype=rules.same,
    accepts=FLOATS,
    vjp=_adaptive_avg_vjp,
    ascend="sum_f32",
    batch="fold",
    primitive="AdaptiveAvgPool(size)(x)",
)
def adaptive_avg(input: Array, size: Any) -> Any:
    """Return means over windows chosen so that the result has `size` in its spatial dimensions.

    Examples:
        >>> print(ops.AdaptiveAvgPool((1, 1))(Tensor(np.arange(4).reshape(1, 1, 2, 2), mstype.float32)))
        [[[[1.5]]]]

    Source: ``mindspore.ops.AdaptiveAvgPool2D``.
    """
    return loops.adaptive_avg_pool(input, size)


@op(
    shape=lambda _grad, shape: shape,
    dtype=rules.same,
    vjp=lambda g, _out, grad, _shape: adaptive_avg(g, grad.shape[2:]),
    ascend="scatter_add",
    batch="fold",
    primitive="AdaptiveAvgPoolGrad(shape)(dy)",
    rename={"dy": "grad"},
)
def adaptive_avg_grad(grad: Array, shape: Any) -> Any:
    """Return the gradient of `adaptive_avg`'s input.

    Examples:
        >>> print(ops.AdaptiveAvgPoolGrad((1, 1, 2, 2))(Tensor([[[[4.0]]]]))[0, 0])
        [[1. 1.]
         [1. 1.]]

    Source: the derivative of the mean.
    """
    return loops.adaptive_avg_pool_grad(grad, shape)


def target_sizes(name: str, output_size: Any, shape: Shape, n: int) -> Shape:
    items = output_size if isinstance(output_size, (tuple, list)) else (output_size,) * n
    full = tuple(shape[i - n] if s is None else s for i, s in enumerate(items))
    return spatial(name, "output_size", full, n)


@composite(
    ops="adaptive_avg_pool2d(input, output_size)",
    mintf="adaptive_avg_pool2d(input, output_size)",
    primitive="AdaptiveAvgPool2D(output_size)(input)",
)
def adaptive_avg_pool2d(input: Array, output_size: Any) -> Any:
    """Return means over windows so that the result is (..., H, W) of `output_size`; None keeps a size.

    Examples:
        >>> print(ops.adaptive_avg_pool2d(Tensor(np.arange(4).reshape(1, 1, 2, 2), mstype.float32), 1))
        [[[[1.5]]]]

    Source: ``mindspore.ops.adaptive_avg_pool2d``.
    """
    x, batch = batched("adaptive_avg_pool2d", 2, input)
    out = adaptive_avg(x, target_sizes("adaptive_avg_pool2d", output_size, input.shape, 2))
    return out if batch else squeeze(out, 0)


@composite(ops="adaptive_avg_pool1d(input, output_size)", mintf="adaptive_avg_pool1d(input, output_size)")
def adaptive_avg_pool1d(input: Array, output_size: Any) -> Any:
    """Return means over windows so that the result is (..., `output_size`).

    Examples:
        >>> print(ops.adaptive_avg_pool1d(Tensor([[[1.0, 3.0, 5.0, 7.0]]]), 2))
        [[[2. 6.]]]

    Source: ``mindspore.ops.adaptive_avg_pool1d``.
    """
    x, batch = batched("adaptive_avg_pool1d", 1, input)
    out = adaptive_avg(x, target_sizes("adaptive_avg_pool1d", output_size, input.shape, 1))
    return out if batch else squeeze(out, 0)


@op(
    shape=lambda shape, size: [(*shape[:2], *size)] * 2,
    dtype=lambda input, _size: (input, mstype.int64),
    accepts=FLOATS,
    vjp=lambda g, out, input, _size: max_pool_grad(g[0], out[1], input.shape),
    ascend="extremum",
    batch="fold",
    primitive="AdaptiveMaxPool(size)(x)",
)
def adaptive_max(input: Array, size: Any) -> Any:
    """Return the largest elements of windows chosen so that the result has `size`, and their flat places.

    Examples:
        >>> print(ops.AdaptiveMaxPool((1, 1))(Tensor(np.arange(4).reshape(1, 1, 2, 2), mstype.float32))[0])
        [[[[3.]]]]

    Source: ``mindspore.ops.AdaptiveMaxPool2D``.
    """
    return loops.adaptive_max_pool(input, size, True)


@composite(
    ops="adaptive_max_pool2d(input, output_size, return_indices=False)",
    mintf="adaptive_max_pool2d(input, output_size, return_indices=False)",
    primitive="AdaptiveMaxPool2D(output_size)(input); return_indices=True",
)
def adaptive_max_pool2d(input: Array, output_size: Any, return_indices: bool = False) -> Any:
    """Return the largest elements of windows so that the result is (..., H, W) of `output_size`.

    Examples:
        >>> print(ops.adaptive_max_pool2d(Tensor(np.arange(4).reshape(1, 1, 2, 2), mstype.float32), 1))
        [[[[3.]]]]

    Source: ``mindspore.ops.adaptive_max_pool2d``.
    """
    x, batch = batched("adaptive_max_pool2d", 2, input)
    found = adaptive_max(x, target_sizes("adaptive_max_pool2d", output_size, input.shape, 2))
    outs = found if batch else tuple(squeeze(t, 0) for t in found)
    return outs if return_indices else outs[0]


@composite(
    ops="adaptive_max_pool1d(input, output_size)",
    mintf="adaptive_max_pool1d(input, output_size, return_indices=False)",
)
def adaptive_max_pool1d(input: Array, output_size: Any, return_indices: bool = False) -> Any:
    """Return the largest elements of windows so that the result is (..., `output_size`), and perhaps their places.

    Examples:
        >>> print(ops.adaptive_max_pool1d(Tensor([[[1.0, 3.0, 5.0, 7.0]]]), 2))
        [[[3. 7.]]]

    Source: ``mindspore.ops.adaptive_max_pool1d``.
    """
    x, batch = batched("adaptive_max_pool1d", 1, input)
    found = adaptive_max(x, target_sizes("adaptive_max_pool1d", output_size, input.shape, 1))
    outs = found if batch else tuple(squeeze(t, 0) for t in found)
    return outs if return_indices else outs[0]
