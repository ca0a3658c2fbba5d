"""What a dump leaves: names, contents, statistics, iterations, both trees."""

from __future__ import annotations

import csv
import json
import pathlib
import re
from typing import Any

import numpy as np
import pytest

import ms_dump
import ms_fs
from ms_dump.testing import IMAGE, Net, Part, content, files, types
from ms_kernels import Tensor, functional, grad, settings
from ms_kernels.core.dispatch import process_target

NAME = re.compile(
    r"(\w+)\.([\w-]+)\.0\.0\.(\d{16})\.(input|output)\.(\d+)\.DefaultFormat\.(float16|float32|bfloat16|int32)\.npy"
)


def run(path: Any, function: Any, *args: Any, mode: int = 0, **common: Any) -> pathlib.Path:
    """Dump everything that a function does, on the CPU too."""
    ms_dump.anywhere()
    ms_dump.start(content(path, mode, **common))
    function(*args)
    ms_dump.stop()
    return pathlib.Path(path) / "rank_0" / "Net"


def rows(folder: pathlib.Path) -> list[dict[str, str]]:
    with open(folder / "statistic.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_names_and_contents(tmp_path: pathlib.Path, net: Net, image: Tensor) -> None:
    folder = run(tmp_path, net, image)
    found = {path.name: np.load(path) for path in files(folder)}
    assert all(NAME.fullmatch(name) for name in found)
    by_place = {NAME.fullmatch(name).group(1, 4, 5): array for name, array in found.items()}  # type: ignore[union-attr]
    assert set(by_place) == {
        ("Conv2D", "input", "0"),
        ("Conv2D", "input", "1"),
        ("Conv2D", "output", "0"),
        ("ReLU", "input", "0"),
        ("ReLU", "output", "0"),
    }
    assert np.array_equal(by_place["Conv2D", "input", "0"], IMAGE)
    assert np.array_equal(by_place["ReLU", "output", "0"], np.maximum(by_place["Conv2D", "output", "0"], 0))
    assert any("Default_network-Net_" in name and "Conv2D-op0" in name for name in found)


def test_bfloat16_is_stored_as_float32(tmp_path: pathlib.Path) -> None:
    x = Tensor([1.5, 2.5]).bfloat16()
    folder = run(tmp_path, lambda: x * x)
    for path in files(folder):
        assert ".bfloat16.npy" in path.name
        assert np.load(path).dtype == np.float32
    assert {float(np.load(path)[1]) for path in files(folder)} == {2.5, 6.25}


@pytest.mark.parametrize(("which", "sides"), [(0, {"input", "output"}), (1, {"input"}), (2, {"output"})])
def test_inputs_and_outputs(tmp_path: pathlib.Path, net: Net, image: Tensor, which: int, sides: set[str]) -> None:
    folder = run(tmp_path, net, image, input_output=which)
    assert {path.name.split(".")[5] for path in files(folder)} == sides


def test_a_tensor_is_saved_as_it_was(tmp_path: pathlib.Path) -> None:
    def program() -> None:
        x = Tensor(np.zeros(3, np.float32))
        functional.relu(x)
        x.add_(5)
        functional.relu(x)

    folder = run(tmp_path, program, mode=1, kernels=["ReLU"])
    found = [np.load(path).max() for path in files(folder) if ".input." in path.name]
    assert sorted(found) == [0, 5]


def test_iterations(tmp_path: pathlib.Path, net: Net, image: Tensor) -> None:
    def program() -> None:
        for _ in range(5):
            grad(lambda x: functional.sum(net(x)))(image)

    folder = run(tmp_path, program, iteration="1|3-4")
    assert sorted(path.name for path in (folder / "0").iterdir()) == ["1", "3", "4"]
    names = [{re.sub(r"\d{16}", "", path.name) for path in (folder / "0" / n).iterdir()} for n in "134"]
    assert names[0] == names[1] == names[2]


def test_steps_by_hand(tmp_path: pathlib.Path, image: Tensor) -> None:
    def program() -> None:
        for _ in range(3):
            functional.relu(image)
            ms_dump.step()

    folder = run(tmp_path, program)
    assert sorted(path.name for path in (folder / "0").iterdir()) == ["0", "1", "2"]


def test_outermost_cells_are_graphs(tmp_path: pathlib.Path, net: Net, image: Tensor) -> None:
    other = Net()

    def program() -> None:
        net(image)
        other(image)

    folder = run(tmp_path, program)
    assert sorted(path.name for path in folder.iterdir()) == ["0", "1"]


@pytest.mark.parametrize(
    ("kernels", "wanted"),
    [
        (["conv"], {"Conv2D"}),
        (["ReLU-op1"], {"ReLU"}),
        (["Default/network-Net/1-Relu/ReLU-op1"], {"ReLU"}),
        (["name-regex(Default/.+/Conv2D-op.*)"], {"Conv2D"}),
        (["Softmax"], set()),
    ],
)
def test_kernels(tmp_path: pathlib.Path, net: Net, image: Tensor, kernels: list[str], wanted: set[str]) -> None:
    assert types(run(tmp_path, net, image, mode=1, kernels=kernels)) == wanted


def test_statistics(tmp_path: pathlib.Path) -> None:
    x = Tensor(np.float32([-1, 0, 3, np.nan, np.inf]))
    categories = ["max", "min", "count", "negative zero count", "zero count", "nan count", "positive inf count", "md5"]
    folder = run(tmp_path, lambda: functional.relu(x), saved_data="statistic", statistic_category=categories)
    assert [path.name for path in files(folder)] == ["statistic.csv"]
    first, second = rows(folder / "0" / "0")
    assert (first["Op Type"], first["IO"], first["Slot"], first["Data Size"]) == ("ReLU", "input", "0", "20")
    assert (first["Data Type"], first["Shape"], second["IO"]) == ("float32", "(5)", "output")
    assert (first["Max Value"], first["Min Value"], first["Count"]) == ("inf", "-1", "5")
    assert (first["Negative Zero Count"], first["Zero Count"], first["NaN Count"]) == ("1", "1", "1")
    assert first["Positive Inf Count"] == "1" and len(first["MD5"]) == 32


def test_full_saves_both(tmp_path: pathlib.Path, net: Net, image: Tensor) -> None:
    folder = run(tmp_path, net, image, saved_data="full") / "0" / "0"
    tensors = [path for path in folder.iterdir() if path.suffix == ".npy"]
    assert len(rows(folder)) == len(tensors) == 5
    for row in rows(folder):
        (path,) = [p for p in tensors if f".{row['Timestamp']}." in p.name]
        assert float(row["Max Value"]) == pytest.approx(float(np.load(path).max()), rel=1e-6)


def test_samples_and_arguments(tmp_path: pathlib.Path, image: Tensor) -> None:
    settings = content(tmp_path)
    settings["e2e_dump_settings"] |= {"sample_mode": 1, "sample_num": 7, "save_kernel_args": True}
    ms_dump.anywhere()
    ms_dump.start(settings)
    functional.softmax(image, -1)
    found = files(tmp_path)
    assert {np.load(path).shape for path in found if path.suffix == ".npy"} == {(7,)}
    (arguments,) = [json.loads(path.read_text()) for path in found if path.suffix == ".json"]
    assert "-1" in arguments.values()


def test_types_have_no_dots() -> None:
    from ms_dump.names import op_type
    from ms_kernels.opdef.register import all_ops

    for op in all_ops().values():
        assert re.fullmatch(r"\w+", op_type(op, ())), op.label


# -- overflow and failure ----------------------------------------------------------------------------------------------


def test_only_ops_that_overflow(tmp_path: pathlib.Path) -> None:
    x = Tensor(np.full(3, 300, np.float16))

    def program() -> None:
        functional.relu(x)
        for _ in range(3):
            x * x
        functional.exp(Tensor(np.float32([1000])))

    assert types(run(tmp_path / "all", program, op_debug_mode=3)) == {"Mul", "Exp"}
    folder = run(tmp_path / "two", program, op_debug_mode=3, overflow_number=2)
    assert len([path for path in files(folder) if ".output." in path.name]) == 2


def test_a_chip_that_saturates_tells_of_overflow(tmp_path: pathlib.Path) -> None:
    from ms_kernels.targets.ascend import AscendTarget

    x = Tensor(np.full(3, 300, np.float16))
    target = AscendTarget("ascend910")
    target.chip.status[0] = 1  # of an earlier op: it sticks, and must not be taken for that of a later one
    process_target.target = target
    folder = run(tmp_path, lambda: functional.relu(x) + functional.relu(x * x) * 0, op_debug_mode=3)
    assert types(folder) == {"Mul"}
    assert target.chip.status[0] == 1


def test_the_inputs_of_an_op_that_fails(tmp_path: pathlib.Path, image: Tensor) -> None:
    def program() -> None:
        functional.relu(image)
        with pytest.raises(ValueError):
            functional.matmul(image, Tensor(np.ones((3, 3), np.float32)))

    folder = run(tmp_path, program, op_debug_mode=4, input_output=1)
    assert {path.name.split(".")[5] for path in files(folder)} == {"input"}
    assert len(types(folder)) == 1 and "ReLU" not in types(folder)


# -- where and when ---------------------------------------------------------------------------------------------------


def test_a_device_that_is_not_listed(tmp_path: pathlib.Path, net: Net, image: Tensor) -> None:
    settings.device_target = "Ascend"
    assert files(run(tmp_path, net, image, support_device=[3])) == []


def test_any_storage(net: Net, image: Tensor) -> None:
    run("memory://dumps/a", net, image, saved_data="full")
    backend, inner = ms_fs.resolve("memory://dumps/a/rank_0/Net/0/0")
    names = backend.list(inner)
    assert len(names) == 6
    with backend.open(f"{inner}/statistic.csv") as file:
        assert file.read().count(b"\n") == 6


def test_ranks(tmp_path: pathlib.Path, net: Net, image: Tensor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK_ID", "5")
    run(tmp_path, net, image)
    assert [path.name for path in tmp_path.iterdir()] == ["rank_5"]


def test_one_dump_at_a_time(tmp_path: pathlib.Path) -> None:
    ms_dump.start(content(tmp_path))
    with pytest.raises(RuntimeError, match="the dump of this process must have ended"):
        ms_dump.start(content(tmp_path))
    ms_dump.stop()
    process_target.observer = object()  # type: ignore[assignment]
    with pytest.raises(RuntimeError, match="nothing else must observe"):
        ms_dump.start(content(tmp_path))
    process_target.observer = None
    assert not ms_dump.start()


def test_long_names_stay_within_what_file_systems_take(tmp_path: pathlib.Path, image: Tensor) -> None:
    class AVeryLongNameOfACellThatSomebodyMightGiveToAPartOfANetwork(Part):
        def construct(self, x: Any) -> Any:
            return self.inner(x)  # type: ignore[attr-defined]

    class Leaf(Part):
        def construct(self, x: Any) -> Any:
            return functional.relu(x)

    cell: Part = Leaf()
    for _ in range(8):
        cell = AVeryLongNameOfACellThatSomebodyMightGiveToAPartOfANetwork(inner=cell)
    folder = run(tmp_path, cell, image)
    assert len(files(folder)) == 2 and all(len(path.name) < 255 for path in files(folder))


# -- msprobe's tree ---------------------------------------------------------------------------------------------------


def test_msprobe(tmp_path: pathlib.Path, net: Net, image: Tensor) -> None:
    def program() -> None:
        for _ in range(2):
            grad(lambda x: functional.sum(net(x)))(image)

    run(tmp_path, program, layout="msprobe")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["step0", "step1"]
    folder = tmp_path / "step1" / "rank"
    found = json.loads((folder / "dump.json").read_text())
    assert (found["task"], found["level"], found["framework"]) == ("tensor", "L1", "mindspore")
    forward = found["data"]["Functional.convolution.0.forward"]
    assert set(forward) == {"input_args", "input_kwargs", "output"}
    (entry,) = forward["output"]
    assert entry["type"] == "mindspore.Tensor" and entry["dtype"] == "Float32" and entry["shape"] == [1, 6, 6, 6]
    array = np.load(folder / "dump_tensor_data" / entry["data_name"])
    assert entry["data_name"] == "Functional.convolution.0.forward.output.0.npy"
    assert entry["Max"] == pytest.approx(float(array.max()))
    assert entry["Norm"] == pytest.approx(float(np.linalg.norm(array)))
    backward = found["data"]["Functional.conv_grad_input.0.backward"]
    assert set(backward) == {"input", "output"}
    stack = json.loads((folder / "stack.json").read_text())
    assert "test_files.py, line" in stack["Functional.convolution.0.forward"][0]
    construct = json.loads((folder / "construct.json").read_text())
    assert construct["Functional.convolution.0.forward"].endswith("-Conv")


def test_msprobe_names_primitives_and_ranks(
    tmp_path: pathlib.Path, image: Tensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANK_ID", "2")
    relu = functional.ReLU()
    run(tmp_path, lambda: relu(image), layout="msprobe", saved_data="statistic")
    folder = tmp_path / "step0" / "rank2"
    found = json.loads((folder / "dump.json").read_text())
    assert found["task"] == "statistics" and list(found["data"]) == ["Primitive.ReLU.0.forward"]
    assert "data_name" not in found["data"]["Primitive.ReLU.0.forward"]["output"][0]
    assert not (folder / "dump_tensor_data").exists()
