"""Samplers of the (seed, offset) layout: known answers, moments and distributions, types, independence of calls."""

from __future__ import annotations

import doctest
import importlib
import math
from collections import Counter
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from ms_kernels.core import runtime
from ms_kernels.random import distributions, samplers

COUNT = 200_000
BF16 = np.dtype(ml_dtypes.bfloat16)

Values = np.ndarray[Any, np.dtype[Any]]


def erf(x: Values) -> Values:
    return np.array([math.erf(t) for t in x.ravel()]).reshape(x.shape)


def normal_cdf(x: Values) -> Values:
    return (1 + erf(x / math.sqrt(2))) / 2


def erlang_cdf(x: Values, k: int) -> Values:
    return 1 - np.exp(-x) * sum(x**i / math.factorial(i) for i in range(k))


def within(x: Values, low: float, high: float) -> Values:
    """The distribution function of a normal cut at low and high."""
    a, b = normal_cdf(np.array([low, high]))
    return (normal_cdf(np.clip(x, low, high)) - a) / (b - a)


def laplace_cdf(x: Values) -> Values:
    return np.where(x < 0, np.exp(np.minimum(x, 0)) / 2, 1 - np.exp(-np.maximum(x, 0)) / 2)


def poisson_pmf(k: Values, mean: float) -> Values:
    return np.exp(k * math.log(mean) - mean - np.array([math.lgamma(i + 1) for i in k]))


def fits(counts: Any, expected: Any) -> bool:
    """A chi-square test that errs once in 1000 (Wilson and Hilferty's approximation)."""
    counts, expected = np.asarray(counts, np.float64), np.asarray(expected, np.float64)
    freedom = counts.size - 1
    excess = ((counts - expected) ** 2 / expected).sum()
    return bool(((excess / freedom) ** (1 / 3) - 1 + 2 / (9 * freedom)) / math.sqrt(2 / (9 * freedom)) < 3.09)


CONTINUOUS: list[tuple[str, Any, Any]] = [
    ("uniform", lambda n, d: samplers.uniform(n, d, 3, 0, -1.0, 4.0), lambda x: (x + 1) / 5),
    ("normal", lambda n, d: samplers.normal(n, d, 3, 0, 1.0, 2.0), lambda x: normal_cdf((x - 1) / 2)),
    ("truncated", lambda n, d: samplers.truncated_normal(n, d, 3, 0, 1.0, 2.0), lambda x: within((x - 1) / 2, -2, 2)),
    ("exponential", lambda n, d: distributions.exponential(n, d, 3, 0, 2.0), lambda x: 1 - np.exp(-2 * x)),
    (
        "log_normal",
        lambda n, d: distributions.log_normal(n, d, 3, 0, 0.5, 0.7),
        lambda x: normal_cdf((np.log(x) - 0.5) / 0.7),
    ),
    (
        "cauchy",
        lambda n, d: distributions.cauchy(n, d, 3, 0, 1.0, 2.0),
        lambda x: 0.5 + np.arctan((x - 1) / 2) / np.pi,
    ),
    ("laplace", lambda n, d: distributions.laplace(n, d, 3, 0, 1.0, 2.0), lambda x: laplace_cdf((x - 1) / 2)),
    ("gumbel", lambda n, d: distributions.gumbel(n, d, 3, 0), lambda x: np.exp(-np.exp(-x))),
    ("gamma-0.5", lambda n, d: distributions.gamma(n, d, 3, 0, 0.5, 2.0), lambda x: erf(np.sqrt(2 * x))),
    ("gamma-1", lambda n, d: distributions.gamma(n, d, 3, 0, 1.0), lambda x: 1 - np.exp(-x)),
    ("gamma-20", lambda n, d: distributions.gamma(n, d, 3, 0, 20.0), lambda x: erlang_cdf(x, 20)),
]
DISCRETE: list[tuple[str, Any, Any]] = [
    ("integers", lambda n: samplers.integers(n, np.int64, 3, 0, -5, 20), lambda k: np.full(k.shape, 1 / 25)),
    ("bernoulli", lambda n: samplers.bernoulli(n, np.int64, 3, 0, 0.3), lambda k: np.where(k == 1, 0.3, 0.7)),
    ("geometric", lambda n: distributions.geometric(n, np.int64, 3, 0, 0.2), lambda k: 0.2 * 0.8 ** (k - 1)),
    *(
        (
            f"poisson-{rate}",
            lambda n, rate=rate: distributions.poisson(n, np.int64, 3, 0, rate),
            lambda k, rate=rate: poisson_pmf(k, rate),
        )
        for rate in (0.3, 11.9, 12.1, 500.0)
    ),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("draw, expected", [row[1:] for row in CONTINUOUS], ids=[row[0] for row in CONTINUOUS])
def test_continuous_distributions(draw: Any, expected: Any, dtype: Any) -> None:
    x = draw((COUNT // 4, 4), dtype)
    assert x.shape == (COUNT // 4, 4)
    assert x.dtype == dtype
    place = expected(np.sort(x.ravel().astype(np.float64)))
    far = np.abs(place - (np.arange(COUNT) + 0.5) / COUNT).max()
    assert far * math.sqrt(COUNT) < 1.95  # Kolmogorov and Smirnov: more once in 1000
    first, second = x.ravel()[:-1].argsort().argsort(), x.ravel()[1:].argsort().argsort()
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.01  # neighbours know nothing of each other


@pytest.mark.parametrize("draw, expected", [row[1:] for row in DISCRETE], ids=[row[0] for row in DISCRETE])
def test_discrete_distributions(draw: Any, expected: Any) -> None:
    values, counts = np.unique(draw((COUNT,)), return_counts=True)
    share = expected(values) * COUNT
    often = share > 20
    assert share[often].sum() > 0.98 * COUNT
    assert fits(counts[often], share[often] / share[often].sum() * counts[often].sum())


def test_one_call_after_another_draws_other_numbers() -> None:
    a, b = samplers.uniform((1000,), np.float32, 5, 0), samplers.uniform((1000,), np.float32, 5, 12)
    assert not np.isin(a, b).sum() > 5
    assert (samplers.uniform((1000,), np.float32, 5, 0) == a).all()
    assert (samplers.uniform((1000,), np.float32, 6, 0) != a).any()


def test_uniform_bits() -> None:
    # words 9ceaf053 and 77f5493b
    assert samplers.uniform((2,), np.float32, 42, 0).view(np.uint32).tolist() == [0x3F55E0A6, 0x3F6A9276]
    assert samplers.uniform((3,), np.float32, 42, 0).max() < 1


def test_normal_bits() -> None:
    """sin comes first; the last bits are the implementation's own, the same everywhere."""
    bits = samplers.normal((2,), np.float32, 42, 0).view(np.uint32).astype(np.int64)
    assert abs(bits - [0xBE9A1EBA, 0x3F04C26C]).max() <= 1


def test_float_normals_are_near_the_formula() -> None:
    z = samplers.normal((1 << 20,), np.float32, 9, 12)
    w = samplers.words((1 << 20,), 9, 12)
    u = ((w & 0x7FFFFF) * np.float64(2.0**-23)).reshape(-1, 2)
    r = np.sqrt(-2 * np.log(np.maximum(u[:, 0], 1e-7)))
    a = (np.float32(2 * np.pi) * u[:, 1].astype(np.float32)).astype(np.float64)  # the angle is a float
    want = np.stack([np.sin(a) * r, np.cos(a) * r], axis=1).ravel()
    assert (abs(z - want) <= 4e-7 * np.maximum(abs(want), 0.5)).all()


@pytest.mark.parametrize("dtype", [np.dtype(np.float16), BF16])
def test_short_types_take_the_upper_bits(dtype: Any) -> None:
    full, short = samplers.uniform((50000,), np.float32, 1, 0), samplers.uniform((50000,), dtype, 1, 0)
    assert short.dtype == dtype
    assert (short.astype(np.float32) <= full).all()
    step = 2.0**-10 if dtype == np.float16 else 2.0**-7
    assert (full - short.astype(np.float32) < full * step + 2.0**-24).all()
    assert short.max() < 1
    moved = samplers.uniform((50000,), dtype, 1, 0, -3.0, 1.0).astype(np.float32)
    assert moved.min() >= -3
    assert moved.max() < 1


def test_dropout_mask_bits() -> None:
    mask = samplers.dropout_mask(100, 42, 12, 0.5)
    assert mask.tobytes().hex() == "093cc68070d4d97e8e2811f50820b64a"
    assert samplers.dropout_mask(5, 42, 0, 0.0).tobytes() == b"\xff" * 16
    assert samplers.dropout_mask(5, 42, 0, 1.0).tobytes() == b"\0" * 16
    assert [samplers.dropout_mask(n, 1, 0, 0.5).size for n in (0, 1, 128, 129)] == [0, 16, 16, 32]


@pytest.mark.parametrize("dtype", [np.dtype(np.float32), np.dtype(np.float16), np.dtype(np.float64), BF16])
@pytest.mark.parametrize("p", [0.0, 0.1, 0.5, 1.0])
def test_dropout_agrees_with_its_mask(dtype: Any, p: float) -> None:
    x = samplers.normal((3, 3001), dtype, 1, 0)
    y, keep = samplers.dropout(x, p, 42, 24)
    bits = np.unpackbits(samplers.dropout_mask(x.size, 42, 24, p), bitorder="little")[: x.size].reshape(x.shape)
    assert (keep == bits.astype(bool)).all()
    assert y.dtype == dtype
    assert (y[~keep] == 0).all()
    work = np.float32 if dtype == BF16 else dtype.type
    if p < 1:
        scaled = (x.astype(work) * (work(1) / (work(1) - work(p)))).astype(dtype)
        assert (y[keep] == scaled[keep]).all()
    assert abs(keep.mean() - (1 - p)) < 0.03


def test_integers_and_their_limits() -> None:
    assert samplers.integers((3,), np.int64, 42, 0, -5, 10)[0] == 3
    x = samplers.integers((COUNT,), np.int64, 1, 0, -(2**63), 2**63)
    assert x.min() < -(2**62)
    assert x.max() > 2**62
    x = samplers.integers((COUNT,), np.int8, 1, 0, -128, 128)
    assert (x.min(), x.max()) == (-128, 127)
    with pytest.raises(ValueError, match="For 'randint', the 'high' must be above 'low'"):
        samplers.integers((2,), np.int64, 1, 0, 3, 3)


@pytest.mark.parametrize(
    "dtype, top",
    [
        (np.int8, 127),
        (np.uint8, 255),
        (np.bool_, 1),
        (np.float16, 2048),
        (BF16, 256),
        (np.int64, 2**63 - 1),
        (np.float32, 2**24),
    ],
)
def test_random_integers_fill_a_type(dtype: Any, top: int) -> None:
    x = samplers.random_integers((COUNT,), dtype, 1, 0).astype(np.float64)
    assert x.min() >= 0
    assert 0.98 * top <= x.max() <= top
    assert (x == np.floor(x)).all()
    assert samplers.random_integers((9,), dtype, 1, 0, 0, 1).astype(np.float64).max() == 0


def test_bernoulli_with_a_chance_for_each() -> None:
    p = np.array([0.0, 0.25, 1.0], np.float32)
    x = samplers.bernoulli((30000, 3), np.float32, 1, 0, p)
    assert x.dtype == np.float32
    assert np.allclose(x.mean(axis=0), p, atol=0.01)


@pytest.mark.parametrize("n", [0, 1, 2, 7, 8192, 16383, 16384, 100_003, 600_000])
def test_permutations_have_every_index(n: int) -> None:
    assert (np.sort(samplers.permutation(n, 3, 12)) == np.arange(n)).all()


@pytest.mark.parametrize("n", [3, 4])
def test_every_order_is_as_likely(n: int) -> None:
    found = Counter(tuple(samplers.permutation(n, seed, 0).tolist()) for seed in range(24000))
    assert len(found) == (6 if n == 3 else 24)
    assert fits(list(found.values()), np.full(len(found), 24000 / len(found)))


def test_large_permutations_are_mixed() -> None:
    p = samplers.permutation(1 << 19, 3, 0)
    assert abs(np.corrcoef(p, np.arange(p.size))[0, 1]) < 0.01
    assert (p == np.arange(p.size)).sum() < 10
    assert abs((np.diff(p) > 0).mean() - 0.5) < 0.005
    blocks = np.histogram2d(np.arange(p.size), p, bins=16)[0]
    assert fits(blocks.ravel(), np.full(256, p.size / 256))


def test_permutations_do_not_depend_on_threads() -> None:
    before = runtime.get_threads()
    try:
        runtime.set_threads(1)
        one = samplers.permutation(300_000, 3, 0)
        runtime.set_threads(2)
        assert (samplers.permutation(300_000, 3, 0) == one).all()
    finally:
        runtime.set_threads(before)


def test_multinomial() -> None:
    weights = np.array([[1.0, 0.0, 3.0], [2.0, 2.0, 0.0]])
    x = distributions.multinomial(weights, 50000, True, 1, 0)
    shares = np.stack([np.bincount(row, minlength=3) for row in x]) / 50000
    assert np.allclose(shares, [[0.25, 0, 0.75], [0.5, 0.5, 0]], atol=0.01)
    x = distributions.multinomial(np.tile(weights[:1], (40000, 1)), 2, False, 1, 0)
    assert (np.sort(x, axis=1) == [0, 2]).all()
    assert abs((x[:, 0] == 2).mean() - 0.75) < 0.01
    assert distributions.multinomial(weights[0], 4, True, 1, 0).shape == (4,)
    logits = np.log(np.array([[0.2, 0.8]], np.float32))
    assert abs(distributions.categorical(logits, 40000, 1, 0).mean() - 0.8) < 0.01


@pytest.mark.parametrize(
    "weights, replacement", [([-1.0, 2.0], True), ([0.0, 0.0], True), ([np.inf, 1.0], True), ([-1.0, 0.0], False)]
)
def test_multinomial_refuses(weights: list[float], replacement: bool) -> None:
    with pytest.raises(ValueError, match="For 'multinomial', the weights must"):
        distributions.multinomial(np.array(weights), 2, replacement, 1, 0)


def test_weights_of_zero_come_last() -> None:
    for offset in range(20):
        drawn = distributions.multinomial(np.array([0.0, 1.0, 0.0, 2.0]), 4, False, 1, offset)
        assert sorted(drawn[:2].tolist()) == [1, 3] and drawn[2:].tolist() == [0, 2]


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2)])
def test_shapes_without_dims_or_elements(shape: tuple[int, ...]) -> None:
    results = [draw(shape, np.float32) for _, draw, _ in CONTINUOUS] + [draw(shape) for _, draw, _ in DISCRETE]
    assert [x.shape for x in results] == [shape] * len(results)


@pytest.mark.parametrize("name", ["stream", "samplers", "distributions", "initial"])
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(f"ms_kernels.random.{name}")).failed == 0
