"""Random orders with 2.6's own numbers: its pipelines run on the Mersenne twister and C++'s std::shuffle.

With the same seed a program therefore sees its samples in the same order as under MindSpore 2.6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

__all__ = ["permutation", "shuffle", "twister", "twister64", "uniform"]

_RANGE = (1 << 32) - 1  # the twister's largest number


def twister(seed: int) -> Callable[[], int]:
    """A source of 32-bit numbers: std::mt19937 with this seed.

    >>> twister(5489)()
    3499211612
    """
    state = np.random.RandomState(seed & 0xFFFFFFFF)

    def numbers() -> Iterator[int]:
        while True:
            yield from state.randint(0, 1 << 32, 512, dtype=np.uint64).tolist()

    return numbers().__next__


def uniform(draw: Callable[[], int], least: int, most: int) -> int:
    """An int from `least` to `most`, as std::uniform_int_distribution finds it from such numbers."""
    count = most - least + 1
    scale = _RANGE // count
    while True:
        number = draw()
        if number < count * scale:
            return least + number // scale


def shuffle(items: list[Any], draw: Callable[[], int]) -> None:
    """Shuffle a list in place as std::shuffle does: while it is short enough, one number places two items."""
    size = len(items)
    if size and _RANGE // size < size:
        for i in range(1, size):
            _swap(items, i, uniform(draw, 0, i))
        return
    start = 1
    if size % 2 == 0 and size:
        _swap(items, 1, uniform(draw, 0, 1))
        start = 2
    for i in range(start, size, 2):
        number = uniform(draw, 0, (i + 1) * (i + 2) - 1)
        first, second = divmod(number, i + 2)
        _swap(items, i, first)
        _swap(items, i + 1, second)


def permutation(size: int, seed: int) -> list[int]:
    """The numbers below `size` in the random order of a seed.

    >>> permutation(7, 5)
    [3, 6, 0, 1, 2, 5, 4]
    """
    order = list(range(size))
    shuffle(order, twister(seed))
    return order


def _swap(items: list[Any], i: int, j: int) -> None:
    items[i], items[j] = items[j], items[i]


def twister64(seed: int) -> Callable[[], int]:
    """A source of 64-bit numbers: std::mt19937_64 with this seed (after Matsumoto and Nishimura).

    >>> twister64(5489)()
    14514284786278117030
    """
    full = (1 << 64) - 1
    state = [seed & full]
    for i in range(1, 312):
        state.append((6364136223846793005 * (state[-1] ^ (state[-1] >> 62)) + i) & full)

    def numbers() -> Iterator[int]:
        while True:
            for k in range(312):
                mixed = (state[k] & 0xFFFFFFFF80000000) | (state[(k + 1) % 312] & 0x7FFFFFFF)
                state[k] = state[(k + 156) % 312] ^ (mixed >> 1) ^ (0xB5026F5AA96619E9 if mixed & 1 else 0)
            for number in state:
                number ^= (number >> 29) & 0x5555555555555555
                number ^= (number << 17) & 0x71D67FFFEDA60000
                number ^= (number << 37) & 0xFFF7EEE000000000
                yield number ^ (number >> 43)

    return numbers().__next__
