"""Random tensors of the other distributions: Gamma, Poisson, Laplace, Cauchy, truncated normal, raw integers."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.runtime import empty
from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import REALS, composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._draw import FLAGS, extent, float_type, number, seeded
from ms_kernels.ops.create import element_type
from ms_kernels.random import distributions, philox, samplers

__all__ = ["gamma", "laplace", "poisson", "random_gamma", "random_poisson", "standard_laplace"]

Shape = tuple[int, ...]


def _positive(name: str, arg: str, values: Any, what: str = "above 0") -> None:
    if values.size and not (values.min() > 0 if what == "above 0" else values.min() >= 0):
        fail(ValueError, name, f"'{arg}'", f"be {what}", str(values.min()))


def _met(name: str) -> Any:
    """The rule of a size that is broadcast with the parameters' shapes."""
    rule = rules.broadcast(name)
    return lambda size, *rest: rule(extent(name, size), *(s for s in rest if isinstance(s, tuple)))


@op(
    shape=_met("Gamma"),
    dtype=lambda *_args: mstype.float32,
    accepts=REALS,
    ops="gamma(shape, alpha, beta, seed=None)",
    primitive="Gamma(seed=0, seed2=0)(shape, alpha, beta)",
    rename={"shape": "size"},
    **FLAGS,
)
def gamma(size: Any, alpha: Array, beta: Array, seed: Any = None, seed2: Any = 0) -> Any:
    """Return Gamma numbers of shape parameter alpha and rate beta (mean alpha / beta), float32.

    Args:
        size: is broadcast with the shapes of alpha and beta.

    Raises:
        ValueError: an alpha or beta that is not above 0; shapes that cannot be broadcast.
        TypeError: an alpha or beta that is no tensor.

    Examples:
        >>> ops.gamma((3, 2), Tensor([1.0, 5.0]), Tensor([2.0])).shape
        (3, 2)

    Source: Marsaglia and Tsang, A simple method for generating gamma variables; ``mindspore.ops.gamma``.
    """
    _positive("Gamma", "alpha", alpha)
    _positive("Gamma", "beta", beta)
    shape = np.broadcast_shapes(extent("Gamma", size), alpha.shape, beta.shape)
    a, b = np.broadcast_to(alpha, shape), np.broadcast_to(beta, shape).astype(np.float64)
    return distributions.gamma(shape, np.float32, *seeded("Gamma", seed, seed2), a, b)


@op(
    shape=lambda size, alpha, *_rest: (*extent("RandomGamma", size), *alpha),
    dtype=lambda _size, alpha, *_rest: alpha if alpha.kind == "f" else mstype.float32,
    accepts=REALS,
    ops="random_gamma(shape, alpha, seed=None)",
    primitive="RandomGamma(seed=0, seed2=0)(shape, alpha)",
    rename={"shape": "size"},
    **FLAGS,
)
def random_gamma(size: Any, alpha: Array, seed: Any = None, seed2: Any = 0) -> Any:
    """Return, for each element of alpha, `shape` Gamma numbers of that shape parameter and rate 1.

    Returns:
        A tensor of shape ``shape + alpha.shape`` and alpha's dtype.

    Raises:
        ValueError: an alpha that is not above 0.

    Examples:
        >>> ops.random_gamma(Tensor([4]), Tensor([1.0, 5.0])).shape
        (4, 2)

    Source: ``mindspore.ops.random_gamma``.
    """
    _positive("RandomGamma", "alpha", alpha)
    kind = alpha.dtype if alpha.dtype.kind not in "iu" else np.dtype(np.float32)
    shape = (*extent("RandomGamma", size), *alpha.shape)
    return distributions.gamma(shape, kind, *seeded("RandomGamma", seed, seed2), np.broadcast_to(alpha, shape))


def _poisson_rule(_size: Any, _mean: Any, _seed: Any = None, _seed2: Any = 0, dtype: Any = mstype.float32) -> Any:
    return dtype


@op(
    shape=_met("Poisson"),
    dtype=_poisson_rule,
    accepts=REALS,
    ops="poisson(shape, mean, seed=None)",
    primitive="Poisson(seed=0, seed2=0)(shape, mean); dtype=int32",
    rename={"shape": "size"},
    **FLAGS,
)
def poisson(size: Any, mean: Array, seed: Any = None, seed2: Any = 0, dtype: Any = mstype.float32) -> Any:
    """Return Poisson counts of a mean, float32 (int32 from the primitive).

    Args:
        size: is broadcast with the shape of mean.

    Raises:
        ValueError: a negative mean; shapes that cannot be broadcast.

    Examples:
        >>> ops.poisson((3, 2), Tensor([0.0, 9.0]))[:, 0].tolist()
        [0.0, 0.0, 0.0]

    Source: ``mindspore.ops.poisson``.
    """
    _positive("Poisson", "mean", mean, "0 or more")
    shape = np.broadcast_shapes(extent("Poisson", size), mean.shape)
    return distributions.poisson(shape, dtype.np, *seeded("Poisson", seed, seed2), np.broadcast_to(mean, shape))


@op(
    shape=lambda size, rate, *_rest: (*extent("RandomPoisson", size), *rate),
    dtype=_poisson_rule,
    accepts=REALS,
    ops="random_poisson(shape, rate, seed=None, dtype=float32)",
    primitive="RandomPoisson(seed=0, seed2=0, dtype=int64)(shape, rate)",
    rename={"shape": "size"},
    **FLAGS,
)
def random_poisson(size: Any, rate: Array, seed: Any = None, seed2: Any = 0, dtype: Any = mstype.float32) -> Any:
    """Return, for each element of rate, `shape` Poisson counts of that mean.

    Returns:
        A tensor of shape ``shape + rate.shape``, float32 by default (int64 from the primitive).

    Raises:
        ValueError: a negative rate.
        TypeError: a dtype that is none of tensor elements.

    Examples:
        >>> ops.random_poisson(Tensor([4]), Tensor([1.0, 5.0])).shape
        (4, 2)

    Source: ``mindspore.ops.random_poisson``.
    """
    _positive("RandomPoisson", "rate", rate, "0 or more")
    shape = (*extent("RandomPoisson", size), *rate.shape)
    kind = element_type("RandomPoisson", dtype)
    return distributions.poisson(shape, kind, *seeded("RandomPoisson", seed, seed2), np.broadcast_to(rate, shape))


@op(
    shape=lambda size, *_rest: extent("StandardLaplace", size),
    dtype=lambda *_args: mstype.float32,
    ops="standard_laplace(shape, seed=None)",
    primitive="StandardLaplace(seed=0, seed2=0)(shape)",
    rename={"shape": "size"},
    **FLAGS,
)
def standard_laplace(size: Any, seed: Any = None, seed2: Any = 0) -> Any:
    """Return Laplace numbers of mean 0 and scale 1, float32.

    Examples:
        >>> ops.standard_laplace((2, 3)).shape
        (2, 3)

    Source: ``mindspore.ops.standard_laplace``.
    """
    shape = extent("StandardLaplace", size)
    return distributions.laplace(shape, np.float32, *seeded("StandardLaplace", seed, seed2))


@composite(ops="laplace(shape, mean, lambda_param, seed=None)", rename={"shape": "size"})
def laplace(size: Any, mean: Any, lambda_param: Any, seed: Any = None) -> Any:
    """Return Laplace numbers of a mean and a scale (tensors that are broadcast), float32.

    Raises:
        ValueError: shapes that cannot be broadcast.

    Examples:
        >>> ops.laplace((2, 3), Tensor(0.0), Tensor([1.0, 2.0, 3.0])).shape
        (2, 3)

    Source: ``mindspore.ops.laplace``.
    """
    params = tuple(v.shape for v in (mean, lambda_param) if isinstance(v, TensorBase))
    return standard_laplace(_met("laplace")(size, *params), seed) * lambda_param + mean


@op(
    shape=lambda size, *_rest: extent("Cauchy", size, "size"),
    dtype=lambda *_args: mstype.float32,
    primitive="Cauchy(size, median=0.0, sigma=1.0)()",
    **FLAGS,
)
def cauchy(size: Any, median: Any = 0.0, sigma: Any = 1.0) -> Any:
    """Return Cauchy numbers of a median and a width, float32.

    Raises:
        ValueError: a width that is not above 0.

    Examples:
        >>> ops.Cauchy([2, 3])().shape
        (2, 3)

    Source: ``mindspore.ops.Cauchy``.
    """
    if not number("Cauchy", "sigma", sigma) > 0:
        fail(ValueError, "Cauchy", "'sigma'", "be above 0", describe(sigma))
    centre = number("Cauchy", "median", median)
    return distributions.cauchy(extent("Cauchy", size, "size"), np.float32, *seeded("Cauchy"), centre, float(sigma))


@op(
    shape=lambda size, *_rest: extent("TruncatedNormal", size),
    dtype=lambda _size, dtype=mstype.float32, *_rest: dtype,
    primitive="TruncatedNormal(dtype=float32, seed=0, seed2=0)(shape)",
    rename={"shape": "size"},
    **FLAGS,
)
def truncated_normal(size: Any, dtype: Any = mstype.float32, seed: Any = 0, seed2: Any = 0) -> Any:
    """Return normal numbers of mean 0 and deviation 1 that lie within two deviations.

    Raises:
        ValueError: a dtype that is no float.

    Examples:
        >>> bool((ops.TruncatedNormal()((50,)).abs() <= 2).all())
        True

    Source: ``mindspore.ops.TruncatedNormal``.
    """
    kind, shape = float_type("TruncatedNormal", dtype), extent("TruncatedNormal", size)
    return samplers.truncated_normal(shape, kind, *seeded("TruncatedNormal", seed, seed2))


@op(
    shape=lambda size, *_rest: extent("ParameterizedTruncatedNormal", size),
    dtype=lambda _size, mean, *_rest: mean,
    primitive="ParameterizedTruncatedNormal(seed=0, seed2=0)(shape, mean, stdevs, min, max)",
    rename={"shape": "size", "min": "low", "max": "high"},
    **FLAGS,
)
def truncated_normal_rows(
    size: Any, mean: Array, stdevs: Array, low: Array, high: Array, seed: Any = 0, seed2: Any = 0
) -> Any:
    """Return normal numbers within limits; mean, deviation and limits are one for all or one for each row.

    Args:
        size: (rows, ...).

    Raises:
        ValueError: a deviation that is not above 0, a `min` that is not below `max`, parameters of another shape.

    Examples:
        >>> zero, one = Tensor([0.0]), Tensor([1.0])
        >>> bool((ops.ParameterizedTruncatedNormal()((2, 50), zero, one, zero, one) >= 0).all())
        True

    Source: ``mindspore.ops.ParameterizedTruncatedNormal``.
    """
    name = "ParameterizedTruncatedNormal"
    shape = extent(name, size)
    if len(shape) < 2:
        fail(ValueError, name, "'shape'", "have at least two dims", str(shape))
    params = []
    for arg, value in (("mean", mean), ("stdevs", stdevs), ("min", low), ("max", high)):
        if value.shape not in ((), (1,), shape[:1]):
            fail(ValueError, name, f"shape of '{arg}'", f"be [] or [{shape[0]}]", str(list(value.shape)))
        params.append(np.broadcast_to(value.astype(np.float64).ravel(), shape[:1]))
    centre, spread, first, last = params
    _positive(name, "stdevs", spread)
    if (first >= last).any():
        fail(ValueError, name, "'min'", "be below 'max'", f"{first.tolist()} and {last.tolist()}")
    out = empty(shape, np.float32)
    stream, row = seeded(name, seed, seed2), int(np.prod(shape[1:]))
    for i in range(shape[0]):
        philox.fill_truncated(out[i], *stream, i * row, first[i], last[i], centre[i], spread[i])
    return samplers.cast(out, mean.dtype)


@op(
    shape=lambda size, *_rest: extent("NonDeterministicInts", size),
    dtype=lambda _size, dtype=mstype.int64: dtype,
    primitive="NonDeterministicInts(dtype=int64)(shape)",
    rename={"shape": "size"},
    **FLAGS,
)
def any_integers(size: Any, dtype: Any = mstype.int64) -> Any:
    """Return integers from the whole range of a type.

    Raises:
        TypeError: a dtype other than int32, int64, uint32, uint64.

    Examples:
        >>> ops.NonDeterministicInts()((2, 3)).dtype
        mindspore.int64

    Source: ``mindspore.ops.NonDeterministicInts``.
    """
    kind = element_type("NonDeterministicInts", dtype)
    if kind.kind not in "iu" or kind.itemsize < 4:
        fail(TypeError, "NonDeterministicInts", "'dtype'", "be int32, int64, uint32 or uint64", str(dtype))
    shape, words = extent("NonDeterministicInts", size), kind.itemsize // 4
    raw = samplers.words((*shape, words), *seeded("NonDeterministicInts"))
    return raw.view(kind).reshape(shape)
