"""Elementwise loops against float64 oracles: accuracy, special values, layouts, types, threads."""

from __future__ import annotations

import itertools
import math
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from ms_kernels.core import runtime
from ms_kernels.loops import elementwise as ew

BF16 = np.dtype(ml_dtypes.bfloat16)
FLOATS = [np.dtype("f2"), BF16, np.dtype("f4"), np.dtype("f8")]
EPS = {np.dtype("f2"): 2.0**-10, BF16: 2.0**-7}
INF, NAN = np.inf, np.nan
Array = np.ndarray[Any, np.dtype[Any]]
Oracle = Callable[..., Array]


def each(f: Callable[[float], float]) -> Oracle:
    """f on every element."""
    return lambda v: np.array([f(x) for x in v.tolist()]).reshape(v.shape)


def inverse_erf(x: float) -> float:
    """From the normal quantile, made exact by Newton steps on the smaller tail."""
    a = abs(x)
    if not 0.0 < a < 1.0:
        return x if a == 0.0 else math.copysign(INF, x) if a == 1.0 else NAN
    y = statistics.NormalDist().inv_cdf((1 + min(a, 1 - 1e-15)) / 2) / math.sqrt(2)
    for _ in range(4):
        y -= ((math.erf(y) - a) if a < 0.5 else (1 - a - math.erfc(y))) * math.sqrt(math.pi) / 2 * math.exp(y * y)
    return math.copysign(y, x)


erf, erfc, erfinv = each(math.erf), each(math.erfc), each(inverse_erf)


def sigmoid(v: Array) -> Array:
    e = np.exp(-np.abs(v))
    return np.asarray(np.where(v < 0, e, 1.0) / (1 + e))


def normal_tail(v: Array) -> Array:
    return np.asarray(erfc(v / np.sqrt(2.0)) / 2)


def normal_density(v: Array) -> Array:
    return np.asarray(np.exp(-v * v / 2) / np.sqrt(2 * np.pi))


def gelu_tanh_slope(v: Array) -> Array:
    c = np.sqrt(8 / np.pi)
    u = c * (v + 0.044715 * v**3)
    s = sigmoid(u)
    return np.asarray(s + v * s * sigmoid(-u) * c * (1 + 3 * 0.044715 * v * v))


def mish_slope(v: Array) -> Array:
    t = np.tanh(np.logaddexp(0, v))
    return np.asarray(t + v * sigmoid(v) * (1 - t * t))


# name: (oracle, largest error in units in the last place of float32, where to look)
WIDE, UNIT, POSITIVE, ABOVE_ONE, MIDDLE = (-3e38, 3e38), (-1.0, 1.0), (0.0, 3e38), (1.0, 3e38), (-12.0, 12.0)
UNARY: dict[str, tuple[Oracle, float, tuple[float, float]]] = {
    "neg": (np.negative, 0, WIDE),
    "abs": (np.abs, 0, WIDE),
    "square": (np.square, 0.5, WIDE),
    "sqrt": (np.sqrt, 0.5, POSITIVE),
    "rsqrt": (lambda v: 1 / np.sqrt(v), 1.5, POSITIVE),
    "reciprocal": (lambda v: 1 / v, 0.5, WIDE),
    "sign": (lambda x: np.where(np.isnan(x), 0.0, np.sign(x)), 0, WIDE),
    "floor": (np.floor, 0, WIDE),
    "ceil": (np.ceil, 0, WIDE),
    "trunc": (np.trunc, 0, WIDE),
    "round": (np.rint, 0, WIDE),
    "exp": (np.exp, 1.5, (-110.0, 95.0)),
    "exp2": (np.exp2, 1.5, (-155.0, 130.0)),
    "expm1": (np.expm1, 2, (-40.0, 95.0)),
    "log": (np.log, 1.5, POSITIVE),
    "log1p": (np.log1p, 2, (-1.0, 3e38)),
    "log2": (np.log2, 1.5, POSITIVE),
    "log10": (np.log10, 0.6, POSITIVE),
    "sin": (np.sin, 1, WIDE),
    "cos": (np.cos, 1, WIDE),
    "tan": (np.tan, 1.5, WIDE),
    "asin": (np.arcsin, 0.6, UNIT),
    "acos": (np.arccos, 0.6, UNIT),
    "atan": (np.arctan, 0.6, WIDE),
    "sinh": (np.sinh, 0.6, (-95.0, 95.0)),
    "cosh": (np.cosh, 0.6, (-95.0, 95.0)),
    "tanh": (np.tanh, 2.5, WIDE),
    "asinh": (np.arcsinh, 0.6, WIDE),
    "acosh": (np.arccosh, 0.6, ABOVE_ONE),
    "atanh": (np.arctanh, 0.6, UNIT),
    "erf": (erf, 2, WIDE),
    "erfc": (erfc, 0.6, (-12.0, 12.0)),
    "erfinv": (erfinv, 0.6, UNIT),
    "sigmoid": (sigmoid, 2.5, (-87.0, 3e38)),
    "logsigmoid": (lambda v: -np.logaddexp(0, -v), 2.5, WIDE),
    "softplus": (lambda v: np.logaddexp(0, v), 2.5, WIDE),
    "relu": (lambda v: np.maximum(v, 0), 0, WIDE),
    "relu6": (lambda v: np.clip(v, 0, 6), 0, WIDE),
    "silu": (lambda v: v * sigmoid(v), 3.5, (-87.0, 3e38)),
    "hsigmoid": (lambda v: np.clip(v + 3, 0, 6) / 6, 2, (-2.0, 10.0)),
    "hswish": (lambda v: v * np.clip(v + 3, 0, 6) / 6, 2.5, (-2.0, 3e38)),
    "elu": (lambda v: np.asarray(np.where(v > 0, v, np.expm1(v))), 2, WIDE),
    "selu": (lambda v: 1.0507009873554805 * np.where(v > 0, v, 1.6732632423543772 * np.expm1(v)), 3, WIDE),
    "mish": (lambda v: v * np.tanh(np.logaddexp(0, v)), 4, (-87.0, 3e38)),
    "gelu_erf": (lambda v: v * normal_tail(-v), 9, (-13.0, 3e38)),
    # the exponential's argument, 11 at the lower end, is rounded three times: an error of up to 24 units
    "gelu_tanh": (lambda v: v * sigmoid(np.sqrt(8 / np.pi) * (v + 0.044715 * v**3)), 24, (-4.0, 3e38)),
}
BINARY: dict[str, tuple[Oracle, float]] = {
    "add": (np.add, 0.5),
    "sub": (np.subtract, 0.5),
    "mul": (np.multiply, 0.5),
    "div": (np.divide, 0.5),
    "maximum": (np.maximum, 0),
    "minimum": (np.minimum, 0),
    "pow": (np.power, 0.6),
    "atan2": (np.arctan2, 0.6),
    "hypot": (np.hypot, 0.6),
    "fmod": (np.fmod, 0),
}
# slope of each activation, at x or, for sigmoid and tanh, given the result; absolute error in units of 2^-24
GRADS: dict[str, tuple[Oracle, float]] = {
    "relu_grad": (lambda v: np.where(v > 0, 1.0, 0.0), 0),
    "relu6_grad": (lambda v: np.where((v > 0) & (v < 6), 1.0, 0.0), 0),
    "hsigmoid_grad": (lambda v: np.where(np.abs(v) < 3, 1 / 6, 0.0), 1),
    "hswish_grad": (lambda v: np.where(v <= -3, 0.0, np.where(v >= 3, 1.0, v / 3 + 0.5)), 4),
    "sigmoid_grad": (lambda v: v * (1 - v), 400),  # v up to 12: relative to its square
    "tanh_grad": (lambda v: 1 - v * v, 400),
    "softplus_grad": (sigmoid, 4),
    "logsigmoid_grad": (lambda v: sigmoid(-v), 4),
    "elu_grad": (lambda v: np.where(v > 0, 1.0, np.exp(np.minimum(v, 0))), 4),
    "selu_grad": (
        lambda v: 1.0507009873554805 * np.where(v > 0, 1.0, 1.6732632423543772 * np.exp(np.minimum(v, 0))),
        8,
    ),
    "silu_grad": (lambda v: sigmoid(v) * (1 + v * sigmoid(-v)), 6),
    "mish_grad": (mish_slope, 8),
    "gelu_erf_grad": (lambda v: normal_tail(-v) + v * normal_density(v), 6),
    "gelu_tanh_grad": (gelu_tanh_slope, 8),
}
COMPARE: dict[str, Oracle] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
SPECIAL = np.array(
    [0.0, -0.0, INF, -INF, NAN, 1.0, -1.0, 0.5, -0.5, 2.5, -2.5, 3.0, 7.0, 1e-45, -1e-45, 1e-38, 3e38, -3e38], "f4"
)


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    before = runtime.get_threads()
    with np.errstate(all="ignore"):
        yield
    runtime.set_threads(before)


def samples(bounds: tuple[float, float], n: int = 40_000, seed: int = 1) -> Array:
    """float32 numbers of every magnitude, special ones among them."""
    rng = np.random.default_rng(seed)
    low, high = bounds
    bits = rng.integers(0, 1 << 32, n, dtype=np.uint32).view("f4")
    near = np.concatenate(
        [rng.normal(0, s, n) for s in (0.1, 1, 10)] + [rng.uniform(max(low, -100), min(high, 100), n)]
    )
    x = np.concatenate([bits, near.astype("f4"), SPECIAL])
    keep = np.isnan(x) | ((x >= low) & (x <= high)) | (np.isinf(x) & np.isinf(np.float32(high * 2)))
    return np.asarray(x[keep])


def ulps(got: np.ndarray, want: Array) -> float:
    """Largest error in units of the last place of got's type; specials must agree."""
    with np.errstate(all="ignore"):
        rounded = want.astype(got.dtype)
        finite = np.isfinite(rounded) & np.isfinite(got)
        edge = np.isinf(rounded) != np.isinf(got)  # rounding may fall on either side of the overflow threshold
        largest = float(np.finfo("f4").max)
        assert (np.abs(want[edge & ~np.isnan(want)]) > 0.999999 * largest).all()
        np.testing.assert_array_equal(np.isnan(got), np.isnan(rounded))
        same = ~finite & ~edge & ~np.isnan(got)
        np.testing.assert_array_equal(got[same], rounded[same])
        if not finite.any():
            return 0.0
        unit = np.spacing(np.abs(rounded[finite])).astype("f8")
        return float((np.abs(got[finite].astype("f8") - want[finite]) / unit).max())


@pytest.mark.parametrize("name", UNARY)
def test_unary_float32_accuracy(name: str) -> None:
    oracle, bound, where = UNARY[name]
    x = samples(where)
    assert ulps(ew.unary(name, x), oracle(x.astype("f8"))) <= bound


@pytest.mark.parametrize("name", UNARY)
def test_unary_float64_accuracy(name: str) -> None:
    oracle, _, _ = UNARY[name]
    low, high = {"erfinv": (-0.999, 0.999), "atanh": (-0.99, 0.99), "acosh": (1.5, 40.0)}.get(name, (-4.0, 4.0))
    low = max(low, 0.01) if name in ("sqrt", "rsqrt", "log", "log2", "log10") else low
    low, high = (-0.99, 0.99) if name in ("asin", "acos") else (-0.9, high) if name == "log1p" else (low, high)
    x = np.random.default_rng(2).uniform(low, high, 5000)
    np.testing.assert_allclose(ew.unary(name, x), oracle(x), rtol=3e-14, atol=1e-300)


@pytest.mark.parametrize("name", BINARY)
def test_binary_float32_accuracy(name: str) -> None:
    oracle, bound = BINARY[name]
    x = samples(WIDE)
    rng = np.random.default_rng(3)
    y = rng.permutation(x)
    close = np.abs(x) * rng.uniform(0.5, 2, x.size).astype("f4")
    for other in (y, close, np.float32(3) + 0 * x):
        want = oracle(x, other) if bound == 0 else oracle(x.astype("f8"), other.astype("f8"))
        assert ulps(ew.binary(name, x, other), want.astype("f8")) <= bound


@pytest.mark.parametrize("name", ["pow", "atan2", "hypot", "fmod", "maximum", "minimum"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_binary_special_values(name: str, dtype: str) -> None:
    x, y = (a.ravel() for a in np.meshgrid(SPECIAL.astype(dtype), SPECIAL.astype(dtype)))
    got, want = ew.binary(name, x, y), BINARY[name][0](x, y)
    if name == "pow":  # beyond one unit NumPy's own float32 power decides nothing
        np.testing.assert_allclose(got, want, rtol=1e-6)
    elif name == "atan2":
        np.testing.assert_allclose(got, want, rtol=2e-7)
    else:
        np.testing.assert_array_equal(got, want)
    exact = (want == 0) if name not in ("maximum", "minimum") else np.zeros(want.shape, bool)
    np.testing.assert_array_equal(np.signbit(got[exact]), np.signbit(want[exact]))


@pytest.mark.parametrize("name", ["floor_div", "remainder"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_division_with_floor_is_numpys(name: str, dtype: str) -> None:
    oracle = np.floor_divide if name == "floor_div" else np.remainder
    x = np.concatenate([samples(WIDE), np.repeat(SPECIAL, SPECIAL.size)]).astype(dtype)
    y = np.concatenate([np.random.default_rng(4).permutation(samples(WIDE)), np.tile(SPECIAL, SPECIAL.size)]).astype(
        dtype
    )
    got, want = ew.binary(name, x, y), oracle(x, y)
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(np.signbit(got[want == 0]), np.signbit(want[want == 0]))


@pytest.mark.parametrize("name", GRADS)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_gradients(name: str, dtype: str) -> None:
    slope, bound = GRADS[name]
    rng = np.random.default_rng(5)
    x, g = rng.uniform(-12, 12, 20_000).astype(dtype), rng.normal(size=20_000).astype(dtype)
    want = g.astype("f8") * slope(x.astype("f8"))
    unit = np.maximum(np.abs(g.astype("f8")), 1e-30) * (2.0**-24 if dtype == "f4" else 2.0**-50)
    assert (np.abs(ew.binary(name, g, x) - want) / unit).max() <= bound + 0.5
    ends = np.array([-INF, -200.0, 200.0, INF], dtype)
    if name not in ("sigmoid_grad", "tanh_grad"):
        at_ends = ew.binary(name, np.ones(4, dtype), ends)
        assert np.isfinite(at_ends).all()
        np.testing.assert_allclose(at_ends, slope(np.array([-100.0, -100.0, 100.0, 100.0])), atol=1e-30, rtol=1e-6)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_compare_and_tests(dtype: Any) -> None:
    x, y = (a.ravel().astype(dtype) for a in np.meshgrid(SPECIAL, SPECIAL))
    for name, oracle in COMPARE.items():
        got = ew.binary(name, x, y)
        assert got.dtype == bool
        np.testing.assert_array_equal(got, oracle(x.astype("f8"), y.astype("f8")), err_msg=name)
    for name, oracle in {"isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite}.items():
        got = ew.unary(name, x)
        assert got.dtype == bool
        np.testing.assert_array_equal(got, oracle(x.astype("f8")), err_msg=name)


def test_signed_zeros_survive() -> None:
    zeros = np.array([0.0, -0.0] * 20, "f4")
    odd = "neg sqrt floor ceil trunc round expm1 log1p sin tan asin atan sinh tanh asinh atanh erf erfinv elu silu mish"
    for name in odd.split():
        for dtype in ("f4", "f8"):
            got = ew.unary(name, zeros.astype(dtype))
            expected = ~np.signbit(zeros) if name == "neg" else np.signbit(zeros)
            np.testing.assert_array_equal(np.signbit(got), expected, err_msg=name)


@pytest.mark.parametrize("dtype", [np.dtype("f2"), BF16], ids=str)
def test_sixteen_bit_types_round_once(dtype: Any) -> None:
    rng = np.random.default_rng(6)
    x, y = (rng.normal(0, 3, 3001).astype(dtype) for _ in range(2))
    eps = EPS[dtype]
    for name in ("add", "mul", "div", "maximum"):
        want = BINARY[name][0](x.astype("f4"), y.astype("f4")).astype(dtype)
        got = ew.binary(name, x, y)
        assert got.dtype == dtype
        np.testing.assert_array_equal(got.view("u2"), want.view("u2"), err_msg=name)
    for name in ("exp", "tanh", "sin", "gelu_erf", "sigmoid"):
        want = UNARY[name][0](x.astype("f8"))
        np.testing.assert_allclose(ew.unary(name, x).astype("f8"), want, rtol=0.51 * eps, atol=6e-8, err_msg=name)


LAYOUTS: dict[str, Callable[[Array], Array]] = {
    "packed": lambda a: a,
    "transposed": lambda a: a.transpose(2, 1, 0),
    "rolled axes": lambda a: a.transpose(1, 2, 0),
    "reversed": lambda a: a[::-1, :, ::-1],
    "every other": lambda a: a[:, ::2, 1::3],
    "stretched": lambda a: np.broadcast_to(a[:, :1], a.shape),
    "one line": lambda a: a[3, 5],
    "one element": lambda a: a[1, 2, 3],
    "nothing": lambda a: a[:0],
}


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout: str, dtype: Any) -> None:
    base = np.random.default_rng(7).normal(size=(11, 37, 53)).astype(dtype)
    x = np.asarray(LAYOUTS[layout](base))
    got = ew.unary("square", x)
    assert got.shape == x.shape
    assert got.flags.c_contiguous
    np.testing.assert_array_equal(got, ew.unary("square", np.ascontiguousarray(x).reshape(x.shape)))
    np.testing.assert_array_equal(ew.binary("sub", x, x), np.zeros(x.shape, dtype))
    np.testing.assert_array_equal(ew.pack(x), x)
    np.testing.assert_array_equal(ew.cast(x, "f8"), x.astype("f8"))


SHAPES: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((4, 5), (5,)),
    ((4, 1), (1, 5)),
    ((), (3, 4)),
    ((2, 3, 4), ()),
    ((2, 1, 4), (3, 1)),
    ((0, 3), (3,)),
    ((1,), (1, 1)),
    ((300, 1, 70), (70,)),
    ((7, 300), (7, 1)),
    ((1, 2000), (3, 2000)),
]


@pytest.mark.parametrize(("a", "b"), SHAPES)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_broadcasting(a: tuple[int, ...], b: tuple[int, ...], dtype: Any) -> None:
    rng = np.random.default_rng(8)
    x, y = (np.asarray(rng.normal(size=s)).astype(dtype) for s in (a, b))
    for p, q in ((x, y), (y, x)):
        got = ew.binary("sub", p, q)
        assert got.dtype == dtype
        wide = np.result_type(dtype, "f4") if dtype.itemsize > 2 else np.dtype("f4")
        np.testing.assert_array_equal(got, (p.astype(wide) - q.astype(wide)).astype(dtype))


def test_python_numbers_and_powers() -> None:
    x = np.linspace(-3, 3, 5000).astype("f4")
    np.testing.assert_array_equal(ew.binary("pow", x, 2.0), x * x)
    np.testing.assert_array_equal(ew.binary("sub", 1.0, x), np.float32(1) - x)
    np.testing.assert_array_equal(ew.binary("pow", x, np.array(2.0, "f4")), x * x)


def test_out_in_place_overlapping_and_strided() -> None:
    base = np.arange(2000, dtype="f4")
    x = base.copy()
    assert ew.binary("add", x, x, out=x) is x
    np.testing.assert_array_equal(x, base * 2)
    x = base.copy()
    ew.unary("neg", x[:-1], out=x[1:])
    np.testing.assert_array_equal(x[1:], -base[:-1])
    x = np.zeros((40, 50), "f4")
    ew.unary("exp", np.ones((50, 40), "f4"), out=x.T)
    np.testing.assert_allclose(x, np.e, rtol=1e-6)
    flags = np.zeros(2000, bool)
    assert ew.binary("lt", base, 5.0, out=flags) is flags
    assert flags.sum() == 5
    with pytest.raises(ValueError, match="out must have dtype float32"):
        ew.unary("neg", base, out=np.zeros(2000))


@pytest.mark.parametrize("dtype", ["?", "i1", "i2", "i4", "i8", "f2", BF16, "f4", "f8", "c8", "c16"])
def test_where(dtype: Any) -> None:
    rng = np.random.default_rng(9)
    x, y = (rng.integers(0, 9, (60, 70)).astype(dtype) for _ in range(2))
    c = rng.integers(0, 2, (60, 1)).astype(bool)
    np.testing.assert_array_equal(ew.ternary("where", c, x, y), np.where(c, x, y))
    np.testing.assert_array_equal(ew.ternary("where", c.T, x.T, y.T), np.where(c.T, x.T, y.T))
    np.testing.assert_array_equal(ew.ternary("where", c, x, y[0, 0]), np.where(c, x, y[0, 0]))


def test_clamp_and_multiply_add() -> None:
    x = np.array([NAN, -5, -1, 0, 1, 5, INF, -INF], "f4")
    np.testing.assert_array_equal(ew.ternary("clamp", x, -1.0, 2.0), np.clip(x, -1, 2))
    np.testing.assert_array_equal(ew.ternary("clamp", x, None, 2.0), np.minimum(x, 2))
    np.testing.assert_array_equal(ew.ternary("clamp", x, -1.0, None), np.maximum(x, -1))
    np.testing.assert_array_equal(ew.ternary("clamp", x[1:], 3.0, 2.0), np.full(7, 2, "f4"))
    a, b, c = np.random.default_rng(10).normal(size=(3, 30, 40)).astype("f4")
    np.testing.assert_array_equal(ew.ternary("addcmul", a, b, c), a + b * c)
    np.testing.assert_array_equal(ew.ternary("addcdiv", a, b, c), a + b / c)
    np.testing.assert_array_equal(ew.ternary("lerp", a, b, 0.5), a + np.float32(0.5) * (b - a))


CASTS = ["?", "u1", "i1", "i2", "i4", "i8", "f2", BF16, "f4", "f8", "c8"]


@pytest.mark.parametrize(("source", "to"), list(itertools.product(CASTS, CASTS)), ids=str)
def test_cast_rounds_as_numpy(source: Any, to: Any) -> None:
    rng = np.random.default_rng(11)
    whole = np.dtype(source).kind in "iu"
    x = (rng.integers(0, 100, (50, 41)) if whole else rng.normal(0, 30, (50, 41))).astype(source)
    if np.dtype(to).kind == "u":
        x = abs(x).astype(source)
    with np.errstate(all="ignore"):
        want = x.real.astype(to) if np.dtype(source).kind == "c" and np.dtype(to).kind != "c" else x.astype(to)
    if np.dtype(source).kind == "c" and np.dtype(to).kind != "c":
        x = x.real
    for a, b in ((x, want), (x.T, want.T), (x[::2], want[::2])):
        got = ew.cast(a, to)
        assert got.dtype == np.dtype(to)
        assert got.flags.c_contiguous
        np.testing.assert_array_equal(got, b)


@pytest.mark.parametrize("dtype", [np.dtype("f2"), BF16], ids=str)
def test_cast_of_every_sixteen_bit_pattern(dtype: Any) -> None:
    every = np.arange(1 << 16, dtype="u2").view(dtype)
    wide = ew.cast(every, "f4")
    np.testing.assert_array_equal(wide, every.astype("f4"))
    back = ew.cast(wide, dtype)
    numbers = ~np.isnan(wide)
    np.testing.assert_array_equal(back.view("u2")[numbers], every.view("u2")[numbers])
    assert np.isnan(back[~numbers].astype("f4")).all()
    x = samples(WIDE, 200_000)
    got, want = ew.cast(x, dtype), x.astype(dtype)
    np.testing.assert_array_equal(got.view("u2")[~np.isnan(x)], want.view("u2")[~np.isnan(x)])


@pytest.mark.parametrize("item", ["u1", "u2", "u4", "u8", "c16", "S3", "O"])
def test_pack_any_layout(item: str) -> None:
    a = (np.arange(3 * 70 * 45) % 251).reshape(3, 70, 45).astype(item)
    for axes in itertools.permutations(range(3)):
        view = a.transpose(axes)
        for v in (view, view[:, ::2], view[::-1], np.broadcast_to(view[:1], view.shape)):
            got = ew.pack(v)
            assert got.flags.c_contiguous
            assert not np.shares_memory(got, a)
            np.testing.assert_array_equal(got, v)


def test_unaligned_and_swapped_memory() -> None:
    raw = np.zeros(4 * 100 + 1, "u1")
    x = raw[1:].view("f4")
    x[:] = np.arange(100)
    np.testing.assert_array_equal(ew.unary("square", x), np.arange(100, dtype="f4") ** 2)
    big = np.arange(100, dtype=">f4")
    np.testing.assert_array_equal(ew.binary("add", big, big), np.arange(100) * 2)
    np.testing.assert_array_equal(ew.cast(big, "f8"), np.arange(100))
    np.testing.assert_array_equal(ew.pack(x), np.arange(100))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_results_do_not_depend_on_the_number_of_threads(dtype: Any) -> None:
    n = (5 << 20) + 77  # large enough for the stores that go past the cache
    x = np.random.default_rng(12).normal(size=n).astype(dtype)
    results = []
    for count in (1, 2, 3):
        runtime.set_threads(count)
        results.append([ew.binary("add", x, x[::-1]), ew.unary("tanh", x), ew.binary("lt", x, 0.5), ew.cast(x, "f8")])
    for other in results[1:]:
        for a, b in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(results[0][2], x < np.array(0.5, dtype))


def test_what_has_no_loop_is_refused() -> None:
    x = np.ones(3, "f4")
    with pytest.raises(ValueError, match="there is no loop named 'frobnicate'"):
        ew.unary("frobnicate", x)
    with pytest.raises(TypeError, match="there is no 'add' loop for int32, int32"):
        ew.binary("add", np.ones(3, "i4"), np.ones(3, "i4"))
    with pytest.raises(TypeError, match="there is no 'add' loop for float32, float64"):
        ew.binary("add", x, np.ones(3, "f8"))
    with pytest.raises(TypeError, match="there is no 'exp' loop for int64"):
        ew.unary("exp", np.ones(3, "i8"))
    with pytest.raises(TypeError, match="there is no 'where' loop"):
        ew.ternary("where", x, x, x)
    with pytest.raises(ValueError, match="do not broadcast"):
        ew.binary("add", x, np.ones(4, "f4"))


BASELINE = """
import sys
import numpy as np
from ms_kernels.core import runtime
from ms_kernels.loops import elementwise as ew
assert runtime.instruction_set() == "baseline"
data = np.load(sys.argv[1])
unary, binary, _ = ew.names()
results = {"1" + name: ew.unary(name, data["x"]) for name in unary}
results |= {"2" + name: ew.binary(name, data["x"], data["y"]) for name in binary}
np.savez(sys.argv[2], **results)
"""


def test_baseline_agrees_with_the_faster_instruction_set(tmp_path: Path) -> None:
    rng = np.random.default_rng(13)
    x, y = rng.uniform(-0.99, 4, 5001).astype("f4"), rng.uniform(0.1, 3, 5001).astype("f4")
    np.savez(tmp_path / "in.npz", x=x, y=y)
    env = {**os.environ, "MS_KERNELS_ISA": "baseline"}
    command = [sys.executable, "-W", "ignore", "-c", BASELINE, str(tmp_path / "in.npz"), str(tmp_path / "out.npz")]
    subprocess.run(command, env=env, check=True, timeout=120)
    with np.load(tmp_path / "out.npz") as out:
        assert len(out.files) == len(ew.names()[0]) + len(ew.names()[1])
        for key in out.files:
            here = ew.unary(key[1:], x) if key[0] == "1" else ew.binary(key[1:], x, y)
            np.testing.assert_allclose(out[key], here, rtol=2e-6, atol=1e-7, err_msg=key)
