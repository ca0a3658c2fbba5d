"""Nested arguments and results: the tensors in them, and the rest as a form that can be compared and filled again."""

from __future__ import annotations

import enum
import functools
import types
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_dynshape import mutable
from ms_kernels import Parameter
from ms_kernels.core.checks import Check
from ms_kernels.core.tensor import TensorBase

__all__ = ["Form", "Leaf", "check_of", "form_of", "is_plain", "leaves_of", "maker_of", "rebuild", "tensors_in"]

_PLAIN = (
    *(type(None), bool, int, float, complex, str, bytes, range, type, np.dtype, np.generic, enum.Enum, mstype.Type),
    *(types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType),
)
_MUTABLE = {type(mutable(())): tuple, type(mutable([])): list}  # what `mutable` makes of them
_EXACT = (type(None), bool, int, float, complex, str, bytes)


class Leaf:
    """A place in a form: of a tensor, by its number, or of any other value.

    With an index the value is None, or the type of Python's number to make of the tensor.
    """

    __slots__ = ("index", "value")

    def __init__(self, index: int, value: Any = None) -> None:
        self.index, self.value = index, value


# a Leaf, or (type, keys or None, parts)
Form = Any


def is_plain(value: Any) -> bool:
    """Whether a value that is no container holds no tensor: a number, a text, a dtype, a function."""
    return isinstance(value, _PLAIN)


def _parts(value: Any) -> tuple[Any, Sequence[Any]] | None:
    kind = type(value)
    if kind in (tuple, list, *_MUTABLE) or (isinstance(value, tuple) and hasattr(value, "_fields")):
        return None, value
    if isinstance(value, dict):
        return tuple(value), tuple(value.values())
    if kind is slice:
        return None, (value.start, value.stop, value.step)
    return None


def form_of(value: Any, found: list[TensorBase]) -> Form:
    """Return the form of a value, and append its tensors to `found` in order."""
    if isinstance(value, TensorBase):
        found.append(value)
        return Leaf(len(found) - 1)
    split = _parts(value)
    if split is None:
        return Leaf(-1, value)
    keys, parts = split
    return type(value), keys, [form_of(part, found) for part in parts]


def rebuild(form: Form, tensors: Sequence[Any]) -> Any:
    """Return the value of a form with these tensors in their places."""
    if type(form) is Leaf:
        if form.index < 0:
            return form.value
        return tensors[form.index] if form.value is None else form.value(tensors[form.index].item())
    kind, keys, parts = form
    made = [rebuild(part, tensors) for part in parts]
    if kind in _MUTABLE:
        return mutable(_MUTABLE[kind](made))
    if keys is not None:
        return kind(zip(keys, made))
    return kind(*made) if kind is slice or hasattr(kind, "_fields") else kind(made)


def maker_of(form: Form) -> Any:
    """Return what an `Entry` is told to make results of this form: the two usual ones need no Python.

    >>> maker_of(Leaf(0)), maker_of((tuple, None, [Leaf(0), Leaf(1)]))
    ('single', None)
    """
    if type(form) is Leaf:
        return "single" if form.index == 0 and form.value is None else functools.partial(rebuild, form)
    kind, _, parts = form
    if kind is tuple and all(
        type(part) is Leaf and part.index == i and part.value is None for i, part in enumerate(parts)
    ):
        return None
    return functools.partial(rebuild, form)


def tensors_in(value: Any) -> list[TensorBase]:
    """The tensors in a value, in order."""
    found: list[TensorBase] = []
    form_of(value, found)
    return found


def leaves_of(form: Form, tensors: bool = False) -> Iterator[Leaf]:
    """The places in a form that hold something else than a tensor, or those of tensors."""
    if type(form) is Leaf:
        if (form.index >= 0) is tensors:
            yield form
    else:
        for part in form[2]:
            yield from leaves_of(part, tensors)


def check_of(value: Any) -> Check:
    """Return what another argument must be to share this one's graph: a tensor like it, or the same value.

    A Parameter stands for itself: a graph uses it, but not as an input.
    """
    if isinstance(value, Parameter):
        return Check.same(value)
    if isinstance(value, TensorBase):
        return Check.tensor(type(value), value._kind, value.shape)
    if isinstance(value, (tuple, list)):
        return Check.sequence(type(value), map(check_of, value))
    if isinstance(value, dict):
        return Check.mapping(type(value), {key: check_of(item) for key, item in value.items()})
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return Check.asks(functools.partial(_same_array, value.copy()))
    return Check.equal(value)


def _same_array(array: Any, value: Any) -> bool:
    """Whether a value is an array of the same numbers."""
    if type(value) is not type(array) or value.dtype != array.dtype or value.shape != array.shape:
        return False
    return bool(value.tobytes() == array.tobytes())
