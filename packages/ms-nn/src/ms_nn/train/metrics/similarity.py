"""Overlap and likeness: Dice, cosine similarity."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_nn.train.metrics.metric import Array, Metric, rearrange_inputs

__all__ = ["CosineSimilarity", "Dice"]


class Dice(Metric):
    r"""Twice the overlap of two sets over their sizes, per sample (``mindspore.train.Dice``).

    .. math:: dice = \frac{2 \sum p y}{\sum p^2 + \sum y^2 + s}

    Args:
        smooth: s, added below.

    Raises:
        TypeError: `smooth` is no float.
        ValueError: in `update`, the shapes differ.
        RuntimeError: in `eval`, there was no batch.

    >>> metric = Dice(smooth=1e-5)
    >>> metric.update(np.array([1.0, 0.0]), np.array([1.0, 1.0]))
    >>> round(float(metric.eval()), 4)
    0.3333
    """

    def __init__(self, smooth: float = 1e-5) -> None:
        super().__init__()
        if not isinstance(smooth, float):
            raise TypeError(f"The 'smooth' must be float, but got '{type(smooth).__name__}'")
        self.smooth = smooth
        self.clear()

    def clear(self) -> None:
        """Forget all batches."""
        self._dice_coeff_sum = 0.0
        self._samples_num = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Take in predicted and true values of the same shape."""
        predicted, true = self._two(inputs)
        if predicted.shape != true.shape:
            raise ValueError(
                "For 'Dice.update', predicted value (input[0]) and true value (input[1]) should have same shape, but "
                "got "
                f"predicted value shape: {predicted.shape}, true value shape: {true.shape}."
            )
        overlap = float((predicted * true).sum())
        sizes = float(np.square(predicted).sum() + np.square(true).sum())
        self._dice_coeff_sum += 2 * overlap / (sizes + self.smooth)
        self._samples_num += predicted.shape[0]

    def eval(self) -> float:
        """The sum over the batches by the number of samples."""
        if self._samples_num == 0:
            self._nothing("Dice coefficient")
        return self._dice_coeff_sum / self._samples_num


class CosineSimilarity(Metric):
    """The cosines between all rows of a matrix (``mindspore.train.CosineSimilarity``).

    Args:
        similarity: "cosine", or "dot" for plain products.
        reduction: "none" for the matrix, "sum" or "mean" along its rows.
        zero_diagonal: put 0 where a row meets itself.

    Raises:
        ValueError, TypeError: an argument is something else.
        RuntimeError: in `eval`, there was no `update`.

    >>> metric = CosineSimilarity()
    >>> metric.update(np.array([[1.0, 0.0], [1.0, 1.0]]))
    >>> metric.eval().round(3).tolist()
    [[0.0, 0.707], [0.707, 0.0]]
    """

    def __init__(self, similarity: str = "cosine", reduction: str = "none", zero_diagonal: bool = True) -> None:
        super().__init__()
        for arg, value, choices in (
            ("similarity", similarity, ["dot", "cosine"]),
            ("reduction", reduction, ["none", "sum", "mean"]),
        ):
            if value not in choices:
                raise ValueError(f"The '{arg}' must be str and must be in '{choices}', but got '{value}'.")
        if not isinstance(zero_diagonal, bool):
            raise TypeError(
                f"The type of 'zero_diagonal' should be 'bool', but got type '{type(zero_diagonal).__name__}'."
            )
        self.similarity, self.reduction, self.zero_diagonal = similarity, reduction, zero_diagonal
        self.clear()

    def clear(self) -> None:
        """Forget the matrix."""
        self._matrix: Array | None = None

    @rearrange_inputs
    def update(self, inputs: Any) -> None:
        """Take in a matrix."""
        rows = self._convert_data(inputs)
        if self.similarity == "cosine":
            rows = rows / np.linalg.norm(rows, ord=2, axis=-1, keepdims=True)
        self._matrix = np.dot(rows, rows.T)

    def eval(self) -> Array:
        """The matrix, or the sums or means of its rows."""
        if self._matrix is None:
            raise RuntimeError("Please call the 'update' method before calling 'eval' method.")
        result: Array = self._matrix.copy()
        if self.zero_diagonal:
            np.fill_diagonal(result, 0)
        if self.reduction == "none":
            return result
        reduced: Array = result.sum(axis=-1) if self.reduction == "sum" else result.mean(axis=-1)
        return reduced
