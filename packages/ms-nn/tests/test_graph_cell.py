"""GraphCell: a Cell of a MindIR program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ms_jit.mindir import export, load
from ms_kernels import Tensor
from ms_nn import Cell, Conv2d, Dense, Flatten, GraphCell, MaxPool2d, ReLU, SequentialCell


def image() -> Any:
    return Tensor((np.arange(36) % 7).reshape(1, 1, 6, 6).astype(np.float32))


def network() -> Cell:
    return SequentialCell(Conv2d(1, 2, 3, has_bias=True), ReLU(), MaxPool2d(2, 2), Flatten(), Dense(18, 3))


@pytest.fixture
def file(tmp_path: Path) -> tuple[Cell, str]:
    net = network()
    name = str(tmp_path / "net.mindir")
    export(net, image(), file_name=name, file_format="MINDIR")
    return net, name


def test_it_gives_what_the_network_gave(file: tuple[Cell, str]) -> None:
    net, name = file
    cell = GraphCell(load(name))
    assert np.array_equal(cell(image()).asnumpy(), net(image()).asnumpy())
    own, other = cell.parameters_dict(), net.parameters_dict()
    assert {k: v.asnumpy().tolist() for k, v in own.items()} == {k: v.asnumpy().tolist() for k, v in other.items()}


def test_cells_of_one_program_have_weights_of_their_own(file: tuple[Cell, str]) -> None:
    _, name = file
    graph = load(name)
    key = next(key for key in graph.parameters if key.endswith("bias"))
    cell, other = GraphCell(graph), GraphCell(graph, {key: graph.parameters[key] + 100})
    assert float(other.parameters_dict()[key][0]) > 90 > float(cell.parameters_dict()[key][0])
    before = cell(image()).asnumpy()
    cell.parameters_dict()[key].set_data(graph.parameters[key] + 100)
    assert not np.array_equal(cell(image()).asnumpy(), before)
    assert np.array_equal(cell(image()).asnumpy(), other(image()).asnumpy())


@pytest.mark.parametrize(
    ("kwargs", "error", "text"),
    [
        ({"graph": 1}, TypeError, "must be a FuncGraph loaded from MindIR, but got type <class 'int'>."),
        ({"params_init": [1]}, TypeError, "the argument 'params_init' must be a dict, but got <class 'list'>."),
        (
            {"params_init": {"w": 1}},
            TypeError,
            "the value must be Tensor or Parameter, but got the key type: <class 'str'>",
        ),
        ({"params_init": {1: Tensor([1.0])}}, TypeError, "the key of the 'params_init' must be str"),
        ({"obf_random_seed": 3}, ValueError, "the 'obf_random_seed' must be None"),
    ],
)
def test_errors(kwargs: Any, error: type[Exception], text: str, file: tuple[Cell, str]) -> None:
    with pytest.raises(error) as caught:
        GraphCell(**{"graph": load(file[1]), **kwargs})
    assert text in str(caught.value)


def test_wrong_inputs(file: tuple[Cell, str]) -> None:
    with pytest.raises(RuntimeError, match="Mindir:1 inputs: 2"):
        GraphCell(load(file[1]))(image(), image())
