"""How many samples are classified right: accuracy, precision, recall, F-beta."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_nn.train.metrics.metric import (
    Array,
    EvaluationBase,
    Metric,
    as_classes,
    check_average,
    class_number_error,
    rearrange_inputs,
)

__all__ = ["F1", "Accuracy", "Fbeta", "Precision", "Recall"]

_TINY = float(np.finfo(np.float64).tiny)  # keeps 0 / 0 at 0


class Accuracy(EvaluationBase):
    """The share of samples that are classified right (``mindspore.train.Accuracy``).

    `update` takes scores (N, C, ...) and classes (N, ...) or one-hot rows; with "multilabel" two arrays (N, C, ...) of
    0 and 1, where a sample counts when all its labels are right.

    Args:
        eval_type: "classification" or "multilabel".

    Raises:
        TypeError: `eval_type` is something else.
        ValueError: in `update`, the shapes do not fit, or the number of classes changes.
        RuntimeError: in `eval`, there was no batch.

    >>> metric = Accuracy()
    >>> metric.update(np.array([[0.2, 0.8], [0.6, 0.4]]), np.array([1, 1]))
    >>> metric.eval()
    0.5
    """

    def __init__(self, eval_type: str = "classification") -> None:
        super().__init__(eval_type)
        self.clear()

    def clear(self) -> None:
        """Forget all batches."""
        self._correct_num = 0
        self._total_num = 0
        self._class_num = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Take in predicted and true values."""
        predicted, true = self._two(inputs)
        true = self._checked(predicted, true, "Accuracy")
        if self._type == "classification":
            right = predicted.argmax(axis=1) == true
        else:
            labels = predicted.shape[1] if predicted.ndim > 1 else 1
            right = (_by_sample(predicted, labels) == _by_sample(true, labels)).all(axis=1)
        self._correct_num += int(right.sum())
        self._total_num += right.size

    def eval(self) -> float:
        """The accuracy."""
        if self._total_num == 0:
            self._nothing()
        return self._correct_num / self._total_num


def _by_sample(values: Array, labels: int) -> Array:
    """(N, C, ...) as (N * ..., C)."""
    return np.moveaxis(values, 1, -1).reshape(-1, labels) if values.ndim > 1 else values.reshape(-1, 1)


class _Rate(EvaluationBase):
    """True positives by class (by sample with "multilabel") over something that a subclass counts."""

    _total: Any

    def __init__(self, eval_type: str = "classification") -> None:
        super().__init__(eval_type)
        self.eps = _TINY
        self.clear()

    def clear(self) -> None:
        """Forget all batches."""
        self._class_num = 0
        self._true_positives: Any = 0
        self._counted: Any = 0
        self._batches = 0

    def _base(self, predicted: Array, true: Array) -> Array:
        raise NotImplementedError

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Take in predicted and true values."""
        predicted, true = self._two(inputs)
        name = type(self).__name__
        true = self._checked(predicted, true, name)
        if self._type == "classification":
            chosen, actual = _one_hot_pair(name, predicted, true)
            axis = 0
        else:
            labels = predicted.shape[1] if predicted.ndim > 1 else 1
            chosen, actual = _by_sample(predicted, labels), _by_sample(true, labels)
            axis = 1
        hits = (chosen * actual).sum(axis=axis).astype(np.float64)
        counted = self._base(chosen, actual).sum(axis=axis).astype(np.float64)
        if self._type == "multilabel" and self._batches:
            self._true_positives = np.append(self._true_positives, hits)
            self._counted = np.append(self._counted, counted)
        else:
            self._true_positives = self._true_positives + hits
            self._counted = self._counted + counted
        self._batches += 1

    def eval(self, average: bool = False) -> Any:
        """The rate of each class (of each sample with "multilabel"), or with `average` their mean."""
        if self._batches == 0:
            self._nothing()
        check_average(type(self).__name__, average)
        rates = self._true_positives / (self._counted + self.eps)
        return rates.mean() if average else rates


def _one_hot_pair(name: str, predicted: Array, true: Array) -> tuple[Array, Array]:
    """Predicted and true classes as one-hot rows."""
    classes = predicted.shape[1]
    true = true.reshape(-1).astype(np.int64)
    if true.size and (true.max() >= classes or true.min() < 0):
        raise ValueError(
            f"For '{name}.update', predicted value (input[0]) should have the same classes number as true value "
            f"(input[1]), but got predicted value classes {classes}, true value classes "
            f"{int(true.max()) + 1 if true.min() >= 0 else int(true.min())}."
        )
    table = np.eye(classes)
    return table[predicted.argmax(axis=1).reshape(-1)], table[true]


class Precision(_Rate):
    """Of the samples put into a class, the share that belongs there (``mindspore.train.Precision``).

    Inputs, arguments and errors are those of `Accuracy`.

    >>> metric = Precision()
    >>> metric.update(np.array([[0.2, 0.8], [0.6, 0.4], [0.3, 0.7]]), np.array([1, 0, 0]))
    >>> metric.eval().tolist(), float(metric.eval(average=True))
    ([1.0, 0.5], 0.75)
    """

    def _base(self, predicted: Array, true: Array) -> Array:
        return predicted


class Recall(_Rate):
    """Of the samples of a class, the share that was put there (``mindspore.train.Recall``).

    Inputs, arguments and errors are those of `Accuracy`.

    >>> metric = Recall()
    >>> metric.update(np.array([[0.2, 0.8], [0.6, 0.4], [0.3, 0.7]]), np.array([1, 0, 0]))
    >>> metric.eval().tolist()
    [0.5, 1.0]
    """

    def _base(self, predicted: Array, true: Array) -> Array:
        return true


class Fbeta(Metric):
    r"""The weighted harmonic mean of precision and recall (``mindspore.train.Fbeta``).

    .. math:: F_\beta = (1 + \beta^2) \frac{p \cdot r}{\beta^2 p + r}

    `update` takes scores (N, C, ...) and classes (N, ...) or one-hot rows.

    Args:
        beta: the weight of recall, above 0.

    Raises:
        ValueError: `beta` is 0 or less; in `update`, the shapes do not fit, or the number of classes changes.
        RuntimeError: in `eval`, there was no batch.

    >>> metric = Fbeta(1)
    >>> metric.update(np.array([[0.2, 0.8], [0.6, 0.4], [0.3, 0.7]]), np.array([1, 0, 0]))
    >>> metric.eval().round(3).tolist()
    [0.667, 0.667]
    """

    def __init__(self, beta: float) -> None:
        super().__init__()
        if not isinstance(beta, (int, float)):
            raise TypeError(f"For 'Fbeta', the argument 'beta' must be a number, but got {type(beta).__name__}.")
        if not beta > 0:
            raise ValueError(f"For 'Fbeta', the argument 'beta' must be greater than 0, but got {beta}.")
        self.eps = _TINY
        self.beta = beta
        self.clear()

    def clear(self) -> None:
        """Forget all batches."""
        self._true_positives: Any = 0
        self._actual_positives: Any = 0
        self._positives: Any = 0
        self._class_num = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Take in predicted and true values."""
        predicted, true = self._two(inputs)
        true = as_classes(predicted, true)
        classes = predicted.shape[1]
        if self._class_num not in (0, classes):
            raise class_number_error("Fbeta", self._class_num, classes)
        chosen, actual = _one_hot_pair("Fbeta", predicted, true)
        self._class_num = classes
        self._positives = self._positives + chosen.sum(axis=0)
        self._actual_positives = self._actual_positives + actual.sum(axis=0)
        self._true_positives = self._true_positives + (chosen * actual).sum(axis=0)

    def eval(self, average: bool = False) -> Any:
        """The F-beta of each class, or with `average` their mean."""
        check_average(type(self).__name__, average)
        if self._class_num == 0:
            self._nothing("Fbeta")
        square = self.beta**2
        precision = self._true_positives / (self._positives + self.eps)
        recall = self._true_positives / (self._actual_positives + self.eps)
        values = (1 + square) * precision * recall / (square * precision + recall + self.eps)
        return values.mean() if average else values


class F1(Fbeta):
    """`Fbeta` with a beta of 1 (``mindspore.train.F1``).

    >>> metric = F1()
    >>> metric.update(np.array([[0.2, 0.8], [0.6, 0.4]]), np.array([1, 0]))
    >>> metric.eval().tolist()
    [1.0, 1.0]
    """

    def __init__(self) -> None:
        super().__init__(1.0)
