"""Reductions: sums, means, products, extrema, variances, norms, and scans along one dimension."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.dispatch import PROMOTE_FLOAT
from ms_kernels.loops import reduce as loops
from ms_kernels.opdef import rules
from ms_kernels.opdef.register import FLOATS, composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._rows import named
from ms_kernels.ops._tape import broadcast_np
from ms_kernels.ops.elementary import exp, sqrt
from ms_kernels.ops.rearrange import flip
from ms_kernels.ops.shape import reshape

__all__ = ["all_", "any_", "logsumexp", "mean", "prod", "std", "sum_", "var"]


def spread(g: Any, shape: tuple[int, ...], dim: Any) -> Any:
    """Bring a reduction's result (or its gradient) back to the operand's shape."""
    gone = rules.axes("sum", dim, len(shape))
    kept = tuple(1 if i in gone else n for i, n in enumerate(shape))
    return broadcast_np(reshape(g, kept), shape)


def _sum_dtype(input: Any, _dim: Any = None, _keepdim: bool = False, dtype: Any = None, widen: bool = True) -> Any:
    if dtype is not None:
        return dtype
    return mstype.int64 if widen and input.kind in "biu" else input


def _sum_in(input: Any, dtype: Any, widen: bool) -> Any:
    """The NumPy dtype in which integers are summed: int64, or for 2.6's older primitives their own."""
    if dtype is not None:
        return dtype.np
    return np.dtype(np.int64) if widen and input.dtype.kind in "biu" else input.dtype


def _in(array: Any, dtype: Any) -> Any:
    """An operand in the dtype asked for."""
    return array if dtype is None else array.astype(dtype.np, copy=False)


def _reduce(name: str, function: Any, input: Any, axes: tuple[int, ...], keepdim: bool) -> Any:
    if input.dtype in FLOATS:
        return loops.reduce(name, input, axes, keepdim)
    return function(input, axis=axes, keepdims=keepdim)


@op(
    shape=rules.reduced("ReduceSum"),
    dtype=_sum_dtype,
    vjp=lambda g, _out, input, dim, _keepdim, _dtype, _widen: spread(g, input.shape, dim),
    fuse="reduce",
    ascend="sum_f32",
    ops=["sum(input, dim=None, keepdim=False, *, dtype=None)", "reduce_sum(x, axis=()); widen=False"],
    mint="sum(input, dim=None, keepdim=False, *, dtype=None)",
    tensor=[
        "sum(axis: int|tuple|list|None=None, dtype: dtype|None=None, keepdims: bool=False, initial: None=None)",
        "sum(dim: int|tuple|list|None=None, keepdim: bool=False, *, dtype: dtype|None=None)",
    ],
    primitive="ReduceSum(keep_dims=False, skip_mode=False)(x, axis=()); widen=False",
    rename={"initial": "", "skip_mode": ""},
    name="sum",
)
def sum_(input: Array, dim: Any = None, keepdim: bool = False, dtype: Any = None, widen: bool = True) -> Any:
    """Return the sum over some dimensions (all by default); integers and bool are summed in int64.

    float16 and bfloat16 are accumulated in float32 and rounded once.

    Raises:
        ValueError: an axis out of range or named twice.
        TypeError: an axis that is no int.

    Examples:
        >>> print(ops.sum(Tensor([[1.0, 2.0], [3.0, 4.0]]), 0))
        [4. 6.]

    Source: ``mindspore.ops.sum``.
    """
    axes = rules.axes("ReduceSum", dim, input.ndim)
    target = _sum_in(input, dtype, widen)
    input = input.astype(target, copy=False)
    return _reduce("sum", lambda x, **kw: np.sum(x, dtype=target, **kw), input, axes, keepdim)


@op(
    shape=rules.reduced("ReduceMean"),
    dtype=lambda input, _dim=None, _keepdim=False, dtype=None: dtype or rules.floating(input),
    vjp=lambda g, _out, input, dim, _keepdim, _dtype: spread(g * (1 / _count(input.shape, dim)), input.shape, dim),
    promote=PROMOTE_FLOAT,
    fuse="reduce",
    ascend="mean",
    ops=["mean(x, axis=None, keep_dims=False)", "reduce_mean(x, axis=())"],
    mint="mean(input, dim=None, keepdim=False, *, dtype=None)",
    tensor=[
        "mean(axis=None, keep_dims: bool=False, *, dtype=None)",
        "mean(dim=None, keepdim: bool=False, *, dtype=None)",
    ],
    primitive="ReduceMean(keep_dims=False)(x, axis=())",
)
def mean(input: Array, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """Return the mean over some dimensions (all by default); integers give float32, an empty mean is NaN.

    Examples:
        >>> print(ops.mean(Tensor([[1.0, 2.0], [3.0, 4.0]]), 1))
        [1.5 3.5]

    Source: ``mindspore.ops.mean``.
    """
    axes = rules.axes("ReduceMean", dim, input.ndim)
    return _reduce("mean", np.mean, _in(input, dtype), axes, keepdim)


def _count(shape: tuple[int, ...], dim: Any) -> int:
    return max(1, int(np.prod([shape[i] for i in rules.axes("mean", dim, len(shape))], dtype=np.int64)))


@op(
    shape=rules.reduced("ReduceProd"),
    dtype=_sum_dtype,
    vjp=lambda g, _out, input, dim, _keepdim, _dtype, _widen: spread(g, input.shape, dim) * _others(input, dim),
    fuse="reduce",
    ascend="prod_f32",
    ops="prod(input, axis=None, keep_dims=False, dtype=None)",
    mint="prod(input, dim=None, keepdim=False, *, dtype=None)",
    tensor=[
        "prod(axis=None, keep_dims: bool=False, dtype=None)",
        "prod(dim=None, keepdim: bool=False, *, dtype=None)",
    ],
    primitive="ReduceProd(keep_dims=False)(x, axis=()); widen=False",
)
def prod(input: Array, dim: Any = None, keepdim: bool = False, dtype: Any = None, widen: bool = True) -> Any:
    """Return the product over some dimensions (all by default); integers are multiplied in int64.

    Examples:
        >>> print(ops.prod(Tensor([[1.0, 2.0], [3.0, 4.0]]), 1))
        [ 2. 12.]

    Source: ``mindspore.ops.prod``.
    """
    axes = rules.axes("ReduceProd", dim, input.ndim)
    target = _sum_in(input, dtype, widen)
    input = input.astype(target, copy=False)
    return _reduce("prod", lambda x, **kw: np.prod(x, dtype=target, **kw), input, axes, keepdim)


def _others(input: Any, dim: Any) -> Any:
    """At each place the product of all other factors, also where factors are 0: two cumulative products."""
    axes = rules.axes("prod", dim, input.ndim)
    if not axes:
        return input * 0 + 1
    shape = input.shape
    from ms_kernels.ops.rearrange import concat
    from ms_kernels.ops.shape import permute

    order = tuple(i for i in range(len(shape)) if i not in axes) + axes
    rows = reshape(permute(input, order), (-1, _count(shape, dim)) if input.size else (0, _count(shape, dim)))
    ones = rows[:, :1] * 0 + 1
    before = cumprod(concat([ones, rows[:, :-1]], 1), 1)
    after = flip(cumprod(concat([ones, flip(rows, (1,))[:, :-1]], 1), 1), (1,))
    back = tuple(int(i) for i in np.argsort(order))
    return permute(reshape(before * after, tuple(shape[i] for i in order)), back)


def _all_axes(dim: Any, ndim: int) -> Any:
    return rules.axes("max", dim, ndim)


def _truth(name: str, function: Any, primitive: str, word: str, shown: str) -> Any:
    def body(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
        return function(input.astype(bool, copy=False), axis=rules.axes(primitive, dim, input.ndim), keepdims=keepdim)

    text = f"Return whether {word} element is True (numbers: not 0) over some dimensions, all by default."
    named(body, name, __name__, text, f"ops.{name}(Tensor([[True, False], [True, True]]), 0)", shown)
    return op(
        shape=rules.reduced(primitive),
        dtype=rules.boolean,
        nondiff="the result is bool",
        fuse="reduce",
        ascend="logic",
        ops=f"{name}(input, axis=None, keep_dims=False)",
        mint=f"{name}(input, dim=None, keepdim=False)",
        tensor=[f"{name}(axis=None, keep_dims=False)", f"{name}(dim=None, keepdim=False)"],
        primitive=f"{primitive}(keep_dims=False)(x, axis=())",
        name=name,
    )(body)


all_ = _truth("all", np.all, "ReduceAll", "every", "[ True False]")


any_ = _truth("any", np.any, "ReduceAny", "any", "[ True  True]")


@op(
    shape=lambda shape, dim=None, _correction=1, keepdim=False: rules.reduced("var")(shape, dim, keepdim),
    dtype=rules.floating,
    vjp=lambda g, _out, input, dim, correction, _keepdim: (
        spread(g * (2 / max(_count(input.shape, dim) - correction, 1e-300)), input.shape, dim)
        * (input - mean(input, _all_axes(dim, input.ndim), True))
    ),
    fuse="reduce",
    ascend="var",
    batch="reduce",
    ops="var(input, axis=None, ddof=0, keepdims=False)",
    mint="var(input, dim=None, *, correction=1, keepdim=False)",
    tensor=["var(axis=None, ddof=0, keepdims=False)", "var(dim=None, *, correction=1, keepdim=False)"],
    rename={"ddof": "correction"},
)
def var(input: Array, dim: Any = None, correction: Any = 1, keepdim: bool = False) -> Any:
    """Return the variance: the sum of squared differences from the mean over ``n - correction``.

    Examples:
        >>> print(mint.var(Tensor([1.0, 2.0, 3.0])))
        1.0

    Source: ``mindspore.mint.var``; ``ops.var`` names the correction ``ddof`` and takes 0 by default.
    """
    axes = rules.axes("var", dim, input.ndim)
    if input.dtype in FLOATS:
        return loops.var(input, axes, correction, keepdim)
    return np.var(input, axis=axes, ddof=correction, keepdims=keepdim)


@composite(
    ops="std(input, axis=None, ddof=0, keepdims=False)",
    mint="std(input, dim=None, *, correction=1, keepdim=False)",
    tensor=["std(axis=None, ddof=0, keepdims=False)", "std(dim=None, *, correction=1, keepdim=False)"],
    rename={"ddof": "correction"},
)
def std(input: Array, dim: Any = None, correction: Any = 1, keepdim: bool = False) -> Any:
    """Return the standard deviation, the square root of `var`.

    Examples:
        >>> print(mint.std(Tensor([1.0, 2.0, 3.0])))
        1.0

    Source: ``mindspore.mint.std``.
    """
    return sqrt(var(input, dim, correction, keepdim))


@op(
    shape=rules.reduced("LogSumExp"),
    dtype=rules.floating,
    vjp=lambda g, out, input, dim, _keepdim: spread(g, input.shape, dim) * exp(input - spread(out, input.shape, dim)),
    fuse="reduce",
    ascend="logsumexp",
    ops="logsumexp(input, dim, keepdim=False)",
    mint="logsumexp(input, dim, keepdim=False)",
    tensor=["logsumexp(dim, keepdim=False)", "logsumexp(axis, keepdims=False)"],
)
def logsumexp(input: Array, dim: Any, keepdim: bool = False) -> Any:
    """Return the logarithm of the sum of exponentials over some dimensions, without overflow.

    Examples:
        >>> print(ops.logsumexp(Tensor([1000.0, 1000.0]), 0))
        1000.69314

    Source: ``mindspore.ops.logsumexp``.
    """
    axes = rules.axes("LogSumExp", dim, input.ndim)
    if input.dtype in FLOATS:
        return loops.reduce("logsumexp", input, axes, keepdim)
    return np.log(np.sum(np.exp(input), axis=axes, keepdims=keepdim))


def _scan_dtype(input: Any, _dim: Any, dtype: Any = None, widen: bool = True) -> Any:
    return _sum_dtype(input, None, False, dtype, widen)


def _scan_shape(shape: tuple[int, ...], dim: Any, *_rest: Any) -> tuple[int, ...]:
    rules.axis("cumsum", dim, len(shape), "dim")
    return shape


def _scan(loop: str, function: Any, input: Any, dim: int, dtype: Any, widen: bool) -> Any:
    axis = rules.axis(loop, dim, input.ndim, "dim")
    target = _sum_in(input, dtype, widen)
    input = input.astype(target, copy=False)
    if not input.ndim:
        return input.copy()
    return loops.cumulate(loop, input, axis) if input.dtype in FLOATS else function(input, axis=axis, dtype=target)


def _cumsum_vjp(g: Any, _out: Any, _input: Any, dim: Any, _dtype: Any, _widen: Any) -> Any:
    return flip(cumsum(flip(g, (dim,)), dim), (dim,)) if g.ndim else g


@op(
    shape=_scan_shape,
    dtype=_scan_dtype,
    vjp=_cumsum_vjp,
    ascend="scan_f32",
    batch="axis",
    ops="cumsum(x, axis, dtype=None); widen=False",
    mint="cumsum(input, dim, dtype=None)",
    tensor=["cumsum(axis, dtype=None); widen=False", "cumsum(dim, *, dtype=None)"],
)
def cumsum(input: Array, dim: int, dtype: Any = None, widen: bool = True) -> Any:
    """Return the running sums along a dimension.

    Examples:
        >>> print(mint.cumsum(Tensor([1.0, 2.0, 3.0]), 0))
        [1. 3. 6.]

    Source: ``mindspore.mint.cumsum``.
    """
    return _scan("cumsum", np.cumsum, input, dim, dtype, widen)


def _cumprod_vjp(g: Any, _out: Any, input: Any, dim: int, _dtype: Any, _widen: bool) -> Any:
    """Sum over outputs of g times the product of all other factors: exact with zeros, for any order of gradient."""
    if not input.ndim:
        return g
    from ms_kernels.ops.rearrange import stack
    from ms_kernels.ops.shape import swapaxes

    axis = rules.axis("cumprod", dim, input.ndim)
    rows, given = swapaxes(input, axis, -1), swapaxes(g, axis, -1)
    n = rows.shape[-1]
    out = []
    for k in range(n):  # d(prod of the first j)/dx_k for j > k is the product of the others
        left = prod(rows[..., :k], -1) if k else rows[..., 0] * 0 + 1
        right = cumprod(rows[..., k + 1 :], -1) if k + 1 < n else None
        part = given[..., k] if right is None else given[..., k] + sum_(given[..., k + 1 :] * right, -1)
        out.append(left * part)
    return swapaxes(stack(out, -1), axis, -1) if out else g


@op(
    shape=_scan_shape,
    dtype=_scan_dtype,
    vjp=_cumprod_vjp,
    ascend="scan_f32",
    batch="axis",
    ops="cumprod(input, dim, dtype=None); widen=False",
    mint="cumprod(input, dim, dtype=None)",
    tensor="cumprod(dim, dtype=None)",
)
def cumprod(input: Array, dim: int, dtype: Any = None, widen: bool = True) -> Any:
    """Return the running products along a dimension.

    Examples:
        >>> print(mint.cumprod(Tensor([1.0, 2.0, 3.0]), 0))
        [1. 2. 6.]

    Source: ``mindspore.mint.cumprod``.
    """
    return _scan("cumprod", np.cumprod, input, dim, dtype, widen)
