"""The initializers' samplers against recordings of MindSpore 2.6, and on other paths against the plain C kernels."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ms_kernels.random import initial, philox

VECTORS = Path(__file__).with_name("vectors")
CASES = json.loads((VECTORS / "random.json").read_text(encoding="utf-8"))


def sample(case: dict[str, Any], count: int, first: int = 0) -> Any:
    out = np.zeros(count, np.float32)
    with np.errstate(over="ignore"):
        getattr(initial, case["sampler"])(out, case["seed"], *case["parameters"], first)
    return out


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['sampler']}-{c['seed']}-{c['parameters']}-{c['count']}")
def test_bits_are_those_of_mindspore(case: dict[str, Any]) -> None:
    out = sample(case, case["count"])
    assert [f"{bits:08x}" for bits in out[:4].view(np.uint32)] == case["head"]
    assert hashlib.sha256(out.tobytes()).hexdigest() == case["sha256"]


@pytest.mark.parametrize(
    "case", [c for c in CASES if c["count"] == 1000], ids=lambda c: f"{c['sampler']}-{c['parameters']}"
)
def test_the_plain_kernels_give_the_same(case: dict[str, Any]) -> None:
    want = sample(case, 50000)
    philox.use_baseline(True)
    try:
        assert sample(case, 50000).tobytes() == want.tobytes()
    finally:
        philox.use_baseline(False)
    assert sample(case, 777, 12345).tobytes() == want[12345:13122].tobytes()


def test_seed_zero_asks_the_system() -> None:
    a, b = np.zeros(8, np.float32), np.zeros(8, np.float32)
    initial.normal(a, 0, 0.0, 1.0)
    initial.normal(b, 0, 0.0, 1.0)
    assert (a != b).any()


@pytest.mark.parametrize(
    "parameters, expected",
    [((0.0, float("nan")), "nan"), ((float("inf"), 1.0), "inf"), ((0.0, 1e39), "inf")],
)
def test_not_finite_parameters(parameters: tuple[float, float], expected: str) -> None:
    out = np.zeros(5, np.float32)
    initial.normal(out, 77, *parameters)
    assert np.isnan(out).all() if expected == "nan" else np.isinf(out).all()


def test_a_negative_sigma_is_refused() -> None:
    out = np.zeros(3, np.float32)
    with pytest.raises(ValueError, match="For 'normal', the 'sigma' must be 0 or more, but got -1"):
        initial.normal(out, 1, 0.0, -1)
    with pytest.raises(ValueError, match="For 'truncated_normal', the 'sigma' must be above 0, but got -1"):
        initial.truncated_normal(out, 1, -1, 1, 0.0, -1)
    with pytest.raises(RuntimeError, match="For 'truncated_normal', the 'sigma' must be above 0, but got 1e-300"):
        initial.truncated_normal(out, 1, -1, 1, 0.0, 1e-300)


COMPARE = """
import sys
import numpy as np
from mindspore.common import initializer as module
sampler, seed, count, *parameters = sys.argv[2:]
out = np.zeros(int(count), np.float32)
getattr(module, sampler)(int(seed), out, *map(float, parameters))
out.tofile(sys.argv[1])
"""


@pytest.mark.oracle
@pytest.mark.skipif("MS26_PYTHON" not in os.environ, reason="MS26_PYTHON is not set")
@pytest.mark.parametrize("seed", [3, 2**40 + 1, 2**62 + 99, 4801])
@pytest.mark.parametrize(
    "sampler, parameters, count",
    [
        ("normal", [0.0, 0.01], 10**8),
        ("normal", [0.3, 1.7], 10**8),
        ("uniform", [-0.07, 0.07], 10**8),
        ("truncated_normal", [-2.0, 2.0, 0.0, 0.01], 10**7),
        ("truncated_normal", [-1.0, 3.0, 0.5, 1.0], 10**7),
    ],
)
def test_many_draws(sampler: str, parameters: list[float], count: int, seed: int, tmp_path: Path) -> None:
    file = tmp_path / "draws"
    native = "_truncated_normal" if sampler == "truncated_normal" else f"_random_{sampler}"
    command = [os.environ["MS26_PYTHON"], "-c", COMPARE, file, native, seed, count, *parameters]
    subprocess.run([str(part) for part in command], check=True, capture_output=True)
    want = np.memmap(file, np.uint32, "r")
    got = sample({"sampler": sampler, "seed": seed, "parameters": parameters}, count)
    assert np.flatnonzero(got.view(np.uint32) != want).tolist() == []


@pytest.mark.oracle
@pytest.mark.skipif("MS26_PYTHON" not in os.environ, reason="MS26_PYTHON is not set")
def test_recording_is_what_mindspore_says(tmp_path: Path) -> None:
    made = tmp_path / "made.json"
    command = [os.environ["MS26_PYTHON"], str(VECTORS / "make_random.py"), str(made)]
    subprocess.run(command, check=True, capture_output=True)
    assert json.loads(made.read_text()) == CASES
