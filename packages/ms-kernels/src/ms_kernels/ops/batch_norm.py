"""Batch normalisation."""

from __future__ import annotations

from typing import Any

from ms_kernels.core.dispatch import effect, is_recording
from ms_kernels.loops import norm as loops
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import fail
from ms_kernels.opdef.register import FLOATS, composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._tape import cast_np
from ms_kernels.ops.activation import ONCE
from ms_kernels.ops.elementary import rsqrt
from ms_kernels.ops.norm import centred, check_channels, wide
from ms_kernels.ops.reduce import sum_
from ms_kernels.ops.shape import reshape

__all__ = ["batch_norm", "batch_norm_train"]

Shape = tuple[int, ...]


def _batch_axes(ndim: int) -> tuple[int, ...]:
    return (0, *range(2, ndim))


def _per_channel(ndim: int) -> Any:
    return lambda p: reshape(p, (1, p.size, *((1,) * (ndim - 2))))


def _batch_shape(shape: Shape, weight: Any, bias: Any, _eps: float) -> list[Shape]:
    check_channels("BatchNorm", shape, weight, bias)
    return [shape, (shape[1],), (shape[1],), (shape[1],)]


def _batch_vjp(g: Any, out: Any, input: Any, weight: Any, bias: Any, eps: float) -> Any:
    if is_recording():
        axes = _batch_axes(input.ndim)
        dx, dw, db = centred(g[0], input, weight, axes, eps, _per_channel(input.ndim))
        return (
            dx,
            None if weight is None else (lambda: sum_(dw, axes)),
            None if bias is None else (lambda: sum_(db, axes)),
        )
    dx, dw, db = batch_norm_grad(g[0], input, out[1], out[3], weight)
    return dx, None if weight is None else dw, None if bias is None else db


@op(
    shape=_batch_shape,
    dtype=lambda input, *_rest: (input, wide(input), wide(input), wide(input)),
    accepts=FLOATS,
    vjp=_batch_vjp,
    fuse="reduce",
    ascend="batch_norm",
    batch="channels",
    primitive="BatchNormTrain(eps)(x, weight, bias)",
    label="BatchNorm",
)
def batch_norm_train(input: Array, weight: Array | None, bias: Array | None, eps: float) -> Any:
    """Return (N, C, ...) normalised over all but the channels, each channel's mean, biased variance and 1/deviation.

    Only the first result has a gradient.

    Examples:
        >>> y, mean, var, _ = ops.BatchNormTrain(0.0)(Tensor([[1.0], [3.0]]), Tensor([1.0]), Tensor([0.0]))
        >>> print(y.ravel(), mean, var)
        [-1.  1.] [2.] [1.]

    Source: Ioffe and Szegedy, Batch Normalization; ``mindspore.ops.BatchNorm``.
    """
    return loops.batch_norm(input, weight, bias, eps)


@op(
    shape=lambda _grad, shape, *_rest: [shape, (shape[1],), (shape[1],)],
    dtype=lambda _grad, input, *_rest: (input, wide(input), wide(input)),
    nondiff=ONCE,
    ascend="batch_norm",
    batch="channels",
    primitive="BatchNormTrainGrad()(dy, x, mean, rstd, weight)",
    rename={"dy": "grad"},
)
def batch_norm_grad(grad: Array, input: Array, mean: Array, rstd: Array, weight: Array | None) -> Any:
    """Return the gradients of `batch_norm_train`'s input, weight and bias.

    Examples:
        >>> x, one, zero = Tensor([[1.0], [3.0]]), Tensor([1.0]), Tensor([2.0])
        >>> print(ops.BatchNormTrainGrad()(Tensor([[1.0], [0.0]]), x, zero, one, one)[2])
        [1.]

    Source: the derivative of batch normalisation.
    """
    return loops.batch_norm_grad(grad, input, mean, rstd, weight)


def _infer_shape(shape: Shape, mean: Shape, var: Shape, weight: Any, bias: Any, _eps: float) -> Shape:
    check_channels("BatchNorm", shape, mean, var, weight, bias)
    return shape


def _infer_vjp(g: Any, _out: Any, input: Any, mean: Any, var: Any, weight: Any, bias: Any, eps: float) -> Any:
    lift, axes = _per_channel(input.ndim), _batch_axes(input.ndim)
    scale = rsqrt(var + eps)
    gain = scale if weight is None else scale * weight

    def of_var() -> Any:
        return sum_(g * (input - lift(mean)), axes) * gain * scale * scale * -0.5

    return (
        lambda: g * lift(gain),
        lambda: sum_(g, axes) * gain * -1,
        of_var,
        None if weight is None else lambda: sum_(g * (input - lift(mean)), axes) * scale,
        None if bias is None else lambda: sum_(g, axes),
    )


@op(
    shape=_infer_shape,
    dtype=rules.same,
    accepts=FLOATS,
    vjp=_infer_vjp,
    fuse="elementwise",
    ascend="batch_norm",
    batch="channels",
    primitive="BatchNormInfer(eps)(x, mean, var, weight, bias)",
    label="BatchNorm",
)
def batch_norm_infer(
    input: Array, mean: Array, var: Array, weight: Array | None, bias: Array | None, eps: float
) -> Any:
    """Return (N, C, ...) normalised with given statistics of each channel.

    Examples:
        >>> print(ops.BatchNormInfer(0.0)(Tensor([[5.0]]), Tensor([1.0]), Tensor([4.0]), Tensor([1.0]), Tensor([0.0])))
        [[2.]]

    Source: ``mindspore.ops.BatchNorm``.
    """
    return loops.batch_norm_infer(input, weight, bias, mean, var, eps)


def moved(running: Any, batch: Any, momentum: float) -> None:
    """Move a running statistic toward the batch's, in place, off the tape."""
    effect(_moved, running, batch, momentum)


def _moved(running: Any, batch: Any, momentum: float) -> None:
    kind = running._kind
    running._a[...] = ((1 - momentum) * running._a + momentum * batch._a).astype(kind)
    running._touch()


def _batch_norm(
    input: Any, running_mean: Any, running_var: Any, weight: Any, bias: Any, training: bool, momentum: float, eps: float
) -> tuple[Any, ...]:
    if not training:
        return (batch_norm_infer(input, running_mean, running_var, weight, bias, eps),)
    found = batch_norm_train(input, weight, bias, eps)
    if running_mean is not None and running_var is not None:
        count = input.size // max(input.shape[1], 1)
        if running_mean.shape != found[1].shape or running_var.shape != found[2].shape:
            check_channels("BatchNorm", input.shape, running_mean.shape, running_var.shape)
        moved(running_mean, found[1], momentum)
        moved(running_var, cast_np(found[2], found[2]._kind) * (count / max(count - 1, 1)), momentum)
    return tuple(found)


@composite(
    ops="batch_norm(input_x, running_mean, running_var, weight, bias, training=False, momentum=0.1, eps=1e-5)",
    mintf="batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, "
    "momentum=0.1, eps=1e-5)",
)
def batch_norm(
    input: Array,
    running_mean: Array | None,
    running_var: Array | None,
    weight: Array | None = None,
    bias: Array | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """Return (N, C, ...) normalised per channel: by the batch in training, else by the running statistics.

    In training the running statistics move in place: ``(1 - momentum) * running + momentum * batch``, the variance
    without bias.

    Raises:
        ValueError: statistics or weights of another size than the channels.

    Examples:
        >>> zero, one = Tensor([0.0]), Tensor([1.0])
        >>> print(ops.batch_norm(Tensor([[1.0], [3.0]]), zero, one, one, zero, training=True, eps=0.0).ravel())
        [-1.  1.]

    Source: ``mindspore.ops.batch_norm``.
    """
    return _batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)[0]


@composite(
    primitive="BatchNorm(is_training=False, epsilon=1e-5, momentum=0.1, data_format='NCHW')"
    "(input_x, scale, bias, mean, variance)",
    rename={
        "scale": "weight",
        "mean": "running_mean",
        "variance": "running_var",
        "is_training": "training",
        "epsilon": "eps",
    },
)
def batch_norm_all(
    input: Array,
    weight: Array,
    bias: Array,
    running_mean: Array,
    running_var: Array,
    training: bool = False,
    eps: float = 1e-5,
    momentum: float = 0.1,
    data_format: str = "NCHW",
) -> Any:
    """Return the result of `batch_norm` and the statistics used: mean and variance, twice, as 2.6's primitive does.

    Examples:
        >>> zero, one = Tensor([0.0]), Tensor([1.0])
        >>> print(ops.BatchNorm(is_training=True)(Tensor([[1.0], [3.0]]), one, zero, zero, one)[1])
        [2.]

    Source: ``mindspore.ops.BatchNorm``.
    """
    if data_format != "NCHW":
        fail(ValueError, "BatchNorm", "'data_format'", "be 'NCHW'", data_format)
    found = _batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)
    mean, var = found[1:3] if training else (running_mean, running_var)
    return found[0], mean, var, mean, var
