"""What the random families share: which part of which stream a call takes, and checks of its arguments."""

from __future__ import annotations

from typing import Any

import ms_dtype as mstype
from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.ops._tape import plain
from ms_kernels.ops.shape import dims_of
from ms_kernels.random.stream import draw

__all__ = ["DRAWN", "FLAGS", "extent", "fixed", "float_type", "int_type", "number", "seeded", "values"]

DRAWN = "the result is drawn, not computed from a tensor's values"
FLAGS: dict[str, Any] = {"nondiff": DRAWN, "ascend": "random"}
_MASK = (1 << 64) - 1


def _key(name: str, seed: Any, seed2: Any) -> int:
    """One 64-bit seed of an op's two; 0 where neither was given."""
    for arg, value in (("seed", seed), ("seed2", seed2)):
        if isinstance(value, TensorBase):
            continue
        if value is not None and (isinstance(value, bool) or not hasattr(value, "__index__")):
            fail(TypeError, name, f"'{arg}'", "be an int", describe(value))
        if value is not None and int(value) < 0:
            fail(ValueError, name, f"'{arg}'", "not be negative", describe(value))
    one, two = (0 if v is None else int(plain(v)) for v in (seed, seed2))
    return (one ^ (two * 0x9E3779B97F4A7C15)) & _MASK


def seeded(name: str, seed: Any = None, seed2: Any = 0, generator: Any = None) -> tuple[int, int]:
    """Return (seed, offset) of one call.

    Without a seed (None or 0) the call takes the next part of the generator's stream, by default the default one.  With
    one the numbers follow from that seed and from how many random calls the program made before: the calls of a program
    differ, and `set_seed` makes them repeat.
    """
    key = _key(name, seed, seed2)
    first, offset = draw(generator)
    return (key, offset) if key else (first, offset)


def fixed(name: str, seed: Any = None, offset: Any = 0) -> tuple[int, int]:
    """As `seeded` for the ops whose seed fixes their numbers, however often they are called."""
    key = _key(name, seed, offset)
    return (key, 0) if key else draw()


def extent(name: str, size: Any, arg: str = "shape") -> tuple[int, ...]:
    """A shape given as an int, a tuple, a list or a tensor.

    Raises:
        TypeError: something else.
        ValueError: a negative size.
    """
    dims = dims_of(name, size, arg)
    if min(dims, default=0) < 0:
        fail(ValueError, name, f"'{arg}'", "not be negative", str(dims))
    return dims


def float_type(name: str, dtype: Any, default: Any = mstype.float32) -> Any:
    """The NumPy dtype of drawn floats.

    Raises:
        TypeError: not a dtype.
        ValueError: a dtype that is no float.
    """
    return _typed(name, dtype, default, "f", "a float type")


def int_type(name: str, dtype: Any, default: Any = mstype.int64) -> Any:
    """The NumPy dtype of drawn integers; raises as `float_type`."""
    return _typed(name, dtype, default, "iu", "an int type")


def _typed(name: str, dtype: Any, default: Any, kinds: str, what: str) -> Any:
    found = default if dtype is None else dtype
    if not isinstance(found, mstype.Type) or found.np is None:
        fail(TypeError, name, "'dtype'", "be a type of tensor elements", describe(dtype))
    if found.kind not in kinds:
        fail(ValueError, name, "'dtype'", f"be {what}", str(found))
    return found.np


def number(name: str, arg: str, value: Any) -> float:
    """A Python number, or a tensor of one element, as a float.

    Raises:
        TypeError: something else.
    """
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        fail(TypeError, name, f"'{arg}'", "be a number", describe(value))
    return float(value)


def values(value: Any) -> Any:
    """A tensor's array, or the number itself."""
    return value._a if isinstance(value, TensorBase) else value
