"""Networks written by ours and run by MindSpore, and the other way round."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ms_nn as nn
from ms_jit.mindir.convert import write_program
from ms_jit.mindir.evaluate import GraphProgram
from ms_jit.mindir.export import program_of
from ms_kernels import Tensor

MAKE = Path(__file__).parent.parent / "packages" / "ms-jit" / "tests" / "vectors" / "make_mindir.py"


def T(*shape: int, dtype: Any = np.float32) -> Any:
    return Tensor((np.arange(int(np.prod(shape))) % 5).reshape(shape).astype(dtype))


def networks() -> dict[str, tuple[Any, Any]]:
    image = T(1, 2, 7, 7)
    return {
        "norm": (nn.LayerNorm((3,)), T(2, 3)),
        "gelu": (nn.GELU(), T(2, 3)),
        "silu": (nn.SiLU(), T(2, 3)),
        "prelu": (nn.PReLU(), T(2, 3)),
        "embedding": (nn.Embedding(5, 3), T(2, 2, dtype=np.int32)),
        "groups": (nn.GroupNorm(1, 2), image),
        "batch norm": (nn.BatchNorm2d(2), image),
        "average": (nn.AvgPool2d(2, 2), image),
        "average, same": (nn.AvgPool2d(3, 1, pad_mode="same"), image),
        "greatest, same": (nn.MaxPool2d(3, 2, pad_mode="same"), image),
        "conv": (nn.Conv2d(2, 4, 3, stride=2, has_bias=True), image),
        "conv, groups": (nn.Conv2d(2, 4, 3, group=2, pad_mode="pad", padding=1), image),
        "conv, wide": (nn.Conv2d(2, 4, 3, dilation=2, pad_mode="valid"), image),
        "transposed": (nn.Conv2dTranspose(2, 3, 3, stride=2), image),
        "line": (nn.Conv1d(1, 2, 3), T(1, 1, 4)),
        "lenet": (
            nn.SequentialCell(
                nn.Conv2d(2, 4, 3, pad_mode="valid"),
                nn.BatchNorm2d(4),
                nn.ReLU(),
                nn.MaxPool2d(2, 2),
                nn.Flatten(),
                nn.Dense(16, 3),
                nn.LogSoftmax(),
            ),
            image,
        ),
    }


@pytest.mark.parametrize("name", networks())
def test_here(name: str) -> None:
    net, x = networks()[name]
    got, want = GraphProgram(program_of(net, (x,)))(x), net(x)
    np.testing.assert_allclose(got.asnumpy(), want.asnumpy(), rtol=1e-6, atol=1e-6)


@pytest.mark.oracle
def test_in_mindspore(tmp_path: Path) -> None:
    if "MS26_PYTHON" not in os.environ:
        pytest.skip("MS26_PYTHON is not set")
    nets, records = networks(), {}
    for name, (net, x) in nets.items():
        array = x.asnumpy()
        data = base64.b64encode(write_program(program_of(net, (x,))).SerializeToString()).decode()
        inputs = [{"dtype": array.dtype.name, "shape": list(array.shape), "data": array.ravel().tolist()}]
        records[name.replace(", ", "_").replace(" ", "_")] = {"file": data, "inputs": inputs}
    file = tmp_path / "ours.json"
    file.write_text(json.dumps(records), encoding="utf-8")
    command = [os.environ["MS26_PYTHON"], str(MAKE), "run", str(file)]
    subprocess.run(command, check=True, capture_output=True, timeout=300, cwd=tmp_path)
    for (net, x), got in zip(nets.values(), json.loads(file.read_text(encoding="utf-8")).values(), strict=True):
        result, want = got["result"], net(x).asnumpy()
        assert result["shape"] == list(want.shape)
        np.testing.assert_allclose(np.array(result["data"]).reshape(want.shape), want, rtol=2e-5, atol=2e-5)
