"""Random ops: their distributions, what seeds and generators fix, threads, and gradients through drawn numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ms_dtype as mstype
from ms_kernels import Tensor, grad, mint, mint_functional
from ms_kernels import functional as ops
from ms_kernels.core import runtime
from ms_kernels.random.stream import STEP, Stream, default_stream

COUNT = 100_000
Values = np.ndarray[Any, np.dtype[Any]]


@pytest.fixture(autouse=True)
def _seeded() -> None:
    default_stream().set(2024)


def full(value: float, count: int = COUNT, dtype: Any = mstype.float32) -> Tensor:
    return Tensor(np.full(count, value), dtype)


EULER = 0.5772156649015329
# name: numbers, the mean and the deviation that they must have
MOMENTS: dict[str, tuple[Callable[[], Any], float, float]] = {
    "uniform": (lambda: ops.uniform((COUNT,), Tensor(-1.0), Tensor(3.0)), 1.0, 4 / math.sqrt(12)),
    "uniform of ints": (
        lambda: ops.uniform((COUNT,), Tensor(0, mstype.int32), Tensor(10, mstype.int32), dtype=mstype.int32),
        4.5,
        math.sqrt(99 / 12),
    ),
    "UniformReal": (lambda: ops.UniformReal()((COUNT,)), 0.5, 1 / math.sqrt(12)),
    "UniformInt": (
        lambda: ops.UniformInt()((COUNT,), Tensor(-5, mstype.int32), Tensor(5, mstype.int32)),
        -0.5,
        math.sqrt(99 / 12),
    ),
    "normal": (lambda: ops.normal((COUNT,), 2.0, Tensor(0.5)), 2.0, 0.5),
    "mint.normal": (lambda: mint.normal(full(2.0), 0.5), 2.0, 0.5),
    "standard_normal": (lambda: ops.standard_normal((COUNT,)), 0.0, 1.0),
    "rand_like": (lambda: mint.rand_like(full(0.0)), 0.5, 1 / math.sqrt(12)),
    "randn_like": (lambda: mint.randn_like(full(0.0)), 0.0, 1.0),
    "randint_like": (lambda: mint.randint_like(full(0.0), 10), 4.5, math.sqrt(99 / 12)),
    "laplace": (lambda: ops.laplace((COUNT,), Tensor(1.0), Tensor(2.0)), 1.0, 2 * math.sqrt(2)),
    "standard_laplace": (lambda: ops.standard_laplace((COUNT,)), 0.0, math.sqrt(2)),
    "gamma": (lambda: ops.gamma((COUNT,), Tensor([3.0]), Tensor([2.0])), 1.5, math.sqrt(3) / 2),
    "gamma below 1": (lambda: ops.gamma((COUNT,), Tensor([0.25]), Tensor([1.0])), 0.25, 0.5),
    "random_gamma": (lambda: ops.random_gamma((COUNT,), Tensor(4.0)), 4.0, 2.0),
    "poisson": (lambda: ops.poisson((COUNT,), Tensor([4.0])), 4.0, 2.0),
    "random_poisson": (lambda: ops.random_poisson((COUNT,), Tensor(100.0)), 100.0, 10.0),
    "truncated normal": (lambda: ops.TruncatedNormal()((COUNT,)), 0.0, 0.8796),
    "limited normal": (
        lambda: ops.ParameterizedTruncatedNormal()(
            (2, COUNT // 2), Tensor([1.0]), Tensor([2.0]), Tensor([-3.0]), Tensor([5.0])
        ),
        1.0,
        2 * 0.8796,
    ),
    "Tensor.uniform": (lambda: full(0.0).uniform(2.0, 4.0), 3.0, 2 / math.sqrt(12)),
    "Tensor.uniform_": (lambda: full(0.0).uniform_(2, 4), 3.0, 2 / math.sqrt(12)),
    "Tensor.normal_": (lambda: full(0.0).normal_(2, 3), 2.0, 3.0),
    "Tensor.random_": (lambda: full(0, dtype=mstype.int32).random_(-4, 6), 0.5, math.sqrt(99 / 12)),
    "Tensor.log_normal": (
        lambda: full(0.0).log_normal(0.0, 0.5),
        math.exp(0.125),
        math.sqrt(math.exp(0.25) * (math.exp(0.25) - 1)),
    ),
    "bernoulli": (lambda: ops.bernoulli(full(0.0), 0.3), 0.3, math.sqrt(0.21)),
    "Bernoulli": (lambda: ops.Bernoulli()(full(0.0), Tensor([0.3])), 0.3, math.sqrt(0.21)),
    "Tensor.bernoulli": (lambda: full(0.3).bernoulli(), 0.3, math.sqrt(0.21)),
    "dropout": (lambda: ops.dropout(full(1.0), 0.2), 1.0, 0.5),
    "Dropout": (lambda: ops.Dropout(keep_prob=0.8)(full(1.0))[0], 1.0, 0.5),
    "dropout2d": (lambda: ops.dropout2d(full(1.0).reshape(COUNT // 4, 4, 1, 1), 0.2), 1.0, 0.5),
    "dropout mask": (lambda: ops.DropoutDoMask()(full(1.0), ops.DropoutGenMask()((COUNT,), 0.8), 0.8), 1.0, 0.5),
    "rrelu": (lambda: ops.rrelu(full(-1.0), 0.0, 1.0), -0.5, 1 / math.sqrt(12)),
    "Gumbel": (lambda: ops.GumbelLike()(full(0.0)), EULER, math.pi / math.sqrt(6)),
}


@pytest.mark.parametrize("name", MOMENTS)
def test_mean_and_deviation(name: str) -> None:
    draw, mean, deviation = MOMENTS[name]
    x = draw().asnumpy().astype(np.float64)
    assert x.size == COUNT
    assert abs(x.mean() - mean) < 5 * deviation / math.sqrt(COUNT)
    spread = np.abs(x - mean) ** 2
    assert abs(spread.mean() - deviation**2) < 5 * spread.std() / math.sqrt(COUNT)


def test_cauchy_by_its_quartiles() -> None:
    for x in (full(0.0).cauchy(1.0, 2.0), ops.Cauchy([COUNT], 1.0, 2.0)()):
        quartiles = np.quantile(x.asnumpy(), [0.25, 0.5, 0.75])
        np.testing.assert_allclose(quartiles, [-1.0, 1.0, 3.0], atol=0.06)


def chi_square(counts: Values, shares: Values) -> float:
    """In deviations from its mean, for expected counts that are not small."""
    expected = np.asarray(shares) * counts.sum()
    free = np.count_nonzero(shares) - 1
    used = expected > 0
    assert not counts[~used].any()
    return float((((counts - expected)[used] ** 2 / expected[used]).sum() - free) / math.sqrt(2 * free))


WEIGHTS = np.array([1.0, 0.0, 2.0, 4.0, 1.0], np.float32)
PICKS: dict[str, Callable[[], Any]] = {
    "ops.multinomial": lambda: ops.multinomial(Tensor(WEIGHTS), COUNT),
    "mint.multinomial": lambda: mint.multinomial(Tensor(WEIGHTS), COUNT, True),
    "Tensor.multinomial": lambda: Tensor(np.stack([WEIGHTS] * 2)).multinomial(COUNT // 2),
    "without replacement": lambda: ops.multinomial(Tensor(np.tile(WEIGHTS, (20000, 1))), 1, False),
    "multinomial_with_replacement": lambda: ops.multinomial_with_replacement(Tensor(WEIGHTS), 3, 4, COUNT, True),
    "random_categorical": lambda: ops.random_categorical(Tensor(np.log(np.maximum(WEIGHTS, 1e-30))[None, :]), COUNT),
    "gumbel_softmax": lambda: ops.gumbel_softmax(
        Tensor(np.tile(np.log(np.maximum(WEIGHTS, 1e-30)), (20000, 1))), hard=True
    ).argmax(1),
}


@pytest.mark.parametrize("name", PICKS)
def test_picks_follow_the_weights(name: str) -> None:
    counts = np.bincount(PICKS[name]().asnumpy().ravel(), minlength=5)
    assert abs(chi_square(counts, WEIGHTS / WEIGHTS.sum())) < 5


def test_the_second_pick_without_replacement() -> None:
    x = ops.multinomial(Tensor(np.tile(np.array([1.0, 2.0, 3.0], np.float32), (60000, 1))), 2, False).asnumpy()
    assert (x[:, 0] != x[:, 1]).all()
    shares = np.zeros((3, 3))
    for i, a in enumerate((1, 2, 3)):
        for j, b in enumerate((1, 2, 3)):
            shares[i, j] = 0 if i == j else a / 6 * b / (6 - a)
    assert abs(chi_square(np.bincount(x[:, 0] * 3 + x[:, 1], minlength=9), shares.ravel())) < 5


@pytest.mark.parametrize("draw", [lambda: mint.randperm(4), lambda: ops.shuffle(Tensor([0, 1, 2, 3]))])
def test_orders_are_equally_likely(draw: Callable[[], Any]) -> None:
    codes = [int("".join(map(str, draw().tolist())), 4) for _ in range(6000)]
    kinds, counts = np.unique(codes, return_counts=True)
    assert len(kinds) == 24
    assert abs(chi_square(counts, np.full(24, 1 / 24))) < 5


def test_choice_with_mask_draws_true_places_once() -> None:
    mask = np.arange(40).reshape(5, 8) % 3 == 0
    hits = np.zeros(mask.shape, int)
    for _ in range(400):
        places, valid = ops.choice_with_mask(Tensor(mask), 7)
        assert valid.asnumpy().all() and len(set(map(tuple, places.tolist()))) == 7
        hits[tuple(places.asnumpy().T)] += 1
    assert not hits[~mask].any()
    assert abs(hits[mask] - 400 * 7 / mask.sum()).max() < 5 * math.sqrt(400 * 0.5 * 0.5)


def test_candidate_samplers() -> None:
    true = Tensor([[0], [3]])
    drawn, on_true, on_drawn = ops.uniform_candidate_sampler(true, 1, COUNT, False, 8)
    assert abs(chi_square(np.bincount(drawn.asnumpy(), minlength=8), np.full(8, 1 / 8))) < 5
    assert on_true.tolist() == [[COUNT / 8]] * 2 and set(on_drawn.tolist()) == {COUNT / 8}
    drawn, on_true, _ = ops.log_uniform_candidate_sampler(true, 1, COUNT, False, 8)
    chance = np.log((np.arange(8) + 2) / (np.arange(8) + 1)) / np.log(9)
    assert abs(chi_square(np.bincount(drawn.asnumpy(), minlength=8), chance)) < 5
    np.testing.assert_allclose(on_true.asnumpy().ravel(), chance[[0, 3]] * COUNT, rtol=1e-5)


def test_unique_candidates_and_accidental_hits() -> None:
    true = Tensor([[0], [3]], mstype.int32)
    for _ in range(20):
        drawn, counts, _ = ops.uniform_candidate_sampler(true, 1, 6, True, 8, 0, True)
        assert sorted(drawn.tolist()) == [1, 2, 4, 5, 6, 7] and drawn.dtype == mstype.int32
        assert 1 - (7 / 8) ** 6 - 1e-6 < counts.tolist()[0][0] < 1 or counts.tolist()[0][0] == 0.75
    drawn, counts, _ = ops.log_uniform_candidate_sampler(Tensor([[0]]), 1, 5, True, 5)
    assert sorted(drawn.tolist()) == [0, 1, 2, 3, 4] and 0 < counts.item() <= 5


def test_any_integers_use_all_bits() -> None:
    x = ops.NonDeterministicInts()((2000,)).asnumpy()
    ones = np.unpackbits(x.view(np.uint8).reshape(-1, 8), axis=1).mean(0)
    assert abs(ones - 0.5).max() < 5 * 0.5 / math.sqrt(2000)


def test_random_without_an_end_fills_the_type() -> None:
    x = full(0, dtype=mstype.int8).random_().asnumpy()
    assert x.min() == 0 and x.max() == 127
    y = full(0.0).random_().asnumpy()
    assert y.max() <= 2**24 and y.max() > 2**24 * 0.99 and (y == np.rint(y)).all()


FOLLOWING: dict[str, Callable[[], Any]] = {
    **{name: row[0] for name, row in MOMENTS.items()},
    **PICKS,
    "randperm": lambda: mint.randperm(1000),
}
FIXED = ("multinomial_with_replacement",)  # these take their seed as an operand


@pytest.mark.parametrize("name", [n for n in FOLLOWING if n not in FIXED])
def test_calls_follow_the_default_stream(name: str) -> None:
    draw = FOLLOWING[name]
    default_stream().set(11)
    first, second = draw().asnumpy(), draw().asnumpy()
    moved = default_stream().peek()[1]
    assert (first != second).any()
    assert moved > 0 and moved % (2 * STEP) == 0
    default_stream().set(11)
    assert (draw().asnumpy() == first).all()
    default_stream().set(12)
    assert (draw().asnumpy() != first).any()


@pytest.mark.parametrize("name", FOLLOWING)
def test_threads_change_nothing(name: str) -> None:
    before, found = runtime.get_threads(), []
    try:
        for threads in (1, 2):
            runtime.set_threads(threads)
            default_stream().set(5)
            found.append(FOLLOWING[name]().asnumpy().copy())
    finally:
        runtime.set_threads(before)
    np.testing.assert_array_equal(found[0], found[1])


SEEDED: dict[str, Callable[[int], Any]] = {
    "uniform": lambda s: ops.uniform((50,), Tensor(0.0), Tensor(1.0), seed=s),
    "normal": lambda s: ops.normal((50,), 0.0, 1.0, seed=s),
    "rand": lambda s: ops.rand(50, seed=s),
    "randint": lambda s: ops.randint(0, 1000, (50,), seed=s),
    "shuffle": lambda s: ops.shuffle(Tensor(np.arange(50)), seed=s),
    "gamma": lambda s: ops.gamma((50,), Tensor([3.0]), Tensor([1.0]), seed=s),
    "dropout": lambda s: ops.dropout(full(1.0, 50), 0.5, seed=s),
    "multinomial": lambda s: ops.multinomial(full(1.0, 50), 50, seed=s),
    "UniformReal": lambda s: ops.UniformReal(seed=s)((50,)),
    "StandardNormal": lambda s: ops.StandardNormal(seed=1, seed2=s)((50,)),
    "Dropout": lambda s: ops.Dropout(0.5, s, 1)(full(1.0, 50))[0],
}


@pytest.mark.parametrize("name", SEEDED)
def test_a_seed_of_its_own_makes_a_sequence(name: str) -> None:
    draw = SEEDED[name]
    default_stream().set(1)
    first, second = draw(7).asnumpy(), draw(7).asnumpy()
    default_stream().set(99)  # another program seed: the op's own decides
    assert (draw(7).asnumpy() == first).all()
    assert (draw(7).asnumpy() == second).all()
    default_stream().set(99)
    assert (draw(8).asnumpy() != first).any()
    assert (first != second).any()


ALWAYS: dict[str, Callable[[int], Any]] = {
    "randperm": lambda s: ops.randperm(50, seed=s),
    "bernoulli": lambda s: ops.bernoulli(full(1.0, 50), 0.5, seed=s),
    "random_categorical": lambda s: ops.random_categorical(Tensor(np.zeros((1, 50), np.float32)), 50, s),
}


@pytest.mark.parametrize("name", ALWAYS)
def test_a_seed_that_fixes_every_call(name: str) -> None:
    draw = ALWAYS[name]
    first = draw(7).asnumpy()
    assert (draw(7).asnumpy() == first).all()
    assert (draw(8).asnumpy() != first).any()


@pytest.mark.parametrize("seed", [-1, 1.5, "a", True])
def test_seeds_are_checked(seed: Any) -> None:
    with pytest.raises(ValueError if seed == -1 else TypeError, match="'seed' must"):
        ops.rand(2, seed=seed)


GENERATORS: dict[str, Callable[[Any], Any]] = {
    "rand": lambda g: mint.rand(50, generator=g),
    "randn": lambda g: mint.randn(50, generator=g),
    "randint": lambda g: mint.randint(1000, (50,), generator=g),
    "randperm": lambda g: mint.randperm(50, generator=g),
    "normal": lambda g: mint.normal(0.0, 1.0, (50,), g),
    "multinomial": lambda g: mint.multinomial(full(1.0, 50), 50, True, generator=g),
    "bernoulli": lambda g: mint.bernoulli(full(0.5, 50), generator=g),
    "Tensor.bernoulli": lambda g: full(0.5, 50).bernoulli(generator=g),
    "Tensor.uniform": lambda g: full(0.5, 50).uniform(0.0, 1.0, g),
    "Tensor.uniform_": lambda g: full(0.5, 50).uniform_(generator=g),
    "Tensor.normal_": lambda g: full(0.5, 50).normal_(generator=g),
    "Tensor.random_": lambda g: full(0.5, 50).random_(generator=g),
    "ops.uniform_": lambda g: ops.uniform_(full(0.5, 50), generator=g),
}


@pytest.mark.parametrize("name", GENERATORS)
def test_generators_are_independent(name: str) -> None:
    draw, own, other = GENERATORS[name], Stream(5), Stream(6)
    before = default_stream().peek()
    first = draw(own).asnumpy()
    assert own.peek() == (5, STEP) and default_stream().peek() == before
    draw(other)
    second = draw(own).asnumpy()
    assert (first != second).any() and (draw(Stream(6)).asnumpy() != first).any()
    own.set(5)
    assert (draw(own).asnumpy() == first).all() and (draw(own).asnumpy() == second).all()


def test_in_place_calls_keep_the_tensor() -> None:
    x = full(7.0, 10)
    calls: tuple[Callable[[], Any], ...] = (
        lambda: x.uniform_(),
        lambda: x.normal_(),
        lambda: x.random_(),
        lambda: ops.normal_(x),
        lambda: ops.random_(x, 3),
    )
    for call in calls:
        before = x.asnumpy().copy()
        assert call() is x
        assert (x.asnumpy() != before).any()
    y = full(1.0, 1000)
    assert mint_functional.dropout(y, 0.5, True, True) is y
    assert set(y.tolist()) == {0.0, 2.0}


@pytest.mark.parametrize("shape", [(1000,), (10, 20, 5)])
def test_gradient_of_dropout_is_its_mask(shape: tuple[int, ...]) -> None:
    x = Tensor(np.random.default_rng(0).uniform(1, 2, shape).astype(np.float32))
    default_stream().set(3)
    y = ops.dropout(x, 0.25).asnumpy()
    default_stream().set(3)
    slope = grad(lambda t: ops.dropout(t, 0.25).sum())(x).asnumpy()
    np.testing.assert_allclose(slope, np.where(y != 0, 1 / 0.75, 0), rtol=1e-6)


def test_gradient_of_gumbel_softmax_is_that_of_the_soft_sample() -> None:
    x, w = Tensor(np.random.default_rng(1).normal(size=(4, 5)), mstype.float64), np.arange(20.0).reshape(4, 5)
    found = []
    for hard in (False, True):
        default_stream().set(8)
        found.append(grad(lambda t, h=hard: (ops.gumbel_softmax(t, 0.7, h) * Tensor(w)).sum())(x).asnumpy())
    np.testing.assert_allclose(found[0], found[1], rtol=1e-10)
    assert np.abs(found[0]).max() > 0.01
    np.testing.assert_allclose(found[0].sum(1), 0, atol=1e-10)


def test_gradients_reach_the_parameters_of_a_normal() -> None:
    default_stream().set(8)
    noise = ops.standard_normal((6,)).asnumpy()
    default_stream().set(8)
    got = grad(lambda m, s: ops.normal((6,), m, s).sum(), (0, 1))(Tensor(1.0), Tensor(2.0))
    assert got[0].item() == 6
    assert math.isclose(got[1].item(), noise.sum(), rel_tol=1e-5, abs_tol=1e-5)


ERRORS: list[tuple[type[Exception], str, Callable[[], Any]]] = [
    (ValueError, "'dtype' must be a float type", lambda: ops.rand(2, dtype=mstype.int32)),
    (ValueError, "'dtype' must be an int type", lambda: ops.randint(0, 2, (2,), dtype=mstype.float32)),
    (ValueError, "'low' must be below 'high'", lambda: ops.randint(5, 1, (2,))),
    (TypeError, "'low' and 'high' must be ints", lambda: ops.randint(0.5, 1, (2,))),
    (ValueError, "'size' must not be negative", lambda: ops.rand(-1)),
    (ValueError, "'minval' must have one element", lambda: ops.uniform((2,), Tensor([0, 1]), 3, dtype=mstype.int32)),
    (ValueError, "'std' must not be negative", lambda: mint.normal(0.0, -1.0, (2,))),
    (TypeError, "'size' must be given", lambda: mint.normal(0.0, 1.0)),
    (ValueError, "probabilities must be in", lambda: ops.bernoulli(Tensor([1.0]), 2.0)),
    (ValueError, "'alpha' must be above 0", lambda: ops.gamma((2,), Tensor([0.0]), Tensor([1.0]))),
    (ValueError, "'rate' must be 0 or more", lambda: ops.random_poisson((2,), Tensor([-1.0]))),
    (ValueError, "'num_samples' must be at most 2", lambda: ops.multinomial(Tensor([1.0, 1.0]), 3, False)),
    (ValueError, "the weights must be finite", lambda: ops.multinomial(Tensor([-1.0, 1.0]), 3)),
    (TypeError, "dtype of 'input_x' must be Bool", lambda: ops.choice_with_mask(Tensor([1]))),
    (ValueError, "'upper'", lambda: ops.rrelu(Tensor([1.0]), 0.5, 0.25)),
    (ValueError, "'tau' must be above 0", lambda: ops.gumbel_softmax(Tensor([[1.0]]), 0.0)),
    (ValueError, "'p' must be in", lambda: ops.dropout(Tensor([1.0]), 1.5)),
    (ValueError, "'keep_prob' must be in", lambda: ops.Dropout(0.0)(Tensor([1.0]))),
    (RuntimeError, "'from_' must be below 'to'", lambda: Tensor([1]).random_(3, 3)),
    (ValueError, "'range_max' must leave 5", lambda: ops.uniform_candidate_sampler(Tensor([[0]]), 1, 5, True, 4)),
    (ValueError, "'n' must be at most", lambda: ops.Randperm(2)(Tensor([3]))),
    (TypeError, "'generator' must be a Generator", lambda: mint.rand(2, generator=3)),
]


@pytest.mark.parametrize(("kind", "text", "call"), ERRORS, ids=[text for _, text, _ in ERRORS])
def test_errors(kind: type[Exception], text: str, call: Callable[[], Any]) -> None:
    with pytest.raises(kind, match=text):
        call()
