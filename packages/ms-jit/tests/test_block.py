"""Blocks between `_jit_begin` and `_jit_end`, and traced functions: 2.6.0's facts SF-JIT-01 to SF-JIT-06."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ms_jit.api import _jit_trace, jit
from ms_jit.block import _jit_begin, _jit_end, _jit_trace_begin, _jit_trace_end, recorded_blocks
from ms_jit.context import JitContext, TraceJitContext, jit_context
from ms_kernels import Parameter, Tensor, functional, grad


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    recorded_blocks.clear()
    yield
    recorded_blocks.clear()


def tensor(*values: float) -> Tensor:
    return Tensor(np.array(values, np.float32))


def test_signatures() -> None:  # SF-JIT-01
    assert list(inspect.signature(_jit_begin).parameters) == ["fn_name", "args"]
    assert list(inspect.signature(_jit_end).parameters) == ["output_args"]
    assert _jit_trace_begin is _jit_begin and _jit_trace_end is _jit_end


def test_one_output_is_itself_in_every_run() -> None:  # SF-JIT-02
    def add(x: Any, y: Any) -> Any:
        _jit_begin("add", x, y)
        return _jit_end(x + y)

    for i in range(3):
        assert add(tensor(1, i), tensor(2, 3)).asnumpy().tolist() == [3, 3 + i]
    assert len(recorded_blocks) == 1
    assert add(tensor(1), tensor(2)).item() == 3 and len(recorded_blocks) == 2


def test_several_and_no_outputs() -> None:  # SF-JIT-03
    def block(x: Any, *outs: int) -> Any:
        _jit_begin(f"outs{outs}", x)
        made = [x + 1, x * 2, 3]
        return _jit_end(*(made[i] for i in outs))

    for value in (1, 5):
        one, two = block(tensor(value), 0, 1)
        assert (one.item(), two.item()) == (value + 1, value * 2)
        assert block(tensor(value)) == ()
        assert block(tensor(value), 1, 2)[1] == 3


def test_the_lines_run_and_the_ops_do_not() -> None:  # SF-JIT-04
    runs, factor = [], [2]
    counter = Parameter(tensor(0), name="counter")

    def block(x: Any) -> Any:
        _jit_begin("lines", x)
        y = x * factor[0]
        counter.add_(1)
        runs.append(y)
        return _jit_end(y)

    assert block(tensor(3)).item() == 6
    factor[0] = 100
    assert block(tensor(4)).item() == 8
    assert len(runs) == 2 and counter.item() == 2
    assert runs[1].shape == (1,) and runs[1].dtype == runs[0].dtype
    with pytest.raises(RuntimeError, match="must not be read inside of a compiled block"):
        runs[1].asnumpy()


def test_the_block_is_named_after_the_function_without_a_name() -> None:  # SF-JIT-05
    def nameless(x: Any, y: Any) -> Any:
        _jit_begin(x, y)
        return _jit_end(x - y)

    assert nameless(tensor(5), tensor(2)).item() == 3 and nameless(tensor(6), tensor(2)).item() == 4
    assert [item.name for item in recorded_blocks] == ["nameless"]


def test_the_pairs_mix() -> None:  # SF-JIT-06
    _jit_begin("mixed", x := tensor(1))
    assert _jit_trace_end(x + 1).item() == 2
    _jit_trace_begin("mixed", x)
    assert _jit_end(x + 1).item() == 2


def test_nested_blocks_are_refused_and_leave_nothing_open() -> None:
    x = tensor(1)
    _jit_begin("outer", x)
    with pytest.raises(RuntimeError, match="jit_block and jit_trace at the same time"):
        _jit_begin("inner", x)
    with pytest.raises(RuntimeError, match="must be open"):
        _jit_end(x)
    _jit_begin("again", x)
    assert _jit_end(x + 1).item() == 2


def test_an_error_in_a_block_does_not_stop_later_ones() -> None:
    def broken(x: Any) -> Any:
        _jit_begin("broken", x)
        raise LookupError

    with pytest.raises(LookupError):
        broken(tensor(1))
    x = tensor(1)
    _jit_begin("whole", x)
    assert _jit_end(x * 3).item() == 3
    assert (x + 1).item() == 2


def test_other_ops_than_recorded_are_an_error() -> None:
    def block(x: Any, flag: bool) -> Any:
        _jit_begin("other", x)
        return _jit_end(x + 1 if flag else functional.exp(x))

    assert block(tensor(1), True).item() == 2
    with pytest.raises(RuntimeError, match="must call the ops of its first run"):
        block(tensor(1), False)
    assert block(tensor(5), True).item() == 6


def test_a_block_with_randomness_values_and_composites() -> None:
    def block(x: Any) -> Any:
        _jit_begin("rich", x)
        y = functional.dropout(functional.softmax(x * 2, 0), 0.5) + functional.norm(x)
        x[0] = 1
        return _jit_end(y, y.shape)

    results = [block(Tensor(np.ones(64, np.float32)))[0].asnumpy() for _ in range(3)]
    assert (results[1] != results[2]).any() and len(recorded_blocks) == 1


def test_gradients_through_a_block() -> None:
    def block(x: Any) -> Any:
        _jit_begin("gradient", x)
        return _jit_end(x * x * x)

    for value in (2, 3, 4):
        assert grad(block)(tensor(value)).item() == 3 * value**2


def test_the_context_objects() -> None:
    assert jit_context() is None
    _jit_begin("context", x := tensor(1))
    context = jit_context()
    assert isinstance(context, TraceJitContext) and not context.compiled and context.phase == "context.0"
    _jit_end(x)
    _jit_begin("context", x)
    assert jit_context().compiled and jit_context().phase == ""  # type: ignore[union-attr]
    _jit_end(x)
    assert jit_context() is None
    with pytest.raises(AttributeError, match="run_op"):
        JitContext().run_op(None, None)


def test_a_traced_function_runs_its_body_once_a_signature() -> None:
    runs = []

    def f(x: Any, k: int = 2) -> Any:
        runs.append(1)
        return x * k

    for made in (_jit_trace(f), jit(f, capture_mode="trace")):
        runs.clear()
        assert [made(tensor(v)).item() for v in (1, 2, 3)] == [2, 4, 6]
        assert made(tensor(1), 5).item() == 5 and len(runs) == 2
        assert made.__trace_func__ and made.__name__ == "f"
