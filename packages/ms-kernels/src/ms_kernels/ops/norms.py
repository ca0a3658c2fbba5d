"""Norms of vectors and matrices, and distances made of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._tape import cast_np
from ms_kernels.ops.compare import equal, where
from ms_kernels.ops.elementary import abs_, sign
from ms_kernels.ops.extremes import amax, amin
from ms_kernels.ops.reduce import spread, sum_
from ms_kernels.ops.shape import moveaxis, reshape

__all__ = ["matrix_norm", "norm", "p_norm", "vector_norm"]

Shape = tuple[int, ...]
ORDERS = "be one of 'fro', 'nuc', inf, -inf, 1, -1, 2, -2"


def _p_norm(input: Any, axes: tuple[int, ...], p: float, keepdim: bool) -> Any:
    """Powers are taken of the elements over the largest, so that nothing overflows."""
    wide = np.abs(input.astype(np.float64 if input.dtype.itemsize >= 8 else np.float32, copy=False))
    if p == 0:
        return (wide != 0).sum(axis=axes, keepdims=keepdim)
    if p == 1:
        return wide.sum(axis=axes, keepdims=keepdim, dtype=np.float64)
    if math.isinf(p):
        return (wide.max if p > 0 else wide.min)(axis=axes, keepdims=keepdim)
    wide = wide.astype(np.float64, copy=False)
    scale = (wide.max if p > 0 else wide.min)(axis=axes, keepdims=True) if wide.size else np.ones(1)
    scale = np.where((scale > 0) & np.isfinite(scale), scale, 1.0)
    with np.errstate(divide="ignore", over="ignore"):
        total = np.power(wide / scale, p).sum(axis=axes, keepdims=True)
        out = np.power(total, 1 / p) * scale
    return out if keepdim else out.reshape(tuple(n for i, n in enumerate(input.shape) if i not in axes))


def _p_vjp(g: Any, out: Any, input: Any, p: float, dim: Any, _keepdim: bool) -> Any:
    if p == 0:
        return input * 0
    g, out = spread(g, input.shape, dim), spread(out, input.shape, dim)
    if p == 1:
        return g * sign(input)
    if math.isinf(p):
        hit = cast_np(equal(abs_(input), out), input._kind)
        return g * sign(input) * (hit / sum_(hit, rules.axes("norm", dim, input.ndim), True))
    zero = equal(out, 0)
    safe = where(zero, 1, out)
    if p == 2:
        return g * where(zero, 0, input / safe)
    ratio = abs_(input) / safe
    none = equal(ratio, 0)  # below p = 1 the slope at 0 is infinite: 2.6 gives 0 there
    return g * sign(input) * where(none, 0, where(none, 1, ratio) ** (p - 1))


@op(
    shape=lambda shape, _p, dim, keepdim: rules.reduced("LpNorm")(shape, dim, keepdim),
    dtype=rules.floating,
    vjp=_p_vjp,
    fuse="reduce",
    ascend="sum_f32",
    batch="reduce",
    primitive="PNorm()(x, p, axis, keep_dims)",
    label="LpNorm",
)
def p_norm(input: Array, p: float, dim: Any, keepdim: bool) -> Any:
    """Return ``sum(|x|**p) ** (1/p)`` over some dimensions; p may be 0 (count), inf (largest) or -inf (smallest).

    Examples:
        >>> print(ops.PNorm()(Tensor([3.0, 4.0]), 2, None, False))
        5.0

    Source: N. J. Higham, Accuracy and Stability of Numerical Algorithms (2002), chapter 6 and section 27.5 (scaling).
    """
    axes = rules.axes("LpNorm", dim, input.ndim)
    if not input.ndim:
        return (input != 0).astype(input.dtype) if p == 0 else np.abs(input)
    return np.asarray(_p_norm(input, axes, p, keepdim)).astype(input.dtype)


def _in(name: str, input: Any, dtype: Any) -> Any:
    if not isinstance(input, TensorBase):
        fail(TypeError, name, "'input'", "be a Tensor", describe(input))
    if dtype is not None:
        return cast_np(input, np.dtype(dtype.np))
    if input.dtype.kind == "c":
        return abs_(input)
    return input if input.dtype.kind == "f" else cast_np(input, np.dtype(np.float32))


def _order(name: str, p: Any) -> float:
    if isinstance(p, bool) or not isinstance(p, (int, float)):
        fail(ValueError if isinstance(p, str) else TypeError, name, "'ord'", "be an int or a float", describe(p))
    return float(p)


@composite(
    ops="vector_norm(x, ord=2, axis=None, keepdims=False, *, dtype=None)",
    mintl="vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None)",
    label="vector_norm",
)
def vector_norm(input: Array, ord: Any = 2, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """Return the norm of order `ord` of vectors: over some dimensions, all by default.

    Args:
        ord: any number; inf: the largest size, -inf: the smallest, 0: how many are not 0.
        dtype: the elements are brought to it first.

    Raises:
        ValueError: an order that is no number, an axis out of range.

    Examples:
        >>> print(ops.vector_norm(Tensor([3.0, 4.0])))
        5.0

    Source: ``mindspore.ops.vector_norm``, ``mindspore.mint.linalg.vector_norm``.
    """
    return p_norm(_in("vector_norm", input, dtype), _order("vector_norm", ord), dim, keepdim)


def _pair(name: str, dim: Any, ndim: int) -> tuple[int, int]:
    if not isinstance(dim, (tuple, list)) or len(dim) != 2:
        fail(ValueError, name, "'dim'", "be two dimensions", str(dim))
    first, second = (rules.axis(name, d, ndim) for d in dim)
    if first == second:
        fail(ValueError, name, "two dimensions of 'dim'", "differ", str(tuple(dim)))
    return first, second


def _matrix(name: str, x: Any, p: Any, dim: Any, keepdim: bool) -> Any:
    if x.ndim < 2:
        fail(ValueError, name, "'A'", "have two or more dimensions", f"shape {list(x.shape)}")
    known = ("fro", "nuc") if isinstance(p, str) else (1, -1, 2, -2, math.inf, -math.inf)
    if isinstance(p, bool) or p not in known:
        fail(ValueError, name, "'ord'", ORDERS, describe(p))
    rows, columns = _pair(name, dim, x.ndim)
    if p == "fro":
        out = p_norm(x, 2.0, (rows, columns), True)
    elif p in ("nuc", 2, -2):
        from ms_kernels.ops.decompositions import singular_values

        values = singular_values(moveaxis(x, (rows, columns), (-2, -1)))
        out = sum_(values, -1) if p == "nuc" else (amax if p == 2 else amin)(values, -1)
        out = reshape(out, tuple(1 if i in (rows, columns) else n for i, n in enumerate(x.shape)))
    else:
        along, over = (rows, columns) if abs(p) == 1 else (columns, rows)
        out = (amax if p > 0 else amin)(sum_(abs_(x), along, True), over, True)
    if keepdim:
        return out
    return reshape(out, tuple(n for i, n in enumerate(x.shape) if i not in (rows, columns)))


@composite(
    ops="matrix_norm(A, ord='fro', axis=(-2, -1), keepdims=False, *, dtype=None)",
    mintl="matrix_norm(A, ord='fro', dim=(-2, -1), keepdim=False, *, dtype=None)",
    rename={"A": "input"},
)
def matrix_norm(input: Array, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, dtype: Any = None) -> Any:
    """Return a norm of matrices.

    Args:
        ord: 'fro' (root of the sum of squares), 'nuc' (sum of singular values), 2 and -2 (largest and smallest
            singular value), 1 and -1 (of column sums), inf and -inf (of row sums).

    Raises:
        ValueError: another order, fewer than two dimensions, `dim` that is not two different dimensions.

    Examples:
        >>> print(ops.matrix_norm(Tensor([[1.0, 2.0], [3.0, 4.0]]), 1))
        6.0

    Source: ``mindspore.ops.matrix_norm``, ``mindspore.mint.linalg.matrix_norm``.
    """
    return _matrix("matrix_norm", _in("matrix_norm", input, dtype), ord, dim, keepdim)


@composite(
    ops="norm(A, ord=None, dim=None, keepdim=False, *, dtype=None)",
    mintl="norm(A, ord=None, dim=None, keepdim=False, *, dtype=None)",
    tensor="norm(ord=None, dim=None, keepdim=False, *, dtype=None)",
    rename={"A": "input"},
)
def norm(input: Array, ord: Any = None, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """Return a norm of vectors (no order, or one dimension) or of matrices (an order, and two dimensions).

    Args:
        ord: None: the root of the sum of squares over `dim`; else as in `vector_norm` and `matrix_norm`.

    Raises:
        ValueError: an order without `dim` for a tensor of more than two dimensions, an order that matrices do not have.

    Examples:
        >>> print(ops.norm(Tensor([[3.0, 0.0], [0.0, 4.0]])), ops.norm(Tensor([[3.0, 0.0], [0.0, 4.0]]), 1))
        5.0 4.0

    Source: ``mindspore.ops.norm``, ``mindspore.mint.linalg.norm``.
    """
    x = _in("norm", input, dtype)
    if ord is None:
        return p_norm(x, 2.0, dim, keepdim)
    if dim is None:
        if x.ndim not in (1, 2):
            fail(ValueError, "norm", "'A'", "have one or two dimensions when 'ord' is given", f"shape {list(x.shape)}")
        dim = (0, 1) if x.ndim == 2 else 0
    if isinstance(dim, (tuple, list)) and len(dim) == 2:
        return _matrix("norm", x, ord, dim, keepdim)
    return p_norm(x, _order("norm", ord), dim, keepdim)


@composite(mint="norm(input, p='fro', dim=None, keepdim=False, *, dtype=None)", name="norm_of_order")
def norm_of_order(input: Array, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """Return the norm of order `p` over some dimensions, taken as one vector (all by default).

    Args:
        p: a number, 'fro' (as 2), or 'nuc' (the sum of the singular values of a matrix).

    Raises:
        ValueError: another order.

    Examples:
        >>> print(mint.norm(Tensor([[3.0, 0.0], [0.0, 4.0]]), 1))
        7.0

    Source: ``mindspore.mint.norm``.
    """
    x = _in("norm", input, dtype)
    if p == "nuc":
        return _matrix("norm", x, p, (0, 1) if dim is None and x.ndim == 2 else dim, keepdim)
    return p_norm(x, 2.0 if p == "fro" else _order("norm", p), dim, keepdim)


@composite(primitive="LpNorm(axis, p=2, keep_dims=False, epsilon=1e-12)(input)", rename={"epsilon": ""}, name="lp_norm")
def lp_norm(input: Array, dim: Any, p: int = 2, keepdim: bool = False) -> Any:
    """Return the norm of order `p` over some dimensions.

    Examples:
        >>> print(ops.LpNorm(0)(Tensor([3.0, 4.0])))
        5.0

    Source: ``mindspore.ops.LpNorm``.
    """
    return p_norm(input, _order("LpNorm", p), tuple(dim) if isinstance(dim, list) else dim, keepdim)


@composite(primitive="EuclideanNorm(keep_dims=False)(x, axes)", rename={"axes": "dim"}, name="euclidean_norm")
def euclidean_norm(input: Array, dim: Any, keepdim: bool = False) -> Any:
    """Return the root of the sum of squares over the dimensions in the tensor `axes`.

    Examples:
        >>> print(ops.EuclideanNorm()(Tensor([3.0, 4.0]), Tensor([0])))
        5.0

    Source: ``mindspore.ops.EuclideanNorm``.
    """
    if not isinstance(dim, TensorBase):
        fail(TypeError, "EuclideanNorm", "'axes'", "be a Tensor", describe(dim))
    out = p_norm(_in("EuclideanNorm", input, None), 2.0, tuple(int(i) for i in dim._a.reshape(-1)), keepdim)
    return cast_np(out, input._kind)


@composite(primitive="NuclearNorm(dim=None, keepdim=False)(x)", name="nuclear_norm")
def nuclear_norm(input: Array, dim: Any = None, keepdim: bool = False) -> Any:
    """Return the sum of the singular values of a matrix.

    Examples:
        >>> print(ops.NuclearNorm()(Tensor([[3.0, 0.0], [0.0, 4.0]])))
        7.0

    Source: ``mindspore.ops.NuclearNorm``.
    """
    if dim is not None and not isinstance(dim, (list, tuple)):
        fail(TypeError, "NuclearNorm", "'dim'", "be a list, a tuple or None", describe(dim))
    return _matrix("NuclearNorm", input, "nuc", (0, 1) if dim is None else dim, keepdim)
