"""Programs, checks, entries and compiled callables."""

from __future__ import annotations

import gc
import math
import sys
import threading
import weakref
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import ms_kernels
from ms_kernels import Parameter, Tensor
from ms_kernels.core.checks import MISSING, Check, same_value
from ms_kernels.core.dispatch import ops_by_name, scope
from ms_kernels.core.program import Compiled, Entry, Fused, Program, Ref, Step
from ms_kernels.loops.block import Block

F32 = np.dtype(np.float32)
ADD, MUL, TANH = ops_by_name["add"], ops_by_name["mul"], ops_by_name["tanh"]
Pair = namedtuple("Pair", "first second")


def tensor(*values: float) -> Any:
    return Tensor(np.array(values, np.float32))


def affine() -> Program:
    """tanh(x * w + b)"""
    return Program(
        [
            Step(MUL, (Ref(0), Ref(1)), (3,)),
            Step(ADD, (Ref(3), Ref(2), 1), (4,), (3,)),
            Step(TANH, (Ref(4),), (3,), (4,)),
        ],
        5,
        3,
        (3,),
    )


def checks(*shapes: tuple[int, ...] | None) -> list[Check]:
    return [Check.tensor(Tensor, F32, shape) for shape in shapes]


class Counting(Compiled):
    """Notes its misses."""

    def __init__(self, *entries: Entry) -> None:
        self.entries = entries
        self.missed: list[Any] = []

    def miss(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        self.missed.append((args, kwargs))
        return "missed"


def test_program_runs_ops_as_eager() -> None:
    x, w, b = tensor(1, 2), tensor(3, -4), tensor(0.5, 0.25)
    (out,) = affine().run((x, w, b))
    assert np.array_equal(out.asnumpy(), ms_kernels.functional.tanh(x * w + b).asnumpy())


def test_program_records_as_eager() -> None:
    program = affine()

    def through_program(x: Any, w: Any, b: Any) -> Any:
        return program.run((x, w, b))[0].sum()

    def eager(x: Any, w: Any, b: Any) -> Any:
        return ms_kernels.functional.tanh(x * w + b).sum()

    operands = tensor(0.1, 0.2), tensor(0.3, -0.4), tensor(0.5, 0.25)
    got = ms_kernels.grad(through_program, (0, 1, 2))(*operands)
    want = ms_kernels.grad(eager, (0, 1, 2))(*operands)
    assert all(np.array_equal(a.asnumpy(), b.asnumpy()) for a, b in zip(got, want, strict=True))


def test_program_fills_nested_arguments() -> None:
    seen: list[Any] = []

    def note(*args: Any) -> Any:
        seen.append(args)
        return args[0]

    x, y = tensor(1), tensor(2)
    kept = (1, [2])
    args = (Ref(0), [Ref(1), Ref(0)], Pair(Ref(1), 3), {"a": (Ref(0),)}, kept)
    Program([Step(note, args, (2,))], 3, 2, (2,)).run((x, y))
    (got,) = seen
    assert got[0] is x
    assert [item is want for item, want in zip(got[1], (y, x), strict=True)] == [True, True]
    assert isinstance(got[2], Pair) and got[2].first is y and got[2].second == 3
    assert got[3]["a"][0] is x
    assert got[4] is kept


def test_several_results_dropped_results_and_captured() -> None:
    w = tensor(7)
    program = Program(
        [Step(lambda a, b: (a + b, a - b, a * b), (Ref(0), Ref(1)), (2, -1, 3))], 4, 1, (3, 1, 2), ((1, w),)
    )
    product, same, total = program.run((tensor(2),))
    assert (product.asnumpy()[0], total.asnumpy()[0]) == (14, 9)
    assert same is w


def test_registers_are_freed_at_their_last_use() -> None:
    made: list[weakref.ref[Any]] = []
    alive: list[int] = []

    def make(a: Any) -> Any:
        alive.append(sum(ref() is not None for ref in made))
        out = a + 1
        made.append(weakref.ref(out))
        return out

    steps = [Step(make, (Ref(0),), (1,))]
    steps += [Step(make, (Ref(1 + k % 2),), (2 - k % 2,), (1 + k % 2,)) for k in range(9)]
    Program(steps, 3, 1, (2,)).run((tensor(1),))
    assert alive == [0] + [1] * 9


@pytest.mark.parametrize("registers", [5, 500])
def test_errors_leave_nothing_behind(registers: int) -> None:
    kept: list[weakref.ref[Any]] = []

    def make(a: Any) -> Any:
        out = a + 1
        kept.append(weakref.ref(out))
        return out

    def fail(a: Any) -> Any:
        raise KeyError("no")

    program = Program([Step(make, (Ref(0),), (1,)), Step(fail, (Ref(1),), (2,))], registers, 1, (2,))
    with pytest.raises(KeyError, match="no"):
        program.run((tensor(1),))
    gc.collect()
    assert kept[0]() is None


def test_an_op_raises_its_own_error() -> None:
    program = Program([Step(ADD, (Ref(0), Ref(1), 1), (2,))], 3, 2, (2,))
    with pytest.raises(ValueError) as eager:
        ADD(tensor(1, 2), tensor(1, 2, 3))
    with pytest.raises(ValueError) as run:
        program.run((tensor(1, 2), tensor(1, 2, 3)))
    assert str(run.value) == str(eager.value)


def test_programs_run_in_themselves_and_in_threads() -> None:
    inner = affine()
    outer = Program([Step(lambda *a: inner.run(a), (Ref(0), Ref(1), Ref(2)), (3,))], 4, 3, (3,))
    want = inner.run((tensor(1), tensor(2), tensor(3)))[0].asnumpy()
    results: list[bool] = []

    def work() -> None:
        for _ in range(50):
            results.append(np.array_equal(outer.run((tensor(1), tensor(2), tensor(3)))[0].asnumpy(), want))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 200


@pytest.mark.parametrize(
    "make",
    [
        lambda: Program([Step(ADD, (Ref(0), Ref(5), 1), (1,))], 2, 1, (1,)),
        lambda: Program([Step(ADD, (Ref(0), Ref(0), 1), (2,))], 2, 1, (1,)),
        lambda: Program([Step(ADD, (Ref(0), Ref(0), 1), (1,), (-1,))], 2, 1, (1,)),
        lambda: Program([Step(print, ([Ref(9)],), (1,))], 2, 1, (1,)),
        lambda: Program([], 1, 2, ()),
        lambda: Program([], 1, 1, (1,)),
        lambda: Program([], 1, 1, (0,), ((3, None),)),
        lambda: Step(ADD, (Ref(0),), (1,)),
    ],
)
def test_wrong_programs_are_refused(make: Any) -> None:
    with pytest.raises(ValueError, match=r"register|arguments"):
        make()
    with pytest.raises(TypeError, match="callable"):
        Step(3, (), ())


def test_wrong_runs_are_refused() -> None:
    with pytest.raises(ValueError, match="3 inputs, but got 1"):
        affine().run((tensor(1),))
    with pytest.raises(ValueError, match="before it is filled"):
        Program([Step(TANH, (Ref(1),), (1,))], 2, 1, (1,)).run((tensor(1),))
    with pytest.raises(ValueError, match="no step filled it"):
        Program([], 2, 1, (1,)).run((tensor(1),))
    with pytest.raises(ValueError, match="must give 2 results"):
        Program([Step(lambda a: (a,), (Ref(0),), (1, 2))], 3, 1, (1,)).run((tensor(1),))


@pytest.mark.parametrize(
    ("a", "b", "want"),
    [
        (1, 1, True),
        (1, True, False),
        (1, 1.0, False),
        (0.0, -0.0, False),
        (math.nan, float("nan"), True),
        (1 + 2j, 1 + 2j, True),
        (complex(0, 0.0), complex(0, -0.0), False),
        ("a" * 50, "".join(["a"] * 50), True),
        ((1, [2, "x"]), (1, [2, "x"]), True),
        ((1, [2, "x"]), (1, [True, "x"]), False),
        ((1, 2), (1, 2, 3), False),
        ((1,), [1], False),
        ({"a": 1}, {"a": 1}, True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, False),
        (slice(0, None), slice(0, None), True),
        (slice(0, 1), slice(False, 1), False),
        (range(3), range(3), True),
        (np.float32(1), np.float32(1), True),
        (np.float32(1), np.float64(1), False),
        (object(), object(), False),
        (None, None, True),
    ],
)
def test_same_value(a: Any, b: Any, want: bool) -> None:
    assert same_value(a, b) is want


def test_tensor_checks() -> None:
    x = tensor(1, 2)
    assert Check.tensor(Tensor, F32, (2,)).matches(x)
    assert Check.tensor(Tensor, F32, (-1,)).matches(x)
    assert Check.tensor(Tensor, F32, None).matches(x)
    assert not Check.tensor(Tensor, F32, (3,)).matches(x)
    assert not Check.tensor(Tensor, F32, (2, 1)).matches(x)
    assert not Check.tensor(Tensor, np.float64, (2,)).matches(x)
    assert not Check.tensor(Parameter, F32, (2,)).matches(x)
    assert not Check.tensor(Tensor, F32, (2,)).matches(np.ones(2, np.float32))
    assert not Check.tensor(Tensor, F32, (2,)).matches(None)


def test_structure_checks() -> None:
    (leaf,) = checks((1,))
    nested = Check.mapping(dict, {"a": Check.sequence(list, [leaf, Check.equal(3)]), "b": leaf})
    assert nested.inputs == 2
    assert nested.matches({"a": [tensor(1), 3], "b": tensor(2)})
    assert not nested.matches({"b": tensor(2), "a": [tensor(1), 3]})
    assert not nested.matches({"a": (tensor(1), 3), "b": tensor(2)})
    assert not nested.matches({"a": [tensor(1), 4], "b": tensor(2)})
    assert not nested.matches({"a": [tensor(1), 3, 4], "b": tensor(2)})
    assert not nested.matches({"a": [tensor(1), 3], "c": tensor(2)})
    assert Check.of_type(int).matches(5) and not Check.of_type(int).matches(True)
    marker = object()
    assert Check.same(marker).matches(marker) and not Check.same(marker).matches(object())
    assert Check.asks(lambda v: v > 3).matches(4) and not Check.asks(lambda v: v > 3).matches(3)
    with pytest.raises(TypeError, match="sequence"):
        Check.sequence(dict, [])
    with pytest.raises(TypeError, match="mapping"):
        Check.mapping(list, {})


def test_a_hit_runs_the_program_and_anything_else_misses() -> None:
    call = Counting(Entry(checks((2,), (2,), (2,)), affine(), rebuild="single"))
    x = tensor(1, 2)
    assert isinstance(call(x, x, x), Tensor)
    assert call.hits == 1
    for args, kwargs in [((x, x), {}), ((x, x, 1), {}), ((x, x, tensor(1)), {}), ((x, x, x), {"k": 1})]:
        assert call(*args, **kwargs) == "missed"
        assert call.missed[-1] == (args, kwargs)
    assert call.hits == 1


def test_results_take_their_form() -> None:
    double = Program([Step(ADD, (Ref(0), Ref(0), 1), (1,))], 2, 1, (1, 0))
    x = tensor(2)
    assert Counting(Entry(checks((1,)), double))(x)[1] is x
    rebuilt = Counting(Entry(checks((1,)), double, rebuild=lambda outs: {"sum": outs[0]}))(x)
    assert list(rebuilt) == ["sum"]
    assert Counting(Entry([], Program([], 0, 0, ())))() == ()
    with pytest.raises(ValueError, match="one output"):
        Entry(checks((1,)), double, rebuild="single")
    with pytest.raises(ValueError, match="2 inputs, but the program takes 1"):
        Entry(checks((1,), (1,)), double)


def test_keywords_in_any_order_and_nested_inputs() -> None:
    program = Program([Step(lambda a, b, c: a * 100 + b * 10 + c, (Ref(0), Ref(1), Ref(2)), (3,))], 4, 3, (3,))
    one, two, three = checks((1,), (1,), (1,))
    entry = Entry([one], program, keywords={"p": Check.sequence(tuple, [two]), "q": three}, rebuild="single")
    call = Counting(entry)
    got = call(tensor(1), q=tensor(3), p=(tensor(2),))
    assert got.asnumpy()[0] == 123
    assert [t.asnumpy()[0] for t in entry.input_tensors((tensor(1),), {"q": tensor(3), "p": (tensor(2),)}) or ()] == [
        1,
        2,
        3,
    ]
    assert entry.input_tensors((tensor(1),), {"q": tensor(3)}) is None
    assert call(tensor(1), tensor(2), tensor(3)) == "missed"


def test_guards() -> None:
    class Holder:
        scale = 2

    holder, names = Holder(), {"k": 1.5}
    flags = [True]
    guards = [(names, "k", 1.5), (names, "absent", MISSING), (holder, "scale", 2), lambda: flags[0]]
    call = Counting(Entry(checks((1,)), Program([], 1, 1, (0,)), guards=guards, rebuild="single"))
    x = tensor(1)
    assert call(x) is x
    for change, undo in [
        (lambda: names.update(k=2.5), lambda: names.update(k=1.5)),
        (lambda: names.update(absent=None), lambda: names.pop("absent")),
        (lambda: setattr(holder, "scale", 3), lambda: delattr(holder, "scale")),
        (lambda: flags.__setitem__(0, False), lambda: flags.__setitem__(0, True)),
    ]:
        change()
        assert call(x) == "missed"
        undo()
        assert call(x) is x


def test_captured_tensors_are_guarded() -> None:
    w = tensor(1, 2)
    check = Check.tensor(Tensor, F32, (2,), input=False)
    call = Counting(Entry([], Program([], 1, 0, (0,), ((0, w),)), captured=[(w, check)], rebuild="single"))
    assert call() is w
    w._set(np.ones(3, np.float32))
    assert call() == "missed"
    with pytest.raises(ValueError, match="must not make an input"):
        Entry([], Program([], 0, 0, ()), captured=[(w, checks((2,))[0])])


def test_the_same_tensor_twice() -> None:
    call = Counting(Entry(checks((1,), (1,)), Program([], 2, 2, (1,)), same=[(0, 1)], rebuild="single"))
    x = tensor(1)
    assert call(x, x) is x
    assert call(x, tensor(1)) == "missed"
    with pytest.raises(ValueError, match="no inputs 0 and 2"):
        Entry(checks((1,), (1,)), Program([], 2, 2, (1,)), same=[(0, 2)])


def test_the_fitting_one_of_many_entries() -> None:
    entries = [Entry(checks((n,)), Program([], 1, 1, (0,)), note=n, rebuild=lambda out, n=n: n) for n in range(1, 9)]
    call = Counting(*entries)
    for n in [1, 8, 8, 3, 4, 1, 2, 8]:
        assert call(tensor(*range(n))) == n
    assert call(tensor(*range(9))) == "missed"


class Everything:
    """An observer that lets all calls through."""

    whole = watches = False

    def call(self, op: Any, args: tuple[Any, ...]) -> Any:
        return ms_kernels.core.dispatch.dispatch(op, args)


class Elsewhere:
    """A target that runs ops as the CPU does."""

    same: frozenset[str] = frozenset()
    composites: dict[str, Any] = {}

    def run(self, op: Any, values: list[Any]) -> Any:
        return op.body(*values)


def test_observers_and_other_targets_miss() -> None:
    x, target = tensor(1), Elsewhere()
    call = Counting(Entry(checks((1,)), Program([], 1, 1, (0,)), rebuild="single"))
    assert call(x) is x
    with scope(observer=Everything()):  # type: ignore[arg-type]
        assert call(x) == "missed"
    with scope(target=target):
        assert call(x) == "missed"
    call.entries += (Entry(checks((1,)), Program([], 1, 1, (0,)), target=target, rebuild="single"),)
    with scope(target=target):
        assert call(x) is x
    process = ms_kernels.core.dispatch.process_target
    process.observer = Everything()  # type: ignore[assignment]
    try:
        assert call(x) == "missed"
    finally:
        process.observer = None
    process.target = target
    try:
        assert call(x) is x
    finally:
        process.target = None
    assert call(x) is x


def test_the_recorded_program_runs_for_what_is_on_the_tape() -> None:
    ran: list[str] = []

    def noted(name: str) -> Program:
        def double(a: Any) -> Any:
            ran.append(name)
            return a + a

        return Program([Step(double, (Ref(0),), (1,))], 2, 1, (1,))

    call = Counting(Entry(checks((1,)), noted("fused"), recorded=noted("steps"), rebuild="single"))
    x = tensor(3)
    call(x)
    gradient = ms_kernels.grad(lambda a: call(a).sum() + call(x).sum())(x)
    assert ran == ["fused", "steps", "fused"]
    assert gradient.asnumpy()[0] == 2
    weight = Parameter(tensor(1), name="w")
    check = Check.tensor(Parameter, F32, (1,), input=False)
    call = Counting(
        Entry(checks((1,)), noted("fused"), recorded=noted("steps"), captured=[(weight, check)], rebuild="single")
    )
    call(x)
    with scope(recording=True):
        call(x)
    assert ran[3:] == ["fused", "steps"]


def test_a_compiled_function_binds_as_a_method() -> None:
    class Model:
        forward = Counting()

    model = Model()
    assert Model.forward is Model.__dict__["forward"]
    assert model.forward(1) == "missed"
    assert Model.forward.missed == [((model, 1), {})]


def test_a_failing_hit_leaves_nothing_behind() -> None:
    def fail(a: Any) -> Any:
        raise KeyError("no")

    x = tensor(1)
    gone = weakref.ref(x)
    program = Program([Step(fail, (Ref(0),), (1,))], 200, 1, (1,))
    call = Counting(Entry(checks((1,)), program, guards=[lambda: True]))
    with pytest.raises(KeyError, match="no"):
        call(x)
    call.entries = (Entry(checks((1,)), program, guards=[lambda: 1 / 0 > 0]),)
    with pytest.raises(ZeroDivisionError):
        call(x)
    del x
    gc.collect()
    assert gone() is None


def test_a_compiled_function_is_freed() -> None:
    call = Counting(Entry(checks((1,)), Program([], 1, 1, (0,))))
    call.entries[0].note = call  # a cycle, as a function that is compiled holds its entries' owner
    gone = weakref.ref(call)
    del call
    gc.collect()
    assert gone() is None


def test_misses_need_a_subclass() -> None:
    with pytest.raises(NotImplementedError, match="defines miss"):
        Compiled()()


def doubled() -> tuple[Block, Program]:
    """tanh(x) + x as a block and as a program"""
    block = Block((F32,), (), (("tanh", (0,), F32), ("add", (1, 0), F32)), (2,))
    steps = [Step(TANH, (Ref(0),), (1,)), Step(ADD, (Ref(1), Ref(0), 1), (1,), (0,))]
    return block, Program(steps, 2, 1, (1,))


def test_a_block_stands_for_its_ops() -> None:
    made: list[Program] = []

    def single() -> Program:
        made.append(doubled()[1])
        return made[-1]

    fused = Fused(doubled()[0], single)
    program = Program([Step(fused, (Ref(0),), (1,))], 2, 1, (1,))
    x = tensor(1, -2, 3)
    want = doubled()[1].run((x,))[0].asnumpy()
    assert np.array_equal(program.run((x,))[0].asnumpy(), want)
    assert not made
    assert fused.name == "fused tanh+add" and repr(fused) == "<fused tanh+add>"
    gradient = ms_kernels.grad(lambda a: program.run((a,))[0].sum())(x)
    assert np.allclose(gradient.asnumpy(), 2 - np.tanh(x.asnumpy()) ** 2, rtol=1e-6)
    assert len(made) == 1
    double = Tensor(np.array([1.0, -2.0]))
    assert program.run((double,))[0].asnumpy().dtype == np.float64
    assert len(made) == 1 and fused.plain is made[0]


def test_a_block_with_several_results() -> None:
    block = Block((F32,), (), (("tanh", (0,), F32), ("add", (1, 0), F32)), (2,), ((1, "sum", -1, False),))
    single = Program(
        [
            Step(TANH, (Ref(0),), (1,)),
            Step(ADD, (Ref(1), Ref(0), 1), (2,)),
            Step(ops_by_name["sum"], (Ref(1), None, False, None, True), (1,)),
        ],
        3,
        1,
        (2, 1),
    )
    program = Program([Step(Fused(block, lambda: single), (Ref(0),), (1, 2))], 3, 1, (1, 2))
    for x in (tensor(1, -2, 3), Tensor(np.ones((2, 3)))):
        got, want = program.run((x,)), single.run((x,))
        assert all(np.array_equal(a.asnumpy(), b.asnumpy()) for a, b in zip(got, want, strict=True))


def test_a_program_that_does_not_stand_for_the_block() -> None:
    with pytest.raises(ValueError, match="does not stand for the block"):
        Fused(doubled()[0], affine).plain  # noqa: B018


def test_references_are_given_back() -> None:
    x, y = tensor(1, 2), tensor(1, 2, 3)
    nested = Check.sequence(list, checks((2,), (2,)))
    program = Program([Step(ADD, (Ref(0), Ref(1), 1), (2,))], 3, 2, (2, 0))
    call = Counting(
        Entry([nested], program, guards=[(globals(), "nothing", MISSING)]),
        Entry([nested, *checks((3,))], Program([], 3, 3, (2,)), same=[(0, 1)], rebuild="single"),
    )
    failing = Counting(Entry([nested], program, guards=[lambda: 1 / 0 > 0]))
    before = sys.getrefcount(x), sys.getrefcount(y)
    for _ in range(100):
        call([x, x])
        call([x, x], y)
        assert call([x, y]) == "missed"
        assert call([x, x], x) == "missed"
        call.missed.clear()
        with pytest.raises(ZeroDivisionError):
            failing([x, x])
    assert (sys.getrefcount(x), sys.getrefcount(y)) == before
    assert call.hits == 200
