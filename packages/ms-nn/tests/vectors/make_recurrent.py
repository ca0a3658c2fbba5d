"""Records recurrent.json with MindSpore 2.6 itself: ``python make_recurrent.py`` in an environment that has it.

Each row: the expression that builds a layer, its repr, its parameters (name, shape, dtype, digest of the bytes, after
``set_seed(7)``); the shapes of input and initial states, the sequences' lengths; the outputs of a call, the initial
states counted among its inputs; and the gradients of a weighted sum of the outputs by the inputs and the parameters.
Inputs, states, then one weight per output are drawn in this order from ``RandomState(3)``, in "dtype" (float32 if it is
not there). "values only": 2.6's gradients of a float16 LSTM are no numbers.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import nn  # noqa: F401  (used by the expressions)

CASES: list[dict[str, Any]] = [
    {"expr": "nn.RNN(3, 4)", "x": (5, 2, 3)},
    {"expr": "nn.RNN(3, 4, nonlinearity='relu', has_bias=False)", "x": (5, 2, 3), "states": [(1, 2, 4)]},
    {"expr": "nn.RNN(3, 2, 2, bidirectional=True)", "x": (4, 3, 3), "states": [(4, 3, 2)], "lengths": [2, 4, 1]},
    {"expr": "nn.LSTM(3, 4)", "x": (5, 2, 3)},
    {"expr": "nn.LSTM(3, 4, has_bias=False)", "x": (5, 2, 3), "states": [(1, 2, 4)] * 2},
    {"expr": "nn.LSTM(3, 2, num_layers=2, bidirectional=True)", "x": (4, 2, 3), "states": [(4, 2, 2)] * 2},
    {"expr": "nn.LSTM(3, 2, 1, True, True, 0.0, True)", "x": (2, 4, 3), "states": [(2, 2, 2)] * 2, "lengths": [3, 0]},
    {"expr": "nn.LSTM(3, 4, num_layers=2, batch_first=True)", "x": (2, 4, 3), "lengths": [4, 1]},
    {"expr": "nn.LSTM(2, 9)", "x": (2, 7, 2)},
    {"expr": "nn.GRU(3, 4)", "x": (5, 2, 3)},
    {"expr": "nn.GRU(3, 4, has_bias=False, batch_first=True)", "x": (2, 5, 3), "states": [(1, 2, 4)]},
    {"expr": "nn.GRU(3, 2, 2, bidirectional=True)", "x": (4, 2, 3), "states": [(4, 2, 2)]},
    {"expr": "nn.GRU(3, 2, bidirectional=True)", "x": (4, 3, 3), "states": [(2, 3, 2)], "lengths": [2, 4, 3]},
    {"expr": "nn.RNNCell(3, 4)", "x": (2, 3), "states": [(2, 4)]},
    {"expr": "nn.RNNCell(3, 4, nonlinearity='relu')", "x": (2, 3), "states": [(2, 4)]},
    {"expr": "nn.RNNCell(3, 4, False)", "x": (2, 3), "states": [(1, 4)]},
    {"expr": "nn.LSTMCell(3, 4)", "x": (2, 3), "states": [(2, 4)] * 2},
    {"expr": "nn.LSTMCell(3, 4, has_bias=False)", "x": (1, 3), "states": [(3, 4)] * 2},
    {"expr": "nn.GRUCell(3, 4)", "x": (2, 3), "states": [(2, 4)]},
    {"expr": "nn.GRUCell(3, 4, has_bias=False)", "x": (2, 3), "states": [(2, 4)]},
    {"expr": "nn.LSTM(3, 4, dtype=ms.float16)", "x": (3, 2, 3), "dtype": "float16", "values only": True},
    {"expr": "nn.GRU(3, 4, dtype=ms.float16)", "x": (3, 2, 3), "dtype": "float16"},
    {"expr": "nn.RNN(3, 4, dtype=ms.float16)", "x": (3, 2, 3), "dtype": "float16"},
    {"expr": "nn.LSTM(3, 4, dtype=ms.float64)", "x": (3, 2, 3)},
    {"expr": "nn.RNNCell(3, 4, dtype=ms.float16)", "x": (2, 3), "states": [(2, 4)], "dtype": "float16"},
]


def flat(value: Any) -> list[Any]:
    """The tensors in nested tuples, in order."""
    return [t for item in value for t in flat(item)] if isinstance(value, (tuple, list)) else [value]


def shown(tensor: Any) -> dict[str, Any]:
    data = [float(f"{v:.8g}") for v in tensor.asnumpy().astype(np.float64).ravel()]
    return {"shape": list(tensor.shape), "dtype": str(tensor.dtype), "data": data}


def record(case: dict[str, Any]) -> dict[str, Any]:
    """One row."""
    ms.set_seed(7)
    net = eval(case["expr"])
    row: dict[str, Any] = {**case, "repr": repr(net), "parameters": []}
    for param in net.get_parameters():
        digest = hashlib.sha256(np.ascontiguousarray(param.asnumpy())).hexdigest()[:16]
        row["parameters"].append([param.name, list(param.shape), str(param.dtype), digest])
    rng, kind = np.random.RandomState(3), case.get("dtype", "float32")

    def draw(shape: Any) -> ms.Tensor:
        return ms.Tensor(rng.standard_normal(tuple(shape)).astype(kind))

    given = [draw(case["x"]), *(draw(shape) for shape in case.get("states", ()))]
    more = () if "lengths" not in case else (ms.Tensor(case["lengths"], ms.int32),)
    weights: list[ms.Tensor] = []

    def call(x: Any, *states: Any) -> Any:
        if not states:
            return net(x, None, *more)
        return net(x, states if len(states) == 2 else states[0], *more)

    found = flat(call(*given))
    row["outputs"], row["gradients"] = [shown(out) for out in found], []
    if "values only" in case:
        return row
    weights.extend(draw(out.shape) for out in found)

    def total(*inputs: Any) -> Any:
        parts = [(out * weight).sum() for out, weight in zip(flat(call(*inputs)), weights)]
        return sum(parts[1:], parts[0])

    by_input, by_weight = ms.grad(total, tuple(range(len(given))), net.trainable_params())(*given)
    row["gradients"] = [shown(grad) for grad in (*flat(by_input), *by_weight)]
    return row


def main(path: Path) -> None:
    ms.set_context(pynative_synchronize=True)
    lines = ",\n".join(json.dumps(record(case)) for case in CASES)
    path.write_text(f'{{"mindspore": "{ms.__version__}", "rows": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("recurrent.json"))
