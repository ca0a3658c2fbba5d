"""Cases of ms_kernels.ops.deformable."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import Case, Maker

__all__ = ["CASES"]


def _at(image: Any, y: float, x: float) -> float:
    """The value of an image at a place, 0 outside."""
    total = 0.0
    for i in (int(np.floor(y)), int(np.floor(y)) + 1):
        for j in (int(np.floor(x)), int(np.floor(x)) + 1):
            if 0 <= i < image.shape[0] and 0 <= j < image.shape[1]:
                total += image[i, j] * (1 - abs(y - i)) * (1 - abs(x - j))
    return total


def _deformable(
    x: Any,
    w: Any,
    moves: Any,
    kernel: Any,
    strides: Any,
    padding: Any,
    bias: Any = None,
    dilations: Any = (1, 1, 1, 1),
    groups: int = 1,
    parts: int = 1,
    _modulated: bool = True,
) -> Any:
    count = kernel[0] * kernel[1]
    out = np.zeros((len(x), len(w), *moves.shape[2:]))
    for n, o, i, j in np.ndindex(*out.shape):
        for c in range(w.shape[1]):
            channel = o // (len(w) // groups) * w.shape[1] + c
            part = channel // (x.shape[1] // parts)
            for k in range(count):
                right, down, share = (moves[n, (what * parts + part) * count + k, i, j] for what in range(3))
                y = i * strides[2] - padding[0] + k // kernel[1] * dilations[2] + down
                z = j * strides[3] - padding[2] + k % kernel[1] * dilations[3] + right
                out[n, o, i, j] += w[o, c].reshape(-1)[k] * share * _at(x[n, channel], y, z)
    return out if bias is None else out + bias.reshape(1, -1, 1, 1)


def _moves(m: Maker, n: int, channels: int, *out: int) -> Any:
    """Moves between pixels, away from them: the gradient jumps there."""
    whole = m.ints(n, channels, *out, low=-1, high=2)
    return (whole + m(n, channels, *out, low=0.2, high=0.8)).astype(m.np)


CASES = {
    "deformable_conv2d": Case(
        _deformable,
        lambda m: [
            (m(1, 2, 4, 4), m(2, 2, 2, 2), _moves(m, 1, 12, 3, 3), (2, 2), (1, 1, 1, 1), (0, 0, 0, 0)),
            (
                m(2, 2, 3, 4),
                m(2, 1, 2, 1),
                _moves(m, 2, 12, 2, 2),
                (2, 1),
                (1, 1, 1, 2),
                (1, 0, 0, 0),
                m(2),
                (1, 1, 2, 1),
                2,
                2,
            ),
        ],
        ("float32", "float64"),
        tolerance={"float32": (1e-4, 1e-4)},
    ),
}
