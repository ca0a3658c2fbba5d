from collections.abc import Sequence
from typing import Any

import numpy as np

_Array = np.ndarray[Any, np.dtype[Any]]

def conv2d(
    x: _Array,
    w: _Array,
    bias: _Array | None = None,
    stride: tuple[int, int] = (1, 1),
    padding: tuple[int, int, int, int] = (0, 0, 0, 0),
    dilation: tuple[int, int] = (1, 1),
    groups: int = 1,
) -> _Array: ...
def conv2d_grad_input(
    dy: _Array,
    w: _Array,
    x_shape: Sequence[int],
    stride: tuple[int, int] = (1, 1),
    padding: tuple[int, int, int, int] = (0, 0, 0, 0),
    dilation: tuple[int, int] = (1, 1),
    groups: int = 1,
) -> _Array: ...
def conv2d_grad_weight(
    dy: _Array,
    x: _Array,
    w_shape: Sequence[int],
    stride: tuple[int, int] = (1, 1),
    padding: tuple[int, int, int, int] = (0, 0, 0, 0),
    dilation: tuple[int, int] = (1, 1),
    groups: int = 1,
) -> _Array: ...
def convnd(
    x: _Array,
    w: _Array,
    bias: _Array | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int = 1,
) -> _Array: ...
def convnd_grad_input(
    dy: _Array,
    w: _Array,
    x_shape: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int = 1,
) -> _Array: ...
def convnd_grad_weight(
    dy: _Array,
    x: _Array,
    w_shape: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int = 1,
) -> _Array: ...
