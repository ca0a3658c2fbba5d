"""The backends that come along keep the contract; the registry finds them."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import time
import uuid
from importlib.metadata import EntryPoint
from typing import Any

import numpy as np
import pytest

import ms_fs
from ms_fs import registry
from ms_fs.local import LocalBackend
from ms_fs.remote import FsspecBackend
from ms_fs.spec import Backend
from ms_fs.testing import BackendContract


class TestLocal(BackendContract):
    @pytest.fixture
    def place(self, tmp_path: pathlib.Path) -> tuple[Backend, str]:
        return LocalBackend(), str(tmp_path)


class TestMemory(BackendContract):
    @pytest.fixture
    def place(self) -> tuple[Backend, str]:
        return FsspecBackend("memory"), f"memory://{uuid.uuid4().hex}"


class TestFilesOfFsspec(BackendContract):
    @pytest.fixture
    def place(self, tmp_path: pathlib.Path) -> tuple[Backend, str]:
        return FsspecBackend("file"), f"file://{tmp_path.as_posix()}"


# -- the registry ------------------------------------------------------------------------------------------------------


class Custom(LocalBackend):
    name = "custom"


@pytest.fixture
def free_name() -> Any:
    name = "x" + uuid.uuid4().hex
    yield name
    if name in ms_fs.known:
        ms_fs.unregister(name)


def test_lazy_names_are_imported_when_used(free_name: str) -> None:
    ms_fs.register(free_name, "no_such_module:Thing")
    assert free_name in ms_fs.known
    with pytest.raises(ModuleNotFoundError):
        ms_fs.backend(free_name)


def test_duplicates_are_refused(free_name: str) -> None:
    ms_fs.register(free_name, Custom)
    with pytest.raises(ValueError, match="must be free"):
        ms_fs.register(free_name, Custom)
    first = ms_fs.backend(free_name)
    assert ms_fs.backend(free_name) is first
    ms_fs.register(free_name, Custom, replace=True)
    assert ms_fs.backend(free_name) is not first
    with pytest.raises(ValueError, match="must be free"):
        ms_fs.register("file", Custom)


@pytest.mark.parametrize("made", [3, object, None])
def test_only_backends_are_taken(free_name: str, made: Any) -> None:
    with pytest.raises(TypeError, match="must be a Backend"):
        ms_fs.register(free_name, made)
    ms_fs.register(free_name, "collections:OrderedDict")
    with pytest.raises(TypeError, match="must be a Backend"):
        ms_fs.backend(free_name)


@pytest.mark.parametrize("name", ["", "a b", "a://", 3])
def test_names_are_protocols(name: Any) -> None:
    with pytest.raises(ValueError, match="letters and digits"):
        ms_fs.register(name, Custom)


@pytest.mark.parametrize("made", ["module", ":Class", "module:"])
def test_lazy_names_have_two_parts(free_name: str, made: str) -> None:
    with pytest.raises(ValueError, match="module:Class"):
        ms_fs.register(free_name, made)


def test_the_outside_view_is_read_only() -> None:
    with pytest.raises(TypeError):
        ms_fs.known["x"] = Custom  # type: ignore[index]
    with pytest.raises(KeyError):
        ms_fs.unregister("nobody")


def test_plug_ins(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    name = "p" + uuid.uuid4().hex
    points = [EntryPoint(name, "ms_fs.local:LocalBackend", registry.GROUP)]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points if group == registry.GROUP else [])
    backend, inner = ms_fs.resolve(f"{name}://{tmp_path}/x")
    assert type(backend) is LocalBackend
    assert inner == f"{tmp_path}/x"
    twice = "q" + uuid.uuid4().hex
    points += [EntryPoint(twice, "a:B", registry.GROUP), EntryPoint(twice, "a:C", registry.GROUP)]
    with pytest.raises(ValueError, match="must have one plug-in, but got several: a:B, a:C"):
        ms_fs.backend(twice)


def test_unknown_protocols() -> None:
    with pytest.raises(ValueError, match="nosuchprotocol"):
        ms_fs.resolve("nosuchprotocol://x")


def test_a_registered_backend_serves_urls(free_name: str, tmp_path: pathlib.Path) -> None:
    ms_fs.register(free_name, Custom())
    ms_fs.save({"a": 1}, f"{free_name}://{tmp_path}/x.ckpt")
    assert (tmp_path / "x.ckpt").exists()
    assert ms_fs.load(f"{free_name}://{tmp_path}/x.ckpt")["a"] == 1


def test_chained_urls_can_be_read(tmp_path: pathlib.Path) -> None:
    name = uuid.uuid4().hex
    ms_fs.save({"a": np.arange(5)}, f"memory://{name}.ckpt")
    found = ms_fs.load(f"simplecache::memory://{name}.ckpt")
    assert found["a"].tolist() == [0, 1, 2, 3, 4]  # type: ignore[union-attr]


# -- paths -------------------------------------------------------------------------------------------------------------


def test_paths_of_all_kinds(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    for path in (
        tmp_path / "a.ckpt",
        str(tmp_path / "b.ckpt"),
        "c.ckpt",
        pathlib.Path("d.ckpt"),
        "~/e.ckpt",
        f"file://{tmp_path}/f.ckpt",
        f"local://{tmp_path}/g.ckpt",
    ):
        ms_fs.save({"x": np.arange(3)}, path)
        assert ms_fs.load(path)["x"].tolist() == [0, 1, 2]  # type: ignore[union-attr]
    assert sorted(os.listdir(tmp_path)) == [f"{c}.ckpt" for c in "abcdefg"]


@pytest.mark.parametrize(("path", "error"), [(3, TypeError), (b"x", TypeError), ("", ValueError), (None, TypeError)])
def test_what_is_no_path(path: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        ms_fs.resolve(path)


def test_a_missing_folder_is_named(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError, match="no_such_folder"):
        ms_fs.save({"a": 1}, tmp_path / "no_such_folder" / "x.ckpt")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ms_fs.CheckpointNotFoundError, match=r"x\.ckpt"):
        ms_fs.load(tmp_path / "x.ckpt")
    with pytest.raises(IsADirectoryError):
        ms_fs.load(tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
def test_links_are_followed(tmp_path: pathlib.Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link.ckpt").symlink_to(tmp_path / "real" / "x.ckpt")
    ms_fs.save({"a": 1}, tmp_path / "link.ckpt")
    assert (tmp_path / "link.ckpt").is_symlink()
    assert os.listdir(tmp_path / "real") == ["x.ckpt"]


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such locks")
def test_leftovers_of_killed_programs_are_removed(tmp_path: pathlib.Path) -> None:
    program = (
        "import sys, time, ms_fs\n"
        "backend, path = ms_fs.resolve(sys.argv[1])\n"
        "with backend.create(path) as sink:\n"
        "    sink.write(b'half'); print('now', flush=True); time.sleep(60)\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "x.ckpt")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline().strip() == b"now"
        (left,) = tmp_path.iterdir()
        os.utime(left, (time.time() - 100,) * 2)
        ms_fs.save({"a": 1}, tmp_path / "x.ckpt")
        assert left.exists(), "the other program still writes it"
        child.kill()
    os.utime(left, (time.time() - 100,) * 2)
    ms_fs.save({"a": 2}, tmp_path / "x.ckpt")
    assert os.listdir(tmp_path) == ["x.ckpt"]


def test_permissions(tmp_path: pathlib.Path) -> None:
    ms_fs.save({"a": 1}, tmp_path / "x.ckpt", permissions=0o400)
    assert os.stat(tmp_path / "x.ckpt").st_mode & 0o777 == 0o400 or os.name != "posix"
    ms_fs.save({"a": 2}, tmp_path / "x.ckpt", permissions=0o400)
    assert ms_fs.load(tmp_path / "x.ckpt")["a"] == 2
