"""Every loss against MindSpore 2.6: value and gradient."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import ms_nn
from ms_kernels import Tensor, grad

ROWS = json.loads((Path(__file__).parent / "vectors" / "losses.json").read_text())["rows"]
RECORDED = [row for row in ROWS if "output" in row]
NAMES = {"nn": ms_nn, "mint": SimpleNamespace(nn=ms_nn.mint.nn), "np": np, "Tensor": Tensor}


def draw(spec: str, rng: np.random.RandomState) -> Tensor:
    kind, shape = spec.split("(", 1)
    size = eval("(" + shape)
    if kind == "one":
        return Tensor(np.float32(1.0))
    if kind == "n":
        return Tensor(rng.standard_normal(size).astype(np.float32))
    if kind == "u":
        return Tensor((0.05 + 0.9 * rng.random_sample(size)).astype(np.float32))
    if kind == "b":
        return Tensor(rng.randint(0, 2, size).astype(np.float32))
    if kind == "s":
        return Tensor((rng.randint(0, 2, size) * 2 - 1).astype(np.float32))
    return Tensor(rng.randint(0, int(kind[1:]), size).astype(np.int32 if kind[0] == "i" else np.int64))


def prepare(row: dict[str, Any]) -> tuple[ms_nn.Cell, list[Tensor]]:
    rng = np.random.RandomState(5)
    inputs = [draw(spec, rng) for spec in row["inputs"]]
    return eval(row["expr"], dict(NAMES)), inputs


def ident(row: dict[str, Any]) -> str:
    return f"{row['expr']} {row['inputs'][0]}"


@pytest.mark.parametrize("row", RECORDED, ids=ident)
def test_value(row: dict[str, Any]) -> None:
    loss, inputs = prepare(row)
    found = loss(*inputs)
    assert list(found.shape) == row["output"]["shape"]
    assert str(found.dtype) == row["output"]["dtype"]
    np.testing.assert_allclose(found.asnumpy().ravel(), row["output"]["data"], rtol=1e-5, atol=2e-6)


@pytest.mark.parametrize("row", RECORDED, ids=ident)
def test_gradient(row: dict[str, Any]) -> None:
    loss, inputs = prepare(row)
    found = grad(loss)(*inputs)
    np.testing.assert_allclose(found.asnumpy().ravel(), row["grad"]["data"], rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("row", [row for row in ROWS if "repr" in row], ids=ident)
def test_printing(row: dict[str, Any]) -> None:
    assert repr(prepare(row)[0]) == row["repr"]
