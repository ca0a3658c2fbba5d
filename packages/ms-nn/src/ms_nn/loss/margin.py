"""Losses of distances and margins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ms_kernels import Tensor
from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail
from ms_nn import _check
from ms_nn.loss.base import LossBase

__all__ = [
    "CosineEmbeddingLoss",
    "HingeEmbeddingLoss",
    "MarginRankingLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "MultilabelMarginLoss",
    "SoftMarginLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]


def _number(name: str, arg: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        fail(TypeError, name, f"type of '{arg}'", "be float", f"type '{type(value).__name__}'")
    return float(value)


class CosineEmbeddingLoss(LossBase):
    """1 - cos(a, b) where the label is 1, max(0, cos(a, b) - margin) where it is -1
    (``mindspore.nn.CosineEmbeddingLoss``).

    Args:
        margin: in [-1, 1].
        reduction: "mean", "sum" or "none".

    Shapes: a and b (N, ...), labels (N, ...) without dimension 1.

    >>> from ms_kernels import Tensor
    >>> a, b = Tensor([[1.0, 0.0]]), Tensor([[0.0, 1.0]])
    >>> print(CosineEmbeddingLoss()(a, b, Tensor([1.0])))
    1.0
    """

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = _check.within("CosineEmbeddingLoss", "margin", margin, -1, 1)

    def construct(self, logits_x1: Any, logits_x2: Any, labels: Any) -> Any:
        """The loss."""
        self._check_same_shape(logits_x1=logits_x1, logits_x2=logits_x2)
        self._check_tensors(labels=labels)
        both = F.sum(logits_x1 * logits_x2, 1)
        sizes = F.sum(F.square(logits_x1), 1) * F.sum(F.square(logits_x2), 1)
        cosine = both / F.sqrt(sizes + 1e-12)
        far = F.relu(cosine - self.margin)
        return self.get_loss(F.where(labels == 1, 1 - cosine, 0.0) + F.where(labels == -1, far, 0.0))


class SoftMarginLoss(LossBase):
    """log(1 + exp(-labels logits)) for labels 1 and -1 (``mindspore.nn.SoftMarginLoss``).

    >>> from ms_kernels import Tensor
    >>> print(SoftMarginLoss()(Tensor([0.0]), Tensor([1.0])).asnumpy().round(4))
    0.6931
    """

    def construct(self, logits: Any, labels: Any) -> Any:
        """The loss."""
        self._check_same_shape(logits=logits, labels=labels)
        side = logits * labels
        return self.get_loss(F.relu(-side) + F.log1p(F.exp(-F.abs(side))))


class HingeEmbeddingLoss(LossBase):
    """logits where the label is 1, max(0, margin - logits) where it is -1 (``mindspore.nn.HingeEmbeddingLoss``).

    >>> from ms_kernels import Tensor
    >>> print(HingeEmbeddingLoss(reduction="none")(Tensor([0.25, 0.25]), Tensor([1.0, -1.0])))
    [0.25 0.75]
    """

    def __init__(self, margin: float = 1.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = _number("HingeEmbeddingLoss", "margin", margin)

    def construct(self, logits: Any, labels: Any) -> Any:
        """The loss."""
        self._check_tensors(logits=logits, labels=labels)
        near = F.where(labels != -1, logits, 0.0)
        return self.get_loss(near + F.where(labels != 1, F.relu(self.margin - logits), 0.0))


class MarginRankingLoss(LossBase):
    """max(0, -target (input1 - input2) + margin) (``mindspore.nn.MarginRankingLoss``).

    >>> from ms_kernels import Tensor
    >>> print(MarginRankingLoss()(Tensor([1.0]), Tensor([3.0]), Tensor([1.0])))
    2.0
    """

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = _number("MarginRankingLoss", "margin", margin)

    def construct(self, input1: Any, input2: Any, target: Any) -> Any:
        """The loss."""
        self._check_same_shape(input1=input1, input2=input2, target=target)
        return self.get_loss(F.relu(-target * (input1 - input2) + self.margin))


class TripletMarginWithDistanceLoss(LossBase):
    """max(0, d(x, positive) - d(x, negative) + margin) (``mindspore.nn.TripletMarginWithDistanceLoss``).

    Args:
        distance_function: d of two Tensors; the Euclidean one if None.
        swap: take d(positive, negative) in place of d(x, negative) where it is less.
        reduction: "mean", "sum" or "none".
        margin: above 0.

    >>> from ms_kernels import Tensor
    >>> near, far = Tensor([[0.0, 1.0]]), Tensor([[0.0, 3.0]])
    >>> print(TripletMarginWithDistanceLoss()(near, near, far).asnumpy().round(4))
    0.0
    """

    def __init__(
        self,
        distance_function: Callable[[Any, Any], Any] | None = None,
        swap: bool = False,
        reduction: str = "mean",
        margin: float = 1.0,
    ) -> None:
        super().__init__(reduction)
        self.margin = _check.real(type(self).__name__, "margin", margin, above=0)
        self.swap = _check.boolean(type(self).__name__, "swap", swap)
        self.distance_function = distance_function or self._distance

    def _distance(self, a: Any, b: Any) -> Any:
        return F.sqrt(F.sum(F.square(a - b + 1e-6), -1))

    def construct(self, x: Any, positive: Any, negative: Any) -> Any:
        """The loss."""
        self._check_tensors(x=x, positive=positive, negative=negative)
        return self._of(x, positive, negative, self.margin)

    def _of(self, x: Any, positive: Any, negative: Any, margin: Any) -> Any:
        near, far = self.distance_function(x, positive), self.distance_function(x, negative)
        if self.swap:
            far = F.minimum(far, self.distance_function(positive, negative))
        return self.get_loss(F.relu(near - far + margin))


class TripletMarginLoss(TripletMarginWithDistanceLoss):
    """`TripletMarginWithDistanceLoss` with the p-norm of the difference (``mindspore.nn.TripletMarginLoss``).

    Args:
        p: of the norm.
        swap, reduction, margin: as there.
        eps: added to the difference.

    >>> from ms_kernels import Tensor
    >>> near, far = Tensor([[0.0, 1.0]]), Tensor([[0.0, 1.5]])
    >>> print(TripletMarginLoss()(near, near, far, 1.0).asnumpy().round(3))
    0.5
    """

    def __init__(
        self, p: int = 2, swap: bool = False, eps: float = 1e-6, reduction: str = "mean", margin: float = 1.0
    ) -> None:
        super().__init__(None, swap, reduction, margin)
        self.p, self.eps = p, eps

    def _distance(self, a: Any, b: Any) -> Any:
        return F.sum(F.abs(a - b + self.eps) ** self.p, -1) ** (1 / self.p)

    def construct(self, x: Any, positive: Any, negative: Any, margin: Any = None) -> Any:
        """The loss; a margin given here goes before the one of the cell."""
        self._check_tensors(x=x, positive=positive, negative=negative)
        return self._of(x, positive, negative, self.margin if margin is None else margin)


class MultiLabelSoftMarginLoss(LossBase):
    """The mean over the classes of the binary cross entropy of the sigmoid (``mindspore.nn.MultiLabelSoftMarginLoss``).

    Args:
        weight: a Tensor with a weight per class.
        reduction: "mean", "sum" or "none".

    >>> from ms_kernels import Tensor
    >>> print(MultiLabelSoftMarginLoss()(Tensor([[0.0, 0.0]]), Tensor([[1.0, 0.0]])).asnumpy().round(4))
    0.6931
    """

    def __init__(self, weight: Any = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight = weight

    def construct(self, x: Any, target: Any) -> Any:
        """The loss."""
        self._check_same_shape(x=x, target=target)
        loss = (1 - target) * x + F.relu(-x) + F.log1p(F.exp(-F.abs(x)))
        if self.weight is not None:
            loss = loss * self.weight
        return self.get_loss(F.mean(loss, -1))


class MultiMarginLoss(LossBase):
    """The sum of max(0, margin - x[target] + x[i])^p over the other classes, divided by their number
    (``mindspore.nn.MultiMarginLoss``).

    Args:
        p: 1 or 2.
        margin: of the target over the others.
        reduction: "mean", "sum" or "none".
        weight: a Tensor with a weight per class.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> print(MultiMarginLoss()(Tensor(np.array([[1.0, 1.0]], np.float32)), Tensor(np.array([0]))))
    0.5
    """

    def __init__(self, p: int = 1, margin: float = 1.0, reduction: str = "mean", weight: Any = None) -> None:
        super().__init__(reduction)
        self.p = _check.choice("MultiMarginLoss", "p", p, (1, 2))
        self.margin = _number("MultiMarginLoss", "margin", margin)
        self.weight = weight

    def construct(self, x: Any, target: Any, weight: Any = None) -> Any:
        """The loss; a weight given here goes before the one of the cell."""
        self._check_tensors(x=x, target=target)
        if x.ndim != 2 or target.shape != (x.shape[0],):
            fail(ValueError, "MultiMarginLoss", "shape of 'target'", f"be [{x.shape[0]}]", str(list(target.shape)))
        hot = F.one_hot(target, x.shape[1], Tensor(1.0, x.dtype), Tensor(0.0, x.dtype))
        own = F.sum(x * hot, 1, keepdim=True)
        gap = F.relu(self.margin - own + x) ** self.p * (1 - hot)
        weight = self.weight if weight is None else weight
        if weight is not None:
            gap = gap * F.sum(weight * hot, 1, keepdim=True)
        return self.get_loss(F.sum(gap, 1) / x.shape[1])


class MultilabelMarginLoss(LossBase):
    """The sum of max(0, 1 - x[target] + x[i]) over the targets and the other classes, divided by the number of classes
    (``mindspore.nn.MultilabelMarginLoss``); targets are the class numbers before the first negative one.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> print(MultilabelMarginLoss()(Tensor([[1.0, 1.0]]), Tensor(np.array([[0, -1]], np.int32))))
    0.5
    """

    def construct(self, x: Any, target: Any) -> Any:
        """The loss."""
        self._check_same_shape(x=x, target=target)
        classes = x.shape[-1]
        rows, wanted = x.reshape((-1, classes)), target.reshape((-1, classes))
        valid = F.cumsum((wanted < 0).astype(x.dtype), 1) == 0
        numbers = F.where(valid, wanted, 0)
        hot = F.one_hot(numbers, classes, Tensor(1.0, x.dtype), Tensor(0.0, x.dtype)) * valid.expand_dims(-1).astype(
            x.dtype
        )
        others = 1 - F.minimum(F.sum(hot, 1), 1.0)
        own = F.sum(hot * rows.expand_dims(1), 2)
        gap = F.relu(1 - own.expand_dims(2) + rows.expand_dims(1)) * others.expand_dims(1)
        loss = F.sum(gap * valid.expand_dims(-1).astype(x.dtype), (1, 2)) / classes
        return self.get_loss(loss.reshape(x.shape[:-1]))
