"""Records optimizers.json with MindSpore 2.6 itself: ``python make_optim.py`` in an environment that has it.

Each row: the expression that builds an optimizer over the parameters ``p`` (``w`` of shape (3, 4), ``b`` of shape (4,),
drawn from ``RandomState(1)``), the names, shapes and dtypes of what it registers, and the parameters after 1, 2 and 10
steps with gradients drawn from ``RandomState(2)`` and divided by 10. What leaves the parameters as they are on a CPU
(mint's SGD) has no steps.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, mint, nn

COMMON = ("", "weight_decay=0.1", "learning_rate=[0.1, 0.05, 0.01] + [0.001] * 10", "loss_scale=4.0")
CASES: list[str] = [
    "nn.SGD(p)",
    "nn.SGD(p, 0.1, momentum=0.9)",
    "nn.SGD(p, 0.1, momentum=0.9, dampening=0.3)",
    "nn.SGD(p, 0.1, momentum=0.9, nesterov=True)",
    "nn.SGD(p, 0.1, momentum=0.9, weight_decay=0.1)",
    "nn.SGD(p, learning_rate=[0.1, 0.05, 0.01] + [0.001] * 10, momentum=0.5)",
    "nn.SGD(p, 0.1, loss_scale=4.0)",
    "nn.Momentum(p, 0.1, 0.9)",
    "nn.Momentum(p, 0.1, 0.9, use_nesterov=True)",
    "nn.Momentum(p, 0.1, 0.9, weight_decay=0.1)",
    "nn.Momentum(p, 0.1, 0.9, loss_scale=4.0)",
    "nn.Momentum(p, nn.CosineDecayLR(0.01, 0.1, 8), 0.9)",
    *[f"nn.Adam(p{', ' + kw if kw else ''})" for kw in COMMON],
    "nn.Adam(p, 0.1, beta1=0.8, beta2=0.9, eps=1e-3)",
    "nn.Adam(p, 0.1, use_nesterov=True)",
    "nn.Adam(p, 0.1, use_amsgrad=True)",
    "nn.Adam(p, nn.ExponentialDecayLR(0.1, 0.9, 4))",
    "nn.Adam([{'params': [p[0]], 'lr': 0.1, 'weight_decay': 0.05}, {'params': [p[1]]}], 0.01)",
    "nn.Adam([{'params': [p[1]], 'lr': [0.1] * 20}, {'params': [p[0]]}, {'order_params': p}], 0.01)",
    "nn.Adam(p, 0.1, weight_decay=nn.ExponentialDecayLR(0.1, 0.9, 4))",
    *[f"nn.AdamWeightDecay(p{', ' + kw if kw else ''})" for kw in COMMON[:3]],
    "nn.AdamWeightDecay(p, 0.1, 0.8, 0.9, 1e-3, 0.2)",
    "nn.AdamWeightDecay([{'params': [p[0]], 'weight_decay': 0.05}, {'params': [p[1]]}], 0.01, weight_decay=0.3)",
    *[f"nn.Adagrad(p{', ' + kw if kw else ''})" for kw in COMMON],
    "nn.Adagrad(p, accum=0.5, learning_rate=0.1, update_slots=False)",
    *[f"nn.RMSProp(p{', ' + kw if kw else ''})" for kw in COMMON],
    "nn.RMSProp(p, 0.01, decay=0.8, momentum=0.5, epsilon=1e-3)",
    "nn.RMSProp(p, 0.01, centered=True)",
    *[f"nn.Lamb(p{', ' + kw if kw else ''})" for kw in ("0.01", "0.01, weight_decay=0.1")],
    *[f"nn.AdaMax(p{', ' + kw if kw else ''})" for kw in COMMON],
    *[f"nn.Adadelta(p{', ' + kw if kw else ''})" for kw in COMMON[:2]],
    *[f"nn.ASGD(p{', ' + kw if kw else ''})" for kw in COMMON[:2]],
    *[f"nn.Rprop(p{', ' + kw if kw else ''})" for kw in COMMON[:2]],
    *[f"nn.FTRL(p{', ' + kw if kw else ''})" for kw in COMMON[:2]],
    "nn.FTRL(p, l1=0.01, l2=0.1, learning_rate=0.1)",
    *[f"nn.LazyAdam(p{', ' + kw if kw else ''})" for kw in COMMON[:2]],
    *[f"nn.ProximalAdagrad(p{', ' + kw if kw else ''})" for kw in COMMON[:2]],
    *[f"nn.AdamOffload(p{', ' + kw if kw else ''})" for kw in COMMON[:2]],
    *[f"nn.AdaFactor(p{', ' + kw if kw else ''})" for kw in ("", "weight_decay=0.1", "warmup_init=True")],
    "nn.AdaFactor(p, 0.1, relative_step=False, scale_parameter=False, clip_threshold=0.5, decay_rate=0.6)",
    "nn.AdaFactor(p, 0.1, (1e-10, 1e-2), relative_step=False, beta1=0.5, loss_scale=4.0)",
    "mint.optim.Adam(p)",
    "mint.optim.Adam(p, lr=0.1, betas=(0.8, 0.9), eps=1e-3, weight_decay=0.1)",
    "mint.optim.Adam(p, amsgrad=True)",
    "mint.optim.Adam(p, maximize=True)",
    "mint.optim.AdamW(p)",
    "mint.optim.AdamW(p, lr=0.1, weight_decay=0.3, amsgrad=True)",
    "mint.optim.SGD(p, 0.1)",
    "mint.optim.SGD(p, 0.1, momentum=0.9, dampening=0.2, weight_decay=0.1)",
    "mint.optim.SGD(p, 0.1, momentum=0.9, nesterov=True)",
]


def parameters() -> list[Parameter]:
    rng = np.random.RandomState(1)
    return [
        Parameter(Tensor(rng.standard_normal(shape).astype(np.float32)), name=name)
        for name, shape in (("w", (3, 4)), ("b", (4,)))
    ]


def record(expr: str) -> dict[str, object]:
    row: dict[str, object] = {"expr": expr}
    try:
        p = parameters()
        optimizer = eval(expr, {"p": p, "nn": nn, "mint": mint})
        row["repr"] = repr(optimizer)
        row["registered"] = [[q.name, list(q.shape), str(q.dtype), q.requires_grad] for q in optimizer.get_parameters()]
        rng = np.random.RandomState(2)
        for step in range(1, 11):
            grads = tuple(Tensor((rng.standard_normal(q.shape) / 10).astype(np.float32)) for q in p)
            order = [p.index(q) for q in optimizer.parameters] if hasattr(optimizer, "order_params_name") else [0, 1]
            optimizer(tuple(grads[i] for i in order))
            if step in (1, 2, 10):
                row[f"step{step}"] = [[float(f"{v:.9g}") for v in q.asnumpy().ravel()] for q in p]
        if all(np.array_equal(q.asnumpy(), first.asnumpy()) for q, first in zip(p, parameters())):
            for step in (1, 2, 10):
                del row[f"step{step}"]
    except Exception as error:
        row["error"] = type(error).__name__ + ": " + str(error).split("\n")[0][:200]
    return row


if __name__ == "__main__":
    ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
    rows = [record(case) for case in CASES]
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("optimizers.json")
    lines = ",\n".join(json.dumps(row) for row in rows)
    target.write_text(f'{{"mindspore": "{ms.__version__}", "rows": [\n{lines}\n]}}\n')
