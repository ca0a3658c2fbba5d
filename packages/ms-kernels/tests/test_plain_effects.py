"""Loops as primitives, calls of Python, rings of experience, linearize."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ms_dtype as mstype
from ms_kernels import Parameter, Tensor, functional, grad

F32 = mstype.float32


def ring(rows: int = 4) -> list[Any]:
    return [
        Parameter(Tensor(np.zeros((rows, 2), np.float32)), name="a"),
        Parameter(Tensor(np.zeros((rows, 1), np.int32)), name="b"),
    ]


def number(value: int) -> Any:
    return Parameter(Tensor(value, mstype.int32), name="n")


def test_a_ring_keeps_the_last_rows() -> None:
    shapes, types = [(2,), (1,)], [F32, mstype.int32]
    append = functional.BufferAppend(4, shapes, types)
    read = functional.BufferGetItem(4, shapes, types)
    data, count, head = ring(), number(0), number(0)
    for i in range(3):
        append(data, [Tensor([i, i + 0.5]), Tensor([i], mstype.int32)], count, head)
    assert (int(count), int(head)) == (3, 0)
    many = [
        Tensor(np.arange(6, dtype=np.float32).reshape(3, 2) + 10),
        Tensor(np.arange(10, 13, dtype=np.int32)[:, None]),
    ]
    append(data, many, count, head)
    assert (int(count), int(head)) == (4, 2)
    rows = [read(data, count, head, i)[1].item() for i in range(4)]
    assert rows == [2, 10, 11, 12]
    assert read(data, count, head, -1)[0].tolist() == [14.0, 15.0]
    with pytest.raises(IndexError, match=r"\[-4, 4\)"):
        read(data, count, head, 4)
    with pytest.raises(ValueError, match="'exp'"):
        append(data, [Tensor([1.0]), Tensor([1], mstype.int32)], count, head)


def test_samples_of_a_ring() -> None:
    shapes, types = [(2,), (1,)], [F32, mstype.int32]
    data, count, head = ring(), number(3), number(2)
    data[1].set_data(Tensor(np.arange(4, dtype=np.int32)[:, None]))
    once = functional.BufferSample(4, 3, shapes, types, unique=True)
    assert sorted(once(data, count, head)[1].reshape(-1).tolist()) == [0, 2, 3]
    often = functional.BufferSample(4, 50, shapes, types)
    assert set(often(data, count, head)[1].reshape(-1).tolist()) == {0, 2, 3}
    with pytest.raises(ValueError, match="number of rows"):
        functional.BufferSample(4, 4, shapes, types, unique=True)(data, count, head)


def test_loops() -> None:
    assert functional.WhileLoop()(lambda x: x < 100, lambda x: x + 1, 10) == 100
    assert functional.ForiLoop()(0, 4, lambda i, total: i + total, 0) == 6
    assert functional.ForiLoop()(2, Tensor(5), lambda i, seen: (*seen, i), ()) == (2, 3, 4)
    last, rows = functional.Scan()(lambda s, x: (s + x, s * x), Tensor(1.0), Tensor([1.0, 2.0, 3.0]))
    assert last.item() == 7.0 and rows.tolist() == [1.0, 4.0, 12.0]
    assert functional.Scan()(lambda s, x: (s + 1, x), 0, None, 2) == (2, [None, None])
    slope = grad(lambda x: functional.ForiLoop()(0, 3, lambda i, y: y * x, x))(Tensor(2.0))
    assert slope.item() == 32.0


@pytest.mark.parametrize(
    ("kind", "call"),
    [
        (TypeError, lambda: functional.WhileLoop()(3, lambda x: x, 1)),
        (TypeError, lambda: functional.ForiLoop()(0.5, 3, lambda i, x: x, 1)),
        (TypeError, lambda: functional.ForiLoop()(0, 3, None, 1)),
        (TypeError, lambda: functional.Scan()(lambda s, x: (s, x), 1, 3)),
        (TypeError, lambda: functional.Scan()(lambda s, x: (s, x), 1, None)),
        (ValueError, lambda: functional.Scan()(lambda s, x: (s, x), 1, [1, 2], 3)),
        (TypeError, lambda: functional.PyFunc(3, (), (), (), ())),
        (ValueError, lambda: functional.PyFunc(abs, (F32,), (), (), ())),
        (TypeError, lambda: functional.Morph(1, abs, abs)),
        (ValueError, lambda: functional.BufferAppend(0, [(1,)], [F32])),
        (RuntimeError, lambda: functional.Assert()(Tensor(False), [Tensor([1.0])])),
        (ValueError, lambda: functional.MatMul().place("SERVER", 0)),
    ],
)
def test_errors(kind: type[Exception], call: Any) -> None:
    with pytest.raises(kind, match="For '"):
        call()


def test_functions_of_arrays() -> None:
    both = functional.PyFunc(lambda x, y: (x + y, x > y), (F32, F32), ((2,), (2,)), (F32, mstype.bool_), ((2,), (2,)))
    total, greater = both((Tensor([1.0, 5.0]), Tensor([2.0, 3.0])))
    assert total.tolist() == [3.0, 8.0] and greater.tolist() == [False, True]
    with pytest.raises(TypeError, match="Tensors of Float32"):
        both(Tensor([1, 2]), Tensor([1.0, 2.0]))


def test_a_function_as_a_primitive_keeps_its_gradient() -> None:
    triple = functional.Morph(lambda x: x * 3, lambda s: s, lambda t: t)
    assert grad(lambda x: triple(x) * x)(Tensor(2.0)).item() == 12.0


def test_linearize_runs_the_function_once() -> None:
    calls = []

    def f(x: Any, y: Any) -> Any:
        calls.append(1)
        return functional.matmul(x, y)

    x = Tensor(np.array([[1, 2, 3], [3, 4, 5]], np.float32))
    y = Tensor(np.array([[1, 2], [3, 4], [5, 6]], np.float32))
    value, along = functional.linearize(f, (x, y))
    assert value.tolist() == [[22.0, 28.0], [40.0, 52.0]]
    tangents = (Tensor(np.ones((2, 3), np.float32)), Tensor(np.array([[1, 1], [1, 1], [0, 0]], np.float32)))
    assert along(tangents).tolist() == [[12.0, 15.0], [16.0, 19.0]]
    assert along(*tangents).tolist() == along(tangents).tolist()
    assert len(calls) == 1
    with pytest.raises(ValueError, match="number of tangents"):
        along(x)


def test_summaries_go_to_those_who_collect() -> None:
    from ms_kernels.plain.records import collecting

    outer: list[Any] = []
    functional.TensorSummary()("lost", Tensor([1.0]))
    with collecting(outer), collecting([]) as inner:
        functional.HistogramSummary()("h", Tensor([1.0, 2.0]))
    functional.ImageSummary()("late", Tensor(np.zeros((1, 3, 2, 2), np.float32)))
    assert [(kind, name, value.tolist()) for kind, name, value in outer] == [("Histogram", "h", [1.0, 2.0])]
    assert len(inner) == 1
    with pytest.raises(TypeError, match="'name'"):
        functional.ScalarSummary()(3, Tensor(1.0))
    with pytest.raises(TypeError, match="'value'"):
        functional.ScalarSummary()("x", 1.0)


def test_dumps(tmp_path: Any) -> None:
    dump = functional.TensorDump()
    for value in (Tensor([1.5]), Tensor([2.5], mstype.bfloat16)):
        dump(str(tmp_path / "x"), value)
    files = sorted(tmp_path.iterdir(), key=lambda path: int(path.stem.rsplit("_", 1)[1]))
    assert [path.name.rsplit("_", 1)[0] for path in files] == ["x_float32", "x_bfloat16"]
    assert [np.load(path).tolist() for path in files] == [[1.5], [2.5]]
    with pytest.raises(ValueError, match="'file'"):
        dump("", Tensor(1.0))
    with pytest.raises(ValueError, match="'input_output'"):
        functional.TensorDump("both")
