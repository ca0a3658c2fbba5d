"""How often each class was taken for each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_nn.train.metrics.metric import Array, Metric, rearrange_inputs

__all__ = ["ConfusionMatrix"]

_NORMALIZATIONS = ("no_norm", "target", "prediction", "all")


class ConfusionMatrix(Metric):
    """The matrix [true class, predicted class] of counts (``mindspore.train.ConfusionMatrix``).

    `update` takes classes, or scores (N, C, ...), or with two classes the chance of class 1; and the true classes.

    Args:
        num_classes: the number of classes.
        normalize: "no_norm" for counts, "target" to divide by the sum of each row, "prediction" by that of each column,
            "all" by the sum of all.
        threshold: from what chance on the class is 1.

    Raises:
        TypeError, ValueError: an argument is something else.
        ValueError: in `update`, the shapes do not fit, or there is a class of `num_classes` or more.
        RuntimeError: in `eval`, there was no batch.

    >>> metric = ConfusionMatrix(2)
    >>> metric.update(np.array([0, 1, 1]), np.array([0, 0, 1]))
    >>> metric.eval().tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """

    def __init__(self, num_classes: int, normalize: str = "no_norm", threshold: float = 0.5) -> None:
        super().__init__()
        if isinstance(num_classes, bool) or not isinstance(num_classes, int):
            raise TypeError(f"The type of 'num_classes' should be 'int', but got type '{type(num_classes).__name__}'.")
        if normalize not in _NORMALIZATIONS:
            raise ValueError(
                "For 'ConfusionMatrix', the argument 'normalize' must be in ['all', 'prediction', 'label', "
                f"'no_norm'(None)], but got {normalize}."
            )
        if not isinstance(threshold, float):
            raise TypeError(f"The type of 'threshold' should be 'float', but got type '{type(threshold).__name__}'.")
        self.num_classes, self.normalize, self.threshold = num_classes, normalize, threshold
        self.clear()

    def clear(self) -> None:
        """Forget all batches."""
        self.confusion_matrix: Array = np.zeros((self.num_classes, self.num_classes))
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Take in predicted and true values."""
        predicted, true = self._two(inputs)
        if predicted.ndim == true.ndim + 1:
            predicted = predicted.argmax(axis=1)
        elif predicted.dtype.kind == "f":
            predicted = predicted >= self.threshold
        if predicted.shape != true.shape:
            raise ValueError(
                "For 'ConfusionMatrix.update', predicted value and true value should have the same shape, but got "
                f"{predicted.shape} and {true.shape}."
            )
        pairs = true.reshape(-1).astype(np.int64), predicted.reshape(-1).astype(np.int64)
        for classes in pairs:
            if classes.size and not 0 <= classes.min() <= classes.max() < self.num_classes:
                raise ValueError(
                    f"For 'ConfusionMatrix.update', the classes must be in the range [0, {self.num_classes}), but got "
                    f"{int(classes.min())} to {int(classes.max())}."
                )
        np.add.at(self.confusion_matrix, pairs, 1)
        self._is_update = True

    def eval(self) -> Array:
        """The matrix; a row or column without samples stays 0."""
        if not self._is_update:
            raise RuntimeError("Please call the 'update' method before calling 'eval' method.")
        matrix = self.confusion_matrix
        if self.normalize == "no_norm":
            return np.array(matrix)
        axis = {"target": 1, "prediction": 0, "all": None}[self.normalize]
        total = matrix.sum(axis=axis, keepdims=True)
        shares: Array = np.divide(matrix, total, out=np.zeros_like(matrix), where=total != 0)
        return shares
