"""Fused blocks: bit for bit the separate loops, for all dtypes, layouts, sizes and thread counts."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ms_kernels.core import runtime
from ms_kernels.loops import elementwise as ew
from ms_kernels.loops import reduce as reductions
from ms_kernels.loops.block import Block, limits, operation, rounded

F32, F64, F16 = np.dtype("f"), np.dtype("d"), np.dtype("e")
BF16, BOOL = np.dtype(ml_dtypes.bfloat16), np.dtype("?")
FLOATS = (F32, F64, F16, BF16)
UNARY, BINARY, TERNARY = ew.names()


@pytest.fixture(params=[1, 2, 3])
def threads(request: pytest.FixtureRequest) -> Iterator[int]:
    before = runtime.get_threads()
    runtime.set_threads(request.param)
    yield request.param
    runtime.set_threads(before)


def values(shape: Any, dtype: Any, seed: int = 0) -> Any:
    made = np.asarray(np.random.default_rng(seed).normal(size=shape) * 2)
    return np.asarray(made > 0) if dtype == BOOL else made.astype(dtype)


def separate(block: Block, arrays: Any) -> Any:
    """What a block gives, one loop after the other."""
    known = [*arrays, *[np.array(value, dtype) for value, dtype in block.constants]]
    for name, operands, dtype in block.steps:
        given = [known[k] for k in operands]
        if name == "where":
            out = ew.ternary("where", *given)
        elif name.startswith("logical"):
            out = getattr(np, name)(*given)
        elif name in ("copy", "from_bool"):
            out = ew.cast(given[0], dtype)
        else:
            out = {1: ew.unary, 2: ew.binary, 3: ew.ternary}[len(given)](name, *given)  # type: ignore[operator]
        known.append(out)
    made = [known[k] for k in block.outputs]
    for k, name, count, keepdims in block.reductions:
        ndim = known[k].ndim
        made.append(reductions.reduce(name, known[k], tuple(range(0 if count == -1 else ndim - count, ndim)), keepdims))
    return made


def bits(array: Any) -> Any:
    """The memory of an array, all NaNs made one."""
    array = np.array(array)
    if array.dtype != BOOL:
        array[array != array] = array.dtype.type("nan")
    return array.view(np.uint8) if array.ndim else np.frombuffer(array.tobytes(), np.uint8)


def assert_same(block: Block, arrays: Any) -> None:
    got = block.run(*arrays)
    for one, two in zip(got if isinstance(got, tuple) else (got,), separate(block, arrays), strict=True):
        assert one.dtype == two.dtype and one.shape == two.shape
        assert np.array_equal(bits(one), bits(two))


def chain(dtype: Any) -> Block:
    """gelu(x * w + b) * 0.1 - x, and the sum within it"""
    steps = (
        ("mul", (0, 1), dtype),
        ("add", (4, 2), dtype),
        ("gelu_erf", (5,), dtype),
        ("mul", (6, 3), dtype),
        ("sub", (7, 0), dtype),
    )
    return Block((dtype, dtype, dtype), ((0.1, dtype),), steps, (5, 8))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("size", [0, 1, 2, 15, 63, 64, 65, 511, 512, 513, 1023, 1024, 1025, 4097])
def test_sizes_around_the_borders_of_ranges(dtype: Any, size: int) -> None:
    assert_same(chain(dtype), [values(size, dtype, k) for k in range(3)])


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize(
    "shapes",
    [
        ((7, 300), (300,), ()),
        ((7, 300), (7, 1), (1, 300)),
        ((300, 7), (7,), (300, 1)),
        ((3, 1, 50), (4, 1), (1,)),
        ((), (), ()),
        ((1, 1), (1,), ()),
        ((2, 3, 4), (3, 1), (2, 1, 4)),
        ((0, 5), (5,), ()),
        ((2, 2000), (2000,), (2, 1)),
    ],
)
def test_broadcast_operands(dtype: Any, shapes: Any) -> None:
    arrays = [values(shape, dtype, k) for k, shape in enumerate(shapes)]
    block = chain(dtype)
    assert_same(Block(block.inputs, block.constants, block.steps, (8,)), arrays)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_strided_operands(dtype: Any) -> None:
    x, w, b = values((90, 80), dtype).T, values((80, 180), dtype)[:, ::2], values((80, 90), dtype)[::-1]
    assert_same(chain(dtype), [x, w, b])


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_threads(threads: int, dtype: Any) -> None:
    assert_same(chain(dtype), [values((300, 1001), dtype), values(1001, dtype, 1), values((300, 1), dtype, 2)])


def test_results_too_large_for_the_cache() -> None:
    x, w = values((1 << 22) + 3, F32), values((1 << 22) + 3, F32, 1)
    steps = (("add", (0, 1), F32), ("gt", (2, 0), BOOL), ("tanh", (2,), F32))
    assert_same(Block((F32, F32), (), steps, (2, 3, 4)), (x, w))
    half = (("add", (0, 0), F16), ("relu", (1,), F16))
    assert_same(Block((F16,), (), half, (2,)), (values((1 << 23) + 1, F16),))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", [*UNARY, *BINARY, *TERNARY])
def test_every_loop(name: str, dtype: Any) -> None:
    arity, to_bool, from_bool = operation(name, dtype == F64) or (0, False, 0)
    if name == "pow" and dtype.itemsize > 2:
        exponent = 1.5  # 2 is a square where it is a number
    else:
        exponent = 0.5
    inputs = tuple(BOOL if k < from_bool else dtype for k in range(arity))
    arrays = [values(777, kind, k) for k, kind in enumerate(inputs)]
    if not from_bool:
        arrays[0][:8] = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, 1e-4, 6e4]
    out = BOOL if to_bool else dtype
    steps = ((name, tuple(range(arity)), out),)
    with np.errstate(all="ignore"):
        assert_same(Block(inputs, (), steps, (arity,)), arrays)
        if arity == 2:
            assert_same(Block((dtype,), ((exponent, dtype),), ((name, (0, 1), out),), (2,)), arrays[:1])
            assert_same(Block((dtype,), ((exponent, dtype),), ((name, (1, 0), out),), (2,)), arrays[:1])


@pytest.mark.parametrize("dtype", [F16, BF16], ids=str)
def test_rounding_may_wait_for_what_only_moves_numbers(dtype: Any) -> None:
    steps = (
        ("mul", (0, 1), dtype),
        ("neg", (3,), dtype),
        ("relu", (4,), dtype),
        ("gt", (0, 1), BOOL),
        ("where", (6, 5, 3), dtype),
        ("abs", (7,), dtype),
        ("add", (8, 1), dtype),
        ("where", (6, 9, 8), dtype),
    )
    arrays = [values(5000, dtype, k) * dtype.type(10.0 ** (k - 6)) for k in range(3)]
    steps = (("add", (2, 0), dtype), *((n, tuple(k if k < 3 else k + 1 for k in o), d) for n, o, d in steps))
    for outputs in ((11,), (4, 11), (8, 5, 10, 11)):
        assert_same(Block((dtype,) * 3, (), (*steps, ("mul", (3, 11), dtype)), (*outputs, 12)), arrays)
    assert_same(Block((dtype,) * 3, (), (*steps, ("mul", (3, 11), dtype)), (12,), ((8, "sum", -1, False),)), arrays)


def test_bools_choices_and_casts() -> None:
    steps = (
        ("gt", (0, 1), BOOL),
        ("isnan", (0,), BOOL),
        ("logical_not", (4,), BOOL),
        ("logical_and", (3, 5), BOOL),
        ("logical_or", (6, 2), BOOL),
        ("logical_xor", (7, 3), BOOL),
        ("where", (8, 0, 1), F32),
        ("from_bool", (7,), F32),
        ("mul", (9, 10), F32),
        ("copy", (11,), F16),
        ("add", (12, 12), F16),
        ("copy", (13,), BF16),
        ("copy", (14,), F32),
    )
    block = Block((F32, F32, BOOL), (), steps, (8, 11, 13, 14, 15))
    x = values((33, 70), F32)
    x[::7] = np.nan
    assert_same(block, (x, values((33, 70), F32, 1), values((33, 70), BOOL, 2)))
    steps = (("from_bool", (0,), F64), ("where", (0, 1, 2), F64), ("copy", (3,), F64))
    assert_same(Block((BOOL, F64), (), steps, (3, 4)), (values(99, BOOL), values(99, F64)))


@st.composite
def programs(draw: Any) -> tuple[Block, list[Any]]:
    """A random block of two to thirty steps, each on any earlier values."""
    dtype = draw(st.sampled_from(FLOATS))
    shape = draw(st.sampled_from([(5,), (3, 40), (1030,), (2, 1, 300)]))
    inputs = draw(st.integers(1, 4))
    constants = draw(st.lists(st.sampled_from([0.5, -1.25, 3.0, 0.1]), max_size=3))
    steps: list[tuple[str, tuple[int, ...], Any]] = []
    known = inputs + len(constants)
    used: set[int] = set()
    bare = set(range(inputs, known))  # what depends on constants only
    for _ in range(draw(st.integers(2, 30))):
        name = draw(
            st.sampled_from(["add", "sub", "mul", "maximum", "tanh", "relu", "neg", "abs", "sigmoid", "lerp", "clamp"])
        )
        arity = (operation(name, False) or (0,))[0]
        operands = tuple(draw(st.integers(0, known + len(steps) - 1)) for _ in range(arity))
        if bare.issuperset(operands):
            operands = (0, *operands[1:])
        used.update(operands)
        steps.append((name, operands, dtype))
    last = known + len(steps) - 1
    outputs = [k for k in range(known, last + 1) if k not in used or k == last or draw(st.integers(0, 9)) == 0]
    assume(len(outputs) <= limits()[1])
    arrays = [values(shape, dtype, k) for k in range(inputs)]
    if draw(st.booleans()):
        arrays[-1] = values(shape[-1:], dtype, 9)
    return Block((dtype,) * inputs, tuple((c, dtype) for c in constants), tuple(steps), tuple(outputs)), arrays


@given(programs())
def test_random_blocks(case: tuple[Block, list[Any]]) -> None:
    block, arrays = case
    with np.errstate(all="ignore"):
        want = separate(block, arrays)
        whole = np.broadcast_shapes(*[a.shape for a in arrays])
        if any(out.shape != whole for out in want):
            with pytest.raises(ValueError, match="that broadcast"):
                block.run(*arrays)
            return
        got = block.run(*arrays)
    for one, two in zip(got if isinstance(got, tuple) else (got,), want, strict=True):
        assert np.array_equal(bits(one), bits(two))


SINKS = ("sum", "mean", "max", "min", "prod")


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize(
    ("shape", "count"),
    [
        ((7, 300), 1),
        ((300, 7), 1),
        ((5, 513), 1),
        ((3, 5000), 1),
        ((9, 40, 30), 2),
        ((2, 3, 400), 1),
        ((130_000,), 1),
        ((2, 70_001), 1),
        ((4, 33), -1),
        ((5000,), -1),
        ((1, 1), -1),
        ((), -1),
        ((100, 33), 1),
    ],
)
def test_reductions_at_the_end(threads: int, dtype: Any, shape: Any, count: int) -> None:
    arrays = values(shape, dtype), values(shape[-1:], dtype, 1)
    steps = (("sub", (0, 1), dtype), ("mul", (2, 2), dtype), ("tanh", (3,), dtype))
    first = SINKS.index("sum" if count == 1 else "max")
    for one, two in (("sum", "max"), ("mean", "min"), ("prod", "sum"), (SINKS[first], SINKS[first])):
        sinks = ((3, one, count, False), (4, two, count, True))
        block = Block((dtype, dtype), (), steps, (), sinks)
        if len(shape) > 1 and dtype.itemsize == 2 and shape[-1] <= 32 and count == 1:
            with pytest.raises(ValueError, match="that broadcast"):  # these are reduced side by side
                block.run(*arrays)
            return
        with np.errstate(all="ignore"):
            assert_same(block, arrays)
            assert_same(Block((dtype, dtype), (), steps, (3, 4), sinks), arrays)
            assert_same(Block((dtype, dtype), (), steps, (4,), sinks[:1]), arrays)
            assert_same(Block((dtype, dtype), (), steps, (2,), (sinks[1], (4, one, count, False))), arrays)


def test_reductions_of_results_too_large_for_the_cache() -> None:
    x = values((2100, 2050), F32)
    steps = (("tanh", (0,), F32), ("add", (1, 0), F32))
    assert_same(Block((F32,), (), steps, (1, 2), ((1, "sum", 1, False), (2, "max", 1, False))), (x,))
    assert_same(Block((F32,), (), steps, (2,), ((2, "mean", -1, False),)), (x,))


def test_reductions_that_do_not_go_row_by_row_are_left() -> None:
    steps = (("neg", (0,), F32), ("abs", (1,), F32))
    block = Block((F32,), (), steps, (), ((2, "sum", 2, False),))
    for shape in ((4, 0, 3), (5,), (0, 2, 2)):
        with pytest.raises(ValueError, match="that broadcast"):
            block.run(values(shape, F32))
    assert_same(block, (values((3, 4, 5), F32),))


def test_more_values_than_registers_are_refused() -> None:
    count = limits()[3]
    steps = [("neg", (0,), F32) for _ in range(count)]
    total = 1
    for k in range(2, count + 1):
        steps.append(("add", (total, k), F32))
        total = len(steps)
    with pytest.raises(OverflowError, match="values at a time"):
        Block((F32,), (), tuple(steps), (total,))
    with pytest.raises(OverflowError, match="inputs"):
        Block((F32,) * 99, (), (("neg", (0,), F32),), (99,))


def test_a_long_chain_needs_few_registers() -> None:
    steps = tuple(("mul" if k % 2 else "add", (k and k + 1, 1), F32) for k in range(5000))
    assert_same(Block((F32,), ((0.75, F32),), steps, (5001,)), (values(100, F32),))


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: Block((F32,), (), (("nothing", (0,), F32),), (1,)), "no loop"),
        (lambda: Block((F32,), (), (("add", (0,), F32),), (1,)), "no loop 'add' for 1"),
        (lambda: Block((F32,), (), (("neg", (1,), F32),), (1,)), "operand 0"),
        (lambda: Block((F32,), (), (("gt", (0, 0), F32),), (1,)), "does not give"),
        (lambda: Block((F32,), (), (("neg", (0,), BOOL),), (1,)), "does not give"),
        (lambda: Block((BOOL,), (), (("neg", (0,), F32),), (1,)), "wrong kind"),
        (lambda: Block((F32, F64), (), (("add", (0, 1), F64),), (2,)), "cannot mix"),
        (lambda: Block((np.dtype("i"),), (), (("neg", (0,), F32),), (1,)), "no values of int32"),
        (lambda: Block((F32,), (), (("neg", (0,), F32),), (0,)), "results of steps"),
        (lambda: Block((F32,), ((1, F32),), (("neg", (1,), F32),), (2,)), "depends on an input"),
        (lambda: Block((F32,), (), (("neg", (0,), F32),), (1, 1)), "different values"),
        (lambda: Block((F32,), (), (("neg", (0,), F32), ("abs", (0,), F32)), (2,)), "nobody uses"),
        (lambda: Block((F32,), (), (("neg", (0,), F32),), (), ((1, "median", 1, False),)), "no reduction 'median'"),
        (
            lambda: Block((F32,), (), (("isnan", (0,), BOOL),), (), ((1, "sum", 1, False),)),
            "no reduction 'sum' of bool",
        ),
        (lambda: Block((F32,), (), (("neg", (0,), F32),), (), ((1, "sum", 0, False),)), "over some dimensions"),
        (lambda: Block((F32,), (), (("neg", (0,), F32),), (), ((0, "sum", 1, False),)), "results of steps"),
        (
            lambda: Block((F32,), (), (("neg", (0,), F32),), (), ((1, "sum", 1, False), (1, "sum", 2, False))),
            "same dimensions",
        ),
    ],
)
def test_wrong_blocks_are_refused(make: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        make()


def test_wrong_arrays_are_refused() -> None:
    block = chain(F32)
    x = values((3, 4), F32)
    with pytest.raises(ValueError, match="takes 3 arrays"):
        block.run(x, x)
    with pytest.raises(ValueError, match="takes 3 arrays"):
        block.run(x, x, 1.0)
    for other in (x.astype(F64), x[:2], x.astype(">f4")):
        with pytest.raises(ValueError, match="that broadcast, but got"):
            block.run(x, x, other)
    steps = (("neg", (0,), F32), ("add", (2, 1), F32))
    with pytest.raises(ValueError, match="that broadcast, but got"):
        Block((F32, F32), (), steps, (2, 3)).run(x[0], x)


def test_constants_are_rounded_as_beside_an_array() -> None:
    assert rounded(0.1, F64) == 0.1
    assert rounded(0.1, F32) == float(np.float32(0.1))
    assert rounded(0.1, BF16) == float(np.float32(0.1).astype(BF16))
    assert rounded(1e6, F16) == np.inf


def test_blocks_pickle() -> None:
    block = pickle.loads(pickle.dumps(chain(F16)))
    assert_same(block, [values(50, F16, k) for k in range(3)])
