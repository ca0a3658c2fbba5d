"""A bar for writes that take long."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["bar"]

_DELAY = 2.0  # seconds before a bar shows up: most writes are over by then


@contextmanager
def bar(total: int | None, label: str, wanted: bool | None) -> Iterator[Callable[[int], Any] | None]:
    """A function to call with the number of bytes after each piece, or None where there is no bar.

    Args:
        total: the number of bytes to come; None: unknown.
        label: what is written.
        wanted: None: when it takes long, on a terminal, and tqdm is installed; True: at once, anywhere.

    Raises:
        ImportError: `wanted` is True and tqdm is missing.
    """
    if wanted is False:
        yield None
        return
    try:
        from tqdm import tqdm
    except ImportError:
        if wanted:
            raise
        yield None
        return
    shown: dict[str, Any] = {"disable": None, "delay": _DELAY} if wanted is None else {"mininterval": 0}
    with tqdm(total=total, desc=label, unit="B", unit_scale=True, unit_divisor=1024, leave=False, **shown) as made:
        yield made.update
