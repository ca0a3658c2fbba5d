"""Bessel functions of orders 0 and 1, each a row of one table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ms_kernels.opdef import rules
from ms_kernels.opdef.register import FLOATS, op
from ms_kernels.ops import _bessel as numbers
from ms_kernels.ops.compare import equal, where
from ms_kernels.ops.elementary import sign

__all__ = ["bessel_i0", "bessel_i1", "bessel_j0", "bessel_j1", "bessel_k0", "bessel_k1", "bessel_y0", "bessel_y1"]

KINDS = {
    "i": "modified Bessel function of the first kind",
    "j": "Bessel function of the first kind",
    "k": "modified Bessel function of the second kind (infinite at 0 and below)",
    "y": "Bessel function of the second kind (minus infinity at 0 and below)",
}


def _bessel(
    name: str, function: Callable[[Any], Any], slope: Callable[[Any, Any], Any], shown: str, **more: Any
) -> Any:
    """Declare one: `slope` gives the derivative from (result, operand)."""

    def body(input: Any) -> Any:
        with np.errstate(over="ignore"):
            return np.asarray(function(input.astype(np.float64))).astype(input.dtype)

    kind, order = KINDS[name[0]], name[1]
    size = ", times exp(-|x|)" if name == f"i{order}e" else ", times exp(x)" if name.endswith("e") else ""
    primitive = "Bessel" + name[0].upper() + name[1:]
    body.__annotations__["input"] = "Array"
    body.__module__ = __name__
    body.__doc__ = (
        f"Return the {kind} of order {order}{size}.\n\n"
        "Raises:\n    TypeError: the elements are no floats.\n\n"
        f"Examples:\n    >>> print(ops.bessel_{name}(Tensor([0.5, 2.0])))\n    {shown}\n\n"
        f"Source: ``mindspore.ops.bessel_{name}``; Abramowitz and Stegun, chapter 9."
    )
    return op(
        shape=rules.same,
        dtype=rules.floating,
        accepts=FLOATS,
        vjp=lambda g, out, input: g * slope(out, input),
        fuse="elementwise",
        ascend="special_f32",
        ops=[f"bessel_{name}(x)", *more.get("ops", ())],
        tensor=more.get("tensor", ()),
        primitive=f"{primitive}()(x)",
        name=f"bessel_{name}",
    )(body)


def _over_x(t: Any, x: Any, at_zero: float) -> Any:
    zero = equal(x, 0)
    return where(zero, at_zero, t / where(zero, 1, x))


def _grown(order: int) -> Callable[[Any], Any]:
    return lambda x: numbers.i(order, x) * np.exp(np.abs(x))


bessel_i0 = _bessel(
    "i0", _grown(0), lambda _out, x: bessel_i1(x), "[1.0634834 2.2795854]", ops=["i0(input)"], tensor=["i0()"]
)
bessel_i1: Any = _bessel("i1", _grown(1), lambda out, x: bessel_i0(x) - _over_x(out, x, 0.5), "[0.25789431 1.5906369 ]")
bessel_i0e = _bessel(
    "i0e", lambda x: numbers.i(0, x), lambda out, x: bessel_i1e(x) - sign(x) * out, "[0.64503527 0.30850831]"
)
bessel_i1e: Any = _bessel(
    "i1e",
    lambda x: numbers.i(1, x),
    lambda out, x: bessel_i0e(x) - sign(x) * out - _over_x(out, x, 0.5),
    "[0.15642081 0.2152693 ]",
)
bessel_j0 = _bessel("j0", lambda x: numbers.j(0, x), lambda _out, x: -bessel_j1(x), "[0.93846980 0.22389078]")
bessel_j1: Any = _bessel(
    "j1", lambda x: numbers.j(1, x), lambda out, x: bessel_j0(x) - _over_x(out, x, 0.5), "[0.24226846 0.5767248 ]"
)
bessel_k0 = _bessel(
    "k0", lambda x: numbers.k(0, x) * np.exp(-x), lambda _out, x: -bessel_k1(x), "[0.92441905 0.11389387]"
)
bessel_k1: Any = _bessel(
    "k1", lambda x: numbers.k(1, x) * np.exp(-x), lambda out, x: -bessel_k0(x) - out / x, "[1.6564411  0.13986588]"
)
bessel_k0e = _bessel("k0e", lambda x: numbers.k(0, x), lambda out, x: out - bessel_k1e(x), "[1.5241094 0.8415682]")
bessel_k1e: Any = _bessel(
    "k1e", lambda x: numbers.k(1, x), lambda out, x: out - bessel_k0e(x) - out / x, "[2.7310097 1.0334768]"
)
bessel_y0 = _bessel("y0", lambda x: numbers.y(0, x), lambda _out, x: -bessel_y1(x), "[-0.44451874  0.5103757 ]")
bessel_y1: Any = _bessel(
    "y1", lambda x: numbers.y(1, x), lambda out, x: bessel_y0(x) - out / x, "[-1.4714724  -0.10703243]"
)
