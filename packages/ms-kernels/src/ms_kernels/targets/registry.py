"""The registry of targets, and what a target has to offer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from ms_kernels.opdef.errors import describe

__all__ = ["Target", "names", "register", "target_named"]


class Target(Protocol):
    """What a target offers to the dispatcher.

    Attributes:
        same: names of ops that the CPU's native loops may compute for it: the shortest way stays open to them.
    """

    name: str
    same: frozenset[str]

    @property
    def composites(self) -> Mapping[str, Callable[[Any, tuple[Any, ...]], Any]]:
        """What runs in place of the bodies of composite ops, by name."""

    def cast(self, array: Any, dtype: Any) -> Any:
        """Bring an operand to the NumPy dtype in which a call is computed."""

    def run(self, op: Any, values: list[Any]) -> Any:
        """Compute one op on arrays and attributes, after checks and promotion; an ndarray or a tuple of them."""


def _ascend() -> Target:
    from ms_kernels.targets.ascend.target import emulator

    return emulator.target()


_makers: dict[str, Callable[[], Target | None]] = {"CPU": lambda: None, "Ascend": _ascend}


def register(name: str, maker: Callable[[], Target]) -> None:
    """Add a target under a name; `maker` is called when it is first chosen.

    Raises:
        ValueError: the name is taken.
    """
    if name in _makers:
        raise ValueError(f"For 'targets.register', the name must be new, but got '{name}'.")
    _makers[name] = maker


def names() -> tuple[str, ...]:
    """The names of all registered targets."""
    return tuple(_makers)


def target_named(name: Any) -> Target | None:
    """Return a target, None for the CPU.

    Raises:
        ValueError: no target has that name.
    """
    if name not in _makers:
        known = ", ".join(f"'{n}'" for n in _makers)
        raise ValueError(f"For 'device_target', the value must be one of [{known}], but got {describe(name)}.")
    return _makers[name]()
