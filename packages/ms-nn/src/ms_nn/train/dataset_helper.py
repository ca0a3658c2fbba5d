"""`DatasetHelper` and `data_sink`: batches for hand-written loops."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

import ms_dtype as mstype
from ms_kernels.opdef.errors import fail
from ms_nn import _check
from ms_nn.train._arguments import check_sink, dataset_size

__all__ = ["DatasetHelper", "data_sink"]


class DatasetHelper:
    """One pass over a dataset, as `Model` makes it (``mindspore.DatasetHelper``).

    Args:
        dataset: gives the batches.
        dataset_sink_mode: with it the helper answers questions about the queue to a device that 2.6 has; there is
            none here, and the batches come the same way.
        sink_size: batches in one pass; -1: all. For `dataset_sink_mode`.
        epoch_num: for 2.6's sake.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.
        AttributeError: a question about the queue without `dataset_sink_mode`.

    >>> import numpy as np
    >>> from ms_nn.dataset import NumpySlicesDataset
    >>> batches = NumpySlicesDataset({"x": np.zeros((4, 3), np.float32)}).batch(2)
    >>> [[value.shape for value in row] for row in DatasetHelper(batches, dataset_sink_mode=False)]
    [[(2, 3)], [(2, 3)]]
    >>> DatasetHelper(batches).types_shapes()
    ([mindspore.float32], [[2, 3]])
    """

    def __init__(self, dataset: Any, dataset_sink_mode: bool = True, sink_size: int = -1, epoch_num: int = 1) -> None:
        dataset_size("DatasetHelper", "dataset", dataset)
        check_sink("DatasetHelper", dataset_sink_mode, sink_size)
        _check.integer("DatasetHelper", "epoch_num", epoch_num)
        self._dataset, self._sinks, self._size = dataset, dataset_sink_mode, sink_size
        self._rows = self._pass()

    def _pass(self) -> Iterator[tuple[Any, ...]]:
        left = self._size if self._sinks else -1
        for row in self._dataset.create_tuple_iterator(num_epochs=1):
            if left == 0:
                return
            left -= 1
            yield tuple(row)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return self._rows

    def _queue(self, question: str) -> None:
        if not self._sinks:
            fail(AttributeError, f"DatasetHelper.{question}", "'dataset_sink_mode'", "be True", "False")

    def types_shapes(self) -> tuple[list[Any], list[list[int]]]:
        """The dtypes and the shapes of a batch."""
        self._queue("types_shapes")
        return [mstype.from_numpy(kind) for kind in self._dataset.output_types()], self._dataset.output_shapes()

    get_data_info = types_shapes

    def sink_size(self) -> int:
        """How many batches one pass has."""
        self._queue("sink_size")
        return dataset_size("DatasetHelper", "dataset", self._dataset) if self._size == -1 else self._size

    def continue_send(self) -> None:
        """Go on sending batches to the device; there is no queue that has to be told."""
        self._queue("continue_send")

    def stop_send(self) -> None:
        """Stop sending batches to the device; there is no queue that has to be told."""
        self._queue("stop_send")

    def release(self) -> None:
        """Give up the queue to the device, if there is one, and the rest of the pass."""
        self._queue("release")
        self._rows = iter(())


def data_sink(
    fn: Callable[..., Any],
    dataset: Any,
    sink_size: int = 1,
    jit_config: Any = None,
    input_signature: Any = None,
) -> Callable[..., Any]:
    """Make a function that calls `fn` with the next batches, and again from the first after the last one.

    (``mindspore.data_sink``; 2.6 lets the batches go to a device meanwhile.)

    Args:
        fn: called with a batch's columns, after the arguments of the call.
        dataset: gives the batches.
        sink_size: batches in a call; the last one's result is returned.
        jit_config, input_signature: for 2.6's sake.

    Raises:
        TypeError, ValueError: `fn` cannot be called, `dataset` is no Dataset, or `sink_size` no int above 0.

    >>> import numpy as np
    >>> from ms_nn.dataset import NumpySlicesDataset
    >>> step = data_sink(lambda x: int(x.sum()), NumpySlicesDataset([1, 2, 3], shuffle=False).batch(1))
    >>> [step() for _ in range(4)]
    [1, 2, 3, 1]
    """
    if not callable(fn):
        fail(TypeError, "data_sink", "'fn'", "be a function or a Cell", type(fn).__name__)
    dataset_size("data_sink", "dataset", dataset)  # an empty one would be gone through for ever
    _check.integer("data_sink", "sink_size", sink_size)

    def endless() -> Iterator[Any]:
        while True:
            yield from dataset.create_tuple_iterator(num_epochs=1)

    rows = endless()

    def run(*args: Any, **kwargs: Any) -> Any:
        out: Any = None
        for _ in range(sink_size):
            out = fn(*args, *next(rows), **kwargs)
        return out

    return wraps(fn)(run) if hasattr(fn, "__name__") else run
