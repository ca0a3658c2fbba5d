"""Random tensors: uniform, normal and integer numbers, permutations.

Every call takes the next part of a stream, the default one or a Generator's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import FLOATS, composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._draw import FLAGS, extent, fixed, float_type, int_type, number, seeded, values
from ms_kernels.ops.create import element_type
from ms_kernels.random import samplers

__all__ = ["normal", "rand", "randint", "randn", "randperm", "standard_normal", "uniform"]


def _many(args: Any) -> Any:
    """Sizes given one by one, or as one tuple."""
    return args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args


def _drawn(name: str, sampler: Any, text: str) -> Any:
    def body(size: Any, dtype: Any = None, seed: Any = None, generator: Any = None) -> Any:
        kind = float_type(name, dtype)
        return sampler(extent(name, _many(size), "size"), kind, *seeded(name, seed, 0, generator))

    body.__name__, body.__module__ = name, __name__
    body.__doc__ = (
        f"Return {text}, float32 by default.\n\nArgs:\n    seed: makes the numbers independent of the generator's seed."
        "\n    generator: the Generator to follow; by default the default one.\n\n"
        "Raises:\n    ValueError: a negative size, a dtype that is no float.\n    TypeError: a size that is no int.\n\n"
        f"Examples:\n    >>> ops.{name}(2, 3).shape\n    (2, 3)\n\nSource: ``mindspore.ops.{name}``."
    )
    return op(
        shape=lambda size, *_rest: extent(name, _many(size), "size"),
        dtype=lambda _size, dtype=None, *_rest: mstype.float32 if dtype is None else dtype,
        ops=f"{name}(*size, dtype=None, seed=None)",
        mint=f"{name}(*size, generator=None, dtype=None)",
        name=name,
        **FLAGS,
    )(body)


rand = _drawn("rand", samplers.uniform, "numbers from [0, 1)")
randn = _drawn("randn", samplers.normal, "normal numbers of mean 0 and deviation 1")


def _drawn_like(name: str, base: Any) -> Any:
    def body(input: Any, seed: Any = None, dtype: Any = None) -> Any:
        kind = input.dtype if dtype is None else dtype
        float_type(name, kind)
        return base(input.shape, kind, seed)

    body.__annotations__["input"] = "Array"
    body.__name__, body.__module__ = name, __name__
    body.__doc__ = (
        f"Return a tensor drawn as `{base.name}` draws, of another's shape and (by default) dtype.\n\n"
        "Raises:\n    ValueError: a dtype that is no float.\n\n"
        f"Examples:\n    >>> ops.{name}(Tensor([1.0, 2.0])).shape\n    (2,)\n\nSource: ``mindspore.ops.{name}``."
    )
    return composite(ops=f"{name}(input, seed=None, *, dtype=None)", mint=f"{name}(input, *, dtype=None)", name=name)(
        body
    )


rand_like = _drawn_like("rand_like", rand)
randn_like = _drawn_like("randn_like", randn)


@op(
    shape=lambda size, *_rest: extent("UniformReal", size),
    dtype=lambda *_args: mstype.float32,
    primitive="UniformReal(seed=0, seed2=0)(shape)",
    rename={"shape": "size"},
    **FLAGS,
)
def uniform_real(size: Any, seed: Any = 0, seed2: Any = 0) -> Any:
    """Return numbers from [0, 1), float32.

    Examples:
        >>> ops.UniformReal(seed=2)((2, 3)).shape
        (2, 3)

    Source: ``mindspore.ops.UniformReal``.
    """
    return samplers.uniform(extent("UniformReal", size), np.float32, *seeded("UniformReal", seed, seed2))


def _bounds(name: str, low: Any, high: Any) -> tuple[int, int]:
    for value in (low, high):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
            fail(TypeError, name, "'low' and 'high'", "be ints", describe(value))
    if low >= high:
        fail(ValueError, name, "'low'", "be below 'high'", f"{low} and {high}")
    return int(low), int(high)


@op(
    shape=lambda _low, _high, size, *_rest: extent("randint", size, "size"),
    dtype=lambda _low, _high, _size, _seed=None, dtype=None, *_rest: mstype.int64 if dtype is None else dtype,
    ops="randint(low, high, size, seed=None, *, dtype=None); ints=True",
    mint="randint(low, high, size, *, generator=None, dtype=None)",
    **FLAGS,
)
def randint(
    low: int, high: int, size: Any, seed: Any = None, dtype: Any = None, generator: Any = None, ints: bool = False
) -> Any:
    """Return integers from [low, high), int64 by default.

    Args:
        seed: makes the numbers independent of the default generator's seed.
        generator: the Generator to follow; by default the default one.

    Raises:
        TypeError: a bound or size that is no int.
        ValueError: `low` is not below `high`; for `ops`, a dtype that is no integer.

    Examples:
        >>> ops.randint(1, 10, (2, 3)).shape
        (2, 3)

    Source: ``mindspore.ops.randint``.
    """
    first, last = _bounds("randint", low, high)
    kind = int_type("randint", dtype) if ints else element_type("randint", dtype, mstype.int64)
    return samplers.integers(extent("randint", size, "size"), kind, *seeded("randint", seed, 0, generator), first, last)


@composite(mint="randint(high: int, size: tuple|list, *, generator=None, dtype=None)", name="randint_below")
def randint_below(high: int, size: Any, generator: Any = None, dtype: Any = None) -> Any:
    """Return integers from [0, high), int64 by default.

    Examples:
        >>> mint.randint(10, (2, 3)).shape
        (2, 3)

    Source: ``mindspore.mint.randint``.
    """
    return randint(0, high, size, None, dtype, generator)


@composite(
    ops="randint_like(input, low, high, seed=None, *, dtype=None); ints=True",
    mint=["randint_like(input, low, high, *, dtype=None)", "randint_like(input, high, *, dtype=None)"],
)
def randint_like(
    input: Array, low: int = 0, high: int = 1, seed: Any = None, dtype: Any = None, ints: bool = False
) -> Any:
    """Return integers from [low, high) in a tensor of another's shape and (by default) dtype.

    Raises:
        TypeError: a bound that is no int.
        ValueError: `low` is not below `high`; for `ops`, a dtype that is no integer.

    Examples:
        >>> ops.randint_like(Tensor([1, 2]), 0, 5).shape
        (2,)

    Source: ``mindspore.ops.randint_like``, ``mindspore.mint.randint_like``.
    """
    kind = input.dtype if dtype is None else dtype
    return randint(low, high, input.shape, seed, kind, None, ints)


@op(
    shape=lambda size, *_rest: extent("UniformInt", size),
    dtype=lambda *_args: mstype.int32,
    primitive="UniformInt(seed=0, seed2=0)(shape, minval, maxval)",
    rename={"shape": "size"},
    **FLAGS,
)
def uniform_int(size: Any, minval: Any, maxval: Any, seed: Any = 0, seed2: Any = 0) -> Any:
    """Return integers from [minval, maxval), int32; the bounds are tensors of one element.

    Raises:
        ValueError: bounds of more than one element; `minval` not below `maxval`.

    Examples:
        >>> ops.UniformInt()((2, 3), Tensor(1, mstype.int32), Tensor(5, mstype.int32)).shape
        (2, 3)

    Source: ``mindspore.ops.UniformInt``.
    """
    for arg, value in (("minval", minval), ("maxval", maxval)):
        if isinstance(value, TensorBase) and value.size != 1:
            fail(ValueError, "UniformInt", f"'{arg}'", "have one element", f"shape {list(value.shape)}")
    first, last = (int(number("UniformInt", "bounds", v)) for v in (minval, maxval))
    if first >= last:
        fail(ValueError, "UniformInt", "'minval'", "be below 'maxval'", f"{first} and {last}")
    return samplers.integers(extent("UniformInt", size), np.int32, *seeded("UniformInt", seed, seed2), first, last)


def _permuted(name: str, n: Any, dtype: Any, stream: tuple[int, int]) -> Any:
    (count,) = extent(name, n, "n")
    return samplers.permutation(count, *stream, element_type(name, dtype))


@op(
    shape=lambda n, *_rest: extent("randperm", n, "n"),
    dtype=lambda _n, _seed=0, _offset=0, dtype=mstype.int64, *_rest: dtype,
    ops="randperm(n, seed=0, offset=0, dtype=int64)",
    mint="randperm(n, *, generator=None, dtype=int64)",
    primitive="RandpermV2(seed=0, offset=0, dtype=int64)(n)",
    label="randperm",
    **FLAGS,
)
def randperm(n: int, seed: Any = 0, offset: Any = 0, dtype: Any = mstype.int64, generator: Any = None) -> Any:
    """Return 0 to n-1 in random order, int64 by default.

    Args:
        seed, offset: unless both are 0 they fix the order.
        generator: the Generator to follow; by default the default one.

    Raises:
        ValueError: a negative n.
        TypeError: an n that is no int.

    Examples:
        >>> sorted(mint.randperm(4).tolist())
        [0, 1, 2, 3]

    Source: ``mindspore.ops.randperm``, ``mindspore.mint.randperm``.
    """
    stream = seeded("randperm", None, 0, generator) if generator is not None else fixed("randperm", seed, offset)
    return _permuted("randperm", n, dtype, stream)


@op(
    shape=lambda _n, length=1, *_rest: (length,),
    dtype=lambda _n, _length=1, _pad=-1, dtype=mstype.int32: dtype,
    primitive="Randperm(max_length=1, pad=-1, dtype=int32)(n)",
    rename={"max_length": "length"},
    **FLAGS,
)
def randperm_padded(n: Any, length: int = 1, pad: int = -1, dtype: Any = mstype.int32) -> Any:
    """Return 0 to n-1 in random order, filled up to `max_length` elements with `pad`.

    Raises:
        ValueError: an n that is negative or above `max_length`.

    Examples:
        >>> ops.Randperm(4)(Tensor([0], mstype.int32)).tolist()
        [-1, -1, -1, -1]

    Source: ``mindspore.ops.Randperm``.
    """
    (count,) = extent("Randperm", n, "n")
    if count > length:
        fail(ValueError, "Randperm", "'n'", f"be at most 'max_length' {length}", str(count))
    out = np.full(length, pad, element_type("Randperm", dtype))
    out[:count] = samplers.permutation(count, *seeded("Randperm"), out.dtype)
    return out


@op(
    shape=lambda size, *_rest: extent("StandardNormal", size),
    dtype=lambda *_args: mstype.float32,
    ops="standard_normal(shape, seed=None)",
    primitive="StandardNormal(seed=0, seed2=0)(shape)",
    rename={"shape": "size"},
    **FLAGS,
)
def standard_normal(size: Any, seed: Any = None, seed2: Any = 0) -> Any:
    """Return normal numbers of mean 0 and deviation 1, float32.

    Examples:
        >>> ops.standard_normal((2, 3)).shape
        (2, 3)

    Source: ``mindspore.ops.standard_normal``.
    """
    shape = extent("StandardNormal", size)
    return samplers.normal(shape, np.float32, *seeded("StandardNormal", seed, seed2))


def _met(name: str, size: Any, *params: Any) -> Any:
    """The shape asked for, broadcast with those of the parameters."""
    shape = extent(name, size)
    for value in params:
        if isinstance(value, TensorBase):
            shape = rules.broadcast(name)(shape, value.shape)
    return shape


@composite(ops="normal(shape, mean, stddev, seed=None)", rename={"shape": "size"})
def normal(size: Any, mean: Any, stddev: Any, seed: Any = None) -> Any:
    """Return normal numbers of a mean and a deviation (numbers, or tensors that are broadcast), float32.

    Raises:
        ValueError: shapes that cannot be broadcast.

    Examples:
        >>> ops.normal((2, 3), 0.0, 1.0).shape
        (2, 3)

    Source: ``mindspore.ops.normal``.
    """
    return standard_normal(_met("normal", size, mean, stddev), seed) * stddev + mean


@composite(mint="normal(mean=0.0, std=1.0, size=None, generator=None)", name="normal_mint")
def normal_mint(mean: Any = 0.0, std: Any = 1.0, size: Any = None, generator: Any = None) -> Any:
    """Return normal numbers, float32, of the shape of `mean` and `std` broadcast, or for two numbers of shape `size`.

    Raises:
        TypeError: neither numbers nor tensors; two numbers without a size.
        ValueError: a negative deviation.

    Examples:
        >>> mint.normal(Tensor([1.0, 2.0]), 0.0).tolist()
        [1.0, 2.0]
        >>> mint.normal(0.0, 1.0, (2, 3)).shape
        (2, 3)

    Source: ``mindspore.mint.normal``.
    """
    for arg, value in (("mean", mean), ("std", std)):
        if isinstance(value, bool) or not isinstance(value, (int, float, TensorBase)):
            fail(TypeError, "normal", f"'{arg}'", "be a number or a Tensor", describe(value))
    if np.min(values(std), initial=0) < 0:
        fail(ValueError, "normal", "'std'", "not be negative", str(np.min(values(std))))
    if size is None and not isinstance(mean, TensorBase) and not isinstance(std, TensorBase):
        fail(TypeError, "normal", "'size'", "be given when 'mean' and 'std' are numbers", "None")
    noise = randn(_met("normal", () if size is None else size, mean, std), None, None, generator)
    return noise * std + mean


@composite(ops="uniform(shape, minval, maxval, seed=None, dtype=float32)", rename={"shape": "size"})
def uniform(size: Any, minval: Any, maxval: Any, seed: Any = None, dtype: Any = mstype.float32) -> Any:
    """Return numbers from [minval, maxval): floats, or for dtype int32 integers.

    Raises:
        ValueError: shapes that cannot be broadcast; for integers, bounds of more than one element.
        TypeError: another dtype.

    Examples:
        >>> ops.uniform((2, 3), Tensor(0.0), Tensor(1.0)).shape
        (2, 3)

    Source: ``mindspore.ops.uniform``.
    """
    if not isinstance(dtype, mstype.Type) or dtype.kind not in "fiu":
        fail(TypeError, "uniform", "'dtype'", "be a float or integer type", str(dtype))
    if dtype.kind in "iu":
        for arg, value in (("minval", minval), ("maxval", maxval)):
            if isinstance(value, TensorBase) and value.size != 1:
                fail(ValueError, "uniform", f"'{arg}'", "have one element", f"shape {list(value.shape)}")
        low, high = (int(number("uniform", "bounds", v)) for v in (minval, maxval))
        return randint(low, high, extent("uniform", size), seed, dtype)
    return rand(_met("uniform", size, minval, maxval), dtype, seed) * (maxval - minval) + minval


@op(
    shape=rules.same,
    dtype=rules.same,
    mint="bernoulli(input, *, generator=None)",
    tensor="bernoulli(*, generator=None)",
    ops=["bernoulli(input, p=0.5, seed=None)", "bernoulli_ext(input, *, generator=None)"],
    primitive="Bernoulli(seed=-1, offset=0)(x, p)",
    label="bernoulli",
    **FLAGS,
)
def bernoulli(input: Array, p: Any = None, seed: Any = None, offset: Any = 0, generator: Any = None) -> Any:
    """Return 1 with a probability, else 0, in the input's shape and dtype.

    Args:
        p: the probability, a number or a tensor that broadcasts to the input; None: each element of the input is one.
        seed: with one, the numbers are the same at every call.

    Raises:
        ValueError: a probability outside of [0, 1].

    Examples:
        >>> print(mint.bernoulli(Tensor([0.0, 1.0])))
        [0. 1.]

    Source: ``mindspore.mint.bernoulli``; ``ops.bernoulli`` takes p.
    """
    if p is None and input.dtype not in FLOATS:
        fail(TypeError, "bernoulli", "dtype of 'input'", "be a float type", str(input.dtype))
    chance = input if p is None else values(p) if isinstance(p, TensorBase) else np.float32(number("bernoulli", "p", p))
    if chance.size and not (chance.min() >= 0 and chance.max() <= 1):
        fail(ValueError, "bernoulli", "probabilities", "be in [0, 1]", f"{chance.min()} to {chance.max()}")
    own = seed is None or (isinstance(seed, int) and seed == -1)
    stream = seeded("bernoulli", None, 0, generator) if own else fixed("bernoulli", seed, offset)
    return samplers.bernoulli(input.shape, input.dtype, *stream, chance if chance.size != 1 else float(chance.item()))
