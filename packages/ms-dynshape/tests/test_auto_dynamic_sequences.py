"""Automatic dynamic shape on generated call sequences: recorded ones, and live beside MindSpore 2.6."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ms_dynshape import auto_dynamic_shape, mutable

VECTORS = Path(__file__).parent / "vectors"


def _load(file: Path) -> Any:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make = _load(VECTORS / "make_auto_dynamic.py")
RECORDS = json.loads((VECTORS / "auto_dynamic.json").read_text(encoding="utf-8"))


class Tensor:
    """Has what makes a tensor."""

    def __init__(self, shape: Any, dtype: str) -> None:
        self.shape = tuple(shape)
        self.dtype = dtype

    def asnumpy(self) -> None: ...


class Parameter(Tensor):
    """Has what makes a Parameter."""

    name = "p"
    requires_grad = True


def _tensor(kind: type[Tensor], dtype: str, *shape: int) -> Tensor:
    return kind(shape, dtype)


NAMES: dict[str, Any] = {name: partial(_tensor, Tensor, dtype) for name, dtype in make.DTYPES.items()}
NAMES |= {"mutable": mutable, "P": partial(_tensor, Parameter, "float32")}


@pytest.fixture(autouse=True)
def _restore(monkeypatch: pytest.MonkeyPatch) -> None:
    """Playing replaces the executors and fills the table of keys."""
    for name in ("GraphExecutor_", "JitExecutor_"):
        monkeypatch.setattr(auto_dynamic_shape, name, getattr(auto_dynamic_shape, name))
    monkeypatch.setattr(auto_dynamic_shape, "auto_dynamic_shape_dict", {})


def check(record: dict[str, Any]) -> None:
    got = make.play(record, auto_dynamic_shape, NAMES)
    for call, mine, theirs in zip(record["calls"], got["steps"], record["steps"], strict=True):
        assert mine == theirs, call
    assert got == {key: record[key] for key in got}


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: str(record["calls"][0][0]))
def test_recorded(record: dict[str, Any]) -> None:
    check(record)


def test_the_record_holds_what_matters() -> None:
    steps = [step for record in RECORDS for step in record["steps"]]
    assert sum("-1" in text for text, _, _ in steps) > 100
    assert sum("(-2)" in text for text, _, _ in steps) > 100
    assert sum(bool(dropped) for _, _, dropped in steps) > 100
    assert sum(not on for _, on, _ in steps) > 100
    assert {record["kept"] for record in RECORDS} == {3, 4, 5}


@pytest.mark.oracle
@pytest.mark.parametrize("seed", [1001, 1002])
def test_live(seed: int, tmp_path: Path) -> None:
    if "MS26_PYTHON" not in os.environ:
        pytest.skip("MS26_PYTHON is not set")
    file = tmp_path / "live.json"
    command = [os.environ["MS26_PYTHON"], str(VECTORS / "make_auto_dynamic.py"), str(seed), "1500", str(file)]
    subprocess.run(command, check=True, capture_output=True, timeout=300, cwd=tmp_path)
    records = json.loads(file.read_text(encoding="utf-8"))
    assert len(records) == 1500
    for record in records:
        check(record)
