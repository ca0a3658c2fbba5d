from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

# sum mean prod max min sumsq l2norm logsumexp: type of x (NumPy's mean of ints is float64); any all: bool.
# Integers keep their type (sum and prod wrap around); bool sums to int64. axes == () reduces nothing.
def reduce(name: str, x: Array, axes: tuple[int, ...], keepdims: bool = False) -> Array: ...
def var(x: Array, axes: tuple[int, ...], correction: float = 1, keepdims: bool = False) -> Array: ...

# int64 place of the first extremum; the first NaN wins
def argmax(x: Array, axis: int, keepdims: bool = False) -> Array: ...
def argmin(x: Array, axis: int, keepdims: bool = False) -> Array: ...

# cumsum cumprod -> Array; cummax cummin -> (values, int64 places; of equal items the last one's)
def cumulate(name: str, x: Array, axis: int) -> Any: ...

# for tests: leaves out the loops of newer instruction sets
def use_baseline(on: bool) -> None: ...
