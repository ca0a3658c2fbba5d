"""Record what MindSpore 2.6 computes in when types meet; run with an interpreter that has the real MindSpore.

    python make_promotion.py [FILE]     writes FILE, by default promotion.json beside this program

Not every function has a kernel for every type, so each pair is tried with several; the first that answers decides. A
pair without an implicit conversion is recorded as the message of its TypeError.
"""

from __future__ import annotations

import json
import operator
import sys
from pathlib import Path
from typing import Any

import mindspore as ms  # type: ignore[import-not-found,unused-ignore]
import numpy as np
from mindspore import Tensor, ops

TYPES = (
    *("bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "bfloat16", "complex64", "complex128"),
)
SCALARS = {"b": True, "i": 3, "f": 1.5, "c": 1j}
FUNCTIONS: tuple[Any, ...] = (operator.add, ops.add, ops.mul, ops.maximum, operator.sub)


def tensor(name: str) -> Tensor:
    return Tensor(np.ones(2), getattr(ms, name))


def result(left: Any, right: Any) -> str:
    """Give the name of the type that comes out, or the first line of the refusal."""
    refusal = ""
    for function in FUNCTIONS:
        try:
            out = function(left, right)
            out.asnumpy()  # errors of a kernel come no later than here
        except TypeError as error:
            refusal = refusal or str(error).split("\n")[0]
            if refusal.startswith("Type implicit conversion"):
                break
        else:
            return repr(out.dtype).removeprefix("mindspore.")
    return f"TypeError: {refusal}"


def table(others: dict[str, Any], swap: bool) -> dict[str, dict[str, str]]:
    rows = {}
    for name in TYPES:
        rows[name] = {
            other: result(value, tensor(name)) if swap else result(tensor(name), value)
            for other, value in others.items()
        }
    return rows


def main() -> None:
    ms.set_context(pynative_synchronize=True)
    tensors = {name: tensor(name) for name in TYPES}
    recorded = {
        "mindspore": ms.__version__,
        "tensor_tensor": table(tensors, swap=False),
        "tensor_scalar": table(SCALARS, swap=False),
        "scalar_tensor": table(SCALARS, swap=True),
    }
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("promotion.json")
    path.write_text(json.dumps(recorded, indent=1) + "\n")


if __name__ == "__main__":
    main()
