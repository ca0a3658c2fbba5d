"""Losses."""

from __future__ import annotations

from typing import Any

from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite
from ms_kernels.opdef.spec import Array
from ms_kernels.ops.activation import softplus_plain
from ms_kernels.ops.arithmetic import maximum
from ms_kernels.ops.compare import equal, greater, less, where
from ms_kernels.ops.elementary import exp, log, sqrt
from ms_kernels.ops.reduce import mean, sum_

__all__ = ["binary_cross_entropy", "kl_div", "l1_loss", "mse_loss", "reduced", "smooth_l1_loss"]

Shape = tuple[int, ...]


def reduced(name: str, loss: Any, reduction: str) -> Any:
    """Apply a loss's `reduction`: "none", "mean" or "sum".

    Raises:
        ValueError: another word.
    """
    if reduction not in ("none", "mean", "sum"):
        fail(ValueError, name, "'reduction'", "be 'none', 'mean' or 'sum'", describe(reduction))
    return loss if reduction == "none" else mean(loss) if reduction == "mean" else sum_(loss)


def check_reduction(name: str, reduction: Any) -> None:
    if reduction not in ("none", "mean", "sum"):
        fail(ValueError, name, "'reduction'", "be 'none', 'mean' or 'sum'", describe(reduction))


@composite(
    ops=["mse_loss(input, target, reduction='mean')", "mse_loss_ext(input, target, reduction='mean')"],
    mintf="mse_loss(input, target, reduction='mean')",
)
def mse_loss(input: Array, target: Array, reduction: str = "mean") -> Any:
    """Return the squared differences, their mean or their sum.

    Raises:
        ValueError: another reduction; shapes that cannot be broadcast.

    Examples:
        >>> print(ops.mse_loss(Tensor([1.0, 2.0]), Tensor([1.0, 4.0])))
        2.0

    Source: ``mindspore.ops.mse_loss``.
    """
    check_reduction("mse_loss", reduction)
    d = input - target
    return reduced("mse_loss", d * d, reduction)


@composite(ops="l1_loss(input, target, reduction='mean')", mintf="l1_loss(input, target, reduction='mean')")
def l1_loss(input: Array, target: Array, reduction: str = "mean") -> Any:
    """Return the absolute differences, their mean or their sum.

    Examples:
        >>> print(ops.l1_loss(Tensor([1.0, 2.0]), Tensor([1.0, 4.0])))
        1.0

    Source: ``mindspore.ops.l1_loss``.
    """
    check_reduction("l1_loss", reduction)
    return reduced("l1_loss", abs(input - target), reduction)


@composite(
    ops="smooth_l1_loss(input, target, beta=1.0, reduction='none')",
    mintf="smooth_l1_loss(input, target, reduction='mean', beta=1.0)",
    primitive="SmoothL1Loss(beta=1.0, reduction='none')(prediction, target)",
    rename={"prediction": "input"},
)
def smooth_l1_loss(input: Array, target: Array, beta: float = 1.0, reduction: str = "none") -> Any:
    """Return ``d*d / (2 beta)`` where ``|d| < beta``, else ``|d| - beta/2``.

    Raises:
        ValueError: `beta` not above 0, another reduction.

    Examples:
        >>> print(ops.smooth_l1_loss(Tensor([1.0, 2.0]), Tensor([3.0, 2.5])))
        [1.5   0.125]

    Source: ``mindspore.ops.smooth_l1_loss``.
    """
    check_reduction("smooth_l1_loss", reduction)
    if not beta > 0:
        fail(ValueError, "smooth_l1_loss", "'beta'", "be above 0", describe(beta))
    d = abs(input - target)
    return reduced("smooth_l1_loss", where(less(d, beta), d * d * (0.5 / beta), d - 0.5 * beta), reduction)


@composite(ops="huber_loss(input, target, reduction='mean', delta=1.0)")
def huber_loss(input: Array, target: Array, reduction: str = "mean", delta: float = 1.0) -> Any:
    """Return ``d*d / 2`` where ``|d| <= delta``, else ``delta * (|d| - delta/2)``.

    Examples:
        >>> print(ops.huber_loss(Tensor([1.0, 2.0]), Tensor([3.0, 2.5])))
        0.8125

    Source: ``mindspore.ops.huber_loss``.
    """
    check_reduction("huber_loss", reduction)
    if not delta > 0:
        fail(ValueError, "huber_loss", "'delta'", "be above 0", describe(delta))
    d = abs(input - target)
    return reduced("huber_loss", where(greater(d, delta), (d - 0.5 * delta) * delta, d * d * 0.5), reduction)


@composite(
    ops="kl_div(logits, labels, reduction='mean')",
    primitive="KLDivLoss(reduction='mean')(logits, labels)",
    mintf="kl_div(input, target, reduction='mean', log_target=False)",
    rename={"labels": "target"},
)
def kl_div(input: Array, target: Array, reduction: str = "mean", log_target: bool = False) -> Any:
    """Return ``target * (log(target) - input)``, 0 where target is 0; `input` holds logarithms.

    Args:
        reduction: "none", "mean", "sum", or "batchmean" (the sum over the size of the first dimension).

    Examples:
        >>> print(ops.kl_div(Tensor([[0.1, 0.2]]), Tensor([[0.5, 0.5]]), "sum"))
        -0.8431472

    Source: ``mindspore.ops.kl_div``.
    """
    if reduction != "batchmean":
        check_reduction("kl_div", reduction)
    if log_target:
        loss = exp(target) * (target - input)
    else:
        positive = greater(target, 0)
        loss = where(positive, target * (log(where(positive, target, 1)) - input), 0)
    if reduction == "batchmean":
        return sum_(loss) * (1 / input.shape[0])
    return reduced("kl_div", loss, reduction)


@composite(
    ops="binary_cross_entropy(logits, labels, weight=None, reduction='mean')",
    mintf="binary_cross_entropy(input, target, weight=None, reduction='mean')",
    primitive="BinaryCrossEntropy(reduction='mean')(logits, labels, weight=None)",
    rename={"labels": "target"},
)
def binary_cross_entropy(input: Array, target: Array, weight: Array | None = None, reduction: str = "mean") -> Any:
    """Return ``-(t log(p) + (1 - t) log(1 - p))`` of probabilities p, its logarithms not below -100.

    Examples:
        >>> print(ops.binary_cross_entropy(Tensor([0.5, 0.5]), Tensor([1.0, 0.0])))
        0.6931472

    Source: ``mindspore.ops.binary_cross_entropy``.
    """
    check_reduction("binary_cross_entropy", reduction)
    if input.shape != target.shape:
        got = f"{list(input.shape)} and {list(target.shape)}"
        fail(ValueError, "BinaryCrossEntropy", "shapes of 'logits' and 'labels'", "be equal", got)
    loss = (target * maximum(log(input), -100) + (1 - target) * maximum(log(1 - input), -100)) * -1
    return reduced("binary_cross_entropy", loss if weight is None else loss * weight, reduction)


@composite(
    ops="binary_cross_entropy_with_logits(input, target, weight=None, pos_weight=None, reduction='mean')",
    mintf="binary_cross_entropy_with_logits(input, target, weight=None, reduction='mean', pos_weight=None)",
    primitive="BCEWithLogitsLoss(reduction='mean')(logits, label, weight=None, pos_weight=None)",
    rename={"label": "target"},
)
def binary_cross_entropy_with_logits(
    input: Array, target: Array, weight: Array | None = None, pos_weight: Array | None = None, reduction: str = "mean"
) -> Any:
    """Return the binary cross entropy of ``sigmoid(input)``, without overflow.

    Examples:
        >>> print(ops.binary_cross_entropy_with_logits(Tensor([0.0, 0.0]), Tensor([1.0, 0.0])))
        0.6931472

    Source: ``mindspore.ops.binary_cross_entropy_with_logits``.
    """
    check_reduction("binary_cross_entropy_with_logits", reduction)
    toward = softplus_plain(input * -1)
    loss = (1 - target) * input + (toward if pos_weight is None else toward * (target * (pos_weight - 1) + 1))
    return reduced("BCEWithLogitsLoss", loss if weight is None else loss * weight, reduction)


@composite(
    ops="cosine_embedding_loss(input1, input2, target, margin=0.0, reduction='mean')",
    mintf="cosine_embedding_loss(input1, input2, target, margin=0.0, reduction='mean')",
    rename={"input1": "input"},
)
def cosine_embedding_loss(
    input: Array, input2: Array, target: Array, margin: float = 0.0, reduction: str = "mean"
) -> Any:
    """Return ``1 - cos`` where the target is 1, and ``max(0, cos - margin)`` where it is -1.

    Examples:
        >>> x = Tensor([[1.0, 0.0]])
        >>> print(ops.cosine_embedding_loss(x, x, Tensor([-1])))
        1.0

    Source: ``mindspore.ops.cosine_embedding_loss``.
    """
    check_reduction("cosine_embedding_loss", reduction)
    if not -1 <= margin <= 1:
        fail(ValueError, "cosine_embedding_loss", "'margin'", "be in [-1, 1]", describe(margin))
    product = sum_(input * input2, -1)
    squares = (sum_(input * input, -1) + 1e-8) * (sum_(input2 * input2, -1) + 1e-8)
    cosine = product / sqrt(squares)
    loss = where(equal(target, 1), 1 - cosine, where(equal(target, -1), maximum(cosine - margin, 0), 0))
    return reduced("cosine_embedding_loss", loss, reduction)


@composite(
    ops="margin_ranking_loss(input1, input2, target, margin=0.0, reduction='mean')",
    mintf="margin_ranking_loss(input1, input2, target, margin=0.0, reduction='mean')",
    rename={"input1": "input"},
)
def margin_ranking_loss(
    input: Array, input2: Array, target: Array, margin: float = 0.0, reduction: str = "mean"
) -> Any:
    """Return ``max(0, -target * (input1 - input2) + margin)``.

    Examples:
        >>> print(ops.margin_ranking_loss(Tensor([1.0]), Tensor([2.0]), Tensor([1.0])))
        1.0

    Source: ``mindspore.ops.margin_ranking_loss``.
    """
    check_reduction("margin_ranking_loss", reduction)
    return reduced("margin_ranking_loss", maximum((input - input2) * target * -1 + margin, 0), reduction)


@composite(
    ops="hinge_embedding_loss(inputs, targets, margin=1.0, reduction='mean')",
    mintf="hinge_embedding_loss(input, target, margin=1.0, reduction='mean')",
    rename={"inputs": "input", "targets": "target"},
)
def hinge_embedding_loss(input: Array, target: Array, margin: float = 1.0, reduction: str = "mean") -> Any:
    """Return x where the target is 1, and ``max(0, margin - x)`` where it is -1.

    Examples:
        >>> print(ops.hinge_embedding_loss(Tensor([0.25, 0.25]), Tensor([1, -1])))
        0.5

    Source: ``mindspore.ops.hinge_embedding_loss``.
    """
    check_reduction("hinge_embedding_loss", reduction)
    return reduced("hinge_embedding_loss", where(equal(target, 1), input, maximum(margin - input, 0)), reduction)


@composite(
    ops="soft_margin_loss(input, target, reduction='mean')",
    mintf="soft_margin_loss(input, target, reduction='mean')",
    primitive="SoftMarginLoss(reduction='mean')(logits, labels)",
    rename={"labels": "target"},
)
def soft_margin_loss(input: Array, target: Array, reduction: str = "mean") -> Any:
    """Return ``log(1 + exp(-target * x))``.

    Examples:
        >>> print(ops.soft_margin_loss(Tensor([0.0]), Tensor([1.0])))
        0.6931472

    Source: ``mindspore.ops.soft_margin_loss``.
    """
    check_reduction("soft_margin_loss", reduction)
    return reduced("soft_margin_loss", softplus_plain(input * target * -1), reduction)
