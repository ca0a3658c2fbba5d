"""Records what MindSpore 2.6 (CPU) fills arrays with: `python make_initializers.py OUT.json` where it is installed.

Every case: class, arguments, shape, dtype, the seed given to set_seed; SHA-256 of the bytes (bfloat16: of the values as
float32), the first numbers, and what NumPy's global generator gives next.
"""

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
from mindspore.common import initializer as module

CLASSES = [
    ["Zero"],
    ["One"],
    ["Constant", 2.7],
    ["Normal"],
    ["Normal", 1.5, 0.5],
    ["Uniform"],
    ["Uniform", 1.0],
    ["TruncatedNormal"],
    ["TruncatedNormal", 0.5, 0.1, -0.3, 0.6],
    ["TruncatedNormal", 1.0, 0.0, 5.0, 6.0],
    ["TruncatedNormal", 1.0, 0.0, -39.0, -20.0],
    ["TruncatedNormal", 1.0, 0.0, 50.0, 60.0],
    ["XavierUniform"],
    ["XavierUniform", 1.7],
    ["XavierNormal"],
    ["XavierNormal", 0.3],
    ["HeUniform"],
    ["HeUniform", 2.23606797749979],
    ["HeUniform", 0, "fan_out", "relu"],
    ["HeUniform", 0, "fan_in", "sigmoid"],
    ["HeNormal"],
    ["HeNormal", 0.1, "fan_out"],
    ["HeNormal", 0, "fan_in", "tanh"],
    ["VarianceScaling"],
    ["VarianceScaling", 2.0, "fan_out", "uniform"],
    ["VarianceScaling", 0.7, "fan_avg", "truncated_normal"],
    ["VarianceScaling", 0.7, "fan_avg", "untruncated_normal"],
    ["Identity"],
    ["Dirac"],
    ["Dirac", 2],
    ["Orthogonal"],
    ["Orthogonal", 1.3],
    ["Sparse", 0.3],
    ["Sparse", 0.1, 1.0],
]
SMALL = [[], [1], [5], [3, 4], [4, 3], [64, 32], [8, 5, 3], [4, 6, 3, 3], [131, 257]]
FEW = [[], [3, 4], [4, 5, 3]]
BIG = [[1048579], [1031, 1021], [64, 64, 16, 17]]  # beyond the size from which MindSpore uses threads
SLOW = ("Orthogonal", "Sparse", "Identity", "Dirac")


def record(init: list[Any], shape: list[int], dtype: str, seed: int) -> "dict[str, Any] | None":
    ms.set_seed(seed)
    try:
        made = getattr(module, init[0])(*init[1:])
        tensor = module.initializer(made, shape, getattr(ms, dtype)).init_data()
    except ValueError:  # this class does not fill this shape
        return None
    array = tensor.float().asnumpy() if dtype == "bfloat16" else tensor.asnumpy()
    return {
        "init": init,
        "shape": shape,
        "dtype": dtype,
        "seed": seed,
        "sha256": hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest(),
        "head": [float(x) for x in array.ravel()[:4]],
        "next": int(np.random.randint(1 << 31)),
    }


def cases() -> Iterator[tuple[list[Any], list[int], str, int]]:
    for number, init in enumerate(CLASSES):
        for shape in SMALL:
            yield init, shape, "float32", 1 + number
        for dtype in ("float16", "bfloat16", "float64", "int32"):
            for shape in FEW:
                yield init, shape, dtype, 100 + number
        if init[0] not in SLOW:
            for shape in BIG:
                yield init, shape, "float32", 1000 + number
    for seed in (0, 2**31 - 1, 2**32 - 1):
        yield ["Normal"], [7, 3], "float32", seed


if __name__ == "__main__":
    found = [case for case in (record(*arguments) for arguments in cases()) if case is not None]
    text = ",\n".join(json.dumps(case) for case in found)
    Path(sys.argv[1]).write_text(f"[\n{text}\n]\n", encoding="utf-8")
    print(len(found), "cases")
