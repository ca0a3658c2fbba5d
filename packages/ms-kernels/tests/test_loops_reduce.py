"""Reductions against NumPy in float64."""

from __future__ import annotations

import itertools
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from ms_kernels.core import runtime
from ms_kernels.loops import reduce as loops

BF16 = np.dtype(ml_dtypes.bfloat16)
DTYPES = [np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.float16), BF16]
EPS = {"float32": 2**-23, "float64": 2**-52, "float16": 2**-10, "bfloat16": 2**-7}


def logsumexp(x: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    return np.log(np.sum(np.exp(x), axis=axis, keepdims=keepdims))


ORACLES: dict[str, Any] = {
    "sum": np.sum,
    "mean": np.mean,
    "prod": np.prod,
    "max": np.max,
    "min": np.min,
    "sumsq": lambda x, axis, keepdims: np.sum(x * x, axis=axis, keepdims=keepdims),
    "l2norm": lambda x, axis, keepdims: np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims)),
    "logsumexp": logsumexp,
}
Array = np.ndarray[Any, np.dtype[Any]]


def subsets(nd: int) -> list[tuple[int, ...]]:
    return [c for n in range(nd + 1) for c in itertools.combinations(range(nd), n)]


def inputs(dtype: np.dtype[Any], seed: int = 0) -> list[Array]:
    """Arrays of every layout: contiguous, transposed, stepped, reversed, broadcast, one item, no dimension."""
    rng = np.random.default_rng(seed)

    def draw(*shape: int) -> Array:
        return rng.uniform(0.5, 1.5, shape).astype(dtype)

    return [
        draw(3, 4, 5),
        draw(2, 3, 40).transpose(2, 0, 1),
        draw(6, 50)[::2, ::3],
        draw(9, 33)[::-1, ::-1],
        np.broadcast_to(draw(4, 1, 9), (4, 3, 9)),
        draw(70, 300),
        draw(5, 7, 2, 3),
        draw(1, 1),
        draw(),
        draw(1000)[1:],
    ]


def close(got: Array, want: Any, dtype: np.dtype[Any], ulps: float = 4) -> None:
    want = np.asarray(want, np.float64)
    assert got.dtype == dtype
    assert got.shape == want.shape
    np.testing.assert_allclose(got.astype(np.float64), want, rtol=ulps * EPS[dtype.name], atol=ulps * EPS[dtype.name])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", ORACLES)
def test_all_layouts_and_axes(name: str, dtype: np.dtype[Any], engine: None) -> None:
    for x in inputs(dtype):
        wide = x.astype(np.float64)
        for axes in subsets(x.ndim):
            for keepdims in (False, True):
                with np.errstate(over="ignore"):
                    want = ORACLES[name](wide, axis=axes, keepdims=keepdims) if axes or name != "logsumexp" else wide
                got = loops.reduce(name, x, axes, keepdims)
                if name == "prod" and dtype.itemsize == 2:
                    want = np.asarray(want).astype(np.float32).astype(dtype).astype(np.float64)
                close(got, want, dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("correction", [0, 1, 2])
def test_var(dtype: np.dtype[Any], correction: int, engine: None) -> None:
    for x in inputs(dtype):
        for axes in subsets(x.ndim):
            n = int(np.prod([x.shape[a] for a in axes]))
            got = loops.var(x, axes, correction)
            if n <= correction:
                squares = np.var(x.astype(np.float64), axis=axes)
                assert (np.isnan(got) | (np.isinf(got) & (squares > 0))).all()
            else:
                close(got, np.var(x.astype(np.float64), axis=axes, ddof=correction), dtype)


def test_var_keeps_its_digits_far_from_zero() -> None:
    x = np.random.default_rng(0).standard_normal(300_000) + 1e7
    # means of blocks are known to 1e-9, their spread is 1/2000 of the variance
    np.testing.assert_allclose(loops.var(x, (0,), 0), np.var(x - 1e7), rtol=1e-10)
    y = (np.random.default_rng(0).standard_normal((3000, 40)) + 1000).astype(np.float32)
    np.testing.assert_allclose(loops.var(y, (0,), 0), np.var(y.astype(np.float64), axis=0), rtol=1e-6)
    np.testing.assert_allclose(loops.var(y, (1,), 0), np.var(y.astype(np.float64), axis=1), rtol=1e-6)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_arg(name: str, dtype: np.dtype[Any], engine: None) -> None:
    rng = np.random.default_rng(1)
    whole = rng.integers(-9, 9, (13, 300, 4)).astype(dtype)
    with_nan = whole.copy()
    with_nan[rng.uniform(size=whole.shape) < 0.01] = np.nan
    low = np.full((3, 20), -np.inf if name == "argmax" else np.inf, dtype)
    long = rng.integers(0, 3, (1, 200_000)).astype(dtype)
    for x in (whole, with_nan, whole.transpose(1, 2, 0), whole[:, ::-3], low, long):
        for axis in range(x.ndim):
            for keepdims in (False, True):
                got = getattr(loops, name)(x, axis, keepdims)
                assert got.dtype == np.int64
                want = getattr(np, name)(x.astype(np.float64), axis=axis, keepdims=keepdims)
                np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("name", ["any", "all"])
def test_logic(name: str, engine: None) -> None:
    rng = np.random.default_rng(2)
    for dtype in (bool, np.int32, np.float32, np.float16, BF16, np.complex64):
        for p in (0.01, 0.99):
            x = (rng.uniform(size=(7, 90, 3)) < p).astype(dtype)
            for y in (x, x.transpose(2, 1, 0), x[:, ::4]):
                for axes in subsets(3):
                    got = loops.reduce(name, y, axes)
                    assert got.dtype == bool
                    np.testing.assert_array_equal(got, getattr(np, name)(y.astype(bool), axis=axes))
    assert loops.reduce(name, np.array([np.nan, np.nan], np.float32), (0,)) == True  # noqa: E712


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint8, np.bool_, np.complex64], ids=str)
def test_other_types_go_to_numpy(dtype: Any) -> None:
    x = np.arange(24).reshape(2, 3, 4).astype(dtype)
    for name in ("sum", "prod"):
        got = loops.reduce(name, x, (1,))
        assert got.dtype == (np.int64 if dtype is np.bool_ else dtype)
        np.testing.assert_array_equal(got, getattr(np, name)(x, axis=1, dtype=got.dtype))
    np.testing.assert_array_equal(loops.reduce("max", x, (0, 2)), x.max(axis=(0, 2)))
    assert loops.argmax(x, 1).dtype == np.int64


def test_empty() -> None:
    for dtype in DTYPES:
        x = np.zeros((3, 0, 2), dtype)
        assert loops.reduce("sum", x, (1,)).tolist() == [[0, 0]] * 3
        assert loops.reduce("prod", x, (0, 1, 2)).tolist() == 1
        assert np.isnan(loops.reduce("mean", x, (1,)).astype(np.float64)).all()
        assert (loops.reduce("logsumexp", x, (1,)).astype(np.float64) == -np.inf).all()
        assert np.isnan(loops.var(x, (1,), 1).astype(np.float64)).all()
        assert loops.reduce("sum", x, (0,)).shape == (0, 2)
        assert loops.reduce("max", x, (0,), True).shape == (1, 0, 2)
        assert loops.argmax(x, 0).shape == (0, 2)
    none = np.zeros((0, 3), bool)
    assert loops.reduce("any", none, (0,)).tolist() == [False] * 3
    assert loops.reduce("all", none, (0,)).tolist() == [True] * 3


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_not_finite(dtype: np.dtype[Any], engine: None) -> None:
    for shape in ((5, 70), (70, 5), (3, 3000), (3000, 17)):
        for bad in ([np.nan], [np.inf], [-np.inf], [np.inf, -np.inf], [np.nan, np.inf]):
            x = np.random.default_rng(3).standard_normal(shape).astype(dtype)
            for i, b in enumerate(bad):
                x[i + 1, i + 2] = b
            for axis in (0, 1):
                for name in ("sum", "max", "min"):
                    with np.errstate(invalid="ignore"):
                        want = getattr(np, name)(x.astype(np.float64), axis=axis)
                    got = loops.reduce(name, x, (axis,)).astype(np.float64)
                    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
                    np.testing.assert_array_equal(got == np.inf, want == np.inf)
                    np.testing.assert_array_equal(got == -np.inf, want == -np.inf)


def test_logsumexp_extremes(engine: None) -> None:
    inf = np.inf
    pairs = [(-inf, -inf), (inf, 1), (inf, -inf), (np.nan, 1), (1000, 1000), (-1e30, -1e30), (88, -200)]
    x = np.array(pairs, np.float32)
    want = [-inf, inf, inf, np.nan, 1000 + np.log(2), -1e30, 88]
    for dtype in (np.float32, np.float64):
        y = x.astype(dtype)
        np.testing.assert_allclose(loops.reduce("logsumexp", y, (1,)), want, rtol=1e-6)
        wide = np.repeat(y.T[:, :, None], 3, axis=2).reshape(2, -1)
        np.testing.assert_allclose(loops.reduce("logsumexp", wide, (0,)), np.repeat(want, 3), rtol=1e-6)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_long_sums_are_accurate(dtype: np.dtype[Any]) -> None:
    x = np.random.default_rng(4).uniform(0, 1, 10_000_000).astype(dtype)
    exact = np.sum(x.astype(np.longdouble))
    if dtype == np.float16:
        assert loops.reduce("sum", x, (0,)) == np.inf
        got = loops.reduce("mean", x, (0,)).astype(np.longdouble)
        exact /= 10_000_000
    else:
        got = loops.reduce("sum", x, (0,)).astype(np.longdouble)
    assert abs(got - exact) <= 0.51 * EPS[dtype.name] * 2 * exact
    signs = x.astype(np.float32) - np.float32(0.5)
    total = np.sum(signs.astype(np.float64))
    assert abs(float(loops.reduce("sum", signs, (0,))) - total) <= abs(float(np.sum(signs)) - total) + 1e-3
    columns = np.full((1_000_000, 8), 0.1, np.float32)
    np.testing.assert_allclose(loops.reduce("sum", columns, (0,)), 1e6 * float(np.float32(0.1)), rtol=5e-7)
    columns = np.random.default_rng(4).uniform(0, 1, (500_000, 16)).astype(np.float32)
    np.testing.assert_allclose(loops.reduce("sum", columns, (0,)), columns.sum(axis=0, dtype=np.float64), rtol=1.2e-7)


def test_float64_sum_is_compensated() -> None:
    x = np.random.default_rng(5).standard_normal(1_000_000)
    exact = np.sum(x.astype(np.longdouble))
    assert abs(float(loops.reduce("sum", x, (0,))) - exact) <= abs(np.sum(x) - exact) + 1e-13


def test_squares_and_products_beyond_float32() -> None:
    x = np.array([1e30, 1e30], np.float32)
    np.testing.assert_allclose(loops.reduce("l2norm", x, (0,)), np.sqrt(2) * 1e30, rtol=1e-6)
    assert loops.reduce("prod", np.array([1e30, 1e30, 1e-30, 1e-30], np.float32), (0,)) == np.float32(1)


def test_same_bits_with_any_number_of_threads() -> None:
    rng = np.random.default_rng(6)
    before = runtime.get_threads()
    shapes = [(1_000_003,), (3, 400_001), (200_001, 5), (30_001, 40), (400, 3000)]
    arrays = [rng.standard_normal(s).astype(np.float32) for s in shapes]
    results = []
    for threads in (1, 2, 3):
        runtime.set_threads(threads)
        bits = [loops.var(x, (0,), 1).tobytes() for x in arrays]
        for name in ("sum", "logsumexp", "sumsq"):
            bits += [loops.reduce(name, x, (a,)).tobytes() for x in arrays for a in range(x.ndim)]
        results.append(bits)
    runtime.set_threads(before)
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", ["cumsum", "cumprod", "cummax", "cummin"])
def test_cumulate(name: str, dtype: np.dtype[Any], engine: None) -> None:
    for x in inputs(dtype, 7):
        wide = x.astype(np.float64)
        for axis in range(x.ndim):
            got = loops.cumulate(name, x, axis)
            if name in ("cumsum", "cumprod"):
                with np.errstate(over="ignore"):
                    close(got, getattr(np, name)(wide, axis=axis).astype(dtype), dtype)
                continue
            values, places = got
            close(values, (np.maximum if name == "cummax" else np.minimum).accumulate(wide, axis=axis), dtype, 0)
            np.testing.assert_array_equal(np.take_along_axis(wide, places, axis), values.astype(np.float64))


def test_cummax_places() -> None:
    nan = np.nan
    for dtype in (np.float32, np.int64):
        x = np.array([1, 3, 3, 2, 5, 1], dtype)
        assert loops.cumulate("cummax", x, 0)[1].tolist() == [0, 1, 2, 2, 4, 4]
        assert loops.cumulate("cummin", x, 0)[1].tolist() == [0, 0, 0, 0, 0, 5]
    values, places = loops.cumulate("cummax", np.array([1, nan, 5, nan, 7], np.float32), 0)
    np.testing.assert_array_equal(values, [1, nan, nan, nan, nan])
    assert places.tolist() == [0, 1, 1, 3, 3]
    np.testing.assert_array_equal(loops.cumulate("cummax", np.array([-np.inf, -np.inf], np.float32), 0)[1], [0, 1])


def test_cumulate_other_types_and_empty() -> None:
    x = np.arange(6, dtype=np.int32).reshape(2, 3)
    assert loops.cumulate("cumsum", x, 1).dtype == np.int32
    assert loops.cumulate("cumsum", x, 1).tolist() == [[0, 1, 3], [3, 7, 12]]
    assert loops.cumulate("cumsum", np.zeros((0, 3), np.float32), 1).shape == (0, 3)
    assert loops.cumulate("cumsum", np.full((), 3, np.float32), 0) == 3
