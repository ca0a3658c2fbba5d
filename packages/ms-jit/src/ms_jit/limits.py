"""How deep functions of a graph may call each other."""

from __future__ import annotations

from typing import Any

__all__ = ["Limits", "limits", "set_recursion_limit"]

_INT32_MAX = 2**31 - 1


class Limits:
    """The limits of the process; one object, `limits`.

    Attributes:
        call_depth: how deep functions may call each other while a graph is captured; 1000 at first.
    """

    __slots__ = ("call_depth",)

    def __init__(self) -> None:
        self.call_depth = 1000

    def check_depth(self, depth: int) -> None:
        """Refuse calls that are nested too deep.

        Raises:
            RuntimeError: `depth` is above the limit.
        """
        if depth > self.call_depth:
            raise RuntimeError(
                f"Exceed function call depth limit {self.call_depth}, (function call depth: {depth}). Check the code "
                "for infinite recursion, or call 'mindspore.set_recursion_limit(recursion_limit=value)'."
            )


limits = Limits()


def set_recursion_limit(recursion_limit: Any = 1000) -> None:
    """Set how deep functions may call each other while a graph is captured (``mindspore.set_recursion_limit``).

    Raises:
        TypeError: the limit is no int.
        ValueError: it is not in [1, 2**31 - 1].

    >>> set_recursion_limit(2000)
    >>> limits.call_depth
    2000
    >>> set_recursion_limit()
    """
    if isinstance(recursion_limit, bool):
        raise TypeError(f"The input value must be int and must > 0, but got '{recursion_limit}' with type 'bool'.")
    if not isinstance(recursion_limit, int):
        raise TypeError(f"The input value must be int, but got '{type(recursion_limit).__name__}'")
    if not 0 < recursion_limit <= _INT32_MAX:
        raise ValueError(f"The input value must be int and must > 0, but got '{recursion_limit}' with type 'int'.")
    limits.call_depth = recursion_limit
