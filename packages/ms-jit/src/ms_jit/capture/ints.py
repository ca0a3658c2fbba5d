"""Ints that a graph computes anew at each run, and that code meanwhile takes for Python's."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ms_jit.capture.dims import Dim

if TYPE_CHECKING:
    from ms_jit.capture.tracer import Tracer
    from ms_jit.graph.ir import Value

__all__ = ["TracedInt", "mapped", "plain"]


class TracedInt:
    """Stands for an int while a function is captured: its number now, and what gives it when the graph runs.

    It passes `isinstance(x, int)`.  Arithmetic on dims gives dims, and comparisons of them become guards; whoever wants
    to know a number in any other way than as an op's attribute makes the tracer settle that first.

    Attributes:
        source: the graph's value, or an expression over the dims of inputs.
    """

    __slots__ = ("_number", "source", "tracer")

    def __init__(self, number: int, source: Value | Dim, tracer: Tracer) -> None:
        self._number, self.source, self.tracer = number, source, tracer

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return int

    def __index__(self) -> int:
        return self.tracer.settle(self)

    __int__ = __trunc__ = __index__

    def __float__(self) -> float:
        return float(self.__index__())

    def __bool__(self) -> bool:
        if isinstance(self.source, Dim):
            return self.tracer.dims.compare("ne", self.source, 0)
        return bool(self.__index__())

    def __hash__(self) -> int:
        return hash(self.__index__())

    def __repr__(self) -> str:
        return repr(self.__index__())

    def __format__(self, spec: str) -> str:
        return format(self.__index__(), spec)

    def __getattr__(self, name: str) -> Any:  # all else that an int can do
        return getattr(self.__index__(), name)


def _part(value: Any) -> Any:
    """An operand of arithmetic on dims: an expression, or an int; None for anything else."""
    if type(value) is TracedInt:
        return value.source if isinstance(value.source, Dim) else None
    return value if type(value) is int else None


def _settled(name: str) -> Callable[..., Any]:
    plain_name = name.strip("_")
    swapped = plain_name.startswith("r") and plain_name not in ("round", "rshift")
    base = plain_name[1:] if swapped else plain_name
    known: dict[str, Any] = {"divmod": divmod, "round": round, "pow": pow, "and": operator.and_, "or": operator.or_}
    method = known.get(base) or getattr(operator, base)

    def call(self: TracedInt, *args: Any) -> Any:
        mine, given = self.__index__(), [arg.__index__() if type(arg) is TracedInt else arg for arg in args]
        return method(given[0], mine) if swapped else method(mine, *given)

    return call


def _arithmetic(name: str, op: str, swapped: bool) -> Callable[..., Any]:
    plainly = _settled(name)

    def call(self: TracedInt, other: Any) -> Any:
        mine, its = _part(self), _part(other)
        if mine is None or its is None or (op in ("floordiv", "mod") and its == 0):
            return plainly(self, other)
        found = self.tracer.dims.combine(op, *((its, mine) if swapped else (mine, its)))
        return TracedInt(found.now, found, self.tracer) if isinstance(found, Dim) else found

    return call


def _comparison(name: str, op: str) -> Callable[..., Any]:
    plainly = _settled(name)

    def call(self: TracedInt, other: Any) -> Any:
        mine, its = _part(self), _part(other)
        if mine is None or its is None:
            return plainly(self, other)
        return self.tracer.dims.compare(op, mine, its)

    return call


for _name in (
    *("divmod", "pow", "truediv", "and", "or", "xor", "lshift", "rshift", "rdivmod", "rpow", "rtruediv", "rand", "ror"),
    *("rxor", "rlshift", "rrshift", "neg", "pos", "abs", "invert", "round"),
):
    setattr(TracedInt, f"__{_name}__", _settled(f"__{_name}__"))
for _name in ("add", "sub", "mul", "floordiv", "mod"):
    setattr(TracedInt, f"__{_name}__", _arithmetic(f"__{_name}__", _name, False))
    setattr(TracedInt, f"__r{_name}__", _arithmetic(f"__r{_name}__", _name, True))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(TracedInt, f"__{_name}__", _comparison(f"__{_name}__", _name))


def mapped(value: Any, change: Callable[[TracedInt], Any]) -> Any:
    """Return an argument with something in place of traced ints (also inside of tuples, lists, slices)."""
    if type(value) is TracedInt:
        return change(value)
    if type(value) in (tuple, list):
        return type(value)(mapped(item, change) for item in value)
    if type(value) is slice:
        return slice(*(mapped(item, change) for item in (value.start, value.stop, value.step)))
    return value


def plain(value: Any) -> Any:
    """Return an argument with the numbers of now in place of traced ints."""
    return mapped(value, lambda traced: traced._number)
