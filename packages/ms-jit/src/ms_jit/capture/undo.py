"""Taking back what a run did, when its capture fails and the function has to run once more."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.core.tensor import TensorBase
from ms_kernels.random.stream import default_stream

__all__ = ["Undo"]


class Undo:
    """The first values of tensors and streams that a run changes."""

    def __init__(self) -> None:
        self._tensors: dict[int, tuple[TensorBase, Any]] = {}
        self._streams: dict[int, tuple[Any, Any]] = {}

    def remember(self, tensor: TensorBase) -> None:
        """Keep a tensor's numbers, before they are changed for the first time."""
        if id(tensor) not in self._tensors:
            self._tensors[id(tensor)] = (tensor, np.array(tensor._a))

    def remember_stream(self, generator: Any) -> None:
        """Keep where a generator's stream is, before its first draw."""
        stream: Any = default_stream() if generator is None else getattr(generator, "_stream", generator)
        if id(stream) not in self._streams:
            if hasattr(stream, "peek"):
                self._streams[id(stream)] = (stream, stream.peek())
            else:
                self._streams[id(stream)] = (stream, stream.get_state())

    def join(self, other: Undo) -> None:
        """Let another keep the tensors and streams of this one, as they are now."""
        for tensor, _ in self._tensors.values():
            other.remember(tensor)
        for stream, _ in self._streams.values():
            other.remember_stream(stream)

    def back(self) -> None:
        """Restore everything."""
        for tensor, array in reversed(self._tensors.values()):  # of two that share memory, the older copy is right
            if tensor._raw.shape == array.shape and tensor._raw.dtype == array.dtype and tensor._raw.flags.writeable:
                np.copyto(tensor._raw, array)
                tensor._touch()
            else:
                tensor._set(array)
        for stream, state in self._streams.values():
            stream.set(*state) if hasattr(stream, "peek") else stream.set_state(state)
