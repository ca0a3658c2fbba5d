"""Records amp.json with MindSpore 2.6 itself: mixed precision, loss scaling, and their errors."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import Tensor, amp, nn, train
from mindspore import dataset as ds

_RNG = np.random.RandomState(5)
X = _RNG.standard_normal((8, 4)).astype(np.float32)
Y = _RNG.randint(0, 3, 8).astype(np.int32)


def network() -> Any:
    ms.set_seed(3)
    return nn.SequentialCell(nn.Dense(4, 6), nn.ReLU(), nn.Dense(6, 3))


def _output(net: Any) -> Any:
    out = net(Tensor(X))
    return [str(out.dtype), out.asnumpy().astype(np.float64).tolist()]


def _trained(level: str, **options: Any) -> Any:
    net = network()
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    model = train.Model(net, nn.CrossEntropyLoss(), optimizer, {"loss"}, amp_level=level, **options)
    history = train.History()
    model.fit(4, ds.NumpySlicesDataset((X, Y), shuffle=False).batch(8), callbacks=[history])
    return [float(loss) for loss in history.history["net_output"]]


def _adjusted(*arguments: Any) -> Any:
    scaler = amp.DynamicLossScaler(*arguments)
    made = []
    for finite in (True, True, True, False, False, True, True):
        scaler.adjust(Tensor(finite))
        made.append([scaler.scale_value.asnumpy().item(), scaler.counter.asnumpy().item()])
    return made


def _updated(manager: Any) -> Any:
    made = []
    for overflow in (False, False, False, True, True, False, False):
        manager.update_loss_scale(overflow)
        made.append(float(manager.get_loss_scale()))
    return made


def _tensor(value: Any) -> Any:
    return [str(value.dtype), value.asnumpy().astype(np.float64).tolist()]


def cases() -> dict[str, Callable[[], Any]]:
    scaler = amp.StaticLossScaler(2**10)
    pair = (Tensor([1.0, 2.0]), Tensor([2.0]))
    return {
        **{f"level {x}": lambda x=x: _output(amp.auto_mixed_precision(network(), x)) for x in ("O0", "O1", "O2", "O3")},
        "white list": lambda: _output(amp.custom_mixed_precision(network(), white_list=[nn.Dense])),
        "black list": lambda: _output(amp.custom_mixed_precision(network(), black_list=[nn.Dense])),
        "black classes": lambda: [kind.__name__ for kind in amp.get_black_list()],
        "trained O0": lambda: _trained("O0"),
        "trained O2": lambda: _trained("O2", loss_scale_manager=None),
        "trained O3": lambda: _trained("O3"),
        "trained scaled": lambda: _trained("O3", loss_scale_manager=amp.FixedLossScaleManager(64.0, False)),
        "scale": lambda: [_tensor(x) for x in scaler.scale(pair)],
        "unscale": lambda: [_tensor(x) for x in scaler.unscale(pair)],
        "scale half": lambda: _tensor(scaler.scale(Tensor([1.5], ms.float16))),
        "unscale half": lambda: _tensor(scaler.unscale(Tensor([1.5], ms.float16))),
        "static adjust": lambda: scaler.adjust(Tensor(True)),
        "dynamic": lambda: _adjusted(2**10, 2, 2),
        "dynamic least": lambda: _adjusted(1, 3, 5),
        "finite": lambda: _tensor(amp.all_finite((Tensor([1.0]), Tensor([2.0], ms.float16)))),
        "infinite": lambda: _tensor(amp.all_finite((Tensor([1.0]), Tensor([np.inf])))),
        "manager": lambda: _updated(amp.DynamicLossScaleManager(64, 2, 2)),
        "manager default": lambda: _updated(amp.DynamicLossScaleManager()),
        "fixed manager": lambda: _updated(amp.FixedLossScaleManager(64.0)),
        "no cell": lambda: amp.auto_mixed_precision(3),
        "no level": lambda: amp.auto_mixed_precision(network(), "O7"),
        "no dtype": lambda: amp.auto_mixed_precision(network(), "O2", ms.int32),
        "no list": lambda: amp.custom_mixed_precision(network()),
        "two lists": lambda: amp.custom_mixed_precision(network(), white_list=[nn.Dense], black_list=[nn.Dense]),
        "list type": lambda: amp.custom_mixed_precision(network(), white_list=3),
        "list item": lambda: amp.custom_mixed_precision(network(), black_list=["a"]),
        "scale 0": lambda: amp.StaticLossScaler(0),
        "scale a": lambda: amp.StaticLossScaler("a"),
        "scale True": lambda: amp.StaticLossScaler(True),
        "window": lambda: amp.DynamicLossScaler(2, 2, 0),
        "factor": lambda: amp.DynamicLossScaler(2, 1.5, 2),
        "fixed 0": lambda: amp.FixedLossScaleManager(0),
        "manager 0": lambda: amp.DynamicLossScaleManager(0, 2, 2),
        "manager window": lambda: amp.DynamicLossScaleManager(64, 2, 0),
        "finite number": lambda: amp.all_finite(1.0),
        "finite nothing": lambda: amp.all_finite(()),
        "build keyword": lambda: amp.build_train_network(network(), nn.SGD(network().trainable_params()), foo=3),
        "build loss": lambda: amp.build_train_network(network(), nn.SGD(network().trainable_params()), lambda a, b: a),
    }


def results() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, case in cases().items():
        try:
            found[name] = {"value": case()}
        except Exception as error:
            found[name] = {"error": type(error).__name__, "text": str(error).partition("\n\n---")[0]}
    return found


if __name__ == "__main__":
    ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
    target = (Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("amp.json")).resolve()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # level O1 of 2.6 writes the networks it rewrites into the current folder
        target.write_text(json.dumps(results(), indent=0) + "\n")
        os.chdir(target.parent)
