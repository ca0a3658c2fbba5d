"""Losses over classes: cross entropy and negative log likelihood."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.core.dispatch import effect, is_recording
from ms_kernels.core.tensor import from_array
from ms_kernels.loops import norm as loops
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import FLOATS, composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._tape import cast_np
from ms_kernels.ops.activation import ONCE
from ms_kernels.ops.compare import not_equal, where
from ms_kernels.ops.elementary import exp
from ms_kernels.ops.index import gather, index_select
from ms_kernels.ops.loss import check_reduction
from ms_kernels.ops.matrices import one_hot
from ms_kernels.ops.reduce import sum_
from ms_kernels.ops.shape import moveaxis, reshape, squeeze, unsqueeze
from ms_kernels.ops.softmax import log_softmax
from ms_kernels.tape.batched import batched_in, constant, known

__all__ = ["cross_entropy", "nll_loss"]

Shape = tuple[int, ...]


def _fused_shape(logits: Shape, labels: Shape, weight: Any, _ignore: int, _smooth: float) -> list[Shape]:
    if len(logits) != 2 or labels != logits[:1]:
        fail(ValueError, "cross_entropy", "shapes", "be (N, C) and (N,)", f"{list(logits)} and {list(labels)}")
    if weight is not None and weight != logits[1:]:
        fail(ValueError, "cross_entropy", "shape of 'weight'", f"be {list(logits[1:])}", str(list(weight)))
    return [labels, logits]


def _fused_vjp(
    g: Any, out: Any, input: Any, labels: Any, weight: Any, ignore_index: int, label_smoothing: float
) -> Any:
    if is_recording():
        back = _class_weights(labels, weight, input.shape[1], ignore_index, label_smoothing, input)
        total = sum_(back, 1, True)
        probability = exp(log_softmax(input, 1))
        return (probability * total - back) * unsqueeze(g[0], 1), None, None
    return cross_entropy_grad(g[0], out[1], labels, weight, ignore_index, label_smoothing), None, None


def _class_weights(labels: Any, weight: Any, classes: int, ignore: int, smooth: float, like: Any) -> Any:
    """What each class's log-probability counts in the loss of each sample, as a constant (N, C)."""
    if batched_in(labels) is not None:
        safe, keep = _kept(labels, ignore, like._kind)
        hit = one_hot(safe, classes, 1 - smooth, 0.0, -1) + smooth / classes
        return constant(cast_np(hit, like._kind) * unsqueeze(keep, 1) * (1 if weight is None else weight))
    places = labels._a
    w = np.ones(classes, np.float64) if weight is None else weight._a.astype(np.float64)
    valid = (places != ignore) & (places >= 0) & (places < classes)
    hit = np.zeros((len(places), classes))
    hit[np.arange(len(places))[valid], places[valid]] = 1 - smooth
    hit[valid] += smooth / classes
    return from_array((hit * w).astype(like._kind))


@op(
    shape=_fused_shape,
    dtype=lambda input, *_rest: (input, input),
    vjp=_fused_vjp,
    ascend="softmax",
    batch="label_rows",
    primitive="SparseCrossEntropy(ignore_index=-100, label_smoothing=0.0)(logits, labels, weight=None)",
    label="cross_entropy",
)
def cross_entropy_rows(
    input: Array, labels: Array, weight: Array | None = None, ignore_index: int = -100, label_smoothing: float = 0.0
) -> Any:
    """Return the cross entropy of each row of logits with its label, times the label's weight, and log-softmax.

    A row whose label is `ignore_index` has loss 0.  Only the logits have a gradient.

    Examples:
        >>> print(ops.SparseCrossEntropy()(Tensor([[0.0, 0.0]]), Tensor([1]))[0])
        [0.6931472]

    Source: ``mindspore.ops.cross_entropy``.
    """
    return loops.cross_entropy(input, labels, weight, ignore_index, label_smoothing)


@op(
    shape=lambda _grad, out, *_rest: out,
    dtype=lambda _grad, out, *_rest: out,
    nondiff=ONCE,
    ascend="softmax",
    batch="label_rows",
    primitive="SparseCrossEntropyGrad(ignore_index=-100, label_smoothing=0.0)(dy, y, labels, weight=None)",
    rename={"dy": "grad", "y": "out"},
)
def cross_entropy_grad(
    grad: Array,
    out: Array,
    labels: Array,
    weight: Array | None = None,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> Any:
    """Return the gradient of `cross_entropy_rows`'s logits from its second result.

    Examples:
        >>> print(ops.SparseCrossEntropyGrad()(Tensor([1.0]), Tensor([[-0.6931472, -0.6931472]]), Tensor([1])))
        [[ 0.5 -0.5]]

    Source: the derivative of the cross entropy.
    """
    return loops.cross_entropy_grad(grad, out, labels, weight, ignore_index, label_smoothing)


def _flat_classes(name: str, input: Any, target: Any) -> tuple[Any, Any, Shape]:
    """Bring (C), (N, C) or (N, C, ...) to (rows, C), and the labels to (rows)."""
    if input.ndim == 1:
        return unsqueeze(input, 0), reshape(target, (1,)), ()
    shape = (input.shape[0], *input.shape[2:])
    if input.ndim < 1 or target.shape != shape:
        fail(ValueError, name, "shape of 'target'", f"be {list(shape)}", str(list(target.shape)))
    rows = input if input.ndim == 2 else reshape(moveaxis(input, 1, -1), (-1, input.shape[1]))
    return rows, reshape(target, (target.size,)), shape


def _check_labels(name: str, labels: Any, classes: int, ignore: int) -> None:
    values = known(labels)
    if values.dtype.kind not in "iu":
        fail(TypeError, name, "dtype of 'target'", "be an integer type", str(labels.dtype))
    bad = values[(values != ignore) & ((values < 0) | (values >= classes))]
    if bad.size:
        fail(ValueError, name, "labels in 'target'", f"be in [0, {classes}) or {ignore}", str(int(bad[0])))


def _kept(labels: Any, ignore: int, kind: Any) -> tuple[Any, Any]:
    """The labels with 0 for those to be ignored, and 0 or 1 of a dtype for whether they count."""
    valid = not_equal(labels, ignore)
    return where(valid, labels, 0), cast_np(valid, kind)


def _over_labels_vjp(g: Any, _out: Any, _input: Any, labels: Any, weight: Any, ignore_index: int) -> Any:
    return over_labels(g, labels, weight, ignore_index), None, None


@op(
    shape=lambda input, *_rest: input,
    dtype=lambda input, *_rest: input,
    vjp=_over_labels_vjp,
    ascend="step",
    primitive="OverLabels(ignore_index=-100)(x, labels, weight=None)",
    rename={"x": "input"},
)
def over_labels(input: Array, labels: Array, weight: Array | None = None, ignore_index: int = -100) -> Any:
    """Return the input divided by how many labels count, or by the sum of their weights; NaN where none counts.

    Examples:
        >>> print(ops.OverLabels()(Tensor(6.0), Tensor([1, 0, -100])))
        3.0

    Source: the mean of ``mindspore.ops.cross_entropy``.
    """
    valid = labels != ignore_index
    total = float(valid.sum() if weight is None else weight[labels[valid]].sum(dtype=np.float64))
    wide = np.float64 if input.dtype.itemsize == 8 else np.float32
    return (input.astype(wide) * wide(1 / total if total else np.nan)).astype(input.dtype)


def _mean_by_weight(rows: Any, labels: Any, weight: Any, ignore: int, reduction: str, shape: Shape) -> Any:
    if reduction == "sum":
        return sum_(rows)
    if reduction == "none":
        return reshape(rows, shape)
    if batched_in(labels) is not None or (weight is not None and batched_in(weight) is not None):
        safe, keep = _kept(labels, ignore, rows._kind)
        return sum_(rows) / sum_(keep if weight is None else keep * index_select(weight, 0, safe))
    return over_labels(sum_(rows), labels, weight, ignore)


@composite(
    ops="cross_entropy(input, target, weight=None, ignore_index=-100, reduction='mean', label_smoothing=0.0)",
    mintf="cross_entropy(input, target, weight=None, ignore_index=-100, reduction='mean', label_smoothing=0.0)",
)
def cross_entropy(
    input: Array,
    target: Array,
    weight: Array | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """Return the cross entropy between logits and labels, or between logits and probabilities of each class.

    Args:
        input: logits, (C), (N, C) or (N, C, ...).
        target: integer labels, () / (N) / (N, ...), or float probabilities of the input's shape.
        weight: (C), what each class counts; the mean is over these weights.
        label_smoothing: the part of each target that is spread over all classes, in [0, 1].

    Raises:
        ValueError: shapes that do not fit, a label out of range, another reduction.
        TypeError: labels that are neither integers nor float probabilities.

    Examples:
        >>> print(ops.cross_entropy(Tensor([[0.0, 0.0], [0.0, 0.0]]), Tensor([1, 0], mstype.int32)))
        0.6931472

    Source: ``mindspore.ops.cross_entropy``.
    """
    name = "cross_entropy"
    check_reduction(name, reduction)
    if not 0 <= label_smoothing <= 1:
        fail(ValueError, name, "'label_smoothing'", "be in [0, 1]", describe(label_smoothing))
    if target.dtype.kind == "f" and target.shape == input.shape:
        return _with_probabilities(input, target, weight, reduction, label_smoothing)
    rows, labels, shape = _flat_classes(name, input, target)
    effect(_check_labels, name, labels, rows.shape[1], ignore_index)
    loss = cross_entropy_rows(rows, labels, weight, ignore_index, label_smoothing)[0]
    return _mean_by_weight(loss, labels, weight, ignore_index, reduction, shape)


def _with_probabilities(input: Any, target: Any, weight: Any, reduction: str, smooth: float) -> Any:
    dim = 0 if input.ndim == 1 else 1
    classes = input.shape[dim]
    if smooth:
        target = target * (1 - smooth) + smooth / classes
    terms = target * log_softmax(input, dim) * -1
    if weight is not None:
        terms = terms * (weight if input.ndim <= 2 else reshape(weight, (classes, *((1,) * (input.ndim - 2)))))
    loss = sum_(terms, dim)
    if reduction == "mean":
        return sum_(loss) * (1 / max(loss.size, 1))
    return loss if reduction == "none" else sum_(loss)


@composite(
    ops="nll_loss(inputs, target, weight=None, ignore_index=-100, reduction='mean', label_smoothing=0.0)",
    mintf="nll_loss(input, target, weight=None, ignore_index=-100, reduction='mean')",
    rename={"inputs": "input"},
)
def nll_loss(
    input: Array,
    target: Array,
    weight: Array | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """Return minus the log-probability of each label, times the label's weight.

    Args:
        input: log-probabilities, (C), (N, C) or (N, C, ...).
        target: integer labels.

    Examples:
        >>> print(ops.nll_loss(Tensor([[-1.0, -2.0]]), Tensor([1], mstype.int32)))
        2.0

    Source: ``mindspore.ops.nll_loss``.
    """
    check_reduction("nll_loss", reduction)
    rows, labels, shape = _flat_classes("nll_loss", input, target)
    classes = rows.shape[1]
    effect(_check_labels, "nll_loss", labels, classes, ignore_index)
    safe, keep = _kept(labels, ignore_index, rows._kind)
    picked = squeeze(gather(rows, 1, unsqueeze(safe, 1)), 1) * -1
    own = keep if weight is None else keep * index_select(weight, 0, safe)
    loss = picked * own
    if label_smoothing:
        spread = sum_(rows if weight is None else rows * weight, 1) * keep * (-label_smoothing / classes)
        loss = loss * (1 - label_smoothing) + spread
    return _mean_by_weight(loss, labels, weight, ignore_index, reduction, shape)


@op(
    shape=lambda logits, labels: (
        [logits[:1], logits]
        if logits == labels
        else fail(
            ValueError,
            "SoftmaxCrossEntropyWithLogits",
            "shapes of 'logits' and 'labels'",
            "be equal",
            f"{list(logits)} and {list(labels)}",
        )
    ),
    dtype=lambda input, _labels: (input, input),
    accepts=FLOATS,
    vjp=lambda g, _out, input, labels: (
        (exp(log_softmax(input, 1)) * sum_(labels, 1, True) - labels) * unsqueeze(g[0], 1),
        lambda: log_softmax(input, 1) * -1 * unsqueeze(g[0], 1),
    ),
    ascend="softmax",
    primitive="SoftmaxCrossEntropyWithLogits()(logits, labels)",
    batch="fold",
    rename={"labels": "labels"},
)
def softmax_cross_entropy(input: Array, labels: Array) -> Any:
    """Return the cross entropy of each row of logits with a row of probabilities, and softmax minus those.

    Only the first result has a gradient.

    Examples:
        >>> print(ops.SoftmaxCrossEntropyWithLogits()(Tensor([[0.0, 0.0]]), Tensor([[1.0, 0.0]]))[0])
        [0.6931472]

    Source: ``mindspore.ops.SoftmaxCrossEntropyWithLogits``.
    """
    logp = loops.log_softmax(input, 1)
    wide = logp.astype(np.float64 if logp.dtype == np.float64 else np.float32)
    loss = -(labels.astype(wide.dtype) * wide).sum(1)
    return loss.astype(input.dtype), (np.exp(wide) - labels.astype(wide.dtype)).astype(input.dtype)
