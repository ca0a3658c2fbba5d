"""Functions of functions: one function for several types, functions over nested sequences, partial calls."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import ms_dtype as mstype
from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.primitive import Primitive

_CHECKS: dict[str, Callable[[Any], bool]] = {
    "Tensor": lambda v: isinstance(v, TensorBase),
    "Number": lambda v: isinstance(v, (bool, int, float, complex)),
    "Bool": lambda v: isinstance(v, bool),
    "Int": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "Float": lambda v: isinstance(v, float),
    "Complex": lambda v: isinstance(v, complex),
    "String": lambda v: isinstance(v, str),
    "Tuple": lambda v: isinstance(v, tuple),
    "List": lambda v: isinstance(v, list),
    "Dictionary": lambda v: isinstance(v, dict),
    "Function": callable,
    "None": lambda v: v is None,
}
_ALIASES = {
    "number": "Number",
    "bool": "Bool",
    "int": "Int",
    "int64": "Int",
    "float": "Float",
    "float32": "Float",
    "string": "String",
    "tuple": "Tuple",
    "list": "List",
    "tensor": "Tensor",
    "function": "Function",
    "none": "None",
    "type_none": "None",
}


def _kind(value: Any) -> str:
    """The name under which a type is known here; names are written as 2.6 does, types of ms_dtype by their own."""
    name = value if isinstance(value, str) else getattr(value, "name", "") or str(value).rsplit(".", 1)[-1]
    found = name if name in _CHECKS else _ALIASES.get(str(name).lower(), "")
    if isinstance(value, mstype.Type) and not found and str(value).startswith("mindspore.tensor"):
        found = "Tensor"
    if not found:
        fail(TypeError, "MultitypeFuncGraph.register", "type", f"be one of {sorted(_CHECKS)}", describe(value))
    return found


class MultitypeFuncGraph:
    """A function that has one implementation for each combination of argument types.

    Args:
        name: its name.
        read_value: accepted for 2.6's sake.

    Raises:
        ValueError: on a call, no implementation takes the arguments.

    Examples:
        >>> from ms_kernels import Tensor, functional as ops
        >>> twice = ops.MultitypeFuncGraph("twice")
        >>> @twice.register("Number")
        ... def twice_number(x):
        ...     return x * 2
        >>> @twice.register("Tensor")
        ... def twice_tensor(x):
        ...     return ops.add(x, x)
        >>> twice(3), twice(Tensor(4)).item()
        (6, 8)

    Source: ``mindspore.ops.MultitypeFuncGraph``.
    """

    def __init__(self, name: str, read_value: bool = False, doc_url: str = "") -> None:
        self.name = name
        self.read_value = read_value
        self.doc_url = doc_url
        self.entries: list[tuple[tuple[str, ...], Callable[..., Any]]] = []

    def register(self, *type_names: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Take the decorated function for arguments of these types ("Tensor", "Number", "Tuple", ... or dtypes).

        Raises:
            TypeError: a name of no type.
        """
        kinds = tuple(_kind(name) for name in type_names)

        def keep(function: Callable[..., Any]) -> Callable[..., Any]:
            self.entries.append((kinds, function))
            return function

        return keep

    def __call__(self, *args: Any) -> Any:
        if len(self.entries) == 1:  # as 2.6: a single implementation takes whatever comes
            return self.entries[0][1](*args)
        for kinds, function in self.entries:
            if len(kinds) == len(args) and all(_CHECKS[kind](arg) for kind, arg in zip(kinds, args)):
                return function(*args)
        given = ", ".join(type(arg).__name__ for arg in args)
        known = "; ".join(", ".join(kinds) for kinds, _ in self.entries)
        return fail(ValueError, "MultitypeFuncGraph", f"arguments of '{self.name}'", f"be of types {known}", given)


def _over(function: Callable[..., Any], items: tuple[Any, ...], deep: bool) -> Any:
    """Call a function with the items of sequences in step; sequences inside are gone through as well."""
    if not isinstance(items[0], (tuple, list)):
        return function(*items)
    return tuple(
        _over(function, parts, deep) if deep and isinstance(parts[0], (tuple, list)) else function(*parts)
        for parts in zip(*items)
    )


class HyperMap:
    """Applies a function to the items of sequences, through all levels of nesting; results come as tuples.

    Args:
        ops: the function (a MultitypeFuncGraph or any other); without it, it is the first argument of the call.
        reverse: accepted for 2.6's sake (the order in which items are computed).

    Raises:
        TypeError: `ops` is no function.

    Examples:
        >>> from ms_kernels import functional as ops
        >>> ops.HyperMap()(lambda a, b: a + b, ((1, 2), 3), ((4, 5), 6))
        ((5, 7), 9)

    Source: ``mindspore.ops.HyperMap``.
    """

    _deep = True

    def __init__(self, ops: Callable[..., Any] | None = None, reverse: bool = False) -> None:
        if ops is not None and not callable(ops):
            fail(TypeError, type(self).__name__, "'ops'", "be a function or None", describe(ops))
        self.ops = ops
        self.reverse = reverse

    def __call__(self, *args: Any) -> Any:
        function: Any = args[0] if self.ops is None and args else self.ops
        items = args[1:] if self.ops is None else args
        if not items or not callable(function):
            fail(TypeError, type(self).__name__, "call", "have a function and sequences", describe(function))
        return _over(function, items, self._deep)


class Map(HyperMap):
    """Applies a function to the items of sequences, one level deep; results come as a tuple.

    Args:
        ops: the function; without it, it is the first argument of the call.
        reverse: accepted for 2.6's sake.

    Examples:
        >>> from ms_kernels import functional as ops
        >>> ops.Map()(lambda a, b: a + b, (1, 2), (3, 4))
        (4, 6)

    Source: ``mindspore.ops.Map``.
    """

    _deep = False


class Partial(Primitive):
    """Makes a function with its first arguments given.

    Raises:
        TypeError: on a call, the first argument is no function.

    Examples:
        >>> from ms_kernels import functional as ops
        >>> ops.Partial()(lambda a, b: a - b, 5)(2)
        3

    Source: ``mindspore.ops.Partial``.
    """

    def __init__(self) -> None:
        super().__init__("Partial")
        self.add_prim_attr("side_effect_propagate", 1)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not args or not callable(args[0]):
            fail(TypeError, "Partial", "first argument", "be a function", describe(args[0] if args else None))
        return partial(args[0], *args[1:], **kwargs)


class Depend(Primitive):
    """Gives its first argument; the second is computed before it, as Python does anyway.

    Examples:
        >>> from ms_kernels import functional as ops
        >>> ops.Depend()(1, 2)
        1

    Source: ``mindspore.ops.Depend``.
    """

    def __init__(self) -> None:
        super().__init__("Depend")
        self.add_prim_attr("side_effect_propagate", 1)

    def __call__(self, value: Any, expr: Any) -> Any:
        return value
