"""Records train.json with MindSpore 2.6 itself: what Model and its callbacks do, print and raise."""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import dataset as ds
from mindspore import nn, train

_RNG = np.random.RandomState(0)
X = _RNG.standard_normal((20, 4)).astype(np.float32)
Y = (X @ _RNG.standard_normal((4, 3)).astype(np.float32)).argmax(1).astype(np.int32)
MOMENTS = [
    f"on_{mode}_{moment}"
    for mode in ("train", "eval")
    for moment in ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end")
]


def data(size: int = 5, shuffle: bool = False) -> Any:
    return ds.NumpySlicesDataset((X, Y), ["x", "y"], shuffle=shuffle).batch(size)


def model(**options: Any) -> Any:
    net = nn.Dense(4, 3)
    loss, optimizer = nn.CrossEntropyLoss(), nn.Momentum(net.trainable_params(), 0.1, 0.9)
    return train.Model(net, **{"loss_fn": loss, "optimizer": optimizer, "metrics": {"loss": train.Loss(), "acc": train.Accuracy()}, **options})  # fmt: skip  # noqa: E501


class Trace(train.Callback):
    """Notes every moment."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def __enter__(self) -> Trace:
        self.seen.append("enter")
        return self

    def __exit__(self, *err: Any) -> None:
        self.seen.append("exit")


def _note(moment: str) -> Callable[..., None]:
    def method(self: Trace, run_context: Any) -> None:
        params = run_context.original_args()
        known = [params.get(key) for key in ("cur_epoch_num", "cur_step_num", "batch_num", "epoch_num", "mode")]
        self.seen.append([moment, *known, "metrics" in params, "eval_results" in params])

    return method


for _moment in MOMENTS:
    setattr(Trace, _moment, _note(_moment))


class Stop(train.Callback):
    def on_train_step_end(self, run_context: Any) -> None:
        if run_context.original_args().cur_step_num == 3:
            run_context.request_stop()


class Labels(train.Callback):
    """Notes in which order the samples come."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def on_train_step_end(self, run_context: Any) -> None:
        self.seen.append(run_context.original_args().train_dataset_element[1].asnumpy().tolist())


class Old(train.Callback):
    def step_end(self, run_context: Any) -> None:
        pass


class Infinite(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(4, 3)

    def construct(self, x: Any, y: Any) -> Any:
        return self.dense(x).sum() * float("inf")


def _printed(run: Callable[[], Any]) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        run()
    text = re.sub(r"[\d.]+ ms", "T ms", out.getvalue())
    return re.sub(r"\d+\.\d{5,}", lambda number: f"{float(number[0]):.4f}", text)


def _trace(run: Callable[[Any, Trace], Any]) -> Callable[[], Any]:
    def traced() -> Any:
        trace = Trace()
        run(model(), trace)
        return trace.seen

    return traced


def _history(**options: Any) -> Any:
    history = train.History()
    model().fit(3, data(10, True), data(10), callbacks=[history], **options)
    return [history.epoch, {key: [float(v) for v in values] for key, values in history.history.items()}]


def _order() -> Any:
    labels = Labels()
    model().train(2, data(10, True), callbacks=[labels])
    return labels.seen


def _stopping(**options: Any) -> Any:
    stopping, trained = train.EarlyStopping(**options), model()
    text = _printed(lambda: trained.fit(5, data(10), data(10), callbacks=[stopping, train.LossMonitor(0)]))
    return [text, stopping.stopped_epoch, float(stopping.best), trained.eval(data(10))["loss"].item()]


def _plateau(**options: Any) -> Any:
    plateau, trained = train.ReduceLROnPlateau(**options), model()
    text = _printed(lambda: trained.fit(5, data(10), data(10), callbacks=[plateau]))
    rate = trained._optimizer.learning_rate.asnumpy().item()
    return [text, plateau.wait, plateau.cooldown_counter, float(plateau.best), rate]


def _scheduled() -> Any:
    seen: list[Any] = []

    def rule(rate: float, step: int) -> float:
        seen.append([rate, step])
        return rate * 0.5

    trained = model()
    trained.fit(2, data(10), data(10), callbacks=[train.LearningRateScheduler(rule)])
    return [seen, trained._optimizer.learning_rate.asnumpy().item()]


def _printing(*callbacks: Any, **options: Any) -> Callable[[], Any]:
    return lambda: _printed(lambda: model().train(2, data(5), callbacks=list(callbacks), **options))


def cases() -> dict[str, Callable[[], Any]]:
    t = train
    wrong = [
        ("network", lambda: t.Model(3)),
        ("optimizer", lambda: model(optimizer=3)),
        ("metrics", lambda: model(metrics=3)),
        ("metrics name", lambda: model(metrics={"foo"})),
        ("metrics dict", lambda: model(metrics={"foo": 3})),
        ("metrics list", lambda: model(metrics=["acc"])),
        ("keyword", lambda: model(foo=1)),
        ("keep_batchnorm_fp32", lambda: model(keep_batchnorm_fp32=1)),
        ("boost_level", lambda: model(boost_level="O7")),
        ("epoch 0", lambda: model().train(0, data())),
        ("epoch 1.5", lambda: model().train(1.5, data())),
        ("epoch True", lambda: model().train(True, data())),
        ("sink", lambda: model().train(1, data(), dataset_sink_mode=1)),
        ("sink_size 0", lambda: model().train(1, data(), dataset_sink_mode=True, sink_size=0)),
        ("sink_size a", lambda: model().train(1, data(), dataset_sink_mode=True, sink_size="a")),
        ("initial_epoch", lambda: model().train(1, data(), initial_epoch=1)),
        ("callbacks", lambda: model().train(1, data(), callbacks=3)),
        ("callbacks list", lambda: model().train(1, data(), callbacks=[3])),
        ("old callback in fit", lambda: model().fit(1, data(), data(), callbacks=[Old()])),
        ("valid_frequency", lambda: model().fit(1, data(), data(), valid_frequency="a")),
        ("fit without metrics", lambda: model(metrics=None).fit(1, data(), data())),
        ("eval without metrics", lambda: model(metrics=None).eval(data())),
        ("eval_indexes", lambda: model(eval_network=nn.Dense(4, 3), eval_indexes=[0, 1])),
        ("one column", lambda: model().train(1, ds.NumpySlicesDataset(X, ["x"], shuffle=False).batch(2))),
        ("predict", lambda: model().predict(X)),
        ("empty", lambda: model().train(1, data(30).take(-1).skip(1))),
        ("infinite", lambda: t.Model(Infinite(), optimizer=None).train(1, data(), callbacks=t.LossMonitor())),
        ("LossMonitor -1", lambda: t.LossMonitor(-1)),
        ("LossMonitor a", lambda: t.LossMonitor("a")),
        ("TimeMonitor", lambda: t.TimeMonitor(data_time=3)),
        ("RunContext", lambda: t.RunContext(3)),
        ("stopping monitor", lambda: t.EarlyStopping(3)),
        ("stopping mode", lambda: t.EarlyStopping(mode="x")),
        ("stopping patience", lambda: t.EarlyStopping(patience=-1)),
        ("stopping verbose", lambda: t.EarlyStopping(verbose=3)),
        ("plateau factor", lambda: t.ReduceLROnPlateau(factor=1.0)),
        ("plateau factor type", lambda: t.ReduceLROnPlateau(factor=1)),
        ("plateau cooldown", lambda: t.ReduceLROnPlateau(cooldown=-1)),
    ]
    return {
        **{f"wrong {name}": case for name, case in wrong},
        "trace train": _trace(lambda m, trace: m.train(2, data(10), callbacks=trace)),
        "trace fit": _trace(lambda m, trace: m.fit(3, data(10), data(10), 2, callbacks=[trace])),
        "trace fit list": _trace(lambda m, trace: m.fit(3, data(10), data(20), [1, 3], callbacks=[trace])),
        "trace stop": _trace(lambda m, trace: m.train(3, data(), callbacks=[Stop(), trace])),
        "trace initial": _trace(lambda m, trace: m.train(3, data(10), callbacks=[trace], initial_epoch=2)),
        "trace sink": _trace(lambda m, trace: m.train(1, data(), callbacks=trace, dataset_sink_mode=True, sink_size=2)),
        "history": _history,
        "history frequency": lambda: _history(valid_frequency=2),
        "order": _order,
        "eval": lambda: {key: float(value) for key, value in model().eval(data()).items()},
        "predict": lambda: model().predict(ms.Tensor(X[:2])).asnumpy().tolist(),
        "stopping": lambda: _stopping(monitor="loss", patience=1, verbose=True, min_delta=0.5),
        "stopping eval": lambda: _stopping(verbose=True),
        "stopping acc": lambda: _stopping(monitor="acc", min_delta=2, verbose=True, patience=1),
        "plateau": lambda: _plateau(monitor="loss", patience=1, verbose=True, min_delta=0.5, factor=0.5),
        "plateau min_lr": lambda: _plateau(patience=0, verbose=True, min_delta=10, cooldown=1, min_lr=0.02),
        "plateau eval": lambda: _plateau(verbose=True, patience=1, min_delta=100.0, factor=0.3),
        "scheduler": _scheduled,
        "print loss": _printing(train.LossMonitor()),
        "print loss 3": _printing(train.LossMonitor(3), dataset_sink_mode=True, sink_size=2),
        "print time": _printing(train.TimeMonitor(), train.TimeMonitor(2, data_time=True)),
        "print fit": lambda: _printed(lambda: model().fit(2, data(10), data(10), callbacks=[train.LossMonitor()])),
    }


def results() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, case in cases().items():
        ms.set_seed(7)
        try:
            found[name] = {"value": case()}
        except Exception as error:
            found[name] = {"error": type(error).__name__, "text": str(error)}
    return found


if __name__ == "__main__":
    ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("train.json")
    target.write_text(json.dumps(results(), indent=0) + "\n")
