"""The example program, unchanged, from the command line."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

TESTS = Path(__file__).resolve().parent
DIGITS = TESTS.parent / "examples" / "digits.py"


def run(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ms_common", "run", str(DIGITS), *args],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_reaches_its_accuracy() -> None:
    done = run("--device", "CPU")
    assert done.returncode == 0, done.stderr
    accuracy = re.search(r"test accuracy: ([\d.]+)%", done.stdout)
    speed = re.search(r"images per second: (\d+)", done.stdout)
    assert accuracy is not None
    assert float(accuracy[1]) >= 97
    assert speed is not None
    assert int(speed[1]) > 0
    assert "epoch 10: 100%" in done.stderr


def last_losses(text: str) -> dict[str, str]:
    """The loss at the end of each epoch; a bar that is full may be drawn once or twice."""
    return dict(re.findall(r"epoch +(\d+):[^\r\n]*22/22[^\r\n]*loss=([\d.]+)", text))


def test_seed_makes_runs_equal() -> None:
    losses = [last_losses(run("--epochs", "2").stderr) for _ in range(2)]
    assert list(losses[0]) == ["1", "2"]
    assert losses[0] == losses[1]


def test_losses_are_those_of_2_6(tmp_path: Path) -> None:
    recorded = json.loads((TESTS / "vectors" / "programs.json").read_text())["digits"]
    done = run(*recorded["arguments"], "--losses", str(tmp_path / "losses.json"))
    assert done.returncode == 0, done.stderr
    losses = json.loads((tmp_path / "losses.json").read_text())
    assert len(losses) == len(recorded["losses"]) == 44
    np.testing.assert_allclose(losses, recorded["losses"], rtol=1e-4)


def test_contains_nothing_of_ours() -> None:
    text = DIGITS.read_text(encoding="utf-8")
    assert not re.findall(r"\bms_\w+", text)
    assert "import mindspore as ms" in text


@pytest.mark.parametrize("argument", ["--epochs=x", "--nosuch"])
def test_its_own_arguments_reach_it(argument: str) -> None:
    done = run(argument)
    assert done.returncode == 2
    assert "digits.py: error:" in done.stderr
