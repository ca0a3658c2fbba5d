"""MindIR files of MindSpore 2.6: read, written again, run; and files that are none."""

from __future__ import annotations

import base64
import json
import os
import random
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ms_jit.mindir import GraphProgram, Message, MindIRError, load, load_mindir, save_mindir, save_program
from ms_jit.mindir.convert import read_program, write_program
from ms_jit.mindir.message import parse
from ms_kernels import Tensor

VECTORS = Path(__file__).parent / "vectors"
RECORDS = json.loads((VECTORS / "mindir.json").read_text(encoding="utf-8"))
SMALL = ("Branch", "Update", "Convolved", "Primitives", "Unknown")


def content(name: str) -> bytes:
    return base64.b64decode(RECORDS[name]["file"])


def tensor(written: dict[str, Any]) -> Any:
    return Tensor(np.array(written["data"], written["dtype"]).reshape(written["shape"]))


def same(got: Any, want: Any, where: str = "") -> None:
    """Compare a result with a recorded one; float32 of other kernels may differ in the last places."""
    if "dtype" in want:
        array = got.asnumpy()
        assert (array.dtype.name, list(array.shape)) == (want["dtype"], want["shape"]), where
        near = {"rtol": 2e-5, "atol": 2e-6} if array.dtype.kind == "f" else {"rtol": 0, "atol": 0}
        np.testing.assert_allclose(array.ravel(), np.array(want["data"], want["dtype"]), **near, err_msg=where)
    elif "value" in want:
        assert got == want["value"], where
    else:
        [(kind, items)] = want.items()
        assert type(got).__name__ == kind, where
        for i, (one, item) in enumerate(zip(got, items, strict=True)):
            same(one, item, f"{where}[{i}]")


def check_run(program: GraphProgram, record: dict[str, Any]) -> None:
    same(program(*(tensor(a) for a in record["inputs"])), record["result"])
    assert set(program.parameters) == set(record["weights"])
    for name, value in record["weights"].items():
        same(program.parameters[name], value, name)


@pytest.mark.parametrize("name", RECORDS)
def test_a_message_is_written_as_it_was_read(name: str) -> None:
    assert parse("ModelProto", content(name)).SerializeToString() == content(name)


@pytest.mark.parametrize("name", RECORDS)
def test_run(name: str, tmp_path: Path) -> None:
    file = tmp_path / "net.mindir"
    file.write_bytes(content(name))
    check_run(load(str(file)), RECORDS[name])


@pytest.mark.parametrize("name", RECORDS)
def test_a_program_survives_writing(name: str) -> None:
    program = read_program(parse("ModelProto", content(name)))
    again = read_program(parse("ModelProto", write_program(program).SerializeToString()))
    assert repr(again) == repr(program)
    check_run(GraphProgram(again), RECORDS[name])


@pytest.mark.oracle
def test_mindspore_reads_what_is_written(tmp_path: Path) -> None:
    if "MS26_PYTHON" not in os.environ:
        pytest.skip("MS26_PYTHON is not set")
    ours = {}
    for name, record in RECORDS.items():
        data = write_program(read_program(parse("ModelProto", content(name)))).SerializeToString()
        ours[name] = {"file": base64.b64encode(data).decode(), "inputs": record["inputs"]}
    file = tmp_path / "ours.json"
    file.write_text(json.dumps(ours), encoding="utf-8")
    command = [os.environ["MS26_PYTHON"], str(VECTORS / "make_mindir.py"), "run", str(file)]
    subprocess.run(command, check=True, capture_output=True, timeout=300, cwd=tmp_path)
    got = json.loads(file.read_text(encoding="utf-8"))
    for name, record in RECORDS.items():
        assert (got[name]["result"], got[name]["weights"]) == (record["result"], record["weights"]), name


@pytest.mark.oracle
def test_live(tmp_path: Path) -> None:
    if "MS26_PYTHON" not in os.environ:
        pytest.skip("MS26_PYTHON is not set")
    file = tmp_path / "live.json"
    command = [os.environ["MS26_PYTHON"], str(VECTORS / "make_mindir.py"), str(file)]
    subprocess.run(command, check=True, capture_output=True, timeout=300, cwd=tmp_path)
    for record in json.loads(file.read_text(encoding="utf-8")).values():
        program = read_program(parse("ModelProto", base64.b64decode(record["file"])))
        check_run(GraphProgram(program), record)


def test_load_and_save(tmp_path: Path) -> None:
    name = str(tmp_path / "deep" / "net")
    model = parse("ModelProto", content("Update"))
    save_mindir(model, name)
    read = load_mindir(name + ".mindir")
    assert read == model
    read.user_info["version"] = "pangu v100"
    read.producer_name = "me"
    save_mindir(read, name + ".mindir")
    again = load_mindir(name + ".mindir")
    assert again.user_info == {"version": "pangu v100"}
    assert again.producer_name == "me"
    assert os.listdir(tmp_path / "deep") == ["net.mindir"]
    assert 'user_info { key: "version" value: "pangu v100" }' in str(again)


ILLEGAL = r"^[0-9a-zA-Z@\_\-\.\:\/\\]+$"


@pytest.mark.parametrize(
    ("name", "error", "text"),
    [
        (3, TypeError, "The '3' must be string, but got <class 'int'>."),
        ("", ValueError, f"The '' is illegal, it must be match regular '{ILLEGAL}'."),
        ("a b", ValueError, f"The 'a b' is illegal, it must be match regular '{ILLEGAL}'."),
    ],
)
def test_names(name: Any, error: type[Exception], text: str) -> None:
    for call in (load_mindir, lambda n: save_mindir(Message("ModelProto"), n)):
        with pytest.raises(error) as caught:
            call(name)
        assert str(caught.value) == text


def test_errors_of_load_mindir(tmp_path: Path) -> None:
    file = tmp_path / "bad.mindir"
    with pytest.raises(ValueError, match=r"\[Errno 2\] No such file or directory"):
        load_mindir(str(file))
    file.write_bytes(b"hello world")
    with pytest.raises(MindIRError, match="must be MindIR, but it has something that is no field at byte"):
        load_mindir(str(file))
    for model in (1, None, {}, Message("GraphProto")):
        with pytest.raises(TypeError, match="the argument 'model' must be ModelProto, but got"):
            save_mindir(model, str(file))  # type: ignore[arg-type]


def test_errors_of_load(tmp_path: Path) -> None:
    file = tmp_path / "net.mindir"
    with pytest.raises(ValueError, match="the argument 'file_name' must be string, but got <class 'int'>"):
        load(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"should end with '\.mindir'"):
        load("net")
    with pytest.raises(ValueError, match="does not exist"):
        load(str(file))
    for data in (b"", b"hello world", content("Update")[:500]):
        file.write_bytes(data)
        with pytest.raises(RuntimeError, match=r"^Load MindIR failed\. "):
            load(str(file))
    with pytest.raises(ValueError, match="must not be encrypted"):
        load(str(file), dec_key=b"0123456789ABCDEF")


def test_wrong_arguments() -> None:
    program = GraphProgram(read_program(parse("ModelProto", content("TwoResults"))))
    with pytest.raises(RuntimeError, match=r"Mindir:2 inputs: 1 FuncGraph:"):
        program(Tensor([1.0]))


def test_other_weights() -> None:
    program = read_program(parse("ModelProto", content("NoInput")))
    given = GraphProgram(program, {"w": Tensor(5.0), "other": Tensor(1.0)})
    assert float(given()) == 10.0
    with pytest.raises(ValueError, match=r"^Only support update parameter by Tensor or Parameter with same shape"):
        GraphProgram(program, {"w": Tensor([5.0])})
    with pytest.raises(TypeError, match="the value must be Tensor or Parameter"):
        GraphProgram(program, {"w": 5.0})


@pytest.mark.parametrize("name", SMALL)
def test_every_cut_is_refused(name: str, tmp_path: Path) -> None:
    data = content(name)
    for end in range(0, len(data), max(1, len(data) // 300)):
        try:
            model = parse("ModelProto", data[:end])
        except MindIRError:
            continue
        assert model.SerializeToString() == data[:end]  # it ends between two fields


@pytest.mark.parametrize("name", SMALL)
def test_changed_bytes(name: str, tmp_path: Path) -> None:
    """A file with some bytes changed is loaded or refused with the error that says so; nothing else happens."""
    rng = random.Random(name)
    file = tmp_path / "net.mindir"
    data = content(name)
    refused = []
    for _ in range(150):
        changed = bytearray(data)
        for _ in range(rng.choice((1, 1, 2, 8))):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        file.write_bytes(changed)
        try:
            load(str(file))
        except RuntimeError as error:
            refused.append(str(error))
    assert refused
    assert all(text.startswith("Load MindIR failed. ") for text in refused)


def test_weights_in_a_file_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ms_jit.mindir.files._SPLIT", 4)
    program = read_program(parse("ModelProto", content("Convolved")))
    save_program(program, str(tmp_path / "net"))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["net_graph.mindir", "net_variables"]
    model = load_mindir(str(tmp_path / "net_graph.mindir"))
    places = [t.external_data for t in model.graph.parameter]
    assert [p.offset % 64 for p in places] == [0] * len(places)
    check_run(load(str(tmp_path / "net_graph.mindir")), RECORDS["Convolved"])
    (tmp_path / "net_variables" / "data_0").write_bytes(b"short")
    with pytest.raises(RuntimeError, match="is too short"):
        load(str(tmp_path / "net_graph.mindir"))


@pytest.mark.parametrize("location", ["../secret", "/etc/passwd", "net_variables/link", "net_variables/../../secret"])
def test_weights_from_elsewhere(location: str, tmp_path: Path) -> None:
    folder = tmp_path / "inside"
    (folder / "net_variables").mkdir(parents=True)
    (tmp_path / "secret").write_bytes(bytes(64))
    (folder / "net_variables" / "link").symlink_to(tmp_path / "secret")
    model = parse("ModelProto", content("NoInput"))
    weight = model.graph.parameter[0]
    weight.ClearField("raw_data")
    weight.external_data = Message("ExternalDataProto", location=location, offset=0, length=4)
    save_mindir(model, str(folder / "net.mindir"))
    with pytest.raises(RuntimeError, match="which is not beside it"):
        load(str(folder / "net.mindir"))
