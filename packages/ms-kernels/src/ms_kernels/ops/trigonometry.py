"""Trigonometric and hyperbolic functions and their inverses."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.ops._rows import EVERYWHERE, unary
from ms_kernels.ops.elementary import rsqrt

__all__ = ["cos", "cosh", "sin", "sinh", "tanh"]


def _sin_vjp(g: Any, _out: Any, input: Any) -> Any:
    return g * cos(input)


sin = unary(
    "sin",
    "Return the sine of each element, in radians.",
    "ops.sin(Tensor([0.0, 1.0])) -> [0.       0.841471]",
    np.sin,
    _sin_vjp,
    primitive="Sin",
    inplace=True,
)


cos = unary(
    "cos",
    "Return the cosine of each element, in radians.",
    "ops.cos(Tensor([0.0, 1.0])) -> [1.        0.5403023]",
    np.cos,
    lambda g, _out, input: g * (sin(input) * -1),
    primitive="Cos",
    inplace=True,
)


tan = unary(
    "tan",
    "Return the tangent of each element, in radians.",
    "ops.tan(Tensor([0.0, 1.0])) -> [0.        1.5574077]",
    np.tan,
    lambda g, out, _input: g * (out * out + 1),
    primitive="Tan",
    inplace=True,
)


asin = unary(
    "asin",
    "Return the arc sine, in radians; NaN outside [-1, 1].",
    "ops.asin(Tensor([0.0, 1.0])) -> [0.        1.5707964]",
    np.arcsin,
    lambda g, _out, input: g * rsqrt(1 - input * input),
    primitive="Asin",
    aliases=("arcsin",),
    inplace=True,
)


acos = unary(
    "acos",
    "Return the arc cosine, in radians; NaN outside [-1, 1].",
    "ops.acos(Tensor([0.0, 1.0])) -> [1.5707964 0.       ]",
    np.arccos,
    lambda g, _out, input: g * (rsqrt(1 - input * input) * -1),
    primitive="ACos",
    aliases=("arccos",),
    inplace=True,
)


atan = unary(
    "atan",
    "Return the arc tangent, in radians.",
    "ops.atan(Tensor([0.0, 1.0])) -> [0.        0.7853982]",
    np.arctan,
    lambda g, _out, input: g / (input * input + 1),
    primitive="Atan",
    aliases=("arctan",),
    inplace=True,
)


def _sinh_vjp(g: Any, _out: Any, input: Any) -> Any:
    return g * cosh(input)


sinh = unary(
    "sinh",
    "Return the hyperbolic sine.",
    "ops.sinh(Tensor([0.0, 1.0])) -> [0.        1.1752012]",
    np.sinh,
    _sinh_vjp,
    primitive="Sinh",
    inplace=True,
)


cosh = unary(
    "cosh",
    "Return the hyperbolic cosine.",
    "ops.cosh(Tensor([0.0, 1.0])) -> [1.        1.5430807]",
    np.cosh,
    lambda g, _out, input: g * sinh(input),
    primitive="Cosh",
    inplace=True,
)


tanh = unary(
    "tanh",
    "Return the hyperbolic tangent.",
    "ops.tanh(Tensor([0.0, 1.0])) -> [0.        0.7615942]",
    np.tanh,
    lambda g, out, _input: g * (1 - out * out),
    primitive="Tanh",
    surfaces=(*EVERYWHERE, "mintf"),
    inplace=True,
)


asinh = unary(
    "asinh",
    "Return the inverse hyperbolic sine.",
    "ops.asinh(Tensor([0.0, 1.0])) -> [0.        0.8813736]",
    np.arcsinh,
    lambda g, _out, input: g * rsqrt(input * input + 1),
    primitive="Asinh",
    aliases=("arcsinh",),
    inplace=True,
)


acosh = unary(
    "acosh",
    "Return the inverse hyperbolic cosine; NaN below 1.",
    "ops.acosh(Tensor([1.0, 2.0])) -> [0.        1.3169578]",
    np.arccosh,
    lambda g, _out, input: g * rsqrt(input * input - 1),
    primitive="Acosh",
    aliases=("arccosh",),
    inplace=True,
)


atanh = unary(
    "atanh",
    "Return the inverse hyperbolic tangent; NaN outside (-1, 1).",
    "ops.atanh(Tensor([0.0, 0.5])) -> [0.        0.5493061]",
    np.arctanh,
    lambda g, _out, input: g / (1 - input * input),
    primitive="Atanh",
    aliases=("arctanh",),
    inplace=True,
)
