"""Cutting a dataset into parts."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ms_nn.dataset import _check, _order
from ms_nn.dataset.config import fresh_seed
from ms_nn.dataset.samplers import Epoch, Sampler

if TYPE_CHECKING:
    from ms_nn.dataset._source import MappableDataset
    from ms_nn.dataset.datasets import Dataset

__all__ = ["by_rows", "by_samples", "counts"]


def counts(sizes: Any, rows: int) -> list[int]:
    """The parts' numbers of rows, out of numbers or of shares of 1.

    Raises:
        TypeError, ValueError: wrong sizes.
        RuntimeError: the sizes do not add up to the number of rows.

    >>> counts([0.5, 0.5], 7)
    [3, 4]
    """
    _check.of_type("sizes", sizes, list)
    if not sizes:
        raise ValueError("sizes cannot be empty.")
    if all(isinstance(size, float) for size in sizes):
        if abs(sum(sizes) - 1) > 1e-9:
            raise ValueError("sizes is a list of float, but the percentages do not sum up to 1.")
        parts = [int(round(size * rows, 9)) for size in sizes[:-1]]
        parts.append(rows - sum(parts))
        if min(parts) < 1:
            raise RuntimeError(f"A part of {sizes} of {rows} rows has no row.")
        return parts
    for size in sizes:
        _check.count_in("sizes", size, 1)
    if sum(sizes) != rows:
        raise RuntimeError(f"Sum of split sizes {sum(sizes)} is not equal to dataset size {rows}.")
    return list(sizes)


class _Part(Sampler):
    """Some places of the order in which another sampler takes the samples: consecutive ones, or random ones."""

    def __init__(self, whole: Sampler, first: int, count: int, seed: int | None) -> None:
        super().__init__()
        self.whole, self.first, self.count, self.seed = whole, first, count, seed

    def begin(self, size: int) -> Epoch:
        order = self.whole.begin(size)
        places = list(range(self.whole.length(size)))
        if self.seed is not None:
            _order.shuffle(places, _order.twister(self.seed))
        chosen = places[self.first : self.first + self.count]

        def epoch() -> list[int]:
            indices = order()
            return [indices[place] for place in chosen]

        return epoch

    def length(self, size: int) -> int:
        return self.count


def by_samples(source: MappableDataset, sizes: Sequence[int], randomize: bool) -> tuple[Dataset, ...]:
    """Parts of a source that share its samples."""
    _check.of_type("randomize", randomize, bool)
    seed, first, parts = fresh_seed() if randomize else None, 0, []
    for count in sizes:
        part = copy.copy(source)
        part.sampler = _Part(source.sampler, first, count, seed)
        parts.append(part)
        first += count
    return tuple(parts)


def by_rows(whole: Dataset, sizes: Sequence[int], randomize: bool) -> tuple[Dataset, ...]:
    """Parts of any pipeline: the rows that come after those of the parts before."""
    if _check.of_type("randomize", randomize, bool):
        raise RuntimeError("For 'split', 'randomize' must be False after other stages: split the source, then go on.")
    first, parts = 0, []
    for count in sizes:
        parts.append(whole.skip(first).take(count))
        first += count
    return tuple(parts)
