"""Where pipelines begin: a Python object, or arrays in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_nn.dataset import _check
from ms_nn.dataset._batch import Sliceable
from ms_nn.dataset._convert import array
from ms_nn.dataset._iterators import Row
from ms_nn.dataset._split import by_samples, counts
from ms_nn.dataset.datasets import Dataset, Epoch
from ms_nn.dataset.samplers import Sampler, as_sampler

__all__ = ["GeneratorDataset", "MappableDataset", "NumpySlicesDataset"]


class MappableDataset(Dataset):
    """A source that can be asked for any of its samples; a sampler says which and in which order."""

    def __init__(self, names: Sequence[str], sampler: Sampler) -> None:
        super().__init__()
        self._names = list(names)
        self.sampler = sampler

    def _size(self) -> int:
        raise NotImplementedError

    def _sample(self, index: int) -> Row:
        raise NotImplementedError

    def _begin(self) -> Epoch:
        indices = self.sampler.begin(self._size())
        return lambda: (self._sample(i) for i in indices())

    def get_col_names(self) -> list[str]:
        """The names of the columns."""
        return list(self._names)

    def get_dataset_size(self) -> int:
        """How many samples the sampler takes."""
        return self.sampler.length(self._size())

    def is_shuffled(self) -> bool:
        """Whether the order is random."""
        return type(self.sampler).__name__ in ("RandomSampler", "SubsetRandomSampler") or bool(
            getattr(self.sampler, "shuffle", False)
        )

    def use_sampler(self, new_sampler: Sampler) -> None:
        """Take another sampler from now on."""
        self.sampler = new_sampler

    def split(self, sizes: list[int] | list[float], randomize: bool = True) -> tuple[Dataset, ...]:
        """Cut the samples into parts; see `Dataset.split`. A part stays shuffled from epoch to epoch as this is."""
        return by_samples(self, counts(sizes, self.get_dataset_size()), randomize)


class _Samples(MappableDataset):
    """Rows out of an object with ``__getitem__`` and ``__len__``."""

    source: Any
    _types: list[Any] | None = None

    def _size(self) -> int:
        return len(self.source)

    def _sample(self, index: int) -> Row:
        return self._row(self.source[index])

    def _row(self, item: Any) -> Row:
        values = tuple(array(v) for v in item) if isinstance(item, (tuple, list)) else (array(item),)
        if len(values) != len(self._names):
            raise RuntimeError(
                "Invalid Python function, the 'source' of 'GeneratorDataset' should return same number of NumPy "
                f"arrays as specified in column_names, the size of column_names is:{len(self._names)} and number of "
                f"returned NumPy array is:{len(values)}"
            )
        for value, wanted in zip(values, self._types or ()):
            if wanted is not None and value.dtype != wanted:
                raise RuntimeError(
                    "Invalid Python function, type of returned data in 'GeneratorDataset' should be same with "
                    f"specified column_types, but the type of returned data: {value.dtype}, specified column type: "
                    f"{wanted}."
                )
        return values


class GeneratorDataset(_Samples):
    """Rows out of a Python object (``mindspore.dataset.GeneratorDataset``).

    Args:
        source: a function that returns an iterator, an iterable, or an object with ``__getitem__`` and ``__len__``. A
            row is a tuple with a value for each column, or a single value.
        column_names: the names of the columns.
        column_types: the dtypes the columns must have.
        schema: not supported.
        num_samples: take no more than that many.
        num_parallel_workers, python_multiprocessing, max_rowsize: for 2.6's sake; rows are made in the calling thread.
        shuffle: a new order every epoch; None: so it is, where the source has ``__getitem__``.
        sampler: which samples to take; a `Sampler` or a list of indices.
        num_shards: take only every n-th sample,
        shard_id: of these parts this one.
        batch_sampler, collate_fn: not supported.

    Raises:
        TypeError: `source` is nothing of that kind.
        ValueError: the columns have no names, or arguments contradict each other.
        RuntimeError: while iterating, when a row does not have as many values as there are columns.

    >>> data = GeneratorDataset([(1, 10), (2, 20)], ["a", "b"], shuffle=False)
    >>> [row["b"].item() for row in data.create_dict_iterator(num_epochs=1)]
    [10, 20]
    """

    def __init__(
        self,
        source: Any,
        column_names: Any = None,
        column_types: Any = None,
        schema: Any = None,
        num_samples: int | None = None,
        num_parallel_workers: int = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        python_multiprocessing: bool = True,
        max_rowsize: Any = None,
        batch_sampler: Any = None,
        collate_fn: Any = None,
    ) -> None:
        for name, value in (("schema", schema), ("batch_sampler", batch_sampler), ("collate_fn", collate_fn)):
            if value is not None:
                raise ValueError(f"For 'GeneratorDataset', the '{name}' is not supported: it must be None.")
        self._random_access = hasattr(source, "__getitem__") and hasattr(source, "__len__")
        if not (callable(source) or hasattr(source, "__iter__") or self._random_access):
            raise TypeError(
                "Input `source` function of GeneratorDataset should be callable, iterable or random accessible, "
                "commonly it should implement one of the method like yield, __getitem__ or __next__(__iter__)."
            )
        names = _check.words("column_names", column_names)
        if not names:
            raise ValueError("Neither columns_names nor schema are provided.")
        super().__init__(
            _check.unique("column_names", names), as_sampler(sampler, shuffle, num_samples, num_shards, shard_id)
        )
        if not self._random_access and (sampler is not None or num_shards is not None):
            raise ValueError(
                "For 'GeneratorDataset', a 'sampler' or 'num_shards' needs a source with '__getitem__' and '__len__'."
            )
        self.source = source
        self.num_samples = num_samples or None
        if column_types is not None:
            self._types = [np.dtype(mstype.dtype_to_nptype(kind)) for kind in column_types]

    def _begin(self) -> Epoch:
        return super()._begin() if self._random_access else self._pass

    def _pass(self) -> Iterator[Row]:
        rows = iter(self.source() if callable(self.source) else self.source)
        for number, item in enumerate(rows):
            if number == self.num_samples:
                return
            yield self._row(item)

    def get_dataset_size(self) -> int:
        """The number of samples; a source without ``__len__`` is run through to count them."""
        return super().get_dataset_size() if self._random_access else sum(1 for _ in self._pass())


class NumpySlicesDataset(MappableDataset, Sliceable):
    """The slices of arrays along their first dimension (``mindspore.dataset.NumpySlicesDataset``).

    Args:
        data: a list or an array: one column; a tuple of them: one column each; a dict of them by column.
        column_names: their names; None: the keys of the dict, or column_0, column_1, ...
        num_samples: take no more than that many.
        num_parallel_workers: for 2.6's sake; rows are made in the calling thread.
        shuffle: a new order every epoch; None: yes.
        sampler: which samples to take; a `Sampler` or a list of indices.
        num_shards: take only every n-th sample,
        shard_id: of these parts this one.

    Raises:
        TypeError: `data` is nothing of that kind.
        ValueError: `data` is empty, its columns differ in length, or the names do not fit.

    >>> data = NumpySlicesDataset(([1, 2], [0.5, 0.25]), ["a", "b"], shuffle=False)
    >>> for a, b in data.create_tuple_iterator(num_epochs=1):
    ...     print(a, b)
    1 0.5
    2 0.25
    """

    def __init__(
        self,
        data: Any,
        column_names: Any = None,
        num_samples: int | None = None,
        num_parallel_workers: int = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
    ) -> None:
        _check.of_type("data", data, list, tuple, dict, np.ndarray)
        if len(data) == 0:
            raise ValueError("Argument data cannot be empty")
        names = _check.words("column_names", column_names)
        if isinstance(data, dict):
            parts, names = list(data.values()), names or [str(key) for key in data]
        else:
            parts = list(data) if isinstance(data, tuple) else [data]
        if names and len(names) != len(parts):
            reason = "" if isinstance(data, (tuple, dict)) else " as data is list"
            raise ValueError(f"Num of input column names is {len(names)}, but required is {len(parts)}{reason}.")
        names = names or [f"column_{i}" for i in range(len(parts))]
        self._columns = [array(part) for part in parts]
        if len({len(column) for column in self._columns}) != 1:
            raise ValueError("Data length in each column is not equal.")
        chosen = as_sampler(sampler, shuffle, num_samples, num_shards, shard_id)
        super().__init__(_check.unique("column_names", names), chosen)

    def _size(self) -> int:
        return len(self._columns[0])

    def _sample(self, index: int) -> Row:
        return tuple(np.asarray(column[index]) for column in self._columns)

    def indices(self) -> Callable[[], Sequence[int]]:
        """For one iterator: what gives the indices of one epoch after another."""
        return self.sampler.begin(self._size())

    def gather(self, indices: np.ndarray[Any, Any]) -> Row:
        """The samples of some indices, stacked."""
        return tuple(column[indices] for column in self._columns)
