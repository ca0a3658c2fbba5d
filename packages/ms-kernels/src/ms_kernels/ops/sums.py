"""Small sums and products: of lists of tensors, of squares, of integers (divisors), counts of bits and of non-zeros."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import INTS, composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._tape import cast_np
from ms_kernels.ops.compare import isnan, not_equal, where
from ms_kernels.ops.elementary import abs_, sqrt, square
from ms_kernels.ops.joins import tensors_of
from ms_kernels.ops.reduce import mean, sum_, var

__all__ = ["addn", "approximate_equal", "count_nonzero", "gcd", "lcm", "nanmean", "nansum", "std_mean", "var_mean"]

Shape = tuple[int, ...]


@composite(
    ops=["addn(x)", "accumulate_n(x)"],
    primitive=["AddN()(x)", "AccumulateNV2()(x)"],
    rename={"x": "tensors"},
    label="AddN",
)
def addn(tensors: list[Array]) -> Any:
    """Return the elementwise sum of a list or tuple of tensors of one shape.

    Raises:
        TypeError: no list or tuple of tensors.
        ValueError: the list is empty, or shapes differ.

    Examples:
        >>> print(ops.addn([Tensor([1.0, 2.0]), Tensor([3.0, 4.0])]))
        [4. 6.]

    Source: ``mindspore.ops.addn``.
    """
    items = tensors_of("AddN", tensors, "x")
    for i, item in enumerate(items[1:], 1):
        if item.shape != items[0].shape:
            got = f"{list(item.shape)} of x[{i}] and {list(items[0].shape)} of x[0]"
            fail(ValueError, "AddN", "shapes of 'x'", "be equal", got)
    out = items[0] * 1 if len(items) == 1 else items[0]
    for item in items[1:]:
        out = out + item
    return out


def _integers(name: str, function: Any, primitive: str, surfaces: dict[str, Any], word: str, shown: str) -> Any:
    def body(input: Any, other: Any) -> Any:
        return function(input, other)

    body.__annotations__.update(input="Array", other="Array")
    body.__module__ = __name__
    body.__doc__ = (
        f"Return the {word} of two integers, broadcast together.\n\n"
        "Raises:\n    TypeError: the elements are no integers.\n\n"
        f"Examples:\n    >>> print(ops.{name}(Tensor([4, 9]), Tensor([6, 6])))\n    {shown}\n\n"
        f"Source: ``mindspore.ops.{name}``."
    )
    return op(
        shape=rules.broadcast(primitive),
        dtype=rules.promote,
        accepts=INTS,
        nondiff="integers have none",
        fuse="elementwise",
        ascend="step",
        ops=f"{name}(input, other)",
        tensor=f"{name}(other)",
        primitive=f"{primitive}()(x1, x2)",
        rename={"x1": "input"},
        name=name,
        **surfaces,
    )(body)


gcd = _integers("gcd", np.gcd, "Gcd", {"mint": "gcd(input, other)"}, "greatest common divisor", "[2 3]")
lcm = _integers("lcm", np.lcm, "Lcm", {}, "least common multiple", "[12 18]")


@op(
    shape=rules.same,
    dtype=lambda _input: mstype.uint8,
    accepts=INTS,
    nondiff="a count",
    fuse="elementwise",
    ascend="step",
    ops="population_count(input_x)",
    primitive="PopulationCount()(input)",
)
def population_count(input: Array) -> Any:
    """Return how many bits of each integer are set, as uint8; negative ones count in two's complement.

    Examples:
        >>> print(ops.population_count(Tensor([0, 1, 7])))
        [0 1 3]

    Source: ``mindspore.ops.population_count``.
    """
    octets = np.ascontiguousarray(input)[..., None].view(np.uint8)
    return np.unpackbits(octets, axis=-1).sum(-1, dtype=np.uint8)


@composite(
    ops="approximate_equal(x, y, tolerance=1e-05)",
    tensor="approximate_equal(other, tolerance=1e-05)",
    primitive="ApproximateEqual(tolerance=1e-05)(x, y)",
)
def approximate_equal(input: Array, other: Array, tolerance: float = 1e-5) -> Any:
    """Return where two elements differ by less than `tolerance`.

    Examples:
        >>> print(ops.approximate_equal(Tensor([1.0, 2.0]), Tensor([1.0, 2.5])))
        [ True False]

    Source: ``mindspore.ops.approximate_equal``.
    """
    return abs_(input - other) < tolerance


@composite(primitive="SquaredDifference()(x, y)")
def squared_difference(input: Array, other: Array) -> Any:
    """Return ``(x - y)**2``, broadcast together.

    Examples:
        >>> print(ops.SquaredDifference()(Tensor([1.0, 4.0]), Tensor([3.0, 1.0])))
        [4. 9.]

    Source: ``mindspore.ops.SquaredDifference``.
    """
    return square(input - other)


@composite(primitive="SquareSumAll()(x, y)")
def square_sum_all(input: Array, other: Array) -> Any:
    """Return the sums of the squares of all elements of each of two tensors.

    Examples:
        >>> print(*ops.SquareSumAll()(Tensor([1.0, 2.0]), Tensor([3.0, 1.0])))
        5.0 10.0

    Source: ``mindspore.ops.SquareSumAll``.
    """
    return sum_(square(input)), sum_(square(other))


@composite(
    ops="count_nonzero(x, axis=(), keep_dims=False, dtype=int32)",
    mint="count_nonzero(input, dim=None); dtype=int64",
    tensor=["count_nonzero(axis=(), keep_dims=False, dtype=int32)", "count_nonzero(dim=None); dtype=int64"],
    primitive="CountNonZero(dims=None)(x); dtype=int64",
)
def count_nonzero(input: Array, dim: Any = None, keepdim: bool = False, dtype: Any = mstype.int32) -> Any:
    """Return how many elements over some dimensions (all by default) are not 0.

    Examples:
        >>> print(ops.count_nonzero(Tensor([[0, 1], [2, 3]]), 0))
        [1 2]

    Source: ``mindspore.ops.count_nonzero``.
    """
    if not isinstance(input, TensorBase):
        fail(TypeError, "count_nonzero", "'x'", "be a Tensor", describe(input))
    return sum_(not_equal(input, 0), dim, keepdim, dtype)


@composite(
    ops="nansum(input, axis=None, keepdims=False, *, dtype=None)",
    mint="nansum(input, dim=None, keepdim=False, *, dtype=None)",
    tensor=["nansum(axis=None, keepdims=False, *, dtype=None)", "nansum(dim=None, keepdim=False, *, dtype=None)"],
)
def nansum(input: Array, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """Return the sum over some dimensions (all by default), NaN counted as 0; integers keep their type.

    Raises:
        TypeError: complex elements.

    Examples:
        >>> print(ops.nansum(Tensor([1.0, float("nan"), 2.0])))
        3.0

    Source: ``mindspore.ops.nansum``.
    """
    _real("nansum", input)
    kept = where(isnan(input), 0, input) if input.dtype.kind == "f" else input
    return sum_(kept, dim, keepdim, dtype or (input.dtype if input.dtype.kind in "iuf" else None))


def _real(name: str, input: Any) -> None:
    if not isinstance(input, TensorBase):
        fail(TypeError, name, "'input'", "be a Tensor", describe(input))
    if input.dtype.kind == "c":
        fail(TypeError, name, "dtype of 'input'", "be one of real numbers", str(input.dtype))


@composite(
    ops="nanmean(input, axis=None, keepdims=False, *, dtype=None)",
    tensor="nanmean(axis=None, keepdims=False, *, dtype=None)",
)
def nanmean(input: Array, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """Return the mean over some dimensions (all by default) of the elements that are not NaN.

    Raises:
        TypeError: the elements are no floats.

    Examples:
        >>> print(ops.nanmean(Tensor([1.0, float("nan"), 2.0])))
        1.5

    Source: ``mindspore.ops.nanmean``.
    """
    if not isinstance(input, TensorBase) or input.dtype.kind != "f":
        got = str(input.dtype) if isinstance(input, TensorBase) else describe(input)
        fail(TypeError, "nanmean", "dtype of 'input'", "be one of floats", got)
    lost = isnan(input)
    total = sum_(where(lost, 0, input), dim, keepdim, dtype)
    counted = sum_(cast_np(~lost, total._kind), dim, keepdim)
    return total / counted


def _with_mean(name: str, spread: Any, word: str, shown: str) -> Any:
    def body(input: Any, dim: Any = None, correction: Any = 1, keepdim: bool = False) -> Any:
        if not isinstance(input, TensorBase):
            fail(TypeError, name, "'input'", "be a Tensor", describe(input))
        if input.dtype.kind != "f":
            fail(TypeError, name, "dtype of 'input'", "be one of floats", str(input.dtype))
        return spread(input, dim, int(correction), keepdim), mean(input, dim, keepdim)

    body.__annotations__["input"] = "Array"
    body.__module__ = __name__
    body.__doc__ = (
        f"Return the {word} and the mean over some dimensions (all by default).\n\n"
        "Args:\n    correction: the divisor is the count minus this (ops: `ddof`, 0 by default).\n\n"
        "Raises:\n    TypeError: the input is no Tensor of floats.\n\n"
        f"Examples:\n    >>> print(*mint.{name}(Tensor([1.0, 2.0, 3.0])))\n    {shown}\n\n"
        f"Source: ``mindspore.mint.{name}``."
    )
    return composite(
        ops=f"{name}(input, axis=None, ddof=0, keepdims=False)",
        mint=f"{name}(input, dim=None, *, correction=1, keepdim=False)",
        rename={"ddof": "correction"},
        name=name,
    )(body)


var_mean = _with_mean("var_mean", var, "variance", "1.0 2.0")
std_mean = _with_mean("std_mean", lambda *a: sqrt(var(*a)), "standard deviation", "1.0 2.0")


@composite(primitive="ReduceStd(axis=(), unbiased=True, keep_dims=False)(input_x)", name="std_by_options")
def std_by_options(input: Array, dim: Any = (), unbiased: bool = True, keepdim: bool = False) -> Any:
    """Return the standard deviation (by n - 1 if unbiased) and the mean over some dimensions.

    Examples:
        >>> print(*ops.ReduceStd()(Tensor([1.0, 2.0, 3.0])))
        1.0 2.0

    Source: ``mindspore.ops.ReduceStd``.
    """
    over = dim if isinstance(dim, (int, tuple)) else tuple(dim)
    return sqrt(var(input, over, int(unbiased), keepdim)), mean(input, over, keepdim)
