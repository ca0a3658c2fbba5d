"""Gather, scatter and row addition against NumPy indexing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from ms_kernels.core import runtime
from ms_kernels.loops import index as loops

BF16 = np.dtype(ml_dtypes.bfloat16)
ALL = [np.dtype(t) for t in ("f4", "f8", "f2", BF16, "i1", "i2", "i4", "i8", "u1", "u8", "?", "c8", "c16")]
Array = np.ndarray[Any, np.dtype[Any]]


@pytest.fixture(params=[1, 2])
def threads(request: pytest.FixtureRequest) -> Iterator[int]:
    before = runtime.get_threads()
    runtime.set_threads(request.param)
    yield request.param
    runtime.set_threads(before)


def draw(dtype: Any, *shape: int, seed: int = 0) -> Array:
    return np.random.default_rng([seed, *shape]).integers(0, 100, shape).astype(dtype)


def places(n: int, *shape: int, dtype: Any = np.int64, seed: int = 1) -> Array:
    return np.random.default_rng([seed, *shape]).integers(-n, n, shape).astype(dtype)


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_take(dtype: np.dtype[Any], threads: int) -> None:
    for shape in [(5,), (7, 3), (3, 6, 5), (2, 1, 4), (300, 200)]:
        x = draw(dtype, *shape)
        for axis in range(len(shape)):
            for ishape in [(), (4,), (2, 3), (0,), (1000,)]:
                for it in (np.int32, np.int64, np.int8):
                    idx = places(min(shape[axis], 100), *ishape, dtype=it)
                    got, bad = loops.take(x, idx, axis)
                    assert bad == -1
                    assert got is not None
                    assert got.dtype == dtype
                    np.testing.assert_array_equal(got, np.take(x, idx, axis))


def test_take_views(threads: int) -> None:
    x = draw(np.float32, 30, 40)
    for view in (x.T, x[::2, ::-3], np.broadcast_to(x[:, :1], (30, 40))):
        for axis in (0, 1):
            idx = places(view.shape[axis], 25)[::2]
            got, _ = loops.take(view, idx, axis)
            assert got is not None
            np.testing.assert_array_equal(got, np.take(view, idx, axis))


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_gather(dtype: np.dtype[Any], threads: int) -> None:
    shapes = [((5,), (9,)), ((7, 3), (7, 3)), ((3, 6, 5), (2, 6, 4)), ((300, 200), (300, 200)), ((4, 5), (0, 5))]
    for shape, ishape in shapes:
        x = draw(dtype, *shape)
        for axis in range(len(shape)):
            want_shape = tuple(n if k != axis else n + 2 for k, n in enumerate(ishape))
            idx = places(shape[axis], *want_shape)
            corner = x[tuple(slice(None) if k == axis else slice(0, n) for k, n in enumerate(want_shape))]
            got, bad = loops.gather(x, idx, axis)
            assert bad == -1
            assert got is not None
            assert got.dtype == dtype
            positive = np.where(idx < 0, idx + shape[axis], idx)
            np.testing.assert_array_equal(got, np.take_along_axis(corner, positive, axis))


def scatter_oracle(out: Array, idx: Array, src: Array, axis: int) -> Array:
    out = out.copy()
    grid: list[Any] = list(np.indices(idx.shape))
    grid[axis] = idx
    np.add.at(out, tuple(grid), src[tuple(slice(0, n) for n in idx.shape)])
    return out


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_scatter_add(dtype: np.dtype[Any], threads: int) -> None:
    wide = np.dtype(np.float64) if dtype in (np.float16, BF16) else dtype
    shapes = [
        ((5,), (900,)),
        ((7, 3), (7, 3)),
        ((3, 6, 5), (2, 6, 4)),
        ((60, 150), (60, 150)),
        ((4, 5), (0, 5)),
        ((1, 400), (1, 400)),
    ]
    for shape, ishape in shapes:
        for axis in range(len(shape)):
            if len(shape) == 1 or shape[axis] == ishape[axis]:
                out, src = draw(dtype, *shape), draw(dtype, *ishape, seed=2)
                idx = places(shape[axis], *ishape)
                want = scatter_oracle(out.astype(wide), idx, src.astype(wide), axis).astype(dtype)
                assert loops.scatter_add(out, idx, src, axis) == -1
                np.testing.assert_array_equal(out, want)


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_index_add(dtype: np.dtype[Any], threads: int) -> None:
    wide = np.dtype(np.float64) if dtype in (np.float16, BF16) else dtype
    for shape in [(5,), (7, 3), (3, 6, 5), (100, 8), (50, 130), (2, 300, 70)]:
        for axis in range(len(shape)):
            for n in (0, 1, 4, 90):
                src = draw(dtype, *shape[:axis], n, *shape[axis + 1 :], seed=2)
                out = draw(dtype, *shape)
                idx = places(shape[axis], n, dtype=np.int32)
                want = out.astype(wide)
                place: Any = (slice(None),) * axis + (idx,)
                np.add.at(want, place, src.astype(wide))
                assert loops.index_add(out, idx, src, axis) == -1
                np.testing.assert_array_equal(out, want.astype(dtype))


def test_adding_into_views(threads: int) -> None:
    views: list[Callable[[Array], Array]] = [lambda z: z.T, lambda z: z[::2, ::-3], lambda z: z[5:]]
    for view in views:
        base, again = draw(np.float32, 30, 40), draw(np.float32, 30, 40)
        out, want = view(base), view(again)
        idx, src = places(out.shape[0], *out.shape), draw(np.float32, *out.shape, seed=3)
        assert loops.scatter_add(out, idx, src, 0) == -1
        want[...] = scatter_oracle(want, idx, src, 0)
        np.testing.assert_array_equal(base, again)
        assert loops.index_add(out, idx[:, 0], src, 0) == -1
        np.add.at(want, idx[:, 0], src)
        np.testing.assert_array_equal(base, again)


@pytest.mark.parametrize("index_type", [np.int32, np.int64])
def test_broadcast_indices(index_type: Any, threads: int) -> None:
    x, src, out = draw(np.float32, 50, 90), draw(np.float32, 400, 90, seed=2), draw(np.float32, 50, 90)
    idx = np.repeat(places(50, 400, 1, dtype=index_type), 90, axis=1)
    idx[::3, 40] = 7  # and rows that only look alike at both ends
    got, _ = loops.gather(x, idx, 0)
    assert got is not None
    np.testing.assert_array_equal(got, np.take_along_axis(x, np.where(idx < 0, idx + 50, idx), 0))
    want = scatter_oracle(out, idx, src, 0)
    assert loops.scatter_add(out, idx, src, 0) == -1
    np.testing.assert_array_equal(out, want)


def test_embedding_gradient_with_matrix_of_ids(threads: int) -> None:
    out, ids, g = np.zeros((1000, 48), np.float32), places(1000, 20, 30), draw(np.float32, 20, 30, 48)
    assert loops.index_add(out, ids, g, 0) == -1
    want = np.zeros((1000, 48))
    np.add.at(want, ids, g)
    np.testing.assert_array_equal(out, want)


def test_16_bit_sums_are_rounded_once() -> None:
    for dtype in (np.float16, BF16):
        out = np.zeros((1, 2), dtype)
        assert loops.index_add(out, np.zeros(5000, np.int64), np.full((5000, 2), 1, dtype), 0) == -1
        assert out.tolist() == np.full((1, 2), 5000).astype(dtype).tolist()
        out = np.zeros(1, dtype)
        assert loops.scatter_add(out, np.zeros(5000, np.int64), np.full(5000, 1, dtype), 0) == -1
        assert out == np.array(5000).astype(dtype)


@pytest.mark.parametrize("it", [np.int8, np.int32, np.int64])
@pytest.mark.parametrize("value", [5, -6, 100, -100])
def test_out_of_bounds_is_reported_and_writes_nothing(it: Any, value: int) -> None:
    for at in (0, 3, 1500):
        idx = places(5, 2000, dtype=it)
        idx[at] = value
        x, src = draw(np.float32, 5, 3), draw(np.float32, 2000, 3)
        before = x.copy()
        assert loops.first_bad(idx, 5) == at
        assert loops.take(x, idx, 0) == (None, at)
        assert loops.gather(x, idx[:, None], 0) == (None, at)
        assert loops.scatter_add(x, np.repeat(idx[:, None], 3, 1), src, 0) == at * 3
        assert loops.index_add(x, idx, src, 0) == at
        np.testing.assert_array_equal(x, before)
    assert loops.first_bad(np.zeros(0, np.int64), 0) == -1
    assert loops.take(np.zeros((0, 3), np.float32), np.zeros(1, np.int64), 0) == (None, 0)


def test_sums_do_not_depend_on_threads() -> None:
    rng = np.random.default_rng(0)
    before = runtime.get_threads()
    results = []
    idx, src = rng.integers(0, 40, 3000), rng.standard_normal((3000, 200)).astype(np.float32)
    for n in (1, 2, 3):
        runtime.set_threads(n)
        wide, narrow, flat = (np.zeros((40, c), np.float32) for c in (200, 8, 200))
        loops.index_add(wide, idx, src, 0)
        loops.index_add(narrow, idx, np.ascontiguousarray(src[:, :8]), 0)
        loops.scatter_add(flat, np.repeat(idx[:, None], 200, 1), src, 0)
        results.append((wide.tobytes(), narrow.tobytes(), flat.tobytes()))
    runtime.set_threads(before)
    assert results[0] == results[1] == results[2]
    assert results[0][0] == results[0][2]
