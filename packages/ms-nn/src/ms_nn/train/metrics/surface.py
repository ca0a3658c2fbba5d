"""Distances between the surfaces of two segmentations: HausdorffDistance, MeanSurfaceDistance, RootMeanSquareDistance.

The surface of a region are its elements that have an element outside beside them, along one dimension.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_nn.train.metrics.metric import Array, Metric, rearrange_inputs

__all__ = ["HausdorffDistance", "MeanSurfaceDistance", "RootMeanSquareDistance"]

_DISTANCES = ("euclidean", "chessboard", "taxicab")
_ROWS = 1024  # so many surface elements at a time are compared with all of the other surface


def _surface(region: Array) -> Array:
    """The places (n, ndim) of a region's surface."""
    inner, padded = region.copy(), np.pad(region, 1)
    middle = [slice(1, size + 1) for size in region.shape]
    for axis, size in enumerate(region.shape):
        for start in (0, 2):
            beside = [*middle[:axis], slice(start, start + size), *middle[axis + 1 :]]
            inner &= padded[tuple(beside)]
    return np.argwhere(region & ~inner)


def _distances(places: Array, others: Array, kind: str) -> Array:
    """From each of some places to the nearest of the others."""
    if not len(others):
        return np.full(len(places), np.inf)
    found = []
    for start in range(0, len(places), _ROWS):
        gaps = np.abs(places[start : start + _ROWS, None] - others)
        if kind == "euclidean":
            found.append(np.sqrt((gaps**2).sum(-1).min(-1)))
        else:
            found.append((gaps.max(-1) if kind == "chessboard" else gaps.sum(-1)).min(-1))
    return np.concatenate(found) if found else np.zeros(0)


class _Surfaces(Metric):
    """What the three metrics share: two surfaces of the last update."""

    def __init__(self, distance_metric: str) -> None:
        super().__init__()
        if distance_metric not in _DISTANCES:
            raise ValueError(
                f"The 'distance_metric' must be str and must be in '{list(_DISTANCES)}', but got '{distance_metric}'."
            )
        self.distance_metric = distance_metric
        self.clear()

    def clear(self) -> None:
        """Forget the last update."""
        self._predicted = self._true = np.zeros((0, 1), np.int64)
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Take in predicted labels, true labels and the label whose regions are compared; the last update counts.

        Raises:
            ValueError: another number of inputs, different shapes, or a label that is in neither.
        """
        name = type(self).__name__
        if len(inputs) != 3:
            raise ValueError(
                f"For '{name}.update', it needs 3 inputs (predicted value, true value, label index), "
                f"but got {len(inputs)}."
            )
        predicted, true, label = self._convert_data(inputs[0]), self._convert_data(inputs[1]), inputs[2]
        if not predicted.size or predicted.shape != true.shape:
            raise ValueError(
                f"For '{name}.update', the predicted value (input[0]) and true value (input[1]) must be of one shape "
                f"and not empty, but got {predicted.shape} and {true.shape}."
            )
        regions = predicted == label, true == label
        if not (regions[0].any() or regions[1].any()):
            raise ValueError(
                f"For '{name}.update', the label index (input[2]) must be in predicted value (input[0]) or true value "
                f"(input[1]), but {label} is not."
            )
        self._predicted, self._true = _surface(regions[0]), _surface(regions[1])
        self._is_update = True

    def _there(self) -> Array:
        """From the predicted surface to the true one; infinite when either is empty."""
        found = _distances(self._predicted, self._true, self.distance_metric)
        return found if len(found) else np.array([np.inf])

    def _back(self) -> Array:
        found = _distances(self._true, self._predicted, self.distance_metric)
        return found if len(found) else np.array([np.inf])


def _flag(arg: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"The type of '{arg}' should be 'bool', but got type '{type(value).__name__}'.")
    return value


class HausdorffDistance(_Surfaces):
    """The greatest distance from one surface to the other (``mindspore.train.HausdorffDistance``).

    Args:
        distance_metric: "euclidean", "chessboard" or "taxicab".
        percentile: in place of the greatest distance that which so many percent (0.0 to 100.0) do not pass.
        directed: only from the predicted surface to the true one; otherwise the greater of both ways.
        crop: kept for 2.6's sake; only the surfaces themselves are ever compared.

    Raises:
        TypeError, ValueError: an argument of the wrong type or unknown.
        RuntimeError: in `eval`, there was no update.
        ValueError: in `eval`, `percentile` is out of range.

    >>> metric = HausdorffDistance()
    >>> metric.update(np.array([[1, 0, 0], [0, 0, 0]]), np.array([[0, 0, 1], [0, 0, 0]]), 1)
    >>> float(metric.eval())
    2.0
    """

    def __init__(
        self,
        distance_metric: str = "euclidean",
        percentile: float | None = None,
        directed: bool = False,
        crop: bool = True,
    ) -> None:
        super().__init__(distance_metric)
        if percentile is not None and not isinstance(percentile, float):
            raise TypeError(f"The type of 'percentile' should be 'float', but got type '{type(percentile).__name__}'.")
        self.percentile, self.directed, self.crop = percentile, _flag("directed", directed), _flag("crop", crop)

    def _one_way(self, distances: Array) -> Any:
        if self.percentile is None:
            return distances.max()
        if not 0 <= self.percentile <= 100:
            raise ValueError(
                "For 'HausdorffDistance', the value of the argument 'percentile' must be [0, 100], "
                f"but got {self.percentile}."
            )
        return np.percentile(distances, self.percentile)

    def eval(self) -> Any:
        """The distance."""
        self._need_update()
        there = self._one_way(self._there())
        return there if self.directed else max(there, self._one_way(self._back()))

    def _need_update(self) -> None:
        if not self._is_update:
            raise RuntimeError("Please call the 'update' method before calling 'eval' method.")


class MeanSurfaceDistance(_Surfaces):
    """The mean distance from the predicted surface to the true one (``mindspore.train.MeanSurfaceDistance``).

    Args:
        symmetric: the mean of both ways.
        distance_metric: "euclidean", "chessboard" or "taxicab".

    Raises:
        TypeError, ValueError: an argument of the wrong type or unknown.

    >>> metric = MeanSurfaceDistance()
    >>> metric.update(np.array([[1, 0, 0], [0, 0, 0]]), np.array([[1, 0, 1], [0, 0, 0]]), 1)
    >>> float(metric.eval())
    0.0
    """

    def __init__(self, symmetric: bool = False, distance_metric: str = "euclidean") -> None:
        super().__init__(distance_metric)
        self.symmetric = _flag("symmetric", symmetric)

    def eval(self) -> Any:
        """The distance; infinite when a surface is empty."""
        there = self._there().mean()
        return (there + self._back().mean()) / 2 if self.symmetric else there


class RootMeanSquareDistance(_Surfaces):
    """The mean squared distance between the surfaces (``mindspore.train.RootMeanSquareDistance``).

    As 2.6 has it, the root is taken of the symmetric form only.

    Args:
        symmetric: the root of the mean of both ways.
        distance_metric: "euclidean", "chessboard" or "taxicab".

    Raises:
        TypeError, ValueError: an argument of the wrong type or unknown.

    >>> metric = RootMeanSquareDistance(symmetric=True)
    >>> metric.update(np.array([[1, 0, 0], [0, 0, 0]]), np.array([[0, 0, 1], [0, 0, 0]]), 1)
    >>> float(metric.eval())
    2.0
    """

    def __init__(self, symmetric: bool = False, distance_metric: str = "euclidean") -> None:
        super().__init__(distance_metric)
        self.symmetric = _flag("symmetric", symmetric)

    def eval(self) -> Any:
        """The distance; infinite when a surface is empty."""
        there = (self._there() ** 2).mean()
        return np.sqrt((there + (self._back() ** 2).mean()) / 2) if self.symmetric else there
