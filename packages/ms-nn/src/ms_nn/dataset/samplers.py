"""Which samples of a source an epoch takes, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ms_nn.dataset import _order
from ms_nn.dataset.config import fresh_seed

__all__ = [
    "DistributedSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "SubsetSampler",
    "as_sampler",
]

Epoch = Callable[[], Sequence[int]]


def _within(indices: list[int], size: int) -> list[int]:
    for i in indices:
        if not 0 <= i < size:
            raise RuntimeError(f"Sample index {i} is out of the range [0, {size}) of the samples.")
    return indices


class Sampler:
    """The base of all samplers; a subclass of one's own yields indices from ``__iter__``.

    Args:
        num_samples: take no more than that many; None: all.
    """

    def __init__(self, num_samples: int | None = None) -> None:
        if num_samples is not None and (isinstance(num_samples, bool) or not isinstance(num_samples, int)):
            raise TypeError(f"num_samples should be a positive integer or None, but got: {num_samples}.")
        if num_samples is not None and num_samples < 0:
            raise ValueError(f"num_samples should be a positive integer or None, but got: {num_samples}.")
        self.num_samples = num_samples or None

    def __iter__(self) -> Iterator[int]:
        raise NotImplementedError(f"For '{type(self).__name__}', the method '__iter__' must be defined.")

    def begin(self, size: int) -> Epoch:
        """For an iterator over `size` samples: what gives the indices of one epoch after another."""
        return lambda: _within([int(i) for i in self][: self.num_samples], size)

    def length(self, size: int) -> int:
        """How many samples an epoch has."""
        return len(self.begin(size)())

    def _first(self, size: int) -> int:
        return size if self.num_samples is None else min(self.num_samples, size)


class SequentialSampler(Sampler):
    """The samples in their order (``mindspore.dataset.SequentialSampler``).

    Args:
        start_index: the first.
        num_samples: how many; None: all that follow.
    """

    def __init__(self, start_index: int | None = None, num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        self.start_index = start_index or 0
        if self.start_index < 0:
            raise ValueError(f"start_index should be a positive integer or 0, but got: {start_index}.")

    def begin(self, size: int) -> Epoch:
        """The same range every epoch."""
        return lambda: range(self.start_index, min(size, self.start_index + self._first(size)))


class RandomSampler(Sampler):
    """The samples in a random order, another one every epoch (``mindspore.dataset.RandomSampler``).

    Args:
        replacement: draw every sample anew, so that some come twice and some never.
        num_samples: how many; None: all.
    """

    def __init__(self, replacement: bool = False, num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got: {replacement}.")
        self.replacement = replacement

    def begin(self, size: int) -> Epoch:
        """Shuffles on from epoch to epoch, with a seed that goes up by one."""
        seed, order, count = fresh_seed(), list(range(size)), self._first(size)

        def epoch() -> Sequence[int]:
            nonlocal seed
            draw = _order.twister(seed)
            seed += 1
            if self.replacement:
                return [_order.uniform(draw, 0, size - 1) for _ in range(count)]
            _order.shuffle(order, draw)
            return order[:count]

        return epoch


class SubsetSampler(Sampler):
    """Some samples in a given order (``mindspore.dataset.SubsetSampler``).

    Args:
        indices: which ones.
        num_samples: take only the first of them.
    """

    def __init__(self, indices: Iterable[int], num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        self.indices = list(indices)

    def begin(self, size: int) -> Epoch:
        """The same indices every epoch; they must be there."""
        chosen = _within(self.indices[: self.num_samples], size)
        return lambda: chosen


class SubsetRandomSampler(SubsetSampler):
    """Some samples in a random order (``mindspore.dataset.SubsetRandomSampler``).

    Args:
        indices: which ones.
        num_samples: take only that many.
    """

    def begin(self, size: int) -> Epoch:
        """Shuffled anew every epoch."""
        super().begin(size)
        seed, order = fresh_seed(), list(self.indices)

        def epoch() -> Sequence[int]:
            _order.shuffle(order, _order.twister(seed))
            return order[: self.num_samples]

        return epoch


class DistributedSampler(Sampler):
    """Every n-th sample, for one of n processes (``mindspore.dataset.DistributedSampler``).

    Args:
        num_shards: n.
        shard_id: which of the n parts, from 0.
        shuffle: shuffle all samples first, alike in all processes.
        num_samples: take only the first of the part.
        offset: which part gets the first sample; -1: part 0.
    """

    def __init__(
        self,
        num_shards: int,
        shard_id: int,
        shuffle: bool = True,
        num_samples: int | None = None,
        offset: int = -1,
    ) -> None:
        super().__init__(num_samples)
        for name, value in (("num_shards", num_shards), ("shard_id", shard_id)):
            if isinstance(value, bool) or not isinstance(value, int):
                raise TypeError(f"{name} must be integer but was: {value}.")
        if not isinstance(shuffle, bool):
            raise TypeError(f"shuffle must be a boolean value but was: {shuffle}.")
        if num_shards < 1 or not 0 <= shard_id < num_shards:
            raise ValueError(f"shard_id should be less than num_shards, but got {shard_id} of {num_shards}.")
        if offset >= num_shards:
            raise ValueError(f"offset should be no more than num_shards: {num_shards}, but got offset: {offset}")
        self.num_shards, self.shard_id, self.shuffle, self.offset = num_shards, shard_id, shuffle, offset

    def begin(self, size: int) -> Epoch:
        """All parts are equally long: the last ones start over from the first sample."""
        seed, order = fresh_seed(), list(range(size))
        each = -(-size // self.num_shards)
        shift = max(self.offset, 0)

        def epoch() -> Sequence[int]:
            nonlocal seed
            if self.shuffle:
                seed += 1
                _order.shuffle(order, _order.twister(seed))
            places = range(self.shard_id - shift, each * self.num_shards - shift, self.num_shards)
            return [order[place % size] for place in places if place >= 0][: self.num_samples]

        return epoch


class _Given(SubsetSampler):
    """Indices read from a caller's own iterable, anew each epoch."""

    def __init__(self, source: Iterable[int], num_samples: int | None) -> None:
        Sampler.__init__(self, num_samples)
        self.source = source

    def begin(self, size: int) -> Epoch:
        return lambda: _within([int(i) for i in self.source][: self.num_samples], size)


def as_sampler(
    sampler: Any, shuffle: bool | None, num_samples: int | None, num_shards: int | None, shard_id: int | None
) -> Sampler:
    """The sampler a source's arguments ask for.

    Raises:
        ValueError: a sampler is given together with `shuffle` or shards, only one of `num_shards` and `shard_id` is
            given, or a number is out of range.
        TypeError: an argument of another type.
    """
    if shuffle is not None and not isinstance(shuffle, bool):
        raise TypeError(f"Argument shuffle with value {shuffle} is not of type [{bool}], but got {type(shuffle)}.")
    if num_samples is not None and (isinstance(num_samples, bool) or not isinstance(num_samples, int)):
        raise TypeError(
            f"Argument num_samples with value {num_samples} is not of type [{int}], but got {type(num_samples)}."
        )
    if num_samples is not None and num_samples < 0:
        raise ValueError("num_samples exceeds the boundary between 0 and 9223372036854775807(INT64_MAX)!")
    if (num_shards is None) != (shard_id is None):
        raise ValueError("num_shards and shard_id need to be passed in together.")
    if sampler is not None:
        if shuffle is not None or num_shards is not None:
            raise ValueError(
                f"Conflicting arguments during sampler assignments. num_samples: {num_samples}, "
                f"num_shards: {num_shards}, shard_id: {shard_id}, shuffle: {shuffle}."
            )
        return sampler if isinstance(sampler, Sampler) else _Given(sampler, num_samples)
    if num_shards is not None and shard_id is not None:
        return DistributedSampler(num_shards, shard_id, shuffle is not False, num_samples)
    if shuffle is False:
        return SequentialSampler(0, num_samples)
    return RandomSampler(bool(num_samples), num_samples)  # 2.6 draws with replacement when it is to draw some
