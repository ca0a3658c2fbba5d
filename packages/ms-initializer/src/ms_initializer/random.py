"""Random initializers: every class names a sampler and its two or four parameters; the numbers come from ms-kernels."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ms_initializer.base import Array, Initializer, assign, numpy_seed, register
from ms_initializer.fans import calculate_correct_fan, calculate_fan_in_and_fan_out, calculate_gain
from ms_kernels.core.runtime import empty
from ms_kernels.opdef.errors import fail
from ms_kernels.random import initial

__all__ = [
    "HeNormal",
    "HeUniform",
    "Normal",
    "Plan",
    "Sampled",
    "TruncatedNormal",
    "Uniform",
    "VarianceScaling",
    "XavierNormal",
    "XavierUniform",
    "fill",
]


Plan = tuple[Callable[..., None], tuple[float, ...]]


def fill(arr: Array, sampler: Callable[..., None], parameters: tuple[float, ...]) -> None:
    """Fill an array of any dtype: the numbers are drawn as float32 and then cast."""
    direct = arr.dtype == np.float32 and arr.flags.c_contiguous and arr.flags.writeable
    target = arr if direct else empty(arr.shape, np.float32)
    sampler(target, numpy_seed(), *parameters)
    if not direct:
        assign(arr, target)


class Sampled(Initializer):
    """Base class of the random initializers: `plan` says what is drawn, for the shape that is to be filled."""

    def plan(self, shape: Sequence[int]) -> Plan:
        """Return the sampler of `ms_kernels.random.initial` and its parameters."""
        raise NotImplementedError("Must be overridden!")

    def _initialize(self, arr: Array) -> None:
        if arr.size:  # nothing has no fans
            fill(arr, *self.plan(arr.shape))


@register()
class Uniform(Sampled):
    """Uniform numbers from [-scale, scale).

    Args:
        scale: the limit.

    Examples:
        >>> from ms_initializer import initializer
        >>> bool(abs(initializer(Uniform(0.1), 100).init_data().asnumpy()).max() <= 0.1)
        True
    """

    def __init__(self, scale: float = 0.07) -> None:
        super().__init__(scale=scale)
        self.scale = scale

    def plan(self, shape: Sequence[int]) -> Plan:
        return initial.uniform, (-self.scale, self.scale)


@register()
class Normal(Sampled):
    """Normal numbers.

    Args:
        sigma: standard deviation.
        mean: mean.

    Raises:
        ValueError: when it fills: `sigma` is negative.

    Examples:
        >>> from ms_initializer import initializer
        >>> initializer(Normal(0.5), [2, 3]).init_data().shape
        (2, 3)
    """

    def __init__(self, sigma: float = 0.01, mean: float = 0.0) -> None:
        super().__init__(sigma=sigma, mean=mean)
        self.sigma = sigma
        self.mean = mean

    def plan(self, shape: Sequence[int]) -> Plan:
        return initial.normal, (self.mean, self.sigma)


@register()
class TruncatedNormal(Sampled):
    """Normal numbers between two limits.

    Args:
        sigma: standard deviation of the whole normal distribution.
        mean: its mean.
        a, b: lower and upper limit, as they stand: not in units of sigma.

    Raises:
        ValueError: when it fills: `sigma` is negative.
        RuntimeError: when it fills: `sigma` is 0.

    Examples:
        >>> from ms_initializer import initializer
        >>> x = initializer(TruncatedNormal(1.0, a=-0.5, b=0.5), 100).init_data().asnumpy()
        >>> bool(abs(x).max() <= 0.5)
        True
    """

    def __init__(self, sigma: float = 0.01, mean: float = 0.0, a: float = -2.0, b: float = 2.0) -> None:
        super().__init__(sigma=sigma, mean=mean, a=a, b=b)
        self.sigma = sigma
        self.mean = mean
        self.a = a
        self.b = b

    def plan(self, shape: Sequence[int]) -> Plan:
        return initial.truncated_normal, (self.a, self.b, self.mean, self.sigma)


@register("xavier_uniform")
class XavierUniform(Sampled):
    """Uniform numbers within gain * sqrt(6 / (n_in + n_out)) of 0 (Glorot and Bengio, 2010).

    Args:
        gain: a factor.

    Raises:
        ValueError: when it fills: the array has fewer than 2 dims.

    Examples:
        >>> from ms_initializer import initializer
        >>> x = initializer("xavier_uniform", [4, 2]).init_data().asnumpy()
        >>> bool(abs(x).max() <= 1.0)
        True
    """

    def __init__(self, gain: float = 1) -> None:
        super().__init__(gain=gain)
        self.gain = gain

    def plan(self, shape: Sequence[int]) -> Plan:
        limit = self.gain * math.sqrt(6.0 / sum(calculate_fan_in_and_fan_out(shape)))
        return initial.uniform, (-limit, limit)


@register("xavier_normal")
class XavierNormal(Sampled):
    """Normal numbers of deviation gain * sqrt(2 / (n_in + n_out)) (Glorot and Bengio, 2010).

    Args:
        gain: a factor.

    Raises:
        ValueError: when it fills: the array has fewer than 2 dims.

    Examples:
        >>> from ms_initializer import initializer
        >>> initializer(XavierNormal(2.0), [4, 2]).init_data().shape
        (4, 2)
    """

    def __init__(self, gain: float = 1) -> None:
        super().__init__(gain=gain)
        self.gain = gain

    def plan(self, shape: Sequence[int]) -> Plan:
        return initial.normal, (0.0, self.gain * math.sqrt(2.0 / sum(calculate_fan_in_and_fan_out(shape))))


class _He(Sampled):
    """What HeUniform and HeNormal share: the deviation gain / sqrt(n)."""

    def __init__(self, negative_slope: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu") -> None:
        super().__init__(negative_slope=negative_slope, mode=mode, nonlinearity=nonlinearity)
        self.negative_slope = negative_slope
        self.mode = mode
        self.nonlinearity = nonlinearity

    def _deviation(self, shape: Sequence[int]) -> float:
        fan = calculate_correct_fan(shape, self.mode)
        return calculate_gain(self.nonlinearity, self.negative_slope, type(self).__name__) / math.sqrt(fan)


@register("he_uniform")
class HeUniform(_He):
    """Uniform numbers within gain * sqrt(3 / n) of 0 (He, Zhang, Ren and Sun, 2015).

    Args:
        negative_slope: slope of the leaky_relu on the negative side.
        mode: "fan_in": n counts a unit's inputs, which keeps the variance of the forward pass; "fan_out": its outputs,
            which keeps that of the backward pass.
        nonlinearity: "leaky_relu", "relu", "tanh", "sigmoid", "linear", or a convolution's name.

    Raises:
        ValueError: when it fills: an unknown mode or nonlinearity, a slope that is no number, fewer than 2 dims.

    Examples:
        >>> from ms_initializer import initializer
        >>> x = initializer(HeUniform(), [8, 6]).init_data().asnumpy()
        >>> bool(abs(x).max() <= 1.0)
        True
    """

    def plan(self, shape: Sequence[int]) -> Plan:
        limit = math.sqrt(3.0) * self._deviation(shape)
        return initial.uniform, (-limit, limit)


@register("he_normal")
class HeNormal(_He):
    """Normal numbers of deviation gain / sqrt(n) (He, Zhang, Ren and Sun, 2015).

    Args:
        negative_slope: slope of the leaky_relu on the negative side.
        mode: "fan_in": n counts a unit's inputs; "fan_out": its outputs.
        nonlinearity: "leaky_relu", "relu", "tanh", "sigmoid", "linear", or a convolution's name.

    Raises:
        ValueError: when it fills: as HeUniform.

    Examples:
        >>> from ms_initializer import initializer
        >>> initializer("he_normal", [8, 6]).init_data().shape
        (8, 6)
    """

    def plan(self, shape: Sequence[int]) -> Plan:
        return initial.normal, (0.0, self._deviation(shape))


@register()
class VarianceScaling(Sampled):
    """Numbers of variance scale / n.

    Args:
        scale: the factor, above 0.
        mode: what n counts: "fan_in" a unit's inputs, "fan_out" its outputs, "fan_avg" the mean of both.
        distribution: "untruncated_normal": a normal of deviation sqrt(scale / n).  "uniform": within
            sqrt(3 * scale / n) of 0.  "truncated_normal", the default, is documented by 2.6 as a truncated normal, but
            its numbers are those of "uniform", here as there.

    Raises:
        ValueError: `scale` is not above 0; an unknown mode or distribution; when it fills: fewer than 2 dims.
        TypeError: `scale` is no number.

    Examples:
        >>> from ms_initializer import initializer
        >>> x = initializer(VarianceScaling(3.0, "fan_avg", "uniform"), [5, 4]).init_data().asnumpy()
        >>> bool(abs(x).max() <= math.sqrt(2))
        True
    """

    def __init__(self, scale: float = 1.0, mode: str = "fan_in", distribution: str = "truncated_normal") -> None:
        super().__init__(scale=scale, mode=mode, distribution=distribution)
        if scale <= 0.0:
            fail(ValueError, "VarianceScaling", "'scale'", "be greater than 0", str(scale))
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            fail(ValueError, "VarianceScaling", "'mode'", "be fan_in, fan_out or fan_avg", str(mode))
        if distribution not in ("uniform", "truncated_normal", "untruncated_normal"):
            rule = "be uniform, truncated_normal or untruncated_normal"
            fail(ValueError, "VarianceScaling", "'distribution'", rule, str(distribution))
        self.scale = scale
        self.mode = mode
        self.distribution = distribution

    def plan(self, shape: Sequence[int]) -> Plan:
        inputs, outputs = calculate_fan_in_and_fan_out(shape)
        n = {"fan_in": inputs, "fan_out": outputs, "fan_avg": (inputs + outputs) / 2}[self.mode]
        if self.distribution == "untruncated_normal":
            return initial.normal, (0.0, math.sqrt(self.scale / n))
        limit = math.sqrt(3.0 * self.scale / n)
        return initial.uniform, (-limit, limit)
