"""The observer that hands the tensors of calls to a layout."""

from __future__ import annotations

import sys
import threading
from typing import Any

import numpy as np

from ms_dump import names
from ms_dump.config import Config
from ms_dump.fused import Groups
from ms_dump.layout import Layout, Record
from ms_dump.place import Places, Scope, Stack, Steps, look
from ms_dump.probe import ProbeLayout
from ms_dump.snapshot import Snapshots
from ms_dump.writer import Writer
from ms_kernels import settings
from ms_kernels.core.dispatch import Op, dispatch, is_recording, process_target
from ms_kernels.core.tensor import TensorBase

__all__ = ["Dumper", "tensors_of"]

# 2.6 computes its gradient in the forward op, so that only the backward data of these is saved
_SHARED = "SoftmaxCrossEntropyWithLogits"


def tensors_of(values: Any) -> list[TensorBase]:
    """The tensors among arguments or results, in order, also inside of lists."""
    if isinstance(values, TensorBase):
        return [values]
    found: list[TensorBase] = []
    for value in values if isinstance(values, (list, tuple)) else ():
        if isinstance(value, TensorBase):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found += tensors_of(value)
    return found


def overflowed(outs: list[TensorBase]) -> bool:
    """Whether some result holds Inf or NaN."""
    for out in outs:
        array = out._a
        if array.dtype.kind in "biu":
            continue
        if not np.isfinite(array if array.dtype.isbuiltin == 1 else array.astype(np.float32)).all():
            return True
    return False


class Dumper:
    """Gets every call of the process while a dump is configured.

    Args:
        config: what is saved.
        anywhere: save in any mode and on any target.

    Attributes:
        writer: what writes the files.
        calls: how many calls have been saved.
    """

    whole = False  # composites come as the ops that they are made of
    watches = False

    def __init__(self, config: Config, anywhere: bool = False) -> None:
        self.config, self.anywhere = config, anywhere
        self.writer = Writer(config.queue_bytes)
        self.layout = (ProbeLayout if config.layout == "msprobe" else Layout)(config, self.writer)
        self.steps = Steps()
        self.calls = 0
        self._places = Places()
        self._snapshots = Snapshots(
            config.sample_num if config.sample_mode else None, self.layout.measures, not config.op_debug_mode
        )
        self._groups = Groups(config.queue_bytes // 4)
        self._number = 0
        self._overflows = 0
        self._lock = threading.RLock()

    # -- what is saved ------------------------------------------------------------------------------------------------

    def _acts(self) -> bool:
        """Whether the process is in a state in which something is saved (set_dump's limits, unless lifted)."""
        if self.config.dump_mode == 2 and not self.config.enable:
            return False  # the flags belong to the synchronous dump
        target = process_target.target
        device = "CPU" if target is None else target.name
        if device != "CPU" and settings.device_id not in self.config.support_device:
            return False
        if self.anywhere:
            return True
        return bool(process_target.graph) and (self.config.dump_mode != 2 or device == "Ascend")

    def _selects(self, name: str, kind: str, scope: Scope, stack: Stack) -> bool:
        config = self.config
        if config.dump_mode == 0:
            return True
        if config.dump_mode == 1:
            return config.kernels(name, kind)
        if not scope.flag:
            return False
        shared = _SHARED in (scope.cell, kind)
        return not (shared and stack.node is None and is_recording())

    def _level(self, stack: Stack) -> str:
        """The jit level of the outermost cell; "" where it does not count."""
        if self.anywhere or not stack.cells:
            return ""
        jit = getattr(stack.cells[0], "jit_config_dict", None)
        return str(jit.get("jit_level", "")) if isinstance(jit, dict) else ""

    # -- the observer's protocol --------------------------------------------------------------------------------------

    def call(self, op: Op, args: tuple[Any, ...]) -> Any:
        """Run a call, and save its tensors if it is one of those wanted."""
        if not self._acts():
            return dispatch(op, args)
        stack = look(sys._getframe(1))
        kind = names.op_type(op, args)
        with self._lock:
            if self.steps.see(stack):
                self._end_step()
            number = self._number
            self._number += 1
            scope = self._places.scope(stack)
            record = Record(
                op,
                args,
                kind,
                names.op_name(scope.path, kind, number, "" if stack.node is None else scope.op or "Op"),
                self.steps.iteration,
                self.steps.graph,
                scope,
                stack.primitive is not None,
                stack.node is not None,
            )
        level = ""
        wanted = (
            self.steps.iteration in self.config.iteration
            and self._selects(record.name, kind, scope, stack)
            and (level := self._level(stack)) != "O2"
        )
        out = self._run(record, level == "O1") if wanted else dispatch(op, args)
        if stack.node is None:
            with self._lock:
                self._places.remember(out[0] if type(out) is tuple and out else out, scope, kind)
        return out

    def store(self, tensor: TensorBase, out: TensorBase) -> None:
        """Not called: stores belong to observers of a scope."""

    def told(self, tensor: TensorBase, what: str) -> Any:
        """Not called: this observer does not watch."""

    def effect(self, fn: Any, args: tuple[Any, ...]) -> Any:
        """Not called: this observer does not watch."""

    # -- saving -------------------------------------------------------------------------------------------------------

    def _run(self, record: Record, fuses: bool) -> Any:
        config = self.config
        if config.input_output != 2 or config.op_debug_mode:
            with self._lock:
                operands = tensors_of(record.args)
                record.inputs = [(slot, self._snapshots.take(tensor)) for slot, tensor in enumerate(operands)]
        before = self._status()
        try:
            out = dispatch(record.op, record.args)
        except Exception:
            if config.op_debug_mode == 4:
                self._save([record])
            raise
        outs = tensors_of(out)
        overflow = self._status_fired(before)
        if config.op_debug_mode == 4:
            return out
        if config.op_debug_mode == 3:
            if not (overflow or overflowed(outs)):
                return out
            self._overflows += 1
            if config.overflow_number and self._overflows > config.overflow_number:
                return out
        if config.input_output != 1:
            with self._lock:
                record.outputs = [(slot, self._snapshots.take(tensor)) for slot, tensor in enumerate(outs)]
        with self._lock:
            self._save(self._groups.add(record, tensors_of(record.args), outs) if fuses else [record])
        return out

    def _status(self) -> Any:
        """Clear the chip's overflow status, which sticks, and return it as it was."""
        if self.config.op_debug_mode != 3:
            return None
        chip = getattr(process_target.target, "chip", None)
        if chip is None:
            return None
        before = chip.status.copy()
        chip.status[:] = 0
        return before

    def _status_fired(self, before: Any) -> bool:
        if before is None:
            return False
        status = process_target.target.chip.status
        fired = bool(status.any())
        status |= before
        return fired

    def _save(self, records: list[Record]) -> None:
        with self._lock:
            for record in records:
                self.calls += 1
                self.layout.save(record)

    def _end_step(self) -> None:
        self._save(self._groups.end())
        self.layout.end_step()
        self._snapshots.forget()
        self._number = 0

    def step(self) -> None:
        """End the present iteration."""
        with self._lock:
            self._end_step()
            self.steps.advance()

    def close(self) -> None:
        """Write what is left, and wait for it.

        Raises:
            OSError: something could not be written.
        """
        with self._lock:
            self._end_step()
        self.writer.flush()
