"""The alias inside a pytest run: switched on by a conftest, or by running pytest under the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TEST = """\
import mindspore as ms
import pytest
from mindspore import Tensor, ops


@pytest.mark.parametrize("dtype", [ms.float32, ms.int8])
def test_add(dtype):
    assert ops.add(Tensor([1, 2], dtype), Tensor([1, 2], dtype)).asnumpy().tolist() == [2, 4]


def test_patching_reaches_the_code(monkeypatch):
    from mindspore.common import dtype

    monkeypatch.setattr(dtype, "np_version_valid", lambda verbose: False)
    with pytest.raises(TypeError):
        dtype.dtype_to_nptype(ms.bfloat16)


def test_patch_is_undone():
    assert ms.dtype_to_nptype(ms.bfloat16).__name__ == "bfloat16"


def test_warnings(recwarn):
    with pytest.raises(ImportError, match="nosuch"):
        from mindspore import nosuch
    assert not list(recwarn)


def test_skip_of_what_is_missing():
    with pytest.raises(pytest.skip.Exception):
        pytest.importorskip("mindspore.nosuch")
"""


@pytest.mark.parametrize("how", ["conftest", "command line"])
def test_a_test_file(tmp_path: Path, how: str) -> None:
    (tmp_path / "test_it.py").write_text(TEST, encoding="utf-8")
    command = [sys.executable, "-m", "ms_common", "run", "-m"]
    if how == "conftest":
        (tmp_path / "conftest.py").write_text("import ms_common\n\nms_common.activate()\n", encoding="utf-8")
        command = [sys.executable, "-m"]
    done = subprocess.run(
        [*command, "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 passed" in done.stdout
