"""Random choices: indices by weight, shuffling, picks out of a mask, candidate classes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.tensor import from_array
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import REALS, composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._draw import FLAGS, fixed, int_type, seeded
from ms_kernels.ops._tape import plain
from ms_kernels.ops.index import index_select
from ms_kernels.random import distributions, samplers

__all__ = ["choice_with_mask", "multinomial", "random_categorical", "shuffle"]

Shape = tuple[int, ...]


def _count(name: str, arg: str, value: Any) -> int:
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        fail(TypeError, name, f"'{arg}'", "be an int", describe(value))
    if value <= 0:
        fail(ValueError, name, f"'{arg}'", "be above 0", describe(value))
    return int(value)


def _picked_shape(shape: Shape, count: Any, *_rest: Any) -> Shape:
    if len(shape) not in (1, 2):
        fail(ValueError, "multinomial", "'input'", "have one or two dimensions", f"shape {list(shape)}")
    return (*shape[:-1], _count("multinomial", "num_samples", count))


def _picked_type(*args: Any) -> Any:
    return args[6] if len(args) > 6 else mstype.int32


@op(
    shape=_picked_shape,
    dtype=_picked_type,
    accepts=REALS,
    ops="multinomial(input, num_samples, replacement=True, seed=None)",
    mint="multinomial(input, num_samples, replacement=False, *, generator=None); dtype=int64",
    tensor="multinomial(num_samples, replacement=True, seed=None)",
    primitive="Multinomial(seed=0, seed2=0, dtype=int32)(x, num_samples)",
    label="multinomial",
    **FLAGS,
)
def multinomial(
    input: Array,
    num_samples: int,
    replacement: bool = True,
    seed: Any = None,
    seed2: Any = 0,
    generator: Any = None,
    dtype: Any = mstype.int32,
) -> Any:
    """Return indices drawn by weight from each row of (N) or (R, N) weights: int32, from `mint` int64.

    Args:
        replacement: whether an index may be drawn again; if not, and a row has fewer weights above 0 than are drawn,
            the others follow in order.
        seed: makes the numbers independent of the default generator's seed.

    Raises:
        ValueError: weights that are negative, not finite or all 0; more samples than weights without replacement.
        TypeError: a `num_samples` that is no int, a `replacement` that is no bool.

    Examples:
        >>> ops.multinomial(Tensor([0.0, 0.5, 0.0]), 3).tolist()
        [1, 1, 1]

    Source: ``mindspore.ops.multinomial``, ``mindspore.mint.multinomial``; Efraimidis and Spirakis for drawing without
    replacement.
    """
    if not isinstance(replacement, bool):
        fail(TypeError, "multinomial", "'replacement'", "be a bool", describe(replacement))
    count = _count("multinomial", "num_samples", num_samples)
    if not replacement and count > input.shape[-1]:
        fail(ValueError, "multinomial", "'num_samples'", f"be at most {input.shape[-1]}", str(count))
    kind = int_type("multinomial", dtype)
    stream = seeded("multinomial", seed, seed2, generator)
    return distributions.multinomial(input, count, replacement, *stream).astype(kind)


@op(
    shape=lambda shape, _seed, _offset, numsamples, *_rest: _picked_shape(shape, numsamples),
    dtype=rules.int64,
    accepts=REALS,
    ops="multinomial_with_replacement(x, seed, offset, numsamples, replacement=False)",
    primitive="MultinomialWithReplacement(numsamples, replacement=False)(x, seed, offset)",
    **FLAGS,
)
def multinomial_with_replacement(
    input: Array, seed: Any, offset: Any, numsamples: int, replacement: bool = False
) -> Any:
    """Return indices drawn by weight from each row of (N) or (R, N) weights, int64; seed and offset fix them.

    Raises:
        ValueError: as `multinomial`.

    Examples:
        >>> ops.multinomial_with_replacement(Tensor([[0.0, 9.0]]), 2, 5, 2, True).tolist()
        [[1, 1]]

    Source: ``mindspore.ops.multinomial_with_replacement``.
    """
    count = _count("MultinomialWithReplacement", "numsamples", numsamples)
    if not replacement and count > input.shape[-1]:
        fail(ValueError, "MultinomialWithReplacement", "'numsamples'", f"be at most {input.shape[-1]}", str(count))
    stream = fixed("MultinomialWithReplacement", seed, offset)
    return distributions.multinomial(input, count, bool(replacement), *stream)


@op(
    shape=lambda shape, count, *_rest: (shape[0], _count("random_categorical", "num_sample", count)),
    dtype=lambda _input, _count, _seed=0, dtype=mstype.int64: dtype,
    accepts=REALS,
    ops="random_categorical(logits, num_sample, seed=0, dtype=int64)",
    tensor="random_categorical(num_sample, seed=0, dtype=int64)",
    primitive="RandomCategorical(dtype=int64)(logits, num_sample, seed)",
    label="random_categorical",
    **FLAGS,
)
def random_categorical(input: Array, num_sample: int, seed: Any = 0, dtype: Any = mstype.int64) -> Any:
    """Return classes drawn from each row of (R, C) logits, int64 by default.

    Args:
        seed: unless 0, the numbers are the same at every call.

    Raises:
        ValueError: logits of other dimensions, a dtype that is no integer.
        TypeError: a `num_sample` that is no int.

    Examples:
        >>> ops.random_categorical(Tensor([[0.0, 99.0]]), 3).tolist()
        [[1, 1, 1]]

    Source: ``mindspore.ops.random_categorical``.
    """
    if input.ndim != 2:
        fail(ValueError, "random_categorical", "'logits'", "have two dimensions", f"shape {list(input.shape)}")
    count = _count("random_categorical", "num_sample", num_sample)
    kind = int_type("random_categorical", dtype)
    return distributions.categorical(input, count, *fixed("random_categorical", seed), kind)


@composite(ops="shuffle(x, seed=None)", primitive="RandomShuffle(seed=0, seed2=0)(x)")
def shuffle(input: Array, seed: Any = None, seed2: Any = 0) -> Any:
    """Return the tensor with its first dimension in random order.

    Raises:
        TypeError: an input that is no tensor, a seed that is no int.

    Examples:
        >>> sorted(ops.shuffle(Tensor([3, 1, 2])).tolist())
        [1, 2, 3]

    Source: ``mindspore.ops.shuffle``.
    """
    stream = seeded("RandomShuffle", seed, seed2)
    if not input.ndim:
        return input
    return index_select(input, 0, from_array(samplers.permutation(input.shape[0], *stream)))


@op(
    shape=lambda shape, count=256, *_rest: [(count, len(shape)), (count,)],
    dtype=lambda *_args: (mstype.int32, mstype.bool_),
    ops="choice_with_mask(input_x, count=256, seed=None)",
    primitive="RandomChoiceWithMask(count=256, seed=0, seed2=0)(input_x)",
    label="choice_with_mask",
    **FLAGS,
)
def choice_with_mask(input: Array, count: int = 256, seed: Any = None, seed2: Any = 0) -> Any:
    """Return the places of `count` elements that are True, in random order, and which of them are valid.

    Where there are fewer, the rest are zeros that are not valid.

    Returns:
        An int32 tensor (count, ndim) and a bool tensor (count).

    Raises:
        TypeError: an input that is not bool, a count or seed that is no int.
        ValueError: a count that is not above 0, an input of 0 or more than 5 dimensions.

    Examples:
        >>> places, valid = ops.choice_with_mask(Tensor([False, True]), 2)
        >>> places.tolist(), valid.tolist()
        ([[1], [0]], [True, False])

    Source: ``mindspore.ops.choice_with_mask``.
    """
    name = "choice_with_mask"
    if input.dtype != bool:
        fail(TypeError, name, "dtype of 'input_x'", "be Bool", str(mstype.from_numpy(input.dtype)))
    if not 1 <= input.ndim <= 5:
        fail(ValueError, name, "'input_x'", "have one to five dimensions", f"shape {list(input.shape)}")
    wanted = _count(name, "count", count)
    found = np.argwhere(input).astype(np.int32)
    order = samplers.permutation(len(found), *seeded(name, seed, seed2))[:wanted]
    places = np.zeros((wanted, input.ndim), np.int32)
    places[: len(order)] = found[order]
    return places, np.arange(wanted) < len(order)


def _tried(pick: Callable[[Any], Any], count: int, unique: bool, stream: tuple[int, int], barred: Any) -> Any:
    """Draw until there are enough classes; returns them, and how many draws that took."""
    if not unique and not len(barred):
        return pick(samplers.unit((count,), *stream)), count
    drawn = np.empty(0, np.int64)
    size = 4 * count + 16
    while True:
        part = pick(samplers.unit((size,), *stream, drawn.size))
        drawn = np.concatenate([drawn, part])
        good = np.flatnonzero(~np.isin(drawn, barred))
        if unique:
            good = good[np.sort(np.unique(drawn[good], return_index=True)[1])]
        if good.size >= count:
            return drawn[good[:count]], int(good[count - 1]) + 1
        size = drawn.size


def _expected(chance: Any, count: int, tries: int) -> Any:
    """How often a class of a chance is expected among the classes drawn."""
    counts = chance * count if tries == count else -np.expm1(tries * np.log1p(-np.minimum(chance, 1 - 2.0**-53)))
    return np.asarray(counts, np.float32)


def _sampler_checks(
    name: str, true: Any, num_true: Any, num_sampled: Any, unique: Any, range_max: Any, barred: int
) -> None:
    for arg, value in (("num_true", num_true), ("num_sampled", num_sampled), ("range_max", range_max)):
        _count(name, arg, value)
    if not isinstance(unique, bool):
        fail(TypeError, name, "'unique'", "be a bool", describe(unique))
    if true.dtype.kind not in "iu":
        fail(TypeError, name, "dtype of 'true_classes'", "be an integer type", str(mstype.from_numpy(true.dtype)))
    if true.ndim != 2 or true.shape[1] != num_true:
        got = str(list(true.shape))
        fail(ValueError, name, "shape of 'true_classes'", f"be [batch_size, {num_true}]", got)
    if (unique or barred) and range_max - barred < (num_sampled if unique else 1):
        fail(ValueError, name, "'range_max'", f"leave {num_sampled} classes to draw", describe(range_max))


def _sampler_shape(shape: Shape, _num_true: Any, num_sampled: Any, *_rest: Any) -> list[Shape]:
    return [(num_sampled,), shape, (num_sampled,)]


def _sampler_type(true: Any, *_rest: Any) -> Any:
    return true, mstype.float32, mstype.float32


@op(
    shape=lambda shape, num_true=1, num_sampled=5, *_rest: _sampler_shape(shape, num_true, num_sampled),
    dtype=_sampler_type,
    ops="log_uniform_candidate_sampler(true_classes, num_true=1, num_sampled=5, unique=True, range_max=5, seed=0)",
    primitive="LogUniformCandidateSampler(num_true=1, num_sampled=5, unique=True, range_max=5, seed=0)(true_classes)",
    **FLAGS,
)
def log_uniform_candidate_sampler(
    true_classes: Array, num_true: int = 1, num_sampled: int = 5, unique: bool = True, range_max: int = 5, seed: Any = 0
) -> Any:
    """Return classes drawn with chance ``log((k + 2) / (k + 1)) / log(range_max + 1)``, and expected counts.

    Args:
        unique: draw each class at most once.

    Returns:
        The classes (num_sampled), and how often the true classes and the drawn ones were to be expected, float32.

    Raises:
        TypeError: an argument of the wrong type.
        ValueError: fewer classes than are to be drawn; true classes of another shape.

    Examples:
        >>> drawn, _, _ = ops.log_uniform_candidate_sampler(Tensor([[0], [3]]), 1, 5, True, 5)
        >>> sorted(drawn.tolist())
        [0, 1, 2, 3, 4]

    Source: ``mindspore.ops.log_uniform_candidate_sampler``.
    """
    name = "LogUniformCandidateSampler"
    _sampler_checks(name, true_classes, num_true, num_sampled, unique, range_max, 0)
    scale = math.log(range_max + 1)

    def pick(u: Any) -> Any:
        return np.minimum(np.expm1(u * scale).astype(np.int64), range_max - 1)

    def chance(k: Any) -> Any:
        return np.log1p(1 / (k.astype(np.float64) + 1)) / scale

    drawn, tries = _tried(pick, num_sampled, unique, seeded(name, seed), ())
    true, own = (_expected(chance(k), num_sampled, tries) for k in (true_classes, drawn))
    return drawn.astype(true_classes.dtype), true, own


@op(
    shape=_sampler_shape,
    dtype=_sampler_type,
    ops="uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=0, "
    "remove_accidental_hits=False)",
    primitive="UniformCandidateSampler(num_true, num_sampled, unique, range_max, seed=0, "
    "remove_accidental_hits=False)(true_classes)",
    **FLAGS,
)
def uniform_candidate_sampler(
    true_classes: Array,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: Any = 0,
    remove_accidental_hits: bool = False,
) -> Any:
    """Return classes drawn with equal chance from [0, range_max), and expected counts.

    Args:
        unique: draw each class at most once.
        remove_accidental_hits: draw none of the true classes.

    Returns:
        The classes (num_sampled), and how often the true classes and the drawn ones were to be expected, float32.

    Raises:
        TypeError: an argument of the wrong type.
        ValueError: fewer classes than are to be drawn; true classes of another shape.

    Examples:
        >>> drawn, true, _ = ops.uniform_candidate_sampler(Tensor([[0], [3]]), 1, 3, False, 4)
        >>> drawn.shape, true.tolist()
        ((3,), [[0.75], [0.75]])

    Source: ``mindspore.ops.uniform_candidate_sampler``.
    """
    name = "UniformCandidateSampler"
    barred = np.unique(true_classes) if remove_accidental_hits else np.empty(0, np.int64)
    barred = barred[(barred >= 0) & (barred < max(int(range_max), 0))]
    _sampler_checks(name, true_classes, num_true, num_sampled, unique, range_max, len(barred))

    def pick(u: Any) -> Any:
        return (u * range_max).astype(np.int64)

    drawn, tries = _tried(pick, num_sampled, unique, seeded(name, seed), barred)
    expected = _expected(np.float64(1 / range_max), num_sampled, tries)
    counts = (np.full(like.shape, expected, np.float32) for like in (true_classes, drawn))
    return (drawn.astype(true_classes.dtype), *counts)
