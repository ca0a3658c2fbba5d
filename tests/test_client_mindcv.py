"""Networks of mindcv, unchanged: 2.6's logits, and a training step of each. The session `clients` installs mindcv."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

TESTS = Path(__file__).resolve().parent
PROGRAM = TESTS / "clients" / "mindcv_models.py"
RECORDED: dict[str, Any] = json.loads((TESTS / "vectors" / "mindcv.json").read_text())["models"]
TOLERANCE = 1e-4

pytestmark = pytest.mark.skipif(find_spec("mindcv") is None, reason="mindcv is not installed")


def apart(got: Any, wanted: Any) -> float:
    """The largest difference, relative to the largest wanted value."""
    got, wanted = np.asarray(got), np.asarray(wanted)
    assert got.shape == wanted.shape
    return float(np.abs(got - wanted).max() / np.abs(wanted).max())


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """What the program prints, run once for all models."""
    command = [sys.executable, "-m", "ms_common", "run", str(PROGRAM), *RECORDED]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    records = [json.loads(line) for line in done.stdout.splitlines()]
    return {record["model"]: record for record in records}


@pytest.mark.parametrize("model", list(RECORDED))
def test_logits_and_first_loss(found: dict[str, Any], model: str) -> None:
    wanted, got = RECORDED[model], found[model]
    assert apart(got["logits"], wanted["logits"]) <= TOLERANCE
    if wanted["steady"]:  # else it drops values at random, and 2.6's CPU draws those from a generator of its own
        assert got["steady"]
        assert apart([got["loss"]], [wanted["loss"]]) <= TOLERANCE


@pytest.mark.parametrize("model", list(RECORDED))
def test_a_step_moves_the_parameters(found: dict[str, Any], model: str) -> None:
    wanted, got = RECORDED[model], found[model]
    assert got["finite"]
    assert got["parameters"] == wanted["parameters"]
    assert got["moved"] >= 0.9 * wanted["moved"]  # some gradients are 0 but for rounding


def test_the_program_contains_nothing_of_ours() -> None:
    assert "ms_" not in PROGRAM.read_text(encoding="utf-8")
