"""The public Tensor class, put together from its parts; its ops come from the op table."""

from __future__ import annotations

import copyreg
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from ms_dynshape import Symbol
from ms_kernels.core.operators import Operators
from ms_kernels.core.tensor import StandIn, Unknown, set_tensor_class
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.tensor import format as _format
from ms_kernels.tensor.bridge import Bridge, from_dlpack, from_numpy
from ms_kernels.tensor.casting import Casting
from ms_kernels.tensor.changes import Changes
from ms_kernels.tensor.construct import as_ndarray, no_data, symbols_of
from ms_kernels.tensor.hooks import Hooks
from ms_kernels.tensor.layout import Layout
from ms_kernels.tensor.scalars import Scalars

__all__ = ["Tensor", "from_dlpack", "from_numpy", "tensor"]

_FILLING = threading.RLock()  # an initializer draws its numbers once, whoever needs them first


class TensorMeta(type):
    """The type of `Tensor`: it lets the class itself be pickled, whose `__module__` need not be importable."""


class Tensor(Layout, Bridge, Scalars, Casting, Changes, Hooks, metaclass=TensorMeta):
    """A multi-dimensional array of one element type (``mindspore.Tensor``).

    Args:
        input_data: numbers, nested sequences of them, an ndarray or a Tensor; copied.
        dtype: element type; by default int64 for ints, float32 for floats, complex128 for complex numbers, an array's
            own type.
        shape: with `init`: the shape; without `input_data`: that of a tensor without data, whose dims may be None or -1
            for unknown, and which may be -2 (or None) for a shape of unknown rank.
        init: an initializer, called on the new array when the data is first needed, or by `init_data`.
        const_arg: whether the tensor is a constant when it is given to a compiled function.
        device: None or "CPU".

    Raises:
        TypeError: an argument of a wrong type, or data of unequal lengths.
        ValueError: arguments that exclude each other.

    Examples:
        >>> Tensor([[1, 2], [3, 4]], mstype.float32).shape
        (2, 2)
        >>> print(Tensor(3) + 1)
        4
        >>> Tensor(dtype=mstype.float32, shape=(2, None)).shape
        (2, -1)
    """

    __module__ = "mindspore.common.tensor"  # as 2.6's, which programs and logs may show
    __hash__ = Operators.__hash__
    const_arg = False
    _like_numpy = False  # print the elements as NumPy does
    init_finished = True
    _symbols: list[Any] | None = None  # the dims of a declaration, where Symbols are among them

    if TYPE_CHECKING:  # what the op table adds
        __getitem__: Any
        __setitem__: Any

        def __getattr__(self, name: str) -> Any: ...

    def __init__(
        self,
        input_data: Any = None,
        dtype: Any = None,
        shape: Any = None,
        init: Any = None,
        const_arg: bool = False,
        device: str | None = None,
    ) -> None:
        if const_arg is not False:
            self.set_const_arg(const_arg)
        if device is not None and device != "CPU":
            fail(ValueError, "Tensor", "'device'", "be 'CPU'", describe(device))
        if input_data is not None and shape is None and init is None:
            self._set(as_ndarray(input_data, dtype))
            if getattr(input_data, "_like_numpy", False):
                self._like_numpy = True
        else:
            self._set_pending(*no_data(input_data, dtype, shape, init))
            symbols = symbols_of(shape)
            if symbols is not None:
                self._symbols = symbols

    def _fill(self) -> None:
        """Called before the first use of data that is not there yet."""
        if isinstance(self._waiting, StandIn):
            self._waiting.fill(self)
            return
        with _FILLING:
            waiting = self._waiting
            if not isinstance(waiting, Unknown):
                if waiting is not None:
                    Tensor.init_data(self)
            elif any(n < 0 for n in waiting.dims):
                fail(RuntimeError, "Tensor", "data", "exist", f"a tensor that has only the shape {waiting.dims}")
            else:
                self._set(np.zeros(waiting.dims, self.dtype.np))

    @property
    def symbolic_shape(self) -> list[Any] | None:
        """The dims that the tensor was declared with, Symbols as dicts of their facts; None without a Symbol.

        >>> Tensor(shape=[Symbol(max=8, divisor=2), None], dtype=mstype.float32).symbolic_shape
        [{'max': 8, 'divisor': 2}, None]
        """
        if self._symbols is None:
            return None
        return [item.to_dict() if isinstance(item, Symbol) else item for item in self._symbols]

    @property
    def init(self) -> Any:
        """The initializer that this tensor waits for, or None."""
        waiting = self._waiting
        return None if isinstance(waiting, Unknown) else waiting

    @property
    def has_init(self) -> bool:
        """Whether the data is still to be made by an initializer."""
        return self.init is not None

    def is_init(self) -> bool:
        """Tell whether the tensor was marked as initialized by 2.6's parameter server; never, here."""
        return False

    def init_data(self, slice_index: int | None = None, shape: Any = None, opt_shard_group: Any = None) -> Any:
        """Make the data by the initializer given at construction; returns self.

        Args:
            slice_index: number of the shard, so that every shard draws other numbers.
            shape: shape of the shard; by default the tensor's own.
            opt_shard_group: accepted for 2.6's sake.

        Raises:
            TypeError: the tensor has no initializer.
        """
        with _FILLING:
            init = self.init
            if init is None:
                fail(TypeError, "Tensor.init_data", "'init'", "be given at construction", "None")
            array = np.empty(tuple(shape) if shape is not None else self.shape, self.dtype.np)
            if slice_index is not None and hasattr(init, "sharded"):
                init = init.sharded(slice_index)
            init(array)
            self._set(array)
            self._like_numpy = True
        return self

    def set_const_arg(self, const_arg: bool = True) -> Any:
        """Say whether the tensor is a constant when it is given to a compiled function; returns self.

        Raises:
            TypeError: `const_arg` is no bool.
        """
        if not isinstance(const_arg, bool):
            fail(TypeError, "set_const_arg", "'const_arg'", "be a bool", describe(const_arg))
        self.const_arg = const_arg
        return self

    def move_to(self, to: str, blocking: bool = True) -> Any:
        """Return a copy on a device, of which there is the CPU only.

        Raises:
            RuntimeError: another device.
        """
        if to != "CPU":
            fail(RuntimeError, "Tensor.move_to", "'to'", "be 'CPU'", describe(to))
        return self.__deepcopy__({})

    def data_sync(self, need_wait: bool) -> None:
        """Wait until the data is on the host: it always is."""

    def flush_from_cache(self) -> None:
        """Write back data from 2.6's parameter cache: there is none."""

    def __repr__(self) -> str:
        return _format.representation(self, self._like_numpy)

    def __str__(self) -> str:
        return _format.text(self)


def _class(name: str) -> Any:
    """Find the class that a pickle names."""
    from ms_kernels.tensor import parameter

    return {"Tensor": Tensor, "Parameter": parameter.Parameter}[name]


def _reduce_class(kind: type) -> Any:
    return (_class, (kind.__name__,)) if kind.__module__.startswith("mindspore.common.") else kind.__qualname__


copyreg.pickle(TensorMeta, _reduce_class)


def tensor(
    input_data: Any = None,
    dtype: Any = None,
    shape: Any = None,
    init: Any = None,
    const_arg: bool = False,
    device: str | None = None,
) -> Tensor:
    """Make a Tensor (``mindspore.tensor``); arguments as for `Tensor`.

    Examples:
        >>> print(tensor([1, 2]) * 2)
        [2 4]
    """
    return Tensor(input_data, dtype, shape, init, const_arg, device)


set_tensor_class(Tensor)
