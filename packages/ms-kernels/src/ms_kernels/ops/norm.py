"""Normalisations: layer and group."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.dispatch import is_recording
from ms_kernels.loops import norm as loops
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import fail
from ms_kernels.opdef.register import FLOATS, composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._spatial import spatial
from ms_kernels.ops.activation import ONCE
from ms_kernels.ops.elementary import rsqrt
from ms_kernels.ops.reduce import mean as mean_of
from ms_kernels.ops.reduce import sum_
from ms_kernels.ops.shape import reshape

__all__ = ["group_norm", "layer_norm"]

Shape = tuple[int, ...]


def wide(dtype: Any) -> Any:
    """The dtype of statistics: float32, or float64 for float64."""
    return mstype.float64 if dtype is mstype.float64 else mstype.float32


def centred(g: Any, input: Any, weight: Any, axes: tuple[int, ...], eps: float, lift: Any) -> tuple[Any, Any, Any]:
    """Gradients of a normalisation over `axes` by tensor ops, so that they can be differentiated again.

    `lift` brings per-channel parameters to the input's number of dimensions.
    """
    mean = mean_of(input, axes, True)
    d = input - mean
    scale = rsqrt(mean_of(d * d, axes, True) + eps)
    x = d * scale
    gx = g if weight is None else g * lift(weight)
    dx = scale * (gx - mean_of(gx, axes, True) - x * mean_of(gx * x, axes, True))
    return dx, g * x, g


def check_channels(name: str, shape: Shape, *params: Any) -> None:
    if len(shape) < 2:
        fail(ValueError, name, "'input'", "have at least two dimensions", f"shape {list(shape)}")
    for param in params:
        if param is not None and param != (shape[1],):
            fail(ValueError, name, "shape of weights and statistics", f"be [{shape[1]}]", str(list(param)))


def _layer_shape(shape: Shape, weight: Any, bias: Any, dims: int, _eps: float) -> list[Shape]:
    tail = shape[len(shape) - dims :]
    if not 0 < dims <= len(shape):
        fail(ValueError, "LayerNorm", "normalised dimensions", f"be between 1 and {len(shape)}", str(dims))
    for param in (weight, bias):
        if param is not None and param != tail:
            fail(ValueError, "LayerNorm", "shape of 'weight' and 'bias'", f"be {list(tail)}", str(list(param)))
    kept = (*shape[: len(shape) - dims], *((1,) * dims))
    return [shape, kept, kept]


def _layer_vjp(g: Any, out: Any, input: Any, weight: Any, bias: Any, dims: int, eps: float) -> Any:
    outer = tuple(range(input.ndim - dims))
    if is_recording():
        dx, dw, db = centred(g[0], input, weight, tuple(range(input.ndim - dims, input.ndim)), eps, lambda p: p)

        def over(value: Any) -> Any:
            return (lambda: sum_(value, outer)) if outer else value

        return dx, None if weight is None else over(dw), None if bias is None else over(db)
    dx, dw, db = layer_norm_grad(g[0], input, out[1], out[2], weight, dims)
    return dx, None if weight is None else dw, None if bias is None else db


@op(
    shape=_layer_shape,
    dtype=lambda input, *_rest: (input, wide(input), wide(input)),
    accepts=FLOATS,
    vjp=_layer_vjp,
    fuse="reduce",
    ascend="layer_norm",
    batch="layer_norm",
    primitive="LayerNormDims(dims, eps)(x, weight, bias)",
    label="LayerNorm",
)
def layer_norm_dims(input: Array, weight: Array | None, bias: Array | None, dims: int, eps: float) -> Any:
    """Return the tensor normalised over its last `dims` dimensions, and the mean and 1/deviation of each row.

    Only the first result has a gradient.

    Examples:
        >>> print(ops.LayerNormDims(1, 0.0)(Tensor([[1.0, 3.0]]), Tensor([1.0, 1.0]), Tensor([0.0, 0.0]))[0])
        [[-1.  1.]]

    Source: Ba, Kiros and Hinton, Layer Normalization.
    """
    return loops.layer_norm(input, weight, bias, eps, dims)


@op(
    shape=lambda _grad, shape, _mean, _rstd, _weight, dims: [shape, shape[-dims:], shape[-dims:]],
    dtype=lambda _grad, input, *_rest: (input, wide(input), wide(input)),
    nondiff=ONCE,
    ascend="layer_norm",
    batch="layer_norm_grad",
    primitive="LayerNormDimsGrad(dims)(dy, x, mean, rstd, weight)",
    rename={"dy": "grad"},
)
def layer_norm_grad(grad: Array, input: Array, mean: Array, rstd: Array, weight: Array | None, dims: int) -> Any:
    """Return the gradients of `layer_norm_dims`'s input, weight and bias.

    Examples:
        >>> x = Tensor([[1.0, 3.0]])
        >>> print(ops.LayerNormDimsGrad(1)(x, x, Tensor([[2.0]]), Tensor([[1.0]]), Tensor([1.0, 1.0]))[2])
        [1. 3.]

    Source: the derivative of layer normalisation.
    """
    return loops.layer_norm_grad(grad, input, mean, rstd, weight, dims)


@composite(
    ops="layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5)",
    mintf="layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5)",
)
def layer_norm(
    input: Array, normalized_shape: Any, weight: Array | None = None, bias: Array | None = None, eps: float = 1e-5
) -> Any:
    """Return the tensor normalised over its last dimensions, which must be `normalized_shape`.

    Raises:
        ValueError: the last dimensions are others.

    Examples:
        >>> print(ops.layer_norm(Tensor([[1.0, 3.0]]), (2,), eps=0.0))
        [[-1.  1.]]

    Source: ``mindspore.ops.layer_norm``.
    """
    tail = spatial("layer_norm", "normalized_shape", normalized_shape, len(tuple(np.atleast_1d(normalized_shape))))
    if input.shape[input.ndim - len(tail) :] != tail or len(tail) > input.ndim:
        fail(ValueError, "layer_norm", "last dimensions of 'input'", f"be {list(tail)}", f"shape {list(input.shape)}")
    return layer_norm_dims(input, weight, bias, len(tail), eps)[0]


@composite(
    primitive="LayerNorm(begin_norm_axis=1, begin_params_axis=1, epsilon=1e-7)(input_x, gamma, beta)",
    rename={"gamma": "weight", "beta": "bias", "epsilon": "eps"},
)
def layer_norm_all(
    input: Array, weight: Array, bias: Array, begin_norm_axis: int = 1, begin_params_axis: int = 1, eps: float = 1e-7
) -> Any:
    """Return the tensor normalised from `begin_norm_axis` on, and each row's mean and variance.

    Examples:
        >>> y, mean, var = ops.LayerNorm()(Tensor([[1.0, 3.0]]), Tensor([1.0, 1.0]), Tensor([0.0, 0.0]))
        >>> print(mean, var)
        [[2.]] [[1.]]

    Source: ``mindspore.ops.LayerNorm``.
    """
    first = rules.axis("LayerNorm", begin_norm_axis, input.ndim, "begin_norm_axis")
    param = rules.axis("LayerNorm", begin_params_axis, input.ndim, "begin_params_axis")
    if first == param:
        y, mean, rstd = layer_norm_dims(input, weight, bias, input.ndim - first, eps)
    else:
        y, mean, rstd = layer_norm_dims(input, None, None, input.ndim - first, eps)
        y = y * weight + bias
    return y, mean, 1 / (rstd * rstd) - eps


def _group_shape(shape: Shape, weight: Any, bias: Any, groups: int, _eps: float) -> list[Shape]:
    check_channels("GroupNorm", shape, weight, bias)
    if groups < 1 or shape[1] % groups:
        fail(ValueError, "GroupNorm", "number of channels", f"be a multiple of 'num_groups' {groups}", str(shape[1]))
    return [shape, (shape[0], groups), (shape[0], groups)]


def _group_vjp(g: Any, out: Any, input: Any, weight: Any, bias: Any, groups: int, eps: float) -> Any:
    if not is_recording():
        dx, dw, db = group_norm_grad(g[0], input, out[1], out[2], weight, groups)
        return dx, None if weight is None else dw, None if bias is None else db
    n, c = input.shape[:2]
    split = (n, groups, c // groups, math.prod(input.shape[2:]))

    def lift(p: Any) -> Any:
        return reshape(p, (1, groups, c // groups, 1))

    dx, dw, db = centred(reshape(g[0], split), reshape(input, split), weight, (2, 3), eps, lift)
    return (
        reshape(dx, input.shape),
        None if weight is None else reshape(sum_(dw, (0, 3)), (c,)),
        None if bias is None else reshape(sum_(db, (0, 3)), (c,)),
    )


@op(
    shape=_group_shape,
    dtype=lambda input, *_rest: (input, wide(input), wide(input)),
    accepts=FLOATS,
    vjp=_group_vjp,
    fuse="reduce",
    ascend="layer_norm",
    batch="group_norm",
    primitive="GroupNormGroups(groups, eps)(x, weight, bias)",
    label="GroupNorm",
)
def group_norm_groups(input: Array, weight: Array | None, bias: Array | None, groups: int, eps: float) -> Any:
    """Return (N, C, ...) normalised over groups of channels, and the mean and 1/deviation of each group.

    Examples:
        >>> print(ops.GroupNormGroups(1, 0.0)(Tensor([[1.0, 3.0]]), Tensor([1.0, 1.0]), Tensor([0.0, 0.0]))[0])
        [[-1.  1.]]

    Source: Wu and He, Group Normalization.
    """
    return loops.group_norm(input, groups, weight, bias, eps)


@op(
    shape=lambda _grad, shape, *_rest: [shape, (shape[1],), (shape[1],)],
    dtype=lambda _grad, input, *_rest: (input, wide(input), wide(input)),
    nondiff=ONCE,
    ascend="layer_norm",
    batch="group_norm_grad",
    primitive="GroupNormGroupsGrad(groups)(dy, x, mean, rstd, weight)",
    rename={"dy": "grad"},
)
def group_norm_grad(grad: Array, input: Array, mean: Array, rstd: Array, weight: Array | None, groups: int) -> Any:
    """Return the gradients of `group_norm_groups`'s input, weight and bias.

    Examples:
        >>> x, one = Tensor([[1.0, 3.0]]), Tensor([1.0, 1.0])
        >>> print(ops.GroupNormGroupsGrad(1)(x, x, Tensor([[2.0]]), Tensor([[1.0]]), one)[2])
        [1. 3.]

    Source: the derivative of group normalisation.
    """
    return loops.group_norm_grad(grad, input, mean, rstd, weight, groups)


@composite(
    ops="group_norm(input, num_groups, weight=None, bias=None, eps=1e-5)",
    mintf="group_norm(input, num_groups, weight=None, bias=None, eps=1e-5)",
)
def group_norm(
    input: Array, num_groups: int, weight: Array | None = None, bias: Array | None = None, eps: float = 1e-5
) -> Any:
    """Return (N, C, ...) normalised over `num_groups` groups of channels.

    Raises:
        ValueError: the channels cannot be cut into so many groups.

    Examples:
        >>> print(ops.group_norm(Tensor([[1.0, 3.0]]), 1, eps=0.0))
        [[-1.  1.]]

    Source: ``mindspore.ops.group_norm``.
    """
    return group_norm_groups(input, weight, bias, num_groups, eps)[0]
