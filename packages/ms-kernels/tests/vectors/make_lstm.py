"""Records lstm.json with MindSpore 2.6 itself: ``python make_lstm.py`` in an environment that has it.

Each row: the arguments of ``ops.LSTM``, the shapes of input, states and packed weight, the outputs (but for the buffers
of 2.6's kernel), and the gradients of a weighted sum of them by all four. Everything is drawn in this order from
``RandomState(5)``, the weight halved.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import ops

CASES: list[tuple[list[Any], list[list[int]]]] = [
    ([3, 2, 1, True, False, 0.0], [[4, 2, 3], [1, 2, 2], [1, 2, 2], [48, 1, 1]]),
    ([3, 2, 1, False, True, 0.0], [[4, 2, 3], [2, 2, 2], [2, 2, 2], [80, 1, 1]]),
    ([3, 2, 1, True, True, 0.5], [[3, 1, 3], [2, 1, 2], [2, 1, 2], [96, 1, 1]]),
    ([2, 2, 2, True, False, 0.0], [[3, 2, 2], [2, 2, 2], [2, 2, 2], [80, 1, 1]]),
]


def shown(tensor: Any) -> dict[str, Any]:
    return {"shape": list(tensor.shape), "data": [float(f"{v:.8g}") for v in tensor.asnumpy().ravel()]}


def record(arguments: list[Any], shapes: list[list[int]]) -> dict[str, Any]:
    """One row."""
    rng = np.random.RandomState(5)
    given = [rng.standard_normal(shape).astype(np.float32) for shape in shapes]
    given[3] *= np.float32(0.5)
    operands = [ms.Tensor(array) for array in given]
    lstm = ops.LSTM(*arguments)
    found = lstm(*operands)[:3]
    weights = [ms.Tensor(rng.standard_normal(out.shape).astype(np.float32)) for out in found]

    def total(*inputs: Any) -> Any:
        parts = [(out * weight).sum() for out, weight in zip(lstm(*inputs)[:3], weights)]
        return parts[0] + parts[1] + parts[2]

    grads = ms.grad(total, (0, 1, 2, 3))(*operands)
    return {
        "arguments": arguments,
        "shapes": shapes,
        "outputs": [shown(out) for out in found],
        "gradients": [shown(grad) for grad in grads],
    }


def main(path: Path) -> None:
    ms.set_context(pynative_synchronize=True)
    lines = ",\n".join(json.dumps(record(*case)) for case in CASES)
    path.write_text(f'{{"mindspore": "{ms.__version__}", "rows": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("lstm.json"))
