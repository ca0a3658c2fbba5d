"""The state that random calls follow: a seed and an offset, and how a call takes its part of them."""

from __future__ import annotations

import os
import threading
from typing import Any

import numpy as np

from ms_kernels.core.tensor import tell

__all__ = ["STEP", "Stream", "default_stream", "draw", "system_seed", "wrap_int64"]

STEP = 12  # what one random call adds to the offset, whatever its size: 2.6's number
_LOCK = threading.Lock()  # one for all streams: held for a few instructions only

if hasattr(os, "register_at_fork"):  # a child must not inherit the lock in the hands of a thread that it has not got
    os.register_at_fork(before=_LOCK.acquire, after_in_parent=_LOCK.release, after_in_child=_LOCK.release)


def wrap_int64(value: int) -> int:
    """Return the int64 with the same low 64 bits."""
    return ((value + (1 << 63)) & ((1 << 64) - 1)) - (1 << 63)


def system_seed() -> int:
    """Return a seed of 63 bits from the operating system."""
    return int.from_bytes(os.urandom(8), "little") >> 1


class Stream:
    """A seed and an offset.  Equal states give equal numbers; every random call moves the offset by 12.

    Safe to share between threads: each call gets an offset of its own, though which one depends on who comes first.
    After a fork, parent and child go on from the same state, so they draw the same numbers until one of them is
    seeded anew.

    Args:
        seed: any integer of 64 bits; None leaves the choice to the operating system, at the first use.

    Examples:
        >>> stream = Stream(5)
        >>> stream.reserve(), stream.reserve()
        ((5, 0), (5, 12))
    """

    __slots__ = ("_seeded", "_state")

    def __init__(self, seed: int | None = 0) -> None:
        self._state = np.zeros(2, np.int64)
        self._seeded = seed is not None
        if seed is not None:
            self._state[0] = wrap_int64(seed)

    @property
    def array(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The two numbers themselves, seed then offset: views of this array follow the stream."""
        self._ensure()
        return self._state

    def _ensure(self) -> None:
        if not self._seeded:
            with _LOCK:
                if not self._seeded:
                    self._state[0] = system_seed()
                    self._seeded = True

    def reserve(self, step: int = STEP) -> tuple[int, int]:
        """Return (seed, offset) for one call and move the offset by `step`."""
        self._ensure()
        with _LOCK:
            seed, offset = int(self._state[0]), int(self._state[1])
            self._state[1] = wrap_int64(offset + step)
        return seed, offset

    def peek(self) -> tuple[int, int]:
        """Return (seed, offset) and move nothing."""
        self._ensure()
        with _LOCK:
            return int(self._state[0]), int(self._state[1])

    def set(self, seed: int, offset: int = 0) -> None:
        """Put the stream into a state."""
        with _LOCK:
            self._state[0], self._state[1] = wrap_int64(seed), wrap_int64(offset)
            self._seeded = True

    def randomize(self) -> int:
        """Take a seed from the operating system, offset 0; returns the seed."""
        seed = system_seed()
        self.set(seed)
        return seed


_DEFAULT = Stream(None)


def default_stream() -> Stream:
    """Return the stream that random calls follow when they are given no generator."""
    return _DEFAULT


def draw(generator: Any = None) -> tuple[int, int]:
    """Return (seed, offset) for one random call.

    Args:
        generator: None for the default stream, a Stream, or anything with `_step(n)` that returns two integers (2.6's
            Generator).

    Raises:
        TypeError: `generator` is none of these.
    """
    found: tuple[int, int] | None = tell(generator, "draw")
    if found is not None:
        return found
    if generator is None:
        return _DEFAULT.reserve()
    stream = getattr(generator, "_stream", generator)
    if isinstance(stream, Stream):
        return stream.reserve()
    if not hasattr(generator, "_step"):
        raise TypeError(f"The 'generator' must be a Generator or None, but got {type(generator).__name__}.")
    seed, offset = generator._step(STEP)
    return int(seed), int(offset)
