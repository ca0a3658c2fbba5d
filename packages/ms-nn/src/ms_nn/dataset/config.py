"""Settings of the data pipelines (``mindspore.dataset.config``): so far the seed of what they shuffle."""

from __future__ import annotations

import secrets

from ms_generator import get_seed as program_seed

__all__ = ["get_seed", "set_seed"]

UNSEEDED = 5489  # what 2.6 reports as long as no seed was given: the default of its random engine


class _Seed:
    """The pipelines' own seed; a later set_seed of the whole program replaces it."""

    def __init__(self) -> None:
        self.own: int | None = None
        self.beside: int | None = None

    def set(self, seed: int) -> None:
        self.own, self.beside = seed, program_seed()

    def get(self) -> int | None:
        program = program_seed()
        return self.own if self.own is not None and program == self.beside else program


_SEED = _Seed()


def set_seed(seed: int) -> None:
    """Set the seed of everything that pipelines shuffle from now on (``mindspore.dataset.config.set_seed``).

    ``mindspore.set_seed`` sets it, too.

    Args:
        seed: from 0 to 2**32 - 1.

    Raises:
        TypeError: `seed` is no int.
        ValueError: `seed` is out of range.

    >>> set_seed(58)
    >>> get_seed()
    58
    """
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise TypeError(f"seed isn't of type int, but got {type(seed)}.")
    if not 0 <= seed < 1 << 32:
        raise ValueError("seed given is not within the required range [0, UINT32_MAX(4294967295)].")
    _SEED.set(seed)


def get_seed() -> int:
    """The seed of the pipelines; 5489 when none was set (``mindspore.dataset.config.get_seed``)."""
    seed = _SEED.get()
    return UNSEEDED if seed is None else seed


def fresh_seed() -> int:
    """The seed a new iterator starts with: the one that was set, or a random one."""
    seed = _SEED.get()
    return secrets.randbits(32) if seed is None else seed
