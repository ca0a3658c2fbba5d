"""What a Cell is to this package, and the flag that `set_dump` puts on it."""

from __future__ import annotations

from typing import Any

from ms_kernels import Primitive

__all__ = ["flag_of", "is_cell"]


def is_cell(value: Any) -> bool:
    """Whether a value is a network or a part of one: an object, not a class, with `cells()`.

    >>> is_cell(3)
    False
    """
    return not isinstance(value, type) and callable(getattr(value, "cells", None))


def flag_of(target: Any) -> bool | None:
    """What `set_dump` said of a Cell or Primitive; None when nothing.

    >>> from ms_kernels import functional as ops
    >>> flag_of(ops.ReLU()) is None
    True
    """
    if isinstance(target, Primitive):
        said = target.attrs.get("dump")
        return None if said is None else said == "true"
    found = getattr(target, "__dict__", {}).get("dump")
    return found if isinstance(found, bool) else None
