from typing import Any

import numpy as np

def matmul(
    a: np.ndarray[Any, np.dtype[Any]],
    b: np.ndarray[Any, np.dtype[Any]],
    transpose_a: bool = False,
    transpose_b: bool = False,
) -> np.ndarray[Any, np.dtype[Any]]: ...
def set_blas(use: bool) -> bool: ...
