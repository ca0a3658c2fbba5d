"""Every class against recordings of MindSpore 2.6, bit for bit, and NumPy's state afterwards."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ms_dtype as mstype
import ms_initializer
from ms_generator import set_seed
from ms_initializer import initializer
from ms_kernels.core import runtime

VECTORS = Path(__file__).with_name("vectors")
CASES = json.loads((VECTORS / "initializers.json").read_text(encoding="utf-8"))


def fill(case: dict[str, Any]) -> tuple[Any, int]:
    set_seed(case["seed"])
    name, *arguments = case["init"]
    made = getattr(ms_initializer, name)(*arguments)
    array = initializer(made, case["shape"], getattr(mstype, case["dtype"])).init_data().asnumpy()
    return array, int(np.random.randint(1 << 31))


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['init']}-{c['shape']}-{c['dtype']}-{c['seed']}")
def test_numbers_are_those_of_mindspore(case: dict[str, Any]) -> None:
    array, following = fill(case)
    assert array.shape == tuple(case["shape"])
    assert mstype.from_numpy(array.dtype).name == case["dtype"]
    assert following == case["next"]
    shown = array.astype(np.float32) if case["dtype"] == "bfloat16" else array
    if case["init"][0] == "Orthogonal":  # another LAPACK may round otherwise
        assert np.allclose(shown.ravel()[:4], case["head"], atol=1e-5 if case["dtype"] != "int32" else 1)
    else:
        assert hashlib.sha256(np.ascontiguousarray(shown).tobytes()).hexdigest() == case["sha256"]


@pytest.mark.parametrize("name", ["Normal", "Uniform", "TruncatedNormal", "HeUniform"])
def test_threads_change_nothing(name: str) -> None:
    before = runtime.get_threads()
    made = []
    try:
        for threads in (1, 2):
            runtime.set_threads(threads)
            set_seed(6)
            made.append(initializer(getattr(ms_initializer, name)(), [512, 1031]).init_data().asnumpy().tobytes())
    finally:
        runtime.set_threads(before)
    assert made[0] == made[1]


@pytest.mark.oracle
@pytest.mark.skipif("MS26_PYTHON" not in os.environ, reason="MS26_PYTHON is not set")
def test_recording_is_what_mindspore_says(tmp_path: Path) -> None:
    made = tmp_path / "made.json"
    command = [os.environ["MS26_PYTHON"], str(VECTORS / "make_initializers.py"), str(made)]
    subprocess.run(command, check=True, capture_output=True)
    assert json.loads(made.read_text()) == CASES
