"""`ModelCheckpoint`: which files there are after a training, what is in them, and going on from one."""

from __future__ import annotations

import os
import pathlib
from typing import Any

import numpy as np
import pytest

from ms_generator import Generator, default_generator, set_rng_state, set_seed
from ms_nn import Adam, Dense, Dropout, ExponentialDecayLR, MSELoss, SequentialCell
from ms_nn.dataset import NumpySlicesDataset
from ms_nn.train import (
    BackupAndRestore,
    Callback,
    CheckpointConfig,
    Model,
    ModelCheckpoint,
    load_checkpoint,
    load_param_into_net,
)

X = np.random.default_rng(0).normal(size=(8, 2)).astype(np.float32)
Y = np.ones((8, 1), np.float32)


def data() -> Any:
    return NumpySlicesDataset((X, Y), shuffle=False).batch(2)  # four steps an epoch


def model() -> Model:
    set_seed(1)
    net = SequentialCell(Dense(2, 4), Dropout(p=0.5), Dense(4, 1))
    rate = ExponentialDecayLR(0.1, 0.9, 2)
    return Model(net, MSELoss(), Adam(net.trainable_params(), learning_rate=rate))


def train(callback: Any, epochs: int = 3, **kwargs: Any) -> Model:
    made = model()
    made.train(epochs, data(), callbacks=callback, dataset_sink_mode=False, **kwargs)
    return made


def names(folder: Any) -> list[str]:
    return sorted(os.listdir(folder))


@pytest.mark.parametrize(
    ("config", "wanted"),
    [
        (None, ["2_4", "3_1", "3_2", "3_3", "3_4"]),
        ({"save_checkpoint_steps": 2, "keep_checkpoint_max": 2}, ["3_2", "3_4"]),
        ({"save_checkpoint_steps": 3, "keep_checkpoint_max": 10}, ["1_3", "2_2", "3_1", "3_4"]),
        ({"save_checkpoint_steps": 100}, ["3_4"]),
        ({"save_checkpoint_steps": 1, "keep_checkpoint_max": 0}, ["3_4"]),
        ({"save_checkpoint_steps": 0, "save_checkpoint_seconds": 1000}, ["3_4"]),
        ({"save_checkpoint_steps": 0, "keep_checkpoint_max": 5}, []),
        ({"save_checkpoint_steps": 2, "keep_checkpoint_max": 0, "keep_checkpoint_per_n_minutes": 1}, ["1_2", "3_4"]),
        ({"save_checkpoint_steps": 6, "async_save": True}, ["2_2", "3_4"]),
        ({"save_checkpoint_steps": 6, "async_save": "process"}, ["2_2", "3_4"]),
    ],
)
def test_which_files_stay(config: Any, wanted: list[str], tmp_path: pathlib.Path) -> None:
    callback = ModelCheckpoint("net", str(tmp_path), None if config is None else CheckpointConfig(**config))
    assert callback.latest_ckpt_file_name == ""
    train(callback)
    assert names(tmp_path) == [f"net-{place}.ckpt" for place in wanted]
    assert callback.latest_ckpt_file_name == (str(tmp_path / "net-3_4.ckpt") if wanted else "")


def test_seconds(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ms_nn.train.callback import _checkpoint

    clock = iter(range(0, 10_000, 1))
    monkeypatch.setattr(_checkpoint.time, "monotonic", lambda: next(clock))
    train(ModelCheckpoint("net", str(tmp_path), CheckpointConfig(0, 5, keep_checkpoint_max=50)))
    assert 1 < len(names(tmp_path)) < 12


def test_earlier_trainings_keep_their_files(tmp_path: pathlib.Path) -> None:
    config = CheckpointConfig(save_checkpoint_steps=12)
    for wanted in ("net-3_4", "net_1-3_4", "net_2-3_4"):
        train(ModelCheckpoint("net", str(tmp_path), config))
        assert f"{wanted}.ckpt" in names(tmp_path)
    (tmp_path / "net_9-1_1.ckpt").touch()
    (tmp_path / "netx-1_1.ckpt").touch()
    (tmp_path / "net_70-1_1.txt").touch()
    train(ModelCheckpoint("net", str(tmp_path), config))
    assert "net_10-3_4.ckpt" in names(tmp_path)


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_what_is_in_a_file(format: str, tmp_path: pathlib.Path) -> None:
    generator = Generator()
    generator.manual_seed(7)
    info = ["epoch_num", {"step_num": 1000, "best": 0.5, "g": generator}]
    config = CheckpointConfig(12, append_info=info, format=format, crc_check=True)
    made = train(ModelCheckpoint("net", str(tmp_path), config))
    loaded = load_checkpoint(str(tmp_path / f"net-3_4.{format}"), format=format, crc_check=True)
    assert int(loaded["epoch_num"]) == 3
    assert int(loaded["step_num"]) == 1012
    assert float(loaded["best"]) == 0.5
    assert loaded["g"].asnumpy().tolist() == generator.get_state().asnumpy().tolist()
    assert int(loaded["global_step"][0]) == 12
    for param in made.train_network.get_parameters():
        assert loaded[param.name].asnumpy().tobytes() == param.asnumpy().tobytes()
    assert {"moment1.0.weight", "moment2.2.bias", "beta1_power"} <= set(loaded)


def test_another_network(tmp_path: pathlib.Path) -> None:
    train(ModelCheckpoint("net", str(tmp_path), CheckpointConfig(12, saved_network=Dense(3, 3))))
    assert set(load_checkpoint(str(tmp_path / "net-3_4.ckpt"))) == {"weight", "bias"}


def test_functions_for_names(tmp_path: pathlib.Path) -> None:
    callback = ModelCheckpoint(
        lambda params: f"step{params.cur_step_num}",
        lambda params: str(tmp_path / f"epoch{params.cur_epoch_num}"),
        CheckpointConfig(2, keep_checkpoint_max=1),
    )
    train(callback, 2)
    found = sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*.ckpt"))
    assert found == ["epoch1/step2.ckpt", "epoch1/step4.ckpt", "epoch2/step6.ckpt", "epoch2/step8.ckpt"]


def test_a_url(tmp_path: pathlib.Path) -> None:
    train(ModelCheckpoint("net", "memory://trained/here", CheckpointConfig(6, keep_checkpoint_max=1)))
    loaded = load_checkpoint("memory://trained/here/net-3_4.ckpt")
    assert int(loaded["global_step"][0]) == 12
    with pytest.raises(ValueError, match="does not exist"):
        load_checkpoint("memory://trained/here/net-2_2.ckpt")


class At(Callback):
    """Does something at a step."""

    def __init__(self, step: int, what: Any) -> None:
        self.step, self.what = step, what

    def on_train_step_end(self, run_context: Any) -> None:
        if run_context.original_args().cur_step_num == self.step:
            self.what(run_context)


def fail(run_context: Any) -> None:
    raise RuntimeError("boom")


@pytest.mark.parametrize("exception_save", [True, False])
def test_errors_in_a_training(exception_save: bool, tmp_path: pathlib.Path) -> None:
    callback = ModelCheckpoint("net", str(tmp_path), CheckpointConfig(4, exception_save=exception_save))
    with pytest.raises(RuntimeError, match="boom"):
        train([callback, At(6, fail)])
    assert names(tmp_path) == ["net-1_4.ckpt", *(["net-2_2_breakpoint.ckpt"] if exception_save else [])]


def test_a_training_that_is_stopped(tmp_path: pathlib.Path) -> None:
    callback = ModelCheckpoint("net", str(tmp_path), CheckpointConfig(3))
    train([callback, At(5, lambda context: context.request_stop())])
    assert names(tmp_path) == ["net-1_3.ckpt", "net-2_1.ckpt"]


def test_an_error_of_a_save_in_the_background_is_raised(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "gone"
    callback = ModelCheckpoint("net", str(folder), CheckpointConfig(6, async_save=True))
    with pytest.raises(FileNotFoundError, match="gone"):
        train([callback, At(1, lambda context: folder.rmdir())])


def test_an_old_file_stays_until_the_new_one_is_whole(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import ms_fs.background

    seen: list[list[str]] = []
    real = ms_fs.background.save

    def slow(*args: Any, **kwargs: Any) -> None:
        seen.append(names(tmp_path))
        real(*args, **kwargs)

    monkeypatch.setattr(ms_fs.background, "save", slow)
    train(ModelCheckpoint("net", str(tmp_path), CheckpointConfig(4, keep_checkpoint_max=1, async_save=True)))
    assert seen == [[], ["net-1_4.ckpt"], ["net-2_4.ckpt"]]
    assert names(tmp_path) == ["net-3_4.ckpt"]


def test_one_device_has_no_redundancy(tmp_path: pathlib.Path) -> None:
    callback = ModelCheckpoint("net", str(tmp_path), CheckpointConfig(4, remove_redundancy=True))
    with pytest.raises(TypeError, match="can only be used in parallel scenarios, but got 'stand_alone'"):
        train(callback)
    assert names(tmp_path) == []


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_going_on_gives_the_same_bits(format: str, tmp_path: pathlib.Path) -> None:
    """Optimizer, schedule and generator included: dropout follows the default generator."""
    config = CheckpointConfig(4, keep_checkpoint_max=9, append_info=[{"rng": default_generator}], format=format)
    whole = train(ModelCheckpoint("net", str(tmp_path), config), 5)
    for epoch in (1, 2, 4):
        part = model()
        saved = load_checkpoint(str(tmp_path / f"net-{epoch}_4.{format}"), format=format)
        set_rng_state(saved.pop("rng"))
        assert load_param_into_net(part.train_network, saved, strict_load=True) == ([], [])
        part.train(5, data(), dataset_sink_mode=False, initial_epoch=epoch)
        for one, two in zip(whole.train_network.get_parameters(), part.train_network.get_parameters()):
            assert one.name == two.name
            assert one.asnumpy().tobytes() == two.asnumpy().tobytes(), one.name


# -- arguments ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kwargs", "error", "text"),
    [
        *(
            ({name: value}, error, text)
            for name in (
                "save_checkpoint_steps",
                "save_checkpoint_seconds",
                "keep_checkpoint_max",
                "keep_checkpoint_per_n_minutes",
            )
            for value, error, text in (
                (-1, ValueError, "must be int and must >= 0, but got '-1'"),
                (1.5, TypeError, "must be int, but got 'float'"),
                (True, TypeError, "with type 'bool'"),
            )
        ),
        (dict.fromkeys(("save_checkpoint_steps", "keep_checkpoint_max"), 0), ValueError, "can't be all None or 0"),
        ({"integrated_save": 1}, TypeError, "must be a bool, but got int"),
        ({"exception_save": 1}, TypeError, "must be a bool, but got int"),
        ({"async_save": 1}, TypeError, "must be bool or str"),
        ({"async_save": "x"}, ValueError, "can only be 'process' or 'thread'"),
        ({"saved_network": 3}, TypeError, "must be None or Cell, but got <class 'int'>"),
        ({"append_info": 3}, TypeError, "must be list,but got <class 'int'>"),
        ({"append_info": [3]}, TypeError, "element must be str or dict,but got <class 'int'>"),
        ({"append_info": ["x"]}, ValueError, r"must be in \['epoch_num', 'step_num'\], but got x"),
        ({"append_info": [{"a": None}]}, TypeError, "value: int, float, bool or Generator"),
        ({"enc_key": "a"}, ValueError, "'enc_key' must be isinstance of"),
        ({"enc_mode": 3}, ValueError, "'enc_mode' must be isinstance of"),
        ({"crc_check": 3}, ValueError, "'crc_check' must be isinstance of"),
        ({"remove_redundancy": 3}, ValueError, "'remove_redundancy' must be isinstance of"),
        ({"format": 3}, ValueError, "'format' must be isinstance of"),
    ],
)
def test_config_arguments(kwargs: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        CheckpointConfig(**kwargs)


@pytest.mark.parametrize(
    ("counts", "policy"),
    [
        ((None, 10), (None, 10, 5, None)),
        ((), (1, None, 5, None)),
        ((1, 0, 0, 3), (1, None, 0, 3)),
        ((1, 0, 0, 0), (1, None, 1, 0)),
        ((0, 0, 5, 3), (0, 0, 5, None)),
        ((1, 10, 5, 3), (1, None, 5, None)),
        ((0, 10, 0, 0), (0, 10, 1, 0)),
        ((None, None, None, 3), (None, None, None, 3)),
    ],
)
def test_config_policy(counts: Any, policy: Any) -> None:
    config = CheckpointConfig(*counts)
    found = config.get_checkpoint_policy()
    assert tuple(found.values())[:4] == policy
    names = ("save_checkpoint_steps", "save_checkpoint_seconds", "keep_checkpoint_max", "keep_checkpoint_per_n_minutes")
    assert tuple(getattr(config, name) for name in names) == policy


def test_config_properties() -> None:
    config = CheckpointConfig(
        append_info=["epoch_num", {"a": 1}], enc_key=b"k" * 16, enc_mode="SM4-CBC", incremental=True
    )
    assert config.append_dict == {"epoch_num": 0, "a": 1}
    assert (config.enc_key, config.enc_mode, config.crc_check, config.format) == (b"k" * 16, "SM4-CBC", False, "ckpt")
    assert (config.integrated_save, config.async_save, config.saved_network) == (True, False, None)
    assert config.map_param_inc is True


@pytest.mark.parametrize(
    ("kwargs", "error", "text"),
    [
        ({"prefix": "a/b"}, ValueError, "does not contain '/', but got a/b"),
        ({"prefix": 3}, ValueError, "does not contain '/', but got 3"),
        ({"directory": 3}, TypeError, "the type should be string"),
        ({"directory": " "}, ValueError, "it should be non-blank"),
        ({"config": 3}, TypeError, "should be 'CheckpointConfig', but got <class 'int'>"),
    ],
)
def test_arguments(kwargs: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        ModelCheckpoint(**kwargs)


def test_folders(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ModelCheckpoint(directory="new/one")
    assert (tmp_path / "new" / "one").is_dir()
    train(ModelCheckpoint(config=CheckpointConfig(12)))
    train(ModelCheckpoint(directory=tmp_path / "new", config=CheckpointConfig(12)))
    assert names(tmp_path) == ["CKP-3_4.ckpt", "new"]
    assert names(tmp_path / "new") == ["CKP-3_4.ckpt", "one"]


# -- BackupAndRestore --------------------------------------------------------------------------------------------------


def test_backups(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "new"
    with pytest.raises(RuntimeError, match="boom"):
        train([BackupAndRestore(folder), At(10, fail)])
    assert names(folder) == ["backup.ckpt"]
    assert int(load_checkpoint(str(folder / "backup.ckpt"))["global_step"][0]) == 8
    restored = train(BackupAndRestore(str(folder)), 1)
    assert int(restored.train_network.optimizer.global_step[0]) == 12
    assert names(folder) == []
    train(BackupAndRestore(str(folder), 2, False))
    assert int(load_checkpoint(str(folder / "backup.ckpt"))["global_step"][0]) == 8


@pytest.mark.parametrize(
    ("args", "error", "text"),
    [
        ((3,), TypeError, "the type should be string"),
        (("",), ValueError, "it should be non-blank"),
        (("x", "step"), TypeError, "must be int, but got 'str'"),
        (("x", 1.5), TypeError, "must be int, but got 'float'"),
        (("x", 0), ValueError, "must be int and must > 0, but got '0'"),
        (("x", "epoch", 1), TypeError, "must be a bool, but got int"),
    ],
)
def test_arguments_of_backups(
    args: Any, error: type[Exception], text: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=text):
        BackupAndRestore(*args)
