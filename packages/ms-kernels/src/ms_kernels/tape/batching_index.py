"""Batching rules of reading and writing by index."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.core.dispatch import ops_by_name
from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.ops._keys import looked_up
from ms_kernels.tape.batched import batched_in
from ms_kernels.tape.batching import Call, axis_of, moved, rule, shaped

__all__: list[str] = []

Key = tuple[Any, ...]


class _Places:
    """A key of one sample, made into one of all samples.

    Attributes:
        key: the key for a tensor with the samples along its first axis.
        blocks: how many axes the index arrays give, and how many lie before them in one sample's result; the result
            for all samples has the samples first, then those axes, wherever NumPy would have put them.
        samples: where in a result NumPy puts the samples' axis.
    """

    def __init__(self, call: Call, key: Key, ndim: int) -> None:
        found = [batched_in(item, call.level) for item in key]
        arrays = [i for i, item in enumerate(key) if isinstance(item, (np.ndarray, TensorBase))]
        spots = [i for i, item in enumerate(key) if i in arrays or (arrays and isinstance(item, int))]
        apart = any(i not in spots for i in range(spots[0], spots[-1])) if spots else False
        self.width = max((_axes(key[i]) for i in arrays), default=0)
        before = 0 if apart else sum(_results(item, key, ndim) for item in key[: spots[0]]) if spots else 0
        self.shared = not any(item is not None for item in found)
        if self.shared:
            self.key: Key = (slice(None), *key)
            self.samples, self.before, self.turned = (self.width if apart else 0), before, False
            return
        if any(isinstance(key[i], TensorBase) and key[i].dtype.kind == "b" for i in arrays):
            raise ValueError("masks of samples select different numbers of elements")
        rows = np.arange(call.size).reshape(-1, *(1,) * self.width)
        self.key = (rows, *(self._widened(item, one) for item, one in zip(key, found)))
        self.samples, self.before, self.turned = 0, before, before > 0 and self.width > 0

    def _widened(self, item: Any, found: Any) -> Any:
        if found is None:
            return item
        shape = found.value.shape
        return shaped(found.value, (shape[0], *(1,) * (self.width - len(shape) + 1), *shape[1:]))

    def outward(self, x: Any) -> Any:
        """Give a result that the key gave the order of axes that samples have."""
        x = moved(x, self.samples, 0)
        return _blocks(x, 1, self.width, 1 + self.before) if self.turned else x

    def inward(self, x: Any) -> Any:
        """The reverse of `outward`."""
        return moved(_blocks(x, 1 + self.before, self.width, 1) if self.turned else x, 0, self.samples)


def _axes(item: Any) -> int:
    return 1 if item.dtype.kind == "b" else int(item.ndim)


def _results(item: Any, key: Key, ndim: int) -> int:
    """How many axes an item of a key that is no array gives."""
    if item is not Ellipsis:
        return 0 if isinstance(item, int) else 1
    used = sum(
        (item.ndim if isinstance(item, np.ndarray) and item.dtype.kind == "b" else 1)
        for item in key
        if item is not None and item is not Ellipsis
    )
    return ndim - used


def _lookup(x: Any, key: Key) -> Any:
    return ops_by_name["take_key"](x, _plain(key))


def _plain(key: Key) -> Key:
    """Tensors in a key as arrays, but for those that stand for samples of an outer vmap."""
    return tuple(item._a if isinstance(item, TensorBase) and batched_in(item) is None else item for item in key)


@rule("take_key")
def take_key(call: Call) -> Any:
    """Reading by a key; samples of keys read each from its own sample."""
    key = call.args[1]
    places = _Places(call, key, len(call.shape(0)))
    return places.outward(_lookup(call.full(0), places.key))


@rule("put_key")
def put_key(call: Call) -> Any:
    """Adding up at a key, in zeros of a shape."""
    _, key, shape = call.args
    places = _Places(call, key, len(shape))
    return call.run((places.inward(call.full(0)), _plain(places.key), (call.size, *shape)))


@rule("set_key")
def set_key(call: Call) -> Any:
    """Writing at a key, and combining there."""
    _, key, value, *how = call.args
    shape = call.shape(0)
    places = _Places(call, key, len(shape))
    one = tuple(np.zeros(item.shape, np.int64) if isinstance(item, TensorBase) else item for item in key)
    wanted = looked_up(np.broadcast_to(np.empty((), np.int8), shape), one).shape
    part = (
        shaped(value, (call.size, *(1,) * (len(wanted) - len(call.shape(2))), *call.shape(2)))
        if call.flags[2]
        else value
    )
    part = ops_by_name["broadcast_np"](part, (call.size, *wanted))
    return call.run((call.full(0), _plain(places.key), places.inward(part), *how))


@rule("select")
def select(call: Call) -> Any:
    """Slices along an axis by index."""
    x, dim, index, name = call.args
    shape = call.shape(0)
    if not shape:
        return None
    at = axis_of(dim, len(shape))
    if not call.flags[2]:
        return call.run((x, at, index, name))
    if not call.flags[0]:
        return moved(call.run((x, at - 1, index, name)), at - 1, 0)
    rows = np.arange(call.size).reshape(-1, *(1,) * (index.ndim - 1))
    found = _lookup(moved(x, at, 1), (rows, index))
    return _blocks(found, 1, index.ndim - 1, at)


def _blocks(x: Any, start: int, count: int, end: int) -> Any:
    """Move `count` neighbouring axes to where the first of them has the place `end`."""
    order = [i for i in range(x.ndim) if not start <= i < start + count]
    order[end:end] = range(start, start + count)
    return x if order == list(range(x.ndim)) else ops_by_name["permute"](x, tuple(order))


@rule("select_back")
def select_back(call: Call) -> Any:
    """Sums of slices that an index sends to the same place."""
    x, dim, index, length = call.args
    width = len(call.shape(2))
    ndim = len(call.shape(0)) - width + 1
    at = axis_of(dim, ndim)
    if not call.flags[2]:
        return call.run((x, at, index, length))
    x = _blocks(call.full(0), at, width, 1)
    rows = np.arange(call.size).reshape(-1, *(1,) * width)
    shape = (call.size, length, *x.shape[1 + width :])
    return moved(ops_by_name["put_key"](x, _plain((rows, index)), shape), 1, at)


@rule("rows")
def rows(call: Call) -> Any:
    """Rows of a table by index."""
    weight, indices, *rest = call.args
    if not call.flags[0]:
        return call.run((weight, indices, *rest))
    count = np.arange(call.size).reshape(-1, *(1,) * len(call.shape(1)))
    return _lookup(weight, (count, call.full(1)))


@rule("one_hot")
def one_hot(call: Call) -> Any:
    """A new axis of classes."""
    *rest, dim = call.args
    return call.run((*rest, axis_of(dim, len(call.shape(0)) + 1)))


@rule("classes")
def classes(call: Call) -> Any:
    """A new last axis whose size the values tell unless it is given."""
    return call.run(call.args) if call.args[1] is not None and call.args[1] >= 0 else None


@rule("search")
def search(call: Call) -> Any:
    """Places in sorted rows: one row for all, or one for each row of values."""
    sequence, values, *rest = call.args
    if not call.flags[0] and len(call.shape(0)) == 1:
        return call.run((sequence, values, *rest))
    if len(call.shape(0)) == 1:
        found = call.run((call.full(0), shaped(call.full(1), (call.size, -1)), *rest))
        return shaped(found, (call.size, *call.shape(1)))
    return call.run((call.full(0), call.full(1), *rest))


@rule("resample")
def resample(call: Call) -> Any:
    """A linear map along an axis, by a matrix that is no tensor."""
    x, matrix, dim = call.args
    return call.run((x, matrix, axis_of(dim, len(call.shape(0)))))


@rule("shape_of")
def shape_of(call: Call) -> Any:
    """The shape itself, the same for all samples."""
    found = from_array(np.array(call.shape(0), np.int64))
    return ops_by_name["broadcast_np"](found, (call.size, len(call.shape(0))))
