"""Optimizer updates against recorded steps of MindSpore 2.6 and against plain NumPy formulas in float64."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from ms_kernels.core import runtime
from ms_kernels.loops import optim

Array = np.ndarray[Any, np.dtype[Any]]
GOLDEN = json.loads((Path(__file__).parent / "vectors" / "optim.json").read_text(encoding="utf-8"))
BF16 = np.dtype(ml_dtypes.bfloat16)


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    before = runtime.get_threads()
    yield
    runtime.set_threads(before)


class Replay:
    """One optimizer of 2.6, its defaults and its states, on the native updates."""

    def __init__(self, name: str, options: dict[str, Any]) -> None:
        self.name, self.o, self.t = name, options, 0
        zeros = np.zeros(len(GOLDEN["start"]), "f4")
        self.p, self.a, self.b, self.c = np.array(GOLDEN["start"], "f4"), zeros.copy(), zeros.copy(), zeros.copy()
        self.powers = np.ones(2, "f4")
        if name == "Adagrad":
            self.a += np.float32(0.1)
        if name == "RMSProp":
            self.a += 1

    def step(self, g: Array) -> None:
        o, self.t = self.o, self.t + 1
        common: dict[str, Any] = {"lr": o["learning_rate"], "weight_decay": o.get("weight_decay", 0.0)}
        getattr(self, self.name)(g, common)

    def Adam(self, g: Array, common: dict[str, Any]) -> None:
        o = self.o
        beta1, beta2 = o.get("beta1", 0.9), o.get("beta2", 0.999)
        self.powers *= np.array([beta1, beta2], "f4")  # 2.6 keeps them as float32 parameters
        optim.adam(
            [self.p],
            [g],
            [self.a],
            [self.b],
            beta1=beta1,
            beta2=beta2,
            eps=o.get("eps", 1e-8),
            beta1_power=float(self.powers[0]),
            beta2_power=float(self.powers[1]),
            nesterov=o.get("use_nesterov", False),
            vhat=[self.c] if o.get("use_amsgrad") else None,
            grad_scale=1 / o.get("loss_scale", 1.0),
            **common,
        )

    def AdamWeightDecay(self, g: Array, common: dict[str, Any]) -> None:
        optim.adamw([self.p], [g], [self.a], [self.b], eps=1e-6, **common)

    def Momentum(self, g: Array, common: dict[str, Any]) -> None:
        optim.sgd([self.p], [g], [self.a], momentum=self.o["momentum"], **common)

    def SGD(self, g: Array, common: dict[str, Any]) -> None:
        dampening = self.o.get("dampening", 0.0) if self.t > 1 else 0.0
        optim.sgd(
            [self.p],
            [g],
            [self.a],
            momentum=self.o.get("momentum", 0.0),
            dampening=dampening,
            nesterov=self.o.get("nesterov", False),
            **common,
        )

    def Adagrad(self, g: Array, common: dict[str, Any]) -> None:
        optim.adagrad([self.p], [g], [self.a], **common)

    def RMSProp(self, g: Array, common: dict[str, Any]) -> None:
        o = self.o
        mean = [self.c] if o.get("centered") else None
        options = {"decay": o.get("decay", 0.9), "momentum": o.get("momentum", 0.0), "eps": o.get("epsilon", 1e-10)}
        optim.rmsprop([self.p], [g], [self.a], [self.b], mean, **options, **common)


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda c: f"{c['name']}-{'-'.join(c['options'])}")
def test_steps_of_the_real_optimizers(case: dict[str, Any]) -> None:
    replay = Replay(case["name"], case["options"])
    for g, want in zip(GOLDEN["grads"], case["steps"], strict=True):
        replay.step(np.array(g, "f4"))
        np.testing.assert_allclose(replay.p, want, rtol=3e-7, atol=3e-7)


Update = Callable[..., None]
RULES: dict[str, tuple[Update, int, dict[str, Any]]] = {
    "adam": (optim.adam, 2, {"beta1_power": 0.9, "beta2_power": 0.999, "weight_decay": 0.1}),
    "adam nesterov": (optim.adam, 2, {"nesterov": True, "grad_scale": 0.5}),
    "adam amsgrad": (optim.adam, 3, {"beta1_power": 0.81, "beta2_power": 0.998}),
    "adam nesterov amsgrad": (optim.adam, 3, {"nesterov": True}),
    "adamw": (optim.adamw, 2, {"beta1_power": 0.9, "beta2_power": 0.999}),
    "adamw maximize amsgrad": (optim.adamw, 3, {"maximize": True}),
    "sgd": (optim.sgd, 0, {"weight_decay": 0.1}),
    "momentum": (optim.sgd, 1, {"momentum": 0.9, "dampening": 0.5}),
    "momentum nesterov": (optim.sgd, 1, {"momentum": 0.9, "nesterov": True}),
    "adagrad": (optim.adagrad, 1, {"eps": 1e-3}),
    "adagrad frozen": (optim.adagrad, 1, {"eps": 1e-3, "update_slots": False}),
    "rmsprop": (optim.rmsprop, 2, {"momentum": 0.5, "eps": 1e-3}),
    "rmsprop centered": (optim.rmsprop, 3, {"eps": 1e-1, "decay": 0.5}),
}


def state(n: int, count: int, seed: int = 0) -> list[Array]:
    """Parameters, gradients, and states that can occur (a mean below the root of the mean square); float64."""
    rng = np.random.default_rng(seed)
    return [rng.normal(size=n), rng.normal(size=n), *(s * rng.uniform(0.5, 0.9, n) for s in (1, 1, 0.5)[:count])]


def apply(update: Update, arrays: list[list[Array]], options: dict[str, Any]) -> None:
    if update in (optim.adam, optim.adamw) and len(arrays) == 5:
        update(*arrays[:4], vhat=arrays[4], lr=0.05, **options)
    else:
        update(*arrays, lr=0.05, **options)


@pytest.mark.parametrize("rule", RULES)
def test_native_float32_agrees_with_numpy_in_float64(rule: str) -> None:
    update, count, options = RULES[rule]
    wide = [[a] for a in state(1000, count)]
    single = [[a[0].astype("f4")] for a in wide]
    wide = [[a[0].astype("f8")] for a in single]
    for _ in range(3):
        apply(update, single, options)
        apply(update, wide, options)
    for k, (a, b) in enumerate(zip(single, wide, strict=True)):
        np.testing.assert_allclose(a[0], b[0], rtol=1e-5, atol=2e-6, err_msg=str(k))
    np.testing.assert_array_equal(single[1][0], state(1000, count)[1].astype("f4"))


@pytest.mark.parametrize("dtype", [np.dtype("f2"), BF16], ids=str)
@pytest.mark.parametrize("rule", ["adam", "momentum", "rmsprop centered"])
def test_sixteen_bit_parameters_are_updated_in_float32(rule: str, dtype: Any) -> None:
    update, count, options = RULES[rule]
    narrow = [[a.astype(dtype)] for a in state(500, count)]
    single = [[a[0].astype("f4")] for a in narrow]
    apply(update, narrow, options)
    apply(update, single, options)
    eps = 2.0**-7 if dtype == BF16 else 2.0**-10
    for a, b in zip(narrow, single, strict=True):
        np.testing.assert_allclose(a[0].astype("f4"), b[0], rtol=0.51 * eps, atol=1e-7)


@pytest.mark.parametrize("rule", ["adam", "sgd", "momentum nesterov"])
def test_layouts_sizes_and_dtypes_mix_in_one_call(rule: str) -> None:
    update, count, options = RULES[rule]
    shapes = [(3, 4), (), (0, 5), (7,), (200, 300), (1, 1)]
    rng = np.random.default_rng(1)
    plain = [[np.asarray(rng.uniform(0.5, 2, s)).astype("f4") for s in shapes] for _ in range(2 + count)]
    mixed = [[a.copy() for a in group] for group in plain]
    mixed[0][0] = np.asfortranarray(mixed[0][0])  # a strided parameter
    mixed[1][4] = np.asfortranarray(mixed[1][4])  # a strided gradient
    mixed[1][3] = mixed[1][3].astype("f8")
    apply(update, plain, options)
    apply(update, mixed, options)
    for a, b in zip(plain, mixed, strict=True):
        for x, y in zip(a, b, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-6)


@pytest.mark.parametrize("rule", RULES)
def test_thread_count_does_not_matter(rule: str) -> None:
    update, count, options = RULES[rule]
    sizes = [5, 100_003, 1, 300_000, 64]
    results = []
    for threads in (1, 2, 3):
        runtime.set_threads(threads)
        groups = [[a.astype("f4") for a in arrays] for arrays in zip(*[state(n, count, n) for n in sizes], strict=True)]
        apply(update, groups, options)
        results.append(groups)
    for other in results[1:]:
        for a, b in zip(results[0], other, strict=True):
            for x, y in zip(a, b, strict=True):
                np.testing.assert_array_equal(x, y)


def test_lists_that_do_not_fit_together() -> None:
    p, g = [np.ones(3, "f4")], [np.ones(3, "f4")]
    with pytest.raises(ValueError, match="list 2 has 0 arrays, but there are 1 parameters"):
        optim.sgd(p, g, [], lr=0.1)
    with pytest.raises(ValueError, match=r"an array of shape \(4,\) goes with a parameter of shape \(3,\)"):
        optim.sgd(p, [np.ones(4, "f4")], lr=0.1)
    np.testing.assert_array_equal(p[0], np.ones(3))
    optim.sgd([], [], lr=0.1)
