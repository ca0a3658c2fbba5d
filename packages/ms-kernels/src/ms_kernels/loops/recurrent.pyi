from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

def use_baseline(on: bool) -> None: ...

# cell: "tanh", "relu", "lstm", "gru" with G = 1, 1, 4, 3 gates and S = 0, 0, 5, 4 kept numbers.
# x (T, B, G H), hx and cx (B, H), cx of an lstm only, weight (G H, H), bias (G H,), lengths (B,)
# -> y (T, B, H), hn (B, H), saved (T, B, S H) in float32 or float64, of an lstm also cn (B, H)
def scan(
    cell: str,
    reverse: bool,
    x: Array,
    hx: Array,
    cx: Array | None,
    weight: Array,
    bias: Array | None,
    lengths: Array | None,
) -> tuple[Array, ...]: ...

# -> dx, dhx, dweight, with has_bias dbias, of an lstm also dcx
def scan_grad(
    cell: str,
    reverse: bool,
    gy: Array,
    gh: Array,
    gc: Array | None,
    y: Array,
    saved: Array,
    hx: Array,
    cx: Array | None,
    weight: Array,
    has_bias: bool,
    lengths: Array | None,
) -> tuple[Array, ...]: ...
