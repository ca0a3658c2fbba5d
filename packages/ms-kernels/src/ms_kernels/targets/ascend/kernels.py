"""The registry of kernels: what this target computes in its own way, by op name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

__all__ = ["COMPOSITES", "KERNELS", "Composite", "Kernel", "composite", "kernel"]

# (chip, op, its checked and promoted arguments) -> an array, or a tuple of them
Kernel = Callable[[Any, Any, list[Any]], Any]
# (target, op, its raw arguments) -> what the op's own body would give
Composite = Callable[[Any, Any, tuple[Any, ...]], Any]

_kernels: dict[str, Kernel] = {}
_composites: dict[str, Composite] = {}
KERNELS: Mapping[str, Kernel] = MappingProxyType(_kernels)
COMPOSITES: Mapping[str, Composite] = MappingProxyType(_composites)


def kernel(*names: str) -> Callable[[Kernel], Kernel]:
    """Decorate the kernel of some ops; it is called for float operands that the chip has."""

    def note(function: Kernel) -> Kernel:
        _kernels.update(dict.fromkeys(names, function))
        return function

    return note


def composite(*names: str) -> Callable[[Composite], Composite]:
    """Decorate what runs in place of the bodies of some composite ops."""

    def note(function: Composite) -> Composite:
        _composites.update(dict.fromkeys(names, function))
        return function

    return note
