"""What the optimizers without a fused loop compute: one function per rule, on the arrays of one parameter, in place.

`p` is the parameter, `g` its gradient (weight decay and loss scale are in it already), the arrays after them are the
rule's state. Nothing is checked here.
"""

from __future__ import annotations

import numpy as np

from ms_nn.optim._inplace import Array

__all__ = [
    "adadelta",
    "adafactor_direction",
    "adamax",
    "asgd",
    "ftrl",
    "lamb",
    "proximal_adagrad",
    "root_mean_square",
    "rprop",
]


def adamax(p: Array, g: Array, m: Array, v: Array, lr: float, beta1: float, beta2: float, eps: float) -> None:
    """Adam with the infinity norm; `lr` holds the correction of the bias."""
    m += (g - m) * (1 - beta1)
    np.maximum(v * beta2, np.abs(g), out=v)
    p -= lr * m / (v + eps)


def proximal_adagrad(p: Array, g: Array, accum: Array, lr: float, l1: float, l2: float) -> None:
    """Adagrad, then a step of the proximal operator of l1 and l2."""
    accum += g * g
    rate = lr / np.sqrt(accum)
    step = p - rate * g
    p[...] = np.sign(step) * np.maximum(np.abs(step) - rate * l1, 0) / (1 + l2 * rate)


def adadelta(p: Array, g: Array, accum: Array, accum_update: Array, lr: float, rho: float, eps: float) -> None:
    """Steps in the parameter's own unit."""
    accum += (g * g - accum) * (1 - rho)
    step = np.sqrt(accum_update + eps) / np.sqrt(accum + eps) * g
    accum_update += (step * step - accum_update) * (1 - rho)
    p -= lr * step


def lamb(
    p: Array,
    g: Array,
    m: Array,
    v: Array,
    lr: float,
    beta1: float,
    beta2: float,
    eps: float,
    decay: float,
    step: int,
) -> None:
    """Adam with decay, its step scaled to the length of the parameter."""
    m += (g - m) * (1 - beta1)
    v += (g * g - v) * (1 - beta2)
    update = m / (1 - beta1**step) / (np.sqrt(v / (1 - beta2**step)) + eps) + decay * p
    length, reach = float(np.linalg.norm(p)), float(np.linalg.norm(update))
    ratio = length / reach if length > 0 and reach > 0 else 1.0
    p -= lr * ratio * update


def ftrl(p: Array, g: Array, accum: Array, linear: Array, lr: float, l1: float, l2: float, lr_power: float) -> None:
    """Follow the regularized leader."""
    new = accum + g * g
    linear += g - (new**-lr_power - accum**-lr_power) / lr * p
    p[...] = np.where(
        np.abs(linear) > l1, (np.sign(linear) * l1 - linear) / (new**-lr_power / lr + 2 * l2), np.zeros_like(p)
    )
    accum[...] = new


def asgd(p: Array, g: Array, average: Array, eta: float, mu: float, lambd: float) -> None:
    """Gradient descent that also keeps an average of the parameter."""
    p *= 1 - lambd * eta
    p -= eta * g
    average += (p - average) * mu


def rprop(
    p: Array, g: Array, prev: Array, step_size: Array, etas: tuple[float, float], limits: tuple[float, float]
) -> None:
    """Steps by the gradient's sign; they grow while it stays, and shrink when it turns."""
    turn = g * prev
    factor = np.where(turn > 0, etas[1], np.where(turn < 0, etas[0], 1.0)).astype(p.dtype)
    np.clip(step_size * factor, limits[0], limits[1], out=step_size)
    g = np.where(turn < 0, np.zeros_like(g), g)
    p -= np.sign(g) * step_size
    prev[...] = g


def root_mean_square(x: Array) -> float:
    """sqrt(mean(x^2))."""
    return float(np.sqrt(np.mean(np.square(x))))


def adafactor_direction(g: Array, row: Array, column: Array, square: Array, keep: float, eps: float) -> Array:
    """The gradient over the root of its second moments, which for matrices are kept as means of rows and columns."""
    squares = g * g + eps
    if g.ndim < 2:
        square += (squares - square) * (1 - keep)
        return g / np.sqrt(square)
    row += (squares.mean(-1) - row) * (1 - keep)
    column += (squares.mean(-2) - column) * (1 - keep)
    by_row = np.sqrt(row.mean(-1, keepdims=True) / row)
    result: Array = g * by_row[..., None] / np.sqrt(column)[..., None, :]
    return result
