"""The safetensors format, with the library as the judge of both directions."""

from __future__ import annotations

import io
import json
import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ms_fs
from ms_fs import safetensors
from ms_fs._crc import crc_of_zeros
from ms_fs._header import parse
from ms_fs.testing import NAMES as names
from ms_fs.testing import arrays, assert_same
from ms_fs.types import SAFETENSORS_TYPES

TYPES = tuple(SAFETENSORS_TYPES.values())
names = names.filter(lambda name: name != "__metadata__")


def written(items: dict[str, Any], metadata: Any = None) -> bytes:
    file = io.BytesIO()
    safetensors.write(items, ms_fs.Sink(file), metadata)
    return file.getvalue()


def read(data: bytes) -> dict[str, Any]:
    return dict(safetensors.read(io.BytesIO(data), len(data))[0])


@given(st.dictionaries(names, arrays(TYPES), max_size=6))
def test_round_trip(items: dict[str, Any]) -> None:
    assert_same(read(written(items)), items)


@given(st.dictionaries(names, arrays(TYPES), max_size=6))
def test_our_files_are_the_librarys(items: dict[str, Any]) -> None:
    library = pytest.importorskip("safetensors.numpy")
    packed = {name: np.ascontiguousarray(array).reshape(array.shape) for name, array in items.items()}
    assert written(items) == library.save(packed)
    assert written(items, {"k": 'v"'}) == library.save(packed, metadata={"k": 'v"'}) or not packed
    assert_same(read(library.save(packed)), items)


def test_complex128_is_a_clear_error(tmp_path: Any) -> None:
    with pytest.raises(TypeError, match=r"type of 'z' must be one of U64, .* but got complex128"):
        ms_fs.save({"a": 1.0, "z": np.zeros(2, np.complex128)}, tmp_path / "x.safetensors")
    with pytest.raises(TypeError, match="'t' is a text"):
        ms_fs.save({"t": "text"}, tmp_path / "x.safetensors")
    with pytest.raises(ValueError, match="no encryption"):
        ms_fs.save({"a": 1}, tmp_path / "x.safetensors", key=b"0" * 16)
    assert list(tmp_path.iterdir()) == []


def test_loading_maps_the_file(tmp_path: Any) -> None:
    path = tmp_path / "x.safetensors"
    items = {"a": np.arange(1000, dtype=np.float32), "b": np.arange(7, dtype=np.int8)}
    ms_fs.save(items, path)
    before = path.read_bytes()
    found: Any = ms_fs.load(path)
    assert not found["a"].flags.owndata
    found["a"][0] = 99  # private: pages are copied when they are changed
    assert path.read_bytes() == before
    again: Any = ms_fs.load(path)
    assert again["a"][0] == 0
    ms_fs.save({"a": np.zeros(3)}, path)  # the old file lives on as long as it is mapped
    assert found["a"][1] == 1
    assert bool(again["b"][6] == 6)
    copied: Any = ms_fs.load(path, mapped=False)
    assert copied["a"].base is None or copied["a"].base.flags.owndata


def test_unaligned_tensors_are_copied(tmp_path: Any) -> None:
    """Other programs may put a byte in front of numbers of four."""
    header = (
        b'{"b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"f":{"dtype":"F32","shape":[2],"data_offsets":[1,9]}}'
    )
    body = b"\x07" + np.array([1.5, 2.5], np.float32).tobytes()
    (tmp_path / "x.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + body)
    found: Any = ms_fs.load(tmp_path / "x.safetensors")
    assert found["f"].flags.aligned
    assert found["f"].tolist() == [1.5, 2.5]


def test_checksum(tmp_path: Any) -> None:
    """Over names and bytes in the order of the names, in the metadata: 2.6's rule, and its rule for single ints."""
    path = tmp_path / "x.safetensors"
    items = {"b": np.arange(4, dtype=np.int32), "a": np.array([1.5]), "n": np.array(3), "m": np.array(-3)}
    ms_fs.save(items, path, crc=True)
    summed = {**{name: array.tobytes() for name, array in items.items()}, "n": bytes(3)}
    wanted = zlib.crc32(b"".join(name.encode() + summed[name] for name in sorted(items)))
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    assert json.loads(data[8 : 8 + length])["__metadata__"] == {"crc_num": str(wanted)}
    assert_same(ms_fs.load(path, crc=True, choose=lambda name: name == "a"), {"a": items["a"]})
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(ms_fs.CheckpointError, match="crc check has failed"):
        ms_fs.load(path, crc=True)
    assert set(ms_fs.load(path)) == set(items)


@given(
    st.dictionaries(
        names,
        st.tuples(st.sampled_from(list(SAFETENSORS_TYPES)), st.lists(st.integers(0, 2**40), max_size=5)),
        max_size=5,
    ),
    st.sampled_from([None, 1, "\t"]),
    st.booleans(),
)
def test_headers_in_any_json_form(entries: Any, indent: Any, ascii_only: bool) -> None:
    header = {name: {"shape": s, "data_offsets": [0, 5], "dtype": d} for name, (d, s) in entries.items()}
    text = json.dumps({**header, "__metadata__": {"a": "é"}}, indent=indent, ensure_ascii=ascii_only)
    found, texts = parse(text.encode())
    assert texts == {"a": "é"}
    assert {name: (e.dtype, list(e.shape)) for name, e in found.items()} == {n: (d, s) for n, (d, s) in entries.items()}


GOOD = '"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}'


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        "{}x",
        "{" + GOOD,
        "{" + GOOD + ",}",
        "{" + GOOD + "," + GOOD + "}",
        '{"a":[]}',
        '{"a":{}}',
        '{"a":{"dtype":"U8","shape":[1]}}',
        '{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"x":1}}',
        '{"a":{"dtype":"U8","dtype":"U8","shape":[1],"data_offsets":[0,1]}}',
        '{"a":{"dtype":"U8","shape":[1],"shape":[1],"data_offsets":[0,1]}}',
        '{"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}}',
        '{"a":{"dtype":"U8","shape":[1.0],"data_offsets":[0,1]}}',
        '{"a":{"dtype":"U8","shape":[01],"data_offsets":[0,1]}}',
        '{"a":{"dtype":"U8","shape":[1e3],"data_offsets":[0,1]}}',
        '{"a":{"dtype":"U8","shape":[true],"data_offsets":[0,1]}}',
        '{"a":{"dtype":"U8","shape":[[1]],"data_offsets":[0,1]}}',
        '{"a":{"dtype":"U8","shape":[99999999999999999999],"data_offsets":[0,1]}}',
        '{"a":{"dtype":"U8","shape":[' + ",".join(["1"] * 65) + '],"data_offsets":[0,1]}}',
        '{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1,2]}}',
        '{"a":{"dtype":"U8","shape":[1],"data_offsets":[0]}}',
        '{"a":{"dtype":8,"shape":[1],"data_offsets":[0,1]}}',
        '{"\\ud800":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}',
        '{"\\x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}',
        '{"a\n":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}',
        '{"a',
        '{"a\\"',
        '{"__metadata__":{"a":1}}',
        '{"__metadata__":{},"__metadata__":{}}',
        '{"__metadata__":[' + "[" * 1000 + "]" * 1000 + "]}",
    ],
)
def test_headers_that_say_something_else(text: str) -> None:
    with pytest.raises(ms_fs.CheckpointError):
        parse(text.encode())


@pytest.mark.parametrize(
    "entry",
    [
        {"dtype": "U8", "shape": [2], "data_offsets": [0, 1]},  # bytes and shape differ
        {"dtype": "F32", "shape": [1], "data_offsets": [0, 1]},
        {"dtype": "U8", "shape": [1], "data_offsets": [1, 2]},  # does not begin at the start
        {"dtype": "U8", "shape": [1], "data_offsets": [0, 2]},
        {"dtype": "U8", "shape": [0], "data_offsets": [1, 0]},  # ends before it begins
        {"dtype": "U8", "shape": [1 << 62, 0], "data_offsets": [0, 0]},
        {"dtype": "U8", "shape": [1 << 40, 1 << 40], "data_offsets": [0, 1]},
        {"dtype": "F8_E4M3", "shape": [1], "data_offsets": [0, 1]},
        {"dtype": "C128", "shape": [1], "data_offsets": [0, 1]},
    ],
)
def test_tensors_that_cannot_be(entry: dict[str, Any]) -> None:
    header = json.dumps({"a": entry}).encode()
    with pytest.raises(ms_fs.CheckpointError):
        read(len(header).to_bytes(8, "little") + header + b"\x00")


def test_tensors_must_fill_the_file() -> None:
    data = written({"a": np.arange(4), "b": np.arange(3)})
    for wrong in (data + b"\x00", data[:-1], data[:8], data[:7], b""):
        with pytest.raises(ms_fs.CheckpointError):
            read(wrong)


def test_a_checksum_of_huge_numbers_takes_no_memory(tmp_path: Any) -> None:
    path = tmp_path / "x.safetensors"
    items = {"large": np.array(2**64 - 1, np.uint64), "none": np.array(0), "small": np.array(70_000, np.int32)}
    ms_fs.save(items, path, crc=True)
    assert_same(ms_fs.load(path, crc=True), items)
    for count in (0, 1, 7, 8, 1000, 70_000):
        for start in (0, 1, 0xFFFFFFFF, 12345):
            assert crc_of_zeros(count, start) == zlib.crc32(bytes(count), start)
