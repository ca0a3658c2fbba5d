"""Cases of ms_kernels.ops.conv."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, Case, Maker

__all__ = ["CASES"]

ROUGH = {"float16": (2e-2, 3e-2), "bfloat16": (0.1, 0.2), "float32": (2e-5, 2e-5)}

LEAD = (slice(None), slice(None))  # all of the batch and the channels


def _taps(x: Any, w: Any, stride: Any, padding: Any, dilation: Any) -> Any:
    """For each kernel element: its index, and the slices of the padded input that it meets."""
    n = w.ndim - 2
    padded = [x.shape[i + 2] + padding[2 * i] + padding[2 * i + 1] for i in range(n)]
    out = [(padded[i] - dilation[i] * (w.shape[i + 2] - 1) - 1) // stride[i] + 1 for i in range(n)]
    for tap in itertools.product(*(range(k) for k in w.shape[2:])):
        yield (
            tap,
            tuple(slice(t * d, t * d + s * (o - 1) + 1, s) for t, d, s, o in zip(tap, dilation, stride, out)),
            out,
        )


def _pad(x: Any, padding: Any) -> Any:
    return np.pad(x, [(0, 0), (0, 0), *zip(padding[::2], padding[1::2])])


def conv(
    x: Any,
    w: Any,
    bias: Any = None,
    stride: Any = (1, 1),
    padding: Any = (0, 0, 0, 0),
    dilation: Any = (1, 1),
    groups: int = 1,
) -> Any:
    """The definition, one kernel element at a time."""
    big = _pad(x, padding)
    total: Any = 0
    for tap, where, _ in _taps(x, w, stride, padding, dilation):
        seen = np.split(big[LEAD + tuple(where)], groups, 1)
        kernels = np.split(w[LEAD + tuple(tap)], groups, 0)
        total = total + np.concatenate([np.einsum("nc...,oc->no...", s, k) for s, k in zip(seen, kernels)], 1)
    return total if bias is None else total + bias.reshape(1, -1, *[1] * (w.ndim - 2))


def grad_input(dy: Any, w: Any, shape: Any, stride: Any, padding: Any, dilation: Any = (1, 1), groups: int = 1) -> Any:
    x = np.zeros(shape)
    big = _pad(x, padding)
    for tap, where, _ in _taps(x, w, stride, padding, dilation):
        parts = zip(np.split(dy, groups, 1), np.split(w[LEAD + tuple(tap)], groups, 0))
        big[LEAD + tuple(where)] += np.concatenate([np.einsum("no...,oc->nc...", d, k) for d, k in parts], 1)
    return big[LEAD + tuple(slice(padding[2 * i], padding[2 * i] + n) for i, n in enumerate(shape[2:]))]


def _grad_weight(
    dy: Any, x: Any, shape: Any, stride: Any, padding: Any, dilation: Any = (1, 1), groups: int = 1
) -> Any:
    w, big = np.zeros(shape), _pad(x, padding)
    for tap, where, _ in _taps(x, w, stride, padding, dilation):
        parts = zip(np.split(dy, groups, 1), np.split(big[LEAD + tuple(where)], groups, 1))
        flat = [(d.reshape(*d.shape[:2], -1), s.reshape(*s.shape[:2], -1)) for d, s in parts]
        w[LEAD + tuple(tap)] = np.concatenate([np.einsum("nok,nck->oc", d, s) for d, s in flat], 0)
    return w


def _by_mode(n: int) -> Any:
    def oracle(
        x: Any,
        w: Any,
        b: Any = None,
        stride: Any = 1,
        mode: str = "valid",
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Any:
        s, d = (v if isinstance(v, tuple) else (v,) * n for v in (stride, dilation))
        if mode == "same":
            pads = []
            for size, k, step, gap in zip(x.shape[2:], w.shape[2:], s, d):
                total = max((-(-size // step) - 1) * step + gap * (k - 1) + 1 - size, 0)
                pads += [total // 2, total - total // 2]
        else:
            pads = [p for p in (padding if isinstance(padding, tuple) else (padding,) * n) for _ in range(2)]
        return conv(x, w, b, s, pads, d, groups)

    return oracle


def _inputs(m: Maker) -> list[tuple[Any, ...]]:
    return [
        (m(2, 3, 6, 5), m(4, 3, 3, 2), m(4), (1, 1), (1, 1, 0, 1), (1, 1), 1),
        (m(2, 4, 7, 7), m(6, 2, 3, 3), None, (2, 1), (0, 2, 1, 0), (1, 2), 2),
        (m(2, 3, 4, 4), m(3, 1, 3, 3), m(3), (1, 1), (1, 1, 1, 1), (1, 1), 3),
        (m(1, 2, 5), m(3, 2, 2), m(3), (2,), (1, 0), (1,), 1),
        (m(1, 2, 3, 4, 3), m(2, 2, 2, 2, 2), None, (1, 1, 1), (0, 0, 1, 0, 0, 1), (1, 1, 1), 1),
        (m(2, 3, 4, 4), m(5, 3, 1, 1)),
    ]


def _gradients(kind: str) -> Any:
    def inputs(m: Maker) -> list[tuple[Any, ...]]:
        out = []
        for args in _inputs(m)[:5]:
            x, w, _, *rest = args
            dy = m(*conv(x.astype(np.float64), w.astype(np.float64), None, *rest).shape)
            out.append((dy, w, x.shape, *rest) if kind == "input" else (dy, x, w.shape, *rest))
        return out

    return inputs


def _transpose(
    x: Any, w: Any, b: Any = None, stride: Any = 1, padding: Any = 0, extra: Any = 0, groups: int = 1, dilation: Any = 1
) -> Any:
    size = [(x.shape[i + 2] - 1) * stride - 2 * padding + dilation * (w.shape[i + 2] - 1) + 1 + extra for i in range(2)]
    out = grad_input(
        x, w, (x.shape[0], w.shape[1] * groups, *size), (stride,) * 2, (padding,) * 4, (dilation,) * 2, groups
    )
    return out if b is None else out + b.reshape(1, -1, 1, 1)


def _modes(n: int) -> Any:
    def inputs(m: Maker) -> list[tuple[Any, ...]]:
        size, kernel = (5, 4, 3)[:n], (3, 2, 2)[:n]
        x, w = m(2, 2, *size), m(4, 2, *kernel)
        return [(x, w), (x, w, m(4), 2, "same"), (x, m(4, 1, *kernel), None, 1, "pad", 1, 1, 2)]

    return inputs


CASES = {
    "convolution": Case(conv, _inputs, FLOAT, tolerance=ROUGH),
    "conv_grad_input": Case(grad_input, _gradients("input"), FLOAT, tolerance=ROUGH),
    "conv_grad_weight": Case(_grad_weight, _gradients("weight"), FLOAT, tolerance={**ROUGH, "bfloat16": (0.1, 0.5)}),
    "conv1d": Case(_by_mode(1), _modes(1), FLOAT, tolerance=ROUGH),
    "conv2d": Case(_by_mode(2), _modes(2), FLOAT, tolerance=ROUGH),
    "conv3d": Case(_by_mode(3), _modes(3), FLOAT, tolerance=ROUGH),
    "conv2d_mint": Case(
        lambda x, w, b=None, s=1, p=0, d=1, g=1: _by_mode(2)(x, w, b, s, "pad", p, d, g),
        lambda m: [(m(2, 2, 5, 4), m(4, 2, 3, 2), m(4), 2, 1)],
        FLOAT,
        tolerance=ROUGH,
    ),
    "conv_transpose2d": Case(
        _transpose,
        lambda m: [(m(2, 3, 4, 4), m(3, 2, 3, 3), m(2), 2, 1, 1), (m(2, 4, 3, 3), m(4, 2, 2, 2), None, 1, 0, 0, 2, 2)],
        FLOAT,
        tolerance=ROUGH,
    ),
}
