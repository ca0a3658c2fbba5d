"""Arguments against what `set_inputs` or `input_signature` declared of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ms_dynshape import SHAPE_DIM_ANY, Symbol, is_dynamic_rank
from ms_kernels.core.tensor import TensorBase

__all__ = ["check_declared"]

_WHERE = "For set_inputs and tuple(list) in set_inputs"
_KIND = "For set_inputs or tuple(list) in set_inputs"


def check_declared(args: Sequence[Any], declared: Sequence[Any]) -> None:
    """Check the arguments of a call.

    Args:
        args: the arguments, as they came.
        declared: tensors (dims -1 fit any length, the shape (-2,) any rank; the Symbols that they were made with say
            which lengths fit), and constants, which must come again as they are; also in lists and tuples.

    Raises:
        TypeError: a tensor has another dtype, or something else came than a tensor, or a tensor instead of a constant.
        ValueError: a rank, a length, a constant or the number of arguments does not fit.

    >>> from ms_kernels import Tensor
    >>> check_declared([Tensor([[1.0, 2.0]])], [Tensor(shape=[None, 2], dtype=Tensor([1.0]).dtype)])
    """
    if len(args) != len(declared):
        raise ValueError(
            "For set_inputs, the length of input must be equal to expected one, but got "
            f"expected: {len(declared)} and input: {len(args)}!"
        )
    lengths: dict[int, int] = {}
    for place, (arg, want) in enumerate(zip(args, declared, strict=True), 1):
        _check(place, arg, want, lengths)


def _check(place: int, arg: Any, want: Any, lengths: dict[int, int]) -> None:
    if isinstance(want, TensorBase):
        if not isinstance(arg, TensorBase):
            raise TypeError(f"{_KIND}, the {place}th should be mutable one, but got static!")
        _check_tensor(place, arg, want, lengths)
    elif isinstance(want, (list, tuple)):
        if isinstance(want, list) is not isinstance(arg, list) or len(want) != len(arg):
            raise ValueError(f"{_KIND}, the {place}th should be {want}, but got {arg}!")
        for item, inside in zip(arg, want, strict=True):
            _check(place, item, inside, lengths)
    elif isinstance(arg, TensorBase):
        raise TypeError(f"{_KIND}, the {place}th should be static one, but got mutable!")
    elif getattr(want, "__ms_mutable__", False):
        if not getattr(arg, "__ms_mutable__", False):
            raise TypeError(f"{_KIND}, the {place}th should be mutable one, but got static!")
    elif type(arg) is not type(want) or arg != want:
        raise ValueError(f"{_KIND}, the {place}th should be {want}, but got {arg}!")


def _check_tensor(place: int, arg: Any, want: Any, lengths: dict[int, int]) -> None:
    if arg.dtype != want.dtype:
        raise TypeError(f"{_KIND}, the {place}th type should be Tensor[{want.dtype}], but got Tensor[{arg.dtype}]!")
    if is_dynamic_rank(want.shape):
        return
    if len(arg.shape) != len(want.shape):
        raise ValueError(
            f"{_WHERE}, the dims of {place}th input must be the same as expected, but got "
            f"expected: {len(want.shape)}, and input: {len(arg.shape)}!"
        )
    dims = getattr(want, "_symbols", None) or want.shape
    for axis, (length, dim) in enumerate(zip(arg.shape, dims, strict=True)):
        if isinstance(dim, Symbol):
            _check_symbol(place, arg.shape, axis, dim, lengths)
        elif dim not in (length, None, SHAPE_DIM_ANY):
            raise ValueError(
                f"{_WHERE}, the shape of {place}th input must be the same as expected, but got "
                f"expected: {dim}, and input: {length}!"
            )


def _check_symbol(place: int, shape: Sequence[int], axis: int, symbol: Symbol, lengths: dict[int, int]) -> None:
    length = shape[axis]
    what = f"The {axis + 1}th shape value of {place}th actual input args"
    actual = f"Actual shape: {tuple(shape)}, axis: {axis}"
    if symbol.max > symbol.min and length > symbol.max:
        raise ValueError(
            f"{what} must be less than or equal to the 'max' value '{symbol.max}' of `Symbol`, but got '{length}'. "
            f"{actual}."
        )
    if length < symbol.min:
        raise ValueError(
            f"{what} must be greater than or equal to the 'min' value '{symbol.min}' of `Symbol`, but got '{length}'. "
            f"{actual}."
        )
    if length % symbol.divisor != symbol.remainder:
        raise ValueError(
            f"{what} must be match the 'divisor'(d) and 'remainder'(r) of `Symbol`. The value should be 'd * N + r' "
            f"for 'N > 0', got d={symbol.divisor} and r={symbol.remainder}, but actual shape value is '{length}'. "
            f"{actual}"
        )
    if symbol.unique and lengths.setdefault(symbol.id, length) != length:
        raise ValueError(
            f"{what} is a unique symbol, all values must be the same. The previous value is {lengths[symbol.id]}, "
            f"but the current value is {length}. {actual}."
        )
