"""What is known of a tensor without its elements, and numbers made into tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.primitive import Primitive
from ms_kernels.tape.grad import stop_gradient


def _tensor(name: str, value: Any, arg: str = "input_x") -> Any:
    if not isinstance(value, TensorBase):
        fail(TypeError, name, f"'{arg}'", "be a Tensor", describe(value))
    return value


def shape(input_x: Any) -> tuple[int, ...]:
    """Return the shape of a tensor (``mindspore.ops.shape``).

    Raises:
        TypeError: `input_x` is no Tensor.

    Examples:
        >>> from ms_kernels import Tensor, functional as ops
        >>> ops.shape(Tensor([[1, 2, 3]]))
        (1, 3)
    """
    return tuple(_tensor("Shape", input_x).shape)


def size(input_x: Any) -> int:
    """Return the number of elements of a tensor (``mindspore.ops.size``).

    Raises:
        TypeError: `input_x` is no Tensor.

    Examples:
        >>> from ms_kernels import Tensor, functional as ops
        >>> ops.size(Tensor([[1, 2, 3]]))
        3
    """
    return int(_tensor("Size", input_x).size)


def numel(input: Any) -> int:
    """Return the number of elements of a tensor (``mindspore.ops.numel``).

    Raises:
        TypeError: `input` is no Tensor.

    Examples:
        >>> from ms_kernels import Tensor, functional as ops
        >>> ops.numel(Tensor([[1, 2, 3]]))
        3
    """
    return int(_tensor("numel", input, "input").size)


def rank(input_x: Any) -> int:
    """Return the number of dimensions of a tensor (``mindspore.ops.rank``).

    Raises:
        TypeError: `input_x` is no Tensor.

    Examples:
        >>> from ms_kernels import Tensor, functional as ops
        >>> ops.rank(Tensor([[1, 2, 3]]))
        2
    """
    return int(_tensor("Rank", input_x).ndim)


def _dtype(input_x: Any) -> Any:
    return _tensor("DType", input_x).dtype


def is_tensor(obj: Any) -> bool:
    """Tell whether a value is a Tensor (``mindspore.ops.is_tensor``).

    Examples:
        >>> from ms_kernels import Tensor, functional as ops
        >>> ops.is_tensor(Tensor(1)), ops.is_tensor(1)
        (True, False)
    """
    return isinstance(obj, TensorBase)


def is_complex(input: Any) -> bool:
    """Tell whether a tensor's elements are complex (``mindspore.ops.is_complex``).

    Raises:
        TypeError: `input` is no Tensor.

    Examples:
        >>> from ms_kernels import Tensor, functional as ops
        >>> ops.is_complex(Tensor([1.0]))
        False
    """
    return bool(_tensor("is_complex", input, "input").dtype.kind == "c")


def is_floating_point(input: Any) -> bool:
    """Tell whether a tensor's elements are floating point numbers (``mindspore.ops.is_floating_point``).

    Raises:
        TypeError: `input` is no Tensor.

    Examples:
        >>> from ms_kernels import Tensor, functional as ops
        >>> ops.is_floating_point(Tensor([1.0]))
        True
    """
    return bool(_tensor("is_floating_point", input, "input").dtype.kind == "f")


def is_nonzero(input: Any) -> bool:
    """Tell whether the one element of a tensor is something else than 0 (``mindspore.ops.is_nonzero``).

    Raises:
        TypeError: `input` is no Tensor.
        ValueError: it has not one element.

    Examples:
        >>> from ms_kernels import Tensor, functional as ops
        >>> ops.is_nonzero(Tensor([3.0]))
        True
    """
    if _tensor("is_nonzero", input, "input").size != 1:
        fail(ValueError, "is_nonzero", "number of elements", "be 1", str(input.size))
    return bool(input.item())


def typeof(value: Any) -> Any:
    """Return the type of a value: of a tensor that of tensors of its elements (``mindspore.ops.typeof``).

    Examples:
        >>> from ms_kernels import Tensor, functional as ops
        >>> ops.typeof(Tensor([1.0]))
        mindspore.tensor[float32]
    """
    return mstype.TensorType(value.dtype) if isinstance(value, TensorBase) else mstype.get_py_obj_dtype(value)


def scalar_to_tensor(input_x: Any, dtype: Any = mstype.float32) -> Any:
    """Return a number as a tensor without dimensions (``mindspore.ops.scalar_to_tensor``).

    Raises:
        TypeError: `input_x` is no bool, int or float.

    Examples:
        >>> from ms_kernels import functional as ops
        >>> print(ops.scalar_to_tensor(5))
        5.0
    """
    if not isinstance(input_x, (bool, int, float)):
        fail(TypeError, "ScalarToTensor", "'x'", "be a bool, int or float", describe(input_x))
    return from_array(np.asarray(input_x).astype(dtype.np))


def tuple_to_array(input_x: Any) -> Any:
    """Return a tuple of numbers as a tensor: int32 when the first is an int, else float32.

    Raises:
        TypeError: `input_x` is no tuple of numbers.
        IndexError: it is empty.

    Examples:
        >>> from ms_kernels import functional as ops
        >>> print(ops.tuple_to_array((1, 2, 3)))
        [1 2 3]

    Source: ``mindspore.ops.tuple_to_array``.
    """
    if not isinstance(input_x, tuple) or any(not isinstance(x, (bool, int, float)) for x in input_x):
        fail(TypeError, "TupleToArray", "'input_x'", "be a tuple of numbers", describe(input_x))
    if not input_x:
        fail(IndexError, "TupleToArray", "'input_x'", "not be empty")
    return from_array(np.asarray(input_x).astype(np.int32 if isinstance(input_x[0], int) else np.float32))


def scalar_cast(input_x: Any, input_y: Any) -> Any:
    """Return a number as one of another kind: int64, float64 or bool (``mindspore.ops.scalar_cast``).

    Raises:
        TypeError: `input_x` is no number.
        ValueError: another type.

    Examples:
        >>> import ms_dtype as mstype
        >>> from ms_kernels import functional as ops
        >>> ops.scalar_cast(2.7, mstype.int64)
        2
    """
    if not isinstance(input_x, (bool, int, float)):
        fail(TypeError, "ScalarCast", "'x'", "be a bool or a number", describe(input_x))
    casts: dict[Any, Callable[[Any], Any]] = {mstype.int64: int, mstype.float64: float, mstype.bool_: bool}
    if input_y not in casts:
        fail(ValueError, "ScalarCast", "'input_y'", "be int64, float64 or bool", str(input_y))
    return casts[input_y](input_x)


def print_(*input_x: Any) -> None:
    """Print values: tensors as their repr, all else as it is (``mindspore.ops.print_``).

    Examples:
        >>> from ms_kernels import functional as ops
        >>> ops.print_("loss:", 3)
        loss:
        3
    """
    for value in input_x:
        print(repr(value) if isinstance(value, TensorBase) else value)


def _permutation(input_x: Any) -> tuple[int, ...]:
    if not isinstance(input_x, (tuple, list)):
        fail(TypeError, "InvertPermutation", "'input_x'", "be a tuple or a list of ints", describe(input_x))
    if sorted(input_x) != list(range(len(input_x))):
        rule = f"hold each of 0 to {len(input_x) - 1} once"
        fail(ValueError, "InvertPermutation", "'input_x'", rule, str(tuple(input_x)))
    return tuple(int(i) for i in np.argsort(input_x))


def _primitive(name: str, function: Callable[..., Any], text: str, example: str) -> Any:
    """A Primitive class without attributes that calls a function."""

    def init(self: Primitive) -> None:
        Primitive.__init__(self, name)
        if name == "Print":
            self.add_prim_attr("side_effect_io", True)

    def call(self: Primitive, *args: Any) -> Any:
        return function(*args)

    doc = f"{text}\n\nExamples:\n    >>> from ms_kernels import Tensor, functional as ops\n{example}\n\n"
    body = {
        "__init__": init,
        "__call__": call,
        "__module__": __name__,
        "__doc__": doc + f"Source: ``mindspore.ops.{name}``.",
    }
    return type(name, (Primitive,), body)


_ROW = "Tensor([[1, 2, 3]])"
Shape = _primitive("Shape", shape, "The shape of a tensor.", f"    >>> ops.Shape()({_ROW})\n    (1, 3)")
Size = _primitive("Size", size, "The number of elements of a tensor.", f"    >>> ops.Size()({_ROW})\n    3")
Rank = _primitive("Rank", rank, "The number of dimensions of a tensor.", f"    >>> ops.Rank()({_ROW})\n    2")
DType = _primitive(
    "DType", _dtype, "The type of a tensor's elements.", f"    >>> ops.DType()({_ROW})\n    mindspore.int64"
)
Print = _primitive("Print", print_, "Print values.", "    >>> ops.Print()('loss:')\n    loss:")
StopGradient = _primitive(
    "StopGradient",
    stop_gradient,
    "The same value, as a constant.",
    "    >>> print(ops.StopGradient()(Tensor(1)))\n    1",
)
ScalarCast = _primitive(
    "ScalarCast",
    scalar_cast,
    "A number as one of another kind.",
    "    >>> import ms_dtype as mstype\n    >>> ops.ScalarCast()(2.7, mstype.int64)\n    2",
)
ScalarToTensor = _primitive(
    "ScalarToTensor", scalar_to_tensor, "A number as a tensor.", "    >>> print(ops.ScalarToTensor()(5))\n    5.0"
)
TupleToArray = _primitive(
    "TupleToArray",
    tuple_to_array,
    "A tuple of numbers as a tensor.",
    "    >>> print(ops.TupleToArray()((1, 2)))\n    [1 2]",
)
InvertPermutation = _primitive(
    "InvertPermutation",
    _permutation,
    "The permutation that undoes another.",
    "    >>> ops.InvertPermutation()((2, 0, 1))\n    (1, 2, 0)",
)
