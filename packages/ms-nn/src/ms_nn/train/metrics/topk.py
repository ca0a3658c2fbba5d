"""Whether the true class is among the k that score highest."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_nn.train.metrics.metric import Metric, rearrange_inputs

__all__ = ["Top1CategoricalAccuracy", "Top5CategoricalAccuracy", "TopKCategoricalAccuracy"]


class TopKCategoricalAccuracy(Metric):
    """The share of samples whose true class is among the `k` best (``mindspore.train.TopKCategoricalAccuracy``).

    `update` takes scores (N, C) and classes (N,) or one-hot rows.

    Args:
        k: how many of the best count.

    Raises:
        TypeError, ValueError: `k` is not an int of at least 1.
        ValueError: in `update`, the shapes do not fit, or there are less than `k` classes.
        RuntimeError: in `eval`, there was no batch.

    >>> metric = TopKCategoricalAccuracy(2)
    >>> metric.update(np.array([[0.1, 0.3, 0.6], [0.5, 0.2, 0.3]]), np.array([1, 1]))
    >>> metric.eval()
    0.5
    """

    def __init__(self, k: int) -> None:
        super().__init__()
        if not isinstance(k, int):
            raise TypeError(
                "For 'TopKCategoricalAccuracy', the type of the argument 'k' should be int, but got 'k' type: "
                f"{type(k)}."
            )
        if k < 1:
            raise ValueError(
                f"For 'TopKCategoricalAccuracy', the argument 'k' must be at least 1, but got 'k' value: {k}."
            )
        self.k = k
        self.clear()

    def clear(self) -> None:
        """Forget all batches."""
        self._correct_num = 0
        self._samples_num = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Take in predicted and true values."""
        if len(inputs) != 2:
            raise ValueError(
                "For 'TopKCategoricalAccuracy.update', it needs 2 inputs (predicted value, true value), but got "
                f"'inputs' size: {len(inputs)}."
            )
        predicted, true = self._convert_data(inputs[0]), self._convert_data(inputs[1])
        if true.ndim == predicted.ndim and true.shape == predicted.shape and true.ndim > 1:
            true = true.argmax(axis=1)
        if predicted.ndim != 2 or predicted.shape[1] < self.k or true.shape != predicted.shape[:1]:
            raise ValueError(
                "For 'TopKCategoricalAccuracy.update', the predicted value must have the shape (N, C) with C >= "
                f"{self.k} "
                f"and the true value (N,), but got {predicted.shape} and {true.shape}."
            )
        best = np.argsort(-predicted, axis=1, kind="stable")[:, : self.k]
        self._correct_num += int((best == true.reshape(-1, 1)).any(axis=1).sum())
        self._samples_num += predicted.shape[0]

    def eval(self) -> float:
        """The share."""
        if self._samples_num == 0:
            self._nothing("TopKCategoricalAccuracy")
        return self._correct_num / self._samples_num


class Top1CategoricalAccuracy(TopKCategoricalAccuracy):
    """`TopKCategoricalAccuracy` with k = 1 (``mindspore.train.Top1CategoricalAccuracy``)."""

    def __init__(self) -> None:
        super().__init__(1)


class Top5CategoricalAccuracy(TopKCategoricalAccuracy):
    """`TopKCategoricalAccuracy` with k = 5 (``mindspore.train.Top5CategoricalAccuracy``)."""

    def __init__(self) -> None:
        super().__init__(5)
