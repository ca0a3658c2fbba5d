"""The Transformer example, unchanged, from the command line: it learns, with 2.6's losses on the way."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

TESTS = Path(__file__).resolve().parent
PROGRAM = TESTS.parent / "examples" / "transformer.py"
RECORDED: dict[str, Any] = json.loads((TESTS / "vectors" / "programs.json").read_text())["transformer"]


def run(*args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ms_common", "run", str(PROGRAM), *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def test_reaches_its_accuracy() -> None:
    done = run()
    assert done.returncode == 0, done.stderr
    accuracy = re.search(r"test accuracy: ([\d.]+)%", done.stdout)
    assert accuracy is not None
    assert float(accuracy[1]) >= 92


def test_losses_are_those_of_2_6(tmp_path: Path) -> None:
    done = run(*RECORDED["arguments"], "--losses", str(tmp_path / "losses.json"))
    assert done.returncode == 0, done.stderr
    losses = json.loads((tmp_path / "losses.json").read_text())
    wanted = RECORDED["losses"]
    assert len(losses) == 44
    assert len(wanted) == 33
    np.testing.assert_allclose(losses[: len(wanted)], wanted, rtol=1e-4)


def test_contains_nothing_of_ours() -> None:
    text = PROGRAM.read_text(encoding="utf-8")
    assert not re.findall(r"\bms_\w+", text)
    assert "import mindspore as ms" in text


@pytest.mark.parametrize("argument", ["--epochs=x", "--nosuch"])
def test_its_own_arguments_reach_it(argument: str) -> None:
    done = run(argument)
    assert done.returncode == 2
    assert "transformer.py: error:" in done.stderr
