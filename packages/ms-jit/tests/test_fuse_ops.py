"""Every elementwise op, fused with a second one: bit for bit eager, in every dtype and for all inputs of its case."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ms_dtype as mstype
from ms_jit.capture.run import capture
from ms_jit.execute import build
from ms_jit.passes import optimize
from ms_jit.testing import assert_same, names
from ms_kernels import functional
from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef.register import all_ops
from ms_kernels.testing.case import Maker, cases

CASES, OPS = cases(), all_ops()
ELEMENTWISE = sorted(name for name in CASES if OPS[name].record.fuse == "elementwise" and name != "dropout_keep")
# what is fused beside the ops that name a loop
OTHERS = {"cast", "cast_np", "copy", "floor_divide", "fmod", "remainder", "where_typed"}
OTHERS |= {"logical_and", "logical_not", "logical_or", "logical_xor"}


def operand(kind: int, value: Any) -> Any:
    if not kind or value is None:
        return value
    return from_array(np.array(value)) if isinstance(value, np.ndarray) else value


def followed(name: str) -> Any:
    """The op, and a second one that can be fused with it."""
    op = OPS[name]

    def run(*args: Any) -> Any:
        out = op(*args)
        second = functional.logical_not(out) if out.dtype is mstype.bool_ else functional.relu(out)
        return out, second

    return run


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_fused_with_a_second_op(name: str) -> None:
    case, fused = CASES[name], 0
    for dtype in case.dtypes:
        for values in case.inputs(Maker(dtype)):
            args = tuple(operand(kind, value) for kind, value in zip(OPS[name].kinds, values))
            graph = optimize(capture(followed(name), args, {}, name).graph)
            built = build(graph, "O1")
            fused += any(node.startswith("fused") for node in names(built.graph))
            inputs = tuple(arg for arg in args if isinstance(arg, TensorBase))
            with np.errstate(all="ignore"):
                assert_same(built.program.run(inputs), followed(name)(*args))
    known = OPS[name].loop is not None or name in OTHERS
    assert (fused > 0) is (known and name != "pow")  # a tensor as exponent keeps pow alone
