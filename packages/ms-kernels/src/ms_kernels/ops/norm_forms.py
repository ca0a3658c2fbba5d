"""Normalisation by root mean square and by norms, local response, and fusions with the addition before."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.dispatch import is_recording
from ms_kernels.loops import norm as loops
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import FLOATS, composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops.activation import ONCE
from ms_kernels.ops.arithmetic import maximum, pow_
from ms_kernels.ops.elementary import rsqrt, sqrt
from ms_kernels.ops.extremes import amax
from ms_kernels.ops.norm import layer_norm_dims
from ms_kernels.ops.pool import avg_pool
from ms_kernels.ops.reduce import mean as mean_of
from ms_kernels.ops.reduce import sum_
from ms_kernels.ops.shape import reshape

__all__ = ["add_layer_norm", "add_rms_norm", "cosine_similarity", "lrn", "normalize", "rms_norm"]

Shape = tuple[int, ...]


def _wide(dtype: Any) -> Any:
    """The dtype of statistics: float32, or float64 for float64."""
    return mstype.float64 if dtype is mstype.float64 else mstype.float32


def _rms_shape(shape: Shape, weight: Shape, _eps: float = 0.0) -> list[Shape]:
    kept = len(shape) - len(weight)
    if not weight or kept < 0 or shape[kept:] != weight:
        got = f"{list(weight)} for {list(shape)}"
        fail(ValueError, "RmsNorm", "shape of 'gamma'", "be the last dimensions of 'x'", got)
    return [shape, (*shape[:kept], *((1,) * len(weight)))]


def _rms_vjp(g: Any, out: Any, input: Any, weight: Any, eps: float) -> Any:
    dims = weight.ndim
    if not is_recording():
        return rms_norm_grad(g[0], input, out[1], weight)
    axes, outer = tuple(range(input.ndim - dims, input.ndim)), tuple(range(input.ndim - dims))
    scale = rsqrt(mean_of(input * input, axes, True) + eps)
    x, gx = input * scale, g[0] * weight
    dw = g[0] * x
    return (gx - x * mean_of(gx * x, axes, True)) * scale, sum_(dw, outer) if outer else dw


@op(
    shape=_rms_shape,
    dtype=lambda input, *_rest: (input, _wide(input)),
    accepts=FLOATS,
    vjp=_rms_vjp,
    fuse="reduce",
    ascend="layer_norm",
    batch="rms_norm",
    ops="rms_norm(x, gamma, epsilon=1e-6)",
    primitive="RmsNorm(epsilon=1e-6)(x, gamma)",
    rename={"gamma": "weight", "epsilon": "eps"},
)
def rms_norm(input: Array, weight: Array, eps: float = 1e-6) -> Any:
    """Return ``x / sqrt(mean(x * x) + eps) * gamma`` over the last dimensions (those of gamma), and 1/sqrt of the mean.

    Only the first result has a gradient.

    Raises:
        ValueError: gamma's shape is not that of the last dimensions.
        TypeError: operands that are no floats.

    Examples:
        >>> print(ops.rms_norm(Tensor([[3.0, 4.0]]), Tensor([1.0, 1.0]), 0.0)[0])
        [[0.84852815 1.1313709 ]]

    Source: Zhang and Sennrich, Root Mean Square Layer Normalization; ``mindspore.ops.rms_norm``.
    """
    y, rstd = loops.rms_norm(input, weight, eps, weight.ndim)
    return y, rstd.reshape((*input.shape[: input.ndim - weight.ndim], *((1,) * weight.ndim)))


@op(
    shape=lambda _grad, shape, _rstd, weight: [shape, weight],
    dtype=lambda _grad, input, _rstd, weight: (input, weight),
    nondiff=ONCE,
    ascend="layer_norm",
    batch="rms_norm_grad",
    primitive="RmsNormGrad()(dy, x, rstd, gamma)",
    rename={"dy": "grad", "gamma": "weight"},
)
def rms_norm_grad(grad: Array, input: Array, rstd: Array, weight: Array) -> Any:
    """Return the gradients of `rms_norm`'s input and gamma.

    Examples:
        >>> x, one = Tensor([[3.0, 4.0]]), Tensor([1.0, 1.0])
        >>> print(ops.RmsNormGrad()(x, x, Tensor([[1.0]]), one)[1])
        [ 9. 16.]

    Source: the derivative of the root mean square normalisation.
    """
    dx, dw = loops.rms_norm_grad(grad, input, rstd, weight, weight.ndim)
    return dx, dw.astype(weight.dtype, copy=False)


@composite(ops="add_rms_norm(x1, x2, gamma, epsilon=1e-6)", rename={"x1": "input", "x2": "other", "gamma": "weight"})
def add_rms_norm(input: Array, other: Array, weight: Array, epsilon: float = 1e-6) -> Any:
    """Return `rms_norm` of ``x1 + x2``, its 1/sqrt of the mean square, and the sum itself.

    Raises:
        RuntimeError: shapes of x1 and x2 that are not the same.
        ValueError: gamma's shape is not that of the last dimensions.

    Examples:
        >>> y, _, x = ops.add_rms_norm(Tensor([[1.0, 1.0]]), Tensor([[2.0, 3.0]]), Tensor([1.0, 1.0]), 1e-12)
        >>> print(y, x)
        [[0.84852815 1.1313709 ]] [[3. 4.]]

    Source: ``mindspore.ops.add_rms_norm``.
    """
    if input.shape != other.shape:
        got = f"{list(input.shape)} and {list(other.shape)}"
        fail(RuntimeError, "AddRmsNorm", "shapes of 'x1' and 'x2'", "be equal", got)
    total = input + other
    return (*rms_norm(total, weight, epsilon), total)


@composite(
    ops="add_layer_norm(x1, x2, gamma, beta, epsilon=1e-5, additional_output=False)",
    rename={"x1": "input", "x2": "other", "gamma": "weight", "beta": "bias"},
)
def add_layer_norm(
    input: Array, other: Array, weight: Array, bias: Array, epsilon: float = 1e-5, additional_output: bool = False
) -> Any:
    """Return ``x1 + x2`` normalised over its last dimension, each row's mean and 1/deviation, and the sum itself.

    Args:
        additional_output: accepted as 2.6's; the sum is always the fourth result.

    Raises:
        ValueError: shapes of x1 and x2 that are not the same, a gamma or beta of another size.

    Examples:
        >>> one, zero = Tensor([1.0, 1.0]), Tensor([0.0, 0.0])
        >>> y, mean, _, x = ops.add_layer_norm(Tensor([[1.0, 2.0]]), Tensor([[0.0, 1.0]]), one, zero, 1e-12)
        >>> print(y, mean, x)
        [[-1.  1.]] [[2.]] [[1. 3.]]

    Source: ``mindspore.ops.add_layer_norm``.
    """
    if input.shape != other.shape:
        got = f"{list(input.shape)} and {list(other.shape)}"
        fail(ValueError, "AddLayerNorm", "shapes of 'x1' and 'x2'", "be equal", got)
    total = input + other
    return (*layer_norm_dims(total, weight, bias, 1, epsilon), total)


@composite(
    ops="lrn(x, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region='ACROSS_CHANNELS')",
    primitive="LRN(depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region='ACROSS_CHANNELS')(x)",
)
def lrn(
    input: Array,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
    norm_region: str = "ACROSS_CHANNELS",
) -> Any:
    """Return (N, C, H, W) divided by ``(bias + alpha * s) ** beta``, s the sum of squares over neighbouring channels.

    Args:
        depth_radius: how many channels on each side count.

    Raises:
        ValueError: an input of other than four dimensions, another region, a negative radius.
        TypeError: a radius that is no int.

    Examples:
        >>> print(ops.lrn(Tensor([[[[3.0]], [[4.0]]]]), bias=0.0).ravel())
        [0.6 0.8]

    Source: Krizhevsky et al., ImageNet Classification; ``mindspore.ops.lrn``.
    """
    if isinstance(depth_radius, bool) or not isinstance(depth_radius, int):
        fail(TypeError, "LRN", "'depth_radius'", "be an int", describe(depth_radius))
    if depth_radius < 0:
        fail(ValueError, "LRN", "'depth_radius'", "not be negative", describe(depth_radius))
    if norm_region != "ACROSS_CHANNELS":
        fail(ValueError, "LRN", "'norm_region'", "be 'ACROSS_CHANNELS'", describe(norm_region))
    if input.ndim != 4:
        fail(ValueError, "LRN", "'x'", "have four dimensions", f"shape {list(input.shape)}")
    n, c, h, w = input.shape
    span = 2 * depth_radius + 1
    squares = reshape(input * input, (n, 1, c, h * w))
    means = avg_pool(squares, (span, 1), (1, 1), (depth_radius, depth_radius, 0, 0), False, True, 1)
    return input * pow_(reshape(means, input.shape) * alpha + bias, -beta)


def _exponent(name: str, p: Any) -> float:
    if isinstance(p, bool) or not isinstance(p, (int, float)):
        fail(TypeError, name, "'p'", "be a number", describe(p))
    return float(p)


@composite(mintf="normalize(input, p=2.0, dim=1, eps=1e-12)")
def normalize(input: Array, p: float = 2.0, dim: Any = 1, eps: float = 1e-12) -> Any:
    """Return the tensor divided by its p-norm along a dimension (or some), which counts as `eps` at least.

    Raises:
        TypeError: a p that is no number.
        ValueError: a dimension that is none.

    Examples:
        >>> print(ms_kernels.mint_functional.normalize(Tensor([[3.0, 4.0]])))
        [[0.6 0.8]]

    Source: ``mindspore.mint.nn.functional.normalize``.
    """
    power = _exponent("normalize", p)
    axes = rules.axes("normalize", dim, input.ndim, "dim")
    if power == 2:
        return input / sqrt(maximum(sum_(input * input, axes, True), eps * eps))
    if math.isinf(power):
        return input / maximum(amax(abs(input), axes, True), eps)
    if power == 0:
        count = np.count_nonzero(input._a, axis=axes, keepdims=True)
        return input * (1 / np.maximum(count, eps)).astype(input._kind)
    return input / maximum(pow_(sum_(pow_(abs(input), power), axes, True), 1 / power), eps)


@composite(primitive="L2Normalize(axis=0, epsilon=1e-4)(input_x)", rename={"axis": "dim", "epsilon": "eps"})
def l2_normalize(input: Array, dim: Any = 0, eps: float = 1e-4) -> Any:
    """Return ``x / sqrt(max(sum(x * x), epsilon))`` along a dimension.

    Raises:
        ValueError: a dimension that is none.

    Examples:
        >>> print(ops.L2Normalize(1)(Tensor([[3.0, 4.0]])))
        [[0.6 0.8]]

    Source: ``mindspore.ops.L2Normalize``.
    """
    axes = rules.axes("L2Normalize", dim, input.ndim)
    return input * rsqrt(maximum(sum_(input * input, axes, True), eps))


@composite(primitive="L2Loss()(input_x)")
def l2_loss(input: Array) -> Any:
    """Return half of the sum of squares.

    Examples:
        >>> print(ops.L2Loss()(Tensor([1.0, 2.0, 3.0])))
        7.0

    Source: ``mindspore.ops.L2Loss``.
    """
    return sum_(input * input) * 0.5


@composite(ops="cosine_similarity(x1, x2, dim=1, eps=1e-8)", rename={"x1": "input", "x2": "other"})
def cosine_similarity(input: Array, other: Array, dim: int = 1, eps: float = 1e-8) -> Any:
    """Return ``x1 . x2 / max(|x1| |x2|, eps)`` along a dimension of the operands broadcast together.

    Raises:
        ValueError: shapes that cannot be broadcast, a dimension that is none.

    Examples:
        >>> print(ops.cosine_similarity(Tensor([[3.0, 4.0]]), Tensor([[1.0, 0.0]])))
        [0.6]

    Source: ``mindspore.ops.cosine_similarity``.
    """
    shape = rules.broadcast("cosine_similarity")(input.shape, other.shape)
    axis = rules.axis("cosine_similarity", dim, len(shape), "dim") - len(shape)
    squares = sum_(input * input, axis) * sum_(other * other, axis)
    return sum_(input * other, axis) / sqrt(maximum(squares, eps * eps))
