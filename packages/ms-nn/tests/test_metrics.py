"""Metrics against what 2.6 gave, and what they do beyond that."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ms_kernels import Tensor
from ms_nn import train

# 2.6 writes a set here, in any order
UNORDERED = {"Accuracy bad type", "Precision bad type", "Recall bad type"}


def _bare(text: str) -> str:
    return re.sub(r"[\s.\"]", "", text)


def test_as_recorded(recorded: Callable[[str], Any], compare: Callable[[Any, Any], None]) -> None:
    program, wanted = recorded("metrics")
    found = program.results()
    assert found.keys() == wanted.keys()
    for name, want in wanted.items():
        if "value" in want:
            compare(found[name], want)
        else:
            assert found[name]["error"] == want["error"], name
            assert name in UNORDERED or _bare(found[name]["text"]) == _bare(want["text"]), name


def test_tensors_and_clear() -> None:
    metric = train.Accuracy()
    metric.update(Tensor([[0.1, 0.9]]), Tensor([0]))
    assert metric.eval() == 0.0
    metric.clear()
    metric.update(Tensor([[0.1, 0.9]]), Tensor([1]))
    assert metric.eval() == 1.0


def test_classes_out_of_range_leave_no_trace() -> None:
    metric = train.F1()
    with pytest.raises(ValueError, match="same classes number"):
        metric.update(np.eye(3), np.array([0, 1, 3]))
    with pytest.raises(ValueError, match="same classes number"):
        metric.update(np.eye(3), np.array([0, 1, -1]))
    with pytest.raises(RuntimeError, match="number of samples is 0"):
        metric.eval()


def test_topk_needs_as_many_classes() -> None:
    with pytest.raises(ValueError, match="C >= 5"):
        train.Top5CategoricalAccuracy().update(np.eye(4), np.arange(4))


def test_confusion_matrix_refuses_unknown_classes() -> None:
    with pytest.raises(ValueError, match=r"range \[0, 2\)"):
        train.ConfusionMatrix(2).update(np.array([0, 2]), np.array([0, 1]))


def test_roc_of_several_classes_sets_each_against_the_others() -> None:
    scores, classes = np.random.RandomState(1).rand(40, 3), np.arange(40) % 3
    several = train.ROC(class_num=3)
    several.update(scores, classes)
    rates = several.eval()
    for i in range(3):
        single = train.ROC(pos_label=i)
        single.update(scores[:, i].copy(), classes)
        for one, other in zip(rates, single.eval()):
            np.testing.assert_array_equal(one[i], other)


def test_auc_is_the_chance_of_the_right_order() -> None:
    scores, hits = np.random.RandomState(2).rand(50), np.arange(50) % 2
    metric = train.ROC()
    metric.update(scores, hits)
    fpr, tpr, _ = metric.eval()
    right = np.mean([a > b for a in scores[hits == 1] for b in scores[hits == 0]])
    assert train.auc(fpr, tpr) == pytest.approx(right)


def test_names() -> None:
    assert isinstance(train.get_metric_fn("top_1_accuracy"), train.Top1CategoricalAccuracy)
    assert {"acc", "accuracy", "loss", "F1", "mae", "topk"} <= set(train.names())


def test_more_metrics_as_recorded(recorded: Callable[[str], Any], compare: Callable[[Any, Any], None]) -> None:
    program, wanted = recorded("more_metrics")
    found = program.results()
    assert found.keys() == wanted.keys()
    for name, want in wanted.items():
        assert found[name].keys() == want.keys(), name
        compare(found[name], want)


def test_occlusion_of_images() -> None:
    image = np.arange(6, dtype=np.float32).reshape(1, 1, 2, 3)

    def classify(x: Tensor) -> np.ndarray[Any, Any]:
        return x.asnumpy().reshape(len(x), -1) @ np.ones((6, 2), np.float32)

    metric = train.OcclusionSensitivity(margin=[1, 1, 1])
    metric.update(classify, image, np.array([0]))
    # each box holds the element, those above and left of it and the one between
    assert metric.eval().tolist() == [[[0.0, 1.0, 3.0], [3.0, 8.0, 12.0]]]
    with pytest.raises(ValueError, match="length of 'margin' must be 3"):
        train.OcclusionSensitivity(margin=[1]).update(classify, image, np.array([0]))


def test_surfaces_of_volumes_against_all_pairs() -> None:
    rng = np.random.default_rng(4)
    a, b = (rng.random((5, 6, 7)) > 0.4 for _ in range(2))

    def surface(region: np.ndarray[Any, Any]) -> list[tuple[int, ...]]:
        padded = np.pad(region, 1)
        steps = np.vstack([np.eye(3, dtype=int), -np.eye(3, dtype=int)])
        return [at for at in zip(*np.nonzero(region)) if not all(padded[tuple(np.array(at) + 1 + s)] for s in steps)]

    def farthest(ones: Any, others: Any) -> float:
        return max(min(float(np.linalg.norm(np.subtract(p, q))) for q in others) for p in ones)

    ones, others = surface(a), surface(b)
    metric = train.HausdorffDistance()
    metric.update(a, b, True)
    assert metric.eval() == pytest.approx(max(farthest(ones, others), farthest(others, ones)))
