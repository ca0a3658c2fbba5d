from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

def block(counter: int, seed: int) -> tuple[int, int, int, int]: ...
def fill(
    kind: str,
    out: Array,
    seed: int,
    high: int,
    first: int = 0,
    p0: float = 0,
    p1: float = 0,
    low: int = 0,
    span: int = 0,
) -> None: ...
def fill_truncated(
    out: Array, seed: int, high: int, first: int, a: float, b: float, mean: float, sigma: float
) -> None: ...
def permutation(n: int, seed: int, high: int) -> Array: ...
def dropout(x: Array, p: float, scale: float, seed: int, high: int) -> tuple[Array, Array]: ...
def use_baseline(on: bool) -> None: ...
def vector_parts(u: Array) -> tuple[Array, Array, Array] | None: ...
