"""Losses of predicted classes and probabilities."""

from __future__ import annotations

from typing import Any

import ms_dtype as mstype
from ms_kernels import Tensor
from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail
from ms_nn import _check
from ms_nn._calls import is_recording, placed
from ms_nn.layers.activation import LogSoftmax, get_activation
from ms_nn.loss.base import LossBase

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CrossEntropyLoss",
    "DiceLoss",
    "FocalLoss",
    "KLDivLoss",
    "MultiClassDiceLoss",
    "NLLLoss",
    "SoftmaxCrossEntropyWithLogits",
]


def _weight(name: str, value: Any, arg: str = "weight") -> Any:
    if value is not None and not isinstance(value, Tensor):
        fail(TypeError, name, f"'{arg}'", "be a Tensor or None", type(value).__name__)
    return value


class CrossEntropyLoss(LossBase):
    """Softmax and negative log likelihood in one (``mindspore.nn.CrossEntropyLoss``).

    Args:
        weight: a weight per class; the mean is then weighted.
        ignore_index: targets with this number count for nothing.
        reduction: "mean", "sum" or "none".
        label_smoothing: this part of each target is spread over all classes; in [0, 1].

    Shapes: logits (C,), (N, C) or (N, C, ...); labels int32 of class numbers (), (N,) or (N, ...), or
    probabilities of the shape of logits.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> logits, labels = Tensor(np.zeros((2, 4), np.float32)), Tensor(np.array([1, 3], np.int32))
    >>> print(CrossEntropyLoss()(logits, labels).asnumpy().round(4))
    1.3863
    """

    def __init__(
        self, weight: Any = None, ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0
    ) -> None:
        super().__init__(reduction)
        self.weight = _weight("CrossEntropyLoss", weight)
        self.ignore_index = _check.integer("CrossEntropyLoss", "ignore_index", ignore_index, least=-(2**63))
        self.label_smoothing = _check.within("CrossEntropyLoss", "label_smoothing", label_smoothing, 0, 1)

    def construct(self, logits: Any, labels: Any) -> Any:
        """The loss."""
        self._check_tensors(logits=logits, labels=labels)
        return F.cross_entropy(logits, labels, self.weight, self.ignore_index, self.reduction, self.label_smoothing)


class SoftmaxCrossEntropyWithLogits(LossBase):
    """Cross entropy of the softmax of the logits (``mindspore.nn.SoftmaxCrossEntropyWithLogits``).

    Args:
        sparse: labels are class numbers (N,), not probabilities (N, C).
        reduction: "mean", "sum" or "none".

    Raises:
        TypeError: `sparse` is no bool, or an input no Tensor.
        ValueError: another reduction, or shapes that do not fit.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> logits, labels = Tensor(np.zeros((1, 4), np.float32)), Tensor(np.array([2], np.int32))
    >>> print(SoftmaxCrossEntropyWithLogits(sparse=True)(logits, labels).asnumpy().round(4))
    [1.3863]
    """

    def __init__(self, sparse: bool = False, reduction: str = "none") -> None:
        super().__init__(reduction)
        self.sparse = _check.boolean("SoftmaxCrossEntropyWithLogits", "sparse", sparse)

    def construct(self, logits: Any, labels: Any) -> Any:
        """The loss."""
        if self.sparse:
            self._check_tensors(logits=logits, labels=labels)
            if labels.dtype != mstype.int32:
                labels = labels.astype(mstype.int32)
            return F.cross_entropy(logits, labels, None, -100, self.reduction, 0.0)
        self._check_same_shape(logits=logits, labels=labels)
        loss = -F.sum(labels * F.log_softmax(logits, -1), -1)
        if logits._tape is not None and is_recording():
            loss = placed(_SoftmaxMinusLabels(logits, labels), [logits], loss)
        return self.get_loss(loss)


class _SoftmaxMinusLabels:
    """2.6's gradient of the softmax cross entropy: that of labels that sum to 1, whatever they sum to."""

    def __init__(self, logits: Any, labels: Any) -> None:
        self.logits, self.labels = logits, labels

    def backward(self, _node: Any, given: Any) -> list[Any]:
        """The gradient of the logits."""
        (g,) = given
        return [(F.softmax(self.logits, -1) - self.labels) * g.expand_dims(-1)]


class NLLLoss(LossBase):
    """Minus the logits at the labels (``mindspore.nn.NLLLoss``); the logits are logarithms of probabilities.

    Args and shapes: as `CrossEntropyLoss`, without probabilities as labels.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> print(NLLLoss()(Tensor(np.array([[-1.0, -2.0]], np.float32)), Tensor(np.array([1], np.int32))))
    2.0
    """

    def __init__(self, weight: Any = None, ignore_index: int = -100, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight = _weight("NLLLoss", weight)
        self.ignore_index = _check.integer("NLLLoss", "ignore_index", ignore_index, least=-(2**63))

    def construct(self, logits: Any, labels: Any) -> Any:
        """The loss."""
        self._check_tensors(logits=logits, labels=labels)
        return F.nll_loss(logits, labels, self.weight, self.ignore_index, self.reduction)


class BCELoss(LossBase):
    """-(y log p + (1 - y) log(1 - p)) of probabilities (``mindspore.nn.BCELoss``).

    Args:
        weight: a Tensor that is multiplied with each element's loss.
        reduction: "mean", "sum" or "none".

    Raises:
        TypeError, ValueError: an input of the wrong type, or other shapes.

    >>> from ms_kernels import Tensor
    >>> print(BCELoss()(Tensor([0.5, 0.5]), Tensor([1.0, 0.0])).asnumpy().round(4))
    0.6931
    """

    def __init__(self, weight: Any = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight = _weight("BCELoss", weight)

    def construct(self, logits: Any, labels: Any) -> Any:
        """The loss."""
        self._check_same_shape(logits=logits, labels=labels)
        tiny = 1e-12
        loss = -(labels * F.log(logits + tiny) + (1 - labels) * F.log(1 - logits + tiny))
        return self.get_loss(loss, 1.0 if self.weight is None else self.weight)


class BCEWithLogitsLoss(LossBase):
    """`BCELoss` of the sigmoid of the logits, computed without overflow (``mindspore.nn.BCEWithLogitsLoss``).

    Args:
        reduction: "mean", "sum" or "none".
        weight: a Tensor that is multiplied with each element's loss.
        pos_weight: a Tensor that is multiplied with the positive part alone.

    >>> from ms_kernels import Tensor
    >>> print(BCEWithLogitsLoss()(Tensor([0.0, 0.0]), Tensor([1.0, 0.0])).asnumpy().round(4))
    0.6931
    """

    def __init__(self, reduction: str = "mean", weight: Any = None, pos_weight: Any = None) -> None:
        super().__init__(reduction)
        self.weight = _weight("BCEWithLogitsLoss", weight)
        self.pos_weight = _weight("BCEWithLogitsLoss", pos_weight, "pos_weight")

    def construct(self, input: Any, target: Any) -> Any:
        """The loss."""
        self._check_same_shape(logits=input, labels=target)
        softplus = F.relu(-input) + F.log1p(F.exp(-F.abs(input)))  # log(1 + exp(-input))
        if self.pos_weight is not None:
            softplus = softplus * (1 + (self.pos_weight - 1) * target)
        return self.get_loss((1 - target) * input + softplus, 1.0 if self.weight is None else self.weight)


class KLDivLoss(LossBase):
    """labels (log labels - logits), the logits being logarithms of probabilities (``mindspore.nn.KLDivLoss``).

    Args:
        reduction: "mean", "sum", "none", or "batchmean": the sum divided by the batch size.

    >>> from ms_kernels import Tensor
    >>> print(KLDivLoss("sum")(Tensor([0.0, 0.0]), Tensor([1.0, 1.0])))
    0.0
    """

    _reductions = ("mean", "sum", "none", "batchmean")

    def construct(self, logits: Any, labels: Any) -> Any:
        """The loss."""
        self._check_same_shape(logits=logits, labels=labels)
        positive = labels > 0
        log = F.log(F.where(positive, labels, 1.0))  # 0 log 0 counts as 0
        loss = self.get_loss(F.where(positive, labels * (log - logits), 0.0))
        return loss / logits.shape[0] if self.reduction == "batchmean" else loss


class FocalLoss(LossBase):
    """-(1 - p)^gamma log p of the probability p of the target (``mindspore.nn.FocalLoss``).

    Args:
        weight: a weight per class.
        gamma: how much less sure targets count.
        reduction: "mean" or "sum" over the samples, or "none".

    Shapes: logits (N, C, ...), labels (N, C, ...) of 0 and 1, or int32 (N, 1, ...) of class numbers.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> logits, labels = Tensor(np.zeros((1, 2, 1), np.float32)), Tensor(np.array([[[1]]], np.int32))
    >>> print(FocalLoss(gamma=1.0)(logits, labels).asnumpy().round(4))
    0.3466
    """

    def __init__(self, weight: Any = None, gamma: float = 2.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.gamma = gamma
        self.weight = _weight("FocalLoss", weight)
        self.logsoftmax = LogSoftmax(1)

    def construct(self, logits: Any, labels: Any) -> Any:
        """The loss."""
        self._check_tensors(logits=logits, labels=labels)
        if logits.ndim != labels.ndim:
            fail(
                ValueError,
                "FocalLoss",
                "dimension of 'labels'",
                f"be that of 'logits', {logits.ndim}",
                str(labels.ndim),
            )
        classes = logits.shape[1]
        rows = logits.reshape((logits.shape[0], classes, -1))
        target = labels.reshape((labels.shape[0], labels.shape[1], -1))
        if labels.shape[1] == 1:
            one, zero = Tensor(1.0, rows.dtype), Tensor(0.0, rows.dtype)
            target = F.one_hot(target.squeeze(1), classes, one, zero).swapaxes(1, 2)
        log_p = self.logsoftmax(rows)
        at_target = F.sum(log_p * target, 1)
        loss = -((1 - F.exp(at_target)) ** self.gamma) * at_target
        if self.weight is not None:
            loss = loss * F.sum(self.weight.reshape((1, classes, 1)) * target, 1)
        return self.get_loss(F.mean(loss, -1))


class DiceLoss(LossBase):
    """1 - 2 |x y| / (|x|^2 + |y|^2 + smooth) (``mindspore.nn.DiceLoss``).

    >>> from ms_kernels import Tensor
    >>> print(DiceLoss()(Tensor([[1.0, 0.0]]), Tensor([[1.0, 0.0]])).asnumpy().round(4) + 0)
    0.0
    """

    def __init__(self, smooth: float = 1e-5) -> None:
        super().__init__()
        self.smooth = _check.real("DiceLoss", "smooth", smooth, above=0)

    def construct(self, logits: Any, label: Any) -> Any:
        """The loss."""
        self._check_same_shape(logits=logits, label=label)
        both = F.sum(logits * label)
        sizes = F.sum(F.square(logits)) + F.sum(F.square(label))
        return 1 - 2 * both / (sizes + self.smooth)


class MultiClassDiceLoss(LossBase):
    """The mean of the classes' `DiceLoss` (``mindspore.nn.MultiClassDiceLoss``).

    Args:
        weights: a Tensor with a weight per class.
        ignore_indiex: the class that does not count.
        activation: name of what is applied to the logits first.

    >>> from ms_kernels import Tensor
    >>> x = Tensor([[0.0, 1.0], [1.0, 0.0]])
    >>> print(MultiClassDiceLoss(activation=None)(x, x).asnumpy().round(4) + 0)
    0.0
    """

    def __init__(self, weights: Any = None, ignore_indiex: int | None = None, activation: Any = "softmax") -> None:
        super().__init__()
        self.binarydiceloss = DiceLoss()
        self.weights = _weight("MultiClassDiceLoss", weights, "weights")
        self.ignore_indiex = ignore_indiex
        self.activation = get_activation(activation) if isinstance(activation, str) else activation

    def construct(self, logits: Any, label: Any) -> Any:
        """The loss."""
        self._check_same_shape(logits=logits, label=label)
        classes = label.shape[1]
        if self.weights is not None and self.weights.shape[0] != classes:
            fail(ValueError, "MultiClassDiceLoss", "size of 'weights'", f"be {classes}", str(self.weights.shape[0]))
        if self.activation is not None:
            logits = self.activation(logits)
        total: Any = 0
        for i in range(classes):
            if i != self.ignore_indiex:
                loss = self.binarydiceloss(logits[:, i], label[:, i])
                total = total + (loss if self.weights is None else loss * self.weights[i])
        return total / classes
