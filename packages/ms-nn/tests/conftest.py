"""Programs written for MindSpore, run on these packages: their results are compared with what 2.6 itself gave."""

from __future__ import annotations

import importlib.util
import json
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ms_dtype
import ms_generator
import ms_kernels
import ms_nn
import ms_nn.amp
import ms_nn.dataset
import ms_nn.train

VECTORS = Path(__file__).parent / "vectors"


def _stand_in() -> dict[str, types.ModuleType]:
    top = types.ModuleType("mindspore")
    parts = {"nn": ms_nn, "train": ms_nn.train, "amp": ms_nn.amp, "dataset": ms_nn.dataset}
    for source in (ms_kernels, ms_dtype, ms_generator):
        vars(top).update({name: getattr(source, name) for name in source.__all__})
    vars(top).update(parts)
    return {"mindspore": top, **{f"mindspore.{name}": module for name, module in parts.items()}}


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], tuple[Any, Any]]:
    """(the program vectors/make_NAME.py, what it recorded with 2.6)."""

    def load(name: str) -> tuple[Any, Any]:
        for path, module in _stand_in().items():
            monkeypatch.setitem(sys.modules, path, module)
        spec = importlib.util.spec_from_file_location(f"make_{name}", VECTORS / f"make_{name}.py")
        assert spec is not None and spec.loader is not None
        program = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(program)
        return program, json.loads((VECTORS / f"{name}.json").read_text())

    return load


@pytest.fixture
def compare() -> Callable[[Any, Any], None]:
    """Assert that a result is the recorded one: numbers to 1e-5, all else exactly."""

    def check(got: Any, want: Any) -> None:
        if isinstance(want, dict):
            assert isinstance(got, dict) and got.keys() == want.keys()
            for key in want:
                check(got[key], want[key])
        elif isinstance(want, list):
            assert isinstance(got, (list, tuple)) and len(got) == len(want)
            for one, other in zip(got, want):
                check(one, other)
        elif isinstance(want, float):
            assert got == pytest.approx(want, rel=1e-5, abs=1e-6, nan_ok=True)
        else:
            assert got == want

    return check
