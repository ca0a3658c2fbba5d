"""Cases of ms_kernels.ops.norm_forms and ms_kernels.ops.gates."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import Case, Maker

__all__ = ["CASES"]

ROUGH = {"float16": (2e-2, 3e-2), "bfloat16": (0.1, 0.2), "float32": (1e-4, 1e-5)}


def _rms(x: Any, w: Any, eps: float = 1e-6) -> Any:
    scale = 1 / np.sqrt((x * x).mean(tuple(range(x.ndim - w.ndim, x.ndim)), keepdims=True) + eps)
    return x * scale * w, scale


def _rms_grad(dy: Any, x: Any, rstd: Any, w: Any) -> Any:
    """By the definition's derivative, element by element of the Jacobian."""
    n = x.shape[-1]
    dx = np.zeros(x.shape)
    for i, row in enumerate(x):
        r = rstd[i, 0]
        dx[i] = ((np.eye(n) * r - np.outer(row, row) * r**3 / n) * w[:, None]).T @ dy[i]
    return dx, (dy * x * rstd).sum(0)


def _rms_grads(m: Maker) -> list[tuple[Any, ...]]:
    x = m.away(3, 5)
    wide = np.float64 if m.dtype == "float64" else np.float32
    rstd = 1 / np.sqrt((x.astype(np.float64) ** 2).mean(-1, keepdims=True))
    return [(m(3, 5), x, rstd.astype(wide), m(5))]


def _add_layer(x: Any, y: Any, w: Any, b: Any, eps: float = 1e-5) -> Any:
    total = x + y
    mean = total.mean(-1, keepdims=True)
    rstd = 1 / np.sqrt(total.var(-1, keepdims=True) + eps)
    return (total - mean) * rstd * w + b, mean, rstd, total


def _lrn(x: Any, radius: int = 5, bias: float = 1.0, alpha: float = 1.0, beta: float = 0.5) -> Any:
    total = np.zeros(x.shape)
    for c in range(x.shape[1]):
        total[:, c] = (x[:, max(c - radius, 0) : c + radius + 1] ** 2).sum(1)
    return x / (bias + alpha * total) ** beta


def _cosine(x: Any, y: Any, dim: int = 1) -> Any:
    return (x * y).sum(dim) / np.sqrt((x * x).sum(dim) * (y * y).sum(dim))


def _rotary(x: Any, cos: Any, sin: Any, mode: int = 0) -> Any:
    d = x.shape[-1]
    first = np.arange(d // 2) if mode == 0 else np.arange(0, d, 2)
    second = first + (d // 2 if mode == 0 else 1)
    turned = np.zeros(x.shape)
    turned[..., first], turned[..., second] = -x[..., second], x[..., first]
    return x * cos + turned * sin


def _swiglu(x: Any, dim: int = -1) -> Any:
    a, b = np.split(x, 2, dim)
    return a / (1 + np.exp(-a)) * b


CASES = {
    "rms_norm": Case(_rms, lambda m: [(m.away(2, 5), m(5)), (m.away(2, 3, 4), m(3, 4))], tolerance=ROUGH, results=1),
    "rms_norm_grad": Case(_rms_grad, _rms_grads, grad=0, tolerance=ROUGH),
    "add_rms_norm": Case(
        lambda x, y, w: (*_rms(x + y, w), x + y),
        lambda m: [(m.distinct(2, 5), m.distinct(2, 5), m(5))],
        tolerance=ROUGH,
        results=1,
    ),
    "add_layer_norm": Case(
        _add_layer, lambda m: [(m.distinct(3, 5), m.distinct(3, 5), m(5), m(5), 1e-3)], tolerance=ROUGH, results=1
    ),
    "lrn": Case(_lrn, lambda m: [(m(2, 7, 2, 3), 2, 1.5, 0.5, 0.75), (m(1, 3, 2, 2),)], tolerance=ROUGH),
    "normalize": Case(
        lambda x, p, dim: x / np.linalg.norm(x, p, dim, keepdims=True),
        lambda m: [
            (m.away(3, 4), 2.0, 1),
            (m.away(3, 4), 3.0, 0),
            (m.distinct(3, 4), float("inf"), 1),
            (m.away(3, 4), 1.0, 1),
        ],
        tolerance=ROUGH,
    ),
    "l2_normalize": Case(
        lambda x, dim: x / np.sqrt((x * x).sum(dim, keepdims=True)),
        lambda m: [(m.away(3, 4), 1), (m.away(3, 4), 0)],
        tolerance=ROUGH,
    ),
    "l2_loss": Case(lambda x: (x * x).sum() / 2, lambda m: [(m(3, 4),)], tolerance=ROUGH),
    "cosine_similarity": Case(
        _cosine, lambda m: [(m.away(3, 4), m.away(3, 4)), (m.away(3, 4, 2), m.away(3, 4, 2), -1)], tolerance=ROUGH
    ),
    "swiglu": Case(_swiglu, lambda m: [(m(3, 4),), (m(4, 3), 0)], tolerance=ROUGH),
    "fast_gelu": Case(lambda x: x / (1 + np.exp(-1.702 * x)), lambda m: [(m(3, 4),)], tolerance=ROUGH),
    "gelu_old": Case(
        lambda x: x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
        lambda m: [(m(3, 4),)],
        tolerance=ROUGH,
    ),
    "rotary_position_embedding": Case(
        _rotary, lambda m: [(m(2, 3, 2, 6), m(1, 3, 1, 6), m(1, 3, 1, 6), mode) for mode in (0, 1)], tolerance=ROUGH
    ),
    "bias_add": Case(
        lambda x, b, form="NCHW": x + (b if form == "NHWC" else b.reshape(-1, *[1] * (x.ndim - 2))),
        lambda m: [(m(2, 3, 4), m(3)), (m(2, 4, 3), m(3), "NHWC"), (m(2, 3), m(3))],
    ),
    "bidense": Case(
        lambda x, y, w, b=None: np.einsum("...i,oij,...j->...o", x, w, y) + (0 if b is None else b),
        lambda m: [
            (m(2, 3, low=-1, high=1), m(2, 4, low=-1, high=1), m(5, 3, 4, low=-1, high=1), m(5)),
            (m(2, 2, 3, low=-1, high=1), m(2, 2, 4, low=-1, high=1), m(5, 3, 4, low=-1, high=1)),
        ],
        tolerance={"float16": (2e-2, 5e-2), "bfloat16": (0.1, 0.3), "float32": (1e-4, 1e-5)},
    ),
}
