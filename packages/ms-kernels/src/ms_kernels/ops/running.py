"""Running extrema and logarithms of sums, differences of neighbours, and integrals by the trapezoid rule."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._limits import limits
from ms_kernels.ops._tape import cast_np, plain
from ms_kernels.ops.elementary import exp
from ms_kernels.ops.index import gather
from ms_kernels.ops.rearrange import concat, flip
from ms_kernels.ops.reduce import cumprod, cumsum, sum_
from ms_kernels.ops.sections import narrow

__all__ = ["cummax", "cummin", "diff", "logcumsumexp", "trapz"]

Shape = tuple[int, ...]


def _checked(name: str) -> Any:
    def rule(shape: Shape, dim: int, *_rest: Any) -> Shape:
        rules.axis(name, dim, len(shape))
        return shape

    return rule


def _running_places(name: str, input: Any, dim: int, largest: bool) -> Any:
    """The place of the extremum so far at each place; of equal ones the last, and NaN stays once it came."""
    if not input.ndim:
        return np.zeros((), np.int64)
    at = rules.axis(name, dim, input.ndim)
    wide = input.astype(np.float32) if input.dtype.name == "bfloat16" else input
    so_far = (np.maximum if largest else np.minimum).accumulate(wide, axis=at)
    hit = wide == so_far
    if wide.dtype.kind == "f":
        hit |= np.isnan(wide)
    grid = np.arange(input.shape[at]).reshape([-1 if i == at else 1 for i in range(input.ndim)])
    return np.maximum.accumulate(np.where(hit, grid, 0), axis=at)


def _running(name: str, primitive: str, largest: bool, index: Any, shown: str) -> Any:
    def place(input: Any, dim: int) -> Any:
        return _running_places(primitive, input, dim, largest).astype(index.np)

    def body(input: Any, dim: int) -> Any:
        places = located(input, dim)
        if not input.ndim:
            return input * 1, places
        return gather(input, dim, places), places

    word = "largest" if largest else "smallest"
    for function in (place, body):
        function.__annotations__["input"] = "Array"
        function.__module__ = __name__
    place.__doc__ = (
        f"Return where the {word} element so far is, along a dimension.\n\n"
        f"Examples:\n    >>> print(ops.{primitive}Place()(Tensor([2.0, 3.0, 1.0]), 0))\n    {shown.split('] ')[1]}\n\n"
        f"Source: the second result of ``mindspore.ops.{name}``."
    )
    body.__doc__ = (
        f"Return the {word} element so far at each place of a dimension, and where it is (of equal ones the last).\n\n"
        "Raises:\n    ValueError: the axis is out of range.\n\n"
        f"Examples:\n    >>> print(*ops.{name}(Tensor([2.0, 3.0, 1.0]), 0))\n    {shown}\n\n"
        f"Source: ``mindspore.ops.{name}``."
    )
    located = op(
        shape=_checked(primitive),
        dtype=lambda *_a: index,
        nondiff="the result is an index",
        ascend="index",
        batch="axis",
        primitive=f"{primitive}Place()(x, axis)",
        label=primitive,
        name=f"{name}_place",
    )(place)
    return composite(
        ops=f"{name}(input, axis)",
        mint=f"{name}(input, dim)",
        tensor=f"{name}(axis)",
        primitive=f"{primitive}(axis)(input)",
        name=name,
    )(body)


cummax = _running("cummax", "Cummax", True, mstype.int64, "[2. 3. 3.] [0 1 1]")
cummin = _running("cummin", "Cummin", False, mstype.int32, "[2. 2. 1.] [0 0 2]")


def _logcumsumexp(input: Any, dim: int) -> Any:
    if not input.ndim:
        return input.copy()
    at = rules.axis("CumulativeLogsumexp", dim, input.ndim)
    wide = input.astype(np.float64)
    return np.logaddexp.accumulate(wide, axis=at).astype(input.dtype)


@op(
    shape=_checked("CumulativeLogsumexp"),
    dtype=rules.floating,
    vjp=lambda g, out, input, dim: _logcumsumexp_grad(g, out, input, dim),
    ascend="scan_f32",
    batch="axis",
    ops="logcumsumexp(input, axis)",
    tensor="logcumsumexp(axis)",
    label="CumulativeLogsumexp",
)
def logcumsumexp(input: Array, dim: int) -> Any:
    """Return the logarithm of the running sums of exponentials along a dimension, without overflow.

    Raises:
        ValueError: the axis is out of range.

    Examples:
        >>> print(ops.logcumsumexp(Tensor([1000.0, 1000.0]), 0))
        [1000.     1000.6932]

    Source: ``mindspore.ops.logcumsumexp``.
    """
    return _logcumsumexp(input, dim)


def _logcumsumexp_grad(g: Any, out: Any, input: Any, dim: int) -> Any:
    """x_i takes part in every later output with the share exp(x_i - out_j), which is at most 1."""
    if not input.ndim:
        return g
    at = rules.axis("CumulativeLogsumexp", dim, input.ndim)
    from ms_kernels.ops.matrices import tril
    from ms_kernels.ops.shape import moveaxis, unsqueeze

    x, y, h = (moveaxis(t, at, -1) if input.ndim > 1 else t for t in (input, out, g))
    shares = tril(exp(_capped(unsqueeze(x, -2) - unsqueeze(y, -1))))  # [later output, element]
    grad = sum_(unsqueeze(h, -1) * shares, -2)
    return moveaxis(grad, -1, at) if input.ndim > 1 else grad


def _capped(t: Any) -> Any:
    """Above the diagonal differences may be large; they are not used, but must not overflow."""
    from ms_kernels.ops.compare import greater, where

    return where(greater(t, 0), 0 * t, t) if (t._a > 50).any() else t


@composite(primitive="CumulativeLogsumexp(exclusive=False, reverse=False)(x, axis)", name="logcumsumexp_by_options")
def logcumsumexp_by_options(input: Array, dim: Any, exclusive: bool = False, reverse: bool = False) -> Any:
    """Return the running logarithms of sums of exponentials; exclusive: of the elements before; reverse: from the end.

    Examples:
        >>> print(ops.CumulativeLogsumexp()(Tensor([0.0, 0.0]), Tensor(0)))
        [0.        0.6931472]

    Source: ``mindspore.ops.CumulativeLogsumexp``.
    """
    lowest, _ = limits(input._kind)
    return _scanned(lambda t, at: logcumsumexp(t, at), input, dim, exclusive, reverse, lowest)


def _scanned(scan: Any, input: Any, dim: Any, exclusive: bool, reverse: bool, first: float) -> Any:
    at = rules.axis("scan", plain(dim), input.ndim)
    x = flip(input, (at,)) if reverse else input
    if exclusive:
        start = narrow(x, at, 0, 1) * 0 + first
        x = concat([start, narrow(x, at, 0, x.shape[at] - 1)], at)
    out = scan(x, at)
    return flip(out, (at,)) if reverse else out


@composite(primitive="CumSum(exclusive=False, reverse=False)(input, axis)", name="cumsum_by_options", label="CumSum")
def cumsum_by_options(input: Array, dim: Any, exclusive: bool = False, reverse: bool = False) -> Any:
    """Return the running sums; exclusive: of the elements before each; reverse: from the end.

    Examples:
        >>> print(ops.CumSum(exclusive=True)(Tensor([1.0, 2.0, 3.0]), 0))
        [0. 1. 3.]

    Source: ``mindspore.ops.CumSum``.
    """
    return _scanned(lambda t, at: cumsum(t, at, input.dtype), input, dim, exclusive, reverse, 0)


@composite(primitive="CumProd(exclusive=False, reverse=False)(x, axis)", name="cumprod_by_options", label="CumProd")
def cumprod_by_options(input: Array, dim: Any, exclusive: bool = False, reverse: bool = False) -> Any:
    """Return the running products; exclusive: of the elements before each; reverse: from the end.

    Examples:
        >>> print(ops.CumProd(reverse=True)(Tensor([1.0, 2.0, 3.0]), 0))
        [6. 6. 3.]

    Source: ``mindspore.ops.CumProd``.
    """
    return _scanned(lambda t, at: cumprod(t, at, input.dtype), input, dim, exclusive, reverse, 1)


def _differences(name: str, x: Any, n: Any, dim: int, prepend: Any, append: Any) -> Any:
    if not isinstance(x, TensorBase):
        fail(TypeError, name, "'x'", "be a Tensor", describe(x))
    if not x.ndim:
        fail(RuntimeError, name, "'x'", "have at least one dimension", "none")
    if isinstance(n, bool) or not isinstance(n, int) or n < 0:
        fail(RuntimeError, name, "'n'", "be a non-negative int", describe(n))
    at = rules.axis(name, dim, x.ndim)
    parts = [t for t in (prepend, x, append) if t is not None]
    out = concat(parts, at) if len(parts) > 1 else x
    for _ in range(n):
        size = out.shape[at]
        if not size:
            return out
        high, low = narrow(out, at, 1, size - 1), narrow(out, at, 0, size - 1)
        out = high - low if out.dtype != mstype.bool_ else high ^ low
    return out


@composite(
    ops="diff(x, n=1, axis=-1, prepend=None, append=None)",
    tensor="diff(n=1, axis=-1, prepend=None, append=None)",
)
def diff(input: Array, n: int = 1, dim: int = -1, prepend: Array | None = None, append: Array | None = None) -> Any:
    """Return the differences of neighbours along a dimension.

    Args:
        n: 1; `mint.diff` repeats it more often.
        prepend, append: joined to the input first.

    Raises:
        RuntimeError: `n` is not 1, or the input has no dimension.

    Examples:
        >>> print(ops.diff(Tensor([1.0, 4.0, 9.0])))
        [3. 5.]

    Source: ``mindspore.ops.diff``.
    """
    if n != 1:
        fail(RuntimeError, "diff", "'n'", "be 1", describe(n))
    return _differences("diff", input, n, dim, prepend, append)


@composite(
    mint="diff(input, n=1, dim=-1, prepend=None, append=None)",
    ops="diff_ext(input, n=1, dim=-1, prepend=None, append=None)",
    name="repeated_diff",
)
def repeated_diff(
    input: Array, n: int = 1, dim: int = -1, prepend: Array | None = None, append: Array | None = None
) -> Any:
    """Return the differences of neighbours along a dimension, taken `n` times.

    Examples:
        >>> print(mint.diff(Tensor([1.0, 4.0, 9.0]), 2))
        [2.]

    Source: ``mindspore.mint.diff``.
    """
    return _differences("diff", input, n, dim, prepend, append)


@composite(ops="trapz(y, x=None, *, dx=1.0, dim=-1)", rename={"y": "input", "x": "at"})
def trapz(input: Array, at: Array | None = None, dx: float = 1.0, dim: int = -1) -> Any:
    """Return the integral along a dimension by the trapezoid rule.

    Args:
        input: the values y.
        at: the points x, of the values' shape or of one dimension; by default they are `dx` apart.

    Raises:
        TypeError: `y` is no Tensor.

    Examples:
        >>> print(ops.trapz(Tensor([1.0, 2.0, 3.0])))
        4.0

    Source: ``mindspore.ops.trapz``.
    """
    if not isinstance(input, TensorBase):
        fail(TypeError, "trapz", "'y'", "be a Tensor", describe(input))
    y: Any = input if input.dtype.kind in "fc" else cast_np(input, np.dtype(np.float32))
    place = rules.axis("trapz", dim, y.ndim)
    size = y.shape[place]
    middle = (narrow(y, place, 1, size - 1) + narrow(y, place, 0, size - 1)) * 0.5
    if at is None:
        return sum_(middle * dx, place)
    points = at if at.dtype.kind in "fc" else at.astype(y.dtype)
    if points.ndim == 1 and y.ndim > 1:
        from ms_kernels.ops.shape import reshape

        points = reshape(points, tuple(-1 if i == place else 1 for i in range(y.ndim)))
    widths = _differences("trapz", points, 1, place - y.ndim, None, None)
    return sum_(middle * widths, place)
