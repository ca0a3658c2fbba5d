"""jit = eager, bit for bit, for every op of the table: its results, and its gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ms_jit.api import jit
from ms_jit.trees import tensors_in
from ms_kernels import Tensor, value_and_grad
from ms_kernels.core.dispatch import Op
from ms_kernels.core.tensor import from_array
from ms_kernels.opdef.register import all_ops
from ms_kernels.random.stream import default_stream
from ms_kernels.testing.case import Maker, cases

CASES = cases()
OPS = all_ops()
# ops whose results cannot be known before a tensor's numbers are: they run in Python
PYTHON: frozenset[str] = frozenset()


def arguments(op: Op, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of a case, with tensors for its operands."""
    made = []
    for kind, value in zip(op.kinds, values):
        if kind and isinstance(value, (list, tuple)):
            made.append([from_array(np.array(item)) for item in value])
        else:
            made.append(from_array(np.array(value)) if kind and isinstance(value, np.ndarray) else value)
    return tuple(made)


def inputs(name: str) -> list[tuple[Any, ...]]:
    """All arguments of a case in its first dtype."""
    case = CASES[name]
    dtype = "float32" if "float32" in case.dtypes else case.dtypes[0]
    return [arguments(OPS[name], values) for values in case.inputs(Maker(dtype))]


def fresh(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The same arguments in other tensors: some ops change theirs."""

    def again(value: Any) -> Any:
        if isinstance(value, Tensor):
            return from_array(value.asnumpy().copy())
        return [again(item) for item in value] if type(value) is list else value

    return tuple(again(arg) for arg in args)


def bits(value: Any) -> list[Any]:
    return [(t.dtype, t.shape, t.asnumpy().tobytes()) for t in tensors_in(value)]


def compare(fn: Any, args: tuple[Any, ...], level: str) -> Any:
    """Compare a function with its compiled form at the capturing run and at a run of the graph."""
    compiled = jit(fn, jit_level=level)
    for _ in range(2):
        default_stream().set(5)
        want = fn(*fresh(args))
        default_stream().set(5)
        got = compiled(*fresh(args))
        assert bits(got) == bits(want)
        assert default_stream().peek()[0] == 5
    return compiled


@pytest.mark.parametrize("level", ["O0", "O1"])
@pytest.mark.parametrize("name", sorted(CASES))
def test_results(name: str, level: str) -> None:
    op = OPS[name]
    for args in inputs(name):
        compiled = compare(lambda *given: op(*given), args, level)
        if name not in PYTHON:
            assert compiled.reasons == [] and compiled.hits == 1, compiled.reasons


@pytest.mark.parametrize("name", [name for name, case in sorted(CASES.items()) if case.grad])
def test_gradients(name: str) -> None:
    op, case = OPS[name], CASES[name]
    for args in inputs(name)[:2]:
        places = tuple(
            i
            for i, arg in enumerate(args)
            if isinstance(arg, Tensor) and arg.dtype.kind in "fc" and (case.wrt is None or i in case.wrt)
        )
        if not places:
            continue

        compare(value_and_grad(lambda *inner: op(*inner), places), args, "O0")
