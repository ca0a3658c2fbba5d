"""The tree of files that msprobe makes, so that its tools read ours."""

from __future__ import annotations

import json
import os
from collections import Counter
from typing import Any

import ms_fs
from ms_dump.config import Config
from ms_dump.layout import Record
from ms_dump.snapshot import Snapshot
from ms_dump.writer import Writer

__all__ = ["ProbeLayout"]

_MEASURES = {"Max": "max", "Min": "min", "Mean": "avg", "Norm": "l2norm"}


class ProbeLayout:
    """Writes records as ``{path}/step{n}/rank{r}/``: dump.json, stack.json, construct.json, dump_tensor_data/*.npy."""

    def __init__(self, config: Config, writer: Writer) -> None:
        self.config, self.writer = config, writer
        self.measures = tuple(_MEASURES.values())
        self._calls: Counter[tuple[str, bool]] = Counter()
        self._data: dict[str, Any] = {}
        self._stack: dict[str, Any] = {}
        self._construct: dict[str, Any] = {}
        self._iteration = 0

    @property
    def folder(self) -> str:
        """Where the present step goes."""
        step = ms_fs.join(self.config.path, f"step{self._iteration}")
        return ms_fs.join(step, "rank" + os.environ.get("RANK_ID", ""))

    def save(self, record: Record) -> None:
        """Note a call, and hand its tensors to the writer."""
        self._iteration = record.iteration
        prefix = "Primitive" if record.primitive else "Functional"
        api = f"{prefix}.{record.kind if record.primitive else record.op.name}"
        direction = "backward" if record.backward else "forward"
        call = self._calls[api, record.backward]
        self._calls[api, record.backward] += 1
        name = f"{api}.{call}.{direction}"
        inputs = [self._entry(f"{name}.input.{slot}", taken) for slot, taken in record.inputs]
        outputs = [self._entry(f"{name}.output.{slot}", taken) for slot, taken in record.outputs]
        if record.backward:
            self._data[name] = {"input": inputs, "output": outputs}
        else:
            self._data[name] = {"input_args": inputs, "input_kwargs": {}, "output": outputs}
        file, line = record.scope.source
        self._stack[name] = [f"File {file}, line {line}"] if file else []
        self._construct[name] = record.scope.path if record.scope.cell else None

    def _entry(self, name: str, taken: Snapshot) -> dict[str, Any]:
        found = taken.measure()
        entry = {
            "type": "mindspore.Tensor",
            "dtype": taken.dtype[:1].upper() + taken.dtype[1:],
            "shape": list(taken.shape),
            **{key: found[measure] for key, measure in _MEASURES.items()},
        }
        if self.config.tensors:
            entry["data_name"] = f"{name}.npy"
            self.writer.put_all(ms_fs.join(self.folder, "dump_tensor_data"), [(entry["data_name"], taken)])
        else:
            taken.release()
        return entry

    def end_step(self) -> None:
        """Write what is known of the step, which is over."""
        if not self._data:
            return
        described = {
            "task": "tensor" if self.config.tensors else "statistics",
            "level": "L1",
            "framework": "mindspore",
            "dump_data_dir": ms_fs.join(self.folder, "dump_tensor_data") if self.config.tensors else None,
            "data": self._data,
        }
        for name, content in (("dump", described), ("stack", self._stack), ("construct", self._construct)):
            text = json.dumps(content, indent=1)
            self.writer.put(ms_fs.join(self.folder, f"{name}.json"), [text.encode()])
        self._data, self._stack, self._construct = {}, {}, {}
        self._calls.clear()
