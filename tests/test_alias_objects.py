"""Objects met through the alias: one identity under every spelling, pickles, sources."""

from __future__ import annotations

import copy
import importlib
import inspect
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ms_common
import ms_dtype
import ms_kernels
import ms_nn


@pytest.fixture(autouse=True)
def alias() -> Iterator[None]:
    ms_common.activate()
    yield
    ms_common.deactivate()


def found(spelling: str) -> Any:
    """The object behind a spelling such as `mindspore.common.tensor:Tensor`."""
    module, _, name = spelling.partition(":")
    return getattr(importlib.import_module(module), name)


SPELLINGS = {
    "Tensor": ["mindspore:Tensor", "mindspore.common:Tensor", "mindspore.common.tensor:Tensor"],
    "Parameter": ["mindspore:Parameter", "mindspore.common:Parameter", "mindspore.common.parameter:Parameter"],
    "ParameterTuple": ["mindspore:ParameterTuple", "mindspore.common.parameter:ParameterTuple"],
    "Generator": ["mindspore:Generator", "mindspore.common:Generator", "mindspore.common.generator:Generator"],
    "from_numpy": ["mindspore:from_numpy", "mindspore.common:from_numpy", "ms_kernels:from_numpy"],
    "float32": ["mindspore:float32", "mindspore.common:float32", "mindspore.common.dtype:float32"],
    "QuantDtype": ["mindspore:QuantDtype", "mindspore.common.dtype:QuantDtype"],
    "Symbol": ["mindspore:Symbol", "mindspore.common:Symbol", "mindspore.common.symbol:Symbol"],
    "set_seed": ["mindspore:set_seed", "mindspore.common:set_seed", "mindspore.common.seed:set_seed"],
    "add": ["mindspore.ops:add", "mindspore.ops.functional:add"],
    "Add": ["mindspore.ops:Add", "mindspore.ops.operations:Add"],
    "Primitive": ["mindspore.ops:Primitive", "mindspore.ops.primitive:Primitive"],
    "value_and_grad": ["mindspore:value_and_grad", "mindspore.ops:value_and_grad"],
    "set_context": ["mindspore:set_context", "mindspore.context:set_context"],
    "get_level": ["mindspore:get_level", "mindspore.log:get_level"],
}


@pytest.mark.parametrize("spellings", SPELLINGS.values(), ids=list(SPELLINGS))
def test_one_object_under_every_spelling(spellings: list[str]) -> None:
    first, *others = [found(spelling) for spelling in spellings]
    for other in others:
        assert other is first


def test_isinstance_across_spellings() -> None:
    import mindspore as ms
    from mindspore import nn, ops

    parameter = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
    for spelling in [*SPELLINGS["Tensor"], *SPELLINGS["Parameter"]]:
        assert isinstance(parameter, found(spelling))
        assert not isinstance(parameter, found("mindspore:ParameterTuple"))
    assert isinstance(parameter, ms_kernels.Parameter)
    assert isinstance(ms.float32, ms_dtype.Type)
    assert isinstance(nn.ReLU(), ms_nn.Cell)
    assert isinstance(ops.Add(), ms_kernels.Primitive)


def test_tensor_and_parameter_carry_the_names_of_2_6() -> None:
    import mindspore as ms

    assert repr(ms.Tensor) == "<class 'mindspore.common.tensor.Tensor'>"
    assert repr(ms.Parameter) == "<class 'mindspore.common.parameter.Parameter'>"
    # All others tell where they really are.
    for thing, package in ((ms.nn.Dense, "ms_nn"), (ms.Generator, "ms_generator"), (ms.Symbol, "ms_dynshape")):
        assert thing.__module__.partition(".")[0] == package
        assert getattr(sys.modules[thing.__module__], thing.__name__) is thing


def things() -> dict[str, Any]:
    import mindspore as ms
    from mindspore import nn, ops

    return {
        "Tensor": ms.Tensor([[1.0, 2.0]], ms.float16),
        "Parameter": ms.Parameter(ms.Tensor([3], ms.int64), name="w", requires_grad=False),
        "class Tensor": ms.Tensor,
        "class Parameter": ms.Parameter,
        "dtype": ms.bfloat16,
        "Cell": nn.Dense(2, 3),
        "class Cell": nn.Cell,
        "Generator": ms.Generator(),
        "Symbol": ms.Symbol,
        "function of ops": ops.add,
        "function of mint": ms.mint.add,
        "class Primitive": ops.Add,
        "Primitive": ops.ReduceSum(keep_dims=True),
        "set_seed": ms.set_seed,
    }


# Read in an interpreter with (argument 1) or without the alias.
READER = """
import pickle, sys
import ms_common
if sys.argv[1] == "with":
    ms_common.activate()
for name, data in pickle.load(sys.stdin.buffer).items():
    value = pickle.loads(data)
    shown = [type(value).__name__]
    if name in ("Tensor", "Parameter"):
        shown += [value.asnumpy().tolist(), str(value.dtype)]
    if name == "Parameter":
        shown += [value.name, value.requires_grad]
    print(name, *shown, sep="|")
print(sorted(m for m in sys.modules if m.partition(".")[0] == "mindspore"))
"""


@pytest.mark.parametrize("mode", ["with", "without"])
def test_pickles_with_and_without_the_alias(mode: str) -> None:
    pickles = {name: pickle.dumps(value) for name, value in things().items()}
    assert not [name for name, data in pickles.items() if b"mindspore" in data]
    done = subprocess.run(
        [sys.executable, "-c", READER, mode], input=pickle.dumps(pickles), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    *lines, modules = done.stdout.decode().splitlines()
    assert modules == "[]"
    extra = {"Tensor": "|[[1.0, 2.0]]|Float16", "Parameter": "|[3]|Int64|w|False"}
    assert lines == [f"{name}|{type(value).__name__}{extra.get(name, '')}" for name, value in things().items()]


def test_pickles_of_what_there_is_once() -> None:
    for name, value in things().items():
        again = pickle.loads(pickle.dumps(value))
        assert type(again) is type(value)
        if isinstance(value, type) or name in ("dtype", "function of ops", "function of mint", "set_seed", "Symbol"):
            assert again is value


def test_deepcopy() -> None:
    for value in things().values():
        assert type(copy.deepcopy(value)) is type(value)


def test_written_without_and_read_with_the_alias() -> None:
    tensor = ms_kernels.Tensor(np.arange(3, dtype=np.int32))
    ms_common.deactivate()
    data = pickle.dumps(tensor)
    ms_common.activate()
    import mindspore as ms

    again = pickle.loads(data)
    assert isinstance(again, ms.Tensor)
    assert again.asnumpy().tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "spelling, words",
    [
        ("mindspore:Tensor", "class Tensor"),
        ("mindspore:Parameter", "class Parameter"),
        ("mindspore.nn:Dense", "class Dense"),
        ("mindspore.nn:Cell", "class Cell"),
        ("mindspore:set_seed", "def set_seed"),
        ("mindspore:set_context", "def set_context"),
        ("mindspore.common.initializer:initializer", "def initializer"),
        ("mindspore.ops:Primitive", "class Primitive"),
    ],
)
def test_source_can_be_read(spelling: str, words: str) -> None:
    thing = found(spelling)
    assert words in inspect.getsource(thing)
    file = Path(inspect.getfile(thing))
    assert file.is_file()
    assert "mindspore" not in file.parts
    assert inspect.getdoc(thing)


def test_source_of_the_users_own_cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_cell.py").write_text(
        "from mindspore import nn\n\n\nclass Own(nn.Cell):\n    def construct(self, x):\n        return x + 1\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(tmp_path)
    own = importlib.import_module("own_cell").Own
    assert inspect.getsource(own.construct).strip().startswith("def construct(self, x):")
    del sys.modules["own_cell"]
