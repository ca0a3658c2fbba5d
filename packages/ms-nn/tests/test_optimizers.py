"""Every optimizer against MindSpore 2.6: what it registers, how it prints, and ten steps."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import ms_nn
from ms_kernels import Parameter, Tensor

ROWS = json.loads((Path(__file__).parent / "vectors" / "optimizers.json").read_text())["rows"]
NAMES = {"nn": ms_nn, "mint": SimpleNamespace(optim=ms_nn.mint.optim)}

# 2.6's CPU kernels leave these arguments out of account (or get a sign wrong); here they do what 2.6's manual says, see
# test_optimizer_rules.py
AGAINST_THE_MANUAL = {
    "nn.Momentum(p, 0.1, 0.9, use_nesterov=True)",
    "nn.Adagrad(p, accum=0.5, learning_rate=0.1, update_slots=False)",
    "nn.FTRL(p, l1=0.01, l2=0.1, learning_rate=0.1)",
}


def parameters() -> list[Parameter]:
    rng = np.random.RandomState(1)
    return [
        Parameter(Tensor(rng.standard_normal(shape).astype(np.float32)), name=name)
        for name, shape in (("w", (3, 4)), ("b", (4,)))
    ]


def steps(expr: str) -> dict[int, list[np.ndarray[Any, Any]]]:
    p = parameters()
    optimizer = eval(expr, {**NAMES, "p": p})
    rng = np.random.RandomState(2)
    found = {}
    for step in range(1, 11):
        grads = [Tensor((rng.standard_normal(q.shape) / 10).astype(np.float32)) for q in p]
        order = [next(i for i, q in enumerate(p) if q is own) for own in optimizer.parameters]
        optimizer(tuple(grads[i] for i in order))
        found[step] = [q.asnumpy().copy() for q in p]
    return found


@pytest.mark.parametrize(
    "row",
    [row for row in ROWS if "step10" in row and row["expr"] not in AGAINST_THE_MANUAL],
    ids=lambda row: row["expr"],
)
def test_steps(row: dict[str, Any]) -> None:
    found = steps(row["expr"])
    for step in (1, 2, 10):
        for own, expected in zip(found[step], row[f"step{step}"], strict=True):
            np.testing.assert_allclose(own.ravel(), expected, rtol=2e-5, atol=6e-6)


@pytest.mark.parametrize("row", [row for row in ROWS if "registered" in row], ids=lambda row: row["expr"])
def test_registered(row: dict[str, Any]) -> None:
    optimizer = eval(row["expr"], {**NAMES, "p": parameters()})
    assert repr(optimizer) == row["repr"]
    found = [[q.name, list(q.shape), str(q.dtype), q.requires_grad] for q in optimizer.get_parameters()]
    assert found == row["registered"]
