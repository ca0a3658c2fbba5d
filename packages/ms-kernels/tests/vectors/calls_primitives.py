"""Calls of primitives whose results `make_primitives.py` records from MindSpore 2.6 and `test_primitives.py` compares.

Each is (name, arguments of the constructor, arguments of the call); arrays are operands. The program that records runs
on its own, so this file imports NumPy alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["CALLS", "CHANGING"]

Call = tuple[str, tuple[Any, ...], tuple[Any, ...]]


class Make:
    """Arrays with a seed of their own for each call, so that calls can be added."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.RandomState(seed)

    def __call__(self, *shape: int, low: float = -1.0, high: float = 1.0, dtype: Any = np.float32) -> Any:
        return self.rng.uniform(low, high, shape).astype(dtype)

    def positive(self, *shape: int) -> Any:
        return self(*shape, low=0.1, high=1.0)


def number(value: float) -> Any:
    return np.array(value, np.float32)


def _optimizers() -> list[Call]:
    calls: list[Call] = []

    def add(name: str, init: tuple[Any, ...], args: Any) -> None:
        m = Make(len(calls))
        calls.append((name, init, args(m)))

    two = (2, 3)
    for init in ((),):
        add("ApplyMomentum", init, lambda m: (m(*two), m(*two), number(0.1), m(*two), number(0.9)))
    for init in ((), (0.1, 0.01), (0.0, 0.01, True)):
        add("SGD", init, lambda m: (m(4), m(4), number(0.1), m(4), number(0.9), m(4)))
    add("ApplyRMSProp", (), lambda m: (m(*two), m.positive(*two), m(*two), 0.1, m(*two), 0.9, 0.5, 1e-3))
    add(
        "ApplyCenteredRMSProp",
        (),
        lambda m: (m(*two), m(*two) * 0.1, m.positive(*two) + 1, m(*two), m(*two), 0.1, 0.9, 0.5, 1e-3),
    )
    for update in (True, False):
        if update:
            add("ApplyAdagrad", (), lambda m: (m(*two), m.positive(*two), number(0.1), m(*two)))
        add("ApplyAdagradV2", (1e-3, update), lambda m: (m(*two), m.positive(*two), number(0.1), m(*two)))
    add(
        "ApplyAdadelta",
        (),
        lambda m: (m(*two), m.positive(*two), m.positive(*two), number(0.1), number(0.9), number(1e-3), m(*two)),
    )
    for name in ("ApplyAddSign", "ApplyPowerSign"):
        add(name, (), lambda m: (m(*two), m(*two), number(0.1), number(0.9), number(0.5), number(0.9), m(*two)))
    add("ApplyGradientDescent", (), lambda m: (m(*two), number(0.1), m(*two)))
    add("ApplyProximalGradientDescent", (), lambda m: (m(*two), number(0.1), number(0.3), number(0.2), m(*two)))
    add(
        "ApplyProximalAdagrad",
        (),
        lambda m: (m(*two), m.positive(*two), number(0.1), number(0.3), number(0.2), m(*two)),
    )
    for nesterov in (False, True):
        numbers = tuple(number(n) for n in (0.9, 0.999, 0.1, 0.9, 0.999, 1e-3))
        add("Adam", (False, nesterov), lambda m, n=numbers: (m(*two), m(*two), m.positive(*two), *n, m(*two)))
        add("AdamNoUpdateParam", (False, nesterov), lambda m, n=numbers: (m(*two), m.positive(*two), *n, m(*two)))
    add(
        "AdamWeightDecay",
        (),
        lambda m: (m(*two), m(*two), m.positive(*two), 0.1, 0.9, 0.999, 1e-3, 0.01, m(*two)),
    )
    add(
        "ApplyAdamWithAmsgrad",
        (0.9, 0.999, 1e-3),
        lambda m: (
            m(*two),
            m(*two),
            m.positive(*two),
            m.positive(*two),
            number(0.9),
            number(0.999),
            number(0.1),
            m(*two),
        ),
    )
    add(
        "ApplyAdamWithAmsgradV2",
        (),
        lambda m: (
            m(*two),
            m(*two),
            m.positive(*two),
            m.positive(*two),
            number(0.9),
            number(0.999),
            number(0.1),
            number(0.9),
            number(0.999),
            number(1e-3),
            m(*two),
        ),
    )
    add(
        "ApplyAdaMax",
        (),
        lambda m: (
            m(*two),
            m(*two),
            m.positive(*two),
            number(0.9),
            number(0.1),
            number(0.9),
            number(0.999),
            number(1e-3),
            m(*two),
        ),
    )
    for rows in ([0, 2], [2, 0, 2]):
        at, n = np.array(rows, np.int32), len(rows)
        add(
            "SparseApplyRMSProp",
            (0.9, 0.5, 1e-3),
            lambda m: (m(3, 2), m.positive(3, 2), m(3, 2), 0.1, m(3, 2), np.array([0, 2, 1], np.int32)),
        )
        for name in ("SparseApplyFtrl", "FusedSparseFtrl"):
            add(name, (0.1, 0.2, 0.05, -0.5), lambda m, n=n, at=at: (m(3, 2), m.positive(3, 2), m(3, 2), m(n, 2), at))
        for name in ("SparseApplyProximalAdagrad", "FusedSparseProximalAdagrad"):
            add(
                name,
                (),
                lambda m, n=n, at=at: (m(3, 2), m.positive(3, 2), number(0.1), number(0.3), number(0.2), m(n, 2), at),
            )
        numbers = tuple(number(n) for n in (0.9, 0.999, 0.1, 0.9, 0.999, 1e-3))
        for name in ("FusedSparseAdam", "FusedSparseLazyAdam"):
            for nesterov in (False, True)[: 1 if name == "FusedSparseAdam" else 2]:
                add(
                    name,
                    (False, nesterov),
                    lambda m, n=n, at=at, numbers=numbers: (m(3, 2), m(3, 2), m.positive(3, 2), *numbers, m(n, 2), at),
                )
    return calls


# of these the operands are compared: what 2.6 returns beside them is memory that it never wrote, for some
CHANGING = frozenset(call[0] for call in _optimizers()) - {"AdamNoUpdateParam"}
CALLS: list[Call] = _optimizers()
