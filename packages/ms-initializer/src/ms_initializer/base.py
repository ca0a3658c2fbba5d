"""Initializer, the names that stand for initializers, and initializer()."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

import ms_dtype as mstype
from ms_generator import get_seed
from ms_generator.seeds import op_seeds
from ms_kernels import Tensor
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.tensor.parameter import set_initializer_resolver

__all__ = ["Initializer", "aliases", "assign", "initializer", "numpy_seed", "register"]

Array = np.ndarray[Any, np.dtype[Any]]
C = TypeVar("C", bound="type[Initializer]")

_ALIASES: dict[str, type[Initializer]] = {}
aliases: Mapping[str, type[Initializer]] = MappingProxyType(_ALIASES)


def register(*names: str) -> Callable[[C], C]:
    """Let names, and the class's own name in lower case, stand for an initializer class.

    Raises:
        ValueError: a name stands for another class already.

    Examples:
        >>> @register("three")
        ... class AllThree(Initializer):
        ...     def _initialize(self, arr):
        ...         arr[...] = 3
        >>> print(initializer("three", 2).init_data())
        [3. 3.]
    """

    def add(cls: C) -> C:
        for name in (cls.__name__.lower(), *names):
            known = _ALIASES.setdefault(name, cls)
            if (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
                fail(ValueError, "register", "name", "be free", f"'{name}', which stands for {known.__qualname__}")
            _ALIASES[name] = cls
        return cls

    return add


def numpy_seed() -> int:
    """Draw the 63-bit seed of one random fill from NumPy's global state, which set_seed sets."""
    return int(np.random.randint(1, 1 << 63, dtype=np.int64))


def assign(arr: Array, values: Any) -> None:
    """Write values into an array, cast as C casts: toward zero for integers, to infinity on overflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        arr[...] = np.asarray(values).astype(arr.dtype).reshape(arr.shape if np.ndim(values) else ())


class Initializer:
    """Base class of the initializers: an object that fills arrays when it is called.

    A subclass writes its numbers into the array that `_initialize(arr)` gets, of whatever dtype.

    Args:
        kwargs: the subclass's parameters, kept in `_kwargs`.

    Examples:
        >>> class Half(Initializer):
        ...     def _initialize(self, arr):
        ...         arr[...] = 0.5
        >>> a = np.empty(2)
        >>> Half()(a)
        >>> a
        array([0.5, 0.5])
    """

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = kwargs
        self._seed: int | None = None

    def __call__(self, arr: Array) -> None:
        """Fill an ndarray."""
        self._initialize(arr)

    def _initialize(self, arr: Array) -> None:
        raise NotImplementedError("Must be overridden!")

    @property
    def seed(self) -> tuple[int, int]:
        """Two seeds as 2.6 counts them for its operators; setting an int n makes them (n + 1, 0).

        The classes of this package do not use it: they draw from NumPy's global state.
        """
        if self._seed is not None:
            return self._seed + 1, 0
        return op_seeds().pair(get_seed(), "init")

    @seed.setter
    def seed(self, value: int | None) -> None:
        self._seed = value

    def sharded(self, slice_index: int) -> Callable[[Array], None]:
        """Return what fills shard number `slice_index`: it draws as after set_seed(get_seed() + slice_index).

        NumPy's global state is put back afterwards, so that the shards of one process do not depend on their order.
        """

        def fill(arr: Array) -> None:
            base = get_seed()
            state = np.random.get_state()
            if base is None:  # without a seed every tensor gets a base of its own, which moves the state on
                base = int(np.random.randint(1 << 31))
                state = np.random.get_state()
            np.random.seed((base + slice_index) % (1 << 32))
            try:
                self(arr)
            finally:
                np.random.set_state(state)

        return fill


def initializer(init: Any, shape: Any = None, dtype: mstype.Type = mstype.float32) -> Tensor:
    """Make a Tensor that an initializer will fill (``mindspore.common.initializer.initializer``).

    The numbers are drawn when they are first needed, by `Tensor.init_data()` or by the first use of the data; until
    then the Tensor carries the initializer as `init`, and `has_init` is True.  A Parameter made of it is filled at
    once.

    Args:
        init: a Tensor, an Initializer, a name such as "he_uniform" (any case), or a number for a constant.
        shape: int, tuple or list of positive ints.  None: the shape of the Tensor `init`.
        dtype: the element type; a Tensor `init` keeps its own.

    Returns:
        A Tensor of this shape and dtype; `init` itself where that is a Tensor.

    Raises:
        TypeError: `init` or `dtype` has a wrong type.
        ValueError: the name is unknown; a dim is no positive int; a Tensor `init` has another shape; there is no shape.

    Examples:
        >>> t = initializer("ones", [1, 2])
        >>> t.has_init, t.shape
        (True, (1, 2))
        >>> print(t.init_data())
        [[1. 1.]]
        >>> initializer(Tensor([1, 2])).shape
        (2,)
    """
    if not isinstance(init, (Tensor, numbers.Number, str, Initializer)):
        fail(TypeError, "initializer", "'init'", "be a Tensor, a number, a string or an Initializer", describe(init))
    dims = None if shape is None else _dims(shape)
    if isinstance(init, Tensor):
        if dims is not None and init.shape != dims:
            fail(ValueError, "initializer", "shape of 'init'", f"be the 'shape' {list(dims)}", str(list(init.shape)))
        return init
    made = _resolve(init)
    if dims is None:
        fail(ValueError, "initializer", "'shape'", "be given where 'init' is no Tensor", "None")
    if dtype is None:
        fail(ValueError, "initializer", "'dtype'", "be given together with 'shape'", "None")
    if getattr(dtype, "np", None) is None:
        fail(TypeError, "initializer", "'dtype'", "be the dtype of a tensor", describe(dtype))
    return Tensor(shape=dims, dtype=dtype, init=made)


def _dims(shape: Any) -> tuple[int, ...]:
    dims = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    for dim in dims:
        if not isinstance(dim, int) or dim <= 0:
            fail(ValueError, "initializer", "'shape'", "be made of positive ints", repr(shape))
    return dims


def _resolve(init: Any) -> Initializer:
    if isinstance(init, Initializer):
        return init
    if isinstance(init, str):
        cls = _ALIASES.get(init.lower())
        if cls is None:
            fail(ValueError, "initializer", "'init'", "be the name of an initializer", repr(init))
        return cls()
    return _ALIASES["constant"](value=init)


set_initializer_resolver(initializer)  # Parameter.clone(init=...) takes what initializer() takes
