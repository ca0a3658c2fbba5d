"""Losses with a margin, the Gaussian likelihood, and 2.6's loss primitives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ms_kernels.core.tensor import from_array
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._tape import cast_np
from ms_kernels.ops.activation import logsigmoid, softplus_plain
from ms_kernels.ops.arithmetic import maximum, minimum, pow_
from ms_kernels.ops.elementary import exp, log
from ms_kernels.ops.entropy import cross_entropy, nll_loss
from ms_kernels.ops.index import index_select
from ms_kernels.ops.loss import check_reduction, reduced
from ms_kernels.ops.matrices import one_hot
from ms_kernels.ops.reduce import mean, sum_
from ms_kernels.ops.shape import reshape, unsqueeze
from ms_kernels.ops.softmax import log_softmax

__all__ = [
    "gaussian_nll_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "triplet_margin_loss",
]


def _margin(name: str, margin: Any) -> float:
    if hasattr(margin, "item"):
        margin = margin.item()
    if isinstance(margin, bool) or not isinstance(margin, (int, float)):
        fail(TypeError, name, "'margin'", "be a number", describe(margin))
    return float(margin)


@composite(
    ops="triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, reduction='mean')",
    primitive="TripletMarginLoss(p=2, swap=False, eps=1e-6, reduction='mean')(x, positive, negative, margin)",
    rename={"x": "anchor"},
)
def triplet_margin_loss(
    anchor: Array,
    positive: Array,
    negative: Array,
    margin: Any = 1.0,
    p: Any = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Any:
    """Return ``max(d(anchor, positive) - d(anchor, negative) + margin, 0)``, d the p-norm of the difference plus eps.

    Args:
        anchor, positive, negative: (N, D, ...); the norm is along the second dimension.
        swap: take the smaller of the distances of the negative to the anchor and to the positive.

    Raises:
        ValueError: fewer than two dimensions, shapes that cannot be broadcast, another reduction.
        TypeError: a margin that is no number.

    Examples:
        >>> a, b = Tensor([[0.0, 0.0]]), Tensor([[3.0, 4.0]])
        >>> print(ops.triplet_margin_loss(a, b, a))
        6.0

    Source: Balntas et al., Learning shallow convolutional feature descriptors with triplet losses;
    ``mindspore.ops.triplet_margin_loss``.
    """
    name = "TripletMarginLoss"
    check_reduction(name, reduction)
    if max(anchor.ndim, positive.ndim, negative.ndim) < 2:
        fail(ValueError, name, "operands", "have two dimensions or more", f"shape {list(anchor.shape)}")

    def distance(a: Any, b: Any) -> Any:
        return pow_(sum_(pow_(abs(a - b + eps), p), 1), 1 / p)

    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = minimum(far, distance(positive, negative))
    return reduced(name, maximum(near - far + _margin(name, margin), 0), reduction)


@composite(
    ops="multi_margin_loss(input, target, p=1, margin=1, weight=None, reduction='mean')",
    primitive="MultiMarginLoss(p=1, margin=1.0, reduction='mean')(x, target, weight=None)",
)
def multi_margin_loss(
    input: Array, target: Array, p: int = 1, margin: Any = 1, weight: Array | None = None, reduction: str = "mean"
) -> Any:
    """Return ``sum(max(0, margin - x[y] + x[i]) ** p) / C`` over the classes i other than the label y, by its weight.

    Args:
        input: (N, C).
        target: labels, (N).
        weight: (C).

    Raises:
        ValueError: a p other than 1 and 2, shapes or labels that do not fit, another reduction.
        TypeError: labels that are no integers, a margin that is no number.

    Examples:
        >>> print(ops.multi_margin_loss(Tensor([[0.25, 0.75]]), Tensor([0])))
        0.75

    Source: ``mindspore.ops.multi_margin_loss``.
    """
    name = "MultiMarginLoss"
    check_reduction(name, reduction)
    if p not in (1, 2) or isinstance(p, bool):
        fail(ValueError, name, "'p'", "be 1 or 2", describe(p))
    if input.ndim != 2 or target.shape != input.shape[:1]:
        got = f"shapes {list(input.shape)} and {list(target.shape)}"
        fail(ValueError, name, "'input' and 'target'", "be (N, C) and (N)", got)
    if target.dtype.kind not in "iu":
        fail(TypeError, name, "dtype of 'target'", "be an integer type", str(target.dtype))
    classes, labels = input.shape[1], target._a.astype(np.int64)
    if labels.size and not (labels.min() >= 0 and labels.max() < classes):
        fail(ValueError, name, "'target'", f"be in [0, {classes})", f"{labels.min()} to {labels.max()}")
    if weight is not None and weight.shape != (classes,):
        fail(ValueError, name, "shape of 'weight'", f"be [{classes}]", str(list(weight.shape)))
    own = np.arange(classes) == labels[:, None]
    own_score = sum_(input * from_array(own.astype(input._kind)), 1, True)
    gap = maximum(input - own_score + _margin(name, margin), 0) * from_array((~own).astype(input._kind))
    loss = sum_(gap if p == 1 else gap * gap, 1) * (1 / classes)
    return reduced(name, loss if weight is None else loss * index_select(weight, 0, from_array(labels)), reduction)


def _multilabel(name: str, input: Any, target: Any, reduction: str) -> tuple[Any, Any]:
    check_reduction(name, reduction)
    if input.ndim not in (1, 2) or input.shape != target.shape:
        got = f"shapes {list(input.shape)} and {list(target.shape)}"
        fail(ValueError, name, "'input' and 'target'", "be (C) or (N, C), the same ones", got)
    labels = np.atleast_2d(target._a)
    if labels.dtype.kind not in "iu":
        fail(TypeError, name, "dtype of 'target'", "be an integer type", str(target.dtype))
    classes = input.shape[-1]
    if labels.size and not (labels.min() >= -1 and labels.max() < classes):
        fail(ValueError, name, "'target'", f"be in [-1, {classes})", f"{labels.min()} to {labels.max()}")
    listed = np.cumprod(labels >= 0, axis=1).astype(bool)  # a label counts up to the first -1
    hit = np.zeros(labels.shape, bool)
    for row, (given, use) in enumerate(zip(labels, listed)):
        hit[row, given[use]] = True
    x = input if input.ndim == 2 else unsqueeze(input, 0)
    pair = from_array((hit[:, :, None] & ~hit[:, None, :]).astype(x._kind))  # (label, other)
    gaps = maximum(1 - (unsqueeze(x, 2) - unsqueeze(x, 1)), 0) * pair
    loss = sum_(gaps, (1, 2)) * (1 / classes)
    loss = reduced(name, loss if input.ndim == 2 else reshape(loss, ()), reduction)
    return loss, from_array(hit.reshape(target.shape).astype(target._kind))


@composite(ops="multilabel_margin_loss(input, target, reduction='mean')")
def multilabel_margin_loss(input: Array, target: Array, reduction: str = "mean") -> Any:
    """Return ``sum(max(0, 1 - x[y] + x[i])) / C`` over the labels y and the classes i that are none.

    Args:
        input: (C) or (N, C).
        target: labels, in the same shape: those up to the first -1 count.

    Raises:
        ValueError: shapes or labels that do not fit, another reduction.
        TypeError: labels that are no integers.

    Examples:
        >>> print(ops.multilabel_margin_loss(Tensor([0.25, 0.5, 0.0]), Tensor([1, -1, 0])))
        0.4166667

    Source: ``mindspore.ops.multilabel_margin_loss``.
    """
    return _multilabel("MultilabelMarginLoss", input, target, reduction)[0]


@composite(primitive="MultilabelMarginLoss(reduction='mean')(x, target)")
def multilabel_margin_all(input: Array, target: Array, reduction: str = "mean") -> Any:
    """Return `multilabel_margin_loss`, and 1 where a class is a label, else 0.

    Examples:
        >>> print(ops.MultilabelMarginLoss()(Tensor([0.25, 0.5, 0.0]), Tensor([1, -1, 0]))[1])
        [0 1 0]

    Source: ``mindspore.ops.MultilabelMarginLoss``.
    """
    return _multilabel("MultilabelMarginLoss", input, target, reduction)


@composite(ops="multilabel_soft_margin_loss(input, target, weight=None, reduction='mean')")
def multilabel_soft_margin_loss(
    input: Array, target: Array, weight: Array | None = None, reduction: str = "mean"
) -> Any:
    """Return the mean over the classes of ``-(y log s(x) + (1 - y) log s(-x))``, s the sigmoid.

    Args:
        input, target: (N, C).
        weight: (C).

    Raises:
        ValueError: shapes that differ, another reduction.

    Examples:
        >>> print(ops.multilabel_soft_margin_loss(Tensor([[0.0, 0.0]]), Tensor([[1.0, 0.0]])))
        0.6931472

    Source: ``mindspore.ops.multilabel_soft_margin_loss``.
    """
    name = "multilabel_soft_margin_loss"
    check_reduction(name, reduction)
    if input.shape != target.shape or input.ndim < 1:
        got = f"{list(input.shape)} and {list(target.shape)}"
        fail(ValueError, name, "shapes of 'input' and 'target'", "be equal", got)
    loss = (target * logsigmoid(input) + (1 - target) * logsigmoid(input * -1)) * -1
    return reduced(name, mean(loss if weight is None else loss * weight, -1), reduction)


@composite(
    ops="gaussian_nll_loss(x, target, var, full=False, eps=1e-6, reduction='mean')",
)
def gaussian_nll_loss(
    input: Array, target: Array, var: Array, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Any:
    """Return ``(log(v) + (x - target)**2 / v) / 2``, v the variance, `eps` at least.

    Args:
        var: in the shape of x, without its last dimension, or one that is broadcast.
        full: add ``log(2 pi) / 2``.

    Raises:
        ValueError: an eps that is not above 0, shapes that do not fit, another reduction.
        TypeError: an eps that is no number.

    Examples:
        >>> print(ops.gaussian_nll_loss(Tensor([[2.0]]), Tensor([[0.0]]), Tensor([[1.0]])))
        2.0

    Source: ``mindspore.ops.gaussian_nll_loss``.
    """
    name = "gaussian_nll_loss"
    check_reduction(name, reduction)
    if isinstance(eps, bool) or not isinstance(eps, (int, float)):
        fail(TypeError, name, "'eps'", "be a float", describe(eps))
    if not eps > 0:
        fail(ValueError, name, "'eps'", "be above 0", describe(eps))
    if var.shape != input.shape and var.shape == input.shape[:-1]:
        var = unsqueeze(var, -1)
    held = maximum(var, eps)
    d = input - target
    loss = (log(held) + d * d / held) * 0.5
    return reduced(name, loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction)


@composite(primitive="SigmoidCrossEntropyWithLogits()(logits, label)", rename={"label": "target"})
def sigmoid_cross_entropy(input: Array, target: Array) -> Any:
    """Return ``-(y log s(x) + (1 - y) log(1 - s(x)))`` element by element, s the sigmoid.

    Raises:
        ValueError: shapes that differ.

    Examples:
        >>> print(ops.SigmoidCrossEntropyWithLogits()(Tensor([0.0]), Tensor([1.0])))
        [0.6931472]

    Source: ``mindspore.ops.SigmoidCrossEntropyWithLogits``.
    """
    if input.shape != target.shape:
        got = f"{list(input.shape)} and {list(target.shape)}"
        fail(ValueError, "SigmoidCrossEntropyWithLogits", "shapes of 'logits' and 'label'", "be equal", got)
    return softplus_plain(input * -1) + (1 - target) * input


@composite(primitive="SparseSoftmaxCrossEntropyWithLogits(is_grad=False)(logits, labels)", rename={"labels": "target"})
def sparse_softmax_cross_entropy(input: Array, target: Array, is_grad: bool = False) -> Any:
    """Return the mean cross entropy of (N, C) logits with labels, or with `is_grad` its gradient.

    Raises:
        ValueError: shapes or labels that do not fit.
        TypeError: labels that are no integers.

    Examples:
        >>> print(ops.SparseSoftmaxCrossEntropyWithLogits()(Tensor([[0.0, 0.0]]), Tensor([1])))
        0.6931472

    Source: ``mindspore.ops.SparseSoftmaxCrossEntropyWithLogits``.
    """
    loss = cross_entropy(input, target)
    if not is_grad:
        return loss
    hit = cast_np(one_hot(target, input.shape[1]), input._kind)
    return (exp(log_softmax(input, 1)) - hit) * (1 / input.shape[0])


@composite(
    primitive="NLLLoss(reduction='mean', ignore_index=-100)(logits, labels, weight)", rename={"labels": "target"}
)
def nll_loss_all(input: Array, target: Array, weight: Array, reduction: str = "mean", ignore_index: int = -100) -> Any:
    """Return `nll_loss`, and the sum of the weights of the labels.

    Raises:
        ValueError: shapes or labels that do not fit, another reduction.

    Examples:
        >>> print(*ops.NLLLoss()(Tensor([[-1.0, -2.0]]), Tensor([1]), Tensor([1.0, 3.0])))
        2.0 3.0

    Source: ``mindspore.ops.NLLLoss``.
    """
    loss = nll_loss(input, target, weight, ignore_index, reduction)
    return loss, label_weights(weight, target, ignore_index)


@op(
    shape=lambda _weight, _target, _ignore: (),
    dtype=lambda weight, *_rest: weight,
    nondiff="2.6 treats the sum of the weights as a constant",
    ascend="step",
    primitive="LabelWeights(ignore_index=-100)(weight, target)",
    rename={"weight": "input"},
)
def label_weights(input: Array, target: Array, ignore_index: int = -100) -> Any:
    """Return the sum of the weights (C,) of the labels that count.

    Examples:
        >>> print(ops.LabelWeights()(Tensor([1.0, 3.0]), Tensor([1, 0, -100])))
        4.0

    Source: the second result of ``mindspore.ops.NLLLoss``.
    """
    labels = target.reshape(-1)
    return np.asarray(input[labels[labels != ignore_index]].astype(np.float64).sum()).astype(input.dtype)
