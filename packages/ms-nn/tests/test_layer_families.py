"""Special functions, matrices, images, tables, micro batches and their losses against MindSpore 2.6."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import ms_dtype
import ms_nn
from ms_kernels import Parameter, Tensor
from ms_kernels import functional as F
from ms_kernels.tensor.sparse import COOTensor

ROWS = json.loads((Path(__file__).parent / "vectors" / "layer_families.json").read_text())["rows"]
ERRORS = {kind.__name__: kind for kind in (KeyError, RuntimeError, TypeError, ValueError)}
MS = SimpleNamespace(int64=ms_dtype.int64, Parameter=Parameter)


def tools() -> dict[str, Any]:
    """As ``make_layer_families.py`` has them, with our Tensor."""
    rng = np.random.RandomState(5)

    def t(values: Any, dtype: str | None = None) -> Tensor:
        array = np.array(values)
        return Tensor(array.astype(dtype or ("float32" if array.dtype.kind == "f" else array.dtype)))

    return {
        "t": t,
        "n": lambda *shape: t(rng.standard_normal(shape)),
        "u": lambda *shape: t(rng.uniform(size=shape)),
        "i": lambda high, *shape: t(rng.randint(0, high, shape)),
        "j": lambda high, *shape: t(rng.randint(0, high, shape), "int32"),
        "A": lambda *shape: np.arange(int(np.prod(shape))).reshape(shape) / 8,
        "coo": lambda places, values, shape: COOTensor(t(places), t(values), shape),
        "lsm": lambda x: F.log_softmax(x, -1),
    }


def build(row: dict[str, Any], names: dict[str, Any]) -> ms_nn.Cell:
    net = eval(row["expr"], {"nn": ms_nn, "ms": MS, **names})
    assert isinstance(net, ms_nn.Cell)
    return net


def ident(row: dict[str, Any]) -> str:
    return f"{row['expr']} {row['inputs']}"


@pytest.mark.parametrize("row", [row for row in ROWS if "parameters" in row], ids=ident)
def test_printing_and_parameters(row: dict[str, Any]) -> None:
    net = build(row, tools())
    assert repr(net) == row.get("repr", repr(net))
    assert [[name, p.name, p.requires_grad] for name, p in net.parameters_and_names()] == row["parameters"]


@pytest.mark.parametrize("row", [row for row in ROWS if "outputs" in row], ids=ident)
def test_values(row: dict[str, Any]) -> None:
    names = tools()
    net = build(row, names)
    out = net(*eval(f"({row['inputs']},)" if row["inputs"] else "()", names))
    found = out if isinstance(out, tuple) else (out,)
    for tensor, expected in zip(found, row["outputs"], strict=True):
        assert list(tensor.shape) == expected["shape"]
        assert str(tensor.dtype) == expected["dtype"]
        wanted = np.array(expected["data"]).reshape(expected["shape"])
        np.testing.assert_allclose(tensor.asnumpy(), wanted, rtol=2e-5, atol=3e-6)


@pytest.mark.parametrize("row", [row for row in ROWS if "error" in row], ids=ident)
def test_bad_arguments(row: dict[str, Any]) -> None:
    with pytest.raises(ERRORS.get(row["error"], TypeError), match="For '"):
        build(row, tools())


@pytest.mark.parametrize("row", [row for row in ROWS if "forward_error" in row], ids=ident)
def test_bad_inputs(row: dict[str, Any]) -> None:
    names = tools()
    net = build(row, names)
    given = eval(f"({row['inputs']},)", names)
    with pytest.raises(ERRORS[row["forward_error"]]):
        net(*given)
