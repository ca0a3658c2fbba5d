"""DatasetHelper and data_sink."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ms_dtype
import ms_nn as nn
from ms_nn.dataset import GeneratorDataset, NumpySlicesDataset
from ms_nn.train import DatasetHelper, data_sink


def rows() -> Any:
    data = {"x": np.arange(8, dtype=np.float32).reshape(4, 2), "y": np.arange(4)}
    return NumpySlicesDataset(data, shuffle=False).batch(2)


def test_batches_of_a_pass() -> None:
    helper = DatasetHelper(rows(), dataset_sink_mode=False)
    assert [[v.tolist() for v in row] for row in helper] == [[[[0, 1], [2, 3]], [0, 1]], [[[4, 5], [6, 7]], [2, 3]]]
    assert list(helper) == []
    for question in ("sink_size", "types_shapes", "continue_send", "stop_send", "release"):
        with pytest.raises(AttributeError, match="'dataset_sink_mode' must be True"):
            getattr(helper, question)()


def test_questions_about_the_queue() -> None:
    helper = DatasetHelper(rows())
    assert helper.sink_size() == 2
    assert helper.types_shapes() == ([ms_dtype.float32, ms_dtype.int64], [[2, 2], [2]])
    helper.continue_send()
    helper.stop_send()
    assert len(next(iter(helper))) == 2
    helper.release()
    assert list(helper) == []
    assert len(list(DatasetHelper(rows(), True, 1))) == 1
    assert DatasetHelper(rows(), True, 1).sink_size() == 1


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [((3,), TypeError), ((rows(), 1), TypeError), ((rows(), True, 0), ValueError), ((rows(), True, -2), ValueError)],
)
def test_wrong_arguments(arguments: tuple[Any, ...], kind: type[Exception]) -> None:
    with pytest.raises(kind):
        DatasetHelper(*arguments)


def test_data_sink_trains_and_starts_over() -> None:
    net = nn.Dense(2, 1, "zeros", "zeros")
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.01))
    data = {"x": np.ones((4, 2), np.float32), "y": np.ones((4, 1), np.float32)}
    sunk = data_sink(step, NumpySlicesDataset(data, shuffle=False).batch(2), sink_size=3)
    assert float(sunk()) > float(sunk()) > 0
    empty = GeneratorDataset(lambda: iter(()), ["x"])
    for wrong, kind in (((3, rows()), TypeError), ((print, 3), TypeError), ((print, rows(), 0), ValueError)):
        with pytest.raises(kind):
            data_sink(*wrong)
    with pytest.raises(ValueError, match="no valid data"):
        data_sink(print, empty)
