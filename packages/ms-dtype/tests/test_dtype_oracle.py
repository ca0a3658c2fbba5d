"""The recordings, taken again: MS26_PYTHON names the interpreter of an environment that has MindSpore 2.6."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

VECTORS = Path(__file__).with_name("vectors")


@pytest.mark.oracle
@pytest.mark.skipif("MS26_PYTHON" not in os.environ, reason="MS26_PYTHON is not set")
@pytest.mark.parametrize("name", ["dtypes", "promotion"])
def test_recording_is_what_mindspore_says(name: str, tmp_path: Path) -> None:
    made = tmp_path / "made.json"
    command = [os.environ["MS26_PYTHON"], str(VECTORS / f"make_{name}.py"), str(made)]
    subprocess.run(command, check=True, capture_output=True)
    assert json.loads(made.read_text()) == json.loads((VECTORS / f"{name}.json").read_text())
