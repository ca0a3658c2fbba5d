"""Iterators over the rows of a dataset, epoch by epoch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from ms_kernels import Tensor

__all__ = ["DictIterator", "Row", "TupleIterator"]

Row = tuple[Any, ...]
_Made = TypeVar("_Made")


def _tensor(value: np.ndarray[Any, Any]) -> Any:
    if value.dtype.kind in "US":
        raise TypeError(
            f"For 'create_dict_iterator', a column of strings ({value.dtype}) cannot become a Tensor: "
            "say output_numpy=True."
        )
    return Tensor(value)


class _EpochIterator(Generic[_Made]):
    """``for`` over it runs one epoch; over it again, the next one, as many as were ordered (-1: no limit)."""

    def __init__(self, epoch: Callable[[], Iterator[Row]], num_epochs: int, output_numpy: bool) -> None:
        self._epoch = epoch
        self._left = num_epochs
        self._rows: Iterator[Row] | None = None
        self._convert: Callable[[Any], Any] = np.asarray if output_numpy else _tensor

    def __iter__(self) -> _EpochIterator[_Made]:
        return self

    def __next__(self) -> _Made:
        if self._rows is None:
            if self._left == 0:
                raise RuntimeError("The iterator has run all its epochs: create another one, or raise 'num_epochs'.")
            self._left -= 1
            self._rows = self._epoch()
        for row in self._rows:
            return self._make(row)
        self._rows = None
        raise StopIteration

    def _make(self, row: Row) -> _Made:
        raise NotImplementedError


class TupleIterator(_EpochIterator[list[Any]]):
    """Gives each row as a list, with the columns asked for."""

    def __init__(
        self,
        epoch: Callable[[], Iterator[Row]],
        num_epochs: int,
        output_numpy: bool,
        places: Sequence[int] | None,
    ) -> None:
        super().__init__(epoch, num_epochs, output_numpy)
        self._places = places

    def _make(self, row: Row) -> list[Any]:
        chosen = row if self._places is None else [row[i] for i in self._places]
        return [self._convert(value) for value in chosen]


class DictIterator(_EpochIterator[dict[str, Any]]):
    """Gives each row as a dict by column."""

    def __init__(
        self, epoch: Callable[[], Iterator[Row]], num_epochs: int, output_numpy: bool, names: Sequence[str]
    ) -> None:
        super().__init__(epoch, num_epochs, output_numpy)
        self._names = names

    def _make(self, row: Row) -> dict[str, Any]:
        return {name: self._convert(value) for name, value in zip(self._names, row)}
