"""Learning rates: lists and schedules, with the numbers that 2.6 gives."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import ms_dtype
import ms_nn as nn
from ms_kernels import Tensor

LISTS: list[tuple[str, tuple[Any, ...], list[float]]] = [
    ("exponential_decay_lr", (0.1, 0.9, 6, 2, 1), [0.1, 0.1, 0.09, 0.09, 0.081, 0.081]),
    ("exponential_decay_lr", (0.1, 0.9, 6, 2, 1, True), [0.1, 0.1, 0.09, 0.09, 0.081, 0.081]),
    ("natural_exp_decay_lr", (0.1, 0.9, 6, 2, 2), [0.1] * 2 + [0.04065696597] * 2 + [0.01652988882] * 2),
    ("natural_exp_decay_lr", (0.1, 0.9, 6, 2, 2, True), [0.1] * 4 + [0.01652988882] * 2),
    ("inverse_decay_lr", (0.1, 0.5, 6, 1, 1), [0.1, 0.0666666667, 0.05, 0.04, 0.0333333333, 0.0285714286]),
    ("inverse_decay_lr", (0.1, 0.5, 6, 2, 1, True), [0.1, 0.1, 0.0666666667, 0.0666666667, 0.05, 0.05]),
    ("cosine_decay_lr", (0.01, 0.1, 6, 2, 2), [0.1, 0.1, 0.055, 0.055, 0.01, 0.01]),
    ("polynomial_decay_lr", (0.1, 0.01, 6, 2, 2, 0.5), [0.1, 0.1, 0.0736396103, 0.0736396103, 0.01, 0.01]),
    ("polynomial_decay_lr", (0.1, 0.01, 6, 2, 2, 0.5, True), [0.1, 0.1, 0.0736396103, 0.0736396103, 0.01, 0.01]),
    ("piecewise_constant_lr", ([2, 5, 10], [0.1, 0.05, 0.01]), [0.1] * 2 + [0.05] * 3 + [0.01] * 5),
    ("warmup_lr", (0.1, 6, 2, 2), [0.0, 0.0, 0.05, 0.05, 0.1, 0.1]),
]
SCHEDULES: list[tuple[str, tuple[Any, ...], list[float]]] = [  # at steps 0, 1, 3 and 6
    ("ExponentialDecayLR", (0.1, 0.9, 4), [0.1, 0.09740037, 0.09240211, 0.0853815]),
    ("ExponentialDecayLR", (0.1, 0.9, 4, True), [0.1, 0.1, 0.1, 0.09]),
    ("NaturalExpDecayLR", (0.1, 0.9, 4), [0.1, 0.040656969, 0.0067205536, 0.00045165836]),
    ("NaturalExpDecayLR", (0.1, 0.9, 4, True), [0.1, 0.1, 0.1, 0.0027323728]),
    ("InverseDecayLR", (0.1, 0.9, 4), [0.1, 0.081632651, 0.059701495, 0.042553193]),
    ("InverseDecayLR", (0.1, 0.9, 4, True), [0.1, 0.1, 0.1, 0.05263158]),
    ("CosineDecayLR", (0.01, 0.1, 4), [0.1, 0.086819805, 0.02318019, 0.01]),
    ("PolynomialDecayLR", (0.1, 0.01, 4, 0.5), [0.1, 0.087942287, 0.055, 0.01]),
    ("PolynomialDecayLR", (0.1, 0.01, 4, 0.5, True), [0.1, 0.087942287, 0.055, 0.055]),
    ("WarmUpLR", (0.1, 4), [0.0, 0.025, 0.075, 0.1]),
]
WRONG: list[tuple[str, tuple[Any, ...], type[Exception], str]] = [
    ("ExponentialDecayLR", (-0.1, 0.9, 4), ValueError, "'learning_rate' must be float and must > 0"),
    ("ExponentialDecayLR", (0.1, -0.9, 4), ValueError, "'decay_rate' must be float and must > 0"),
    ("ExponentialDecayLR", (1, 0.9, 4), TypeError, "'learning_rate' must be float, but got 'int'"),
    ("ExponentialDecayLR", (0.1, 0.9, 0), ValueError, "'decay_steps' must be int and must > 0"),
    ("ExponentialDecayLR", (0.1, 0.9, 4, 3), TypeError, "type of 'is_stair' must be 'bool', but got type 'int'"),
    ("CosineDecayLR", (0.1, 0.1, 4), ValueError, "'max_lr' must be greater than the 'min_lr'"),
    ("CosineDecayLR", (-0.1, 0.1, 4), ValueError, "'min_lr' must be float and must >= 0"),
    ("CosineDecayLR", (1, 0.1, 4), TypeError, "'min_lr' must be type of float"),
    ("PolynomialDecayLR", (0.1, -0.01, 4, 0.5), ValueError, "'end_learning_rate' must be float and must >= 0"),
    ("PolynomialDecayLR", (0.1, 0.01, 4, -1.0), ValueError, "'power' must be float and must > 0"),
    ("WarmUpLR", (0.1, 0), ValueError, "'warmup_steps' must be int and must > 0"),
    ("cosine_decay_lr", (0.1, 0.1, 6, 2, 2), ValueError, "'max_lr' must be greater than the 'min_lr'"),
    ("cosine_decay_lr", (0.1, 1, 6, 2, 2), TypeError, "'max_lr' must be float, but got 'int'"),
    ("exponential_decay_lr", (0.1, 0.9, 0, 2, 1), ValueError, "'total_step' must be int and must > 0"),
    ("exponential_decay_lr", (0.1, 0.9, 6, 2, -1), ValueError, "'decay_epoch' must be int and must > 0"),
    ("piecewise_constant_lr", ([2, 1], [0.1, 0.1]), ValueError, "must be greater than milestone"),
    ("piecewise_constant_lr", ([2], [0.1, 0.1]), ValueError, "the size of 'milestone' must be same"),
    ("piecewise_constant_lr", (3, [0.1, 0.1]), TypeError, "type of 'milestone' must be one of"),
    ("warmup_lr", (0, 6, 2, 2), TypeError, "'learning_rate' must be type of float"),
    ("polynomial_decay_lr", (0.1, 0.01, 6, 2, 2, -0.5), ValueError, "'power' must be float and must > 0"),
]


@pytest.mark.parametrize(("name", "args", "expected"), LISTS)
def test_lists(name: str, args: tuple[Any, ...], expected: list[float]) -> None:
    np.testing.assert_allclose(getattr(nn, name)(*args), expected, rtol=1e-8)


@pytest.mark.parametrize(("name", "args", "expected"), SCHEDULES)
def test_schedules(name: str, args: tuple[Any, ...], expected: list[float]) -> None:
    schedule = getattr(nn, name)(*args)
    found = [schedule(Tensor(step, ms_dtype.int32)) for step in (0, 1, 3, 6)]
    assert all(rate.dtype == ms_dtype.float32 for rate in found)
    np.testing.assert_allclose([float(rate) for rate in found], expected, rtol=2e-6)
    assert repr(schedule) == f"{name}()"


@pytest.mark.parametrize(("name", "args", "kind", "text"), WRONG)
def test_wrong_arguments(name: str, args: tuple[Any, ...], kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        getattr(nn, name)(*args)


def test_own_schedule() -> None:
    from ms_kernels import Parameter

    class Growing(nn.LearningRateSchedule):
        def construct(self, global_step: Any) -> Any:
            return global_step.astype(ms_dtype.float32) * 0.5

    w = Parameter(Tensor([1.0]), name="w")
    optimizer = nn.SGD([w], Growing())
    for expected in (1.0, 0.5, -0.5):
        optimizer((Tensor([1.0]),))
        assert float(w) == expected


def test_signatures_are_complete() -> None:
    for name, _, _ in LISTS:
        assert all(
            p.annotation is not inspect.Parameter.empty
            for p in inspect.signature(getattr(nn, name)).parameters.values()
        )
