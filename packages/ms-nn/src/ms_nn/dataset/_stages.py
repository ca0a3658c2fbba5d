"""The stages of a pipeline."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import Any

import numpy as np

from ms_nn.dataset import _check, _order
from ms_nn.dataset._iterators import Row
from ms_nn.dataset.config import fresh_seed
from ms_nn.dataset.datasets import Dataset, Epoch, places_of

__all__ = ["zip_datasets"]


class TakeDataset(Dataset):
    """See `Dataset.take`."""

    def __init__(self, child: Dataset, count: int) -> None:
        super().__init__(child)
        self.count = count

    def _begin(self) -> Epoch:
        epoch = self.children[0]._begin()
        return lambda: islice(epoch(), None if self.count == -1 else self.count)

    def get_dataset_size(self) -> int:
        """The number of rows."""
        size = self.children[0].get_dataset_size()
        return size if self.count == -1 else min(size, self.count)


class SkipDataset(Dataset):
    """See `Dataset.skip`."""

    def __init__(self, child: Dataset, count: int) -> None:
        super().__init__(child)
        self.count = count

    def _begin(self) -> Epoch:
        epoch = self.children[0]._begin()
        return lambda: islice(epoch(), self.count, None)

    def get_dataset_size(self) -> int:
        """The number of rows."""
        return max(self.children[0].get_dataset_size() - self.count, 0)


class RepeatDataset(Dataset):
    """See `Dataset.repeat`."""

    def __init__(self, child: Dataset, count: int | None) -> None:
        super().__init__(child)
        _check.of_type("repeat", count, int, type(None))
        if count is not None and count != -1 and not 0 < count <= _check.INT32_MAX:
            raise ValueError("count should be either -1 or positive integer, range[1, INT32_MAX].")
        self.count = -1 if count is None else count

    def _begin(self) -> Epoch:
        epoch = self.children[0]._begin()

        def repeated() -> Iterator[Row]:
            runs = 0
            while runs != self.count:
                empty = True
                for row in epoch():
                    empty = False
                    yield row
                if empty:
                    return  # without rows an endless repetition would spin forever
                runs += 1

        return repeated

    def get_dataset_size(self) -> int:
        """The number of rows; of one run when there is no end."""
        return self.children[0].get_dataset_size() * max(self.count, 1)

    def get_repeat_count(self) -> int:
        """How many times an epoch runs through the source."""
        return self.children[0].get_repeat_count() * self.count


class ShuffleDataset(Dataset):
    """See `Dataset.shuffle`."""

    def __init__(self, child: Dataset, buffer_size: int) -> None:
        super().__init__(child)
        self.buffer_size = _check.count_in("buffer_size", buffer_size, 2)

    def _begin(self) -> Epoch:
        epoch, draw = self.children[0]._begin(), _order.twister64(fresh_seed())

        def shuffled() -> Iterator[Row]:
            rows = epoch()
            buffer = list(islice(rows, self.buffer_size))
            while buffer:
                slot = draw() % len(buffer)
                buffer[slot], buffer[-1] = buffer[-1], buffer[slot]
                yield buffer.pop()
                buffer.extend(islice(rows, 1))

        return shuffled

    def get_dataset_size(self) -> int:
        """The number of rows."""
        return self.children[0].get_dataset_size()


class FilterDataset(Dataset):
    """See `Dataset.filter`."""

    def __init__(self, child: Dataset, predicate: Callable[..., Any], input_columns: Any) -> None:
        super().__init__(child)
        if not callable(predicate):
            raise TypeError("Predicate should be a Python function or a callable Python object.")
        self.predicate = predicate
        self.input_columns = _check.words("input_columns", input_columns)

    def _begin(self) -> Epoch:
        epoch, names = self.children[0]._begin(), self.get_col_names()
        places = places_of(self.input_columns, names) if self.input_columns else range(len(names))
        return lambda: (row for row in epoch() if np.all(self.predicate(*[row[i] for i in places])))


class ConcatDataset(Dataset):
    """See `Dataset.concat`."""

    def __init__(self, *children: Dataset) -> None:
        for child in children:
            _check.of_type("datasets", child, Dataset)
        super().__init__(*children)

    def _begin(self) -> Epoch:
        names = self.get_col_names()
        for child in self.children:
            if child.get_col_names() != names:
                raise RuntimeError(
                    f"Invalid data, all datasets to concat must have the columns {names}, got {child.get_col_names()}."
                )
        epochs = [child._begin() for child in self.children]
        return lambda: chain.from_iterable(epoch() for epoch in epochs)

    def get_dataset_size(self) -> int:
        """The number of rows."""
        return sum(child.get_dataset_size() for child in self.children)


class ZipDataset(Dataset):
    """See `Dataset.zip`."""

    def __init__(self, *children: Dataset) -> None:
        for child in children:
            if not isinstance(child, Dataset):
                raise TypeError(f"The argument 'datasets' must be datasets, but got {type(child)}.")
        super().__init__(*children)

    def _begin(self) -> Epoch:
        self.get_col_names()
        epochs = [child._begin() for child in self.children]
        return lambda: (sum(rows, ()) for rows in builtins.zip(*(epoch() for epoch in epochs)))

    def get_col_names(self) -> list[str]:
        """The names of the columns."""
        names = [name for child in self.children for name in child.get_col_names()]
        _check.unique("the zipped datasets", names)
        return names

    def get_dataset_size(self) -> int:
        """The number of rows."""
        return min(child.get_dataset_size() for child in self.children)


def zip_datasets(datasets: tuple[Dataset, ...]) -> Dataset:
    """The columns of several datasets side by side (``mindspore.dataset.zip``).

    Raises:
        TypeError: no tuple of datasets.
        ValueError: an empty tuple.
    """
    if not isinstance(datasets, tuple):
        raise TypeError(f"The argument 'datasets' must be a tuple, but got {type(datasets)}.")
    if not datasets:
        raise ValueError("datasets cannot be empty.")
    return ZipDataset(*datasets)


class RenameDataset(Dataset):
    """See `Dataset.rename`."""

    def __init__(self, child: Dataset, input_columns: Any, output_columns: Any) -> None:
        super().__init__(child)
        old, new = _check.words("input_columns", input_columns), _check.words("output_columns", output_columns)
        if len(old) != len(new):
            raise ValueError(f"input_columns and output_columns must be equally long, but got {len(old)}, {len(new)}.")
        names = dict(builtins.zip(old, new))
        places_of(old, child.get_col_names())
        self._names = [names.get(name, name) for name in child.get_col_names()]
        if len(set(self._names)) != len(self._names):
            raise RuntimeError(f"Invalid parameter, after renaming, columns would be called the same: {self._names}.")

    def _begin(self) -> Epoch:
        return self.children[0]._begin()

    def get_col_names(self) -> list[str]:
        """The names of the columns."""
        return list(self._names)

    def get_dataset_size(self) -> int:
        """The number of rows."""
        return self.children[0].get_dataset_size()


class ProjectDataset(Dataset):
    """See `Dataset.project`."""

    def __init__(self, child: Dataset, columns: Any) -> None:
        super().__init__(child)
        self.columns = list(_check.unique("columns", _check.words("columns", columns)))
        self._places = places_of(self.columns, child.get_col_names())

    def _begin(self) -> Epoch:
        epoch = self.children[0]._begin()
        return lambda: (tuple(row[i] for i in self._places) for row in epoch())

    def get_col_names(self) -> list[str]:
        """The names of the columns."""
        return list(self.columns)

    def get_dataset_size(self) -> int:
        """The number of rows."""
        return self.children[0].get_dataset_size()
