"""`Model` and its callbacks against what 2.6 did, printed and raised."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ms_generator import set_seed
from ms_kernels import Tensor
from ms_nn import Cell, CrossEntropyLoss, Dense, Momentum, train
from ms_nn.dataset import NumpySlicesDataset

X = np.random.RandomState(0).standard_normal((20, 4)).astype(np.float32)
Y = (X.sum(axis=1) > 0).astype(np.int32)

# here the text is that of this project's own form; 2.6's does not name function and argument
OWN_TEXT = {
    "epoch 0": "For 'Model.train', the 'epoch' must be int and must > 0, but got '0'",
    "epoch 1.5": "For 'Model.train', the 'epoch' must be int, but got 'float'",
    "epoch True": "For 'Model.train', the 'epoch' must be int, but got 'bool'",
    "sink": "For 'Model.train', the 'dataset_sink_mode' must be a bool, but got int",
    "fit without metrics": "For 'Model.fit', if valid_dataset is not None, "
    "the model argument 'metrics' can not be None",
    "LossMonitor -1": "For 'LossMonitor', the 'per_print_times' must be int and must >= 0, but got '-1'",
    "LossMonitor a": "For 'LossMonitor', the 'per_print_times' must be int, but got 'str'",
    "stopping monitor": "For 'EarlyStopping', the type of 'monitor' must be str, but got type 'int'",
    "stopping patience": "For 'EarlyStopping', the 'patience' must be int and must >= 0, but got '-1'",
    "stopping verbose": "For 'EarlyStopping', the 'verbose' must be a bool, but got int",
    "plateau factor": "For 'ReduceLROnPlateau', the 'factor' must be a number in range (0, 1), but got 1.0",
    "plateau cooldown": "For 'ReduceLROnPlateau', the 'cooldown' must be int and must >= 0, but got '-1'",
    "optimizer": "The type of 'optimizer' should be 'Optimizer', but got type 'int'",
}


def test_as_recorded(recorded: Callable[[str], Any], compare: Callable[[Any, Any], None]) -> None:
    program, wanted = recorded("train")
    found = program.results()
    assert found.keys() == wanted.keys()
    for name, want in wanted.items():
        if "value" in want:
            compare(found[name], want)
        else:
            assert found[name]["error"] == want["error"], name
            own = OWN_TEXT.get(name.removeprefix("wrong "))
            text = found[name]["text"]
            assert text.startswith(own) if own is not None else text == want["text"], name


def _data(size: int = 5) -> Any:
    return NumpySlicesDataset((X, Y), ["x", "y"], shuffle=False).batch(size)


def _model(**options: Any) -> train.Model:
    net = Dense(4, 2)
    defaults = {"loss_fn": CrossEntropyLoss(), "optimizer": Momentum(net.trainable_params(), 0.1, 0.9)}
    return train.Model(net, **{**defaults, "metrics": {"acc"}, **options})


def test_it_learns() -> None:
    set_seed(1)
    model = _model()
    model.train(20, _data())
    assert model.eval(_data())["acc"] >= 0.9


def test_errors_leave_callbacks_and_modes_in_order() -> None:
    left: list[str] = []

    class Watch(train.Callback):
        def __exit__(self, *err: Any) -> None:
            left.append(err[0].__name__)

    class Broken(train.Callback):
        def on_eval_step_end(self, run_context: Any) -> None:
            raise KeyError("broken")

    model = _model()
    with pytest.raises(KeyError, match="broken"):
        model.fit(1, _data(), _data(), callbacks=[Watch(), Broken()])
    assert left == ["KeyError", "KeyError"]
    assert model.train_network.training and model.predict_network.training


def test_modes() -> None:
    seen: list[bool] = []

    class Mode(Cell):
        def __init__(self) -> None:
            super().__init__()
            self.dense = Dense(4, 2)

        def construct(self, x: Any) -> Any:
            seen.append(self.dense.training)
            return self.dense(x)

    net = Mode()
    model = train.Model(net, CrossEntropyLoss(), Momentum(net.trainable_params(), 0.1, 0.9), {"acc"})
    model.fit(2, _data(20), _data(20))
    model.predict(Tensor(X))
    assert seen == [True, False, True, False, False]


def test_early_stopping_puts_the_best_weights_back() -> None:
    model = _model(optimizer=None, metrics={"loss": train.Loss()})
    net = model.predict_network
    best = net.weight.asnumpy().copy()

    class Spoil(train.Callback):
        def on_train_epoch_begin(self, run_context: Any) -> None:
            if run_context.original_args().cur_epoch_num > 1:
                net.weight.set_data(Tensor(-5 * best))

    class Values(train.Metric):
        values = iter((1.0, 2.0, 3.0))

        def clear(self) -> None:
            """Nothing to forget."""

        def update(self, *inputs: Any) -> None:
            """The values are given."""

        def eval(self) -> float:
            return next(self.values)

    model._metrics["mae"] = Values()
    stopping = train.EarlyStopping("mae", patience=2, restore_best_weights=True)
    model.fit(9, _data(), _data(), callbacks=[Spoil(), stopping])
    assert stopping.stopped_epoch == 3
    np.testing.assert_array_equal(net.weight.asnumpy(), best)


def test_unknown_monitor_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    _model().fit(1, _data(), callbacks=[train.EarlyStopping("nothing"), train.ReduceLROnPlateau("nothing")])
    assert caplog.text.count("conditioned on nothing, which is not available") == 2


def test_own_eval_network_and_indexes() -> None:
    class Outputs(Cell):
        def __init__(self, net: Cell) -> None:
            super().__init__()
            self.net = net

        def construct(self, x: Any, y: Any) -> Any:
            return self.net(x), y

    net = Dense(4, 2)
    model = train.Model(net, eval_network=Outputs(net), metrics={"accuracy"})
    assert 0 <= model.eval(_data())["accuracy"] <= 1
    wrong = train.Model(net, eval_network=Outputs(net), metrics={"loss"}, eval_indexes=[0, 1, 2])
    with pytest.raises(ValueError, match=">= 3, but got 2"):
        wrong.eval(_data())


def test_datasets_are_checked() -> None:
    with pytest.raises(TypeError, match="'train_dataset' must be a dataset, but got list"):
        _model().train(1, [1])
    with pytest.raises(ValueError, match="no valid data"):
        _model().train(1, _data(30).skip(1))


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_bar() -> None:
    pytest.importorskip("tqdm")
    shown, quiet = _Terminal(), io.StringIO()
    _model().fit(2, _data(), _data(), callbacks=[train.ProgressBar(shown), train.ProgressBar(quiet)])
    assert "epoch 2" in shown.getvalue() and "4/4" in shown.getvalue() and "acc=" in shown.getvalue()
    assert quiet.getvalue() == ""


def test_progress_bar_needs_tqdm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "tqdm", None)
    with pytest.raises(ImportError, match=r"ms-nn\[progress\]"):
        train.ProgressBar()


def test_training_is_not_loaded_with_the_package() -> None:
    import subprocess
    import sys

    code = (
        "import sys, ms_nn; sys.exit(any(m.startswith(('ms_nn.train', 'ms_nn.dataset', 'tqdm')) for m in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
