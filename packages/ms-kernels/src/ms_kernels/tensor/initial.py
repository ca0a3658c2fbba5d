"""The data that a Parameter starts with, or takes over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.tensor.construct import as_ndarray
from ms_kernels.tensor.tensor import Tensor

__all__ = ["goes_into", "initial", "resolved", "set_initializer_resolver"]

Resolver = Callable[[Any, tuple[int, ...], Any], Tensor]
_resolvers: list[Resolver] = []


def set_initializer_resolver(resolver: Resolver) -> None:
    """Tell how `Parameter.clone(init=...)` turns a name, a number or an initializer into a Tensor.

    Args:
        resolver: called as ``resolver(init, shape, dtype)``; `ms_initializer.initializer` is one.
    """
    _resolvers[:] = [resolver]


def initial(value: Any) -> Any:
    """The array that a Parameter starts with: always its own."""
    if isinstance(value, bool):
        fail(ValueError, "Parameter", "data", "be no bool", describe(value))
    if isinstance(value, TensorBase):
        if any(n < 0 for n in value.shape):
            fail(ValueError, "Parameter", "shape", "be known", str(value.shape))
        if value._waiting is not None:
            return value._a  # filled now, for this Parameter alone
        return np.array(value._a, order="C")
    if isinstance(value, int):
        return as_ndarray(value, mstype.int32)
    if value is not None and not isinstance(value, (float, list, np.ndarray)):
        fail(TypeError, "Parameter", "'default_input'", "be a Tensor, int, float, list or ndarray", describe(value))
    return as_ndarray(value)


def goes_into(given: Any, own: Any) -> bool:
    """Whether 2.6 casts data of the type `given` to a Parameter's own without being told."""
    if given == own:
        return True
    order = mstype.implicit_conversion_seq
    return given in order and own in order and order[given] < order[own]


def resolved(init: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """The Tensor that `init` of `Parameter.clone` stands for."""
    if isinstance(init, TensorBase) and init.shape == shape:
        return init
    if _resolvers:
        return _resolvers[0](init, shape, dtype)
    simple = {"zeros": 0, "zero": 0, "ones": 1, "one": 1}
    value = simple.get(init.lower()) if isinstance(init, str) else init
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return Tensor(np.full(shape, value), dtype)
    kind = ValueError if isinstance(init, (str, TensorBase)) else TypeError
    rule = "be 'same', 'zeros', 'ones', a number or a Tensor of the same shape (others need ms-initializer)"
    return fail(kind, "Parameter.clone", "'init'", rule, describe(init))
