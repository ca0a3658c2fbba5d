"""Every layer against MindSpore 2.6: how it prints, its parameters and first weights, and what it computes."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import ms_dtype
import ms_generator
import ms_initializer
import ms_nn
from ms_kernels import Parameter, Tensor

ROWS = json.loads((Path(__file__).parent / "vectors" / "layers.json").read_text())["rows"]
NAMES = {
    "nn": ms_nn,
    "mint": SimpleNamespace(nn=ms_nn.mint.nn),
    "ms": SimpleNamespace(float16=ms_dtype.float16),
    "nn_init": lambda name: getattr(ms_initializer, name)(),
}


def build(row: dict[str, Any]) -> ms_nn.Cell:
    ms_generator.set_seed(7)
    net = eval(row["expr"], dict(NAMES))
    assert isinstance(net, ms_nn.Cell)
    return net


def draw(spec: Any, rng: np.random.RandomState) -> Tensor:
    if isinstance(spec, str):
        high, shape = spec[1:].split(":")
        return Tensor(rng.randint(0, int(high), eval(shape)).astype(np.int32))
    return Tensor(rng.standard_normal(spec).astype(np.float32))


def printed(text: str) -> str:
    """What is printed of an initializer object is its address, and its module."""
    return re.sub(r"<[\w.]*\.(\w+) object at 0x[0-9a-f]+>", r"<\1>", text)


def ident(row: dict[str, Any]) -> str:
    return row["expr"] + (" train" if row["train"] else "")


@pytest.mark.parametrize("row", ROWS, ids=ident)
def test_printing(row: dict[str, Any]) -> None:
    assert printed(repr(build(row))) == printed(row["repr"])


@pytest.mark.parametrize("row", [row for row in ROWS if row["parameters"]], ids=ident)
def test_parameters_and_first_weights(row: dict[str, Any]) -> None:
    net = build(row)
    assert [name for name, _ in net.parameters_and_names()] == row["names"]
    for param, expected in zip(net.get_parameters(), row["parameters"], strict=True):
        assert isinstance(param, Parameter)
        assert param.name == expected["name"]
        assert list(param.shape) == expected["shape"]
        assert str(param.dtype) == expected["dtype"]
        assert param.requires_grad is expected["requires_grad"]
        array = np.ascontiguousarray(param.asnumpy())
        assert hashlib.sha256(array.tobytes()).hexdigest()[:16] == expected["sha256"], (
            array.ravel()[:3],
            expected["head"],
        )


@pytest.mark.parametrize("row", [row for row in ROWS if "outputs" in row], ids=ident)
def test_result(row: dict[str, Any]) -> None:
    net = build(row).set_train(row["train"])
    rng = np.random.RandomState(3)
    found = net(*[draw(spec, rng) for spec in row["inputs"]])
    for out, expected in zip(found if isinstance(found, tuple) else (found,), row["outputs"], strict=True):
        assert list(out.shape) == expected["shape"]
        assert str(out.dtype) == expected["dtype"]
        np.testing.assert_allclose(out.asnumpy().ravel(), expected["data"], rtol=2e-5, atol=2e-6)
    for param, (name, expected) in zip(
        [p for p in net.get_parameters() if not p.requires_grad], row.get("after", []), strict=False
    ):
        assert param.name == name
        np.testing.assert_allclose(param.asnumpy().ravel(), expected["data"], rtol=2e-5, atol=2e-6)
