"""One tensor of 2 GB: memory stays near its size in both directions."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

PROGRAM = """
import resource, sys
import numpy as np
import ms_fs

path, size, what = sys.argv[1], int(sys.argv[2]), sys.argv[3]
base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
if what == "save":
    array = np.arange(size // 4, dtype=np.int32)
    array = array.reshape(-1, 4).T if path.endswith("t.ckpt") else array  # a layout that cannot be written as it is
    ms_fs.save({"a": array, "b": np.ones(3)}, path)
else:
    array = ms_fs.load(path)["a"]
    assert array.shape == ((4, size // 16) if path.endswith("t.ckpt") else (size // 4,))
    last = array.reshape(-1)[-1] if array.flags.c_contiguous else array[-1, -1]
    assert int(last) == size // 4 - 1
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - base) / size)
"""


def check(folder: pathlib.Path, name: str, size: int) -> None:
    for what in ("save", "load"):
        command = [sys.executable, "-c", PROGRAM, str(folder / name), str(size), what]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        assert done.returncode == 0, done.stderr
        assert float(done.stdout) < 1.2, what
    (folder / name).unlink()


NAMES = ["x.ckpt", "t.ckpt", "x.safetensors"]


@pytest.mark.skipif(sys.platform != "linux", reason="measures as Linux counts")
@pytest.mark.parametrize("name", NAMES)
def test_memory(tmp_path: pathlib.Path, name: str) -> None:
    check(tmp_path, name, 1 << 26)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="measures as Linux counts")
@pytest.mark.parametrize("name", NAMES)
def test_memory_of_two_gigabytes(tmp_path: pathlib.Path, name: str) -> None:
    check(tmp_path, name, 1 << 31)
