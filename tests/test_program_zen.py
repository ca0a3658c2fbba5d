"""The LSTM on text, unchanged, from the command line: MindSpore 2.6's loss curve, and what it then writes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ZEN = ROOT / "examples" / "zen.py"


@pytest.fixture(scope="module")
def output() -> str:
    command = [sys.executable, "-m", "ms_common", "run", str(ZEN)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_loss_curve_is_the_recorded_one(output: str) -> None:
    recorded = json.loads((ROOT / "tests" / "vectors" / "zen.json").read_text())["losses"]
    losses = [float(value) for value in re.findall(r"^step \d+ loss ([\d.]+)$", output, re.MULTILINE)]
    assert recorded[-1] < recorded[0] / 2
    assert losses[: len(recorded)] == pytest.approx(recorded, abs=1e-4)


def test_knows_the_text_by_heart(output: str) -> None:
    last = float(re.findall(r"loss ([\d.]+)", output)[-1])
    assert last < 0.3
    assert "\nBeautiful is better than " in output


def test_contains_nothing_of_ours() -> None:
    text = ZEN.read_text(encoding="utf-8")
    assert not re.findall(r"\bms_\w+", text)
    assert "import mindspore as ms" in text
