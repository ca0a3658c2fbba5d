"""SequentialCell, CellList, CellDict."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import pytest

import ms_nn as nn
from ms_kernels import Tensor


def names(cell: nn.Cell) -> list[str]:
    return [p.name for p in cell.get_parameters()]


# -- SequentialCell ---------------------------------------------------------------------------------------------------


def test_sequential_forms() -> None:
    for cell in (nn.SequentialCell(nn.Dense(2, 2), nn.ReLU()), nn.SequentialCell([nn.Dense(2, 2), nn.ReLU()])):
        assert names(cell) == ["0.weight", "0.bias"]
        assert len(cell) == 2
    named = nn.SequentialCell(OrderedDict(lin=nn.Dense(1, 1), act=nn.Tanh()))
    assert names(named) == ["lin.weight", "lin.bias"]
    assert repr(nn.SequentialCell()) == repr(nn.SequentialCell([])) == "SequentialCell()"


def test_sequential_runs_in_order() -> None:
    class Plus(nn.Cell):
        def construct(self, x: Any) -> Any:
            return x + 1

    class Twice(nn.Cell):
        def construct(self, x: Any) -> Any:
            return x * 2

    assert float(nn.SequentialCell(Plus(), Twice())(Tensor(3.0))) == 8.0
    assert float(nn.SequentialCell()(Tensor(3.0))) == 3.0


def test_sequential_changes() -> None:
    cell = nn.SequentialCell(nn.Dense(2, 2), nn.ReLU())
    cell.append(nn.Dense(2, 1))
    assert names(cell) == ["0.weight", "0.bias", "2.weight", "2.bias"]
    assert cell[-1] is cell[2]
    assert isinstance(cell[0:2], nn.SequentialCell) and len(cell[0:2]) == 2
    cell[1] = nn.Tanh()
    assert repr(cell[1]) == "Tanh()"
    del cell[1]
    assert names(cell) == ["0.weight", "0.bias", "1.weight", "1.bias"]
    assert [type(c).__name__ for c in cell] == ["Dense", "Dense"]
    assert list(reversed(cell)) == [cell[1], cell[0]]


@pytest.mark.parametrize("value", [3, [3], {"a": 1}])
def test_sequential_of_something_else(value: Any) -> None:
    with pytest.raises(TypeError, match="For '"):
        nn.SequentialCell(value)


@pytest.mark.parametrize("kind", [nn.SequentialCell, nn.CellList])
def test_wrong_places(kind: Any) -> None:
    cell = kind([nn.ReLU(), nn.ReLU(), nn.ReLU()])
    with pytest.raises(IndexError, match=r"must be a number in range \[-3, 3\), but got 7"):
        cell[7]
    with pytest.raises(IndexError, match="but got 9"):
        cell[9] = nn.ReLU()
    with pytest.raises(TypeError, match="the type of 'index' must be int, but got str"):
        cell["a"]
    with pytest.raises(TypeError, match="each cell must be subclass of Cell, but got int"):
        cell[0] = 3
    with pytest.raises(TypeError, match="each cell must be subclass of Cell, but got int"):
        cell.append(3)
    with pytest.raises(TypeError, match="must be int or slice"):
        del cell["q"]


# -- CellList ---------------------------------------------------------------------------------------------------------


def test_list_changes() -> None:
    cells = nn.CellList([nn.Dense(2, 2)])
    cells.append(nn.Dense(2, 1))
    assert cells.extend([nn.Dense(2, 1), nn.ReLU()]) is cells
    cells.insert(1, nn.Tanh())
    assert [type(c).__name__ for c in cells] == ["Dense", "Tanh", "Dense", "Dense", "ReLU"]
    assert names(cells) == [f"{i}.{n}" for i in (0, 2, 3) for n in ("weight", "bias")]
    cells[-1] = nn.GELU()
    assert repr(cells[4]) == "GELU()"
    del cells[0]
    assert names(cells) == [f"{i}.{n}" for i in (1, 2) for n in ("weight", "bias")]
    del cells[0:1]
    assert len(cells) == 3 and cells[0] in cells
    cells += [nn.ReLU()]
    assert len(cells) == 4 and isinstance(cells[1:3], nn.CellList)


def test_list_without_prefixes() -> None:
    assert names(nn.CellList([nn.Dense(1, 1), nn.Dense(1, 1)], auto_prefix=False)) == ["weight", "bias"] * 2


def test_list_errors() -> None:
    for value in (3, nn.ReLU()):
        with pytest.raises(TypeError, match="should be instance of list"):
            nn.CellList(value)
    cells = nn.CellList([nn.ReLU()])
    with pytest.raises(TypeError, match="each cell must be subclass of Cell"):
        cells.extend([nn.ReLU(), 3])
    assert len(cells) == 1
    with pytest.raises(IndexError, match=r"in range \[-1, 1\], but got 7"):
        cells.insert(7, nn.ReLU())
    with pytest.raises(NotImplementedError):
        cells(3)


# -- CellDict ---------------------------------------------------------------------------------------------------------


def test_dict() -> None:
    cells = nn.CellDict([["a", nn.Dense(2, 2)], ["b", nn.ReLU()]])
    assert names(cells) == ["a.weight", "a.bias"]
    assert list(cells) == list(cells.keys()) == ["a", "b"]
    assert len(cells) == 2 and "a" in cells and "z" not in cells
    assert [type(c).__name__ for c in cells.values()] == ["Dense", "ReLU"]
    cells["c"] = nn.Tanh()
    assert repr(cells.pop("c")) == "Tanh()"
    cells.update({"q": nn.ReLU()})
    cells.update(nn.CellDict({"w": nn.ReLU()}))
    assert [key for key, _ in cells.items()] == ["a", "b", "q", "w"]
    del cells["a"]
    assert names(cells) == []
    cells.clear()
    assert repr(cells) == "CellDict()"
    with pytest.raises(NotImplementedError):
        cells(3)


@pytest.mark.parametrize(
    ("key", "value", "kind", "text"),
    [
        ("c", 3, TypeError, "the type of cell should be Cell, but got int"),
        (3, nn.ReLU(), TypeError, "the type of key should be string but got int"),
        ("training", nn.ReLU(), KeyError, "can not be same with the attributes of Cell"),
        ("a.b", nn.ReLU(), KeyError, "can not contain"),
        ("", nn.ReLU(), KeyError, "can not be empty string"),
    ],
)
def test_dict_wrong_items(key: Any, value: Any, kind: type[Exception], text: str) -> None:
    cells = nn.CellDict()
    with pytest.raises(kind, match=text):
        cells[key] = value
    assert len(cells) == 0


def test_dict_wrong_updates() -> None:
    cells = nn.CellDict()
    for value, kind, text in [
        (3, TypeError, "iterable of key-value pairs"),
        ([3], TypeError, "element #0 should be Iterable"),
        ([["a", 1, 2]], ValueError, "length should be 2; but has length 3"),
        ([["a", nn.ReLU()], ["b", 1]], TypeError, "should be Cell"),
    ]:
        with pytest.raises(kind, match=text):
            cells.update(value)
    assert len(cells) == 0
    with pytest.raises(KeyError):
        cells["z"]


def test_set_grad_goes_to_the_cells_of_a_row() -> None:
    row = nn.SequentialCell(nn.ReLU(), nn.CellList([nn.ReLU()]))
    row.set_grad()
    assert [cell.requires_grad for _, cell in row.cells_and_names()] == [True] * 4
    row.set_grad(flag=False)
    assert [cell.requires_grad for _, cell in row.cells_and_names()] == [False] * 4
