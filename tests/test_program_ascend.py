"""The digits program on each emulated chip: it learns, and rounds as that chip does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DIGITS = Path(__file__).resolve().parent.parent / "examples" / "digits.py"
PROGRAM = """
import runpy, sys
import ms_common
ms_common.activate()
import mindspore
mindspore.set_device("Ascend")
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
from ms_kernels.targets.ascend import emulator
print("chip:", emulator.running().chip.profile.name)
"""


@pytest.mark.parametrize("profile", ["ascend910b", "ascend910", "ascend310p"])
def test_digits_are_learnt(profile: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(DIGITS), "--epochs", "4"],
        env={**os.environ, "MS_ASCEND_PROFILE": profile},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    accuracy = re.search(r"test accuracy: ([\d.]+)%", done.stdout)
    assert accuracy is not None
    assert float(accuracy[1]) >= 95
    assert f"chip: {profile}" in done.stdout
