"""Every write, flush, sync, close and rename of a save fails once: the old file stays whole, and nothing is left."""

from __future__ import annotations

import errno
import os
import pathlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import ms_fs
from ms_fs import crypto, registry
from ms_fs.file_system import FileSystem
from ms_fs.local import LocalBackend

ERRORS = (errno.ENOSPC, errno.EIO)
OLD = {"a": np.arange(3), "b": np.ones((2, 2), np.float32)}
NEW = {"a": np.arange(50_000), "b": np.zeros((40, 40), np.float32), "c": np.array(True), "d": np.zeros((0, 3))}


class Plan:
    """Counts the calls into the system; the one numbered `fail` fails, or, with `short`, takes one byte."""

    def __init__(self, fail: int = -1, code: int = errno.EIO, short: bool = False) -> None:
        self.fail, self.code, self.short = fail, code, short
        self.calls: list[str] = []

    def step(self, what: str) -> bool:
        """Whether this call takes less than it should."""
        self.calls.append(what)
        if len(self.calls) - 1 == self.fail:
            if self.short and what == "write":
                return True
            raise OSError(self.code, os.strerror(self.code))
        return False


class Faulty:
    """A file whose calls follow a plan."""

    def __init__(self, plan: Plan, path: str) -> None:
        self._plan = plan
        self._file = open(path, "wb", buffering=0)  # noqa: SIM115  # closed by whoever asked for it

    def write(self, data: Any) -> int:
        if self._plan.step("write"):
            return self._file.write(data[:1])
        return self._file.write(data)

    def flush(self) -> None:
        self._plan.step("flush")

    def fileno(self) -> int:
        return self._file.fileno()

    def close(self) -> None:
        self._file.close()
        if "close" not in self._plan.calls:
            self._plan.step("close")


@pytest.fixture
def run(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Plan]]:
    """Save NEW over OLD by a plan."""
    real = {name: getattr(os, name) for name in ("fsync", "replace", "chmod")}

    def attempt(path: pathlib.Path, plan: Plan, **options: Any) -> Plan:
        fs = FileSystem()
        fs.create, fs.create_args = (lambda name: Faulty(plan, name)), ()
        monkeypatch.setitem(registry._MADE, "file", LocalBackend(fs))
        for name in real:

            def call(*args: Any, _name: str = name, **kwargs: Any) -> Any:
                plan.step(_name)
                return real[_name](*args, **kwargs)

            monkeypatch.setattr(os, name, call)
        try:
            ms_fs.save(NEW, path, permissions=0o600, **options)
        finally:
            for name, function in real.items():
                monkeypatch.setattr(os, name, function)
        return plan

    yield attempt
    monkeypatch.undo()


CASES = [
    ("x.ckpt", {}),
    ("x.ckpt", {"crc": True}),
    ("x.safetensors", {}),
    ("x.ckpt", {"key": b"0123456789abcdef"}),
    ("x.ckpt", {"key": b"0123456789abcdef", "mode": "SM4-CBC"}),
]


def same(found: dict[str, Any], wanted: dict[str, Any]) -> bool:
    return found.keys() == wanted.keys() and all(np.array_equal(found[name], wanted[name]) for name in wanted)


@pytest.mark.parametrize(("name", "options"), CASES, ids=["ckpt", "crc", "safetensors", "gcm", "sm4"])
def test_every_call_fails_once(
    tmp_path: pathlib.Path,
    run: Callable[..., Plan],
    name: str,
    options: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if "key" in options:
        pytest.importorskip("cryptography")
        monkeypatch.setattr(crypto, "BLOCK", 1 << 16)
    path = tmp_path / name
    calls = run(path, Plan(), **options).calls
    assert {"write", "flush", "fsync", "close", "chmod", "replace"} <= set(calls)
    assert calls[-1] == "fsync"  # of the folder, after the rename
    keys = {k: v for k, v in options.items() if k in ("key", "mode")}
    for index, what in enumerate(calls[:-1]):
        for code in ERRORS:
            os.chmod(path, 0o600)
            path.unlink()
            ms_fs.save(OLD, path)
            before = path.read_bytes()
            with pytest.raises(OSError, match=name) as caught:
                run(path, Plan(index, code), **options)
            assert caught.value.errno == code, what
            assert path.read_bytes() == before, f"{what}, call {index}"
            assert os.listdir(tmp_path) == [name], f"{what}, call {index}"
    for index, what in enumerate(calls):
        if what == "write":  # a short write is no error: the rest is written by the next one
            run(path, Plan(index, short=True), **options)
            assert same(ms_fs.load(path, **keys), NEW)


def test_a_folder_that_cannot_be_synced_is_told(
    tmp_path: pathlib.Path, run: Callable[..., Plan], caplog: pytest.LogCaptureFixture
) -> None:
    """By then the new file is in its place, and whole."""
    path = tmp_path / "x.ckpt"
    ms_fs.save(OLD, path)
    last = len(run(path, Plan()).calls) - 1
    run(path, Plan(last))
    assert same(ms_fs.load(path), NEW)
    assert os.listdir(tmp_path) == ["x.ckpt"]
    assert "could not be brought to the disk" in caplog.text


@pytest.mark.parametrize("taken", [0, -1])
def test_a_file_that_takes_nothing_is_an_error(taken: int) -> None:
    class Full:
        def write(self, data: Any) -> int:
            return taken

    with pytest.raises(OSError, match="takes no more"):
        ms_fs.Sink(Full()).write(b"abc")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
def test_a_full_device(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fs = FileSystem()
    fs.create, fs.create_args = (lambda path: open("/dev/full", "wb")), ()  # noqa: SIM115
    monkeypatch.setitem(registry._MADE, "file", LocalBackend(fs))
    with pytest.raises(OSError, match=r"No space left on device: '.*x\.ckpt'"):
        ms_fs.save(NEW, tmp_path / "x.ckpt")
    assert os.listdir(tmp_path) == []


def test_memory_storage_keeps_the_old_file(monkeypatch: pytest.MonkeyPatch) -> None:
    import fsspec

    ms_fs.save(OLD, "memory://faulty/x.ckpt")
    system = fsspec.filesystem("memory")

    def fail(*args: Any, **kwargs: Any) -> None:
        raise OSError(errno.EIO, "broken")

    monkeypatch.setattr(type(system), "mv", fail)
    with pytest.raises(OSError, match="broken"):
        ms_fs.save(NEW, "memory://faulty/x.ckpt")
    assert same(ms_fs.load("memory://faulty/x.ckpt"), OLD)
    assert ms_fs.resolve("memory://faulty")[0].list("memory://faulty") == ["x.ckpt"]
