"""Pooling against windows taken one by one."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ms_kernels.core.runtime import get_threads, set_threads
from ms_kernels.loops import pool

Array = np.ndarray[Any, np.dtype[Any]]
BF16 = np.dtype(ml_dtypes.bfloat16)


@pytest.fixture(autouse=True)
def threads() -> Any:
    before = get_threads()
    yield
    set_threads(before)


def last(place: tuple[Any, ...]) -> Any:
    """Index into the last axes."""
    return (Ellipsis, *place)


def length(n: int, k: int, s: int, pad: tuple[int, int], d: int, ceil: bool) -> int:
    """Counts window starts one after the other."""
    count = 0
    while True:
        first = count * s - pad[0]
        fits = first + d * (k - 1) + 1 <= n + pad[1]
        over = ceil and count > 0 and first < n and (count - 1) * s - pad[0] + d * (k - 1) + 1 < n + pad[1]
        if not (fits or over):
            return count
        count += 1


Window = tuple[tuple[int, ...], list[list[int]], int]


def windows(size: Any, kernel: Any, stride: Any, pads: Any, dilation: Any, ceil: bool) -> Iterator[Window]:
    """Place in the result, positions inside the input along each axis, size with the padding."""
    outs = [length(*a, ceil) for a in zip(size, kernel, stride, pads, dilation, strict=True)]
    for place in itertools.product(*(range(o) for o in outs)):
        inside, full = [], 1
        for n, k, s, pad, d, o in zip(size, kernel, stride, pads, dilation, place, strict=True):
            first = o * s - pad[0]
            inside.append([p for p in range(first, first + k * d, d) if 0 <= p < n])
            full *= min(first + k, n + pad[1]) - first
        yield place, inside, full


def adaptive_windows(size: Any, out: Any) -> Iterator[Window]:
    for place in itertools.product(*(range(o) for o in out)):
        inside = [
            [p for p in range(n) if p >= o * n // m and p * m < (o + 1) * n]
            for n, m, o in zip(size, out, place, strict=True)
        ]
        yield place, inside, 1


def check_max(x: Array, found: Any, plan: list[Window]) -> None:
    y, index = found
    axes = len(plan[0][0])
    flat = x.reshape(*x.shape[:-axes], -1)
    strides = [int(np.prod(x.shape[x.ndim - axes + i + 1 :])) for i in range(axes)]
    want, dx = np.empty(y.shape), np.zeros(flat.shape)
    for place, inside, _ in plan:
        spots = [sum(p * s for p, s in zip(at, strides, strict=True)) for at in itertools.product(*inside)]
        values = flat[..., spots].astype("float64")
        want[last(place)] = values.max(-1)
        nan = np.isnan(values).any(-1)
        first = np.asarray(spots)[values.argmax(-1)]
        assert np.array_equal(index[last(place)][~nan], first[~nan])
        for at in np.ndindex(*x.shape[:-axes]):
            dx[at + (index[at + place],)] += 1
    assert y.dtype == x.dtype
    assert np.array_equal(y.astype("float64"), want, equal_nan=True)
    assert np.array_equal(
        np.isnan(np.take_along_axis(flat, index.reshape(*x.shape[:-axes], -1), -1)).reshape(y.shape), np.isnan(y)
    )
    if x.ndim - axes == 2:
        got = pool.max_pool_grad(np.ones(y.shape, x.dtype), index, x.shape)
        assert np.array_equal(got.astype("float64").reshape(dx.shape), dx)


@st.composite
def cases(draw: st.DrawFn) -> dict[str, Any]:
    axes = draw(st.integers(1, 3))
    kernel = tuple(draw(st.integers(1, 4)) for _ in range(axes))
    case = {
        "kernel": kernel,
        "stride": tuple(draw(st.integers(1, 4)) for _ in range(axes)),
        "pads": tuple((draw(st.integers(0, k // 2)), draw(st.integers(0, k // 2))) for k in kernel),
        "dilation": tuple(draw(st.integers(1, 2)) for _ in range(axes)),
        "ceil": draw(st.booleans()),
        "size": tuple(draw(st.integers((k - 1) * 2 + 1, 9)) for k in kernel),
        "lead": tuple(draw(st.integers(1, 3)) for _ in range(2)),
        "dtype": draw(st.sampled_from(["float32", "float64", "float16", BF16])),
        "seed": draw(st.integers(0, 999)),
        "spread": draw(st.booleans()),
    }
    set_threads(draw(st.integers(1, 2)))
    return case


def array(case: dict[str, Any], shape: tuple[int, ...]) -> Array:
    x = np.random.default_rng(case["seed"]).integers(-4, 5, shape).astype(case["dtype"])  # many ties
    return np.repeat(x, 2, -1)[..., ::2] if case["spread"] else x


@given(cases(), st.booleans())
@settings(max_examples=80, deadline=None)
def test_max(case: dict[str, Any], with_nan: bool) -> None:
    x = array(case, case["lead"] + case["size"])
    if with_nan:
        x[(0, 0) + tuple(n // 2 for n in case["size"])] = np.nan
    flat_pads = tuple(itertools.chain(*case["pads"]))
    plan = list(windows(case["size"], case["kernel"], case["stride"], case["pads"], case["dilation"], case["ceil"]))
    kind = "int32" if case["seed"] % 2 else "int64"
    args = (x, case["kernel"], case["stride"], flat_pads, case["dilation"], case["ceil"])
    found = pool.max_pool(*args, True, kind)
    assert found[1].dtype == kind
    check_max(x, found, plan)
    assert np.array_equal(pool.max_pool(*args), found[0], equal_nan=True)


@given(cases(), st.booleans(), st.sampled_from([None, 3]))
@settings(max_examples=80, deadline=None)
def test_avg(case: dict[str, Any], include: bool, divisor: int | None) -> None:
    x = array(case, case["lead"] + case["size"])
    ones = (1,) * len(case["size"])
    plan = list(windows(case["size"], case["kernel"], case["stride"], case["pads"], ones, case["ceil"]))
    args = (case["kernel"], case["stride"], tuple(itertools.chain(*case["pads"])), case["ceil"], include, divisor)
    y = pool.avg_pool(x, *args)
    want, dx = np.zeros(y.shape), np.zeros(x.shape)
    dy = array({**case, "seed": 7, "spread": False}, y.shape)
    for place, inside, full in plan:
        count = int(np.prod([len(p) for p in inside]))
        over = divisor or (full if include else count)
        at = last(np.ix_(*inside))
        want[last(place)] = x[at].astype("float64").sum(tuple(range(2, x.ndim))) / over if count else 0
        dx[at] += dy[last(place)].astype("float64").reshape(*x.shape[:2], *ones) / over
    bound = {"float16": 2e-3, "bfloat16": 2e-2}.get(np.dtype(x.dtype).name, 1e-6)
    assert y.dtype == x.dtype
    np.testing.assert_allclose(y.astype("float64"), want, rtol=bound, atol=bound)
    got = pool.avg_pool_grad(dy, x.shape, *args)
    assert got.dtype == x.dtype
    np.testing.assert_allclose(got.astype("float64"), dx, rtol=bound, atol=bound * 8)


@given(cases(), st.integers(1, 12))
@settings(max_examples=60, deadline=None)
def test_adaptive(case: dict[str, Any], out: int) -> None:
    x = array({**case, "dtype": "float64"}, case["lead"] + case["size"])
    size = tuple(1 + (out + i) % 5 for i in range(len(case["size"])))
    plan = list(adaptive_windows(case["size"], size))
    check_max(x, pool.adaptive_max_pool(x, size, True), plan)
    y = pool.adaptive_avg_pool(x, size)
    dy = array({**case, "dtype": "float64", "seed": 5, "spread": False}, y.shape)
    dx = np.zeros(x.shape)
    for place, inside, _ in plan:
        at = last(np.ix_(*inside))
        np.testing.assert_allclose(y[last(place)], x[at].mean(tuple(range(2, x.ndim))), atol=1e-12)
        count = int(np.prod([len(p) for p in inside]))
        dx[at] += dy[last(place)].reshape(*x.shape[:2], *[1] * len(size)) / count
    np.testing.assert_allclose(pool.adaptive_avg_pool_grad(dy, x.shape), dx, atol=1e-12)


def test_minus_infinity_has_its_index() -> None:
    y, index = pool.max_pool(np.full((1, 1, 2, 2), -np.inf), (2, 2), (2, 2), (0, 0), return_indices=True)
    assert y.item() == -np.inf
    assert index.item() == 0


def test_leading_axes() -> None:
    x = np.arange(16.0)
    assert pool.max_pool(x, (4,), (4,), (0,)).tolist() == [3, 7, 11, 15]
    assert pool.avg_pool(x.reshape(4, 4), (2, 2), (2, 2), (0, 0)).tolist() == [[2.5, 4.5], [10.5, 12.5]]
    assert pool.max_pool(x.reshape(1, 2, 1, 2, 2, 2), (2, 2), (1, 1), (0, 0)).shape == (1, 2, 1, 2, 1, 1)


def test_integers() -> None:
    assert pool.max_pool(np.arange(4), (2,), (2,), (0,)).tolist() == [1, 3]
    assert pool.max_pool(np.arange(4), (2,), (2,), (0,)).dtype == np.arange(4).dtype


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_empty_batch(dtype: str) -> None:
    x = np.zeros((0, 2, 4, 4), dtype)
    y, index = pool.max_pool(x, (2, 2), (2, 2), (0, 0), return_indices=True)
    assert y.shape == index.shape == (0, 2, 2, 2)
    assert pool.max_pool_grad(y, index, x.shape).shape == x.shape
    assert pool.avg_pool(x, (2, 2), (2, 2), (0, 0)).shape == y.shape
    assert pool.avg_pool_grad(y, x.shape, (2, 2), (2, 2), (0, 0)).shape == x.shape
