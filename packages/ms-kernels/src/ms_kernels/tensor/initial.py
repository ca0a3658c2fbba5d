"""The data that a Parameter starts with, or takes over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.tensor.construct import as_ndarray
from ms_kernels.tensor.tensor import Tensor

__all__ = ["goes_into", "initial", "no_init_parameters", "resolved", "set_initializer_resolver", "to_wait_for"]

Resolver = Callable[[Any, tuple[int, ...], Any], Tensor]
_resolvers: list[Resolver] = []


def set_initializer_resolver(resolver: Resolver) -> None:
    """Tell how `Parameter.clone(init=...)` turns a name, a number or an initializer into a Tensor.

    Args:
        resolver: called as ``resolver(init, shape, dtype)``; `ms_initializer.initializer` is one.
    """
    _resolvers[:] = [resolver]


_deferred: ContextVar[bool] = ContextVar("ms_kernels_no_init_parameters", default=False)


@contextmanager
def no_init_parameters() -> Iterator[None]:
    """Let Parameters made inside wait for their initial values (``mindspore.nn.utils.no_init_parameters``).

    They are filled when they are first used, or by `init_data`; loading other values into them costs nothing more.

    Examples:
        >>> from ms_kernels import Parameter, Tensor
        >>> from ms_kernels.tensor.initial import no_init_parameters
        >>> class Ones:
        ...     def __call__(self, array):
        ...         array[...] = 1
        >>> with no_init_parameters():
        ...     w = Parameter(Tensor(shape=(2,), dtype=mstype.float32, init=Ones()))
        >>> w.has_init, w.asnumpy(), w.has_init
        (True, array([1., 1.], dtype=float32), False)
    """
    token = _deferred.set(True)
    try:
        yield
    finally:
        _deferred.reset(token)


def to_wait_for(value: Any) -> Any:
    """The initializer that a new Parameter waits for; None when it is filled at once."""
    if not _deferred.get() or not isinstance(value, Tensor) or any(n < 0 for n in value.shape):
        return None
    return value.init


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
