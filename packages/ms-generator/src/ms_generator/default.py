"""The generator that random calls follow when they are given none, and the module functions on it."""

from __future__ import annotations

from ms_generator.generator import Generator
from ms_kernels import Tensor
from ms_kernels.random.stream import default_stream

__all__ = ["default_generator", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]


class _DefaultGenerator(Generator):
    """A Generator over the default stream; its first seed comes from the operating system, at first use."""

    def __init__(self) -> None:
        super().__init__()
        self._stream = default_stream()


default_generator: Generator = _DefaultGenerator()


def seed() -> int:
    """Give the default generator a seed from the operating system; returns the seed (``mindspore.seed``)."""
    return default_generator.seed()


def manual_seed(seed: int) -> Generator:
    """Set the default generator's seed, its offset to 0 (``mindspore.manual_seed``).

    Returns:
        The default generator.

    Raises:
        TypeError: `seed` is not an int.
        ValueError: `seed` has more than 64 bits.

    Examples:
        >>> manual_seed(13) is default_generator
        True
        >>> initial_seed()
        13
    """
    return default_generator.manual_seed(seed)


def initial_seed() -> int:
    """Return the default generator's seed (``mindspore.initial_seed``)."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """Return the default generator's state, a uint8 Tensor of shape (16,) (``mindspore.get_rng_state``)."""
    return default_generator.get_state()


def set_rng_state(state: Tensor) -> None:
    """Put the default generator into a state (``mindspore.set_rng_state``).

    Raises:
        TypeError: `state` is not a Tensor of type uint8.
        ValueError: its shape is not (16,).

    Examples:
        >>> state = get_rng_state()
        >>> set_rng_state(state)
    """
    default_generator.set_state(state)
