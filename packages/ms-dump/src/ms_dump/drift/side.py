"""What runs inside a program under comparison: an observer that sends each op's results to who compares."""

from __future__ import annotations

import atexit
import os
import sys
import threading
from multiprocessing.connection import Client, Connection
from typing import Any
from weakref import ReferenceType, ref

import numpy as np

from ms_dump.drift.chip import Rules, WatchedTarget
from ms_dump.drift.metrics import grain
from ms_dump.drift.wire import Call, encode
from ms_dump.names import op_type
from ms_dump.observer import tensors_of
from ms_dump.place import Places, Steps, look
from ms_kernels.core.dispatch import Op, dispatch, process_target
from ms_kernels.core.tensor import TensorBase
from ms_kernels.targets.ascend import emulator

__all__ = ["KEY", "Recorder", "side"]

KEY = "MS_DUMP_DRIFT_KEY"  # the variable that holds the secret of the connection


def side(address: str, target: str, profile: str | None = None) -> Recorder:
    """Begin to send this process's ops to `compare`, and pin the target, whatever the program chooses.

    Args:
        address: where `compare` listens.
        target: "CPU" or "Ascend".
        profile: the chip, for Ascend.

    Raises:
        ValueError: another target or profile.
    """
    if target not in ("CPU", "Ascend"):
        raise ValueError(f"For 'side', the 'target' must be 'CPU' or 'Ascend', but got '{target}'.")
    chosen = None
    if target == "Ascend":
        if profile is not None:
            emulator.change(profile=profile)
        chosen = WatchedTarget(emulator.profile, None, emulator.choices, emulator.precision)
    channel = Client(address, authkey=bytes.fromhex(os.environ.pop(KEY)))
    recorder = Recorder(channel, chosen)
    process_target.target = chosen
    process_target.observer = recorder
    atexit.register(recorder.close)
    return recorder


class Recorder:
    """The observer: it runs each call on its target and sends the results.

    The pipe to the other process holds little, so that this one waits when the comparison is behind.
    """

    whole = False
    watches = False

    def __init__(self, channel: Connection, target: WatchedTarget | None) -> None:
        self.channel, self.target = channel, target
        self._rules = None if target is None else Rules(target)
        self._places, self._steps = Places(), Steps()
        self._index = self._number = 0
        self._lock = threading.Lock()
        self._makers: dict[int, tuple[ReferenceType[Any], int]] = {}

    def call(self, op: Op, args: tuple[Any, ...]) -> Any:
        """Run a call and send its results; views move no bits, and are left out."""
        process_target.target = self.target
        operands = tensors_of(args)
        makers = [self._maker(tensor) for tensor in operands]
        if op.is_view:
            out = dispatch(op, args)
            for tensor in tensors_of(out):
                self._note(tensor, makers[0] if makers else -1)
            return out
        stack = look(sys._getframe(1))
        with self._lock:
            if self._steps.see(stack):
                self._number = 0
            scope = self._places.scope(stack)
        kind = op_type(op, args)
        out, saturated, rules = self._run(op, args)
        outs = tensors_of(out)
        made = Call(
            0,
            0,
            kind,
            scope.path,
            stack.node is not None,
            self._steps.iteration,
            scope.source,
            makers,
            max((grain(tensor._kind) for tensor in operands), default=0.0),
            saturated,
            sum(_infinite(tensor._a) for tensor in outs),
            self._downcast(op, operands, outs),
            rules,
            [tensor._a for tensor in outs],
        )
        with self._lock:  # threads of the program share the connection
            made.index, made.number = self._index, self._number
            if stack.node is None and outs:
                self._places.remember(outs[0], scope, kind)
            for tensor in outs:
                self._note(tensor, self._index)
            self._index += 1
            self._number += 1
            self.channel.send_bytes(encode(made))
        return out

    def _run(self, op: Op, args: tuple[Any, ...]) -> tuple[Any, int, list[str]]:
        if self.target is None or self._rules is None:
            return dispatch(op, args), 0, []
        chip = self.target.chip
        before = chip.status.copy()
        chip.status[:] = 0
        try:
            out, rules = self._rules.watch(op, args, lambda: dispatch(op, args))
            saturated = self.target.take()
            if not saturated and chip.status.any():
                saturated = 1  # inside a native loop, which tells that it did, but not how often
        finally:
            chip.status |= before
        if saturated:
            kinds = [tensor._kind for tensor in tensors_of(out)]
            rules = [*rules, *self._rules.of_saturation(kinds[0] if kinds else None)]
        return out, saturated, rules

    def _downcast(self, op: Op, operands: list[TensorBase], outs: list[TensorBase]) -> int:
        if op.name in ("cast", "cast_np") and operands and outs:
            old, new = operands[0]._kind, outs[0]._kind
            floats = operands[0].dtype.kind == outs[0].dtype.kind == "f"
            return outs[0].size if floats and new.itemsize < old.itemsize else 0
        return 0 if self.target is None else self.target.lowered(op, [tensor._a for tensor in operands])

    def _maker(self, tensor: TensorBase) -> int:
        known = self._makers.get(id(tensor))
        return known[1] if known is not None and known[0]() is tensor else -1

    def _note(self, tensor: TensorBase, index: int) -> None:
        if len(self._makers) > 100_000:
            self._makers = {key: entry for key, entry in self._makers.items() if entry[0]() is not None}
        self._makers[id(tensor)] = (ref(tensor), index)

    def store(self, tensor: TensorBase, out: TensorBase) -> None:
        """Not called: stores belong to observers of a scope."""

    def told(self, tensor: TensorBase, what: str) -> Any:
        """Not called: this observer does not watch."""

    def effect(self, fn: Any, args: tuple[Any, ...]) -> Any:
        """Not called: this observer does not watch."""

    def close(self) -> None:
        """End the stream; further ops are not sent."""
        if process_target.observer is self:
            process_target.observer = None
        self.channel.close()


def _infinite(array: Any) -> int:
    """How many elements are Inf or NaN."""
    if array.dtype.kind in "biu":
        return 0
    wide = array if array.dtype.isbuiltin == 1 else array.astype(np.float32)
    return int(array.size - np.count_nonzero(np.isfinite(wide)))
