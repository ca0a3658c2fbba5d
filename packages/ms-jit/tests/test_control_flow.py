"""Control flow over tensors: the graph goes the way that the numbers of each run choose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ms_jit.api import jit
from ms_kernels import Tensor, functional, grad


def tensor(*values: float) -> Tensor:
    return Tensor(np.array(values, np.float32))


def both(fn: Any, *calls: tuple[float, ...], misses: int = 1) -> Any:
    """Compare the compiled function with the plain one; only the first call may be captured."""
    compiled = jit(fn)
    for values in calls:
        x = tensor(*values)
        want, got = fn(x), compiled(x)
        if not isinstance(want, tuple):
            want, got = (want,), (got,)
        for one, other in zip(want, got, strict=True):
            one = one.asnumpy() if isinstance(one, Tensor) else np.asarray(one)
            np.testing.assert_array_equal(other.asnumpy() if isinstance(other, Tensor) else other, one)
    assert compiled.reasons == [] and compiled.hits == len(calls) - misses, (compiled.reasons, compiled.hits)
    return compiled


def test_if_else_over_a_tensor() -> None:
    def f(x: Any) -> Any:
        z = 0
        if x.sum() > 3:
            y = x * 2
            z = 1
        elif x.sum() < -3:
            y = -x
        else:
            y = x - 1
        return y + z

    both(f, (1, 1), (2, 2), (-9, 1))


def test_early_returns() -> None:
    def f(x: Any) -> Any:
        if x.max() > 10:
            return x / 10
        y = x + 1
        if y.min() < 0:
            if y.sum() < -5:
                return y * y
            y = y * 3
        return y - 1

    both(f, (1, 2), (20, 2), (-3, 1), (-30, 1))


def test_while_with_break_and_continue() -> None:
    def f(x: Any) -> Any:
        i = 0
        odd = 0
        while x.sum() < 100:
            i = i + 1
            x = x * 2
            if i % 2 == 0:
                continue
            odd += 1
            if i > 3 and x.sum() > 50:
                break
        return x, i, odd

    both(f, (1, 1, 1), (20, 2, 2), (60, 60, 60), (30, 10, 0), (0.1, 0, 0))


def test_for_with_a_break_that_depends_on_a_tensor() -> None:
    def f(x: Any) -> Any:
        total = Tensor(0.0)
        for i in range(4):
            if i == 1:
                continue
            if total > 5:
                break
            total = total + x[i]
        return total if total > 0 and not total > 10 else -total

    both(f, (1, 2, 3, 4), (6, 6, 6, 6), (20, 1, 1, 1), (-9, 1, 1, 1))


def test_rows_of_a_tensor_and_chained_comparisons() -> None:
    def f(x: Any) -> Any:
        count = 0
        for row in x:
            if 0 < row < 5 or row == 9:
                count = count + 1
        return count

    both(f, (1, 2, 7), (9, 9, 9), (-1, 0, 4))


def test_indexing_by_a_tensor() -> None:
    def f(x: Any) -> Any:
        i = functional.argmax(x)
        order = functional.argsort(x)
        return x[i], x[order], x[x > 1], x[1:]

    compiled = both(f, (1, 2, 3), (6, 5, 4), (0, 0, 0))
    assert compiled.hits == 2


def test_functions_that_are_called_are_captured_too() -> None:
    def clip(x: Any, top: float) -> Any:
        if x.max() > top:
            return x * (top / x.max())
        return x

    def f(x: Any) -> Any:
        return clip(x, 2.0) + clip(x * 3, 4.0)

    both(f, (1, 0.5), (3, 1), (0.1, 0.1))


def test_python_values_stay_python() -> None:
    def f(x: Any, flag: bool, steps: int) -> Any:
        found = []
        if flag:
            found.append(x)
        for i in range(steps):
            found.append(x * i)
        name = "many" if len(found) > 2 else "few"
        return found, name

    compiled = jit(f)
    for flag, steps in ((True, 3), (False, 1), (True, 3)):
        found, name = compiled(tensor(2), flag, steps)
        assert [item.item() for item in found] == [2.0] * flag + [2.0 * i for i in range(steps)]
        assert name == ("many" if len(found) > 2 else "few")
    assert compiled.hits == 1 and not compiled.reasons


def test_what_a_function_reads_from_outside_is_guarded() -> None:
    class Config:
        scale = 2.0

        def __init__(self) -> None:
            self.shift, self.sizes = 1.0, [1, 2]

    config = Config()
    factor = 3.0

    def f(x: Any) -> Any:
        return x * factor * config.scale + config.shift + sum(config.sizes)

    compiled = jit(f)
    assert compiled(tensor(1)).item() == 10 and compiled(tensor(1)).item() == 10 and compiled.hits == 1
    config.shift = 2.0
    assert compiled(tensor(1)).item() == 11
    config.scale = 1.0
    assert compiled(tensor(1)).item() == 8
    config.sizes.append(4)
    assert compiled(tensor(1)).item() == 12
    factor = 1.0
    assert compiled(tensor(1)).item() == 10


def test_printing_happens_at_each_run(capsys: pytest.CaptureFixture[str]) -> None:
    @jit
    def f(x: Any) -> Any:
        print("x is", x, end="!")
        return x + 1

    for value in (1, 2, 3):
        f(tensor(value))
    assert capsys.readouterr().out == "x is [1.]!x is [2.]!x is [3.]!"


def test_what_cannot_be_a_graph_runs_in_python() -> None:
    class Counter:
        count = 0

    counter = Counter()

    def sets(x: Any) -> Any:
        counter.count += 1
        return x + counter.count

    def shapes(x: Any) -> Any:
        if x.sum() > 0:
            return x
        return functional.concat((x, x))

    def raises(x: Any) -> Any:
        if x.sum() < 0:
            raise ValueError("negative")
        return x * 2

    for fn, reason in ((sets, "attribute"), (shapes, "two ways"), (raises, "ValueError")):
        compiled = jit(fn)
        assert compiled(tensor(1)).item() in (1, 2)
        assert reason in compiled.reasons[0], compiled.reasons
        with pytest.raises(RuntimeError, match="fullgraph"):
            jit(fn, fullgraph=True)(tensor(1))
    with pytest.raises(ValueError, match="negative"):
        jit(raises)(tensor(-1))
    assert counter.count >= 1


def test_a_gradient_through_control_flow() -> None:
    def f(x: Any) -> Any:
        y = x
        if x.sum() > 1:
            y = y * 3
        while y.sum() < 10:
            y = y * 2
        return y

    compiled = jit(f)
    for value in (0.5, 2.0, 40.0, 0.5):
        assert grad(compiled)(tensor(value)).item() == grad(f)(tensor(value)).item()
    for value in (0.5, 2.0):
        assert jit(grad(f))(tensor(value)).item() == grad(f)(tensor(value)).item()


def test_unset_variables_are_pythons_error() -> None:
    def f(x: Any) -> Any:
        if x.shape[0] > 5:
            y = x
        return y + 1

    with pytest.raises(UnboundLocalError, match="'y'"):
        jit(f)(tensor(1))


def test_tracebacks_name_the_users_line() -> None:
    def f(x: Any) -> Any:
        return functional.matmul(x, Tensor(np.ones((3, 3), np.float32)))  # this line

    with pytest.raises(ValueError) as error:
        jit(f)(tensor(1, 2))
    lines = [entry.lineno for entry in error.traceback if str(entry.path) == __file__]
    assert f.__code__.co_firstlineno in lines


def test_a_recorded_first_call_becomes_a_graph_too() -> None:
    def f(x: Any) -> Any:
        if x.sum() > 1:
            return x * 3
        return x * x

    compiled = jit(f)
    assert [grad(compiled)(tensor(value)).item() for value in (2.0, 0.25, 3.0)] == [3, 0.5, 3]
    assert compiled.hits == 3 and not compiled.reasons
