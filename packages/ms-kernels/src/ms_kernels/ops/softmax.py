"""Softmax and its relatives."""

from __future__ import annotations

from typing import Any

from ms_kernels.core.dispatch import is_recording
from ms_kernels.loops import norm as norm_loops
from ms_kernels.opdef import rules
from ms_kernels.opdef.register import FLOATS, composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._tape import cast_np
from ms_kernels.ops.activation import ONCE
from ms_kernels.ops.elementary import exp
from ms_kernels.ops.reduce import sum_

__all__ = ["log_softmax", "softmax"]


def _axis_of(input: Any, dim: Any, name: str) -> int:
    return rules.axis(name, dim, input.ndim)


def _softmax_shape(shape: tuple[int, ...], dim: int = -1) -> tuple[int, ...]:
    rules.axis("Softmax", dim, len(shape))
    return shape


def _softmax_vjp(g: Any, out: Any, _input: Any, dim: int) -> Any:
    if is_recording():
        return out * (g - sum_(g * out, dim, True))
    return softmax_grad(g, out, dim)


def _log_softmax_vjp(g: Any, out: Any, _input: Any, dim: int) -> Any:
    if is_recording():
        return g - exp(out) * sum_(g, dim, True)
    return log_softmax_grad(g, out, dim)


@op(
    shape=rules.same,
    dtype=rules.same,
    nondiff=ONCE,
    fuse="reduce",
    ascend="softmax",
    batch="axis",
    primitive="SoftmaxGrad(axis=-1)(dy, y)",
    rename={"dy": "grad", "y": "out"},
)
def softmax_grad(grad: Array, out: Array, dim: int = -1) -> Any:
    """Return the gradient of softmax from that of its result and the result.

    Examples:
        >>> print(ops.SoftmaxGrad()(Tensor([1.0, 0.0]), Tensor([0.5, 0.5])))
        [ 0.25 -0.25]

    Source: the derivative of softmax.
    """
    return norm_loops.softmax_grad(grad, out, _axis_of(out, dim, "Softmax"))


@op(
    shape=rules.same,
    dtype=rules.same,
    nondiff=ONCE,
    fuse="reduce",
    ascend="softmax",
    batch="axis",
    primitive="LogSoftmaxGrad(axis=-1)(dy, y)",
    rename={"dy": "grad", "y": "out"},
)
def log_softmax_grad(grad: Array, out: Array, dim: int = -1) -> Any:
    """Return the gradient of log-softmax from that of its result and the result.

    Examples:
        >>> print(ops.LogSoftmaxGrad()(Tensor([1.0, 0.0]), Tensor([-0.6931472, -0.6931472])))
        [ 0.5 -0.5]

    Source: the derivative of log-softmax.
    """
    return norm_loops.log_softmax_grad(grad, out, _axis_of(out, dim, "LogSoftmax"))


@op(
    shape=_softmax_shape,
    dtype=rules.same,
    accepts=FLOATS,
    vjp=_softmax_vjp,
    fuse="reduce",
    ascend="softmax",
    batch="axis",
    primitive="Softmax(axis=-1)(logits)",
)
def softmax_typed(input: Array, dim: int = -1) -> Any:
    """Return ``exp(x) / sum(exp(x))`` along a dimension, without overflow.

    Examples:
        >>> print(ops.Softmax()(Tensor([1.0, 1.0])))
        [0.5 0.5]

    Source: ``mindspore.ops.Softmax``.
    """
    return norm_loops.softmax(input, _axis_of(input, dim, "Softmax"))


@op(
    shape=_softmax_shape,
    dtype=rules.same,
    accepts=FLOATS,
    vjp=_log_softmax_vjp,
    fuse="reduce",
    ascend="softmax",
    batch="axis",
    primitive="LogSoftmax(axis=-1)(logits)",
)
def log_softmax_typed(input: Array, dim: int = -1) -> Any:
    """Return ``x - log(sum(exp(x)))`` along a dimension, without overflow.

    Examples:
        >>> print(ops.LogSoftmax()(Tensor([1.0, 1.0])))
        [-0.6931472 -0.6931472]

    Source: ``mindspore.ops.LogSoftmax``.
    """
    return norm_loops.log_softmax(input, _axis_of(input, dim, "LogSoftmax"))


def _in_dtype(input: Any, dtype: Any) -> Any:
    return input if dtype is None else cast_np(input, dtype.np)


@composite(
    ops="softmax(input, axis=-1, *, dtype=None)",
    mint="softmax(input, dim, *, dtype=None)",
    mintf="softmax(input, dim=None, dtype=None)",
    tensor="softmax(axis, dtype=None)",
)
def softmax(input: Array, dim: Any = -1, dtype: Any = None) -> Any:
    """Return ``exp(x) / sum(exp(x))`` along a dimension, without overflow.

    Args:
        dim: the dimension; None means 0 for tensors of 0, 1 and 3 dimensions, else 1.
        dtype: cast the input to this first.

    Raises:
        ValueError: `dim` out of range.
        TypeError: the input is no float.

    Examples:
        >>> print(ops.softmax(Tensor([1.0, 1.0])))
        [0.5 0.5]

    Source: ``mindspore.ops.softmax``.
    """
    return softmax_typed(_in_dtype(input, dtype), _default_dim(dim, input.ndim))


def _default_dim(dim: Any, ndim: int) -> int:
    return (0 if ndim in (0, 1, 3) else 1) if dim is None else dim


@composite(
    ops="log_softmax(logits, axis=-1)",
    mintf="log_softmax(input, dim=None, dtype=None)",
    primitive="LogSoftmaxExt()(input, dim=None, dtype=None)",
)
def log_softmax(input: Array, dim: Any = -1, dtype: Any = None) -> Any:
    """Return the logarithm of `softmax`, computed without rounding it first.

    Examples:
        >>> print(ops.log_softmax(Tensor([1.0, 1.0])))
        [-0.6931472 -0.6931472]

    Source: ``mindspore.ops.log_softmax``.
    """
    return log_softmax_typed(_in_dtype(input, dtype), _default_dim(dim, input.ndim))


@composite(ops="softmin(x, axis=-1, *, dtype=None)")
def softmin(input: Array, dim: int = -1, dtype: Any = None) -> Any:
    """Return `softmax` of ``-x``.

    Examples:
        >>> print(ops.softmin(Tensor([1.0, 1.0])))
        [0.5 0.5]

    Source: ``mindspore.ops.softmin``.
    """
    return softmax(input * -1, dim, dtype)
