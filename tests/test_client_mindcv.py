"""mindcv, unchanged: its networks give 2.6's logits and train a step, its optimizers 2.6's losses.

The session `clients` installs mindcv.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

TESTS = Path(__file__).resolve().parent
PROGRAM = TESTS / "clients" / "mindcv_models.py"
OPTIMIZERS = TESTS / "clients" / "mindcv_optimizers.py"
RECORDED: dict[str, Any] = json.loads((TESTS / "vectors" / "mindcv.json").read_text())["models"]
LOSSES: dict[str, Any] = json.loads((TESTS / "vectors" / "mindcv_optimizers.json").read_text())["losses"]
TOLERANCE = 1e-4

pytestmark = pytest.mark.skipif(find_spec("mindcv") is None, reason="mindcv is not installed")


def apart(got: Any, wanted: Any) -> float:
    """The largest difference, relative to the largest wanted value."""
    got, wanted = np.asarray(got), np.asarray(wanted)
    assert got.shape == wanted.shape
    return float(np.abs(got - wanted).max() / np.abs(wanted).max())


def run(program: Path, arguments: Iterable[str]) -> list[dict[str, Any]]:
    """The lines of JSON that a program prints."""
    command = [sys.executable, "-m", "ms_common", "run", str(program), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """What the program prints, run once for all models."""
    return {record["model"]: record for record in run(PROGRAM, RECORDED)}


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


def test_optimizers() -> None:
    (losses,) = run(OPTIMIZERS, LOSSES)
    assert list(losses) == list(LOSSES)
    for name, wanted in LOSSES.items():
        np.testing.assert_allclose(losses[name], wanted, rtol=1e-5, err_msg=name)


@pytest.mark.parametrize("program", [PROGRAM, OPTIMIZERS])
def test_the_programs_contain_nothing_of_ours(program: Path) -> None:
    assert "ms_" not in program.read_text(encoding="utf-8")
