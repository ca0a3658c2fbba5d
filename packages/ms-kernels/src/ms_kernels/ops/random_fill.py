"""Tensors filled with random numbers in their own shape and dtype: the methods of 2.6's Tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import FLOATS, REALS, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._draw import FLAGS, number, seeded
from ms_kernels.ops._tape import plain
from ms_kernels.random import distributions, samplers

__all__ = ["fill_cauchy", "fill_log_normal", "fill_normal", "fill_random", "fill_uniform"]

LIKE: dict[str, Any] = {"shape": rules.same, "dtype": rules.same, "accepts": FLOATS, **FLAGS}


@op(
    ops="uniform_(input, from_=0, to=1, *, generator=None)",
    tensor="uniform(from_=0.0, to=1.0, generator=None)",
    inplace="uniform_(from_=0, to=1, *, generator=None)",
    label="uniform_",
    **LIKE,
)
def fill_uniform(input: Array, from_: Any = 0.0, to: Any = 1.0, generator: Any = None) -> Any:
    """Return numbers from [from_, to) in the tensor's shape and dtype; `uniform_` puts them into the tensor.

    Raises:
        TypeError: a dtype that is no float, bounds that are no numbers.
        ValueError: `from_` above `to`.

    Examples:
        >>> x = Tensor([5.0, 6.0])
        >>> bool((x.uniform_(2, 3) < 3).all())
        True

    Source: ``mindspore.Tensor.uniform``, ``mindspore.Tensor.uniform_``.
    """
    low, high = number("uniform_", "from_", from_), number("uniform_", "to", to)
    if low > high:
        fail(ValueError, "uniform_", "'from_'", "not be above 'to'", f"{low} and {high}")
    return samplers.uniform(input.shape, input.dtype, *seeded("uniform_", None, 0, generator), low, high)


@op(
    ops="normal_(input, mean=0, std=1, *, generator=None)",
    inplace="normal_(mean=0, std=1, *, generator=None)",
    label="normal_",
    **LIKE,
)
def fill_normal(input: Array, mean: Any = 0, std: Any = 1, generator: Any = None) -> Any:
    """Put normal numbers of a mean and a deviation into the tensor, which is returned.

    Raises:
        TypeError: a dtype that is no float, a mean or deviation that is no number.
        ValueError: a negative deviation.

    Examples:
        >>> x = Tensor([5.0, 6.0])
        >>> x.normal_(1, 0) is x, x.tolist()
        (True, [1.0, 1.0])

    Source: ``mindspore.Tensor.normal_``.
    """
    centre, spread = number("normal_", "mean", mean), number("normal_", "std", std)
    if spread < 0:
        fail(ValueError, "normal_", "'std'", "not be negative", describe(spread))
    return samplers.normal(input.shape, input.dtype, *seeded("normal_", None, 0, generator), centre, spread)


def _whole(arg: str, value: Any) -> int:
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        fail(TypeError, "random_", f"'{arg}'", "be an int", describe(value))
    return int(value)


@op(
    shape=rules.same,
    dtype=rules.same,
    accepts=REALS,
    ops="random_(input, from_=0, to=None, *, generator=None)",
    inplace="random_(from_=0, to=None, *, generator=None)",
    label="random_",
    **FLAGS,
)
def fill_random(input: Array, from_: Any = 0, to: Any = None, generator: Any = None) -> Any:
    """Put integers from [from_, to) into the tensor, which is returned; without `to`, up to what its dtype can hold.

    Raises:
        TypeError: bounds that are no ints.
        RuntimeError: `from_` not below `to`.

    Examples:
        >>> Tensor([5, 6]).random_(3, 4).tolist()
        [3, 3]

    Source: ``mindspore.Tensor.random_``.
    """
    low, high = _whole("from_", from_), None if to is None else _whole("to", to)
    if high is not None and low >= high:
        fail(RuntimeError, "random_", "'from_'", "be below 'to'", f"{low} and {high}")
    return samplers.random_integers(input.shape, input.dtype, *seeded("random_", None, 0, generator), low, high)


def _spread(name: str, arg: str, value: Any) -> float:
    found = number(name, arg, value)
    if found <= 0:
        fail(ValueError, name, f"'{arg}'", "be above 0", describe(value))
    return found


@op(
    tensor="log_normal(mean=1.0, std=2.0)",
    primitive="LogNormalReverse(mean=1.0, std=2.0)(input)",
    label="log_normal",
    **LIKE,
)
def fill_log_normal(input: Array, mean: Any = 1.0, std: Any = 2.0) -> Any:
    """Return exp of normal numbers of a mean and a deviation, in the tensor's shape and dtype.

    Raises:
        ValueError: a deviation that is not above 0.

    Examples:
        >>> bool((Tensor([5.0, 6.0]).log_normal() > 0).all())
        True

    Source: ``mindspore.Tensor.log_normal``, ``mindspore.ops.LogNormalReverse``.
    """
    centre, spread = number("log_normal", "mean", mean), _spread("log_normal", "std", std)
    return distributions.log_normal(input.shape, input.dtype, *seeded("log_normal"), centre, spread)


@op(tensor="cauchy(median=0.0, sigma=1.0)", label="cauchy", **LIKE)
def fill_cauchy(input: Array, median: Any = 0.0, sigma: Any = 1.0) -> Any:
    """Return Cauchy numbers of a median and a width, in the tensor's shape and dtype.

    Raises:
        ValueError: a width that is not above 0.

    Examples:
        >>> Tensor([5.0, 6.0]).cauchy().shape
        (2,)

    Source: ``mindspore.Tensor.cauchy``.
    """
    centre, width = number("cauchy", "median", median), _spread("cauchy", "sigma", sigma)
    return distributions.cauchy(input.shape, input.dtype, *seeded("cauchy"), centre, width)
