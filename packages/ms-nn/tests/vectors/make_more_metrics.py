"""Records more_metrics.json with MindSpore 2.6 itself: surfaces, BLEU, rates of decisions, occlusion.

OcclusionSensitivity is recorded for inputs of one dimension: with more, 2.6 fails.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from mindspore import Tensor, nn, train

X, Y = np.array([[3, 0, 1], [1, 3, 0], [1, 0, 2]]), np.array([[0, 2, 1], [1, 2, 1], [0, 0, 1]])
_RNG = np.random.RandomState(0)
A, B = ((_RNG.rand(8, 9) > limit).astype(int) for limit in (0.4, 0.5))
NONE, SOME = np.zeros((3, 3)), np.eye(3)
WORDS = [["i", "have", "a", "pen", "on", "my", "desk"]]
REFS = [[["i", "have", "a", "pen", "in", "my", "desk"], ["there", "is", "a", "pen", "on", "the", "desk"]]]
_RNG = np.random.RandomState(3)
P, Q = ((_RNG.rand(4, 3, 5) > limit).astype(int) for limit in (0.5, 0.4))
_RATES = (
    "sensitivity specificity precision negative_predictive_value miss_rate fall_out false_discovery_rate "
    "false_omission_rate prevalence_threshold threat_score accuracy balanced_accuracy f1_score "
    "matthews_correlation_coefficient fowlkes_mallows_index informedness markedness tpr recall hit_rate tnr "
    "selectivity ppv npv fnr fpr fdr for pt ts csi critical_success_index acc ba f1 mcc fm bm "
    "bookmaker_informedness mk deltap foo Sensitivity hitrate"
)
IMAGE, LABEL = np.array([[0.1, 0.2, 0.3, 0.4]], np.float32), np.array(1, np.int32)


def run(metric: Any, *batches: tuple[Any, ...]) -> Any:
    metric.clear()
    for batch in batches:
        metric.update(*batch)
    return metric.eval()


def surfaces() -> dict[str, Callable[[], Any]]:
    made: dict[str, Callable[[], Any]] = {}
    for name in ("MeanSurfaceDistance", "RootMeanSquareDistance"):
        kind = getattr(train, name)
        for both in (False, True):
            for way in ("euclidean", "chessboard", "taxicab"):
                made[f"{name} {both} {way} x"] = lambda k=kind, b=both, w=way: run(k(b, w), (X, Y, 0))
                made[f"{name} {both} {way} a"] = lambda k=kind, b=both, w=way: run(k(b, w), (A, B, 1))
        made |= {
            f"{name} bad way": lambda kind=kind: kind(False, "foo"),
            f"{name} bad flag": lambda kind=kind: kind(1),
            f"{name} none": lambda kind=kind: kind().eval(),
        }
    way: Any
    for way in ("euclidean", "chessboard", "taxicab"):
        for percent in (None, 50.0, 90.0):
            for one in (False, True):
                made[f"Hausdorff {way} {percent} {one}"] = lambda w=way, p=percent, o=one: (
                    run(train.HausdorffDistance(w, p, o), (A, B, 1)) + 0.0
                )
    made |= {
        "Hausdorff percentile type": lambda: train.HausdorffDistance(percentile=95),
        "Hausdorff directed type": lambda: train.HausdorffDistance(directed=1),
        "Hausdorff crop type": lambda: train.HausdorffDistance(crop=1),
        "Hausdorff bad": lambda: train.HausdorffDistance("foo"),
        "Hausdorff percentile": lambda: run(train.HausdorffDistance(percentile=101.0), (A, B, 1)),
        "Hausdorff none": lambda: train.HausdorffDistance().eval(),
        "Hausdorff no crop": lambda: run(train.HausdorffDistance(crop=False), (A, B, 1)),
    }
    for name in ("HausdorffDistance", "MeanSurfaceDistance", "RootMeanSquareDistance"):
        kind = getattr(train, name)
        made |= {
            f"{name} two": lambda kind=kind: run(kind(), (X, Y, 0), (A, B, 1)),
            f"{name} 3d": lambda kind=kind: run(kind(), (np.stack([A, B]), np.stack([B, B]), 1)),
            f"{name} bools": lambda kind=kind: run(kind(), (A.astype(bool), B.astype(bool), True)),
            f"{name} empty": lambda kind=kind: run(kind(), (NONE, SOME, 1)),
            f"{name} lacks": lambda kind=kind: run(kind(), (X, Y, 7)),
            f"{name} inputs": lambda kind=kind: run(kind(), (X, Y)),
            f"{name} shapes": lambda kind=kind: run(kind(), (X, Y[:2], 0)),
        }
    return made


def cases() -> dict[str, Callable[[], Any]]:
    bleu, rate, occlusion = train.BleuScore, train.ConfusionMatrixMetric, train.OcclusionSensitivity
    weight = Tensor(np.array([[0.1, 0.8, 0.1, 0.1], [1, 1, 1, 1]], np.float32))
    net = nn.Dense(4, 2, weight_init=weight, bias_init=Tensor(np.array([0.3, 0.6], np.float32)))
    made = surfaces()
    for n in range(6):
        for smooth in (False, True):
            made[f"bleu {n} {smooth}"] = lambda n=n, s=smooth: run(bleu(n, s), (WORDS, REFS))
    for name in _RATES.split():
        made[f"rate {name}"] = lambda name=name: run(rate(True, name), (P, Q))
    for how in ("mean", "sum", "none", "sum_batch", "mean_channel"):
        for all_channels in (True, False):
            made[f"rate {how} {all_channels}"] = lambda h=how, c=all_channels: run(rate(c, "ppv", False, h), (P, Q))
            made[f"rate each {how} {all_channels}"] = lambda h=how, c=all_channels: run(
                rate(c, "mcc", True, h), (P, Q), (Q[:2], P[:2])
            )
    return made | {
        "bleu two": lambda: run(bleu(2, True), (WORDS, REFS), (WORDS * 2, REFS * 2)),
        "bleu short": lambda: run(bleu(2), ([["i", "have"]], REFS)),
        "bleu nothing": lambda: run(bleu(2), ([["foo", "bar"]], REFS)),
        "bleu empty": lambda: run(bleu(2), ([[]], REFS)),
        "bleu long": lambda: run(bleu(1), ([["i"] * 9], REFS)),
        "bleu lengths": lambda: run(bleu(2), (WORDS * 2, REFS)),
        "bleu inputs": lambda: run(bleu(2), (WORDS, REFS, REFS)),
        "bleu none": lambda: bleu().eval(),
        "bleu n": lambda: bleu(1.5),
        "bleu smooth": lambda: bleu(1, 1),
        "rate none": lambda: rate().eval(),
        "rate 2d": lambda: run(rate(), (P[0], Q[0])),
        "rate 1d": lambda: run(rate(), (P[0, 0], Q[0, 0])),
        "rate inputs": lambda: run(rate(), (P, Q, Q)),
        "rate shapes": lambda: run(rate(), (P, Q[:1])),
        "rate bad how": lambda: run(rate(decrease="foo"), (P, Q)),
        "rate flag": lambda: rate(skip_channel=1),
        "rate name": lambda: rate(metric_name=1),
        "rate method": lambda: rate(calculation_method=1),
        "occlusion": lambda: run(occlusion(), (net, IMAGE, LABEL)),
        "occlusion 1": lambda: run(occlusion(margin=1), (net, IMAGE, LABEL)),
        "occlusion 0": lambda: run(occlusion(pad_val=2.0, margin=0), (net, IMAGE, LABEL)),
        "occlusion filled": lambda: run(occlusion(pad_val=2.0, margin=1), (net, IMAGE, LABEL)),
        "occlusion batch": lambda: run(occlusion(margin=1, n_batch=1), (net, IMAGE, LABEL)),
        "occlusion box": lambda: run(occlusion(margin=1, b_box=[1, 3]), (net, IMAGE, LABEL)),
        "occlusion box length": lambda: run(occlusion(b_box=[-1, -1, 1, 3]), (net, IMAGE, LABEL)),
        "occlusion two": lambda: run(occlusion(), (net, IMAGE, LABEL), (net, IMAGE, LABEL * 0)),
        "occlusion label": lambda: run(occlusion(), (net, IMAGE, 1)),
        "occlusion images": lambda: run(occlusion(), (net, np.vstack([IMAGE, IMAGE]), np.array([1, 0]))),
        "occlusion none": lambda: occlusion().eval(),
        "occlusion inputs": lambda: run(occlusion(), (net, IMAGE)),
        "occlusion pad": lambda: occlusion(pad_val="a"),
        "occlusion margin": lambda: occlusion(margin=1.5),
        "occlusion n_batch": lambda: occlusion(n_batch=1.5),
        "occlusion b_box": lambda: occlusion(b_box=1),
        "names": lambda: train.names(),
    }


def plain(value: Any) -> Any:
    found = value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
    return repr(found) if isinstance(found, float) and not np.isfinite(found) else found


def results() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, case in cases().items():
        try:
            found[name] = {"value": plain(case())}
        except Exception as error:
            found[name] = {"error": type(error).__name__}
    return found


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("more_metrics.json")
    rows = [f"{json.dumps(name)}: {json.dumps(row)}" for name, row in results().items()]
    target.write_text("{\n" + ",\n".join(rows) + "\n}\n")
