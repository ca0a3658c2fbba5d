"""set_seed, get_seed, and the seeds that 2.6 hands to single operators.

An operator asks for two numbers: one that stands for the program (from set_seed), one that counts the requests of its
kind.  The rules are 2.6's: the count starts at the operator's own seed, goes up by a fixed step, and set_seed starts
all anew.
"""

from __future__ import annotations

import threading

import numpy as np

from ms_kernels.opdef.errors import describe, fail
from ms_kernels.random.stream import default_stream

__all__ = ["DEFAULT_GRAPH_SEED", "OpSeeds", "get_seed", "op_seeds", "set_seed"]

DEFAULT_GRAPH_SEED = 87654321  # stands for a global seed of 0, since (0, 0) means "not seeded"
KEY_CONSTANT = (0xD2511F53, 0x9E3779B9, 0xCD9E8D57, 0xBB67AE85)  # Philox's constants
_STEP = KEY_CONSTANT[0] ^ KEY_CONSTANT[2]
_MAX_INT32 = 2147483647


def truncate(seed: int) -> int:
    """Return a seed as operators take it: modulo 2**31 - 1.

    >>> truncate(2**31 + 5)
    6
    """
    return seed % _MAX_INT32


class OpSeeds:
    """The global seed and the counters of operators' seeds.

    Examples:
        >>> seeds = OpSeeds()
        >>> seeds.pair(5, "Normal"), seeds.pair(5, "Normal")
        ((0, 5), (0, 533697033))
        >>> seeds.start(3)
        >>> seeds.pair(5, "Normal"), seeds.pair(None, "Normal")
        ((3, 5), (3, 0))
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next: dict[tuple[str, int], int] = {}
        self.global_seed: int | None = None

    def start(self, seed: int) -> None:
        """Set the global seed; all counters begin anew."""
        with self._lock:
            self.global_seed = seed
            self._next.clear()

    def pair(self, op_seed: int | None, kernel_name: str) -> tuple[int, int]:
        """Return the two seeds of the next operator of a kind.

        Args:
            op_seed: the operator's own seed; None is 0.
            kernel_name: what is counted.

        Returns:
            (0, 0) where neither seed was given: the operator draws one itself.

        Raises:
            TypeError: `op_seed` is not an int.
            ValueError: `op_seed` is negative.
        """
        own = 0 if op_seed is None else op_seed
        _check(kernel_name, own)
        if self.global_seed is None and own == 0:
            return 0, 0
        with self._lock:
            count = self.peek(own, kernel_name)
            self._next[kernel_name, own] = truncate(count + _STEP)
        if self.global_seed is None:
            return 0, truncate(count)
        return truncate(self.global_seed or DEFAULT_GRAPH_SEED), truncate(count)

    def peek(self, op_seed: int, kernel_name: str) -> int:
        """Return where the count of a kind and seed stands."""
        return self._next.get((kernel_name, op_seed), op_seed)

    def reset(self) -> None:
        """Let all counts begin anew."""
        with self._lock:
            self._next.clear()


_OP_SEEDS = OpSeeds()


def op_seeds() -> OpSeeds:
    """Return the process's seeds of operators."""
    return _OP_SEEDS


def _check(name: str, seed: object) -> None:
    if isinstance(seed, bool) or not isinstance(seed, int):
        fail(TypeError, name, "'seed'", "be an int", describe(seed))
    if seed < 0:
        fail(ValueError, name, "'seed'", "be an int >= 0", describe(seed))


def set_seed(seed: int) -> None:
    """Make everything that follows repeat: initializers, random operators, layers (``mindspore.set_seed``).

    Sets the global seed, starts the operators' seeds anew, and seeds NumPy's global generator, from which the
    initializers draw their seeds: so the weights of a network are those of MindSpore 2.6.  The default generator gets
    the same seed, offset 0, so that Dropout and the random functions repeat too (2.6 leaves it alone).

    Args:
        seed: from 0 to 2**32 - 1.

    Raises:
        TypeError: `seed` is not an int.
        ValueError: `seed` is negative or 2**32 or more; nothing is changed then.

    Examples:
        >>> set_seed(1)
        >>> get_seed()
        1
    """
    _check("set_seed", seed)
    if seed >= 1 << 32:
        fail(ValueError, "set_seed", "'seed'", "be between 0 and 2**32 - 1", describe(seed))
    np.random.seed(seed)
    _OP_SEEDS.start(seed)
    default_stream().set(seed)


def get_seed() -> int | None:
    """Return the seed of the last set_seed, None before (``mindspore.get_seed``)."""
    return _OP_SEEDS.global_seed


def _get_graph_seed(op_seed: int | None, kernel_name: str) -> tuple[int, int]:
    """Return the seeds of the next operator of a kind (2.6's name for `OpSeeds.pair`)."""
    return _OP_SEEDS.pair(op_seed, kernel_name)


# more of 2.6's names from inside this module
_truncate_seed = truncate
_get_op_seed = _OP_SEEDS.peek
_reset_op_seed = _OP_SEEDS.reset
