"""Brings two streams of calls together, where they go apart for a while, too."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import TypeVar

__all__ = ["pairs"]

T = TypeVar("T")
_AHEAD = 64  # calls that are read ahead to find where two streams meet again
_AGREE = 2  # calls in a row that must be alike there


class _Ahead(Iterator[T]):
    """An iterator that can be looked into."""

    def __init__(self, source: Iterator[T]) -> None:
        self._source, self._held = source, deque[T]()

    def peek(self, place: int) -> T | None:
        while len(self._held) <= place:
            found = next(self._source, None)
            if found is None:
                return None
            self._held.append(found)
        return self._held[place]

    def __next__(self) -> T:
        if self.peek(0) is None:
            raise StopIteration
        return self._held.popleft()


def pairs(
    left: Iterator[T], right: Iterator[T], key: Callable[[T], object]
) -> Iterator[tuple[T, T] | tuple[T, None] | tuple[None, T]]:
    """Pair the items of two streams in order; an item that the other does not have comes with None.

    Where they differ, the nearest place is taken from which two items in a row are alike (or the rest, where less
    is left). Never more than 64 items of each are held.

    >>> list(pairs(iter("abxcd"), iter("abcd"), str))
    [('a', 'a'), ('b', 'b'), ('x', None), ('c', 'c'), ('d', 'd')]
    """
    a, b = _Ahead(left), _Ahead(right)
    while True:
        x, y = a.peek(0), b.peek(0)
        if x is None and y is None:
            return
        if x is not None and y is not None and key(x) == key(y):
            yield next(a), next(b)
            continue
        # nothing in sight: what has been looked at stands alone on both sides
        skip = (_AHEAD, _AHEAD) if x is None or y is None else _meeting(a, b, key) or (_AHEAD, _AHEAD)
        for _ in range(skip[0]):
            if a.peek(0) is not None:
                yield next(a), None
        for _ in range(skip[1]):
            if b.peek(0) is not None:
                yield None, next(b)


def _meeting(a: _Ahead[T], b: _Ahead[T], key: Callable[[T], object]) -> tuple[int, int] | None:
    """How many items to leave out on each side; None when they do not meet."""
    for total in range(1, 2 * _AHEAD):
        for i in range(max(0, total - _AHEAD), min(total, _AHEAD) + 1):
            if _alike(a, i, b, total - i, key):
                return i, total - i
    return None


def _alike(a: _Ahead[T], i: int, b: _Ahead[T], j: int, key: Callable[[T], object]) -> bool:
    for step in range(_AGREE):
        x, y = a.peek(i + step), b.peek(j + step)
        if x is None or y is None:
            return step > 0 and x is None and y is None
        if key(x) != key(y):
            return False
    return True
