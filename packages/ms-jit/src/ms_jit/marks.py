"""What the compiler is told about classes and functions: `jit_class`, `lazy_inline`, `no_inline`."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

__all__ = ["jit_class", "lazy_inline", "no_inline"]

_LOG = logging.getLogger("ms_jit")

_C = TypeVar("_C", bound=type)
_F = TypeVar("_F", bound=Callable[..., Any])


def _is_cell(cls: type) -> bool:
    """Told by what a graph needs of a cell: it is built here on nothing above."""
    return hasattr(cls, "construct") and hasattr(cls, "cells_and_names")


def jit_class(cls: _C) -> _C:
    """Let graphs use the attributes and methods of a class of the user's own (``mindspore.jit_class``).

    Sets ``__ms_class__``.

    Raises:
        TypeError: `cls` is no class, or a Cell.

    >>> @jit_class
    ... class Scale:
    ...     factor = 2
    >>> Scale.__ms_class__
    True
    """
    if not inspect.isclass(cls):
        raise TypeError(f"Decorator jit_class can only be used for class type, but got {cls}.")
    if _is_cell(cls):
        raise TypeError(f"Decorator jit_class is used for user-defined classes and cannot be used for nn.Cell: {cls}.")
    cls.__ms_class__ = True  # type: ignore[attr-defined]
    return cls


def no_inline(fn: Any = None) -> Any:
    """Keep a function a graph of its own, which its callers share (``mindspore.no_inline``).

    Sets ``no_inline`` on the function, and returns it.

    Raises:
        AttributeError: it cannot have attributes.

    >>> @no_inline
    ... def twice(x):
    ...     return x + x
    >>> twice.no_inline
    True
    """

    def mark(function: _F) -> _F:
        function.no_inline = True  # type: ignore[attr-defined]
        return function

    return mark if fn is None else mark(fn)


def lazy_inline(fn: Any = None, attrs: Any = None, policy: str | None = None) -> Any:
    """Compile the cells of a class that were made alike only once (``mindspore.lazy_inline``); decorates ``__init__``.

    Args:
        fn: the ``__init__``.
        attrs: name or list of names of the attributes that tell cells apart; None: the arguments of ``__init__``.
        policy: "front": inline before differentiation; None: after it.

    The cell gets ``cell_init_args``, a text that is equal for cells that are compiled as one.

    Raises:
        ValueError: `fn` is a class or not called ``__init__``; when a cell is made: `attrs` is no list or text or holds
            anything but texts, or `policy` is neither None nor "front".

    >>> class Block:
    ...     @lazy_inline
    ...     def __init__(self, size):
    ...         self.size = size
    >>> Block(3).cell_init_args
    'lazy_inline_Blockdict_values([3])'
    """

    def decorate(function: Any) -> Any:
        _check_is_init(function)

        @wraps(function)
        def init(self: Any, *args: Any, **kwargs: Any) -> None:
            bound = inspect.signature(function).bind(self, *args, **kwargs)
            function(self, *args, **kwargs)
            values = dict(list(bound.arguments.items())[1:]).values() if attrs is None else _values(self, attrs)
            if policy is not None:
                if policy != "front":
                    raise ValueError("policy must be None or 'front'")
                self.no_inline = False
            if not _is_cell(type(self)):
                _LOG.warning("The %s must be a cell and must has a construct function. %s", *_place(type(self), init))
            self.cell_init_args = f"lazy_inline_{type(self).__name__}{values}"

        return init

    return decorate if fn is None else decorate(fn)


def _check_is_init(function: Any) -> None:
    name = function.__name__
    if inspect.isclass(function):
        raise ValueError(
            f"The lazy_inline should decorate the __init__ function, not the class {name}. "
            f"File: {inspect.getfile(function)}"
        )
    if name != "__init__":
        line = f"line: {function.__code__.co_firstlineno} in {function.__code__.co_filename}"
        raise ValueError(f"The lazy_inline should decorate the __init__ function, not the function: {name}. {line}")


def _place(cls: type, function: Any) -> tuple[str, str]:
    code = function.__wrapped__.__code__
    return cls.__name__, f"line: {code.co_firstlineno} in {code.co_filename}"


def _values(cell: Any, attrs: Any) -> Any:
    """What the named attributes hold; those that are missing do not count."""
    if isinstance(attrs, str):
        return getattr(cell, attrs, [])
    if not isinstance(attrs, list):
        raise ValueError("attrs must be list or string")
    if not all(isinstance(name, str) for name in attrs):
        raise ValueError("attr must be a string")
    return [getattr(cell, name) for name in attrs if hasattr(cell, name)]
