"""What a container from outside held when it was read, at any depth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ms_kernels.core.checks import MISSING, same_value

__all__ = ["Contents", "differing", "is_held"]

_HELD = (list, dict, set, frozenset, tuple, bytearray, np.ndarray)


def is_held(value: Any) -> bool:
    """Whether a value is a container whose contents count."""
    return isinstance(value, _HELD)


class Contents:
    """A guard: a container still holds what it held."""

    def __init__(self, holder: Any) -> None:
        self.holder = holder
        self._parts: dict[int, Any] = {}
        self.items = self._taken(holder)

    def containers(self) -> Iterator[Any]:
        """The container and those inside, whose contents may change."""
        return (part for part in self._parts.values() if not isinstance(part, (tuple, frozenset)))

    def _taken(self, value: Any) -> Any:
        """A copy of the contents: (type, keys, parts), with other things as they are."""
        if not is_held(value):
            return value
        if id(value) in self._parts:
            return _Seen(value)
        self._parts[id(value)] = value
        if isinstance(value, (np.ndarray, bytearray)):
            return _Bytes(value)
        keys, parts = _items(value)
        return _Parts(type(value), keys, [self._taken(part) for part in parts])

    def __call__(self) -> bool:
        return _agrees(self.holder, self.items)


class _Seen:
    """A container met before."""

    def __init__(self, value: Any) -> None:
        self.value = value


class _Bytes:
    """The numbers of an array."""

    def __init__(self, value: Any) -> None:
        self.copy = value.copy()


class _Parts:
    """The contents of a container."""

    def __init__(self, kind: type, keys: list[Any], parts: list[Any]) -> None:
        self.kind, self.keys, self.parts = kind, keys, parts


def _items(holder: Any) -> tuple[list[Any], list[Any]]:
    if isinstance(holder, dict):
        return list(holder), list(holder.values())
    return [], sorted(holder, key=repr) if isinstance(holder, (set, frozenset)) else list(holder)


def _agrees(value: Any, taken: Any) -> bool:
    if isinstance(taken, _Parts):
        if type(value) is not taken.kind:
            return False
        keys, parts = _items(value)
        return (
            len(parts) == len(taken.parts)
            and (keys == taken.keys)
            and all(a is b or _agrees(a, b) for a, b in zip(parts, taken.parts))
        )
    if isinstance(taken, _Bytes):
        return _same_bytes(value, taken.copy)
    if isinstance(taken, _Seen):
        return value is taken.value
    return value is taken or same_value(value, taken)


def _same_bytes(value: Any, copy: Any) -> bool:
    if type(value) is not type(copy):
        return False
    if not isinstance(value, np.ndarray):
        return bool(value == copy)
    if value.dtype.hasobject:
        return False
    return bool(value.dtype == copy.dtype and value.shape == copy.shape and value.tobytes() == copy.tobytes())


def differing(holder: Any, name: str, value: Any) -> bool:
    """Whether a name has another value than it had."""
    now = holder.get(name, MISSING) if isinstance(holder, dict) else getattr(holder, name, MISSING)
    return not (now is value or same_value(now, value) or is_held(value))
