"""The packed LSTM against MindSpore 2.6: values and gradients; errors of the ops of recurrent layers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ms_kernels import Tensor, grad
from ms_kernels import functional as ops

ROWS = json.loads((Path(__file__).parent / "vectors" / "lstm.json").read_text())["rows"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row["arguments"]))
def test_values_and_gradients(row: dict[str, Any]) -> None:
    rng = np.random.RandomState(5)
    given = [rng.standard_normal(shape).astype(np.float32) for shape in row["shapes"]]
    given[3] *= np.float32(0.5)
    operands = [Tensor(array) for array in given]
    lstm = ops.LSTM(*row["arguments"])
    found = lstm(*operands)[:3]
    weights = [Tensor(rng.standard_normal(out.shape).astype(np.float32)) for out in found]

    def total(*inputs: Any) -> Any:
        parts = [(out * weight).sum() for out, weight in zip(lstm(*inputs)[:3], weights, strict=True)]
        return parts[0] + parts[1] + parts[2]

    grads = grad(total, (0, 1, 2, 3))(*operands)
    for got, expected in zip([*found, *grads], row["outputs"] + row["gradients"], strict=True):
        assert list(got.shape) == expected["shape"]
        np.testing.assert_allclose(got.asnumpy().ravel(), expected["data"], rtol=2e-5, atol=2e-6)


def operands(size: int = 3, states: tuple[int, ...] = (1, 2, 2), weight: int = 48) -> tuple[Tensor, ...]:
    shapes = (4, 2, size), states, states, (weight, 1, 1)
    return tuple(Tensor(np.ones(shape, np.float32)) for shape in shapes)


@pytest.mark.parametrize(
    ("arguments", "given", "error", "text"),
    [
        ([0, 2, 1, True, False, 0.0], operands(), ValueError, "'input_size' must be > 0, but got 0"),
        ([3, 2.0, 1, True, False, 0.0], operands(), TypeError, r"'hidden_size' must be int, but got 2.0 \(float\)"),
        ([3, 2, 1, True, False, 0.0, 1], operands(), ValueError, "'proj_size' must be 0, but got 1"),
        ([3, 2, 1, True, False, 0.0], operands(5), ValueError, r"shape of 'input' must be \[T, B, 3\]"),
        ([3, 2, 1, True, False, 0.0], operands(3, (1, 3, 2)), ValueError, r"shape of 'h' must be \[1, 2, 2\]"),
        ([3, 2, 1, True, False, 0.0], operands(3, (1, 2, 2), 47), ValueError, "size of 'w' must be at least 48"),
    ],
)
def test_errors(arguments: list[Any], given: tuple[Tensor, ...], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=f"^For 'LSTM', the {text}"):
        ops.LSTM(*arguments)(*given)


def scan_operands() -> dict[str, Any]:
    shapes = {"x": (4, 2, 8), "hx": (2, 2), "cx": (2, 2), "weight": (8, 2), "bias": (8,)}
    return {name: Tensor(np.ones(shape, np.float32)) for name, shape in shapes.items()}


@pytest.mark.parametrize(
    ("cell", "changed", "error", "text"),
    [
        ("rnn", {}, ValueError, "'cell' must be one of"),
        ("gru", {}, ValueError, r"shape of 'x' must be \[4, 2, 6\], but got \[4, 2, 8\]"),
        ("lstm", {"x": (2, 8)}, ValueError, "'x' and 'hx' must have three and two dimensions"),
        ("lstm", {"hx": (3, 2)}, ValueError, r"shape of 'hx' must be \[2, 2\]"),
        ("lstm", {"cx": None}, ValueError, r"shape of 'cx' must be \[2, 2\], but got None"),
        ("lstm", {"weight": (2, 8)}, ValueError, r"shape of 'weight' must be \[8, 2\]"),
        ("lstm", {"bias": (4,)}, ValueError, r"shape of 'bias' must be \[8\]"),
        ("tanh", {"x": (4, 2, 2), "weight": (2, 2), "bias": (2,)}, ValueError, "'cx' must be None for the cell 'tanh'"),
        ("lstm", {"lengths": Tensor([1, 2, 3])}, ValueError, r"shape of 'lengths' must be \[2\]"),
        ("lstm", {"lengths": Tensor([1.0, 2.0])}, TypeError, "dtype of 'lengths' must be Int32 or Int64"),
        ("lstm", {"hx": Tensor(np.ones((2, 2), np.float64))}, TypeError, "dtype of 'hx' must be that of 'x', Float32"),
        ("lstm", {"x": Tensor(np.ones((4, 2, 8), np.int32))}, TypeError, "dtype of 'x' must be a float type"),
    ],
)
def test_errors_of_the_scan(cell: str, changed: dict[str, Any], error: type[Exception], text: str) -> None:
    given = scan_operands()
    for name, value in changed.items():
        given[name] = Tensor(np.ones(value, np.float32)) if isinstance(value, tuple) else value
    with pytest.raises(error, match=f"^For 'RecurrentScan', the {text}"):
        ops.RecurrentScan(cell)(*given.values())


@pytest.mark.parametrize("cell", ["tanh", "relu", "lstm", "gru"])
def test_gradients_of_one_operand_alone(cell: str) -> None:
    gates = {"lstm": 8, "gru": 6}.get(cell, 2)
    rng = np.random.RandomState(1)
    x, h, w, b = (Tensor(rng.standard_normal(s).astype(np.float32)) for s in ((3, 4, gates), (4, 2), (gates, 2), gates))
    c = h * 0.5 if cell == "lstm" else None

    def total(x: Any, h: Any, w: Any, b: Any) -> Any:
        y, last, *_ = ops.RecurrentScan(cell)(x, h, c, w, b)
        return (y * y).sum() + last.sum()

    together = grad(total, (0, 1, 2, 3))(x, h, w, b)
    for place, wanted in enumerate(together):
        np.testing.assert_array_equal(grad(total, place)(x, h, w, b).asnumpy(), wanted.asnumpy())
