"""2.6's lesser primitives on ragged, sparse and banded arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.tensor import from_array
from ms_kernels.opdef.errors import fail
from ms_kernels.opdef.register import REALS, composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops.getitem import set_key, take_key
from ms_kernels.ops.index import index_sum
from ms_kernels.ops.rearrange import concat
from ms_kernels.ops.scatter_nd import positions
from ms_kernels.ops.scatters import is_parameter, overwrite
from ms_kernels.ops.shape import reshape

__all__: list[str] = []

INDEX = "the result is an index"


@op(
    shape=lambda starts, _limits, _deltas, _splits: [(starts[0] + 1 if starts else 2,), (-1,)],
    dtype=lambda starts, _limits, _deltas, splits: (splits, starts),
    accepts=REALS,
    nondiff=INDEX,
    ascend="index",
    primitive="RaggedRange(Tsplits)(starts, limits, deltas)",
    rename={"Tsplits": "splits"},
)
def ragged_range(starts: Array, limits: Array, deltas: Array, splits: Any) -> Any:
    """Return rows of numbers that go from a start to before a limit in steps: where each row begins, and all of them.

    Raises:
        ValueError: shapes that differ, or a step of 0.

    Examples:
        >>> at, values = ops.RaggedRange(mstype.int64)(Tensor([2, 5]), Tensor([4, 9]), Tensor([1, 2]))
        >>> print(at, values)
        [0 2 4] [2 3 5 7]

    Source: ``mindspore.ops.RaggedRange``.
    """
    if not starts.shape == limits.shape == deltas.shape or starts.ndim > 1:
        got = f"{list(starts.shape)}, {list(limits.shape)} and {list(deltas.shape)}"
        fail(ValueError, "RaggedRange", "shapes", "be equal, of at most one dimension", got)
    if (deltas == 0).any():
        fail(ValueError, "RaggedRange", "'deltas'", "not be 0", "0")
    triples = list(zip(*(np.atleast_1d(part) for part in (starts, limits, deltas))))
    counts = [max(0, int(np.ceil((end - start) / step))) for start, end, step in triples]
    rows = [start + np.arange(n) * step for (start, _, step), n in zip(triples, counts)]
    values = np.concatenate(rows) if rows else np.empty(0)
    return np.cumsum([0, *counts]).astype(splits.np), values.astype(starts.dtype)


@composite(
    ops="coalesce(x_indices, x_values, x_shape)",
    primitive="Coalesce()(x_indices, x_values, x_shape)",
)
def coalesce(x_indices: Array, x_values: Array, x_shape: Array) -> Any:
    """Return places (dims, n), values (n) and shape of a sparse tensor with each place once, its values added up.

    The places come in row-major order.

    Raises:
        ValueError: shapes that do not fit, or places outside of the shape.

    Examples:
        >>> at, values, _ = ops.coalesce(Tensor([[0, 0, 1]]), Tensor([1.0, 5.0, 4.0]), Tensor([3]))
        >>> print(at, values)
        [[0 1]] [6. 4.]

    Source: ``mindspore.ops.coalesce``.
    """
    places, shape = x_indices._a, tuple(int(n) for n in x_shape._a)
    if places.ndim != 2 or places.shape != (len(shape), x_values.size):
        rule = f"be [{len(shape)}, {x_values.size}]"
        fail(ValueError, "Coalesce", "shape of 'x_indices'", rule, str(list(places.shape)))
    if places.size and not ((places >= 0) & (places < np.array(shape)[:, None])).all():
        fail(ValueError, "Coalesce", "'x_indices'", f"lie in the shape {list(shape)}", str(places.tolist()))
    flat = np.ravel_multi_index(tuple(places), shape) if shape else np.zeros(x_values.size, np.int64)
    once, back = np.unique(flat, return_inverse=True)
    found = np.stack(np.unravel_index(once, shape)).astype(places.dtype)
    return from_array(found), index_sum(x_values, 0, from_array(back.reshape(-1)), len(once)), x_shape + 0


@composite(primitive="TridiagonalMatMul()(superdiag, maindiag, subdiag, rhs)")
def tridiagonal_matmul(superdiag: Array, maindiag: Array, subdiag: Array, rhs: Array) -> Any:
    """Return the product of a matrix with three diagonals (each (..., 1, m)) and another (..., m, n).

    Args:
        superdiag: the diagonal above the main one; its last element does not count.
        subdiag: that below; its first element does not count.

    Raises:
        ValueError: shapes that do not fit.

    Examples:
        >>> one, x = Tensor([[1.0, 1.0]]), Tensor([[1.0], [2.0]])
        >>> print(ops.TridiagonalMatMul()(one, one, one * 0, x))
        [[3.]
         [2.]]

    Source: ``mindspore.ops.TridiagonalMatMul``.
    """
    rows = rhs.shape[-2] if rhs.ndim > 1 else 0
    for part in (superdiag, maindiag, subdiag):
        if part.ndim != rhs.ndim or part.shape[-2:] != (1, rows) or part.shape[:-2] != rhs.shape[:-2]:
            rule = f"be [..., 1, {rows}] for {list(rhs.shape)}"
            fail(ValueError, "TridiagonalMatMul", "shapes of diagonals", rule, str(list(part.shape)))
    upper, middle, lower = (reshape(part, (*rhs.shape[:-1], 1)) for part in (superdiag, maindiag, subdiag))
    first, rest = (Ellipsis, slice(0, 1), slice(None)), (Ellipsis, slice(1, None), slice(None))
    zero = take_key(rhs, first) * 0
    after = concat([take_key(rhs, rest), zero], -2)
    before = concat([zero, take_key(rhs, (Ellipsis, slice(0, rows - 1), slice(None)))], -2)
    return upper * after + middle * rhs + lower * before


@composite(primitive="InplaceUpdateV2()(x, indices, v)", rename={"x": "input", "v": "value"})
def inplace_update_rows(input: Array, indices: Any, value: Array) -> Any:
    """Return `x` with the rows that `indices` names replaced; a Parameter is changed in place.

    Raises:
        RuntimeError: an index out of range.
        ValueError: shapes that do not fit.

    Examples:
        >>> print(ops.InplaceUpdateV2()(Tensor([[1.0], [2.0]]), 1, Tensor([[5.0]])))
        [[1.]
         [5.]]

    Source: ``mindspore.ops.InplaceUpdateV2``.
    """
    places = np.atleast_1d(positions("InplaceUpdateV2", indices, input.shape[0]))
    if value.shape != (len(places), *input.shape[1:]):
        rule = f"be [{len(places)}, *{list(input.shape[1:])}]"
        fail(ValueError, "InplaceUpdateV2", "shape of 'v'", rule, str(list(value.shape)))
    found = set_key(input, (places,), value)
    return overwrite(input, found) if is_parameter(input) else found


def distance(found: Any, truth: Any) -> int:
    """How many changes, insertions and removals of single items turn one sequence into the other."""
    row = list(range(len(truth) + 1))
    for i, one in enumerate(found, 1):
        old, row = row, [i]
        for j, other in enumerate(truth, 1):
            row.append(min(old[j] + 1, row[-1] + 1, old[j - 1] + (one != other)))
    return row[-1]


_PARTS = "hypothesis_indices, hypothesis_values, hypothesis_shape, truth_indices, truth_values, truth_shape"


@op(
    shape=lambda _hi, _hv, size, *_rest: (-1,) * (size[0] - 1),
    dtype=lambda *_dtypes: mstype.float32,
    nondiff="the result is a count",
    ascend="index",
    primitive=f"EditDistance(normalize=True)({_PARTS})",
    label="EditDistance",
)
def edit_distance(
    hypothesis_indices: Array,
    hypothesis_values: Array,
    hypothesis_shape: Array,
    truth_indices: Array,
    truth_values: Array,
    truth_shape: Array,
    normalize: bool = True,
) -> Any:
    """Return Levenshtein's distance between the sequences along the last dimension of two sparse tensors.

    Args:
        normalize: divide by the length of the true sequence.

    Raises:
        ValueError: the two have different numbers of dimensions.

    Examples:
        >>> at, shape = Tensor([[0, 0], [0, 1]]), Tensor([1, 2])
        >>> print(ops.EditDistance()(at, Tensor([1, 2]), shape, at, Tensor([1, 3]), shape))
        [0.5]

    Source: ``mindspore.ops.EditDistance``.
    """
    if hypothesis_shape.shape != truth_shape.shape:
        got = f"{hypothesis_shape.size} and {truth_shape.size}"
        fail(ValueError, "EditDistance", "numbers of dimensions", "be equal", got)
    rows = tuple(int(max(a, b)) for a, b in zip(hypothesis_shape[:-1], truth_shape[:-1]))
    sequences: list[dict[Any, list[Any]]] = [{}, {}]
    for found, indices, values in zip(
        sequences, (hypothesis_indices, truth_indices), (hypothesis_values, truth_values)
    ):
        for place, value in zip(indices.tolist(), values.tolist()):
            found.setdefault(tuple(place[:-1]), []).append(value)
    out = np.zeros(rows, np.float32)
    for at in np.ndindex(*rows):
        one, other = (found.get(at, []) for found in sequences)
        steps = distance(one, other)
        if not normalize:
            out[at] = steps
        elif other:
            out[at] = steps / len(other)
        else:
            out[at] = np.inf if one else 0
    return out
