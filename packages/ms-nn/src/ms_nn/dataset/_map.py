"""The stage that puts columns through functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from ms_nn.dataset import _check
from ms_nn.dataset._columns import replaced, replaced_names
from ms_nn.dataset._convert import columns_of
from ms_nn.dataset._iterators import Row
from ms_nn.dataset.datasets import Dataset, Epoch, places_of

__all__ = ["MapDataset"]


def _operands(fn: Callable[..., Any]) -> int:
    try:
        parameters = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):  # a function of C that does not tell
        return 1
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return max(1, sum(p.kind in kinds and p.default is p.empty for p in parameters))


class MapDataset(Dataset):
    """See `Dataset.map`."""

    def __init__(
        self,
        child: Dataset,
        operations: Any,
        input_columns: Any,
        output_columns: Any,
        column_order: Any,
        python_multiprocessing: bool = False,
        cache: Any = None,
        callbacks: Any = None,
        max_rowsize: Any = None,
        offload: Any = None,
    ) -> None:
        super().__init__(child)
        self.operations = list(operations) if isinstance(operations, (list, tuple)) else [operations]
        for fn in self.operations:
            if not callable(fn):
                raise ValueError(
                    "Parameter operations's element of method map should be a python function or class method which "
                    f"should be callable, but got: {fn}. It doesn't need parentheses for python function or class "
                    "method."
                )
        if not self.operations:
            raise ValueError("Parameter operations of method map cannot be empty.")
        if callbacks is not None:
            raise ValueError("For 'map', 'callbacks' are not supported: they must be None.")
        names = child.get_col_names()
        asked = _check.words("input_columns", input_columns)
        self.input_columns = asked or names[: _operands(self.operations[0])]
        self.output_columns = _check.words("output_columns", output_columns) or self.input_columns
        self.column_order = _check.words("column_order", column_order)

    def get_col_names(self) -> list[str]:
        """The names of the columns."""
        return self.column_order or self._made_names()

    def _made_names(self) -> list[str]:
        return replaced_names(self.children[0].get_col_names(), self.input_columns, self.output_columns)

    def get_dataset_size(self) -> int:
        """The number of rows."""
        return self.children[0].get_dataset_size()

    def _begin(self) -> Epoch:
        epoch = self.children[0]._begin()
        places = places_of(self.input_columns, self.children[0].get_col_names())
        order = places_of(self.column_order, self._made_names()) if self.column_order else None

        def mapped() -> Iterator[Row]:
            for row in epoch():
                made = replaced(row, places, self._run(tuple(row[i] for i in places)))
                yield made if order is None else tuple(made[i] for i in order)

        return mapped

    def _run(self, values: Row) -> Row:
        for fn in self.operations:
            try:
                result = fn(*values)
            except Exception as error:
                name = getattr(fn, "__name__", type(fn).__name__)
                raise RuntimeError(
                    f"Exception thrown from user defined Python function in dataset: the operation '{name}' of 'map' "
                    f"failed with {type(error).__name__}: {error}"
                ) from error
            values = columns_of(result)
        if len(values) != len(self.output_columns):
            raise RuntimeError(
                f"Invalid columns, the number of columns returned in 'map' operations should match the number of "
                f"'output_columns', but got the number of columns returned in 'map' operations: {len(values)}, "
                f"the number of 'output_columns': {len(self.output_columns)}."
            )
        return values
