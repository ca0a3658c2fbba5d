"""Cases of ms_kernels.ops.conv_forms."""

from __future__ import annotations

from typing import Any

from ms_kernels.testing.case import Case, Maker
from ms_kernels.testing.samples.conv import ROUGH, conv, grad_input

__all__ = ["CASES"]


def _mint(n: int) -> Case:
    def oracle(x: Any, w: Any, b: Any, stride: int, padding: Any) -> Any:
        pads = (0, 1) * n if padding == "same" else (padding,) * (2 * n)  # kernels of 2 throughout
        return conv(x, w, b, (stride,) * n, pads, (1,) * n)

    def inputs(m: Maker) -> list[tuple[Any, ...]]:
        x, w = m(2, 2, *(4,) * n, low=-1, high=1), m(3, 2, *(2,) * n, low=-1, high=1)
        return [(x, w, m(3), 1, "same"), (x, w, m(3), 2, 1)]

    return Case(oracle, inputs, tolerance=ROUGH)


def _channels(n: int) -> Case:
    def oracle(x: Any, w: Any, _out: int, _kernel: int, _mode: int, _pad_mode: str, pad: int) -> Any:
        return conv(x, w, None, (1,) * n, (pad,) * (2 * n), (1,) * n)

    def inputs(m: Maker) -> list[tuple[Any, ...]]:
        x, w = m(2, 2, *(3,) * n, low=-1, high=1), m(3, 2, *(2,) * n, low=-1, high=1)
        return [(x, w, 3, 2, 1, "pad", 1)]

    return Case(oracle, inputs, tolerance=ROUGH)


def _back(dy: Any, w: Any, size: Any, _out: int, _kernel: int, _mode: str, pad: int) -> Any:
    return grad_input(dy, w, size, (1, 1), (pad,) * 4)


def _back_inputs(m: Maker) -> list[tuple[Any, ...]]:
    dy, w = m(2, 3, 4, 4, low=-1, high=1), m(3, 2, 2, 2, low=-1, high=1)
    return [(dy, w, (2, 2, 3, 3), 3, 2, "pad", 1)]


def _transposed(
    x: Any, w: Any, mode: str, pad: int, stride: int, dilation: int = 1, group: int = 1, extra: int = 0
) -> Any:
    reach = dilation * (w.shape[2] - 1) + 1
    if mode == "same":
        size, total = x.shape[2] * stride, max(reach - stride, 0)
        pads = (total // 2, total - total // 2) * 3
    else:
        size, pads = (x.shape[2] - 1) * stride + reach - 2 * pad + extra, (pad,) * 6
    shape = (x.shape[0], w.shape[1] * group, *(size,) * 3)
    return grad_input(x, w, shape, (stride,) * 3, pads, (dilation,) * 3, group)


def _transposed_inputs(m: Maker) -> list[tuple[Any, ...]]:
    x, w = m(1, 2, 2, 2, 2, low=-1, high=1), m(2, 2, 3, 3, 3, low=-1, high=1)
    return [(x, w, "valid", 0, 2), (x, w, "pad", 1, 2, 1, 2, 1), (x, w, "same", 0, 1), (x, w, "pad", 1, 1, 2)]


CASES = {
    "conv1d_mint": _mint(1),
    "conv3d_mint": _mint(3),
    "conv2d_channels": _channels(2),
    "conv3d_channels": _channels(3),
    "conv2d_transpose": Case(_back, _back_inputs, tolerance=ROUGH),
    "conv2d_back": Case(_back, _back_inputs, tolerance=ROUGH),
    "conv3d_transpose": Case(_transposed, _transposed_inputs, tolerance=ROUGH),
    "conv3d_transpose_channels": Case(
        lambda x, w, _in, _out, _kernel, _mode, pad_mode, pad, stride: _transposed(x, w, pad_mode, pad, stride),
        lambda m: [(*_transposed_inputs(m)[0][:2], 2, 2, 3, 1, "valid", 0, 2)],
        tolerance=ROUGH,
    ),
}
