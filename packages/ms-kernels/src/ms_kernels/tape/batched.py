"""Tensors inside of `vmap`: each stands for one sample of many at a time, without holding any numbers itself."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ms_kernels.core.tensor import Node, StandIn, TensorBase, alias, from_array, from_saved
from ms_kernels.opdef.errors import fail

__all__ = [
    "Batched",
    "NeedsValues",
    "again",
    "batched_in",
    "constant",
    "detached",
    "kept",
    "known",
    "refuse_outer",
    "sample_of",
]

_ROOM = bytes(16)  # stands for the memory of tensors without numbers: one element of the largest type


class NeedsValues(BaseException):
    """Code asked for the numbers of a tensor that stands for many samples: it has to run for each of them instead.

    Not an Exception, so that no handler between the question and the one who can answer takes it for an error.
    """

    def __init__(self, level: Any) -> None:
        self.level = level


class Batched(StandIn):
    """What such a tensor waits for.

    Attributes:
        dims: the shape of one sample.
        value: the tensor of all samples, along its first axis.
        level: the call of vmap that it belongs to.
    """

    __slots__ = ("level", "value")

    def __init__(self, value: Any, level: Any) -> None:
        super().__init__(value.shape[1:])
        self.value, self.level = value, level

    def fill(self, tensor: Any) -> NoReturn:
        """Answer a question for the numbers."""
        if self.level.open:
            raise NeedsValues(self.level)
        fail(RuntimeError, "vmap", "tensors of samples", "not be used after the call that made them")

    def tensor(self) -> Any:
        """Return a tensor that stands for each sample."""
        dims = self.dims
        array: Any = np.ndarray(dims, self.value.dtype.np, _ROOM, 0, (0,) * len(dims))
        out = from_array(array)
        out._set_pending(array, self)
        return out


def sample_of(value: Any, level: Any) -> Any:
    """Return a tensor that stands for each sample along the first axis of `value`."""
    return Batched(value, level).tensor()


def batched_in(value: Any, level: Any = None) -> Any:
    """Return what a tensor stands for (of one level, or of any); None for other tensors and all else."""
    if not isinstance(value, TensorBase):
        return None
    waiting = value._waiting
    if isinstance(waiting, Batched) and (level is None or waiting.level is level):
        return waiting
    return None


def detached(x: TensorBase) -> Any:
    """Return a tensor with the numbers of x and no place on the tape."""
    waiting = x._waiting
    return waiting.tensor() if isinstance(waiting, Batched) else alias(x)


def constant(x: TensorBase) -> Any:
    """As `detached`, also for the tapes of those outside of `vmap`."""
    waiting = x._waiting
    return sample_of(constant(waiting.value), waiting.level) if isinstance(waiting, Batched) else alias(x)


def again(saved: Any, node: Node, index: int) -> Any:
    """Wrap a saved result (an array, or what it stands for) at its old place on the tape."""
    if not isinstance(saved, Batched):
        return from_saved(saved, node, index)
    out = saved.tensor()
    out._set_tape(node, index)
    return out


def kept(x: TensorBase) -> Any:
    """Return x as it is on the tape now, whatever becomes of x itself."""
    waiting = x._waiting
    if x._tape is None:
        return x
    return again(waiting if isinstance(waiting, Batched) else alias(x)._raw, x._tape, x._tape_index)


def refuse_outer(args: Any) -> None:
    """Ask for a call per sample where a gradient outside of `vmap` has to see one node for what comes."""
    if isinstance(args, (tuple, list)):
        for item in args:
            refuse_outer(item)
    found = batched_in(args)
    if found is not None and found.level.recording:
        raise NeedsValues(found.level)


def known(x: TensorBase) -> Any:
    """Return the numbers of x, of all samples if it stands for some: for checks that concern each element."""
    waiting = x._waiting
    return known(waiting.value) if isinstance(waiting, Batched) else x._a
