"""How far predictions are off: MAE, MSE, the loss itself, perplexity."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ms_nn.train.metrics.metric import Array, Metric, rearrange_inputs

__all__ = ["MAE", "MSE", "Loss", "Perplexity"]


class _Error(Metric):
    """A sum over all elements, divided by the number of samples."""

    def __init__(self) -> None:
        super().__init__()
        self.clear()

    def clear(self) -> None:
        """Forget all batches."""
        self._error_sum = np.float64(0)
        self._samples_num = 0

    def _error(self, difference: Array) -> Array:
        raise NotImplementedError

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Take in predicted and true values of the same shape."""
        predicted, true = self._two(inputs)
        if predicted.size != true.size:
            raise ValueError(
                f"For '{type(self).__name__}.update', predicted value and true value should have the same shape, but "
                "got "
                f"{predicted.shape} and {true.shape}."
            )
        self._error_sum += np.float64(self._error(true.reshape(predicted.shape) - predicted).sum())
        self._samples_num += true.shape[0]

    def eval(self) -> Any:
        """The mean over the samples."""
        if self._samples_num == 0:
            self._nothing()
        return self._error_sum / self._samples_num


class MAE(_Error):
    """The sum of absolute errors, per sample (``mindspore.train.MAE``).

    >>> metric = MAE()
    >>> metric.update(np.array([1.0, 2.0]), np.array([2.0, 4.0]))
    >>> float(metric.eval())
    1.5
    """

    def _error(self, difference: Array) -> Array:
        return np.abs(difference)


class MSE(_Error):
    """The sum of squared errors, per sample (``mindspore.train.MSE``).

    >>> metric = MSE()
    >>> metric.update(np.array([1.0, 2.0]), np.array([2.0, 4.0]))
    >>> float(metric.eval())
    2.5
    """

    def _error(self, difference: Array) -> Array:
        return np.square(difference)


class Loss(Metric):
    """The mean of the losses of all batches (``mindspore.train.Loss``).

    Raises:
        ValueError: `update` gets more than the loss.
        RuntimeError: in `eval`, there was no batch.

    >>> metric = Loss()
    >>> metric.update(np.array(2.0))
    >>> metric.update(np.array(3.0))
    >>> float(metric.eval())
    2.5
    """

    def __init__(self) -> None:
        super().__init__()
        self.clear()

    def clear(self) -> None:
        """Forget all batches."""
        self._sum_loss = np.float64(0)
        self._total_num = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Take in the loss of a batch: a number, or an array of which the mean counts."""
        if len(inputs) != 1:
            raise ValueError(f"For 'Loss.update', it needs 1 input (loss), but got {len(inputs)}")
        self._sum_loss += np.float64(self._convert_data(inputs[0]).mean())
        self._total_num += 1

    def eval(self) -> Any:
        """The mean loss."""
        if self._total_num == 0:
            raise RuntimeError(
                "The 'Loss' can not be calculated, because the number of samples is 0, please check whether has called "
                "update method before calling eval method."
            )
        return self._sum_loss / self._total_num


class Perplexity(Metric):
    r"""How unexpected the true words are: exp of their mean negative log-probability (``mindspore.train.Perplexity``).

    .. math:: PP = \exp(-\frac{1}{N} \sum_i \log p_i)

    Args:
        ignore_label: a label that does not count; None: all count.

    Raises:
        TypeError: `ignore_label` is no int.
        ValueError, RuntimeError: in `update`, the number or the shapes of inputs do not fit.
        RuntimeError: in `eval`, there was no batch.

    >>> metric = Perplexity()
    >>> metric.update(np.array([[0.5, 0.5], [0.25, 0.75]]), np.array([0, 0]))
    >>> round(metric.eval(), 4)
    2.8284
    """

    def __init__(self, ignore_label: int | None = None) -> None:
        super().__init__()
        if ignore_label is not None and (isinstance(ignore_label, bool) or not isinstance(ignore_label, int)):
            raise TypeError(
                f"The type of 'ignore_label' should be 'int', but got type '{type(ignore_label).__name__}'."
            )
        self.ignore_label = ignore_label
        self.clear()

    def clear(self) -> None:
        """Forget all batches."""
        self._sum_metric = 0.0
        self._num_inst = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Take in probabilities (N, ..., C) and labels (N, ...)."""
        predicted, label = self._two(inputs, "label")
        if label.size != predicted.size // predicted.shape[-1]:
            raise RuntimeError(
                "For 'Perplexity.update', predicted value (input[0]) and label (input[1]) should have the same shape, "
                f"but got predicted value shape {predicted.shape}, label shape {label.shape}."
            )
        label = label.reshape(-1).astype(np.int64)
        chances = predicted.reshape(-1, predicted.shape[-1])[np.arange(label.size), label].astype(np.float64)
        if self.ignore_label is not None:
            chances = chances[label != self.ignore_label]
        self._sum_metric -= float(np.log(np.maximum(chances, 1e-10)).sum())
        self._num_inst += chances.size

    def eval(self) -> float:
        """The perplexity."""
        if self._num_inst == 0:
            raise RuntimeError(
                "The 'Perplexity' can not be calculated, because the number of samples is 0, please check whether has "
                "called update method before calling eval method."
            )
        return math.exp(self._sum_metric / self._num_inst)
