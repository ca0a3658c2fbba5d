"""Softmax, normalisations and cross entropy against formulas in NumPy float64."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from ms_kernels.core import runtime
from ms_kernels.loops import norm as loops

DTYPES = [np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)]
EPS = {"float32": 2**-23, "float64": 2**-52, "float16": 2**-10, "bfloat16": 2**-7}
Array = np.ndarray[Any, np.dtype[Any]]
SHAPES = [(3, 4, 5), (2, 3, 130), (70, 300), (5, 1000), (3, 9000), (1,), (7, 1, 3), (2, 200, 70)]


def draw(dtype: Any, *shape: int, seed: int = 0) -> Array:
    return np.random.default_rng([seed, *shape]).standard_normal(shape).astype(dtype)


def close(got: Array, want: Array, dtype: Any, ulps: float = 6, scale: float = 1) -> None:
    dtype = np.dtype(dtype)
    assert got.dtype == dtype
    assert got.shape == want.shape
    tol = ulps * EPS[dtype.name]
    np.testing.assert_allclose(got.astype(np.float64), want, rtol=tol, atol=tol * scale)


def wide(x: Array) -> Array:
    return x.astype(np.float64)


def softmax(x: Array, axis: int) -> Any:
    e = np.exp(x - np.max(x, axis, keepdims=True))
    return e / np.sum(e, axis, keepdims=True)


def log_softmax(x: Array, axis: int) -> Any:
    d = x - np.max(x, axis, keepdims=True)
    return d - np.log(np.sum(np.exp(d), axis, keepdims=True))


def stat_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return dtype if dtype.itemsize == 8 else np.dtype(np.float32)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_softmax(dtype: np.dtype[Any], engine: None) -> None:
    for shape in SHAPES:
        x = (3 * draw(dtype, *shape)).astype(dtype)
        g = draw(dtype, *shape, seed=1)
        for axis in range(x.ndim):
            p, lp = softmax(wide(x), axis), log_softmax(wide(x), axis)
            y, ly = loops.softmax(x, axis), loops.log_softmax(x, axis)
            far = 1 + (wide(x).max(axis, keepdims=True) - wide(x)) / 8  # x - max is rounded before exp
            floor = 2**-24 if dtype == np.float16 else 0
            assert (np.abs(wide(y) - p) <= 4 * EPS[dtype.name] * p * far + floor).all()
            close(ly, lp, dtype)
            want = wide(y) * (wide(g) - np.sum(wide(g) * wide(y), axis, keepdims=True))
            close(loops.softmax_grad(g, y, axis), want, dtype)
            want = wide(g) - np.exp(wide(ly)) * np.sum(wide(g), axis, keepdims=True)
            close(loops.log_softmax_grad(g, ly, axis), want, dtype, scale=np.sqrt(shape[axis]))


def test_softmax_layouts_and_empty(engine: None) -> None:
    x = draw(np.float32, 40, 30)
    for view in (x.T, x[::2, ::-3], np.broadcast_to(x[:, :1], (40, 30))):
        for axis in (0, 1):
            close(loops.softmax(view, axis), softmax(wide(view), axis), np.float32)
            want = wide(view) * (wide(view) - np.sum(wide(view) ** 2, axis, keepdims=True))
            close(loops.softmax_grad(view, view, axis), want, np.float32, scale=40)
    assert loops.softmax(np.zeros((0, 3), np.float32), 1).shape == (0, 3)
    assert loops.log_softmax(np.zeros((3, 0), np.float32), 1).shape == (3, 0)
    assert loops.softmax(np.full((), 7, np.float32), 0) == 1
    assert loops.log_softmax(np.full((), 7, np.float32), 0) == 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_softmax_extremes(dtype: Any, engine: None) -> None:
    inf, nan = np.inf, np.nan
    rows = np.array([[-inf, 0, 1], [1e30, 1e30, -1e30], [-1e38, -1e38, -1e38], [0, -95, -100], [0, -104, -200]], dtype)
    for n in (3, 3 * 12):
        x = np.tile(rows, (1, n // 3))
        for y, axis in ((x, 1), (np.ascontiguousarray(x.T), 0)):
            want = softmax(wide(y), axis)
            np.testing.assert_allclose(loops.softmax(y, axis), want, rtol=1e-6, atol=2e-45)
            with np.errstate(divide="ignore"):
                want = log_softmax(wide(y), axis)
            np.testing.assert_allclose(loops.log_softmax(y, axis), want, rtol=1e-6, atol=1e-6)
    bad = np.array([[-inf] * 20, [inf] + [0] * 19, [nan] + [0] * 19, [0] * 19 + [nan]], dtype)
    for f in (loops.softmax, loops.log_softmax):
        assert np.isnan(f(bad, 1)[[0, 2, 3]]).all()
        assert np.isnan(f(np.ascontiguousarray(bad.T), 0)[:, [0, 2, 3]]).all()
        assert np.isnan(f(bad, 1)[1, 0])


def test_exp_is_accurate() -> None:
    x = np.linspace(-87, 0, 400_001, dtype=np.float32)
    both = np.repeat(np.stack([x, np.zeros_like(x)], 1), 8, axis=1)
    # softmax of (x, 0) is exp(x) / (1 + exp(x))
    np.testing.assert_allclose(loops.softmax(both, 1)[:, 0] * 8, 1 / (1 + np.exp(-wide(x))), rtol=4 * 2**-23)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("affine", [True, False])
def test_layer_and_rms_norm(dtype: np.dtype[Any], affine: bool, engine: None) -> None:
    st = stat_type(dtype)
    for shape, dims in [((6, 40), 1), ((3, 4, 5), 2), ((200, 77), 1), ((2, 5000), 1), ((3, 7), 2), ((40, 1024), 1)]:
        x = (draw(dtype, *shape) * 2 + 3).astype(dtype)
        dy = draw(dtype, *shape, seed=1)
        gamma = draw(st, *shape[len(shape) - dims :], seed=2) if affine else None
        beta = draw(st, *shape[len(shape) - dims :], seed=3) if affine else None
        axes = tuple(range(len(shape) - dims, len(shape)))
        outer = tuple(range(len(shape) - dims))
        w, g = wide(x), wide(dy) * (1 if gamma is None else wide(gamma))
        mean, var = w.mean(axes, keepdims=True), w.var(axes, keepdims=True)
        rstd = 1 / np.sqrt(var + 1e-5)
        xhat = (w - mean) * rstd
        y, m, r = loops.layer_norm(x, gamma, beta, 1e-5, dims)
        close(y, xhat * (1 if gamma is None else gamma) + (0 if beta is None else beta), dtype, scale=4)
        close(m, mean, st)
        close(r, rstd, st)
        dx, dgamma, dbeta = loops.layer_norm_grad(dy, x, m, r, gamma, dims)
        want = rstd * (g - g.mean(axes, keepdims=True) - xhat * (g * xhat).mean(axes, keepdims=True))
        close(dx, want, dtype, scale=8)
        close(dgamma, (wide(dy) * xhat).sum(outer), st, scale=40)
        close(dbeta, wide(dy).sum(outer), st, scale=40)
        rstd = 1 / np.sqrt((w * w).mean(axes, keepdims=True) + 1e-6)
        y, r = loops.rms_norm(x, gamma, 1e-6, dims)
        close(y, w * rstd * (1 if gamma is None else gamma), dtype, scale=4)
        close(r, rstd, st)
        dx, dgamma = loops.rms_norm_grad(dy, x, r, gamma, dims)
        close(dx, rstd * (g - w * rstd * (g * w * rstd).mean(axes, keepdims=True)), dtype, scale=8)
        close(dgamma, (wide(dy) * w * rstd).sum(outer), st, scale=60)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("affine", [True, False])
def test_batch_norm(dtype: np.dtype[Any], affine: bool, engine: None) -> None:
    st = stat_type(dtype)
    for shape in [(64, 5), (9, 3, 4), (4, 6, 7, 5), (2, 3, 50, 60), (1, 4, 9), (1, 3, 2), (3, 2, 2, 2, 5)]:
        x = (draw(dtype, *shape) * 2 + 3).astype(dtype)
        dy = draw(dtype, *shape, seed=1)
        c = shape[1]
        gamma, beta = (draw(st, c, seed=2), draw(st, c, seed=3)) if affine else (None, None)
        axes = (0, *range(2, len(shape)))
        fit = (1, c) + (1,) * (len(shape) - 2)
        gw, bw = (1.0, 0.0) if gamma is None or beta is None else (wide(gamma).reshape(fit), wide(beta).reshape(fit))
        w, g = wide(x), wide(dy) * gw
        mean, var = w.mean(axes, keepdims=True), w.var(axes, keepdims=True)
        rstd = 1 / np.sqrt(var + 1e-5)
        xhat = (w - mean) * rstd
        y, m, v, r = loops.batch_norm(x, gamma, beta, 1e-5)
        close(y, xhat * gw + bw, dtype, scale=4)
        close(m, mean.ravel(), st)
        close(v, var.ravel(), st)
        close(r, rstd.ravel(), st)
        dx, dgamma, dbeta = loops.batch_norm_grad(dy, x, m, r, gamma)
        want = rstd * (g - g.mean(axes, keepdims=True) - xhat * (g * xhat).mean(axes, keepdims=True))
        close(dx, want, dtype, scale=12)
        close(dgamma, (wide(dy) * xhat).sum(axes), st, scale=60)
        close(dbeta, wide(dy).sum(axes), st, scale=60)
        y = loops.batch_norm_infer(x, gamma, beta, m, v, 1e-5)
        close(y, xhat * gw + bw, dtype, scale=8)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("groups", [1, 2, 6])
def test_group_norm(dtype: np.dtype[Any], groups: int, engine: None) -> None:
    st = stat_type(dtype)
    for shape in [(4, 6), (3, 6, 5), (2, 6, 7, 9), (2, 6, 50, 60)]:
        x = (draw(dtype, *shape) * 2 + 3).astype(dtype)
        dy = draw(dtype, *shape, seed=1)
        gamma, beta = draw(st, 6, seed=2), draw(st, 6, seed=3)
        fit = (1, groups, 6 // groups, 1)
        w = wide(x).reshape(shape[0], groups, 6 // groups, -1)
        d = wide(dy).reshape(w.shape)
        g = d * wide(gamma).reshape(fit)
        mean, var = w.mean((2, 3), keepdims=True), w.var((2, 3), keepdims=True)
        rstd = 1 / np.sqrt(var + 1e-5)
        xhat = (w - mean) * rstd
        y, m, r = loops.group_norm(x, groups, gamma, beta, 1e-5)
        close(y, (xhat * wide(gamma).reshape(fit) + wide(beta).reshape(fit)).reshape(shape), dtype, scale=4)
        close(m, mean[:, :, 0, 0], st)
        close(r, rstd[:, :, 0, 0], st, 12)
        dx, dgamma, dbeta = loops.group_norm_grad(dy, x, m, r, gamma, groups)
        if w.shape[2] * w.shape[3] > 1:  # of one item, the gradient is 0 times a large number
            want = rstd * (g - g.mean((2, 3), keepdims=True) - xhat * (g * xhat).mean((2, 3), keepdims=True))
            close(dx, want.reshape(shape), dtype, scale=30)
        close(dgamma, (d * xhat).sum((0, 3)).ravel(), st, scale=60)
        close(dbeta, d.sum((0, 3)).ravel(), st, scale=60)


def test_norms_far_from_zero() -> None:
    x = (draw(np.float32, 50, 3000) + 1000).astype(np.float32)
    want = (wide(x) - wide(x).mean(1, keepdims=True)) / np.sqrt(wide(x).var(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(loops.layer_norm(x, None, None, 1e-5, 1)[0], want, atol=4e-6)
    np.testing.assert_allclose(loops.batch_norm(x.T, None, None, 1e-5)[2], wide(x.T).var(0), rtol=1e-6)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("smooth", [0.0, 0.1])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("label_type", [np.int32, np.int64])
def test_cross_entropy(dtype: np.dtype[Any], smooth: float, weighted: bool, label_type: Any, engine: None) -> None:
    st = stat_type(dtype)
    for n, c in [(5, 3), (64, 10), (33, 1000), (1, 1)]:
        x = (2 * draw(dtype, n, c)).astype(dtype)
        labels = np.random.default_rng(1).integers(0, c, n).astype(label_type)
        labels[::4] = -100
        w = np.random.default_rng(2).uniform(0.5, 2, c).astype(st)
        weight = w if weighted else None
        full = wide(w) if weighted else np.ones(c)
        logp = log_softmax(wide(x), 1)
        valid = labels != -100
        t = np.where(valid, labels, 0)
        target = (1 - smooth) * np.eye(c)[t] + smooth / c
        loss, lp = loops.cross_entropy(x, labels, weight, -100, smooth)
        close(lp, logp, dtype)
        close(loss, -np.sum(target * full * logp, 1) * valid, dtype, 8)
        g = draw(st, n, seed=4)
        dx = loops.cross_entropy_grad(g, lp, labels, weight, -100, smooth)
        p = np.exp(wide(lp))
        want = (p * np.sum(target * full, 1, keepdims=True) - target * full) * (wide(g) * valid)[:, None]
        close(dx, want, dtype, 8, scale=2)


def test_cross_entropy_bad_labels_and_empty() -> None:
    x = draw(np.float32, 3, 4)
    loss, lp = loops.cross_entropy(x, np.array([4, -1, 2]), None, -100, 0)
    assert loss[:2].tolist() == [0, 0]
    assert loss[2] == -lp[2, 2]
    assert not loops.cross_entropy_grad(np.ones(3, np.float32), lp, np.array([4, -1, 2]), None, -100, 0)[:2].any()
    loss, lp = loops.cross_entropy(np.zeros((0, 4), np.float32), np.zeros(0, np.int64), None, -100, 0)
    assert loss.shape == (0,)
    assert lp.shape == (0, 4)


def test_empty_batches() -> None:
    x = np.zeros((0, 5), np.float32)
    y, m, r = loops.layer_norm(x, None, None, 1e-5, 1)
    assert y.shape == (0, 5)
    assert m.shape == r.shape == (0, 1)
    dx, dg, db = loops.layer_norm_grad(x, x, m, r, None, 1)
    assert dx.shape == (0, 5)
    assert dg.tolist() == db.tolist() == [0] * 5
    assert loops.batch_norm_infer(x, None, None, np.zeros(5), np.ones(5), 1e-5).shape == (0, 5)
    y, m, r = loops.group_norm(np.zeros((0, 4, 3), np.float32), 2, None, None, 1e-5)
    assert y.shape == (0, 4, 3)
    assert m.shape == (0, 2)


def test_same_bits_with_any_number_of_threads() -> None:
    before = runtime.get_threads()
    x, dy = draw(np.float32, 3000, 130), draw(np.float32, 3000, 130, seed=1)
    image = draw(np.float32, 16, 12, 40, 41)
    results = []
    for threads in (1, 2, 3):
        runtime.set_threads(threads)
        y, m, r = loops.layer_norm(x, None, None, 1e-5, 1)
        by, bm, _, br = loops.batch_norm(image, None, None, 1e-5)
        parts = [y, *loops.layer_norm_grad(dy, x, m, r, None, 1), by, *loops.batch_norm_grad(image, by, bm, br, None)]
        results.append(b"".join(p.tobytes() for p in [*parts, loops.softmax(image, 1), loops.softmax(x, 1)]))
    runtime.set_threads(before)
    assert results[0] == results[1] == results[2]


def test_results_that_bypass_the_cache() -> None:
    x = draw(np.float32, 1024, 4096)
    np.testing.assert_allclose(loops.softmax(x, 1), softmax(x, 1), rtol=1e-5)
    want = (x - x.mean(1, keepdims=True)) / x.std(1, keepdims=True)
    np.testing.assert_allclose(loops.layer_norm(x, None, None, 0, 1)[0], want, atol=2e-5)
    image = x.reshape(8, 32, 128, 128)
    want = (image - image.mean((0, 2, 3), keepdims=True)) / image.std((0, 2, 3), keepdims=True)
    np.testing.assert_allclose(loops.batch_norm(image, None, None, 0)[0], want, atol=2e-5)
