"""Encryption in 2.6's form."""

from __future__ import annotations

import pathlib
import sys
from typing import Any

import numpy as np
import pytest

import ms_fs
from ms_fs import crypto
from ms_fs.testing import assert_same

pytest.importorskip("cryptography")
KEYS = [(mode, b"k" * size) for mode, kind in crypto.MODES.items() for size in kind.keys]


@pytest.mark.parametrize(("mode", "key"), KEYS, ids=[f"{m}-{len(k)}" for m, k in KEYS])
@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 1000, 4096])
def test_round_trip(mode: str, key: bytes, size: int, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crypto, "BLOCK", 256)
    items: dict[str, Any] = {"a": np.arange(size, dtype=np.uint8), "t": "text"} if size else {}
    ms_fs.save(items, tmp_path / "x.ckpt", key=key, mode=mode)
    assert_same(ms_fs.load(tmp_path / "x.ckpt", key=key, mode=mode), items)
    if items:
        assert_same(ms_fs.load(tmp_path / "x.ckpt", key=key, mode=mode, choose=lambda name: name == "t"), {"t": "text"})


def test_wrong_keys_and_modes(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "x.ckpt"
    ms_fs.save({"a": np.arange(10)}, path, key=b"a" * 16)
    for key, mode in ((b"b" * 16, "AES-GCM"), (b"a" * 16, "AES-CBC"), (b"a" * 16, "SM4-CBC"), (b"a" * 32, "AES-GCM")):
        with pytest.raises(ms_fs.CheckpointError, match=r"x\.ckpt.*correct 'dec_key'"):
            ms_fs.load(path, key=key, mode=mode)
    with pytest.raises(ms_fs.CheckpointError, match="encrypted, but there is no key"):
        ms_fs.load(path)
    ms_fs.save({"a": 1}, path)
    with pytest.raises(ms_fs.CheckpointError, match="not encrypted"):
        ms_fs.load(path, key=b"a" * 16)


@pytest.mark.parametrize(
    ("key", "mode", "error"),
    [
        ("text", "AES-GCM", TypeError),
        (b"short", "AES-GCM", ValueError),
        (b"a" * 32, "SM4-CBC", ValueError),
        (b"a" * 16, "XOR", ValueError),
        (b"a" * 16, None, ValueError),
    ],
)
def test_arguments(key: Any, mode: Any, error: type[Exception], tmp_path: pathlib.Path) -> None:
    with pytest.raises(error, match="For 'save', the"):
        ms_fs.save({"a": 1}, tmp_path / "x.ckpt", key=key, mode=mode)
    assert list(tmp_path.iterdir()) == []


def test_no_two_files_are_alike(tmp_path: pathlib.Path) -> None:
    made = set()
    for _ in range(3):
        ms_fs.save({"a": 1}, tmp_path / "x.ckpt", key=b"a" * 16)
        made.add((tmp_path / "x.ckpt").read_bytes())
    assert len(made) == 3


def test_with_a_checksum(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "x.ckpt"
    ms_fs.save({"a": np.arange(3)}, path, key=b"a" * 16, crc=True)
    assert_same(ms_fs.load(path, key=b"a" * 16, crc=True), {"a": np.arange(3)})


def test_without_the_package(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [n for n in sys.modules if n.split(".")[0] == "cryptography"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(ImportError, match=r"ms-fs\[encryption\]"):
        ms_fs.save({"a": 1}, tmp_path / "x.ckpt", key=b"a" * 16)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mode", list(crypto.MODES))
def test_blocks_in_the_middle_are_full(mode: str, tmp_path: pathlib.Path) -> None:
    """Else a small file could claim to be a large one."""
    path = tmp_path / "x.ckpt"
    ms_fs.save({"a": 1}, path, key=b"a" * 16, mode=mode)
    path.write_bytes(path.read_bytes() * 3)
    with pytest.raises(ms_fs.UnsafeFileError, match="a block in the middle is not full"):
        ms_fs.load(path, key=b"a" * 16, mode=mode)
