"""Files made to harm: truncated, flipped, lying about sizes. A clear error, or the right data; never much memory."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import pathlib
import random
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import ms_fs
from ms_fs import ckpt, crypto, safetensors
from ms_fs.wire import field, varint

ITEMS: dict[str, Any] = {
    "weight": np.arange(12, dtype=np.float32).reshape(3, 4),
    "flags": np.array([True, False, True]),
    "half": np.arange(3, dtype=np.float16),
    "": np.array(7),
    "empty": np.zeros((0, 5), np.int8),
}


def as_ckpt(items: dict[str, Any] = ITEMS) -> bytes:
    file = io.BytesIO()
    ckpt.write(items.items(), ms_fs.Sink(file))
    return file.getvalue()


def as_safetensors(items: dict[str, Any] = ITEMS) -> bytes:
    file = io.BytesIO()
    safetensors.write(items, ms_fs.Sink(file))
    return file.getvalue()


def read_ckpt(data: bytes) -> Any:
    return dict(ckpt.read(io.BytesIO(data), len(data)))


def read_safetensors(data: bytes) -> Any:
    return dict(safetensors.read(io.BytesIO(data), len(data))[0])


BOTH = [pytest.param(as_ckpt, read_ckpt, id="ckpt"), pytest.param(as_safetensors, read_safetensors, id="safetensors")]


def bounded(read: Callable[[bytes], Any], data: bytes, allowance: int = 1 << 20) -> Any:
    """What a file gives, an error included; memory must stay within a few times its size."""
    tracemalloc.start()
    try:
        try:
            found = read(data)
        except ms_fs.CheckpointError as error:
            found = error
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 12 * len(data) + allowance, f"{peak} bytes for a file of {len(data)}"
    return found


@pytest.mark.parametrize(("make", "read"), BOTH)
def test_cut_at_every_byte(make: Callable[[], bytes], read: Callable[[bytes], Any]) -> None:
    data = make()
    for length in range(len(data)):
        try:
            found = read(data[:length])
        except ms_fs.CheckpointError:
            continue
        # a .ckpt file is a row of entries: cut between two of them, the first ones are whole
        assert make is as_ckpt
        assert list(found) == list(ITEMS)[: len(found)]
        assert as_ckpt(found) == data[:length]


@pytest.mark.parametrize(("make", "read"), BOTH)
def test_every_bit_flipped(make: Callable[[], bytes], read: Callable[[bytes], Any]) -> None:
    data = make()
    for index in range(8 * len(data)):
        wrong = bytearray(data)
        wrong[index // 8] ^= 1 << index % 8
        found = bounded(read, bytes(wrong))
        if isinstance(found, dict):
            assert sum(v.nbytes if isinstance(v, np.ndarray) else 4 * len(v) for v in found.values()) <= len(data)


@pytest.mark.parametrize(("make", "read"), BOTH)
def test_random_damage(make: Callable[[], bytes], read: Callable[[bytes], Any]) -> None:
    rng = random.Random(1)
    data = make()
    for _ in range(2000):
        wrong = bytearray(data)
        for _ in range(rng.randint(1, 6)):
            kind, at = rng.randrange(3), rng.randrange(len(wrong))
            if kind == 0:
                wrong[at] = rng.randrange(256)
            elif kind == 1:
                wrong[at:at] = rng.randbytes(rng.randint(1, 8))
            else:
                del wrong[at : at + rng.randint(1, 8)]
            if not wrong:
                break
        with contextlib.suppress(ms_fs.CheckpointError):  # any other error fails the test
            read(bytes(wrong))


@given(st.binary(max_size=200))
@example(b"\x0a" + b"\xff" * 9 + b"\x01")
@example(b"\x0a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00")
def test_any_bytes(data: bytes) -> None:
    for read in (read_ckpt, read_safetensors):
        bounded(read, data)


def tensor(dims: list[int], kind: bytes, content: bytes, length: int | None = None) -> bytes:
    shape = b"".join(b"\x08" + varint(dim) for dim in dims)
    said = varint(len(content) if length is None else length)
    return shape + field(2, kind) + b"\x1a" + said + content


def value(tag: bytes, inner: bytes) -> bytes:
    return field(1, field(1, tag) + field(2, inner))


HUGE = 1 << 50
CORPUS = {
    "content longer than the file": value(b"a", tensor([HUGE], b"Int8", b"x", HUGE)),
    "dims larger than the file": value(b"a", tensor([HUGE], b"Int8", b"x")),
    "many dims that multiply": value(b"a", tensor([1 << 20] * 6, b"Int8", b"x")),
    "product of dims wraps": value(b"a", tensor([1 << 32, 1 << 32], b"Int8", b"")),
    "zero hides a huge dim": value(b"a", tensor([0, 1 << 62], b"Int8", b"")),
    "negative dim": value(b"a", tensor([(1 << 64) - 1], b"Int8", b"x")),
    "65 dims": value(b"a", tensor([1] * 65, b"Int8", b"x")),
    "a million dims": value(b"a", tensor([1] * 1_000_000, b"Int8", b"x")),
    "packed dims without end": value(b"a", field(1, b"\x01" * 1_000_000) + field(2, b"Int8")),
    "too few bytes": value(b"a", tensor([4], b"Int8", b"xyz")),
    "too many bytes": value(b"a", tensor([2], b"Int8", b"xyz")),
    "unknown type": value(b"a", tensor([1], b"Int128", b"x")),
    "a type that is long": value(b"a", tensor([1], b"I" * 100_000, b"x")),
    "a name that is long": value(b"n" * 100_000, tensor([1], b"Int8", b"x")),
    "a name that is no text": value(b"\xff\xfe", tensor([1], b"Int8", b"x")),
    "no name": field(1, field(2, tensor([1], b"Int8", b"x"))),
    "no tensor": field(1, field(1, b"a")),
    "no type": value(b"a", b"\x08\x01\x1a\x01x"),
    "bool that is 2": value(b"a", tensor([1], b"Bool", b"\x02")),
    "text that is none": value(b"a", tensor([0], b"str", b"\x00\x00\xff\xff")),
    "half a character": value(b"a", tensor([0], b"str", b"abc")),
    "a group": b"\x0b\x0c",
    "field 0": b"\x02\x01x",
    "another field": field(2, b"x"),
    "a slice of another shape": value(b"a", tensor([4], b"Int8", b"xy")) + value(b"a", tensor([2, 2], b"Int8", b"xy")),
    "a slice of another type": value(b"a", tensor([4], b"Int8", b"xy")) + value(b"a", tensor([4], b"UInt8", b"xy")),
    "a slice of another name": value(b"a", tensor([4], b"Int8", b"xy")) + value(b"b", tensor([1], b"Int8", b"x")),
    "a slice too many": value(b"a", tensor([2], b"Int8", b"xy")) + value(b"a", tensor([2], b"Int8", b"xy")),
    "slices of nothing": value(b"a", tensor([2], b"Int8", b"")) * 3,
    "twice": value(b"a", tensor([1], b"Int8", b"x")) * 2,
}


@pytest.mark.parametrize("name", CORPUS)
def test_corpus(name: str) -> None:
    found = bounded(read_ckpt, CORPUS[name], allowance=300_000)
    assert isinstance(found, ms_fs.CheckpointError), found
    assert str(found)


HEADERS = {
    "length beyond the file": (1 << 40).to_bytes(8, "little") + b"{}",
    "length beyond all": b"\xff" * 8 + b"{}",
    "length above the limit": (200_000_000).to_bytes(8, "little") + b"{}",
    "deep": json.dumps("x").encode(),
    "many empty lists": b'{"a":[' + b"[]," * 300_000 + b"[]]}",
    "deep lists": b'{"a":' + b"[" * 500_000,
    "deep objects": b'{"a":' * 200_000,
    "many numbers": b'{"a":{"dtype":"U8","shape":[' + b"1," * 500_000 + b'1],"data_offsets":[0,1]}}',
    "many metadata": b'{"__metadata__":{' + b",".join(b'"%d":""' % i for i in range(10_000)) + b",}}",
    "many escapes": b'{"' + b"\\" * 100_001 + b'"',
    "many quotes": b'{"' + b'\\"' * 50_000,
    "spaces": b" " * 1_000_000,
    "no UTF-8": b'{"\xff":1}',
}


@pytest.mark.parametrize("name", HEADERS)
def test_headers(name: str) -> None:
    data = HEADERS[name]
    if not name.startswith("length"):
        data = len(data).to_bytes(8, "little") + data
    found = bounded(read_safetensors, data, allowance=300_000)
    assert isinstance(found, ms_fs.CheckpointError)


@pytest.mark.parametrize("mode", list(crypto.MODES))
def test_encrypted_files_that_lie(mode: str, tmp_path: pathlib.Path) -> None:
    pytest.importorskip("cryptography")
    key = b"0123456789abcdef"
    path = tmp_path / "x.ckpt"
    ms_fs.save({"a": np.arange(3, dtype=np.int8)}, path, key=key, mode=mode)
    data = path.read_bytes()

    def read(wrong: bytes) -> Any:
        path.write_bytes(wrong)
        return ms_fs.load(path, key=key, mode=mode)

    for index in range(0, 8 * len(data), 1 if mode == "AES-GCM" else 5):
        wrong = bytearray(data)
        wrong[index // 8] ^= 1 << index % 8
        found = bounded(read, bytes(wrong), allowance=4 << 20)
        if mode == "AES-GCM" and not 8 * 40 <= index < 8 * 44:  # of the IV, 12 of 16 bytes count
            assert isinstance(found, ms_fs.CheckpointError), index
    for length in range(1, len(data)):
        assert isinstance(bounded(read, data[:length], allowance=4 << 20), ms_fs.CheckpointError)


def sources() -> Iterator[pathlib.Path]:
    return pathlib.Path(ms_fs.__file__).parent.rglob("*.py")


def test_nothing_is_unpickled_or_evaluated() -> None:
    for file in sources():
        tree = ast.parse(file.read_text(encoding="utf-8"))
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        imported = {
            alias.name.split(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for alias in node.names
        }
        assert not {"eval", "exec", "compile"} & names, file
        assert not {"pickle", "marshal", "shelve", "dill"} & imported, file
