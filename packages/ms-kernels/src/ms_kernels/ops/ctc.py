"""Connectionist temporal classification: its losses and the greedy decoder."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops.compare import where
from ms_kernels.ops.elementary import exp, log
from ms_kernels.ops.index import gather
from ms_kernels.ops.loss import check_reduction, reduced
from ms_kernels.ops.rearrange import concat
from ms_kernels.ops.reduce import sum_
from ms_kernels.ops.softmax import log_softmax

__all__ = ["ctc_greedy_decoder", "ctc_loss"]

NEVER = -1e30  # log of 0 that can be subtracted from itself


def _lengths(name: str, arg: str, value: Any, batch: int, high: int) -> Any:
    found = value._a if isinstance(value, TensorBase) else np.asarray(value)
    if found.dtype.kind not in "iu":
        fail(TypeError, name, f"'{arg}'", "hold ints", describe(value))
    if found.shape != (batch,):
        fail(ValueError, name, f"shape of '{arg}'", f"be [{batch}]", str(list(found.shape)))
    if found.size and not (found.min() >= 0 and found.max() <= high):
        fail(ValueError, name, f"'{arg}'", f"be in [0, {high}]", f"{found.min()} to {found.max()}")
    return found.astype(np.int64)


def _log_sum(terms: list[Any]) -> Any:
    """log(sum(exp(terms))): the largest term is a constant to the gradient, which it does not change."""
    top = terms[0]._a
    for term in terms[1:]:
        top = np.maximum(top, term._a)
    shift = from_array(np.asarray(top))
    total = exp(terms[0] - shift)
    for term in terms[1:]:
        total = total + exp(term - shift)
    return log(total) + shift


def _alignments(log_probs: Any, labels: Any, steps: Any, sizes: Any, blank: int) -> tuple[Any, Any]:
    """Return the log-likelihood of each target by Graves's forward recursion, and the log of its terms (N, T, L).

    State 2 k of a target is the blank before its label k, state 2 k + 1 the label itself.
    """
    count, batch, _ = log_probs.shape
    width = 2 * labels.shape[1] + 1
    kind = log_probs._kind
    states = np.full((batch, width), blank, np.int64)
    states[:, 1::2] = labels
    skip = np.zeros((batch, width), bool)  # a label may follow another one without the blank between them
    skip[:, 3::2] = labels[:, 1:] != labels[:, :-1]
    places = from_array(states)
    never = from_array(np.full((batch, 2), NEVER, kind))
    barred = from_array(~skip)
    first = np.arange(width)[None, :] < 2
    alpha = where(from_array(np.broadcast_to(first, states.shape).copy()), gather(log_probs[0], 1, places), NEVER)
    final, seen = alpha, [alpha._a]
    for t in range(1, count):
        one, two = (concat([never[:, :k], alpha[:, : width - k]], 1) for k in (1, 2))
        alpha = _log_sum([alpha, one, where(barred, NEVER, two)]) + gather(log_probs[t], 1, places)
        seen.append(alpha._a)
        final = where(from_array((steps > t)[:, None]), alpha, final)
    at = np.arange(width)[None, :]
    last = (at == 2 * sizes[:, None]) | (at == 2 * sizes[:, None] - 1)
    ends = where(from_array(last), final, NEVER)
    shift = from_array(ends._a.max(1, keepdims=True))
    return log(sum_(exp(ends - shift), 1)) + shift[:, 0], np.stack(seen, 1)


def _checked(name: str, log_probs: Any, targets: Any, inputs: Any, sizes: Any, blank: Any) -> tuple[Any, Any, Any]:
    if log_probs.ndim != 3:
        fail(ValueError, name, "'log_probs'", "have three dimensions", f"shape {list(log_probs.shape)}")
    count, batch, classes = log_probs.shape
    if targets.ndim != 2 or targets.shape[0] != batch:
        fail(ValueError, name, "shape of 'targets'", f"be [{batch}, S]", str(list(targets.shape)))
    if isinstance(blank, bool) or not isinstance(blank, int):
        fail(TypeError, name, "'blank'", "be an int", describe(blank))
    if not 0 <= blank < classes:
        fail(ValueError, name, "'blank'", f"be in [0, {classes})", describe(blank))
    labels = targets._a
    if labels.dtype.kind not in "iu":
        fail(TypeError, name, "dtype of 'targets'", "be an integer type", str(targets.dtype))
    steps = _lengths(name, "input_lengths", inputs, batch, count)
    lengths = _lengths(name, "target_lengths", sizes, batch, labels.shape[1])
    used = labels[np.arange(labels.shape[1])[None, :] < lengths[:, None]]
    if used.size and not (used.min() >= 0 and used.max() < classes):
        fail(ValueError, name, "'targets'", f"be in [0, {classes})", f"{used.min()} to {used.max()}")
    return np.clip(labels, 0, classes - 1).astype(np.int64), steps, lengths


@composite(
    ops="ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction='mean', zero_infinity=False)",
    primitive="CTCLossV2(blank=0, reduction='none', zero_infinity=False)(log_probs, targets, input_lengths, "
    "target_lengths)",
)
def ctc_loss(
    log_probs: Array,
    targets: Array,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Any:
    """Return minus the log-likelihood of label sequences, and the logs of the forward recursion's terms.

    Args:
        log_probs: (T, N, C), logarithms of probabilities.
        targets: (N, S), labels; `target_lengths` of them count.
        input_lengths, target_lengths: (N), a tuple or tensor each.
        reduction: "mean" divides each loss by its target's length first.
        zero_infinity: make the loss of a target that cannot be reached 0, and its gradient.

    Returns:
        The loss, and a tensor (N, T, 2 S + 1) without gradient.

    Raises:
        ValueError: shapes, lengths or labels that do not fit, another reduction.
        TypeError: labels or lengths that are no integers.

    Examples:
        >>> p = Tensor(np.log([[[0.25, 0.75]], [[0.5, 0.5]]]), mstype.float32)
        >>> loss, _ = ops.ctc_loss(p, Tensor([[1]]), (2,), (1,))
        >>> print(np.round(np.exp(-loss.item()), 5))
        0.875

    Source: Graves et al., Connectionist Temporal Classification; ``mindspore.ops.ctc_loss``.
    """
    check_reduction("ctc_loss", reduction)
    labels, steps, sizes = _checked("ctc_loss", log_probs, targets, input_lengths, target_lengths, blank)
    likelihood, terms = _alignments(log_probs, labels, steps, sizes, blank)
    loss = likelihood * -1
    lost = loss._a > -NEVER / 2
    if lost.any():
        loss = where(from_array(lost), 0.0 if zero_infinity else float("inf"), loss)
    if reduction == "mean":
        loss = loss * from_array((1 / np.maximum(sizes, 1)).astype(loss._kind))
    over = np.arange(terms.shape[1])[None, :, None] >= steps[:, None, None]  # steps and states that there are not
    over = over | (np.arange(terms.shape[2])[None, None, :] > 2 * sizes[:, None, None])
    shown = np.where(over | (terms < NEVER / 2), -np.inf, terms).astype(log_probs._kind)
    return reduced("ctc_loss", loss, reduction), from_array(shown)


def _dense(indices: Any, values: Any, batch: int, blank: int) -> tuple[Any, Any]:
    """Labels given as (row, place) and value, as a matrix and its rows' lengths."""
    sizes = np.bincount(indices[:, 0], minlength=batch)
    labels = np.full((batch, max(int(sizes.max(initial=0)), 1)), blank, np.int64)
    labels[indices[:, 0], indices[:, 1]] = values
    return labels, sizes


@composite(
    primitive="CTCLoss(preprocess_collapse_repeated=False, ctc_merge_repeated=True, "
    "ignore_longer_outputs_than_inputs=False)(x, labels_indices, labels_values, sequence_length)"
)
def ctc_loss_logits(
    input: Array,
    labels_indices: Array,
    labels_values: Array,
    sequence_length: Array,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
) -> Any:
    """Return the loss of each sequence of logits (T, N, C), the last class being the blank, and its gradient.

    Args:
        labels_indices: (M, 2), the sequence and the place of each label.
        labels_values: (M), the labels.
        sequence_length: (N).
        preprocess_collapse_repeated: join equal labels that follow each other first.
        ctc_merge_repeated: False is refused.
        ignore_longer_outputs_than_inputs: make the loss of a target that is too long 0.

    Raises:
        ValueError: shapes, lengths or labels that do not fit; `ctc_merge_repeated` False.

    Examples:
        >>> x = Tensor(np.zeros((1, 1, 2)), mstype.float32)
        >>> print(ops.CTCLoss()(x, Tensor([[0, 0]]), Tensor([0]), Tensor([1]))[0])
        [0.6931472]

    Source: ``mindspore.ops.CTCLoss``.
    """
    from ms_kernels.tape.grad import run

    if not ctc_merge_repeated:
        fail(ValueError, "CTCLoss", "'ctc_merge_repeated'", "be True", describe(ctc_merge_repeated))
    if input.ndim != 3 or labels_indices.ndim != 2 or labels_indices.shape[1] != 2:
        got = f"shapes {list(input.shape)} and {list(labels_indices.shape)}"
        fail(ValueError, "CTCLoss", "'x' and 'labels_indices'", "be (T, N, C) and (M, 2)", got)
    blank = input.shape[2] - 1
    labels, sizes = _dense(labels_indices._a, labels_values._a, input.shape[1], blank)
    if preprocess_collapse_repeated:
        rows = [[v for i, v in enumerate(r[:n]) if not i or v != r[i - 1]] for r, n in zip(labels.tolist(), sizes)]
        sizes = np.array([len(r) for r in rows])
        labels = np.array([r + [blank] * (labels.shape[1] - len(r)) for r in rows])
    targets, zero = from_array(labels), bool(ignore_longer_outputs_than_inputs)

    def losses(x: Any) -> Any:
        return ctc_loss(log_softmax(x, 2), targets, sequence_length, from_array(sizes), blank, "none", zero)[0]

    _, grads, _ = run(lambda x: sum_(losses(x)), (input,), {}, (0,), None, False)
    return losses(input), from_array(grads[0]._a)


@op(
    shape=lambda shape, _lengths, _merge=True: [(-1, 2), (-1,), (2,), (shape[1], 1)],
    dtype=lambda input, _lengths, _merge=True: _decoded_types(input),
    nondiff="the result is made of labels",
    ascend="extremum",
    ops="ctc_greedy_decoder(inputs, sequence_length, merge_repeated=True)",
    primitive="CTCGreedyDecoder(merge_repeated=True)(inputs, sequence_length)",
    rename={"inputs": "input"},
    label="ctc_greedy_decoder",
)
def ctc_greedy_decoder(input: Array, sequence_length: Array, merge_repeated: bool = True) -> Any:
    """Return the labels of the best class at each step of (T, N, C), without blanks (the last class).

    Args:
        sequence_length: (N), how many steps count.
        merge_repeated: count equal labels that follow each other once.

    Returns:
        The (sequence, place) of each label, (M, 2); the labels, (M); the shape (N, longest); and minus the sum of the
        best numbers of each sequence, (N, 1).

    Raises:
        ValueError: an input of other dimensions, lengths that do not fit.

    Examples:
        >>> x = Tensor([[[0.1, 0.7, 0.2]], [[0.6, 0.3, 0.1]]])
        >>> places, labels, size, _ = ops.ctc_greedy_decoder(x, Tensor([2], mstype.int32))
        >>> print(labels, size)
        [1 0] [1 2]

    Source: ``mindspore.ops.ctc_greedy_decoder``.
    """
    name = "ctc_greedy_decoder"
    if input.ndim != 3:
        fail(ValueError, name, "'inputs'", "have three dimensions", f"shape {list(input.shape)}")
    count, batch, classes = input.shape
    steps = _lengths(name, "sequence_length", sequence_length, batch, count)
    best = input.astype(np.float64).argmax(2)
    top = input.astype(np.float64).max(2)
    places, labels, longest = [], [], 0
    for n in range(batch):
        path = best[: steps[n], n]
        keep = path != classes - 1
        if merge_repeated:
            keep[1:] &= path[1:] != path[:-1]
        found = path[keep]
        places += [(n, i) for i in range(len(found))]
        labels += found.tolist()
        longest = max(longest, len(found))
    use = np.arange(count)[:, None] < steps[None, :]
    return (
        np.array(places, np.int64).reshape(-1, 2),
        np.array(labels, np.int64),
        np.array([batch, longest], np.int64),
        -(top * use).sum(0)[:, None].astype(input.dtype),
    )


def _decoded_types(input: Any) -> Any:
    import ms_dtype as mstype

    return mstype.int64, mstype.int64, mstype.int64, input
