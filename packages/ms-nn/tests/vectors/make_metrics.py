"""Records metrics.json with MindSpore 2.6 itself: results and errors of the metrics."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from mindspore import train

_RNG = np.random.RandomState(3)
P = _RNG.rand(6, 4).astype(np.float32)
L = np.array([1, 3, 3, 0, 1, 2])
ONE_HOT = np.eye(4, dtype=np.float32)[L]
ML, MP = ((_RNG.rand(6, 4) > 0.5).astype(np.int32) for _ in range(2))
P3, L3 = _RNG.rand(2, 3, 4), _RNG.randint(0, 3, (2, 4))
B, BL = _RNG.rand(8).astype(np.float32), np.array([0, 1, 0, 0, 1, 1, 1, 0])


def run(metric: Any, *batches: tuple[Any, ...], **options: Any) -> Any:
    for batch in batches:
        metric.update(*batch)
    return metric.eval(**options)


def cases() -> dict[str, Callable[[], Any]]:
    t = train
    made: dict[str, Callable[[], Any]] = {}
    for name in ("Accuracy", "Precision", "Recall"):
        kind = getattr(t, name)
        made |= {
            f"{name} scores": lambda kind=kind: run(kind(), (P, L)),
            f"{name} lists": lambda kind=kind: run(kind(), (P.tolist(), L.tolist())),
            f"{name} one-hot": lambda kind=kind: run(kind(), (P, ONE_HOT)),
            f"{name} two batches": lambda kind=kind: run(kind(), (P, L), (P[:3], L[3:])),
            f"{name} 3d": lambda kind=kind: run(kind(), (P3, L3)),
            f"{name} multilabel": lambda kind=kind: run(kind("multilabel"), (MP, ML)),
            f"{name} multilabel two": lambda kind=kind: run(kind("multilabel"), (MP, ML), (MP[:3], ML[3:])),
            f"{name} no batch": lambda kind=kind: kind().eval(),
            f"{name} bad type": lambda kind=kind: kind("foo"),
            f"{name} one input": lambda kind=kind: kind().update(P),
            f"{name} shapes": lambda kind=kind: kind().update(P, L[:3]),
            f"{name} not 0 or 1": lambda kind=kind: kind("multilabel").update(P, ML),
            f"{name} 1d": lambda kind=kind: kind().update(P[:, 0], L),
            f"{name} strings": lambda kind=kind: kind().update("a", "b"),
            f"{name} classes change": lambda kind=kind: run(kind(), (P, L), (P[:, :3], L % 3)),
            f"{name} indexes": lambda kind=kind: run(kind().set_indexes([0, 2]), (P, "x", L)),
        }
    for name in ("Precision", "Recall"):
        kind = getattr(t, name)
        made[f"{name} average"] = lambda kind=kind: run(kind(), (P, L), average=True)
        made[f"{name} average type"] = lambda kind=kind: run(kind(), (P, L), average=3)
    for name in ("MAE", "MSE"):
        kind = getattr(t, name)
        made[name] = lambda kind=kind: run(kind(), (P, ONE_HOT), (P[:2], ONE_HOT[1:3]))
        made[f"{name} no batch"] = lambda kind=kind: kind().eval()
        made[f"{name} one input"] = lambda kind=kind: kind().update(P)
    for norm in ("no_norm", "target", "prediction", "all"):
        made[f"confusion {norm}"] = lambda norm=norm: run(t.ConfusionMatrix(4, norm), (P, L), (P[:3], L[3:]))
        made[f"confusion {norm} chances"] = lambda norm=norm: run(t.ConfusionMatrix(2, norm, 0.5), (B, BL))
    x, y = np.array([0, 0.2, 0.5, 1.0]), np.array([0, 0.5, 0.8, 1.0])
    return made | {
        "F1": lambda: run(t.F1(), (P, L)),
        "F1 average": lambda: run(t.F1(), (P, L), average=True),
        "Fbeta": lambda: run(t.Fbeta(2), (P, L), (P[:3], L[3:])),
        "Fbeta no batch": lambda: t.F1().eval(),
        "Fbeta bad": lambda: t.Fbeta(-1),
        "Fbeta classes change": lambda: run(t.F1(), (P, L), (P[:, :3], L % 3)),
        "Loss": lambda: run(t.Loss(), (np.array(2.0),), (np.array([4.0, 5.0]),)),
        "Loss no batch": lambda: t.Loss().eval(),
        "Loss two inputs": lambda: t.Loss().update(1, 2),
        "topk 1": lambda: run(t.TopKCategoricalAccuracy(1), (P, L), (P[:3], L[3:])),
        "topk 2": lambda: run(t.TopKCategoricalAccuracy(2), (P, ONE_HOT)),
        "topk ties": lambda: run(t.TopKCategoricalAccuracy(2), (np.zeros((4, 4), np.float32), np.arange(4))),
        "top 1": lambda: run(t.Top1CategoricalAccuracy(), (P, L)),
        "topk 0": lambda: t.TopKCategoricalAccuracy(0),
        "topk 1.5": lambda: t.TopKCategoricalAccuracy(1.5),
        "topk no batch": lambda: t.TopKCategoricalAccuracy(2).eval(),
        "confusion classes": lambda: run(t.ConfusionMatrix(4), (L, (L + 1) % 4)),
        "confusion 3d": lambda: run(t.ConfusionMatrix(3), (P3, L3)),
        "confusion edge": lambda: run(t.ConfusionMatrix(2), (np.array([0.5, 0.6, 0.4]), np.array([1, 1, 1]))),
        "confusion bad": lambda: t.ConfusionMatrix(4, "x"),
        "confusion no batch": lambda: t.ConfusionMatrix(4).eval(),
        "roc": lambda: run(t.ROC(), (B, BL)),
        "roc pos_label": lambda: run(t.ROC(pos_label=0), (B, BL)),
        "roc ties": lambda: run(t.ROC(), (np.array([0.5, 0.5, 0.2, 0.7]), np.array([1, 0, 1, 0]))),
        "roc no positive": lambda: run(t.ROC(), (B, BL * 0)),
        "roc no negative": lambda: run(t.ROC(), (B, BL * 0 + 1)),
        "roc class_num": lambda: run(t.ROC(), (P, L)),
        "roc no batch": lambda: t.ROC().eval(),
        "auc": lambda: t.auc(x, y),
        "auc falling": lambda: t.auc(x[::-1].copy(), y),
        "auc reorder": lambda: t.auc(np.array([0, 0.5, 0.2, 1.0]), y, reorder=True),
        "auc mixed": lambda: t.auc(np.array([0, 0.5, 0.2, 1.0]), y),
        "auc lists": lambda: t.auc([1, 2], [3, 4]),
        "perplexity": lambda: run(t.Perplexity(ignore_label=1), (P + 0.1, L), (P[:2], L[:2])),
        "perplexity no batch": lambda: t.Perplexity().eval(),
        "dice": lambda: run(t.Dice(), (P, ONE_HOT), (P[:2], ONE_HOT[1:3])),
        "dice shapes": lambda: t.Dice().update(P, ONE_HOT[:2]),
        "cosine": lambda: run(t.CosineSimilarity(), (P,)),
        "cosine dot": lambda: run(t.CosineSimilarity("dot", "mean", False), (P,)),
        "cosine bad": lambda: t.CosineSimilarity("x"),
        "indexes bad": lambda: t.Accuracy().set_indexes(3),
        "unknown name": lambda: t.get_metric_fn("foo"),
    }


def plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def results() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, case in cases().items():
        try:
            found[name] = {"value": plain(case())}
        except Exception as error:
            found[name] = {"error": type(error).__name__, "text": str(error)}
    return found


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("metrics.json")
    target.write_text(json.dumps(results(), indent=0) + "\n")
