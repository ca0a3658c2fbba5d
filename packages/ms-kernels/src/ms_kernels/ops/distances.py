"""Distances between vectors, and limits on their norms."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.core.tensor import from_array
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite
from ms_kernels.opdef.rules import axis as axis_of
from ms_kernels.opdef.spec import Array
from ms_kernels.ops.compare import greater, where
from ms_kernels.ops.index import index_select
from ms_kernels.ops.norms import p_norm
from ms_kernels.ops.shape import unsqueeze
from ms_kernels.ops.signs import tensor_only

__all__ = ["cdist", "dist", "pdist", "renorm"]


def _order(name: str, p: Any) -> float:
    if isinstance(p, bool) or not isinstance(p, (int, float)):
        fail(TypeError, name, "'p'", "be an int or a float", describe(p))
    if not p >= 0:
        fail(ValueError, name, "'p'", "not be negative", describe(p))
    return float(p)


@composite(
    ops="cdist(x1, x2, p=2.0)",
    mint="cdist(x1, x2, p=2.0, compute_mode='use_mm_for_euclid_dist_if_necessary')",
    primitive="Cdist(p=2.0)(input_x, input_y)",
    rename={"x1": "input", "compute_mode": ""},
)
def cdist(input: Array, other: Array, p: float = 2.0) -> Any:
    """Return the p-norm of the difference of each row of `x1` (..., P, M) and each of `x2` (..., R, M): (..., P, R).

    Raises:
        ValueError: fewer than two dimensions, rows of different length, a negative `p`.

    Examples:
        >>> print(ops.cdist(Tensor([[0.0, 0.0]]), Tensor([[3.0, 4.0], [0.0, 1.0]])))
        [[5. 1.]]

    Source: ``mindspore.ops.cdist``.
    """
    tensor_only("Cdist", "x1", input)
    tensor_only("Cdist", "x2", other)
    order = _order("Cdist", p)
    shapes = f"{list(input.shape)} and {list(other.shape)}"
    if input.ndim < 2 or other.ndim < 2:
        fail(ValueError, "Cdist", "inputs", "have two or more dimensions", f"shapes {shapes}")
    if input.shape[-1] != other.shape[-1]:
        fail(ValueError, "Cdist", "last dimensions", "be equal", f"shapes {shapes}")
    return p_norm(unsqueeze(input, -2) - unsqueeze(other, -3), order, -1, False)


@composite(ops="pdist(input, p=2.0)", primitive="Pdist(p=2.0)(x)")
def pdist(input: Array, p: float = 2.0) -> Any:
    """Return the p-norms of the differences of all pairs of rows of (N, M), in the order (0, 1), (0, 2), ..., (1, 2).

    Raises:
        ValueError: not two dimensions, a negative `p`.

    Examples:
        >>> print(ops.pdist(Tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])))
        [5.        1.        4.2426405]

    Source: ``mindspore.ops.pdist``.
    """
    tensor_only("Pdist", "input", input)
    order = _order("Pdist", p)
    if input.ndim != 2:
        fail(ValueError, "Pdist", "'input'", "have two dimensions", f"shape {list(input.shape)}")
    first, second = (from_array(i.astype(np.int64)) for i in np.triu_indices(input.shape[0], 1))
    return p_norm(index_select(input, 0, first) - index_select(input, 0, second), order, -1, False)


@composite(ops="dist(input, other, p=2)")
def dist(input: Array, other: Array, p: float = 2) -> Any:
    """Return the p-norm of ``input - other``, taken as one vector.

    Raises:
        TypeError: an operand is no Tensor.

    Examples:
        >>> print(ops.dist(Tensor([0.0, 0.0]), Tensor([3.0, 4.0])))
        5.0

    Source: ``mindspore.ops.dist``.
    """
    tensor_only("dist", "input", input)
    tensor_only("dist", "other", other)
    return p_norm(input - other, _order("dist", p), None, False)


@composite(
    ops="renorm(input, p, axis, maxnorm)", tensor="renorm(p, axis, maxnorm)", primitive="Renorm(p, dim, maxnorm)(input)"
)
def renorm(input: Array, p: float, dim: int, maxnorm: float) -> Any:
    """Return the tensor with those of its slices along `axis` whose p-norm is above `maxnorm` brought down to it.

    Raises:
        ValueError: `p` is not above 0, or the axis is out of range.

    Examples:
        >>> print(ops.renorm(Tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1.0))
        [[0.6 0.8]
         [0.3 0.4]]

    Source: ``mindspore.ops.renorm``.
    """
    tensor_only("Renorm", "input", input)
    if not _order("Renorm", p) > 0:
        fail(ValueError, "Renorm", "'p'", "be above 0", describe(p))
    at = axis_of("Renorm", dim, input.ndim)
    rest = tuple(i for i in range(input.ndim) if i != at)
    sizes = p_norm(input, float(p), rest, True) if rest else abs(input)
    high = greater(sizes, maxnorm)
    return input * where(high, maxnorm / where(high, sizes, 1), 1.0)
