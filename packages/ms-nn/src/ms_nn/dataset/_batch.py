"""The stage that makes batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from ms_nn.dataset import _check
from ms_nn.dataset._columns import replaced, replaced_names
from ms_nn.dataset._convert import columns_of
from ms_nn.dataset._iterators import Row
from ms_nn.dataset.datasets import Dataset, Epoch, places_of

__all__ = ["BatchDataset", "BatchInfo", "Sliceable"]


class BatchInfo:
    """What a batch function is told (``mindspore.dataset.BatchInfo``)."""

    def __init__(self, batch_num: int, epoch_num: int) -> None:
        self._batch_num, self._epoch_num = batch_num, epoch_num

    def get_batch_num(self) -> int:
        """The number of the batch in its epoch, from 0."""
        return self._batch_num

    def get_epoch_num(self) -> int:
        """The number of the epoch, from 0."""
        return self._epoch_num


class Sliceable(Dataset):
    """A source that can give many samples at once."""

    def indices(self) -> Callable[[], Sequence[int]]:
        """For one iterator: what gives the indices of one epoch after another."""
        raise NotImplementedError

    def gather(self, indices: np.ndarray[Any, Any]) -> Row:
        """The samples of some indices, stacked."""
        raise NotImplementedError


class BatchDataset(Dataset):
    """See `Dataset.batch`."""

    def __init__(
        self,
        child: Dataset,
        batch_size: int | Callable[[BatchInfo], int],
        drop_remainder: bool,
        input_columns: Any = None,
        output_columns: Any = None,
        per_batch_map: Callable[..., Any] | None = None,
        python_multiprocessing: bool = False,
        max_rowsize: Any = None,
    ) -> None:
        super().__init__(child)
        if not callable(batch_size):
            if not isinstance(batch_size, int):
                raise TypeError("batch_size should either be an int or a callable.")
            _check.count_in("batch_size", int(batch_size), 1)
        self.batch_size, self.drop_remainder = batch_size, _check.of_type("drop_remainder", drop_remainder, bool)
        self.per_batch_map = per_batch_map
        self.input_columns = _check.words("input_columns", input_columns)
        self.output_columns = _check.words("output_columns", output_columns) or self.input_columns
        if self.input_columns and per_batch_map is None:
            raise ValueError("per_batch_map and input_columns need to be passed in together.")

    def get_col_names(self) -> list[str]:
        """The names of the columns."""
        names = self.children[0].get_col_names()
        return replaced_names(names, self.input_columns or names, self.output_columns or names)

    def get_batch_size(self) -> int:
        """How many samples are in a row; -1 when a function says it."""
        return -1 if callable(self.batch_size) else int(self.batch_size)

    def get_dataset_size(self) -> int:
        """The number of batches."""
        if callable(self.batch_size):
            return super().get_dataset_size()
        rows = self.children[0].get_dataset_size()
        return rows // self.batch_size if self.drop_remainder else -(-rows // self.batch_size)

    def _begin(self) -> Epoch:
        if isinstance(self.children[0], Sliceable) and self.per_batch_map is None and not callable(self.batch_size):
            return self._slices(self.children[0], int(self.batch_size))
        epoch, names = self.children[0]._begin(), self.children[0].get_col_names()
        places = places_of(self.input_columns or names, names)
        epochs = iter(range(_check.INT32_MAX))

        def batches() -> Iterator[Row]:
            rows, number = epoch(), next(epochs)
            for batch in range(_check.INT32_MAX):
                info = BatchInfo(batch, number)
                size = self.batch_size(info) if callable(self.batch_size) else int(self.batch_size)
                picked = list(islice(rows, size))
                if not picked or (len(picked) < size and self.drop_remainder):
                    return
                yield self._together(picked, places, info)

        return batches

    def _slices(self, source: Sliceable, size: int) -> Epoch:
        """Batches straight out of arrays, which takes a tenth of the time."""
        begin = source.indices()

        def batches() -> Iterator[Row]:
            indices = np.asarray(begin(), np.int64)
            for first in range(0, len(indices), size):
                picked = indices[first : first + size]
                if len(picked) == size or not self.drop_remainder:
                    yield source.gather(picked)

        return batches

    def _together(self, rows: list[Row], places: Sequence[int], info: BatchInfo) -> Row:
        columns: Row = tuple(list(values) for values in zip(*rows))
        if self.per_batch_map is not None:
            made = self.per_batch_map(*[columns[i] for i in places], info)
            values = made if isinstance(made, tuple) else (made,)
            if len(values) != len(self.output_columns or places):
                raise RuntimeError(
                    f"Invalid data, per_batch_map must return {len(self.output_columns or places)} columns, "
                    f"got {len(values)}."
                )
            columns = replaced(columns, places, tuple([columns_of(item)[0] for item in value] for value in values))
        return tuple(_stack(column, i) for i, column in enumerate(columns))


def _stack(column: list[np.ndarray[Any, Any]], place: int) -> np.ndarray[Any, Any]:
    shape = column[0].shape
    for value in column:
        if value.shape != shape:
            raise RuntimeError(
                f"Cannot batch tensors with different shapes in column {place}. First element had shape {shape} "
                f"and this element had shape {value.shape}."
            )
    return np.stack(column)
