"""Cells that hold cells: SequentialCell, CellList, CellDict."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from ms_nn.cell import Cell

__all__ = ["CellDict", "CellList", "SequentialCell"]

_SelfT = TypeVar("_SelfT", bound="_Row")


_RowT = TypeVar("_RowT", bound="_Row")


class _Row(Cell):
    """A row of sub-cells named by their numbers."""

    def _wanted(self, cell: Any) -> Cell:
        if not isinstance(cell, Cell):
            raise TypeError(
                f"For '{type(self).__name__}', each cell must be subclass of Cell, but got {type(cell).__name__}."
            )
        return cell

    def _index(self, index: Any, extra: int = 0) -> int:
        """A place in the row, counted from its beginning; `extra` = 1 takes in the place behind the last."""
        name, size = type(self).__name__, len(self._cells)
        if isinstance(index, bool) or not isinstance(index, int):
            raise TypeError(f"For '{name}', the type of 'index' must be int, but got {type(index).__name__}.")
        if not -size <= index < size + extra:
            end = "]" if extra else ")"
            raise IndexError(
                f"For '{name}', the value of 'index' must be a number in range [{-size}, {size}{end}, but got {index}."
            )
        return index % size if index < 0 else index

    def _put(self, name: str, cell: Cell) -> None:
        if self._auto_prefix:
            cell.update_parameters_name(name + ".")
        self._cells[name] = cell

    def _renumber(self, cells: list[Cell], from_place: int = 0) -> None:
        """Make `cells` the whole row; the cells from `from_place` on get the names of their new places."""
        self._cells.clear()
        for place, cell in enumerate(cells):
            if self._auto_prefix and place >= from_place:
                cell.update_parameters_name(f"{place}.")
            self._cells[str(place)] = cell

    def set_grad(self: _RowT, flag: bool = True) -> _RowT:  # 2.6's name of the argument
        """Set the flag `requires_grad` of this cell and of those in it; returns the cell."""
        self.requires_grad = flag
        for cell in self._cells.values():
            cell.set_grad(flag)
        return self

    def __len__(self) -> int:
        return len(self._cells)

    def __iter__(self) -> Iterator[Cell]:
        return iter(self._cells.values())

    def __setitem__(self, index: int, cell: Cell) -> None:
        wanted = self._wanted(cell)
        key = list(self._cells)[self._index(index)]
        self._put(key, wanted)

    def __delitem__(self, index: int | slice) -> None:
        cells = list(self._cells.values())
        if not isinstance(index, slice):
            if isinstance(index, bool) or not isinstance(index, int):
                raise TypeError(
                    f"For '{type(self).__name__}', the type of 'index' must be int or slice, "
                    f"but got {type(index).__name__}."
                )
            index = self._index(index)
        del cells[index]
        self._renumber(cells)

    def append(self, cell: Cell) -> None:
        """Add a cell at the end.

        Raises:
            TypeError: it is no Cell.
        """
        self._put(str(len(self._cells)), self._wanted(cell))


class SequentialCell(_Row):
    """Cells that run one after the other (``mindspore.nn.SequentialCell``).

    Args:
        args: the cells, or one list of them, or one OrderedDict that also names them.

    Raises:
        TypeError: something else.

    >>> from ms_nn import Dense, ReLU
    >>> net = SequentialCell(Dense(2, 3), ReLU())
    >>> net
    SequentialCell(
      (0): Dense(input_channels=2, output_channels=3, has_bias=True)
      (1): ReLU()
    )
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            named = args[0].items()
        elif len(args) == 1 and isinstance(args[0], list):
            named = [(str(i), cell) for i, cell in enumerate(args[0])]  # type: ignore[assignment]
        elif len(args) == 1 and not isinstance(args[0], Cell):
            raise TypeError(
                f"For '{type(self).__name__}', the 'args[0]' must be Cell, list or orderedDict, "
                f"but got {type(args[0]).__name__}"
            )
        else:
            named = [(str(i), cell) for i, cell in enumerate(args)]  # type: ignore[assignment]
        for name, cell in named:
            self.insert_child_to_cell(name, cell)
            cell.update_parameters_name(name + ".")

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._cells.items())[index]))
        return list(self._cells.values())[self._index(index)]

    def construct(self, input_data: Any) -> Any:
        """Each cell gets what the one before gave."""
        for cell in self._cells.values():
            input_data = cell(input_data)
        return input_data


class CellList(_Row):
    """A list of cells that a network runs as it likes (``mindspore.nn.CellList``).

    Args:
        args: one list of cells.
        auto_prefix: put the place's number before the parameters' names.

    Raises:
        TypeError: something else than a list of cells.

    >>> from ms_nn import Dense
    >>> cells = CellList([Dense(2, 2), Dense(2, 1)])
    >>> [p.name for p in cells.get_parameters()]
    ['0.weight', '0.bias', '1.weight', '1.bias']
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(kwargs.get("auto_prefix", True))
        if len(args) == 1:
            self.extend(args[0])

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self._cells.values())[index])
        return list(self._cells.values())[self._index(index)]

    def __iadd__(self, cells: list[Cell]) -> CellList:
        return self.extend(cells)

    def extend(self, cells: Any) -> CellList:
        """Add all cells of a list (or CellList) at the end; returns the CellList.

        Raises:
            TypeError: no list, or something in it is no Cell.
        """
        if not isinstance(cells, (list, tuple, CellList)):
            raise TypeError(
                f"For '{type(self).__name__}', the new cells wanted to append should be instance of list, "
                f"but got {type(cells).__name__}."
            )
        for cell in [self._wanted(cell) for cell in cells]:
            self.append(cell)
        return self

    def insert(self, index: int, cell: Cell) -> None:
        """Put a cell before a place; the cells behind it are renamed.

        Raises:
            IndexError: there is no such place.
            TypeError: the place is no int, or the cell no Cell.
        """
        place = self._index(index, extra=1)
        cells = list(self._cells.values())
        cells.insert(place, self._wanted(cell))
        self._renumber(cells, from_place=place)

    def construct(self, *_inputs: Any) -> Any:
        """A CellList computes nothing by itself."""
        raise NotImplementedError


class CellDict(Cell):
    """Named cells that a network runs as it likes (``mindspore.nn.CellDict``).

    Args:
        args: one mapping, CellDict or iterable of (name, cell) pairs.
        auto_prefix: put the name before the parameters' names.

    Raises:
        KeyError: a name is empty, contains a dot or is an attribute of Cell.
        TypeError: a name is no str, or a cell no Cell.

    >>> from ms_nn import Dense, ReLU
    >>> cells = CellDict({"lin": Dense(2, 2), "act": ReLU()})
    >>> list(cells.keys()), "act" in cells
    (['lin', 'act'], True)
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(kwargs.get("auto_prefix", True))
        if len(args) == 1:
            self.update(args[0])

    def _check(self, key: Any, cell: Any) -> None:
        name = type(self).__name__
        if not isinstance(key, str):
            raise TypeError(f"For '{name}', the type of key should be string but got {type(key).__name__}.")
        if key not in self._cells and hasattr(self, key):
            raise KeyError(f"For '{name}', the key can not be same with the attributes of Cell, but got key {key}.")
        if "." in key:
            raise KeyError(f"For '{name}', key can not contain \".\", but got key {key}")
        if not key:
            raise KeyError(f"For '{name}', key can not be empty string \"\", but got key {key}")
        if not isinstance(cell, Cell):
            raise TypeError(f"For '{name}', the type of cell should be Cell, but got {type(cell).__name__}.")

    def __getitem__(self, key: str) -> Cell:
        found: Cell = self._cells[key]
        return found

    def __setitem__(self, key: str, cell: Cell) -> None:
        self._check(key, cell)
        if self._auto_prefix:
            cell.update_parameters_name(key + ".")
        self._cells[key] = cell

    def __delitem__(self, key: str) -> None:
        del self._cells[key]

    def __len__(self) -> int:
        return len(self._cells)

    def __iter__(self) -> Iterator[str]:
        return iter(self._cells)

    def __contains__(self, key: object) -> bool:
        return key in self._cells

    def clear(self) -> None:
        """Remove all cells."""
        self._cells.clear()

    def pop(self, key: str) -> Cell:
        """Remove a cell and return it.

        Raises:
            KeyError: there is none of that name.
        """
        found: Cell = self._cells.pop(key)
        return found

    def keys(self) -> Any:
        """The names."""
        return self._cells.keys()

    def values(self) -> Any:
        """The cells."""
        return self._cells.values()

    def items(self) -> Any:
        """Pairs of name and cell."""
        return self._cells.items()

    def update(self, cells: Any) -> None:
        """Add the cells of a mapping, CellDict or iterable of (name, cell) pairs.

        Raises:
            TypeError: something else.
            ValueError: an item is no pair.
        """
        name = type(self).__name__
        if not isinstance(cells, (Iterable, CellDict)):
            raise TypeError(
                f"{name}.update() should be called with an iterable of key-value pairs, but got {type(cells).__name__}"
            )
        pairs: list[Any] = list(cells.items()) if isinstance(cells, (Mapping, CellDict)) else list(cells)
        for place, item in enumerate(pairs):
            if not isinstance(item, Iterable):
                raise TypeError(
                    f"{name} update sequence element #{place} should be Iterable; but got {type(item).__name__}"
                )
            if len(tuple(item)) != 2:
                raise ValueError(
                    f"{name} update sequence element #{place}, length should be 2; but has length {len(tuple(item))}"
                )
        for key, cell in pairs:
            self._check(key, cell)
        for key, cell in pairs:
            self[key] = cell

    def construct(self, *_inputs: Any) -> Any:
        """A CellDict computes nothing by itself."""
        raise NotImplementedError
