"""The names of the training loop: mindspore.train, amp, dataset, and those repeated in mindspore and mindspore.nn."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("alias")


def test_one_object_under_every_name() -> None:
    import mindspore as ms
    from mindspore import nn, train
    from mindspore.train.callback import LossMonitor
    from mindspore.train.metrics import Accuracy
    from mindspore.train.model import Model

    assert ms.Model is train.Model is Model
    assert ms.LossMonitor is train.LossMonitor is LossMonitor
    assert ms.Accuracy is train.Accuracy is nn.Accuracy is Accuracy
    assert ms.amp.DynamicLossScaleManager is train.DynamicLossScaleManager is ms.DynamicLossScaleManager
    assert nn.TrainOneStepWithLossScaleCell is nn.wrap.TrainOneStepWithLossScaleCell


def test_own_names_stay_out() -> None:
    import mindspore.train

    assert not hasattr(mindspore.train, "ProgressBar")
    with pytest.raises(AttributeError, match="SummaryCollector"):
        mindspore.train.SummaryCollector  # noqa: B018


def test_a_program_as_users_write_it() -> None:
    import mindspore as ms
    from mindspore import dataset as ds
    from mindspore import nn

    ms.set_seed(2)
    x = np.random.RandomState(0).standard_normal((32, 3)).astype(np.float32)
    data = ds.NumpySlicesDataset((x, (x[:, 0] > 0).astype(np.int32)), ["x", "y"]).batch(8)
    net = nn.Dense(3, 2)
    model = ms.Model(net, nn.CrossEntropyLoss(), nn.Momentum(net.trainable_params(), 0.1, 0.9), metrics={"accuracy"})
    model.fit(10, data, data, callbacks=[ms.LossMonitor(0)])
    assert model.eval(data)["accuracy"] > 0.9


def test_nothing_of_it_loads_early() -> None:
    code = (
        "import sys, ms_common; ms_common.activate()\n"
        "import mindspore; from mindspore import nn, ops, Tensor; nn.Dense; hasattr(nn, 'NoSuchName')\n"
        "sys.exit(any(m.startswith(('ms_nn.train', 'ms_nn.dataset', 'ms_nn.amp')) for m in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
