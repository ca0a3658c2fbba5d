"""`ConfusionMatrixMetric`: rates computed from true and false positives and negatives."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import numpy as np

from ms_nn.train.metrics.metric import Array, Metric, rearrange_inputs

__all__ = ["ConfusionMatrixMetric"]

_DECREASES = ("none", "mean", "sum", "mean_batch", "sum_batch", "mean_channel", "sum_channel")


class _Counts:
    """Counts of true and false positives and negatives, and the rates that follow from them."""

    def __init__(self, tp: Array, fp: Array, tn: Array, fn: Array) -> None:
        self.tp, self.fp, self.tn, self.fn = tp, fp, tn, fn
        self.p, self.n = tp + fn, fp + tn

    @property
    def tpr(self) -> Any:
        return self.tp / self.p

    @property
    def tnr(self) -> Any:
        return self.tn / self.n

    @property
    def ppv(self) -> Any:
        return self.tp / (self.tp + self.fp)

    @property
    def npv(self) -> Any:
        return self.tn / (self.tn + self.fn)

    def threshold(self) -> Any:
        """The prevalence threshold."""
        return (np.sqrt(self.tpr * (1 - self.tnr)) + self.tnr - 1) / (self.tpr + self.tnr - 1)

    def matthews(self) -> Any:
        """Matthews' correlation coefficient."""
        ways = (self.tp + self.fp) * (self.tp + self.fn) * (self.tn + self.fp) * (self.tn + self.fn)
        return (self.tp * self.tn - self.fp * self.fn) / np.sqrt(ways)


Rate = Callable[[_Counts], Any]
_RATES: tuple[tuple[str, Rate], ...] = (
    ("sensitivity recall hit_rate tpr", lambda c: c.tpr),
    ("specificity selectivity tnr", lambda c: c.tnr),
    ("precision positive_predictive_value ppv", lambda c: c.ppv),
    ("negative_predictive_value npv", lambda c: c.npv),
    ("miss_rate false_negative_rate fnr", lambda c: c.fn / c.p),
    ("fall_out false_positive_rate fpr", lambda c: c.fp / c.n),
    ("false_discovery_rate fdr", lambda c: c.fp / (c.fp + c.tp)),
    ("false_omission_rate for", lambda c: c.fn / (c.fn + c.tn)),
    ("prevalence_threshold pt", lambda c: c.threshold()),
    ("threat_score critical_success_index ts csi", lambda c: c.tp / (c.tp + c.fn + c.fp)),
    ("accuracy acc", lambda c: (c.tp + c.tn) / (c.p + c.n)),
    ("balanced_accuracy ba", lambda c: (c.tpr + c.tnr) / 2),
    ("f1_score f1", lambda c: 2 * c.tp / (2 * c.tp + c.fn + c.fp)),
    ("matthews_correlation_coefficient mcc", lambda c: c.matthews()),
    ("fowlkes_mallows_index fm", lambda c: np.sqrt(c.ppv * c.tpr)),
    ("informedness bookmaker_informedness bm", lambda c: c.tpr + c.tnr - 1),
    ("markedness deltap mk", lambda c: c.ppv + c.npv - 1),
)
_BY_NAME: MappingProxyType[str, Rate] = MappingProxyType({n: rate for text, rate in _RATES for n in text.split()})


class ConfusionMatrixMetric(Metric):
    """A rate of binary decisions, by its name (``mindspore.train.ConfusionMatrixMetric``).

    `update` takes decisions (N, C, ...), 0 for no, and the truth in the same shape.

    Args:
        skip_channel: as 2.6 has it, True takes all channels and False leaves out the first.
        metric_name: such as "sensitivity", "precision", "f1 score", "mcc" or their other names.
        calculation_method: compute the rate of each sample and channel and combine them by `decrease`, in place of
            one rate from the counts of all.
        decrease: "mean" or "sum" over channels, then samples; the others of 2.6's names need
            `calculation_method` False, which uses none.

    Rates of nothing are NaN and left out.

    Raises:
        TypeError, ValueError: an argument of the wrong type or unknown.
        ValueError: in `update`, another number of inputs, or shapes that differ or have less than 2 dimensions.
        NotImplementedError: there is no rate of the name.

    >>> metric = ConfusionMatrixMetric(metric_name="tpr")
    >>> metric.update(np.array([[[0], [1]], [[1], [0]]]), np.array([[[0], [1]], [[0], [1]]]))
    >>> metric.eval()
    array([0.5])
    """

    def __init__(
        self,
        skip_channel: bool = True,
        metric_name: str = "sensitivity",
        calculation_method: bool = False,
        decrease: str = "mean",
    ) -> None:
        super().__init__()
        checks = (("skip_channel", skip_channel, bool), ("metric_name", metric_name, str))
        for arg, value, kind in (*checks, ("calculation_method", calculation_method, bool)):
            if not isinstance(value, kind):
                raise TypeError(
                    f"The type of '{arg}' should be '{kind.__name__}', but got type '{type(value).__name__}'."
                )
        if decrease not in _DECREASES:
            raise ValueError(f"The 'decrease' must be str and must be in '{list(_DECREASES)}', but got '{decrease}'.")
        if calculation_method and decrease not in ("mean", "sum"):
            raise ValueError(
                "For 'ConfusionMatrixMetric', the 'decrease' must be 'mean' or 'sum' with 'calculation_method', "
                f"but got '{decrease}'."
            )
        self.skip_channel, self.metric_name = skip_channel, metric_name
        self.calculation_method, self.decrease = calculation_method, decrease
        self.clear()

    def clear(self) -> None:
        """Forget all updates."""
        self._counts = np.zeros(4)
        self._total, self._samples = 0.0, 0

    def _rate(self, counts: Array) -> Any:
        name = self.metric_name.lower().replace(" ", "_")
        if name not in _BY_NAME:
            raise NotImplementedError("The metric is not implemented.")
        with np.errstate(divide="ignore", invalid="ignore"):
            return _BY_NAME[name](_Counts(*np.moveaxis(counts.astype(np.float64), -1, 0)))

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Take in decisions and the truth."""
        if len(inputs) != 2:
            raise ValueError(
                "For 'ConfusionMatrixMetric.update', it needs 2 inputs (predicted value, true value), "
                f"but got {len(inputs)}."
            )
        predicted, true = (self._convert_data(value) for value in inputs)
        if predicted.ndim < 2:
            raise ValueError(
                "For 'ConfusionMatrixMetric.update', the predicted value (input[0]) must have at least 2 dimensions, "
                f"but got {predicted.ndim}."
            )
        if predicted.shape != true.shape:
            raise ValueError(
                "For 'ConfusionMatrixMetric.update', the predicted and true values must have the same shape, but got "
                f"{predicted.shape} and {true.shape}."
            )
        first = 1 if not self.skip_channel and predicted.shape[1] > 1 else 0
        said, is_so = ((value[:, first:] != 0).reshape(*value[:, first:].shape[:2], -1) for value in (predicted, true))
        kinds = (said & is_so, said & ~is_so, ~said & ~is_so, ~said & is_so)
        counts = np.stack([kind.sum(-1) for kind in kinds], -1)
        self._counts = self._counts + counts.sum((0, 1))
        if self.calculation_method:
            rates = self._rate(counts)
            known = ~np.isnan(rates)
            seen = known.any(1)
            totals = np.where(known, rates, 0).sum(1)[seen]
            if self.decrease == "mean":
                totals = totals / known.sum(1)[seen]
            amount = int(seen.sum())
            self._total += (totals.mean() if self.decrease == "mean" else totals.sum()) * amount if amount else 0.0
            self._samples += amount

    def eval(self) -> Any:
        """The rate: an array of one, or with `calculation_method` a number."""
        if self.calculation_method:
            return self._total / self._samples if self._samples else float("nan")
        return self._rate(self._counts[None])
