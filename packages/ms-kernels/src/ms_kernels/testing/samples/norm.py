"""Cases of ms_kernels.ops.norm."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, Case, Maker

__all__ = [
    "CASES",
    "EPS",
    "ROUGH",
    "affine",
    "backward",
    "grad_inputs",
    "moments",
    "norm_axes",
    "per_channel",
    "widened",
]

EPS = 0.1


ROUGH = {"float16": (1e-2, 1e-2), "bfloat16": (5e-2, 8e-2), "float32": (3e-5, 1e-5)}


def norm_axes(x: Any) -> tuple[int, ...]:
    return (0, *range(2, x.ndim))


def per_channel(p: Any, x: Any) -> Any:
    return p.reshape(1, -1, *[1] * (x.ndim - 2))


def affine(y: Any, w: Any, b: Any, lift: Any) -> Any:
    y = y if w is None else y * lift(w)
    return y if b is None else y + lift(b)


def moments(x: Any, axes: Any, eps: float) -> tuple[Any, Any, Any]:
    mean, var = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    return mean, var, 1 / np.sqrt(var + eps)


def backward(dy: Any, x: Any, mean: Any, rstd: Any, w: Any, axes: Any, lift: Any) -> tuple[Any, Any, Any]:
    """The textbook gradient: x normalised over `axes`, w and b lifted to x's dimensions."""
    h = (x - mean) * rstd
    g = dy if w is None else dy * lift(w)
    dx = rstd * (g - g.mean(axes, keepdims=True) - h * (g * h).mean(axes, keepdims=True))
    return dx, dy * h, dy


def _layer(x: Any, w: Any, b: Any, dims: int, eps: float) -> Any:
    mean, _, rstd = moments(x, tuple(range(x.ndim - dims, x.ndim)), eps)
    return affine((x - mean) * rstd, w, b, lambda p: p), mean, rstd


def _layer_grad(dy: Any, x: Any, mean: Any, rstd: Any, w: Any, dims: int) -> Any:
    dx, dw, db = backward(dy, x, mean, rstd, w, tuple(range(x.ndim - dims, x.ndim)), lambda p: p)
    outer = tuple(range(x.ndim - dims))
    return dx, dw.sum(outer), db.sum(outer)


def _split(x: Any, groups: int) -> Any:
    return x.reshape(x.shape[0], groups, -1)


def _group(x: Any, w: Any, b: Any, groups: int, eps: float) -> Any:
    mean, _, rstd = moments(_split(x, groups), -1, eps)
    y = ((_split(x, groups) - mean) * rstd).reshape(x.shape)
    return affine(y, w, b, lambda p: per_channel(p, x)), mean[..., 0], rstd[..., 0]


def _group_grad(dy: Any, x: Any, mean: Any, rstd: Any, w: Any, groups: int) -> Any:
    g = dy if w is None else dy * per_channel(w, x)
    dx, _, _ = backward(_split(g, groups), _split(x, groups), mean[..., None], rstd[..., None], None, -1, None)
    h = ((_split(x, groups) - mean[..., None]) * rstd[..., None]).reshape(x.shape)
    return dx.reshape(x.shape), (dy * h).sum(norm_axes(x)), dy.sum(norm_axes(x))


def widened(m: Maker) -> Maker:
    """Statistics and weights of 16-bit tensors are float32."""
    return m if m.dtype == "float64" else Maker("float32", 7)


def _layers(m: Maker) -> list[tuple[Any, ...]]:
    w = widened(m)
    return [(m(4, 5), w(5), w(5), 1, EPS), (m(2, 3, 4), w(3, 4), w(3, 4), 2, EPS), (m(2, 5), None, None, 1, EPS)]


def _groups(m: Maker) -> list[tuple[Any, ...]]:
    w = widened(m)
    return [(m(2, 4, 3), w(4), w(4), 2, EPS), (m(2, 3, 2, 2), w(3), w(3), 3, EPS), (m(2, 4), None, None, 1, EPS)]


def grad_inputs(inputs: Any, forward: Any, pick: Any, tail: Any) -> Any:
    """Inputs of a gradient op, from those of its forward."""

    def make(m: Maker) -> list[tuple[Any, ...]]:
        out = []
        for args in inputs(m)[:2]:
            x, w = args[0], args[1]
            found = forward(x.astype(np.float64), None, None, *args[3:])
            stats = [found[i].astype(widened(m).np) for i in pick]
            out.append((m(*x.shape), x, *stats, w, *tail(args)))
        return out

    return make


def _layer_primitive(x: Any, w: Any, b: Any, first: int = 1, params: int = 1, eps: float = 1e-7) -> Any:
    axes = tuple(range(first, x.ndim))
    y, mean, _ = _layer(x, w, b, x.ndim - first, eps)
    return y, mean, x.var(axes, keepdims=True)


CASES = {
    "layer_norm_dims": Case(_layer, _layers, FLOAT, tolerance=ROUGH, results=1),
    "layer_norm_grad": Case(
        _layer_grad,
        grad_inputs(_layers, _layer, (1, 2), lambda a: (a[3],)),
        FLOAT,
        0,
        {**ROUGH, "float16": (2e-2, 5e-2), "bfloat16": (0.1, 0.3)},
    ),
    "layer_norm": Case(
        lambda x, shape, w=None, b=None, eps=1e-5: _layer(x, w, b, len(shape), eps)[0],
        lambda m: [(m(4, 5), (5,), widened(m)(5), widened(m)(5), EPS), (m(2, 3, 4), (3, 4))],
        FLOAT,
        tolerance=ROUGH,
    ),
    "layer_norm_all": Case(
        _layer_primitive,
        lambda m: [(m(4, 5), widened(m)(5), widened(m)(5), 1, 1, EPS)],
        FLOAT,
        tolerance={**ROUGH, "float32": (1e-4, 1e-4)},
        results=1,
    ),
    "group_norm_groups": Case(_group, _groups, FLOAT, tolerance=ROUGH, results=1),
    "group_norm_grad": Case(
        _group_grad,
        grad_inputs(_groups, _group, (1, 2), lambda a: (a[3],)),
        FLOAT,
        0,
        {**ROUGH, "float16": (2e-2, 5e-2), "bfloat16": (0.1, 0.3)},
    ),
    "group_norm": Case(
        lambda x, groups, w=None, b=None, eps=1e-5: _group(x, w, b, groups, eps)[0],
        lambda m: [(m(2, 4, 3), 2, widened(m)(4), widened(m)(4), EPS), (m(2, 4), 2)],
        FLOAT,
        tolerance=ROUGH,
    ),
}
