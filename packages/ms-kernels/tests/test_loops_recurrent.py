"""The loop over steps: both instruction sets, any number of threads, sizes that fit no tile, 16-bit types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from ms_kernels.core.runtime import get_threads, set_threads
from ms_kernels.loops import recurrent
from ms_kernels.testing.samples.recurrent import CASES, GATES

SIZES = [(1, 1, 1), (3, 2, 5), (2, 7, 16), (3, 50, 17), (2, 101, 33)]
CLOSE = {"float32": 1e-5, "float64": 1e-12, "float16": 2e-3, "bfloat16": 2e-2}


@pytest.fixture(params=[False, True], ids=["native", "baseline"])
def baseline(request: pytest.FixtureRequest) -> Iterator[bool]:
    recurrent.use_baseline(request.param)
    yield request.param
    recurrent.use_baseline(False)


def operands(cell: str, steps: int, batch: int, size: int, dtype: Any = np.float32, lengths: bool = False) -> list[Any]:
    rng = np.random.default_rng(size)

    def draw(*shape: int) -> Any:
        return rng.uniform(-1, 1, shape).astype(dtype)

    gates = GATES[cell] * size
    cx = draw(batch, size) if cell == "lstm" else None
    # no weight is so large that states grow, no bias is left out
    weight = (draw(gates, size) / np.sqrt(size)).astype(dtype)
    counts = rng.integers(0, steps + 1, batch) if lengths else None
    return [draw(steps, batch, gates), draw(batch, size), cx, weight, draw(gates), counts]


def run(cell: str, reverse: bool, given: list[Any]) -> tuple[list[Any], list[Any]]:
    """All results of both directions of the loop: y, h, kept[, c], then the gradients."""
    x, h, c, w, b, counts = given
    found = recurrent.scan(cell, reverse, x, h, c, w, b, counts)
    ones = [np.ones_like(v) for v in (found[0], h, h)]
    gc = ones[2] if cell == "lstm" else None
    grads = recurrent.scan_grad(cell, reverse, ones[0], ones[1], gc, found[0], found[2], h, c, w, True, counts)
    return list(found), list(grads)


def wanted(cell: str, reverse: bool, given: list[Any]) -> tuple[list[Any], list[Any]]:
    """The same from the cases' oracles, in float64."""
    x, h, c, w, b, counts = (None if v is None else v.astype(np.float64) for v in given)
    y, last, cn, kept = CASES["recurrent_scan"].oracle(x, h, c, w, b, counts, cell, reverse)
    one = np.ones_like(h)
    dx, dh, dc, dw, db = CASES["recurrent_scan_grad"].oracle(
        np.ones_like(y), one, one, y, kept, h, c, w, counts, cell, reverse, True
    )
    lstm = cell == "lstm"
    return [y, last, kept, *([cn] if lstm else [])], [dx, dh, dw, db, *([dc] if lstm else [])]


@pytest.mark.usefixtures("baseline")
@pytest.mark.parametrize("cell", GATES)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("reverse", [False, True], ids=["forward", "reverse"])
def test_is_the_textbook_loop(cell: str, sizes: tuple[int, int, int], reverse: bool) -> None:
    for dtype in (np.float32, np.float64):
        given = operands(cell, *sizes, dtype, lengths=sizes[0] > 1)
        for got, expected in zip(run(cell, reverse, given), wanted(cell, reverse, given), strict=True):
            for one, other in zip(got, expected, strict=True):
                assert one.dtype == dtype
                scale = CLOSE[one.dtype.name] * max(1.0, float(np.abs(other).max(initial=0)))
                np.testing.assert_allclose(one, other, rtol=0, atol=scale)


@pytest.mark.parametrize("cell", GATES)
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_16_bit_types_are_float32_inside(cell: str, dtype: Any) -> None:
    given = operands(cell, 4, 5, 7, dtype)
    wide = [None if v is None else v.astype(np.float32) for v in given]
    got, expected = recurrent.scan(cell, False, *given), recurrent.scan(cell, False, *wide)
    for place, (one, other) in enumerate(zip(got, expected, strict=True)):
        assert one.dtype == (np.float32 if place == 2 else dtype)
        np.testing.assert_array_equal(one, other.astype(one.dtype))
    for one in run(cell, False, given)[1]:
        assert one.dtype == dtype


@pytest.mark.parametrize("cell", GATES)
def test_numbers_of_a_sequence_do_not_depend_on_threads_or_company(cell: str) -> None:
    before = get_threads()
    given = operands(cell, 6, 61, 40)
    try:
        set_threads(1)
        single = recurrent.scan(cell, False, *given)
        set_threads(2)
        double = recurrent.scan(cell, False, *given)
    finally:
        set_threads(before)
    x, h, c, w, b, _ = given
    alone = recurrent.scan(cell, False, x[:, 9:10], h[9:10], None if c is None else c[9:10], w, b, None)
    for one, two, three in zip(single, double, alone, strict=True):
        np.testing.assert_array_equal(one, two)
        np.testing.assert_array_equal(one[..., 9:10, :], three)


@pytest.mark.parametrize("cell", GATES)
def test_views_are_read_as_they_are(cell: str) -> None:
    given = operands(cell, 3, 4, 5)
    viewed = [np.repeat(v, 2, -1)[..., ::2] if v is not None and v.dtype == np.float32 else v for v in given]
    assert not viewed[0].flags.c_contiguous
    for one, two in zip(run(cell, True, given), run(cell, True, viewed), strict=True):
        for got, expected in zip(one, two, strict=True):
            np.testing.assert_array_equal(got, expected)


def test_infinities_and_nan_stay_in_their_sequence() -> None:
    for cell in GATES:
        given = operands(cell, 3, 4, 5)
        clean = recurrent.scan(cell, False, *given)[0]
        given[0][0, 1, 0], given[0][0, 2, 0] = np.nan, np.inf
        y = recurrent.scan(cell, False, *given)[0]
        np.testing.assert_array_equal(y[:, [0, 3]], clean[:, [0, 3]])
        assert np.isnan(y[:, 1]).any()
