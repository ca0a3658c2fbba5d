"""Saves while the program goes on."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest

import ms_fs
from ms_fs import background, registry
from ms_fs.file_system import FileSystem
from ms_fs.local import LocalBackend


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Files cannot be made until the event is set."""
    event = threading.Event()
    fs = FileSystem()

    def create(path: str) -> Any:
        assert event.wait(30)
        return open(path, "wb")

    fs.create, fs.create_args = create, ()
    monkeypatch.setitem(registry._MADE, "file", LocalBackend(fs))
    return event


def test_the_values_are_those_of_the_call(tmp_path: pathlib.Path, slow: threading.Event) -> None:
    array = np.zeros(5)
    pending = ms_fs.save_in_background({"a": array}, tmp_path / "x.ckpt")
    array += 1
    assert ms_fs.pending() == [pending]
    assert not (tmp_path / "x.ckpt").exists()
    with pytest.raises(TimeoutError):
        pending.result(0.01)
    slow.set()
    pending.result(30)
    assert ms_fs.pending() == []
    assert ms_fs.load(tmp_path / "x.ckpt")["a"].tolist() == [0] * 5  # type: ignore[union-attr]


def test_the_last_of_several_wins(tmp_path: pathlib.Path, slow: threading.Event) -> None:
    made = [ms_fs.save_in_background({"a": i}, tmp_path / "x.ckpt") for i in range(5)]
    slow.set()
    ms_fs.wait()
    assert [pending.is_alive() for pending in made] == [False] * 5
    assert ms_fs.load(tmp_path / "x.ckpt")["a"] == 4


@pytest.mark.parametrize("how", ["thread", "process"])
def test_errors_are_kept_and_logged(how: str, tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture) -> None:
    pending = ms_fs.save_in_background({"a": 1}, tmp_path / "missing" / "x.ckpt", how=how)
    with pytest.raises(FileNotFoundError, match="missing"):
        pending.result(60)
    assert "Failed to save the checkpoint file" in caplog.text


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_by_a_process(format: str, tmp_path: pathlib.Path) -> None:
    items = {"a": np.arange(1_000_000), "b": np.array(True)}
    here, there = tmp_path / f"here.{format}", tmp_path / f"there.{format}"
    ms_fs.save(items, here, crc=True)
    ms_fs.save_in_background(items, there, how="process", crc=True, permissions=0o400).result(60)
    assert here.read_bytes() == there.read_bytes()
    assert os.stat(there).st_mode & 0o777 == 0o400 or os.name != "posix"
    assert sorted(os.listdir(tmp_path)) == [here.name, there.name]


def test_a_stream_that_breaks_off_changes_nothing(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "x.ckpt"
    ms_fs.save({"a": 1}, path)
    before = path.read_bytes()
    for said in (b"", b"\x05\x00", b"\x05\x00\x00\x00abc", b"\x03\x00\x00\x00abc"):
        command = [sys.executable, "-m", "ms_fs._worker", str(path), ""]
        done = subprocess.run(command, input=said, capture_output=True, check=False, timeout=60)
        assert done.returncode == 1
        assert b"has ended" in done.stderr
        assert path.read_bytes() == before
        assert os.listdir(tmp_path) == ["x.ckpt"]


def test_a_process_that_dies_is_an_error(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background.sys, "executable", "/bin/false" if os.path.exists("/bin/false") else "false")
    with pytest.raises(OSError, match="ended with 1"):
        ms_fs.save_in_background({"a": np.zeros(10**6)}, tmp_path / "x.ckpt", how="process").result(60)


def test_arguments(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ValueError, match="'thread' or 'process'"):
        ms_fs.save_in_background({"a": 1}, tmp_path / "x", how="fork")
    with pytest.raises(ValueError, match="do not share"):
        ms_fs.save_in_background({"a": 1}, "memory://x", how="process")
    with pytest.raises(TypeError, match="type of 'a'"):
        ms_fs.save_in_background({"a": None}, tmp_path / "x")
    assert ms_fs.pending() == []
    assert list(tmp_path.iterdir()) == []


def test_the_program_does_not_end_before_the_write(tmp_path: pathlib.Path) -> None:
    program = "import sys, numpy, ms_fs; ms_fs.save_in_background({'a': numpy.arange(10**6)}, sys.argv[1])"
    subprocess.run([sys.executable, "-W", "error", "-c", program, str(tmp_path / "x.ckpt")], check=True, timeout=60)
    assert ms_fs.load(tmp_path / "x.ckpt")["a"].size == 10**6  # type: ignore[union-attr]
