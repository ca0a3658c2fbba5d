"""The gamma function's relatives, and the logit."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import FLOATS, composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops import _gamma as numbers
from ms_kernels.ops._tape import cast_np, meet
from ms_kernels.ops.compare import where
from ms_kernels.ops.elementary import exp, log, log1p
from ms_kernels.ops.signs import tensor_only

__all__ = ["digamma", "igamma", "igammac", "lgamma", "logit", "mvlgamma", "polygamma", "zeta"]

WIDE = frozenset({np.dtype(np.float32), np.dtype(np.float64)})
ASCEND = "special_f32"


def _in_float64(function: Callable[..., Any], *arrays: Any) -> Any:
    """Computed in float64, rounded once."""
    with np.errstate(over="ignore"):
        return np.asarray(function(*(a.astype(np.float64) for a in arrays))).astype(arrays[0].dtype)


def _lgamma_vjp(g: Any, _out: Any, input: Any) -> Any:
    return g * digamma(input)


@op(
    shape=rules.same,
    dtype=rules.floating,
    vjp=_lgamma_vjp,
    fuse="elementwise",
    ascend=ASCEND,
    ops="lgamma(input)",
    tensor="lgamma()",
    primitive="Lgamma()(x)",
)
def lgamma(input: Array) -> Any:
    """Return the logarithm of the gamma function's absolute value; infinity at 0 and negative integers.

    Raises:
        TypeError: the input is no Tensor.

    Examples:
        >>> print(ops.lgamma(Tensor([0.5, 1.0, 4.0])))
        [0.57236494 0.         1.7917595 ]

    Source: ``mindspore.ops.lgamma``; Abramowitz and Stegun 6.1.41.
    """
    return _in_float64(numbers.lgamma, input)


def _digamma_vjp(g: Any, _out: Any, input: Any) -> Any:
    return g * polygamma_of(1, input)


@op(
    shape=rules.same,
    dtype=rules.floating,
    accepts=FLOATS,
    vjp=_digamma_vjp,
    fuse="elementwise",
    ascend=ASCEND,
    ops="digamma(input)",
    tensor="digamma()",
    primitive="Digamma()(x)",
)
def digamma(input: Array) -> Any:
    """Return the derivative of `lgamma`; NaN at negative integers.

    Raises:
        TypeError: the elements are no floats.

    Examples:
        >>> print(ops.digamma(Tensor([1.0, 2.5])))
        [-0.5772157  0.7031566]

    Source: ``mindspore.ops.digamma``; Abramowitz and Stegun 6.3.18.
    """
    return _in_float64(numbers.digamma, input)


def _polygamma_of_vjp(g: Any, _out: Any, n: Any, input: Any) -> Any:
    return g * polygamma_of(n + 1, input)


@op(
    shape=lambda _n, shape: shape,
    dtype=lambda _n, input: rules.floating(input),
    vjp=_polygamma_of_vjp,
    fuse="elementwise",
    ascend=ASCEND,
    batch="elementwise",
    primitive="PolygammaOf()(n, x)",
    label="Polygamma",
)
def polygamma_of(n: int, input: Array) -> Any:
    """Return the n-th derivative of `digamma`.

    Examples:
        >>> print(ops.PolygammaOf()(1, Tensor([1.0])))
        [1.644934]

    Source: Abramowitz and Stegun 6.4.10.
    """
    return _in_float64(lambda x: numbers.polygamma(n, x), input)


@composite(promote=1, ops="polygamma(n, input)", primitive="Polygamma()(a, x)", rename={"a": "n"})
def polygamma(n: Any, input: Array) -> Any:
    """Return the n-th derivative of `digamma`.

    Args:
        n: a 0-d tensor of integers, not below 0.

    Raises:
        TypeError: `n` is no tensor of integers.
        ValueError: `n` has dimensions.

    Examples:
        >>> print(ops.polygamma(Tensor(1), Tensor([1.0])))
        [1.644934]

    Source: ``mindspore.ops.polygamma``.
    """
    tensor_only("Polygamma", "n", n)
    tensor_only("Polygamma", "input", input)
    if n.dtype.kind not in "iu":
        fail(TypeError, "Polygamma", "dtype of 'n'", "be int32 or int64", str(n.dtype))
    if n.ndim:
        fail(ValueError, "Polygamma", "'n'", "have no dimension", f"shape {list(n.shape)}")
    if input.dtype.kind != "f":
        fail(TypeError, "Polygamma", "dtype of 'input'", "be one of floats", str(input.dtype))
    return polygamma_of(int(n.item()), input)


def _zeta_vjp(g: Any, _out: Any, input: Any, other: Any) -> Any:
    return (None, lambda: g * (-input * zeta(input + 1, other)))


@op(
    shape=rules.broadcast("Zeta"),
    dtype=rules.promote,
    accepts=WIDE,
    vjp=_zeta_vjp,
    fuse="elementwise",
    ascend=ASCEND,
    primitive="Zeta()(x, q)",
    rename={"q": "other"},
)
def zeta(input: Array, other: Array) -> Any:
    """Return Hurwitz' zeta function, the sum of ``(q + k) ** -x`` over k >= 0; its gradient is that by q.

    Examples:
        >>> print(ops.Zeta()(Tensor([2.0]), Tensor([1.0])))
        [1.644934]

    Source: ``mindspore.ops.Zeta``; Abramowitz and Stegun 23.2 with Euler and Maclaurin's formula.
    """
    return _in_float64(numbers.zeta, input, other)


@composite(promote=1, ops="zeta(input, other)", name="zeta_of_any", label="zeta")
def zeta_of_any(input: Array, other: Array) -> Any:
    """Return Hurwitz' zeta function, the sum of ``(other + k) ** -input`` over k >= 0; one of both may be a number.

    Raises:
        TypeError: both are numbers, or elements that are neither float32 nor float64.

    Examples:
        >>> print(ops.zeta(Tensor([2.0]), 1.0))
        [1.644934]

    Source: ``mindspore.ops.zeta``.
    """
    if not isinstance(input, TensorBase) and not isinstance(other, TensorBase):
        fail(TypeError, "zeta", "one of the inputs", "be a Tensor", f"{describe(input)} and {describe(other)}")
    return zeta(*meet(input, other))


def _igamma_slope_x(a: Any, x: Any) -> Any:
    """The derivative of igamma by x: x ** (a - 1) * exp(-x) / gamma(a)."""
    return exp((a - 1) * log(x) - x - lgamma(a))


@op(
    shape=rules.broadcast("Igamma"),
    dtype=rules.promote,
    accepts=WIDE,
    fuse="elementwise",
    ascend=ASCEND,
    nondiff="second derivatives of Igamma by its first argument: 2.6 has none",
    primitive="IgammaSlope()(a, x)",
    rename={"a": "input", "x": "other"},
)
def igamma_slope(input: Array, other: Array) -> Any:
    """Return the derivative of `igamma` by its first argument.

    Examples:
        >>> print(ops.IgammaSlope()(Tensor([2.0]), Tensor([1.0])).asnumpy().round(4))
        [-0.2762]

    Source: Abramowitz and Stegun 6.5.4, each term differentiated.
    """
    return _in_float64(numbers.igamma_slope, input, other)


def _incomplete(name: str, function: Any, sign: int, word: str, shown: str) -> Any:
    def body(input: Any, other: Any) -> Any:
        return _in_float64(function, input, other)

    def public(input: Any, other: Any) -> Any:
        tensor_only(name.capitalize(), "input", input)
        tensor_only(name.capitalize(), "other", other)
        if input.dtype != other.dtype:
            fail(TypeError, name.capitalize(), "dtypes of the inputs", "be equal", f"{input.dtype} and {other.dtype}")
        return made(input, other)

    primitive = name.capitalize()
    text = (
        f"Return the regularized {word} incomplete gamma function of shape `input` (above 0) at `other` (0 or more), "
        "else NaN.\n\n"
        "Raises:\n    TypeError: no Tensors, other elements than float32 and float64, or two types.\n\n"
    )
    for function_, call in ((body, f"ops.{primitive}()"), (public, f"ops.{name}")):
        function_.__annotations__.update(input="Array", other="Array")
        function_.__module__ = __name__
        function_.__doc__ = (
            f"{text}Examples:\n    >>> print({call}(Tensor([2.0, 3.0]), Tensor([1.0, 2.0])))\n    {shown}\n\n"
            f"Source: ``mindspore.ops.{name}``; Abramowitz and Stegun 6.5.29 and 6.5.31."
        )
    made = op(
        shape=rules.broadcast(primitive),
        dtype=rules.promote,
        accepts=WIDE,
        vjp=lambda g, _out, input, other: (
            lambda: g * igamma_slope(input, other) * sign,
            lambda: g * _igamma_slope_x(input, other) * sign,
        ),
        fuse="elementwise",
        ascend=ASCEND,
        primitive=f"{primitive}()(a, x)",
        rename={"a": "input", "x": "other"},
        name=name,
    )(body)
    return made, composite(ops=f"{name}(input, other)", tensor=f"{name}(other)", name=f"{name}_of", label=primitive)(
        public
    )


igamma, igamma_public = _incomplete("igamma", numbers.igamma, 1, "lower", "[0.26424113 0.32332358]")
igammac, igammac_public = _incomplete("igammac", numbers.igammac, -1, "upper", "[0.7357589 0.6766764]")


@op(
    shape=lambda *shapes: rules.broadcast("Betainc")(*shapes),
    dtype=rules.promote,
    accepts=WIDE,
    fuse="elementwise",
    vjp=lambda g, _out, a, b, x: (
        None,
        None,
        lambda: g * exp((a - 1) * log(x) + (b - 1) * log1p(-x) + lgamma(a + b) - lgamma(a) - lgamma(b)),
    ),
    ascend=ASCEND,
    batch="elementwise",
    primitive="Betainc()(a, b, x)",
)
def betainc(a: Array, b: Array, x: Array) -> Any:
    """Return the regularized incomplete beta function of shapes a and b (above 0) at x in [0, 1]; its gradient is by x.

    Examples:
        >>> print(ops.Betainc()(Tensor([1.0]), Tensor([1.0]), Tensor([0.25])))
        [0.25]

    Source: ``mindspore.ops.Betainc``; Abramowitz and Stegun 26.5.8.
    """
    return _in_float64(numbers.betainc, a, b, x)


@composite(ops="mvlgamma(input, p)", tensor="mvlgamma(p)", primitive="Mvlgamma(p)(x)")
def mvlgamma(input: Array, p: int) -> Any:
    """Return the logarithm of the multivariate gamma function of dimension p, for elements above (p - 1) / 2.

    Raises:
        TypeError: the elements are neither float32 nor float64, or `p` is no int.
        ValueError: `p` is below 1, or an element is not above (p - 1) / 2.

    Examples:
        >>> print(ops.mvlgamma(Tensor([2.0]), 1))
        [0.]

    Source: ``mindspore.ops.mvlgamma``.
    """
    tensor_only("Mvlgamma", "input", input)
    if input._kind not in WIDE:
        fail(TypeError, "Mvlgamma", "dtype of 'input'", "be float32 or float64", str(input.dtype))
    if isinstance(p, bool) or not isinstance(p, int):
        fail(TypeError, "Mvlgamma", "'p'", "be an int", describe(p))
    if p < 1:
        fail(ValueError, "Mvlgamma", "'p'", "be 1 or more", str(p))
    if not (input._a > (p - 1) / 2).all():
        fail(ValueError, "Mvlgamma", "elements of 'input'", f"be above {(p - 1) / 2}")
    out = lgamma(input) + p * (p - 1) / 4 * math.log(math.pi)
    for i in range(1, p):
        out = out + lgamma(input - i / 2)
    return out


@composite(ops="logit(input, eps=None)", tensor="logit(eps=None)", primitive="Logit(eps=-1.0)(input)")
def logit(input: Array, eps: float | None = None) -> Any:
    """Return ``log(x / (1 - x))``; NaN outside [0, 1] unless `eps` limits the elements to [eps, 1 - eps] first.

    Raises:
        TypeError: the elements are no floats.

    Examples:
        >>> print(ops.logit(Tensor([0.5, 0.75])))
        [0.        1.0986123]

    Source: ``mindspore.ops.logit``.
    """
    tensor_only("Logit", "input", input)
    if input.dtype.kind != "f":
        fail(TypeError, "Logit", "dtype of 'input'", "be one of floats", str(input.dtype))
    if eps is not None and (isinstance(eps, bool) or not isinstance(eps, (int, float))):
        fail(TypeError, "Logit", "'eps'", "be a float", describe(eps))
    x = input
    if eps is not None and eps >= 0:
        low, high = (cast_np(from_array(np.asarray(v)), input._kind) for v in (eps, 1 - eps))
        x = where(x < low, low, where(x > high, high, x))
    return log(x / (1 - x))
