"""Activations with a parameter: leaky, shrinking, clamped and gated."""

from __future__ import annotations

from typing import Any

from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite
from ms_kernels.opdef.spec import Array
from ms_kernels.ops.activation import softplus_plain
from ms_kernels.ops.compare import greater, less, where
from ms_kernels.ops.elementary import expm1, sigmoid
from ms_kernels.ops.trigonometry import tanh

__all__ = ["elu", "leaky_relu", "softplus"]


@composite(
    ops="leaky_relu(input, alpha=0.2)",
    mintf="leaky_relu(input, negative_slope=0.01, inplace=False)",
    rename={"negative_slope": "alpha"},
)
def leaky_relu(input: Array, alpha: float = 0.2, inplace: bool = False) -> Any:
    """Return x where positive, else ``alpha * x``.

    Examples:
        >>> print(ops.leaky_relu(Tensor([-1.0, 2.0])))
        [-0.2  2. ]

    Source: ``mindspore.ops.leaky_relu``.
    """
    out = where(greater(input, 0), input, input * alpha)
    return _over(input, out) if inplace else out


def _over(input: Any, out: Any) -> Any:
    from ms_kernels.core.dispatch import replace

    return replace(input, out)


@composite(
    ops="elu(input_x, alpha=1.0)",
    mintf=["elu(input, alpha=1.0, inplace=False)", "elu_(input, alpha=1.0)"],
    primitive="Elu(alpha=1.0)(input_x)",
)
def elu(input: Array, alpha: float = 1.0, inplace: bool = False) -> Any:
    """Return x where positive, else ``alpha * (exp(x) - 1)``.

    Examples:
        >>> print(ops.elu(Tensor([-1.0, 2.0])))
        [-0.63212055  2.        ]

    Source: ``mindspore.ops.elu``.
    """
    out = where(greater(input, 0), input, expm1(where(greater(input, 0), 0, input)) * alpha)
    return _over(input, out) if inplace else out


@composite(ops="celu(x, alpha=1.0)", primitive="CeLU(alpha=1.0)(x)")
def celu(input: Array, alpha: float = 1.0) -> Any:
    """Return ``max(0, x) + min(0, alpha * (exp(x / alpha) - 1))``.

    Raises:
        ValueError: `alpha` is 0.

    Examples:
        >>> print(ops.celu(Tensor([-1.0, 2.0])))
        [-0.63212055  2.        ]

    Source: ``mindspore.ops.celu``.
    """
    if not alpha:
        fail(ValueError, "celu", "'alpha'", "not be 0", describe(alpha))
    low = where(greater(input, 0), 0, input)
    return where(greater(input, 0), input, expm1(low * (1 / alpha)) * alpha)


@composite(
    ops="softplus(input, beta=1, threshold=20)", mintf="softplus(input, beta=1, threshold=20)", name="softplus_scaled"
)
def softplus(input: Array, beta: float = 1, threshold: float = 20) -> Any:
    """Return ``log(1 + exp(beta * x)) / beta``, and x itself where ``beta * x`` is above the threshold.

    Examples:
        >>> print(ops.softplus(Tensor([0.0, 30.0])))
        [ 0.6931472 30.       ]

    Source: ``mindspore.ops.softplus``.
    """
    scaled = input if beta == 1 else input * beta
    out = softplus_plain(scaled)
    return where(greater(scaled, threshold), input, out if beta == 1 else out * (1 / beta))


@composite(ops="softsign(x)", primitive="Softsign()(x)")
def softsign(input: Array) -> Any:
    """Return ``x / (1 + |x|)``.

    Examples:
        >>> print(ops.softsign(Tensor([-1.0, 3.0])))
        [-0.5   0.75]

    Source: ``mindspore.ops.softsign``.
    """
    return input / (abs(input) + 1)


@composite(ops="tanhshrink(input)", mintf="tanhshrink(input)")
def tanhshrink(input: Array) -> Any:
    """Return ``x - tanh(x)``.

    Examples:
        >>> print(ops.tanhshrink(Tensor([0.0, 1.0])))
        [0.         0.23840582]

    Source: ``mindspore.ops.tanhshrink``.
    """
    return input - tanh(input)


@composite(
    ops=["softshrink(input, lambd=0.5)", "soft_shrink(input, lambd=0.5)"],
    mintf="softshrink(input, lambd=0.5)",
    tensor="soft_shrink(lambd=0.5)",
    primitive="SoftShrink(lambd=0.5)(input)",
)
def softshrink(input: Array, lambd: float = 0.5) -> Any:
    """Return x moved by `lambd` toward 0, and 0 within that distance.

    Examples:
        >>> print(ops.softshrink(Tensor([-1.0, 0.25, 2.0])))
        [-0.5  0.   1.5]

    Source: ``mindspore.ops.softshrink``.
    """
    return where(greater(input, lambd), input - lambd, where(less(input, -lambd), input + lambd, input * 0))


@composite(
    ops="hardshrink(x, lambd=0.5)",
    mintf="hardshrink(input, lambd=0.5)",
    tensor="hardshrink(lambd=0.5)",
    primitive="HShrink(lambd=0.5)(input_x)",
)
def hardshrink(input: Array, lambd: float = 0.5) -> Any:
    """Return x where its distance from 0 is above `lambd`, else 0.

    Examples:
        >>> print(ops.hardshrink(Tensor([-1.0, 0.25, 2.0])))
        [-1.  0.  2.]

    Source: ``mindspore.ops.hardshrink``.
    """
    return where(greater(abs(input), lambd), input, input * 0)


@composite(
    ops="hardtanh(input, min_val=-1.0, max_val=1.0)",
    mintf=["hardtanh(input, min_val=-1, max_val=1)", "hardtanh_(input, min_val=-1, max_val=1)"],
)
def hardtanh(input: Array, min_val: float = -1.0, max_val: float = 1.0) -> Any:
    """Return the element limited to [min_val, max_val].

    Examples:
        >>> print(ops.hardtanh(Tensor([-2.0, 0.5, 2.0])))
        [-1.   0.5  1. ]

    Source: ``mindspore.ops.hardtanh``.
    """
    return where(greater(input, max_val), max_val, where(less(input, min_val), min_val, input))


@composite(
    ops="threshold(input, thr, value)",
    mintf=["threshold(input, threshold, value, inplace=False)", "threshold_(input, threshold, value)"],
    rename={"thr": "threshold", "value": "value"},
)
def threshold(input: Array, threshold: float, value: float, inplace: bool = False) -> Any:
    """Return x where it is above the threshold, else `value`.

    Examples:
        >>> print(ops.threshold(Tensor([0.1, 2.0]), 0.5, 9))
        [9. 2.]

    Source: ``mindspore.ops.threshold``.
    """
    out = where(greater(input, threshold), input, value)
    return _over(input, out) if inplace else out


@composite(ops="prelu(input, weight)", mintf="prelu(input, weight)", primitive="PReLU()(x, weight)")
def prelu(input: Array, weight: Array) -> Any:
    """Return x where positive, else x times a weight: one for all, or one a channel (dimension 1).

    Raises:
        ValueError: as many weights as channels are needed.

    Examples:
        >>> print(ops.prelu(Tensor([[-1.0, 2.0]]), Tensor([0.5])))
        [[-0.5  2. ]]

    Source: ``mindspore.ops.prelu``.
    """
    channels = input.shape[1] if input.ndim > 1 else 1
    if weight.size not in (1, channels):
        fail(ValueError, "PReLU", "size of 'weight'", f"be 1 or {channels}", str(weight.size))
    if input.ndim > 1:
        weight = weight.reshape((weight.size, *((1,) * (input.ndim - 2))))
    return where(greater(input, 0), input, input * weight)


@composite(ops="glu(x, axis=-1)", mintf="glu(input, dim=-1)", primitive="GLU(axis=-1)(x)")
def glu(input: Array, dim: int = -1) -> Any:
    """Return the first half along a dimension times the sigmoid of the second.

    Raises:
        ValueError: the dimension has an odd size.

    Examples:
        >>> print(ops.glu(Tensor([1.0, 0.0])))
        [0.5]

    Source: ``mindspore.ops.glu``.
    """
    size = input.shape[rules.axis("glu", dim, input.ndim)]
    if size % 2:
        fail(ValueError, "glu", "size of the dimension", "be even", str(size))
    a, b = input.split(size // 2, dim)
    return a * sigmoid(b)
