"""A picture of an initializer: its numbers and its singular values beside what theory says."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from ms_initializer.base import Initializer, initializer
from ms_initializer.random import Sampled
from ms_kernels.random import initial

__all__ = ["density", "marchenko_pastur", "plot"]

Array = np.ndarray[Any, np.dtype[Any]]


def density(init: Initializer, shape: Sequence[int]) -> Callable[[Array], Array] | None:
    """Return the density that a random initializer draws from, or None for one with a structure.

    Examples:
        >>> from ms_initializer import Uniform
        >>> curve = density(Uniform(0.5), (2, 2))
        >>> curve(np.array([-1.0, 0.0])).tolist()
        [0.0, 1.0]
    """
    if not isinstance(init, Sampled):
        return None
    sampler, parameters = init.plan(shape)
    if sampler is initial.uniform:
        a, b = parameters
        return lambda x: np.where((x >= a) & (x < b), 1 / (b - a), 0.0)
    low, high, mean, sigma = parameters if len(parameters) == 4 else (-math.inf, math.inf, *parameters)

    def below(t: float) -> float:
        return math.erfc(-(t - mean) / sigma / math.sqrt(2)) / 2

    scale = 1 / ((below(high) - below(low)) * sigma * math.sqrt(2 * math.pi))
    return lambda x: np.where((x >= low) & (x <= high), scale * np.exp(-0.5 * ((x - mean) / sigma) ** 2), 0.0)


def marchenko_pastur(rows: int, columns: int, deviation: float) -> Array:
    """Return the singular values, falling, that a large matrix of independent numbers has (Marchenko, Pastur, 1967).

    Examples:
        >>> values = marchenko_pastur(100, 400, 1.0)
        >>> values.shape, bool(29 < values[0] < 30), bool(10 < values[-1] < 11)
        ((100,), True, True)
    """
    n, m = min(rows, columns), max(rows, columns)
    low, high = (1 - math.sqrt(n / m)) ** 2, (1 + math.sqrt(n / m)) ** 2
    x = (low + high) / 2 - (high - low) / 2 * np.cos(np.linspace(0, np.pi, 4097))  # dense at both ends
    middle = (x[1:] + x[:-1]) / 2
    share = np.concatenate([[0.0], np.cumsum(np.sqrt((high - middle) * (middle - low)) / middle * np.diff(x))])
    quantiles = np.interp((np.arange(n) + 0.5) / n, share / share[-1], x)
    values: Array = deviation * np.sqrt(m * quantiles[::-1])
    return values


def plot(init: Any, shape: Sequence[int], path: str | Path) -> Path:
    """Draw the histogram and the singular values of an initializer into a PNG file.

    Args:
        init: as for `initializer`.
        shape: what is filled; beyond two dims it counts as a matrix of shape[0] rows.
        path: the file.

    Returns:
        The path.

    Raises:
        RuntimeError: matplotlib is not installed.
    """
    try:
        agg, figures = (import_module(f"matplotlib.{name}") for name in ("backends.backend_agg", "figure"))
    except ModuleNotFoundError as error:
        raise RuntimeError("plot needs matplotlib: pip install 'ms-initializer[plot]'") from error
    tensor = initializer(init, tuple(shape))
    made = tensor.init
    x = tensor.init_data().asnumpy().astype(np.float64)
    matrix = x.reshape(x.shape[0], -1) if x.ndim else x.reshape(1, 1)
    figure = figures.Figure(figsize=(10, 4), layout="constrained")
    agg.FigureCanvasAgg(figure)  # no window, no choice of a backend
    left, right = figure.subplots(1, 2)
    left.hist(x.ravel(), bins=min(100, max(10, x.size // 50)), density=True, color="tab:blue", alpha=0.5, label="drawn")
    curve = density(made, x.shape)
    if curve is not None:
        grid = np.linspace(x.min(), x.max(), 1000)
        left.plot(grid, curve(grid), color="tab:red", label="theory")
    left.set_title(f"{type(made).__name__} {list(x.shape)}: mean {x.mean():.3g}, deviation {x.std():.3g}")
    left.legend()
    right.plot(np.linalg.svd(matrix, compute_uv=False), ".", color="tab:blue", label="singular values")
    if curve is not None and min(matrix.shape) > 1:
        right.plot(
            marchenko_pastur(matrix.shape[0], matrix.shape[1], float(x.std())),
            color="tab:red",
            label="independent numbers",
        )
    right.set_ylim(bottom=0)
    right.legend()
    figure.savefig(path, format="png")
    return Path(path)
