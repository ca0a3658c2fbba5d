"""Record what MindSpore 2.6 gives for the calls beside it: run with its interpreter, in a folder of its own."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import mindspore
import numpy as np
from mindspore import Parameter, Tensor, ops

sys.path.insert(0, str(Path(__file__).parent))
import calls_arrays
import calls_primitives
from calls_primitives import CHANGING

TYPES = {np.float32: mindspore.float32, np.int32: mindspore.int32, np.int64: mindspore.int64}


def plain(value: Any) -> Any:
    """A result as JSON: arrays as type, shape and numbers."""
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    if isinstance(value, (Tensor, Parameter)):
        array = value.asnumpy()
        parts = array.reshape(-1)
        numbers = [[float(n.real), float(n.imag)] for n in parts] if array.dtype.kind == "c" else parts.tolist()
        return {"dtype": array.dtype.name, "shape": list(array.shape), "data": numbers}
    return value


def operand(arg: Any, i: int, changing: bool) -> Any:
    """An argument as the primitive takes it."""
    if isinstance(arg, list) and any(isinstance(item, np.ndarray) for item in arg):
        return [operand(item, i, changing) for item in arg]
    if not isinstance(arg, np.ndarray):
        return arg
    whole = changing and arg.ndim and arg.dtype == np.float32
    return Parameter(Tensor(arg), name=f"p{i}") if whole else Tensor(arg)


def record(calls: Any, target: str) -> None:
    """Write what calls give into a file beside this program."""
    found = []
    for name, init, args in calls:
        given = [operand(arg, i, name in CHANGING) for i, arg in enumerate(args)]
        try:
            function = getattr(ops, name)
            if init is not None:
                function = function(*(TYPES.get(item, item) if isinstance(item, type) else item for item in init))
            result = function(*given)
            out = (len(result) if isinstance(result, tuple) else 1) if name in CHANGING else plain(result)
        except Exception as error:  # its kind is what is recorded
            found.append({"name": name, "error": type(error).__name__})
            print(name, type(error).__name__, str(error)[:300].replace("\n", " "), file=sys.stderr)
            continue
        states = [plain(t) if isinstance(t, Parameter) else None for t in given]
        found.append({"name": name, "result": out, "states": states})
    rows = ",\n".join(json.dumps(row) for row in found)
    Path(__file__).with_name(target).write_text(f"[\n{rows}\n]\n", encoding="utf-8")


def main() -> None:
    """Write primitives.json and arrays.json."""
    mindspore.set_context(pynative_synchronize=True)
    record(calls_primitives.CALLS, "primitives.json")
    record(calls_arrays.CALLS, "arrays.json")


if __name__ == "__main__":
    main()
