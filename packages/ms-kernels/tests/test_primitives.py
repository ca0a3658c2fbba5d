"""Primitives beside what MindSpore 2.6 gives, recorded by `vectors/make_primitives.py`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ms_dtype as mstype
from ms_kernels import Parameter, Tensor, functional

HERE = Path(__file__).parent / "vectors"
sys.path.insert(0, str(HERE))
import calls_arrays  # noqa: E402
import calls_primitives  # noqa: E402
from calls_primitives import CHANGING  # noqa: E402

CALLS = [*calls_primitives.CALLS, *calls_arrays.CALLS]
RECORDED = [
    record
    for name in ("primitives", "arrays")
    for record in json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
]
TYPES = {np.float32: mstype.float32, np.int32: mstype.int32, np.int64: mstype.int64}


def wrapped(arg: Any, i: int, changing: bool) -> Any:
    """An operand as the recording program gave it."""
    if isinstance(arg, list) and any(isinstance(item, np.ndarray) for item in arg):
        return [wrapped(item, i, changing) for item in arg]
    if changing and isinstance(arg, np.ndarray) and arg.ndim and arg.dtype == np.float32:
        return Parameter(Tensor(arg.copy()), name=f"p{i}")
    return Tensor(arg) if isinstance(arg, np.ndarray) else arg


def called(name: str, init: Any, given: list[Any]) -> Any:
    """Call a function, or a primitive made of the arguments `init`."""
    function = getattr(functional, name)
    if init is not None:
        function = function(*(TYPES.get(item, item) if isinstance(item, type) else item for item in init))
    return function(*given)


def close(got: Any, wanted: Any, where: str) -> None:
    """Compare a result with a recorded one: to some roundings for floats."""
    if isinstance(wanted, list):
        assert isinstance(got, (tuple, list)) and len(got) == len(wanted), where
        for i, (one, other) in enumerate(zip(got, wanted)):
            close(one, other, f"{where}[{i}]")
    elif isinstance(wanted, dict):
        array = got.asnumpy()
        assert array.dtype.name == wanted["dtype"], where
        assert list(array.shape) == wanted["shape"], where
        data = np.array(wanted["data"], np.float64)
        if array.dtype.kind == "c":
            data = data[..., 0] + 1j * data[..., 1]
        np.testing.assert_allclose(array.reshape(-1), data, rtol=3e-5, atol=3e-6, err_msg=where)
    else:
        assert got == wanted, where


@pytest.mark.parametrize(
    ("call", "record"), list(zip(CALLS, RECORDED, strict=True)), ids=[f"{i}-{call[0]}" for i, call in enumerate(CALLS)]
)
def test_as_recorded(call: Any, record: Any) -> None:
    name, init, args = call
    assert record["name"] == name
    given = [wrapped(arg, i, name in CHANGING) for i, arg in enumerate(args)]
    if name == "SparseApplyProximalAdagrad":
        pytest.skip("MindSpore has no CPU kernel to compare with")
    if "error" in record:
        with pytest.raises((TypeError, ValueError, RuntimeError, IndexError)):
            called(name, init, given)
        return
    result = called(name, init, given)
    if name in CHANGING:
        assert (len(result) if isinstance(result, tuple) else 1) == record["result"]
        first = result[0] if isinstance(result, tuple) else result
        np.testing.assert_array_equal(first.asnumpy(), given[0].asnumpy())
    else:
        close(result, record["result"], "result")
    for i, (state, wanted) in enumerate(zip(given, record["states"])):
        if wanted is not None:
            close(state, wanted, f"operand {i}")
