"""Losses of sequences and of very many classes: CTCLoss, SampledSoftmaxLoss."""

from __future__ import annotations

from typing import Any

import ms_dtype as mstype
from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail
from ms_nn import _check
from ms_nn.loss.base import LossBase

__all__ = ["CTCLoss", "SampledSoftmaxLoss"]


class CTCLoss(LossBase):
    """Connectionist temporal classification: how well a sequence of scores reads as labels (``mindspore.nn.CTCLoss``).

    Args:
        blank: the class that stands for no label.
        reduction: "mean", of each loss divided by its number of labels; "sum" or "none".
        zero_infinity: losses of labels that do not fit count as 0.

    The call takes log probabilities (T, N, C), labels (N, S) or all in one row, and the lengths of both.

    Raises:
        TypeError, ValueError: (in the call) an argument of the wrong type or out of range.

    >>> import numpy as np
    >>> import ms_dtype as mstype
    >>> from ms_kernels import Tensor
    >>> scores = Tensor(np.log(np.full((2, 1, 3), 1 / 3, np.float32)))
    >>> one, two = Tensor([1], mstype.int32), Tensor([2], mstype.int32)
    >>> print(CTCLoss()(scores, Tensor([[1]], mstype.int32), two, one).asnumpy().round(4))  # 3 of 9 paths
    1.0986
    """

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__()
        self.blank, self.reduction, self.zero_infinity = blank, reduction, zero_infinity

    def construct(self, log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any) -> Any:
        """The loss."""
        settings = (self.blank, self.reduction, self.zero_infinity)
        return F.ctc_loss(log_probs, targets, input_lengths, target_lengths, *settings)[0]


class SampledSoftmaxLoss(LossBase):
    """Softmax cross entropy against a few drawn classes in place of all (``mindspore.nn.SampledSoftmaxLoss``).

    Args:
        num_sampled: how many classes are drawn.
        num_classes: how many there are.
        num_true: true classes per sample.
        sampled_values: (classes, expected counts of the true ones, expected counts of those) in place of drawing.
        remove_accidental_hits: drawn classes that are true do not count.
        seed: of the drawing; 0 for a new one.
        reduction: as 2.6 has it, without effect: there is one loss per sample.

    The call takes `weights` (num_classes, d), `biases` (num_classes,), `labels` (N,) or (N, num_true) and `logits`
    (N, d), the inputs of the last layer.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.

    >>> import numpy as np
    >>> import ms_dtype as mstype
    >>> from ms_kernels import Tensor
    >>> drawn = (Tensor([2], mstype.int32), Tensor([[1.0]]), Tensor([1.0]))
    >>> loss = SampledSoftmaxLoss(1, 3, sampled_values=drawn)
    >>> zeros = Tensor(np.zeros((3, 4), np.float32))
    >>> print(loss(zeros, Tensor(np.zeros(3, np.float32)), Tensor([0, 1, 1]), zeros).asnumpy().round(4))
    [0.6931 0.6931 0.6931]
    """

    def __init__(
        self,
        num_sampled: int,
        num_classes: int,
        num_true: int = 1,
        sampled_values: Any = None,
        remove_accidental_hits: bool = True,
        seed: int = 0,
        reduction: str = "none",
    ) -> None:
        super().__init__(reduction)
        name = "SampledSoftmaxLoss"
        self.num_sampled = _check.integer(name, "num_sampled", num_sampled)
        self.num_classes = _check.integer(name, "num_classes", num_classes)
        self.num_true = _check.integer(name, "num_true", num_true)
        for arg, value in (("num_true", num_true), ("num_sampled", num_sampled)):
            if value > num_classes:
                fail(ValueError, name, f"'{arg}'", f"be at most 'num_classes', {num_classes}", str(value))
        if sampled_values is not None:
            _check.instance(name, "sampled_values", sampled_values, (list, tuple), "a list or tuple")
            if len(sampled_values) != 3:
                fail(ValueError, name, "length of 'sampled_values'", "be 3", str(len(sampled_values)))
        self.sampled_values = sampled_values
        self.remove_accidental_hits = remove_accidental_hits
        self.seed = seed

    def construct(self, weights: Any, biases: Any, labels: Any, logits: Any) -> Any:
        """One loss for each sample."""
        labels = F.reshape(labels, (-1, self.num_true)).astype(mstype.int32)
        if self.sampled_values is None:
            drawn = F.log_uniform_candidate_sampler(
                labels, self.num_true, self.num_sampled, True, self.num_classes, self.seed
            )
        else:
            drawn = self.sampled_values
        classes, true_counts, counts = drawn
        classes = classes.astype(mstype.int32)
        inputs = F.expand_dims(logits, 1)
        true = F.sum(F.gather(weights, labels, 0) * inputs, -1) + F.gather(biases, labels, 0) - F.log(true_counts)
        other = F.matmul(logits, F.swapaxes(F.gather(weights, classes, 0), 0, 1)) + F.gather(biases, classes, 0)
        if self.remove_accidental_hits:
            hit = F.sum((F.expand_dims(labels, -1) == classes).astype(logits.dtype), 1)
            other = other - hit * 3.4e38
        scores = F.cat((true, other - F.log(counts)), 1)
        goal = F.cat((F.full_like(true, 1.0 / self.num_true), F.zeros_like(other)), 1)
        return -F.sum(goal * F.log_softmax(scores, -1), -1)
