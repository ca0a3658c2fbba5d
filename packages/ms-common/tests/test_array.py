"""`mindspore.numpy`, as recorded from 2.6."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("alias")

VECTORS = Path(__file__).parent / "vectors"
RECORDED: dict[str, Any] = json.loads((VECTORS / "numpy.json").read_text())["results"]


def test_results() -> None:
    spec = importlib.util.spec_from_file_location("make_numpy", VECTORS / "make_numpy.py")
    assert spec is not None and spec.loader is not None
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    found = program.results()
    assert list(found) == list(RECORDED)
    assert {text: got for text, got in found.items() if got != RECORDED[text]} == {}


def test_gradients_pass_through() -> None:
    import mindspore as ms
    from mindspore import Tensor
    from mindspore import numpy as mnp

    def fn(x: Any) -> Any:
        first, second = mnp.split(mnp.roll(x, 1, 1), 2, 1)
        return mnp.tensordot(mnp.concatenate((first, second * 2), 1), x, 2)

    x = Tensor(np.arange(8, dtype=np.float32).reshape(2, 4))
    weights = np.array([1, 1, 2, 2], np.float32)
    wanted = weights * np.roll(x.asnumpy(), 1, 1) + np.roll(weights * x.asnumpy(), -1, 1)
    np.testing.assert_allclose(ms.grad(fn)(x).asnumpy(), wanted)


def test_names_that_are_missing_say_so() -> None:
    import mindspore.numpy as mnp

    with pytest.raises(AttributeError, match="does not have it yet"):
        mnp.histogram2d  # noqa: B018
