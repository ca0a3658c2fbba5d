"""Metrics of a training or evaluation (``mindspore.train``'s metrics)."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from ms_nn.train.metrics.bleu import BleuScore
from ms_nn.train.metrics.classification import F1, Accuracy, Fbeta, Precision, Recall
from ms_nn.train.metrics.confusion_matrix import ConfusionMatrix
from ms_nn.train.metrics.confusion_metric import ConfusionMatrixMetric
from ms_nn.train.metrics.error import MAE, MSE, Loss, Perplexity
from ms_nn.train.metrics.metric import Metric, rearrange_inputs
from ms_nn.train.metrics.occlusion import OcclusionSensitivity
from ms_nn.train.metrics.roc import ROC, auc
from ms_nn.train.metrics.similarity import CosineSimilarity, Dice
from ms_nn.train.metrics.surface import HausdorffDistance, MeanSurfaceDistance, RootMeanSquareDistance
from ms_nn.train.metrics.topk import Top1CategoricalAccuracy, Top5CategoricalAccuracy, TopKCategoricalAccuracy

__all__ = [
    "RootMeanSquareDistance",
    "OcclusionSensitivity",
    "MeanSurfaceDistance",
    "HausdorffDistance",
    "ConfusionMatrixMetric",
    "BleuScore",
    "F1",
    "MAE",
    "MSE",
    "ROC",
    "Accuracy",
    "ConfusionMatrix",
    "CosineSimilarity",
    "Dice",
    "Fbeta",
    "Loss",
    "Metric",
    "Perplexity",
    "Precision",
    "Recall",
    "Top1CategoricalAccuracy",
    "Top5CategoricalAccuracy",
    "TopKCategoricalAccuracy",
    "auc",
    "get_metric_fn",
    "get_metrics",
    "names",
    "rearrange_inputs",
]

_BY_NAME: MappingProxyType[str, Callable[..., Any]] = MappingProxyType(
    {
        "F1": F1,
        "acc": Accuracy,
        "accuracy": Accuracy,
        "auc": auc,
        "bleu_score": BleuScore,
        "confusion_matrix": ConfusionMatrix,
        "confusion_matrix_metric": ConfusionMatrixMetric,
        "cosine_similarity": CosineSimilarity,
        "dice": Dice,
        "hausdorff_distance": HausdorffDistance,
        "loss": Loss,
        "mae": MAE,
        "mean_surface_distance": MeanSurfaceDistance,
        "mse": MSE,
        "occlusion_sensitivity": OcclusionSensitivity,
        "perplexity": Perplexity,
        "precision": Precision,
        "recall": Recall,
        "roc": ROC,
        "root_mean_square_distance": RootMeanSquareDistance,
        "top_1_accuracy": Top1CategoricalAccuracy,
        "top_5_accuracy": Top5CategoricalAccuracy,
        "topk": TopKCategoricalAccuracy,
    }
)


def names() -> list[str]:
    """The names that `get_metric_fn` knows (``mindspore.train.names``).

    >>> "accuracy" in names()
    True
    """
    return list(_BY_NAME)


def get_metric_fn(name: str, *args: Any, **kwargs: Any) -> Any:
    """The metric of a name, made with the given arguments (``mindspore.train.get_metric_fn``).

    Raises:
        KeyError: there is no metric of that name.

    >>> get_metric_fn("topk", k=3).k
    3
    """
    if name not in _BY_NAME:
        raise KeyError(
            f"For 'get_metric_fn', unsupported metric {name}, please refer to official website for more details about "
            "supported metrics."
        )
    return _BY_NAME[name](*args, **kwargs)


def get_metrics(metrics: dict[str, Metric] | set[str] | None) -> dict[str, Metric] | None:
    """The metrics of a `Model` by name (``mindspore.nn.get_metrics``); None for None.

    Raises:
        TypeError: neither None nor a set of names nor a dict of metrics.
        KeyError: there is no metric of a name.
    """
    if metrics is None:
        return None
    if isinstance(metrics, dict):
        for name, metric in metrics.items():
            if not isinstance(name, str) or not isinstance(metric, Metric):
                raise TypeError(
                    "For 'get_metrics', if 'metrics' is dict, the key in 'metrics' must be string and value in "
                    f"'metrics' must be Metric, but got key:{type(name)}, value:{type(metric)}."
                )
        return metrics
    if isinstance(metrics, set):
        return {name: get_metric_fn(name) for name in sorted(metrics)}
    raise TypeError(f"For 'get_metrics', the argument 'metrics' must be None, dict or set, but got {metrics}")
