"""A small network without ms-nn, and a dump that ends with its test."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import ms_dump
from ms_dump.testing import IMAGE, Net, content
from ms_kernels import Tensor, settings
from ms_kernels.core.dispatch import process_target


@pytest.fixture
def net() -> Net:
    return Net()


@pytest.fixture
def image() -> Tensor:
    return Tensor(IMAGE)


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No dump, no target, no graph mode before and after."""
    for name in ("MINDSPORE_DUMP_CONFIG", "MS_DIAGNOSTIC_DATA_PATH", "RANK_ID"):
        monkeypatch.delenv(name, raising=False)
    target, mode = settings.device_target, settings.mode
    yield
    ms_dump.stop()
    ms_dump.anywhere(False)
    process_target.observer = None
    settings.device_target, settings.mode = target, mode


@pytest.fixture
def ascend() -> None:
    """What set_dump needs: the Ascend target in GRAPH_MODE."""
    settings.device_target, settings.mode = "Ascend", 0


@pytest.fixture
def config_file(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., pathlib.Path]:
    """Writes a configuration, names it in the environment, and gives the folder of the dump."""

    def write(*args: Any, **common: Any) -> pathlib.Path:
        file = tmp_path / "config.json"
        file.write_text(json.dumps(content(tmp_path / "dump", *args, **common)))
        monkeypatch.setenv("MINDSPORE_DUMP_CONFIG", str(file))
        return tmp_path / "dump"

    return write
