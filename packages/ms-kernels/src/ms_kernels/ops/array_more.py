"""More of 2.6's primitives on arrays: fills and counts, least squares, experts' tokens, sampled classes."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import NUMBERS, composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._limits import NO_RULE, limits
from ms_kernels.ops._tape import broadcast_np, cast_np, plain
from ms_kernels.ops.compare import greater, where
from ms_kernels.ops.elementary import sqrt
from ms_kernels.ops.getitem import take_key
from ms_kernels.ops.index import index_select, index_sum
from ms_kernels.ops.reduce import sum_
from ms_kernels.ops.shape import dims_of, reshape
from ms_kernels.ops.sort import argsort

__all__: list[str] = []

Shape = tuple[int, ...]


@composite(primitive="FillV2()(shape, value)", rename={"value": "value"})
def fill_v2(shape: Any, value: Array) -> Any:
    """Return a tensor of a shape that is full of the one element of another.

    Raises:
        ValueError: `value` has more elements than one.

    Examples:
        >>> print(ops.FillV2()((2, 2), Tensor(7)))
        [[7 7]
         [7 7]]

    Source: ``mindspore.ops.FillV2``.
    """
    if value.size != 1:
        fail(ValueError, "FillV2", "'value'", "have one element", str(value.size))
    return broadcast_np(reshape(value, ()), dims_of("FillV2", shape)) * 1


@op(
    shape=lambda _array, _size, _weights: (-1,),
    dtype=lambda _array, _size, weights: weights,
    nondiff="which element counts where changes by jumps",
    ascend="scatter_add",
    primitive="Bincount()(array, size, weights)",
    rename={"array": "input", "size": "length"},
)
def bincount_into(input: Array, length: Array, weights: Array) -> Any:
    """Return how often each number below `size` occurs, or the sum of the weights there (without any: 1 each).

    Raises:
        ValueError: negative numbers, or weights of another shape.

    Examples:
        >>> print(ops.Bincount()(Tensor([1, 2, 2]), Tensor(4), Tensor([1.0, 2.0, 3.0])))
        [0. 1. 5. 0.]

    Source: ``mindspore.ops.Bincount``.
    """
    if weights.size and weights.shape != input.shape:
        fail(ValueError, "Bincount", "shape of 'weights'", f"be {list(input.shape)}", str(list(weights.shape)))
    if input.size and input.min() < 0:
        fail(ValueError, "Bincount", "'array'", "not be negative", str(input.min()))
    inside = input < int(length)
    share = weights[inside].astype(np.float64) if weights.size else None
    return np.bincount(input[inside], share, int(length)).astype(weights.dtype)


@composite(
    primitive="HammingWindow(periodic=True, alpha=0.54, beta=0.46, dtype=float32)(length)",
    name="hamming_window_of",
)
def hamming_window_of(
    length: Any, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, dtype: Any = mstype.float32
) -> Any:
    """Return Hamming's window of a length that a Tensor holds.

    Raises:
        ValueError: a Tensor of more elements than one, or a negative length.

    Examples:
        >>> print(ops.HammingWindow(periodic=False)(Tensor([3])))
        [0.08000001 1.         0.08000001]

    Source: ``mindspore.ops.HammingWindow``.
    """
    from ms_kernels.ops.windows import hamming_window

    if isinstance(length, TensorBase) and length.size != 1:
        fail(ValueError, "HammingWindow", "'length'", "have one element", str(length.size))
    return hamming_window(int(plain(length)), periodic, alpha, beta, dtype)


@op(
    shape=lambda _labels, _predictions, _weights, count, _dtype="int32": (count, count),
    dtype=lambda *args: getattr(mstype, args[4] if len(args) > 4 else "int32"),
    nondiff="the result is a count",
    ascend="scatter_add",
    primitive="ConfusionMatrix(num_classes, dtype='int32')(labels, predictions, weights=None)",
    rename={"num_classes": "count"},
)
def confusion_matrix(labels: Array, predictions: Array, weights: Array | None, count: int, dtype: str = "int32") -> Any:
    """Return how often (or with what sum of weights) each class, a row, was taken for each, a column.

    Raises:
        ValueError: shapes that differ, or labels outside of [0, num_classes).

    Examples:
        >>> print(ops.ConfusionMatrix(2)(Tensor([0, 1, 1]), Tensor([1, 1, 1])))
        [[0 1]
         [0 2]]

    Source: ``mindspore.ops.ConfusionMatrix``.
    """
    if labels.shape != predictions.shape or (weights is not None and weights.shape != labels.shape):
        got = f"{list(labels.shape)} and {list(predictions.shape)}"
        fail(ValueError, "ConfusionMatrix", "shapes", "be equal", got)
    for part in (labels, predictions):
        if part.size and not (part.min() >= 0 and part.max() < count):
            fail(ValueError, "ConfusionMatrix", "labels", f"be in [0, {count})", f"{part.min()} to {part.max()}")
    out = np.zeros((count, count), getattr(mstype, dtype).np)
    np.add.at(out, (labels, predictions), 1 if weights is None else weights.astype(out.dtype))
    return out


@op(
    shape=lambda *_a: [(-1,)] * 3,
    dtype=lambda *_a: (mstype.int32, mstype.int64, mstype.float32),
    nondiff="the results are indices",
    ascend="index",
    primitive="ComputeAccidentalHits(num_true=1)(true_classes, sampled_candidates)",
)
def compute_accidental_hits(true_classes: Array, sampled_candidates: Array, num_true: int = 1) -> Any:
    """Return where sampled classes are true ones: rows, places among the samples, and the weight -3.4e38 for each.

    Raises:
        ValueError: `true_classes` is not (batch, num_true).

    Examples:
        >>> rows, at, _ = ops.ComputeAccidentalHits(1)(Tensor([[1], [5]]), Tensor([0, 1, 2]))
        >>> print(rows, at)
        [0] [1]

    Source: ``mindspore.ops.ComputeAccidentalHits``.
    """
    if true_classes.ndim != 2 or true_classes.shape[1] != num_true:
        rule = f"be [batch, {num_true}]"
        fail(ValueError, "ComputeAccidentalHits", "shape of 'true_classes'", rule, str(list(true_classes.shape)))
    rows, _, places = np.nonzero(true_classes[:, :, None] == sampled_candidates[None, None, :])
    least = np.full(len(rows), limits(np.dtype(np.float32))[0], np.float32)
    return rows.astype(np.int32), places.astype(np.int64), least


@op(
    shape=lambda _input: (1,),
    dtype=lambda _input: mstype.float32,
    nondiff="the result is a flag",
    ascend="index",
    primitive="FloatStatus()(x)",
)
def float_status(input: Array) -> Any:
    """Return [1.] if any element is NaN or infinite, else [0.].

    Examples:
        >>> print(ops.FloatStatus()(Tensor([1.0, float("inf")])))
        [1.]

    Source: ``mindspore.ops.FloatStatus``.
    """
    return np.array([0 if np.isfinite(input).all() else 1], np.float32)


@composite(
    primitive="LARSUpdate(epsilon=1e-5, hyperpara=0.001, use_clip=False)"
    "(weight, gradient, norm_weight, norm_gradient, weight_decay, learning_rate)"
)
def lars_update(
    weight: Array,
    gradient: Array,
    norm_weight: Array,
    norm_gradient: Array,
    weight_decay: Any,
    learning_rate: Any,
    epsilon: float = 1e-5,
    hyperpara: float = 0.001,
    use_clip: bool = False,
) -> Any:
    """Return a gradient scaled layer by layer: by the ratio of the weight's norm to that of the gradient.

    Args:
        norm_weight, norm_gradient: the sums of squares.
        use_clip: whether the step is at most the learning rate.

    Raises:
        ValueError: shapes that differ.

    Examples:
        >>> w, g = Tensor([3.0, 4.0]), Tensor([0.0, 5.0])
        >>> print(ops.LARSUpdate(0.0, 0.5)(w, g, Tensor(25.0), Tensor(25.0), 0.0, 1.0))
        [0.  2.5]

    Source: You, Gitman and Ginsburg; ``mindspore.ops.LARSUpdate``.
    """
    if weight.shape != gradient.shape:
        got = f"{list(weight.shape)} and {list(gradient.shape)}"
        fail(ValueError, "LARSUpdate", "shapes of 'weight' and 'gradient'", "be equal", got)
    w, g = sqrt(norm_weight), sqrt(norm_gradient)
    trust = w * hyperpara / (g + w * weight_decay + epsilon)
    if use_clip:
        ratio = trust / learning_rate
        trust = where(greater(ratio, 1), ratio * 0 + 1, ratio)
    trust = where(greater(w, 0), where(greater(g, 0), trust, trust * 0 + 1), trust * 0 + 1)
    return (gradient + weight * weight_decay) * trust


@composite(ops="sparse_segment_mean(x, indices, segment_ids)", primitive="SparseSegmentMean()(x, indices, segment_ids)")
def sparse_segment_mean(input: Array, indices: Array, segment_ids: Array) -> Any:
    """Return the means of rows of `x` over segments: row ``indices[i]`` belongs to segment ``segment_ids[i]``.

    Raises:
        ValueError: ids that are not sorted or of another length.
        IndexError: an index out of range.

    Examples:
        >>> x = Tensor([[1.0], [2.0], [4.0]])
        >>> print(ops.sparse_segment_mean(x, Tensor([0, 2, 1]), Tensor([0, 0, 2])))
        [[2.5]
         [0. ]
         [2. ]]

    Source: ``mindspore.ops.sparse_segment_mean``.
    """
    from ms_kernels.core.tensor import from_array

    ids = segment_ids._a
    if ids.ndim != 1 or ids.shape != indices.shape:
        got = f"{list(indices.shape)} and {list(ids.shape)}"
        fail(ValueError, "sparse_segment_mean", "'indices' and 'segment_ids'", "be vectors of one length", got)
    if ids.size and ((np.diff(ids) < 0).any() or ids[0] < 0):
        fail(ValueError, "sparse_segment_mean", "'segment_ids'", "be sorted and not negative", str(ids.tolist()))
    count = int(ids[-1]) + 1 if ids.size else 0
    total = index_sum(index_select(input, 0, indices), 0, segment_ids, count)
    sizes = np.maximum(np.bincount(ids, minlength=count), 1).reshape(-1, *(1,) * (input.ndim - 1))
    return total * from_array((1 / sizes).astype(input._kind))


@op(
    shape=lambda matrix, rhs, _l2, _fast=True: (*matrix[:-2], matrix[-1], rhs[-1]),
    dtype=lambda matrix, *_rest: matrix,
    accepts=NUMBERS,
    nondiff=NO_RULE,
    ascend="lapack",
    primitive="MatrixSolveLs(fast=True)(matrix, rhs, l2_regularizer)",
    rename={"rhs": "other", "l2_regularizer": "weight"},
)
def matrix_solve_ls(matrix: Array, other: Array, weight: Array, fast: bool = True) -> Any:
    """Return x that makes ``|matrix @ x - rhs|^2 + l2_regularizer * |x|^2`` least.

    Args:
        fast: by the normal equations; else by singular values, without the second term.

    Raises:
        RuntimeError: equations without a solution.

    Examples:
        >>> a, b = Tensor([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]), Tensor([[1.0], [4.0], [5.0]])
        >>> print(ops.MatrixSolveLs()(a, b, Tensor(0.0, mstype.float64)))
        [[1.]
         [2.]]

    Source: ``mindspore.ops.MatrixSolveLs``.
    """
    if matrix.ndim < 2 or other.ndim < 2 or matrix.shape[:-1] != other.shape[:-1]:
        got = f"{list(matrix.shape)} and {list(other.shape)}"
        fail(ValueError, "MatrixSolveLs", "shapes of 'matrix' and 'rhs'", "be [..., m, n] and [..., m, k]", got)
    wide = matrix.astype(np.complex128 if matrix.dtype.kind == "c" else np.float64)
    if not fast:
        return (np.linalg.pinv(wide) @ other).astype(matrix.dtype)
    turned = np.conj(wide.swapaxes(-1, -2))
    try:
        if matrix.shape[-2] >= matrix.shape[-1]:
            square = turned @ wide + float(weight) * np.eye(matrix.shape[-1])
            return np.linalg.solve(square, turned @ other).astype(matrix.dtype)
        square = wide @ turned + float(weight) * np.eye(matrix.shape[-2])
        return (turned @ np.linalg.solve(square, other)).astype(matrix.dtype)
    except np.linalg.LinAlgError:
        fail(RuntimeError, "MatrixSolveLs", "normal equations", "have one solution", "a singular matrix")


@op(
    shape=rules.same,
    dtype=rules.same,
    accepts=NUMBERS,
    nondiff=NO_RULE,
    ascend="lapack",
    batch="leading",
    primitive="MatrixLogarithm()(x)",
)
def matrix_logarithm(input: Array) -> Any:
    """Return the principal logarithm of complex matrices that have a basis of eigenvectors.

    Raises:
        TypeError: the elements are not complex.
        ValueError: the last two dimensions differ.

    Examples:
        >>> x = Tensor([[1.0, 0.0], [0.0, 1.0]], mstype.complex64)
        >>> print(ops.MatrixLogarithm()(x))
        [[0.+0.j 0.+0.j]
         [0.+0.j 0.+0.j]]

    Source: ``mindspore.ops.MatrixLogarithm``.
    """
    if input.dtype.kind != "c":
        fail(TypeError, "MatrixLogarithm", "dtype of 'x'", "be complex", str(mstype.from_numpy(input.dtype)))
    if input.ndim < 2 or input.shape[-1] != input.shape[-2]:
        fail(ValueError, "MatrixLogarithm", "'x'", "hold square matrices", f"shape {list(input.shape)}")
    values, vectors = np.linalg.eig(input.astype(np.complex128))
    with np.errstate(divide="ignore"):
        return ((vectors * np.log(values)[..., None, :]) @ np.linalg.inv(vectors)).astype(input.dtype)


@composite(ops="moe_token_permute(tokens, indices, num_out_tokens=None, padded_mode=False)")
def moe_token_permute(
    tokens: Array, indices: Array, num_out_tokens: int | None = None, padded_mode: bool = False
) -> Any:
    """Return tokens (n, size) in the order of the experts that they go to, and where each of the routes went.

    Args:
        indices: the expert of each token, (n,), or several, (n, k).
        num_out_tokens: how many of the sorted routes to give; None or 0: all.

    Raises:
        ValueError: shapes that do not fit, `padded_mode`, which 2.6 does not have.

    Examples:
        >>> out, at = ops.moe_token_permute(Tensor([[1.0], [2.0]]), Tensor([1, 0], mstype.int32))
        >>> print(out.ravel(), at)
        [2. 1.] [1 0]

    Source: ``mindspore.ops.moe_token_permute``.
    """
    name = "moe_token_permute"
    if padded_mode:
        fail(ValueError, name, "'padded_mode'", "be False", "True")
    if tokens.ndim != 2 or indices.ndim not in (1, 2) or indices.shape[0] != tokens.shape[0]:
        got = f"{list(tokens.shape)} and {list(indices.shape)}"
        fail(ValueError, name, "shapes", "be (n, size) and (n,) or (n, k)", got)
    routes = indices.shape[1] if indices.ndim == 2 else 1
    order = argsort(reshape(indices, (indices.size,)), -1, False, True)
    count = num_out_tokens or indices.size
    chosen = take_key(order, (slice(0, count),))
    rows = chosen // routes if routes > 1 else chosen
    return index_select(tokens, 0, rows), argsort(order, -1, False, True, mstype.int32)


@composite(
    ops="moe_token_unpermute(permuted_tokens, sorted_indices, probs=None, padded_mode=False, restore_shape=None)"
)
def moe_token_unpermute(
    permuted_tokens: Array,
    sorted_indices: Array,
    probs: Array | None = None,
    padded_mode: bool = False,
    restore_shape: Any = None,
) -> Any:
    """Undo `moe_token_permute`: the sum over the routes of each token, each times its probability.

    Raises:
        ValueError: shapes that do not fit, `padded_mode`, which 2.6 does not have.

    Examples:
        >>> print(ops.moe_token_unpermute(Tensor([[2.0], [1.0]]), Tensor([1, 0], mstype.int32)).ravel())
        [1. 2.]

    Source: ``mindspore.ops.moe_token_unpermute``.
    """
    name = "moe_token_unpermute"
    if padded_mode or restore_shape is not None:
        fail(ValueError, name, "'padded_mode' and 'restore_shape'", "be False and None", describe(restore_shape))
    routes = 1 if probs is None else probs.shape[1] if probs.ndim == 2 else 0
    if permuted_tokens.ndim != 2 or sorted_indices.ndim != 1 or not routes or sorted_indices.size % routes:
        got = f"{list(permuted_tokens.shape)} and {list(sorted_indices.shape)}"
        fail(ValueError, name, "shapes", "be (n, size), (n,) and (n / k, k)", got)
    found = index_select(permuted_tokens, 0, sorted_indices)
    if probs is None:
        return found
    split = reshape(found, (-1, routes, permuted_tokens.shape[1]))
    return sum_(split * cast_np(reshape(probs, (*probs.shape, 1)), found._kind), 1)
