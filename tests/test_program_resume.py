"""The resumable example, killed without warning at random moments: it ends in the very state of an undisturbed run."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = Path(__file__).resolve().parents[1] / "examples" / "digits_resume.py"
EPOCHS = 10


def command(folder: Path) -> list[str]:
    return [sys.executable, "-m", "ms_common", "run", str(PROGRAM), str(folder), "--epochs", str(EPOCHS)]


def state(output: str) -> str:
    found = re.search(r"^state: (\w{16})$", output, re.MULTILINE)
    assert found is not None, output
    return found[1]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("undisturbed")
    done = subprocess.run(command(folder), capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout.count("epoch ") == EPOCHS
    assert len(os.listdir(folder)) == 2
    again = subprocess.run(command(folder), capture_output=True, text=True, timeout=300, check=True)
    assert "epoch " not in again.stdout
    assert state(again.stdout) == state(done.stdout)
    return state(done.stdout)


def kill_once(folder: Path, rng: random.Random) -> str | None:
    """Start the program and kill it after a random time; its output if it was faster."""
    with subprocess.Popen(command(folder), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
        assert child.stdout is not None
        first = child.stdout.readline()  # an epoch is over: from here on files are written all the time
        time.sleep(rng.uniform(0, 0.5))
        child.kill()
        output = first + child.stdout.read()
    return output if "state: " in output else None


def check(folder: Path, kills: int, wanted: str, seed: int) -> None:
    rng = random.Random(seed)
    killed = 0
    while killed < kills:
        output = kill_once(folder, rng)
        if output is None:
            killed += 1
            whole = [name for name in os.listdir(folder) if name.endswith(".ckpt")]
            assert len(whole) in (1, 2, 3)  # the third one goes right after its save
        else:
            assert state(output) == wanted
            shutil.rmtree(folder)
    done = subprocess.run(command(folder), capture_output=True, text=True, timeout=300, check=True)
    assert state(done.stdout) == wanted


def test_killed_a_few_times(undisturbed: str, tmp_path: Path) -> None:
    check(tmp_path / "x", 3, undisturbed, 1)


@pytest.mark.slow
def test_killed_fifty_times(undisturbed: str, tmp_path: Path) -> None:
    check(tmp_path / "x", 50, undisturbed, 2)
