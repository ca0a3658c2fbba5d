"""Primitives that hand values out of a program: summaries for whoever collects them, dumps into files."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.primitive import Primitive

__all__ = [
    "HistogramSummary",
    "ImageSummary",
    "ScalarSummary",
    "TensorDump",
    "TensorSummary",
    "collecting",
]

Record = tuple[str, str, Any]
_collectors: ContextVar[tuple[list[Record], ...]] = ContextVar("ms_kernels_summaries", default=())


@contextmanager
def collecting(records: list[Record]) -> Iterator[list[Record]]:
    """Put the summaries made inside into a list: (kind, name, array) each.

    Examples:
        >>> from ms_kernels import Tensor
        >>> with collecting([]) as found:
        ...     ScalarSummary()("loss", Tensor(0.5))
        >>> [(kind, name, float(value)) for kind, name, value in found]
        [('Scalar', 'loss', 0.5)]
    """
    token = _collectors.set((*_collectors.get(), records))
    try:
        yield records
    finally:
        _collectors.reset(token)


class _Summary(Primitive):
    def __init__(self) -> None:
        super().__init__(type(self).__name__)

    def __call__(self, name: str, value: Any) -> None:
        """Hand a Tensor to those who collect summaries; without any nothing happens.

        Raises:
            TypeError: the name is no str, or the value no Tensor.
        """
        if not isinstance(name, str):
            fail(TypeError, self.name, "'name'", "be a str", describe(name))
        if not isinstance(value, TensorBase):
            fail(TypeError, self.name, "'value'", "be a Tensor", describe(value))
        for records in _collectors.get():
            records.append((self.name.removesuffix("Summary"), name, np.array(value._a)))


class ScalarSummary(_Summary):
    """A number under a name (``mindspore.ops.ScalarSummary``); see `collecting`."""


class TensorSummary(_Summary):
    """A tensor under a name (``mindspore.ops.TensorSummary``); see `collecting`."""


class ImageSummary(_Summary):
    """A batch of images under a name (``mindspore.ops.ImageSummary``); see `collecting`."""


class HistogramSummary(_Summary):
    """A tensor whose values are to be counted, under a name (``mindspore.ops.HistogramSummary``); see `collecting`."""


_numbers = itertools.count()


class TensorDump(Primitive):
    """Writes tensors into files (``mindspore.ops.TensorDump``).

    Args:
        input_output: which side of an op is meant where programs are cut for several devices: "in", "out" or "all".

    Raises:
        ValueError: another `input_output`.

    Examples:
        >>> import os, tempfile
        >>> from ms_kernels import Tensor
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     TensorDump()(os.path.join(folder, "x"), Tensor([1.0, 2.0]))
        ...     print(np.load(os.path.join(folder, os.listdir(folder)[0])))
        [1. 2.]
    """

    def __init__(self, input_output: str = "out") -> None:
        super().__init__("TensorDump")
        if input_output not in ("in", "out", "all"):
            fail(ValueError, "TensorDump", "'input_output'", "be 'in', 'out' or 'all'", describe(input_output))
        self.attrs["input_output"] = self.input_output = input_output

    def __call__(self, file: str, input_x: Any) -> None:
        """Write a Tensor into "FILE_TYPE_NUMBER.npy"; the number counts all dumps of the program.

        Raises:
            TypeError: the file is no str, or the value no Tensor.
            ValueError: the file is an empty str.
        """
        if not isinstance(file, str):
            fail(TypeError, "TensorDump", "'file'", "be a str", describe(file))
        if not file:
            fail(ValueError, "TensorDump", "'file'", "not be empty", repr(file))
        if not isinstance(input_x, TensorBase):
            fail(TypeError, "TensorDump", "'input_x'", "be a Tensor", describe(input_x))
        array = input_x._a if input_x.dtype.name != "bfloat16" else input_x._a.astype(np.float32)
        np.save(f"{file.removesuffix('.npy')}_{input_x.dtype.name}_{next(_numbers)}.npy", array)
