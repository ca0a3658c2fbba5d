"""`Dataset`: what every pipeline can do. `SourceDataset`s and stages define `_begin` and `get_col_names`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from ms_nn.dataset import _check
from ms_nn.dataset._iterators import DictIterator, Row, TupleIterator

__all__ = ["Dataset"]

_Result = TypeVar("_Result")
Epoch = Callable[[], Iterator[Row]]


class Dataset:
    """A pipeline: rows of NumPy arrays in named columns, made while one iterates (``mindspore.dataset.Dataset``).

    Nothing is read before an iterator runs. An iterator starts with the seed that is set then, and goes on from
    there epoch by epoch.
    """

    def __init__(self, *children: Dataset) -> None:
        self.children = list(children)

    # -- what a stage defines -----------------------------------------------------------------------------------------

    def _begin(self) -> Epoch:
        """For one iterator: a function that runs the next epoch."""
        raise NotImplementedError

    def get_col_names(self) -> list[str]:
        """The names of the columns."""
        return self.children[0].get_col_names()

    def get_dataset_size(self) -> int:
        """The number of rows of an epoch."""
        return sum(1 for _ in self._begin()())

    def get_batch_size(self) -> int:
        """How many samples are in a row."""
        return self.children[0].get_batch_size() if self.children else 1

    def get_repeat_count(self) -> int:
        """How many times an epoch runs through the source."""
        return self.children[0].get_repeat_count() if self.children else 1

    # -- stages -------------------------------------------------------------------------------------------------------

    def batch(
        self,
        batch_size: int | Callable[[Any], int],
        drop_remainder: bool = False,
        num_parallel_workers: int | None = None,
        **kwargs: Any,
    ) -> Dataset:
        """Put `batch_size` rows together into one with a new first dimension.

        Args:
            batch_size: how many; a function is given a BatchInfo and says it batch by batch.
            drop_remainder: leave out a last batch that is smaller.
            num_parallel_workers: for 2.6's sake; batches are made in the calling thread.
            kwargs: `per_batch_map` is called with a list of values for each of `input_columns`, and a BatchInfo, and
                returns lists for `output_columns`; `python_multiprocessing` and `max_rowsize` change nothing.

        Raises:
            TypeError: an argument of another type.
            ValueError: `batch_size` is 0 or less.
            RuntimeError: while iterating, when the arrays of a column have different shapes.

        >>> from ms_nn.dataset import NumpySlicesDataset
        >>> data = NumpySlicesDataset([1, 2, 3], "x", shuffle=False).batch(2)
        >>> [row["x"].tolist() for row in data.create_dict_iterator(output_numpy=True, num_epochs=1)]
        [[1, 2], [3]]
        """
        from ms_nn.dataset._batch import BatchDataset

        return BatchDataset(self, batch_size, drop_remainder, **kwargs)

    def shuffle(self, buffer_size: int) -> Dataset:
        """Fill a buffer of `buffer_size` rows and give out a random one of them each time.

        Raises:
            TypeError, ValueError: `buffer_size` is not an int of at least 2.
        """
        from ms_nn.dataset._stages import ShuffleDataset

        return ShuffleDataset(self, buffer_size)

    def map(
        self,
        operations: Any,
        input_columns: Any = None,
        output_columns: Any = None,
        column_order: Any = None,
        num_parallel_workers: int | None = None,
        **kwargs: Any,
    ) -> Dataset:
        """Put columns through functions, one after another.

        Args:
            operations: a function or a list of them, called with one array per input column.
            input_columns: which columns; None: as many of the first ones as the function takes.
            output_columns: the names of what comes out; None: those of the input.
            column_order: the columns to keep, in this order.
            num_parallel_workers: for 2.6's sake, as the `kwargs` `python_multiprocessing`, `cache`, `callbacks`,
                `max_rowsize` and `offload` are: functions run in the calling thread.

        Raises:
            ValueError: something is no function.
            RuntimeError: while iterating: a column is missing, the number of results is wrong, a function failed.
        """
        from ms_nn.dataset._map import MapDataset

        return MapDataset(self, operations, input_columns, output_columns, column_order, **kwargs)

    def filter(
        self, predicate: Callable[..., Any], input_columns: Any = None, num_parallel_workers: int | None = None
    ) -> Dataset:
        """Keep the rows for which `predicate` of the input columns (None: all) is true.

        Raises:
            TypeError: `predicate` is no function.
        """
        from ms_nn.dataset._stages import FilterDataset

        return FilterDataset(self, predicate, input_columns)

    def repeat(self, count: int | None = None) -> Dataset:
        """Run through all `count` times in one epoch; None or -1: without end.

        Raises:
            TypeError, ValueError: `count` is no such number.
        """
        from ms_nn.dataset._stages import RepeatDataset

        return RepeatDataset(self, count)

    def take(self, count: int = -1) -> Dataset:
        """The first `count` rows; -1: all.

        Raises:
            TypeError, ValueError: `count` is no such number.
        """
        from ms_nn.dataset._stages import TakeDataset

        _check.of_type("count", count, int)
        if count != -1 and not 0 < count <= _check.INT32_MAX:
            limits = f"(0, {_check.INT32_MAX}]"
            raise ValueError(f"count should be either -1 or within the required interval of {limits}, got {count}.")
        return TakeDataset(self, count)

    def skip(self, count: int) -> Dataset:
        """All but the first `count` rows.

        Raises:
            TypeError, ValueError: `count` is not an int of at least 0.
        """
        from ms_nn.dataset._stages import SkipDataset

        return SkipDataset(self, _check.count_in("count", count, 0))

    def zip(self, datasets: Dataset | tuple[Dataset, ...]) -> Dataset:
        """The columns of several datasets side by side, as long as the shortest.

        Raises:
            TypeError: something else than datasets.
            ValueError: while iterating: two columns are called the same.
        """
        from ms_nn.dataset._stages import ZipDataset

        others = datasets if isinstance(datasets, tuple) else (datasets,)
        return ZipDataset(self, *others)

    def concat(self, datasets: Dataset | list[Dataset]) -> Dataset:
        """The rows of this, then those of others with the same columns; ``a + b`` is the same.

        Raises:
            TypeError: something else than datasets.
        """
        from ms_nn.dataset._stages import ConcatDataset

        _check.of_type("datasets", datasets, list, Dataset)
        return ConcatDataset(self, *(datasets if isinstance(datasets, list) else [datasets]))

    def __add__(self, datasets: Dataset | list[Dataset]) -> Dataset:
        return self.concat(datasets)

    def rename(self, input_columns: Any, output_columns: Any) -> Dataset:
        """Give columns other names.

        Raises:
            ValueError: not as many new names as old ones.
            RuntimeError: a column is missing, or two would be called the same.
        """
        from ms_nn.dataset._stages import RenameDataset

        return RenameDataset(self, input_columns, output_columns)

    def project(self, columns: Any) -> Dataset:
        """Keep these columns, in this order.

        Raises:
            RuntimeError: a column is missing.
        """
        from ms_nn.dataset._stages import ProjectDataset

        return ProjectDataset(self, columns)

    def apply(self, apply_func: Callable[[Dataset], Dataset]) -> Dataset:
        """``apply_func(self)``, which must be a dataset.

        Raises:
            TypeError: `apply_func` is no function, or gives something else.
        """
        if not callable(apply_func):
            raise TypeError("apply_func must be a function.")
        made = apply_func(self)
        if not isinstance(made, Dataset):
            raise TypeError("apply_func must return a dataset.")
        return made

    def split(self, sizes: list[int] | list[float], randomize: bool = True) -> tuple[Dataset, ...]:
        """Cut the rows into parts.

        Args:
            sizes: the parts' numbers of rows, or their shares of 1.
            randomize: shuffle before cutting, with one order for all parts and epochs.

        Raises:
            TypeError, ValueError: wrong sizes.
            RuntimeError: the sizes do not add up to the number of rows.
        """
        from ms_nn.dataset._split import by_rows, counts

        return by_rows(self, counts(sizes, self.get_dataset_size()), randomize)

    # -- iterating ----------------------------------------------------------------------------------------------------

    def create_dict_iterator(
        self, num_epochs: int = -1, output_numpy: bool = False, do_copy: bool = True
    ) -> DictIterator:
        """An iterator that gives each row as {column: Tensor}.

        Args:
            num_epochs: how many epochs it can run; -1: any number.
            output_numpy: give NumPy arrays in place of Tensors.
            do_copy: for 2.6's sake.

        Raises:
            TypeError, ValueError: an argument is wrong.
        """
        self._iterator_arguments(num_epochs, output_numpy, do_copy)
        return DictIterator(self._begin(), num_epochs, output_numpy, self.get_col_names())

    def create_tuple_iterator(
        self, columns: Any = None, num_epochs: int = -1, output_numpy: bool = False, do_copy: bool = True
    ) -> TupleIterator:
        """An iterator that gives each row as a list of Tensors.

        Args:
            columns: which, in this order; None: all.
            num_epochs: how many epochs it can run; -1: any number.
            output_numpy: give NumPy arrays in place of Tensors.
            do_copy: for 2.6's sake.

        Raises:
            TypeError, ValueError: an argument is wrong.
            RuntimeError: a column is missing.
        """
        self._iterator_arguments(num_epochs, output_numpy, do_copy)
        places = None if columns is None else places_of(_check.words("columns", columns), self.get_col_names())
        return TupleIterator(self._begin(), num_epochs, output_numpy, places)

    def _iterator_arguments(self, num_epochs: int, output_numpy: bool, do_copy: bool) -> None:
        _check.of_type("num_epochs", num_epochs, int)
        _check.of_type("output_numpy", output_numpy, bool)
        _check.of_type("do_copy", do_copy, bool)
        if num_epochs < 1 and num_epochs != -1:
            raise ValueError(f"num_epochs should be either -1 or positive integer, but got {num_epochs}.")

    def __iter__(self) -> TupleIterator:
        return self.create_tuple_iterator(num_epochs=1)

    def __len__(self) -> int:
        return self.get_dataset_size()

    def __bool__(self) -> bool:
        return True

    def output_shapes(self, estimate: bool = False) -> list[list[int]]:
        """The shape of each column in the first row."""
        return [list(value.shape) for value in self._first_row()]

    def output_types(self) -> list[Any]:
        """The NumPy dtype of each column in the first row."""
        return [value.dtype for value in self._first_row()]

    def _first_row(self) -> Row:
        for row in self._begin()():
            return row
        raise RuntimeError(f"The '{type(self).__name__}' has no rows, so its shapes and types are not known.")


def places_of(wanted: Sequence[str], names: Sequence[str]) -> list[int]:
    """Where columns are among others; RuntimeError for one that is missing."""
    for name in wanted:
        if name not in names:
            raise RuntimeError(
                f"Invalid parameter, input column name: {name} doesn't exist in the dataset columns {list(names)}."
            )
    return [names.index(name) for name in wanted]
