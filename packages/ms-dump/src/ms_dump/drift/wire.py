"""Messages of a program under comparison: what an op was, and its results."""

from __future__ import annotations

import json
import struct
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ms_dtype import np_bfloat16

__all__ = ["Call", "decode", "encode"]

Array = NDArray[Any]


@dataclass
class Call:
    """One op of one side.

    Attributes:
        index: its place in the order of execution.
        number: its place in its iteration.
        kind: its type, as in a dump.
        path: the cells around it.
        backward: whether it is part of a gradient.
        iteration: the step.
        source: file and line of the user.
        inputs: the indices of the calls that made its operands, -1 for those from outside.
        grain: the unit of the last place of the coarsest type among the operands, at 1.
        saturated, infinite, downcast: elements of its results, or on the way there.
        rules: the ids of the chip's rules that acted.
        outputs: its results.
    """

    index: int
    number: int
    kind: str
    path: str
    backward: bool
    iteration: int
    source: tuple[str, int]
    inputs: list[int] = field(default_factory=list)
    grain: float = 0.0
    saturated: int = 0
    infinite: int = 0
    downcast: int = 0
    rules: list[str] = field(default_factory=list)
    outputs: list[Array] = field(default_factory=list)

    @property
    def key(self) -> tuple[Any, ...]:
        """What the same call of another side has alike."""
        return (self.kind, self.path, self.backward, tuple(out.shape for out in self.outputs))


def encode(call: Call) -> bytes:
    """The bytes of a call.

    >>> sent = Call(0, 0, "Add", "Default", False, 0, ("a.py", 1), outputs=[np.ones(3, np.float16)])
    >>> decode(encode(sent)).outputs[0].tolist()
    [1.0, 1.0, 1.0]
    """
    arrays = [np.ascontiguousarray(out).reshape(out.shape) for out in call.outputs]
    call = Call(**{**vars(call), "outputs": []})
    head = asdict(call)
    head["outputs"] = [(out.dtype.name, out.shape) for out in arrays]
    text = json.dumps(head).encode()
    return b"".join([struct.pack("<I", len(text)), text, *(out.reshape(-1).view(np.uint8).data for out in arrays)])


def decode(data: bytes) -> Call:
    """The call that `encode` made the bytes of; its arrays share their memory."""
    (length,) = struct.unpack_from("<I", data)
    head = json.loads(data[4 : 4 + length])
    at = 4 + length
    outputs = []
    for name, shape in head["outputs"]:
        dtype = np.dtype(np_bfloat16) if name == "bfloat16" else np.dtype(name)
        count = int(np.prod(shape, dtype=np.int64))
        outputs.append(np.frombuffer(data, dtype, count, at).reshape(shape))
        at += count * dtype.itemsize
    head["outputs"], head["source"] = outputs, tuple(head["source"])
    return Call(**head)
