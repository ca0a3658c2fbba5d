"""The receiver operating characteristic, and the area under a curve."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_nn.train.metrics.metric import Array, Metric, rearrange_inputs

__all__ = ["ROC", "auc"]

_Curve = tuple[Array, Array, Array]


class ROC(Metric):
    """False and true positive rates at every threshold (``mindspore.train.ROC``).

    `update` takes scores and true values: both (N,) for two classes, else scores (N, C) and classes (N,). As in 2.6,
    the last batch counts. With several classes, each is set against all others.

    Args:
        class_num: the number of classes; None: two.
        pos_label: which value is the positive one; None: 1.

    Raises:
        TypeError: an argument is no int.
        ValueError: in `update`, the shapes do not fit; in `eval`, a class has no positive or no negative samples.
        RuntimeError: in `eval`, there was no batch.

    >>> metric = ROC()
    >>> metric.update(np.array([0.1, 0.9, 0.4]), np.array([0, 1, 1]))
    >>> fpr, tpr, thresholds = metric.eval()
    >>> fpr.tolist(), tpr.tolist(), thresholds.tolist()
    ([0.0, 0.0, 0.0, 1.0], [0.0, 0.5, 1.0, 1.0], [1.9, 0.9, 0.4, 0.1])
    """

    def __init__(self, class_num: int | None = None, pos_label: int | None = None) -> None:
        super().__init__()
        for arg, value in (("class_num", class_num), ("pos_label", pos_label)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
                raise TypeError(f"The type of '{arg}' should be 'int', but got type '{type(value).__name__}'.")
        self.class_num, self.pos_label = class_num, pos_label
        self.clear()

    def clear(self) -> None:
        """Forget the batch."""
        self._batch: tuple[Array, Array] | None = None

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Take in scores and true values."""
        predicted, true = self._two(inputs)
        if predicted.ndim == true.ndim:
            if self.class_num not in (None, 1):
                raise ValueError(
                    "For 'ROC', when predicted value (input[0]) and true value (input[1]) have the same shape, the "
                    f"'class_num' must be 1, but got {self.class_num}."
                )
            predicted, true = predicted.reshape(-1), true.reshape(-1)
        elif predicted.ndim == true.ndim + 1:
            if self.class_num != predicted.shape[1]:
                raise ValueError(
                    "For 'ROC', the 'class_num' must equal the number of classes from predicted value (input[0]), but "
                    f"got 'class_num' {self.class_num}, the number of classes from predicted value "
                    f"{predicted.shape[1]}."
                )
            if self.pos_label is not None:
                raise ValueError(
                    "For 'ROC', when the dimension of predicted value (input[0]) equals the dimension of true value "
                    f"(input[1]) add 1, the 'pos_label' must be None, but got {self.pos_label}."
                )
            predicted, true = np.moveaxis(predicted, 1, -1).reshape(true.size, -1), true.reshape(-1)
        if len(predicted) != len(true):
            raise ValueError(f"For 'ROC', the inputs must hold as many samples, but got {len(predicted)}, {len(true)}.")
        self._batch = predicted, true

    def eval(self) -> tuple[Any, Any, Any]:
        """(false positive rates, true positive rates, thresholds): arrays, or with several classes a list each."""
        if self._batch is None:
            raise RuntimeError("Please call the 'update' method before calling 'eval' method.")
        predicted, true = self._batch
        if predicted.ndim == 1:
            return _curve(predicted, true, 1 if self.pos_label is None else self.pos_label)
        curves = [_curve(predicted[:, i], true, i) for i in range(predicted.shape[1])]
        return [c[0] for c in curves], [c[1] for c in curves], [c[2] for c in curves]


def _curve(scores: Array, true: Array, positive: int) -> _Curve:
    order = np.argsort(scores, kind="stable")[::-1]
    scores, hit = scores[order], (true == positive)[order]
    ends = np.append(np.flatnonzero(np.diff(scores)), scores.size - 1)  # the last of equal scores
    hits = np.cumsum(hit)[ends]
    misses = 1 + ends - hits
    for count, kind, rate in ((misses[-1], "negative", "false"), (hits[-1], "positive", "true")):
        if count <= 0:
            raise ValueError(
                f"For 'ROC.eval', there is no {kind} samples in true value, {rate} positive value is meaningless."
            )
    thresholds = scores[ends]
    above = np.array([thresholds[0] + 1], thresholds.dtype)
    rates = [np.append(0, counts) / counts[-1] for counts in (misses, hits)]
    return rates[0], rates[1], np.append(above, thresholds)


def auc(x: Array, y: Array, reorder: bool = False) -> Any:
    """The area under a curve by the trapezoidal rule (``mindspore.train.auc``).

    Args:
        x: positions, increasing or decreasing.
        y: values.
        reorder: sort by position first.

    Raises:
        TypeError: `x` or `y` is no NumPy array.
        ValueError: they differ in length, have less than 2 values, or `x` goes up and down.

    >>> float(auc(np.array([0.0, 0.5, 1.0]), np.array([0.0, 1.0, 1.0])))
    0.75
    """
    if not isinstance(x, np.ndarray) or not isinstance(y, np.ndarray):
        raise TypeError(f"For 'auc', the argument 'x' and 'y' must all be np.ndarray, but got {type(x)}, {type(y)}")
    for values in (x, y):
        if values.ndim > 2 or (values.ndim == 2 and values.shape[1] != 1):
            raise ValueError(
                "For 'auc', the input must be a 1-dimensional array, or a 2-dimensional array with the second "
                "dimension "
                f"of 1, but got shape {values.shape}"
            )
    x, y = x.reshape(-1), y.reshape(-1)
    if x.size != y.size:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {[x.size, y.size]}.")
    if x.size < 2:
        raise ValueError(
            f"For 'auc', the shape of the argument 'x' in axis 0 must be greater than 2, but got {x.size}."
        )
    if reorder:
        order = np.lexsort((y, x))
        x, y = x[order], y[order]
    steps = np.diff(x)
    direction = 1
    if (steps < 0).any():
        if not (steps <= 0).all():
            raise ValueError(
                "For 'auc', if the argument is False, the argument 'x' array must be increasing or decreasing, but got "
                f"'x': {x}"
            )
        direction = -1
    return direction * np.trapezoid(y, x)
