"""`save_checkpoint`, `load_checkpoint`, `load_param_into_net` and the converters; texts and rules are 2.6's."""

from __future__ import annotations

import logging
import os
import pathlib
from typing import Any

import numpy as np
import pytest

import ms_dtype as mstype
import ms_fs
from ms_generator import Generator
from ms_kernels import Parameter, Tensor
from ms_nn import SGD, Adam, BatchNorm1d, Buffer, Cell, CosineDecayLR, Dense
from ms_nn.train import (
    async_ckpt_thread_status,
    check_checkpoint,
    ckpt_to_safetensors,
    load_checkpoint,
    load_checkpoint_async,
    load_param_into_net,
    load_segmented_checkpoints,
    safetensors_to_ckpt,
    save_checkpoint,
)

FORMATS = ("ckpt", "safetensors")


class Net(Cell):
    """Parameters, moving statistics and buffers."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = Dense(2, 3)
        self.bn = BatchNorm1d(3)
        self.seen = Buffer(Tensor(np.array([5], np.int64)))
        self.scratch = Buffer(Tensor(np.zeros(9, np.float32)), persistent=False)


def values(loaded: dict[str, Any]) -> dict[str, Any]:
    return {name: value if isinstance(value, str) else value.asnumpy().tolist() for name, value in loaded.items()}


def param(data: Any, dtype: Any = mstype.float32, name: str = "p") -> Parameter:
    return Parameter(Tensor(np.array(data), dtype), name=name, requires_grad=False)


@pytest.mark.parametrize("format", FORMATS)
def test_a_network_and_back(format: str, tmp_path: pathlib.Path) -> None:
    net, other = Net(), Net()
    net.seen += 2
    path = str(tmp_path / f"net.{format}")
    save_checkpoint(net, path, format=format)
    loaded = load_checkpoint(path, format=format)
    names = {param.name for param in net.get_parameters()} | {"seen"}
    assert set(loaded) == names
    assert all(isinstance(value, Parameter) and value.requires_grad for value in loaded.values())
    assert all(value.name == name for name, value in loaded.items())
    assert load_param_into_net(other, loaded) == ([], [])
    for one, two in zip(net.get_parameters(), other.get_parameters()):
        assert one.asnumpy().tobytes() == two.asnumpy().tobytes()
    assert other.seen.asnumpy().tolist() == [7]
    assert os.stat(path).st_mode & 0o777 == 0o400 or os.name != "posix"


@pytest.mark.parametrize("format", FORMATS)
def test_what_is_loaded_can_be_changed(format: str, tmp_path: pathlib.Path) -> None:
    """A mapped file stays as it is."""
    path = str(tmp_path / f"x.{format}")
    save_checkpoint([param([1.0, 2.0])], path, format=format)
    loaded = load_checkpoint(path, format=format)
    loaded["p"][0] = 9.0
    loaded["p"] += 1
    assert loaded["p"].asnumpy().tolist() == [10, 3]
    assert values(load_checkpoint(path, format=format)) == {"p": [1, 2]}


@pytest.mark.parametrize(
    "make",
    [
        lambda params: Adam(params, learning_rate=CosineDecayLR(0.001, 0.1, 10), weight_decay=0.01),
        lambda params: SGD(params, learning_rate=[0.1, 0.2, 0.3, 0.4], momentum=0.9),
    ],
    ids=["adam", "sgd"],
)
def test_an_optimizer_goes_on_where_it_was(make: Any, tmp_path: pathlib.Path) -> None:
    grads = [(Tensor(np.full((3, 2), i, np.float32)), Tensor(np.full(3, -i, np.float32))) for i in range(1, 5)]
    net = Dense(2, 3)
    optimizer = make(net.trainable_params())
    for grad in grads[:2]:
        optimizer(grad)
    save_checkpoint(optimizer, str(tmp_path / "x.ckpt"))
    for grad in grads[2:]:
        optimizer(grad)
    other = Dense(2, 3)
    resumed = make(other.trainable_params())
    assert load_param_into_net(resumed, load_checkpoint(str(tmp_path / "x.ckpt"))) == ([], [])
    assert int(resumed.global_step.asnumpy()[0]) == 2
    for grad in grads[2:]:
        resumed(grad)
    assert net.weight.asnumpy().tobytes() == other.weight.asnumpy().tobytes()
    assert net.bias.asnumpy().tobytes() == other.bias.asnumpy().tobytes()


def test_append_dict(tmp_path: pathlib.Path) -> None:
    generator = Generator()
    generator.manual_seed(5)
    generator._step()
    more = {"epoch": 3, "lr": 0.1, "done": True, "note": "hé", "t": Tensor([1, 2]), "g": generator, "fc": param([7.0])}
    path = str(tmp_path / "x.ckpt")
    save_checkpoint([], path, append_dict=more)
    loaded = load_checkpoint(path)
    assert {name: str(v.dtype) for name, v in loaded.items() if name != "note"} == {
        "epoch": "Int64",
        "lr": "Float32",
        "done": "Bool",
        "t": "Int64",
        "g": "UInt8",
        "fc": "Float32",
    }
    assert loaded["note"] == "hé"
    assert int(loaded["epoch"]) == 3
    resumed = Generator()
    resumed.set_state(loaded["g"])
    assert resumed.get_state().asnumpy().tolist() == generator.get_state().asnumpy().tolist()
    save_checkpoint(loaded, path)  # texts may be saved again
    assert load_checkpoint(path)["note"] == "hé"
    for wrong in ({"a": None}, {"a": [1]}, {1: 1}, {"a": np.ones(2)}, {"a": np.float32(1)}):
        with pytest.raises(TypeError, match="value: int, float, bool or Generator, but got key"):
            save_checkpoint([], path, append_dict=wrong)


@pytest.mark.parametrize(
    ("obj", "names"),
    [
        ([], []),
        ({}, []),
        ([param([1.0], name="a"), param([2.0], name="b")], ["a", "b"]),
        ([{"name": "x", "data": param([1.0])}, {"name": "y", "data": Tensor([1])}], ["x", "y"]),
        ([{"name": "x", "data": Tensor([1])}, {"name": "x", "data": Tensor([2])}], ["x"]),
        ({"k": param([1.0], name="other"), "text": "t"}, ["k", "text"]),
    ],
)
def test_what_can_be_saved(obj: Any, names: list[str], tmp_path: pathlib.Path) -> None:
    save_checkpoint(obj, str(tmp_path / "x"))
    assert ms_fs.names(tmp_path / "x.ckpt") == names


@pytest.mark.parametrize(
    ("obj", "text"),
    [
        (3, "must be nn.Cell, list or dict, but got <class 'int'>"),
        ([3], "the param should be parameter, but got <class 'int'>"),
        ([{"name": "a"}], "should have key values 'name' and 'value'"),
        ([{"name": 3, "data": Tensor([1])}], "the name in dict should be string, but got <class 'int'>"),
        ([{"name": "a", "data": np.ones(2)}], "the data in dict should be parameter, but got <class 'numpy.ndarray'>"),
        ({"a": Tensor([1])}, "the key should be str and value should be Parameter"),
        ({3: param([1.0])}, "the key should be str and value should be Parameter"),
    ],
)
def test_what_cannot_be_saved(obj: Any, text: str, tmp_path: pathlib.Path) -> None:
    with pytest.raises(TypeError, match=text):
        save_checkpoint(obj, str(tmp_path / "x"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("kwargs", "error", "text"),
    [
        ({"integrated_save": 1}, TypeError, "must be a bool, but got int"),
        ({"async_save": 1}, TypeError, "'async_save' must be bool or str, but got <class 'int'>"),
        ({"async_save": "x"}, ValueError, "can only be 'process' or 'thread',but got x"),
        ({"append_dict": 3}, TypeError, "'append_dict' must be dict, but got <class 'int'>"),
        ({"enc_key": "a" * 16}, ValueError, "'enc_key' must be isinstance of"),
        ({"enc_key": b"abc"}, ValueError, "the key of AES-GCM must have 16 or 24 or 32 bytes, but got 3"),
        (
            {"enc_key": b"a" * 16, "enc_mode": 3},
            ValueError,
            "'enc_mode' must be isinstance of <class 'str'>, but got 3",
        ),
        ({"enc_key": b"a" * 16, "enc_mode": "X"}, ValueError, "mode of encryption must be one of"),
        ({"enc_key": b"a" * 16, "format": "safetensors"}, ValueError, "'enc_key' must be set to default value 'None'"),
        ({"choice_func": 3}, TypeError, "'int' object is not callable"),
        ({"crc_check": 3}, ValueError, "'crc_check' must be isinstance of <class 'bool'>, but got 3"),
        ({"format": "zip"}, ValueError, "the format must be 'safetensors' or 'ckpt', but got zip"),
    ],
)
def test_arguments_of_save(kwargs: dict[str, Any], error: type[Exception], text: str, tmp_path: pathlib.Path) -> None:
    with pytest.raises(error, match=text):
        save_checkpoint(Dense(1, 1), str(tmp_path / "x"), **kwargs)
    assert list(tmp_path.iterdir()) == []


def test_file_names(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    net = Dense(1, 1)
    for name, format in (("a", "ckpt"), ("b.ckpt", "ckpt"), ("c.bin", "ckpt"), ("d.ckpt", "safetensors")):
        save_checkpoint(net, name, format=format)
    save_checkpoint(net, pathlib.Path("e"))
    assert sorted(os.listdir(tmp_path)) == ["a.ckpt", "b.ckpt", "c.bin.ckpt", "d.ckpt.safetensors", "e.ckpt"]
    for name in ("", str(tmp_path), f"{tmp_path}/"):
        with pytest.raises(IsADirectoryError, match="is a directory, it must be a file name"):
            save_checkpoint(net, name)
    for wrong in (3, None):
        with pytest.raises(TypeError, match="'ckpt_file_name' must be string"):
            save_checkpoint(net, wrong)  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError, match="no/such"):
        save_checkpoint(net, str(tmp_path / "no/such/x"))


def test_a_failed_save_is_logged(tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(FileNotFoundError):
        save_checkpoint(Dense(1, 1), str(tmp_path / "no/x"))
    assert [r.levelname for r in caplog.records] == ["CRITICAL"]
    assert f"Failed to save the checkpoint file {tmp_path}/no/x.ckpt." in caplog.text


def test_urls(tmp_path: pathlib.Path) -> None:
    net, other = Dense(2, 2), Dense(2, 2)
    for url in ("memory://folder/x.ckpt", f"file://{tmp_path}/x.ckpt"):
        save_checkpoint(net, url)
        load_checkpoint(url, other)
        assert net.weight.asnumpy().tobytes() == other.weight.asnumpy().tobytes()
    save_checkpoint(net, "memory://folder/x.safetensors", format="safetensors")
    assert set(load_checkpoint("memory://folder/x.safetensors", format="safetensors")) == {"weight", "bias"}


# -- loading -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path: pathlib.Path) -> str:
    path = str(tmp_path / "a.ckpt")
    save_checkpoint(Dense(2, 3), path)
    save_checkpoint(Dense(2, 3), str(tmp_path / "a.safetensors"), format="safetensors")
    return path


def test_filters(saved: str, caplog: pytest.LogCaptureFixture) -> None:
    assert list(load_checkpoint(saved, filter_prefix="we")) == ["bias"]
    assert "this parameter `filter_prefix` will be deprecated" in caplog.text
    assert list(load_checkpoint(saved, filter_prefix=["x", "bi"])) == ["weight"]
    assert list(load_checkpoint(saved, specify_prefix="we")) == ["weight"]
    assert list(load_checkpoint(saved, specify_prefix=("bi",))) == ["bias"]
    assert list(load_checkpoint(saved, choice_func=lambda name: name.endswith("s"))) == ["bias"]
    for kwargs in ({"filter_prefix": ["we", "bi"]}, {"specify_prefix": "z"}, {"choice_func": lambda name: False}):
        with pytest.raises(ValueError, match="The loaded parameter dict is empty after filter or specify"):
            load_checkpoint(saved, **kwargs)


@pytest.mark.parametrize("arg", ["filter_prefix", "specify_prefix"])
@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (3, TypeError, r"must be string, list\[string\] or tuple\[string\], but got <class 'int'>"),
        ([], ValueError, "can't be empty"),
        ([""], ValueError, "can't include ''"),
        ("", ValueError, "can't include ''"),
        (["a", 3], TypeError, "must be string, but got <class 'int'> at index 1"),
    ],
)
def test_wrong_filters(saved: str, arg: str, value: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        load_checkpoint(saved, **{arg: value})


@pytest.mark.parametrize(
    ("args", "kwargs", "error", "text"),
    [
        ((3,), {}, TypeError, "'ckpt_file_name' must be string, but got <class 'int'>"),
        (("a.safetensors",), {}, ValueError, "format must same with 'format', but got file_name:'a.safetensors'"),
        (("a.ckpt",), {"format": "safetensors"}, ValueError, "format must same with 'format'"),
        (("a",), {}, ValueError, "format must same with 'format'"),
        (("a.ckpt",), {"format": "zip"}, ValueError, "should end with '.ckpt' or '.safetensors'"),
        (("no.ckpt",), {}, ValueError, r"the checkpoint file: .*no\.ckpt does not exist"),
        (("no.ckpt",), {}, FileNotFoundError, r"the checkpoint file: .*no\.ckpt does not exist"),
        (("a.ckpt", 3), {}, TypeError, "'net' should be a Cell, but got <class 'int'>"),
        (("a.ckpt",), {"strict_load": 1}, TypeError, "must be a bool, but got int"),
        (("a.ckpt",), {"dec_key": "x"}, ValueError, "'dec_key' must be isinstance of"),
        (("a.ckpt",), {"dec_key": b"a" * 16, "dec_mode": 1}, ValueError, "'dec_mode' must be isinstance of"),
        (("a.ckpt",), {"crc_check": 1}, ValueError, "'crc_check' must be isinstance of"),
        (("a.ckpt",), {"remove_redundancy": 1}, ValueError, "'remove_redundancy' must be isinstance of"),
        (("a.ckpt",), {"choice_func": 1}, ValueError, "'choice_func' must be callable"),
    ],
)
def test_arguments_of_load(
    saved: str, monkeypatch: pytest.MonkeyPatch, args: Any, kwargs: Any, error: type[Exception], text: str
) -> None:
    monkeypatch.chdir(os.path.dirname(saved))
    with pytest.raises(error, match=text):
        load_checkpoint(*args, **kwargs)


def test_damaged_files(tmp_path: pathlib.Path) -> None:
    for format in FORMATS:
        path = tmp_path / f"x.{format}"
        path.write_bytes(b"garbage and more")
        with pytest.raises(ValueError, match=rf"Failed to read the checkpoint file .*x\.{format}"):
            load_checkpoint(str(path), format=format)
    assert check_checkpoint(str(tmp_path / "x.ckpt")) is False
    with pytest.raises(FileNotFoundError):
        check_checkpoint(str(tmp_path / "no.ckpt"))


def test_good_files(saved: str) -> None:
    assert check_checkpoint(saved) is True
    assert check_checkpoint(saved.replace(".ckpt", ".safetensors")) is False
    assert list(load_checkpoint(saved.replace("ckpt", "safetensors"), format="safetensors")) == ["bias", "weight"]


def test_load_into_a_network(saved: str) -> None:
    net = Dense(2, 3)
    loaded = load_checkpoint(saved, net, strict_load=True)
    assert net.weight.asnumpy().tobytes() == loaded["weight"].asnumpy().tobytes()
    with pytest.raises(TypeError, match="can only be used in parallel scenarios, but got stand_alone"):
        load_checkpoint(saved, net, remove_redundancy=True)
    assert list(load_checkpoint(saved, remove_redundancy=True)) == ["weight", "bias"]


def test_load_async(saved: str) -> None:
    net = Dense(2, 3)
    loaded = load_checkpoint_async(saved, net).result()
    assert net.weight.asnumpy().tobytes() == loaded["weight"].asnumpy().tobytes()
    assert set(load_checkpoint_async(saved.replace("ckpt", "safetensors")).result()) == {"weight", "bias"}
    missing = load_checkpoint_async("no.ckpt")
    with pytest.raises(ValueError, match="does not exist"):
        missing.result()
    with pytest.raises(TypeError, match="must be string"):
        load_checkpoint_async(3)  # type: ignore[arg-type]


def test_load_segments(tmp_path: pathlib.Path) -> None:
    save_checkpoint([param([[1.0, 2.0]], name="weight")], str(tmp_path / "one"))
    save_checkpoint([param([3.0], name="bias")], str(tmp_path / "two"))
    net = Dense(2, 1)
    loaded = load_segmented_checkpoints(tmp_path, net)
    assert values(loaded) == {"weight": [[1, 2]], "bias": [3]}
    assert net.weight.asnumpy().tolist() == [[1, 2]]
    assert list(load_segmented_checkpoints(str(tmp_path), choice_func=lambda name: name == "bias")) == ["bias"]
    assert load_segmented_checkpoints(str(tmp_path), specify_prefix="z") == {}
    with pytest.raises(ValueError, match=r"doesn't exist\. Or it's not a directory"):
        load_segmented_checkpoints(str(tmp_path / "no"))
    with pytest.raises(TypeError, match="ckpt_file_dir should be a str"):
        load_segmented_checkpoints(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("how", [True, "thread", "process"])
def test_save_async(how: Any, tmp_path: pathlib.Path) -> None:
    net = Dense(2, 3)
    before = net.weight.asnumpy().copy()
    save_checkpoint(net, str(tmp_path / "x"), async_save=how)
    net.weight.set_data(net.weight + 1)
    loaded = load_checkpoint(str(tmp_path / "x.ckpt"))  # waits for the save
    assert async_ckpt_thread_status() is False
    assert loaded["weight"].asnumpy().tobytes() == before.tobytes()


def test_checksum_and_encryption(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("cryptography")
    path = str(tmp_path / "x.ckpt")
    for mode in ("AES-GCM", "AES-CBC", "SM4-CBC"):
        save_checkpoint([param([1.0])], path, enc_key=b"k" * 16, enc_mode=mode, crc_check=True)
        assert values(load_checkpoint(path, dec_key=b"k" * 16, dec_mode=mode, crc_check=True)) == {"p": [1]}
        with pytest.raises(ValueError, match="encrypted"):
            load_checkpoint(path)


# -- into a network ----------------------------------------------------------------------------------------------------

INTS = ("int8", "int16", "int32", "int64")
FLOATS = ("float16", "bfloat16", "float32", "float64")
REST = ("bool_", "uint8", "uint16", "uint32", "uint64", "complex64", "complex128")


class One(Cell):
    def __init__(self, value: Any, dtype: str = "float32") -> None:
        super().__init__()
        self.p = param(value, getattr(mstype, dtype))


@pytest.mark.parametrize("own", [*INTS, *FLOATS, *REST])
def test_types_that_fit(own: str) -> None:
    for given in (*INTS, *FLOATS, *REST):
        net = One([1, 1], own)
        group = next((g for g in (INTS, FLOATS) if own in g), (own,))
        value = {"p": param([0, 1], getattr(mstype, given))}
        if given in group:
            assert load_param_into_net(net, value) == ([], [])
            assert net.p.dtype == getattr(mstype, own)
            assert net.p.asnumpy().astype(complex).tolist() == [0, 1]
        else:
            with pytest.raises(RuntimeError, match="should have the same type as p"):
                load_param_into_net(net, value)
        if given != own:
            with pytest.raises(RuntimeError, match="should have the same type as p"):
                load_param_into_net(net, value, strict_load=True)


def test_shapes_that_fit() -> None:
    net = One(2.0)
    assert load_param_into_net(net, {"p": param([5.0])}) == ([], [])
    assert net.p.shape == ()
    assert float(net.p) == 5
    for own, given in (([1.0], 2.0), ([[1.0]], [1.0]), ([1.0, 2.0], [1.0])):
        with pytest.raises(RuntimeError, match="should have the same shape as p in the argument 'parameter_dict'"):
            load_param_into_net(One(own), {"p": param(given)})


def test_nothing_changes_when_one_does_not_fit() -> None:
    net = Dense(2, 3)
    before = net.weight.asnumpy().copy()
    with pytest.raises(RuntimeError, match="bias"):
        load_param_into_net(net, {"weight": param(np.zeros((3, 2))), "bias": param([1.0])})
    assert net.weight.asnumpy().tobytes() == before.tobytes()


def test_the_values_are_copied() -> None:
    net, given = One([1.0]), param([2.0])
    load_param_into_net(net, {"p": given})
    given += 1
    assert float(net.p[0]) == 2


@pytest.mark.parametrize(
    ("names", "missing", "left", "prefixes"),
    [
        (["fc.weight", "q.fc.bias"], [], ["q.fc.bias"], ["q."]),
        (["q.fc.weight", "q.fc.bias"], [], ["q.fc.weight", "q.fc.bias"], ["q."]),
        (["q.fc.weight", "r.fc.bias"], [], ["q.fc.weight", "r.fc.bias"], ["q.", "r."]),
        (["q.fc.weight"], ["fc.bias"], ["q.fc.weight"], ["q."]),
        (["zzfc.weight", "zzfc.bias", "other"], [], ["zzfc.weight", "zzfc.bias", "other"], ["zz"]),
        (["weight", "bias"], ["fc.weight", "fc.bias"], ["weight", "bias"], []),
        ([], ["fc.weight", "fc.bias"], [], []),
    ],
)
def test_prefixes(
    names: list[str], missing: list[str], left: list[str], prefixes: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    class Small(Cell):
        def __init__(self) -> None:
            super().__init__()
            self.fc = Dense(1, 1)

    net = Small()
    given = {name: param([[3.0]] if "weight" in name else [4.0]) for name in names}
    assert load_param_into_net(net, given) == (missing, left)
    if "fc.weight" not in missing:
        assert float(net.fc.weight[0][0]) == 3
    told = [r.getMessage() for r in caplog.records if "remove parameter prefix" in r.getMessage()]
    assert told == [
        f"For 'load_param_into_net', remove parameter prefix name: {p}, continue to load." for p in prefixes
    ]
    strict = [name for name in ("fc.weight", "fc.bias") if name not in names]
    assert load_param_into_net(net, given, strict_load=True)[0] == strict


def test_missing_parameters_are_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert load_param_into_net(Dense(2, 3), {"text": "x"}) == (["weight", "bias"], ["text"])
    assert "2 parameters in the 'net' are not loaded" in caplog.text
    assert "['weight', 'bias'] are not loaded." in caplog.text


@pytest.mark.parametrize(
    ("args", "error", "text"),
    [
        ((3, {}), TypeError, "'net' should be a Cell, but got <class 'int'>"),
        ((Dense(1, 1), 3), TypeError, "'parameter_dict' should be a dict, but got <class 'int'>"),
        ((Dense(1, 1), {3: param([1.0])}), TypeError, "should be a 'str' and 'Parameter'"),
        ((Dense(1, 1), {"bias": Tensor([1.0])}), TypeError, "should be a 'str' and 'Parameter'"),
        ((Dense(1, 1), {}, 3), TypeError, "must be a bool, but got int"),
        ((Dense(1, 1), {}, False, 3), ValueError, "'remove_redundancy' must be isinstance of"),
        ((Dense(1, 1), {}, False, True), TypeError, "can only be used in parallel scenarios"),
    ],
)
def test_arguments_of_load_into(args: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        load_param_into_net(*args)


# -- converting --------------------------------------------------------------------------------------------------------


def files(folder: pathlib.Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def test_convert_one(saved: str, tmp_path: pathlib.Path) -> None:
    ckpt_to_safetensors(saved, str(tmp_path / "out"), {"weight": "w"})
    safetensors_to_ckpt(tmp_path / "out" / "a.safetensors", name_map={"w": "weight"})
    assert files(tmp_path / "out") == ["a.ckpt", "a.safetensors"]
    back = load_checkpoint(str(tmp_path / "out" / "a.ckpt"))
    assert values(back) == values(load_checkpoint(saved))
    os.remove(tmp_path / "a.safetensors")
    ckpt_to_safetensors(saved)
    assert files(tmp_path) == ["a.ckpt", "a.safetensors", "out/a.ckpt", "out/a.safetensors"]


@pytest.mark.parametrize("processes", [1, 3])
def test_convert_a_folder(processes: int, tmp_path: pathlib.Path) -> None:
    source = tmp_path / "source"
    for rank in ("rank_0", "rank_1", "other"):
        (source / rank / "sub").mkdir(parents=True)
        for name in ("a-1", "b-1", "sub/c"):
            save_checkpoint(Dense(1, 1), str(source / rank / name))
    ckpt_to_safetensors(str(source), str(tmp_path / "one"), processes_num=processes)
    assert files(tmp_path / "one") == [f"rank_{r}/{n}-1.safetensors" for r in (0, 1) for n in "ab"]
    ckpt_to_safetensors(str(source), str(tmp_path / "two"), file_name_regex="^a", processes_num=processes)
    assert files(tmp_path / "two") == ["rank_0/a-1.safetensors", "rank_1/a-1.safetensors"]
    safetensors_to_ckpt(str(tmp_path / "one"), processes_num=processes)
    assert len(files(tmp_path / "one")) == 8
    with pytest.raises(ValueError, match="no directories starting with 'rank' found"):
        ckpt_to_safetensors(str(source / "rank_0"))


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ((3,), "the input path must be a valid path or file, but got 3"),
        (("no",), "the input path must be a valid path or file, but got no"),
        (("a.safetensors",), "the input file must be a .ckpt file, but got a.safetensors"),
        (("a.ckpt", "out.safetensors"), "the save_path must be a directory, but got 'out.safetensors'"),
        (("a.ckpt", None, 3), "the type of 'name_map' must be a directory, but got '<class 'int'>'"),
        (("a.ckpt", None, {"weight": "bias"}), "must not give two parameters"),
        (("a.ckpt", None, None, None, 0), "'processes_num' must be a positive int, but got 0"),
    ],
)
def test_arguments_of_convert(saved: str, monkeypatch: pytest.MonkeyPatch, args: Any, text: str) -> None:
    monkeypatch.chdir(os.path.dirname(saved))
    with pytest.raises(ValueError, match=text):
        ckpt_to_safetensors(*args)


def test_convert_what_the_format_cannot_hold(tmp_path: pathlib.Path) -> None:
    save_checkpoint([], str(tmp_path / "x"), append_dict={"note": "text"})
    with pytest.raises(TypeError, match="'note' is a text"):
        ckpt_to_safetensors(tmp_path / "x.ckpt")
    assert files(tmp_path) == ["x.ckpt"]
