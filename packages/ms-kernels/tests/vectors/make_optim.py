"""Records what MindSpore 2.6's optimizers make of a parameter, step by step, in optim.json.  Needs the real wheel."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

START = [1.0, -2.0, 0.5, 3.0, -0.25, 0.0]
GRADS = [
    [0.3, -0.7, 1.5, -0.02, 0.0, 4.0],
    [-0.5, -0.6, 1.1, 0.03, 0.2, -3.0],
    [0.1, 0.9, -0.4, 0.05, -0.1, 2.0],
    [0.2, 0.8, 0.3, -0.04, 0.3, 1.0],
]
CASES: list[tuple[str, dict[str, Any]]] = [
    ("Adam", {"learning_rate": 0.1}),
    ("Adam", {"learning_rate": 0.1, "weight_decay": 0.05, "beta1": 0.8, "beta2": 0.95, "eps": 1e-4}),
    ("Adam", {"learning_rate": 0.1, "use_nesterov": True}),
    ("Adam", {"learning_rate": 0.1, "use_amsgrad": True, "beta2": 0.5}),
    ("Adam", {"learning_rate": 0.1, "loss_scale": 8.0}),
    ("AdamWeightDecay", {"learning_rate": 0.1, "weight_decay": 0.05}),
    ("Momentum", {"learning_rate": 0.1, "momentum": 0.9}),
    ("Momentum", {"learning_rate": 0.1, "momentum": 0.9, "use_nesterov": True, "weight_decay": 0.01}),
    ("SGD", {"learning_rate": 0.1}),
    ("SGD", {"learning_rate": 0.1, "momentum": 0.9, "weight_decay": 0.01}),
    ("SGD", {"learning_rate": 0.1, "momentum": 0.9, "dampening": 0.5}),
    ("SGD", {"learning_rate": 0.1, "momentum": 0.9, "nesterov": True}),
    ("Adagrad", {"learning_rate": 0.1}),
    ("RMSProp", {"learning_rate": 0.1}),
    ("RMSProp", {"learning_rate": 0.1, "momentum": 0.5, "decay": 0.8, "epsilon": 1e-6}),
    ("RMSProp", {"learning_rate": 0.1, "centered": True, "decay": 0.8, "epsilon": 1e-3}),
]


def main() -> None:
    import mindspore as ms
    from mindspore import nn

    records = []
    for name, options in CASES:
        p = ms.Parameter(ms.Tensor(START, ms.float32), name="p")
        optimizer = getattr(nn, name)([p], **options)
        steps = []
        for g in GRADS:
            optimizer((ms.Tensor(g, ms.float32),))
            steps.append(np.asarray(p.asnumpy(), "f8").tolist())
        records.append({"name": name, "options": options, "steps": steps})
    text = json.dumps({"start": START, "grads": GRADS, "cases": records}, indent=1)
    Path(__file__).with_name("optim.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
