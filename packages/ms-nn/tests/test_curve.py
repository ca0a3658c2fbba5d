"""The program that recorded 2.6's losses, run on these packages, gives the same losses."""

from __future__ import annotations

import importlib.util
import json
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import ms_generator
import ms_nn
from ms_kernels import Tensor, value_and_grad

VECTORS = Path(__file__).parent / "vectors"
RECORDED = json.loads((VECTORS / "curve.json").read_text())


@pytest.mark.parametrize("kind", ["cnn", "mlp"])
def test_losses(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mindspore = types.ModuleType("mindspore")
    parts = {"nn": ms_nn, "Tensor": Tensor, "value_and_grad": value_and_grad, "set_seed": ms_generator.set_seed}
    vars(mindspore).update(parts)
    monkeypatch.setitem(sys.modules, "mindspore", mindspore)
    spec = importlib.util.spec_from_file_location("make_curve", VECTORS / "make_curve.py")
    assert spec is not None and spec.loader is not None
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    np.testing.assert_allclose(program.losses(kind), RECORDED[kind], rtol=1e-5, atol=1e-5)
