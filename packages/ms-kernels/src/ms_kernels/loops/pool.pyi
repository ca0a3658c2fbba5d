from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

_Array = np.ndarray[Any, np.dtype[Any]]

def max_pool(
    x: _Array,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int] | None = None,
    ceil_mode: bool = False,
    return_indices: bool = False,
    index_dtype: npt.DTypeLike = "int64",
) -> Any: ...
def max_pool_grad(dy: _Array, indices: _Array, x_shape: Sequence[int]) -> _Array: ...
def avg_pool(
    x: _Array,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> _Array: ...
def avg_pool_grad(
    dy: _Array,
    x_shape: Sequence[int],
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> _Array: ...
def adaptive_max_pool(
    x: _Array, size: Sequence[int], return_indices: bool = False, index_dtype: npt.DTypeLike = "int64"
) -> Any: ...
def adaptive_avg_pool(x: _Array, size: Sequence[int]) -> _Array: ...
def adaptive_avg_pool_grad(dy: _Array, x_shape: Sequence[int]) -> _Array: ...
def pooled_size(
    size: int, kernel: int, stride: int, before: int, after: int, dilation: int, ceil_mode: bool
) -> int: ...

max_pool2d = max_pool
max_pool2d_grad = max_pool_grad
avg_pool2d = avg_pool
avg_pool2d_grad = avg_pool_grad
adaptive_max_pool2d = adaptive_max_pool
adaptive_avg_pool2d = adaptive_avg_pool
adaptive_avg_pool2d_grad = adaptive_avg_pool_grad
