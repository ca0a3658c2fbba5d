"""Checkpoints and file systems under 2.6's module names."""

from __future__ import annotations

import importlib
import pathlib
import sys
import types
from collections.abc import Iterator
from typing import Any

import pytest

import ms_common
import ms_fs.file_system
import ms_nn.train


@pytest.fixture(autouse=True)
def alias() -> Iterator[None]:
    ms_common.activate()
    yield
    ms_common.deactivate()


@pytest.mark.parametrize(
    "name",
    [
        "async_ckpt_thread_status",
        "check_checkpoint",
        "ckpt_to_safetensors",
        "load_checkpoint",
        "load_checkpoint_async",
        "load_param_into_net",
        "load_segmented_checkpoints",
        "safetensors_to_ckpt",
        "save_checkpoint",
        "BackupAndRestore",
        "CheckpointConfig",
        "ModelCheckpoint",
    ],
)
def test_one_object_under_every_name(name: str) -> None:
    wanted = getattr(ms_nn.train, name)
    places = ["mindspore", "mindspore.train.callback" if name[0].isupper() else "mindspore.train.serialization"]
    if name != "load_segmented_checkpoints":
        places.append("mindspore.train")
    for place in places:
        assert getattr(importlib.import_module(place), name) is wanted, place


def test_file_system(monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = importlib.import_module("mindspore.common.file_system")
    assert module.FileSystem is ms_fs.file_system.FileSystem
    fs = module.FileSystem()
    monkeypatch.setitem(sys.modules, "mindio", None)
    assert module._register_mindio_file_system(fs) is False
    mindio: Any = types.ModuleType("mindio")
    mindio.initialize, mindio.create_file, mindio.open_file = (lambda: 0), open, open
    monkeypatch.setitem(sys.modules, "mindio", mindio)
    assert module._register_mindio_file_system(fs) is True
    assert fs.backend == "mindio"
    assert module._register_basic_file_system(fs) is True


def test_a_program_saves_and_loads(tmp_path: pathlib.Path) -> None:
    ms: Any = importlib.import_module("mindspore")
    net, other = ms.nn.Dense(2, 3), ms.nn.Dense(2, 3)
    ms.save_checkpoint(net, str(tmp_path / "net"), append_dict={"epoch": 2})
    loaded = ms.load_checkpoint(str(tmp_path / "net.ckpt"))
    assert int(loaded.pop("epoch")) == 2
    assert ms.load_param_into_net(other, loaded) == ([], [])
    assert (net.weight == other.weight).all()
    assert isinstance(loaded["weight"], ms.Parameter)
