"""Ints that a graph computes anew at each run, and that code meanwhile takes for Python's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ms_jit.capture.tracer import Tracer
    from ms_jit.graph.ir import Value

__all__ = ["TracedInt", "plain"]


class TracedInt:
    """Stands for an int while a function is captured: `number` now, `value` in the graph.

    It passes `isinstance(x, int)`.  Whoever wants to know its number by any way but as an op's attribute makes the
    tracer settle that first.
    """

    __slots__ = ("_number", "tracer", "value")

    def __init__(self, number: int, value: Value, tracer: Tracer) -> None:
        self._number, self.value, self.tracer = number, value, tracer

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return int

    def __index__(self) -> int:
        return self.tracer.settle(self)

    __int__ = __trunc__ = __index__

    def __float__(self) -> float:
        return float(self.__index__())

    def __bool__(self) -> bool:
        return bool(self.__index__())

    def __hash__(self) -> int:
        return hash(self.__index__())

    def __repr__(self) -> str:
        return repr(self.__index__())

    def __format__(self, spec: str) -> str:
        return format(self.__index__(), spec)

    def __eq__(self, other: object) -> bool:
        return self.__index__() == other

    def __ne__(self, other: object) -> bool:
        return self.__index__() != other

    def __getattr__(self, name: str) -> Any:  # all else that an int can do
        return getattr(self.__index__(), name)


def _settled(name: str) -> Any:
    method = getattr(int, name)

    def call(self: TracedInt, *args: Any) -> Any:
        return method(self.__index__(), *(arg.__index__() if type(arg) is TracedInt else arg for arg in args))

    call.__name__ = call.__qualname__ = name
    return call


for _name in (
    *("add", "sub", "mul", "floordiv", "mod", "divmod", "pow", "truediv", "and", "or", "xor", "lshift", "rshift"),
    *("radd", "rsub", "rmul", "rfloordiv", "rmod", "rdivmod", "rpow", "rtruediv", "rand", "ror", "rxor", "rlshift"),
    *("rrshift", "neg", "pos", "abs", "invert", "lt", "le", "gt", "ge", "round"),
):
    setattr(TracedInt, f"__{_name}__", _settled(f"__{_name}__"))


def plain(value: Any) -> Any:
    """Return an argument with the numbers of now in place of traced ints (also inside of tuples, lists, slices)."""
    if type(value) is TracedInt:
        return value._number
    if type(value) in (tuple, list):
        return type(value)(plain(item) for item in value)
    if type(value) is slice:
        return slice(plain(value.start), plain(value.stop), plain(value.step))
    return value
