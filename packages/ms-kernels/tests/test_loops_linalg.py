"""Matrix products against NumPy in float64."""

from __future__ import annotations

import logging
import sys
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ms_kernels.core.runtime import empty, get_threads, set_threads
from ms_kernels.loops import blas
from ms_kernels.loops.linalg import matmul, set_blas

Array = np.ndarray[Any, np.dtype[Any]]
BF16 = np.dtype(ml_dtypes.bfloat16)
EPS = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24, "float64": 2.0**-53}
EPS |= {"complex64": 2.0**-22, "complex128": 2.0**-51}


@pytest.fixture(autouse=True, params=[1, 2], ids=["one", "two"])
def threads(request: pytest.FixtureRequest) -> Any:
    before = get_threads()
    set_threads(request.param)
    yield request.param
    set_threads(before)


@pytest.fixture(params=[True, False], ids=["blas", "own"])
def kernel(request: pytest.FixtureRequest) -> Any:
    set_blas(request.param)
    yield request.param
    set_blas(True)


def wide(a: Array) -> Array:
    return a.astype(np.complex128 if a.dtype.kind == "c" else np.float64)


def check(a: Array, b: Array, **kw: bool) -> None:
    got = matmul(a, b, **kw)
    left = wide(np.swapaxes(a, -1, -2) if kw.get("transpose_a") else a)
    right = wide(np.swapaxes(b, -1, -2) if kw.get("transpose_b") else b)
    want = left @ right
    assert got.dtype == a.dtype
    assert got.shape == want.shape
    # a sum of k products: k roundings of the accumulator, one of the result
    eps = EPS[a.dtype.name]
    bound = (np.abs(left) @ np.abs(right)) * (left.shape[-1] + 2) * max(eps if eps < 2.0**-12 else 2.0**-24, 2.0**-53)
    if eps >= 2.0**-12:
        bound = bound + np.abs(want) * eps * 1.01 + 2.0**-24
    assert np.all(np.abs(wide(got) - want) <= bound)


def fill(shape: tuple[int, ...], dtype: Any, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    real = rng.standard_normal(shape)
    return (real + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else real).astype(dtype)


@pytest.mark.parametrize("dtype", ["float16", BF16, "float32", "float64", "complex64", "complex128"], ids=str)
@pytest.mark.parametrize(
    "m, n, k",
    [(1, 1, 1), (3, 5, 7), (64, 1, 33), (1, 70, 9), (300, 1, 700), (1, 300, 700), (65, 130, 300), (128, 96, 513)],
)
def test_sizes(kernel: bool, dtype: Any, m: int, n: int, k: int) -> None:
    check(fill((m, k), dtype, 1), fill((k, n), dtype, 2))


@given(st.data())
@settings(max_examples=80, deadline=None)
def test_batches_and_strides(data: st.DataObject) -> None:
    dims = st.integers(1, 3)
    m, n, k = (data.draw(st.integers(0, 9)) for _ in range(3))
    batch = tuple(data.draw(st.lists(dims, max_size=3)))
    lead = [
        tuple(1 if data.draw(st.booleans()) else d for d in batch[data.draw(st.integers(0, len(batch))) :])
        for _ in "ab"
    ]
    dtype = data.draw(st.sampled_from(["float32", "float64", "float16", BF16]))
    ta, tb = data.draw(st.booleans()), data.draw(st.booleans())
    a = fill(lead[0] + ((k, m) if ta else (m, k)), dtype, 3)
    b = fill(lead[1] + ((n, k) if tb else (k, n)), dtype, 4)
    layout = data.draw(st.sampled_from(["plain", "reversed", "sparse", "fortran", "broadcast"]))
    if layout == "reversed":
        a, b = a[..., ::-1], b[..., ::-1, :]
    elif layout == "sparse":
        a, b = np.repeat(a, 2, -1)[..., ::2], np.repeat(b, 3, -2)[..., ::3, :]
    elif layout == "fortran":
        a, b = np.asfortranarray(a), np.asfortranarray(b)
    elif layout == "broadcast" and m and k:
        a = np.broadcast_to(a[..., :1, :], a.shape)
    set_blas(data.draw(st.booleans()))
    try:
        check(a, b, transpose_a=ta, transpose_b=tb)
    finally:
        set_blas(True)


def test_vectors() -> None:
    a, b = fill((4, 3), "float32", 5), fill((3,), "float32", 6)
    np.testing.assert_allclose(matmul(a, b), a @ b, rtol=1e-6)
    np.testing.assert_allclose(matmul(b, a.T), b @ a.T, rtol=1e-6)
    assert matmul(b, b).shape == ()
    np.testing.assert_allclose(matmul(b, b), b @ b, rtol=1e-6)
    assert matmul(fill((2, 5, 4, 3), "float32", 7), b).shape == (2, 5, 4)


def test_empty() -> None:
    assert matmul(np.ones((0, 3), "float32"), np.ones((3, 2), "float32")).shape == (0, 2)
    assert matmul(np.ones((2, 0), "float32"), np.ones((0, 2), "float32")).tolist() == [[0, 0], [0, 0]]
    assert matmul(np.ones((0, 2, 3), BF16), np.ones((3, 2), BF16)).shape == (0, 2, 2)


def test_integers() -> None:
    a = np.arange(6).reshape(2, 3)
    assert matmul(a, a, transpose_b=True).tolist() == (a @ a.T).tolist()


def test_nan_and_infinity_pass(kernel: bool) -> None:
    a = np.array([[np.nan, 1.0], [np.inf, 0.0]], "float32")
    got = matmul(a, np.eye(2, dtype="float32"))
    assert np.isnan(got[0]).all()
    assert got[1, 0] == np.inf


@pytest.mark.parametrize("dtype", ["float16", BF16], ids=str)
def test_every_16_bit_number_survives(dtype: Any) -> None:
    bits = np.arange(65536, dtype=np.uint16)
    every = bits.view(dtype).reshape(-1, 1)
    got = matmul(every, np.ones((1, 1), dtype)).reshape(-1)
    nan = np.isnan(every.reshape(-1).astype("float32"))
    assert np.isnan(got[nan].astype("float32")).all()
    kept = np.where(bits == 0x8000, 0, bits)[~nan]  # 0 + -0 is 0
    assert np.array_equal(np.where(got.view(np.uint16) == 0x8000, 0, got.view(np.uint16))[~nan], kept)


@pytest.mark.parametrize("dtype", ["float16", BF16], ids=str)
def test_result_is_rounded_once(dtype: Any) -> None:
    # 1 + 2^-k sums: exact in float32, ties and near ties of the 16-bit type among them
    a = fill((200, 2), "float32", 8).astype(dtype)
    b = fill((2, 50), "float32", 9).astype(dtype)
    exact = a.astype("float64") @ b.astype("float64")
    single = np.float32(exact)
    safe = single.astype("float64") == exact  # float32 held the sum exactly
    assert safe.any()
    assert np.array_equal(matmul(a, b)[safe], single.astype(dtype)[safe])


def test_same_bits_again(threads: int) -> None:
    a, b = fill((257, 301), "float32", 10), fill((301, 129), "float32", 11)
    first = matmul(a, b)
    assert all(np.array_equal(first, matmul(a, b)) for _ in range(5))


@pytest.mark.parametrize("m, n", [(1, 20000), (20000, 1), (200, 150)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_old_memory_does_not_show(kernel: bool, m: int, n: int, dtype: str) -> None:
    a, b = np.ones((m, 7), dtype), np.ones((7, n), dtype)
    old = empty((m, n), dtype)
    old.fill(np.nan)
    del old  # its block is what the product gets
    assert (matmul(a, b) == 7).all()


def test_missing_blas_is_logged(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setitem(sys.modules, "scipy_openblas32", None)
    blas.addresses.cache_clear()
    with caplog.at_level(logging.WARNING, logger=blas.__name__):
        assert blas.addresses() == (0,) * 6
        assert not set_blas(True)
    assert "scipy-openblas32 cannot be used" in caplog.text
    check(fill((9, 8), "complex64", 12), fill((8, 7), "complex64", 13))
    check(fill((9, 8), "float32", 12), fill((8, 7), "float32", 13))
    monkeypatch.undo()
    blas.addresses.cache_clear()
    assert set_blas(True)
