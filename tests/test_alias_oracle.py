"""The alias against MindSpore itself; MS26_PYTHON names the interpreter of an environment that has it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif("MS26_PYTHON" not in os.environ, reason="MS26_PYTHON is not set"),
]

SPELLINGS = [
    *(f"from mindspore.common import {n} as r" for n in ("seed", "tensor", "mutable", "parameter", "dtype", "nosuch")),
    *(f"import mindspore.common.{n} as r" for n in ("seed", "tensor", "mutable", "parameter", "dtype", "nosuch")),
    *(f"import mindspore.{n} as r" for n in ("seed", "tensor", "dtype", "run_check", "nosuch", "log", "context")),
    *(f"import mindspore; r = mindspore.{n}" for n in ("seed", "tensor", "dtype", "run_check", "nosuch", "parameter")),
    "from mindspore.common.seed import set_seed as r",
    "import mindspore.common.seed; r = mindspore.common.seed.set_seed",
    "import mindspore, sys; r = sys.modules['mindspore.common.tensor']",
    "from mindspore.common.dtype import nosuch as r",
    "from mindspore.common.initializer import initializer as r",
    "from mindspore.ops import operations as r",
    "from mindspore.mint.nn import functional as r",
    "import importlib.util; r = importlib.util.find_spec('mindspore.nosuch')",
    "import mindspore; r = mindspore.Tensor",
    "import mindspore; r = mindspore.Parameter",
    "import mindspore; r = mindspore.get_level()",
    "import mindspore; r = mindspore.get_log_config()",
    "import mindspore; r = mindspore.get_current_device()",
    "import mindspore; mindspore.set_context(mode=2)",
    "import mindspore; mindspore.set_context(nosuch=2)",
    "import mindspore; mindspore.set_context(device_target='GPU')",
    "import mindspore; mindspore.set_context(device_target='TPU')",
    "import mindspore; mindspore.get_context('nosuch')",
]
ASK = """
import json, sys, types
spellings = json.loads(sys.argv[1])
answers = []
for spelling in spellings:
    space = {}
    try:
        exec(spelling, space)
        r = space["r"]
        answer = type(r).__name__, getattr(r, "__name__", None) or repr(r)
        if isinstance(r, types.ModuleType):
            answer = "module", r.__name__
        elif isinstance(r, type):
            answer = "class", repr(r)
    except Exception as error:
        answer = type(error).__name__, None
    answers.append(answer)
print("ANSWERS" + json.dumps(answers))
"""


def answers(python: str, prelude: str = "") -> list[object]:
    done = subprocess.run(
        [python, "-c", prelude + ASK, json.dumps(SPELLINGS)], capture_output=True, text=True, timeout=120, check=True
    )
    answer: list[object] = json.loads(done.stdout.rpartition("ANSWERS")[2])
    return answer


def test_every_spelling_gives_the_same_kind_of_thing() -> None:
    ours = answers(sys.executable, "import ms_common\nms_common.activate()\n")
    theirs = answers(os.environ["MS26_PYTHON"])
    assert dict(zip(SPELLINGS, ours, strict=True)) == dict(zip(SPELLINGS, theirs, strict=True))


def test_the_example_runs_on_the_wheel() -> None:
    digits = Path(__file__).resolve().parents[1] / "examples" / "digits.py"
    done = subprocess.run(
        [os.environ["MS26_PYTHON"], str(digits)], capture_output=True, text=True, timeout=600, check=True
    )
    accuracy = re.search(r"test accuracy: ([\d.]+)%", done.stdout)
    assert accuracy is not None
    assert float(accuracy[1]) >= 97
