"""The .ckpt format: our walker and writer, and the protobuf library as their judge."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ms_fs
from ms_fs import ckpt
from ms_fs.testing import NAMES as names
from ms_fs.testing import arrays, assert_same, bits
from ms_fs.types import CKPT_NAMES, CKPT_TYPES


def message() -> Any:
    """The message class, built at run time."""
    pb = pytest.importorskip("google.protobuf")
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    assert pb is not None
    file = descriptor_pb2.FileDescriptorProto(name="c.proto", package="c", syntax="proto2")
    many, needed = 3, 2
    for name, fields in {
        "Tensor": [("dims", 1, many, 3, ""), ("type", 2, needed, 9, ""), ("content", 3, needed, 12, "")],
        "Value": [("tag", 1, needed, 9, ""), ("tensor", 2, needed, 11, ".c.Tensor")],
        "Checkpoint": [("value", 1, many, 11, ".c.Value")],
    }.items():
        made = file.message_type.add(name=name)
        for label, number, rule, kind, of in fields:
            made.field.add(name=label, number=number, label=rule, type=kind, type_name=of or None)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("c.Checkpoint"))


def written(items: dict[str, Any]) -> bytes:
    file = io.BytesIO()
    ckpt.write(items.items(), ms_fs.Sink(file))
    return file.getvalue()


def read(data: bytes, choose: Any = None) -> dict[str, Any]:
    return dict(ckpt.read(io.BytesIO(data), len(data), choose))


values = arrays() | st.text(st.characters(exclude_categories=("Cs",)), max_size=10)


@given(st.dictionaries(names, values, max_size=6))
def test_round_trip(items: dict[str, Any]) -> None:
    assert_same(read(written(items)), items)


@given(st.dictionaries(names, arrays(), max_size=4))
def test_protobuf_reads_what_we_write(items: dict[str, Any]) -> None:
    found = message().FromString(written(items))
    assert [value.tag for value in found.value] == list(items)
    for value, array in zip(found.value, items.values()):
        assert value.tensor.type == CKPT_NAMES[array.dtype]
        assert tuple(value.tensor.dims) == array.shape
        assert value.tensor.content == bits(array)
    assert found.SerializeToString() == written(items), "fields in the library's order, numbers in its form"


def test_we_read_what_protobuf_writes_in_any_order() -> None:
    kind = message()
    tensor = kind(value=[{"tag": "a", "tensor": {"dims": [2], "type": "Int32", "content": bytes(8)}}])
    assert read(tensor.SerializeToString())["a"].tolist() == [0, 0]
    # content before type and dims, tag last, packed dims, unknown fields of all kinds
    content = b"\x1a\x04\x01\x00\x00\x00"
    inner = (
        content + b"\x12\x05Int32" + b"\x0a\x02\x01\x01" + b"\x20\x05" + b"\x2d1234" + b"\x3112345678" + b"\x3a\x01x"
    )
    value = b"\x12" + bytes([len(inner)]) + inner + b"\x0a\x01n"
    found = read(b"\x0a" + bytes([len(value)]) + value)
    assert found["n"].tolist() == [[1]]


def test_old_scalars() -> None:
    """Some files say dims [0] for a tensor without dims."""
    inner = b"\x08\x00\x12\x07Float32\x1a\x04\x00\x00\x80?"
    value = b"\x0a\x01x\x12" + bytes([len(inner)]) + inner
    found = read(b"\x0a" + bytes([len(value)]) + value)
    assert found["x"].shape == ()
    assert found["x"] == 1


def test_large_tensors_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ckpt, "SLICE", 64)
    items = {
        "small": np.arange(3),
        "exact": np.arange(16, dtype=np.float32).reshape(4, 4),
        "large": np.arange(100, dtype=np.int16).reshape(10, 10).T,
        "wide": np.arange(20, dtype=np.complex128),
        "empty": np.zeros((0, 100)),
    }
    data = written(items)
    pieces = [(v.tag, tuple(v.tensor.dims), len(v.tensor.content)) for v in message().FromString(data).value]
    assert pieces == [
        ("small", (3,), 24),
        ("exact", (4, 4), 64),
        *[("large", (10, 10), 64)] * 3,
        ("large", (10, 10), 8),
        *[("wide", (20,), 64)] * 5,
        ("empty", (0, 100), 0),
    ]
    assert_same(read(data), items)
    assert_same(read(data, lambda name: name in ("large", "empty")), {n: items[n] for n in ("large", "empty")})


def test_only_what_is_chosen_is_read() -> None:
    class Counting(io.BytesIO):
        taken = 0

        def read(self, size: int | None = -1) -> bytes:
            data = super().read(size)
            self.taken += len(data)
            return data

        def readinto(self, buffer: Any) -> int:
            count = super().readinto(buffer)
            self.taken += count
            return count

    data = written({"a": np.zeros(10**6, np.uint8), "b": np.arange(4), "c": np.zeros(10**6, np.uint8)})
    file = Counting(data)
    assert list(dict(ckpt.read(file, len(data), lambda name: name == "b"))) == ["b"]
    assert file.taken < 200_000


@pytest.mark.parametrize("name", list(CKPT_TYPES))
def test_each_type(name: str, tmp_path: Any) -> None:
    dtype = CKPT_TYPES[name]
    items = {"none": np.array(1, dtype), "few": np.array([0, 1, 1], dtype), "empty": np.zeros((2, 0), dtype)}
    ms_fs.save(items, tmp_path / "x.ckpt")
    assert_same(ms_fs.load(tmp_path / "x.ckpt"), items)


def test_foreign_byte_order(tmp_path: Any) -> None:
    array = np.arange(5, dtype=">f4")
    for format in ("ckpt", "safetensors"):
        ms_fs.save({"a": array}, tmp_path / "x", format)
        assert_same(ms_fs.load(tmp_path / "x", format), {"a": array.astype("<f4")})


def test_ten_thousand_tensors(tmp_path: Any) -> None:
    items = {f"layer.{i}.weight": np.full((i % 7,), i, np.float32) for i in range(10_000)}
    for path in (tmp_path / "x.ckpt", tmp_path / "x.safetensors"):
        ms_fs.save(items, path)
        assert_same(ms_fs.load(path), items)
        assert len(ms_fs.names(path)) == 10_000


def test_duplicates_are_refused(tmp_path: Any) -> None:
    with pytest.raises(ValueError, match="'a' twice"):
        ms_fs.save([("a", 1), ("a", 2)], tmp_path / "x.ckpt")
    one = written({"a": np.arange(2)})
    with pytest.raises(ms_fs.CheckpointError, match="'a' is there twice"):
        read(one + one)


@pytest.mark.parametrize(
    ("items", "error", "text"),
    [
        ({3: 1}, TypeError, "name must be a string"),
        ({"\ud800": 1}, ValueError, "Unicode"),
        ({"a": None}, TypeError, "type of 'a'"),
        ({"a": np.array(["x"])}, TypeError, "type of 'a'"),
        ({"a": np.zeros(2, "M8[s]")}, TypeError, "type of 'a'"),
        ({"a": object()}, TypeError, "type of 'a'"),
    ],
)
def test_what_cannot_be_saved(tmp_path: Any, items: Any, error: type[Exception], text: str) -> None:
    for format in ("ckpt", "safetensors"):
        with pytest.raises(error, match=text):
            ms_fs.save(items, tmp_path / "x", format)
    assert list(tmp_path.iterdir()) == []


def test_checksums(tmp_path: Any) -> None:
    path = tmp_path / "x.ckpt"
    ms_fs.save({"a": np.arange(10), "t": "text"}, path, crc=True)
    data = bytearray(path.read_bytes())
    assert data[-17:-10] == b"crc_num"
    assert_same(ms_fs.load(path, crc=True), {"a": np.arange(10), "t": "text"})
    assert_same(ms_fs.load(path), {"a": np.arange(10), "t": "text"})
    data[40] ^= 1
    path.write_bytes(data)
    with pytest.raises(ms_fs.CheckpointError, match=r"crc check has failed.*x\.ckpt"):
        ms_fs.load(path, crc=True)
    ms_fs.save({"a": 1}, path)
    assert ms_fs.load(path, crc=True)["a"] == 1  # nothing to compare with


def test_progress(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    ms_fs.save({"a": np.zeros(3 << 20, np.uint8)}, tmp_path / "shown.ckpt", progress=True)
    assert "shown.ckpt" in capsys.readouterr().err
    ms_fs.save({"a": np.zeros(3 << 20, np.uint8)}, tmp_path / "quick.ckpt")
    assert capsys.readouterr().err == ""


def test_pairs_are_written_and_read_one_by_one(tmp_path: Any) -> None:
    """A file may be larger than memory."""
    path = tmp_path / "x.ckpt"
    alive = [0]

    class Counted(np.ndarray):
        def __del__(self) -> None:
            alive[0] -= 1

    def pairs() -> Any:
        for i in range(20):
            alive[0] += 1
            assert alive[0] <= 3
            yield f"w{i}", np.full(10_000, i).view(Counted)

    ms_fs.save(pairs(), path)
    total = 0
    for i, (name, array) in enumerate(ms_fs.stream(path)):
        assert name == f"w{i}"
        total += int(array[-1])  # type: ignore[arg-type]
    assert total == sum(range(20))
    stopped = ms_fs.stream(path)
    assert next(stopped)[0] == "w0"
    stopped.close()  # type: ignore[attr-defined]  # closes the file


def test_an_error_between_pairs_leaves_no_file(tmp_path: Any) -> None:
    with pytest.raises(TypeError, match="type of 'b'"):
        ms_fs.save(iter([("a", 1), ("b", None)]), tmp_path / "x.ckpt")
    assert list(tmp_path.iterdir()) == []
