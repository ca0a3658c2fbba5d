"""Cases of the random families: drawn numbers have no oracle, tests of their own look at their distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, INT, REAL, Case, Maker

__all__ = ["CASES", "DRAWN_CASE"]

DRAWN_CASE = Case(lambda *a: None, lambda m: [], ("float32",), 0, note="values are drawn: tested by their distribution")
NAMES = [
    "rand",
    "randn",
    "rand_like",
    "randn_like",
    "uniform_real",
    "randint",
    "randint_below",
    "randint_like",
    "uniform_int",
    "randperm",
    "standard_normal",
    "normal",
    "uniform",
    "gamma",
    "random_gamma",
    "standard_laplace",
    "cauchy",
    "truncated_normal",
    "truncated_normal_rows",
    "any_integers",
    "fill_log_normal",
    "fill_cauchy",
    "gumbel_like",
    "shuffle",
    "log_uniform_candidate_sampler",
    "uniform_candidate_sampler",
]


def _sure(m: Maker) -> list[tuple[Any, ...]]:
    """Rows of weights with one class above 0."""
    x = np.zeros((4, 5), m.np)
    x[np.arange(4), [1, 0, 4, 2]] = 2
    return [(x, 3), (x[0], 1)]


def _surely(x: Any, count: int, *_rest: Any) -> Any:
    return np.repeat(np.expand_dims(x.argmax(-1), -1), count, -1)


CASES = {
    "bernoulli": Case(
        lambda x, p=None: x if p is None else x * 0 + p, lambda m: [(m.bools(3, 4).astype(m.np),), (m(3), 1)], FLOAT, 0
    ),
    "normal_mint": Case(lambda mean, std, size: np.full(size, mean), lambda m: [(2.0, 0.0, (3, 4))], ("float32",), 0),
    "laplace": Case(lambda size, mean, scale: np.full(size, mean), lambda m: [((3, 4), 2.0, 0.0)], ("float32",), 0),
    "fill_uniform": Case(lambda x, low, high: x * 0 + low, lambda m: [(m(3, 4), 2.0, 2.0)], FLOAT, 0),
    "fill_normal": Case(lambda x, mean, std: x * 0 + mean, lambda m: [(m(3, 4), 2.0, 0.0)], FLOAT, 0),
    "fill_random": Case(lambda x, low, high: x * 0 + low, lambda m: [(m(3, 4), 2, 3)], REAL, 0),
    "poisson": Case(lambda size, mean: np.zeros((3, 4)), lambda m: [((3, 1), m(4, low=0, high=0))], FLOAT, 0),
    "random_poisson": Case(lambda size, rate: np.zeros((3, 4)), lambda m: [((3,), m(4, low=0, high=0))], FLOAT, 0),
    "randperm_padded": Case(lambda n, size, pad: np.arange(size) * 0 + pad, lambda m: [(0, 4, -2)], ("float32",), 0),
    "multinomial": Case(_surely, _sure, (*FLOAT, *INT), 0),
    "multinomial_with_replacement": Case(
        lambda x, seed, offset, count, again: _surely(x, count),
        lambda m: [(x, 1, 2, count, True) for x, count in _sure(m)],
        FLOAT,
        0,
    ),
    "random_categorical": Case(_surely, lambda m: [(_sure(m)[0][0] * 50, 3)], FLOAT, 0),
    "choice_with_mask": Case(
        lambda x, count: (np.array([[1, 2], [0, 0]]), np.array([True, False])),
        lambda m: [(np.arange(6).reshape(2, 3) == 5, 2)],
        ("float32",),
        0,
    ),
    **dict.fromkeys(NAMES, DRAWN_CASE),
}
