"""`OcclusionSensitivity`: which parts of an input a classifier looks at."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels import Tensor
from ms_nn.train.metrics.metric import Array, Metric, rearrange_inputs

__all__ = ["OcclusionSensitivity"]


class OcclusionSensitivity(Metric):
    """How a class's score falls when a box around an element is covered (``mindspore.train.OcclusionSensitivity``).

    `update` takes a classifier, one input (1, ...) and its label; the last update counts.

    Args:
        pad_val: what the box is filled with.
        margin: half of the box's side, for all dimensions or a list of one for each.
        n_batch: how many covered inputs are classified at a time.
        b_box: [first, last] for each dimension but the batch: which elements are asked about; -1 for no limit.

    Raises:
        TypeError: an argument of the wrong type.
        ValueError: in `update`, another number of inputs, or a `margin` or `b_box` of another length than the input.
        RuntimeError: in `update`, the input or label is not one; in `eval`, there was no update.

    >>> metric = OcclusionSensitivity(margin=1)
    >>> metric.update(lambda x: x, np.array([[0.25, 0.5]], np.float32), np.array([1]))
    >>> metric.eval().tolist()
    [0.0, 0.5]
    """

    def __init__(self, pad_val: float = 0.0, margin: Any = 2, n_batch: int = 128, b_box: Any = None) -> None:
        super().__init__()
        kinds: tuple[tuple[str, Any, tuple[type, ...]], ...] = (
            ("pad_val", pad_val, (float,)),
            ("margin", margin, (int, list)),
            ("n_batch", n_batch, (int,)),
            ("b_box", b_box, (list, type(None))),
        )
        for arg, value, allowed in kinds:
            if not isinstance(value, allowed):
                names = " or ".join(f"'{kind.__name__}'" for kind in allowed)
                raise TypeError(f"The type of '{arg}' should be {names}, but got type '{type(value).__name__}'.")
        self.pad_val, self.margin, self.n_batch, self.b_box = pad_val, margin, n_batch, b_box
        self.clear()

    def clear(self) -> None:
        """Forget the last update."""
        self._result: Array = np.zeros(0)
        self._is_update = False

    def _places(self, shape: tuple[int, ...]) -> list[range]:
        """The elements asked about, by dimension."""
        if self.b_box is None:
            return [range(size) for size in shape]
        if len(self.b_box) != 2 * len(shape):
            raise ValueError(
                "For 'OcclusionSensitivity', the length of 'b_box' must be twice the number of dimensions except the "
                f"batch, {2 * len(shape)}, but got {len(self.b_box)}."
            )
        pairs = zip(self.b_box[::2], self.b_box[1::2], shape)
        return [range(max(low, 0), size if high < 0 else min(high + 1, size)) for low, high, size in pairs]

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Take in classifier, input and label."""
        if len(inputs) != 3:
            raise ValueError(
                "For 'OcclusionSensitivity.update', it needs 3 inputs (classification model, predicted value, label), "
                f"but got {len(inputs)}."
            )
        model, image, label = inputs[0], self._convert_data(inputs[1]), self._convert_data(inputs[2]).reshape(-1)
        if image.shape[0] != 1 or label.size != 1:
            raise RuntimeError(
                "For 'OcclusionSensitivity.update', the predicted value (input[1]) and the label must be one, "
                f"but got {image.shape[0]} and {label.size}."
            )
        shape = image.shape[1:]
        margins = self.margin if isinstance(self.margin, list) else [self.margin] * len(shape)
        if len(margins) != len(shape):
            raise ValueError(
                f"For 'OcclusionSensitivity', the length of 'margin' must be {len(shape)}, but got {len(margins)}."
            )
        grid = self._places(shape)
        places = [tuple(at) for at in np.stack(np.meshgrid(*grid, indexing="ij"), -1).reshape(-1, len(shape))]
        scores = []
        for start in range(0, len(places), self.n_batch):
            some = places[start : start + self.n_batch]
            covered = np.repeat(image, len(some), 0)
            for row, at in zip(covered, some):
                row[tuple(slice(max(i - m, 0), i + m) for i, m in zip(at, margins))] = self.pad_val
            scores.append(_scores(model, covered, int(label[0])))
        whole = _scores(model, image, int(label[0]))
        self._result = (whole - np.concatenate(scores)).reshape([len(axis) for axis in grid])
        self._is_update = True

    def eval(self) -> Array:
        """The fall of the score, for each element asked about."""
        if not self._is_update:
            raise RuntimeError("Please call the 'update' method before calling 'eval' method.")
        return self._result


def _scores(model: Any, images: Array, label: int) -> Array:
    """The scores of one class."""
    found = model(Tensor(images))
    scores: Array = (found.asnumpy() if isinstance(found, Tensor) else np.asarray(found))[:, label]
    return scores
