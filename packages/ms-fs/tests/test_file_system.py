"""`FileSystem` and its two registrations, with a MindIO that only pretends."""

from __future__ import annotations

import logging
import sys
import types
from collections.abc import Callable
from typing import Any

import pytest

from ms_fs.file_system import FileSystem, _register_basic_file_system, _register_mindio_file_system
from ms_fs.local import LocalBackend

BASIC = {"create": open, "create_args": ("ab",), "open": open, "open_args": ("rb",), "backend": "basic"}


def fake(monkeypatch: pytest.MonkeyPatch, **names: Any) -> types.ModuleType:
    module = types.ModuleType("mindio")
    vars(module).update(names)
    monkeypatch.setitem(sys.modules, "mindio", module)
    return module


def raising(error: Exception) -> Callable[[], int]:
    def initialize() -> int:
        raise error

    return initialize


def test_a_new_one_uses_python() -> None:
    assert vars(FileSystem()) == BASIC


def test_without_mindio(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setitem(sys.modules, "mindio", None)
    fs = FileSystem()
    with caplog.at_level(logging.DEBUG):
        assert _register_mindio_file_system(fs) is False
    assert vars(fs) == BASIC
    assert caplog.records == []


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ({}, "module 'mindio' has no attribute 'initialize'"),
        ({"initialize": raising(AttributeError("no such thing"))}, "no such thing"),
        ({"initialize": lambda: -1}, "ret = -1"),
        ({"initialize": lambda: 7}, "ret = 7"),
        ({"initialize": lambda: None}, "ret = None"),
    ],
    ids=["missing", "raises", "-1", "7", "None"],
)
def test_a_start_that_fails(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, names: dict[str, Any], text: str
) -> None:
    fake(monkeypatch, **names)
    fs = FileSystem()
    assert _register_mindio_file_system(fs) is False
    assert vars(fs) == BASIC
    assert [(r.levelname, r.getMessage()) for r in caplog.records] == [
        ("WARNING", f"Failed to initialize MindIO: {text}")
    ]


@pytest.mark.parametrize("error", [ValueError("x"), OSError("y"), ImportError("z")])
def test_other_errors_pass_through(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    fake(monkeypatch, initialize=raising(error))
    fs = FileSystem()
    with pytest.raises(type(error)):
        _register_mindio_file_system(fs)
    assert vars(fs) == BASIC


def test_success(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    calls: list[int] = []
    create, opener = object(), object()
    fake(monkeypatch, initialize=lambda: calls.append(1) or 0, create_file=create, open_file=opener)
    fs = FileSystem()
    with caplog.at_level(logging.INFO, "ms_fs"):
        assert _register_mindio_file_system(fs) is True
    assert vars(fs) == {"create": create, "create_args": (), "open": opener, "open_args": (), "backend": "mindio"}
    assert calls == [1]
    assert [(r.levelname, r.getMessage()) for r in caplog.records] == [
        ("INFO", "The weights are stored using MindIO as the backend.")
    ]


@pytest.mark.parametrize("names", [{}, {"create_file": open}], ids=["create_file", "open_file"])
def test_a_mindio_without_its_functions_leaves_the_object(
    monkeypatch: pytest.MonkeyPatch, names: dict[str, Any]
) -> None:
    fake(monkeypatch, initialize=lambda: 0, **names)
    fs = FileSystem()
    with pytest.raises(AttributeError):
        _register_mindio_file_system(fs)
    assert vars(fs) == BASIC


def test_functions_are_read_only_after_success(monkeypatch: pytest.MonkeyPatch) -> None:
    fake(monkeypatch, initialize=lambda: 1)  # has neither create_file nor open_file
    assert _register_mindio_file_system(FileSystem()) is False


def test_basic_again(monkeypatch: pytest.MonkeyPatch) -> None:
    fake(monkeypatch, initialize=lambda: 0, create_file=1, open_file=2)
    fs = FileSystem()
    _register_mindio_file_system(fs)
    assert _register_basic_file_system(fs) is True
    assert vars(fs) == {**BASIC, "backend": "mindio"}


def test_files_are_written_with_mindio(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    made: list[str] = []

    def create_file(path: str) -> Any:
        made.append(path)
        return open(path, "wb")

    def open_file(path: str) -> Any:
        return open(path, "rb")

    fake(monkeypatch, initialize=lambda: 0, create_file=create_file, open_file=open_file)
    backend = LocalBackend()
    with backend.create(str(tmp_path / "x")) as sink:
        sink.write(b"abc")
    assert backend.file_system.backend == "mindio"
    assert len(made) == 1
    with backend.open(str(tmp_path / "x")) as file:
        assert file.read() == b"abc"
