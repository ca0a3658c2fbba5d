"""Fractional pooling by a ratio of sizes, on (N, H, W, C), with the windows' borders as results."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from ms_kernels.core.tensor import from_array
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite
from ms_kernels.ops._draw import fixed, seeded
from ms_kernels.ops.extremes import amax
from ms_kernels.ops.index import index_select
from ms_kernels.ops.linalg import matmul
from ms_kernels.ops.shape import permute, reshape
from ms_kernels.random import samplers

__all__ = ["fractional_avg_ratio", "fractional_max_ratio"]

Values = np.ndarray[Any, np.dtype[Any]]


def borders(size: int, count: int, pseudo_random: bool, seed: int, offset: int) -> Values:
    """Return 0 = b[0] < ... < b[count] = size, the steps being size // count or one more (Graham, section 3).

    Args:
        pseudo_random: take them from a line with a drawn start; else the steps in a drawn order.
    """
    step, rest = divmod(size, count)
    if not rest:
        return np.arange(count + 1) * step
    if pseudo_random:
        slope = size / count
        room = min((step + 2) / slope - 1, (size + 1 - step) / slope - (count - 1))
        u = float(samplers.unit((1,), seed, offset)[0]) * room
        inner = np.ceil(slope * (np.arange(1, count) + u)).astype(np.int64) - 1
        return np.concatenate([[0], inner, [size]])
    steps = np.where(samplers.permutation(count, seed, offset) < rest, step + 1, step)
    return np.concatenate([[0], np.cumsum(steps)])


def _windows(edges: Values, overlapping: bool) -> list[Values]:
    last = edges[-1] - 1
    return [np.arange(a, min(b if overlapping else b - 1, last) + 1) for a, b in itertools.pairwise(edges)]


def _largest(x: Any, dim: int, windows: list[Values]) -> Any:
    width = max(len(w) for w in windows)
    places = np.array([np.pad(w, (0, width - len(w)), mode="edge") for w in windows])
    picked = index_select(x, dim, from_array(places.ravel()))
    return amax(reshape(picked, (*x.shape[:dim], *places.shape, *x.shape[dim + 1 :])), dim + 1)


def _means(x: Any, windows: list[Values], size: int) -> Any:
    """Along the last dimension, as a product with a matrix of shares."""
    share = np.zeros((size, len(windows)))
    for i, window in enumerate(windows):
        share[window, i] = 1 / len(window)
    return matmul(x, from_array(share.astype(x._kind)))


def _pooled(
    name: str, x: Any, ratio: Any, pseudo_random: bool, overlapping: bool, deterministic: bool, seed: Any, seed2: Any
) -> Any:
    if x.ndim != 4:
        fail(ValueError, name, "'x'", "have four dimensions", f"shape {list(x.shape)}")
    if not isinstance(ratio, (list, tuple)) or len(ratio) != 4:
        fail(TypeError, name, "'pooling_ratio'", "be a list of four numbers", describe(ratio))
    if ratio[0] != 1 or ratio[3] != 1 or min(ratio) < 1:
        fail(ValueError, name, "'pooling_ratio'", "be [1.0, a, b, 1.0] of numbers from 1 on", str(list(ratio)))
    sizes = [math.floor(x.shape[i] / ratio[i]) for i in (1, 2)]
    if min(sizes) < 1:
        fail(ValueError, name, "'pooling_ratio'", f"leave a window of {list(x.shape[1:3])}", str(list(ratio)))
    stream = fixed(name, seed or 1, seed2) if deterministic else seeded(name, seed, seed2)
    rows = borders(x.shape[1], sizes[0], pseudo_random, *stream)
    columns = borders(x.shape[2], sizes[1], pseudo_random, stream[0] ^ (1 << 63), stream[1])
    down, across = _windows(rows, overlapping), _windows(columns, overlapping)
    if name == "FractionalMaxPool":
        out = _largest(_largest(x, 1, down), 2, across)
    else:
        deep = permute(x, (0, 3, 1, 2))
        flat = permute(_means(deep, across, x.shape[2]), (0, 1, 3, 2))
        out = permute(_means(flat, down, x.shape[1]), (0, 3, 2, 1))
    return out, from_array(rows), from_array(columns)


def _ratio_op(name: str, what: str) -> Any:
    def body(
        input: Any,
        pooling_ratio: Any,
        pseudo_random: bool = False,
        overlapping: bool = False,
        deterministic: bool = False,
        seed: Any = 0,
        seed2: Any = 0,
    ) -> Any:
        return _pooled(name, input, pooling_ratio, pseudo_random, overlapping, deterministic, seed, seed2)

    body.__annotations__["input"] = "Array"
    body.__module__ = __name__
    body.__doc__ = f"""Return the {what} of windows of drawn sizes of (N, H, W, C), and the windows' borders, int64.

Args:
    pooling_ratio: [1.0, a, b, 1.0]: the result has H / a rows and W / b columns, rounded down.
    pseudo_random: take the borders from a line with a drawn start; else steps in a drawn order.
    overlapping: let a window have the first row and column of the next one too.
    deterministic: draw the same windows at every call.

Raises:
    ValueError: an input of other dimensions, ratios below 1.
    TypeError: a ratio that is no list of four numbers.

Examples:
    >>> x = Tensor(np.ones((1, 4, 4, 1)), mstype.float32)
    >>> y, rows, _ = ops.{name}([1.0, 2.0, 2.0, 1.0])(x)
    >>> y.shape, rows.tolist()
    ((1, 2, 2, 1), [0, 2, 4])

Source: Graham, Fractional Max-Pooling; ``mindspore.ops.{name}``."""
    return composite(
        primitive=f"{name}(pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0, "
        "seed2=0)(x)",
        name="fractional_max_ratio" if name == "FractionalMaxPool" else "fractional_avg_ratio",
    )(body)


fractional_max_ratio = _ratio_op("FractionalMaxPool", "largest elements")
fractional_avg_ratio = _ratio_op("FractionalAvgPool", "means")
