"""`Metric`: the base of all metrics."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, NoReturn, TypeVar

import numpy as np

from ms_kernels import Tensor

__all__ = ["EvaluationBase", "Metric", "rearrange_inputs"]

_MetricT = TypeVar("_MetricT", bound="Metric")
Array = np.ndarray[Any, Any]


def rearrange_inputs(func: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator of `update`: it gets only the inputs that `Metric.set_indexes` chose (``train.rearrange_inputs``).

    >>> class Last(Metric):
    ...     def clear(self):
    ...         self.seen = None
    ...     @rearrange_inputs
    ...     def update(self, *inputs):
    ...         self.seen = inputs
    ...     def eval(self):
    ...         return self.seen
    >>> metric = Last().set_indexes([2, 0])
    >>> metric.update("a", "b", "c")
    >>> metric.eval()
    ('c', 'a')
    """

    @wraps(func)
    def wrapper(self: Metric, *inputs: Any) -> Any:
        if self.indexes is not None:
            inputs = tuple(inputs[i] for i in self.indexes)
        return func(self, *inputs)

    return wrapper


class Metric(ABC):
    """Something measured over many batches: `clear`, then `update` for each batch, then `eval` (``train.Metric``)."""

    def __init__(self) -> None:
        self._indexes: list[int] | None = None

    @property
    def indexes(self) -> list[int] | None:
        """Which inputs `update` uses; None: all."""
        return getattr(self, "_indexes", None)

    def set_indexes(self: _MetricT, indexes: Sequence[int]) -> _MetricT:
        """Choose which inputs `update` uses, and in which order; returns the metric.

        Raises:
            ValueError: no list of ints.
        """
        if not isinstance(indexes, list) or not all(isinstance(i, int) for i in indexes):
            raise ValueError(
                "For 'set_indexes', the argument 'indexes' must be a list and all its elements must be int, please "
                "check whether it is correct."
            )
        self._indexes = indexes
        return self

    @abstractmethod
    def clear(self) -> None:
        """Forget all batches."""

    @abstractmethod
    def eval(self) -> Any:
        """The result over all batches since `clear`."""

    @abstractmethod
    def update(self, *inputs: Any) -> None:
        """Take in a batch."""

    def _convert_data(self, data: Any) -> Array:
        if isinstance(data, Tensor):
            made: Array = data.asnumpy()
            return made
        if isinstance(data, (list, np.ndarray)):
            return np.array(data)
        raise TypeError(
            "For 'Metric' and its derived classes, the input data type must be tensor, list or numpy.ndarray, but got "
            f"{type(data)}."
        )

    def _two(self, inputs: Sequence[Any], second: str = "true value") -> tuple[Array, Array]:
        name = type(self).__name__ if type(self).__name__ != "F1" else "Fbeta"
        if len(inputs) != 2:
            raise ValueError(
                f"For '{name}.update', it needs 2 inputs (predicted value, {second}), but got {len(inputs)}."
            )
        return self._convert_data(inputs[0]), self._convert_data(inputs[1])

    def _nothing(self, name: str | None = None) -> NoReturn:
        raise RuntimeError(
            f"The '{name or type(self).__name__}' can not be calculated, because the number of samples is 0, please "
            "check whether your inputs(predicted value, true value) are empty, or has called update method before "
            "calling eval method."
        )


class EvaluationBase(Metric):
    """The base of accuracy, precision and recall.

    Args:
        eval_type: "classification" (each sample belongs to one class) or "multilabel" (to any number of them).

    Raises:
        TypeError: `eval_type` is something else.
    """

    def __init__(self, eval_type: str) -> None:
        super().__init__()
        if eval_type not in ("classification", "multilabel"):
            raise TypeError(
                f"The argument 'eval_type' must be in {{'multilabel', 'classification'}}, but got {eval_type}"
            )
        self._type = eval_type
        self._class_num = 0

    def _checked(self, predicted: Array, true: Array, method: str) -> Array:
        """The true value as classes (one-hot rows become their class), after all checks."""
        if self._type == "multilabel":
            if predicted.shape != true.shape:
                raise ValueError(
                    "In multilabel case, the shape of y_pred (predicted value) should equal to the shape of y (true "
                    f"value), but got y_pred shape: {predicted.shape} and y shape: {true.shape}."
                )
            if not (np.isin(predicted, (0, 1)).all() and np.isin(true, (0, 1)).all()):
                raise ValueError(
                    "In multilabel case, all elements in y_pred (predicted value) and y (true value) should be 0 or 1."
                    "Please check whether your inputs y_pred and y are correct."
                )
        else:
            true = as_classes(predicted, true)
        classes = predicted.shape[1] if predicted.ndim > 1 else 0
        if self._class_num == 0:
            self._class_num = classes
        elif self._class_num != classes:
            raise class_number_error(method, self._class_num, classes)
        return true


def class_number_error(method: str, last: int, now: int) -> ValueError:
    """What to raise when the number of classes changes between two batches."""
    return ValueError(
        f"For '{method}.update', class number not match, last input predicted data contain {last} classes, but current "
        f"predicted data contain {now} classes, please check your predicted value(inputs[0])."
    )


def as_classes(predicted: Array, true: Array) -> Array:
    """The true classes that belong to scores (N, C, ...): they are given as (N, ...) or one-hot.

    Raises:
        ValueError: the shapes do not fit.

    >>> as_classes(np.ones((2, 3)), np.array([[0, 1, 0], [0, 0, 1]])).tolist()
    [1, 2]
    """
    if true.ndim > 1 and predicted.shape == true.shape:
        true = true.argmax(axis=1)
    if predicted.ndim != true.ndim + 1:
        raise ValueError(
            "In classification case, the dimension of y_pred (predicted value) should equal to the dimension of "
            "y (true "
            f"value) add 1, but got y_pred dimension: {predicted.ndim} and y dimension: {true.ndim}."
        )
    if true.shape != predicted.shape[:1] + predicted.shape[2:]:
        raise ValueError(
            "In classification case, y_pred (predicted value) shape and y (true value) shape can not match, y shape "
            "should be equal to y_pred shape that the value at index 1 is deleted. Such as y_pred shape (1, 2, "
            "3), then "
            f"y shape should be (1, 3). But got y_pred shape {predicted.shape} and y shape {true.shape}"
        )
    return true


def check_average(name: str, average: Any) -> bool:
    """The flag `average` of an `eval`.

    Raises:
        TypeError: it is no bool.
    """
    if not isinstance(average, bool):
        raise TypeError(
            f"For '{name}', the type of 'average' should be 'bool', but got type '{type(average).__name__}'."
        )
    return average
