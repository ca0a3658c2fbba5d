"""Convolutions and their gradients against plain sums in float64."""

from __future__ import annotations

import itertools
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ms_kernels.core.runtime import get_threads, set_threads
from ms_kernels.loops import conv

Array = np.ndarray[Any, np.dtype[Any]]
BF16 = np.dtype(ml_dtypes.bfloat16)
EPS = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-18, "float64": 2.0**-46}


@pytest.fixture(autouse=True)
def threads() -> Any:
    before = get_threads()
    yield
    set_threads(before)


def last(place: Any) -> Any:
    """Index into the last axes."""
    return (Ellipsis, *place)


class Reference:
    """The three products of a convolution in float64, any number of image axes."""

    def __init__(
        self,
        x_shape: tuple[int, ...],
        w_shape: tuple[int, ...],
        stride: tuple[int, ...],
        padding: tuple[int, ...],
        dilation: tuple[int, ...],
        groups: int,
    ) -> None:
        self.x_shape, self.w_shape, self.groups = x_shape, w_shape, groups
        self.pads = [(padding[2 * i], padding[2 * i + 1]) for i in range(len(stride))]
        self.padded = [n + a + b for n, (a, b) in zip(x_shape[2:], self.pads, strict=True)]
        spans = [d * (k - 1) + 1 for k, d in zip(w_shape[2:], dilation, strict=True)]
        self.out = tuple(max(0, (n - s) // t + 1) for n, s, t in zip(self.padded, spans, stride, strict=True))
        self.taps = []
        for tap in itertools.product(*(range(k) for k in w_shape[2:])):
            first = [t * d for t, d in zip(tap, dilation, strict=True)]
            cut = [slice(f, f + s * (o - 1) + 1, s) for f, s, o in zip(first, stride, self.out, strict=True)]
            self.taps.append((tap, last(cut)))

    def _pad(self, x: Array) -> Array:
        big = np.zeros((*self.x_shape[:2], *self.padded))
        inner = [
            slice(max(a, 0), max(a, 0) + n + min(a, 0) + min(b, 0))
            for n, (a, b) in zip(x.shape[2:], self.pads, strict=True)
        ]
        outer = [slice(max(-a, 0), n + min(b, 0)) for n, (a, b) in zip(x.shape[2:], self.pads, strict=True)]
        big[last(inner)] = x[last(outer)]
        return big

    def _split(self, a: Array, channels: int) -> Array:
        return a.reshape(a.shape[0], self.groups, channels // self.groups, -1)

    def _weight(self, w: Array, tap: tuple[int, ...]) -> Array:
        one: Array = w[last(tap)]
        return one.reshape(self.groups, -1, w.shape[1])

    def forward(self, x: Array, w: Array, bias: Array | None) -> Array:
        big, k = self._pad(x), self.w_shape[0]
        y = np.zeros((x.shape[0], k, *self.out))
        for tap, cut in self.taps:
            part = np.einsum("ngcp,gkc->ngkp", self._split(big[cut], x.shape[1]), self._weight(w, tap))
            y += part.reshape(y.shape)
        return y if bias is None else y + bias.reshape(-1, *[1] * len(self.out))

    def grad_input(self, dy: Array, w: Array) -> Array:
        big = np.zeros((*self.x_shape[:2], *self.padded))
        for tap, cut in self.taps:
            part = np.einsum("ngkp,gkc->ngcp", self._split(dy, dy.shape[1]), self._weight(w, tap))
            big[cut] += part.reshape(big[cut].shape)
        dx = np.zeros(self.x_shape)
        inner = [
            slice(max(a, 0), max(a, 0) + n + min(a, 0) + min(b, 0))
            for n, (a, b) in zip(dx.shape[2:], self.pads, strict=True)
        ]
        outer = [slice(max(-a, 0), n + min(b, 0)) for n, (a, b) in zip(dx.shape[2:], self.pads, strict=True)]
        dx[last(outer)] = big[last(inner)]
        return dx

    def grad_weight(self, dy: Array, x: Array) -> Array:
        big, dw = self._pad(x), np.zeros(self.w_shape)
        for tap, cut in self.taps:
            part = np.einsum("ngkp,ngcp->gkc", self._split(dy, dy.shape[1]), self._split(big[cut], x.shape[1]))
            dw[last(tap)] = part.reshape(self.w_shape[:2])
        return dw


def fill(shape: tuple[int, ...], dtype: Any, seed: int) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def close(got: Array, want: Array, dtype: Any) -> None:
    assert got.dtype == dtype
    assert got.shape == want.shape
    if want.size:
        scale = max(1.0, float(np.abs(want).max()))
        assert np.abs(got.astype("float64") - want).max() <= EPS[np.dtype(dtype).name] * scale


def check(
    x_shape: tuple[int, ...],
    w_shape: tuple[int, ...],
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    dilation: tuple[int, ...],
    groups: int = 1,
    dtype: Any = "float32",
    bias: bool = True,
    spread: bool = False,
) -> None:
    ref = Reference(x_shape, w_shape, stride, padding, dilation, groups)
    x, w, dy = fill(x_shape, dtype, 1), fill(w_shape, dtype, 2), fill((x_shape[0], w_shape[0], *ref.out), dtype, 3)
    b = fill(w_shape[:1], dtype, 4) if bias else None
    x64, w64, dy64 = (a.astype("float64") for a in (x, w, dy))
    if spread:  # the same numbers with gaps, in another order of axes, upside down
        x = np.repeat(x, 2, -1)[..., ::2]
        w = np.ascontiguousarray(w.T).T
        dy = np.ascontiguousarray(dy[..., ::-1])[..., ::-1]
    rest = (stride, padding, dilation, groups)
    close(conv.convnd(x, w, b, *rest), ref.forward(x64, w64, None if b is None else b.astype("float64")), dtype)
    close(conv.convnd_grad_input(dy, w, x_shape, *rest), ref.grad_input(dy64, w64), dtype)
    close(conv.convnd_grad_weight(dy, x, w_shape, *rest), ref.grad_weight(dy64, x64), dtype)


FEW = [  # images, side, channels, kernel, stride, padding, dilation: large filters, few results
    (1, 7, (192, 96), 3, 1, 1, 1),
    (3, 5, (128, 160), 3, 2, 1, 1),
    (2, 6, (144, 128), 3, 1, 2, 2),
    (1, 9, (160, 96), 3, 1, -1, 1),
    (2, 5, (512, 260), 1, 1, 0, 1),
    (2, 8, (512, 260), 1, 2, 0, 1),
    (130, 1, (400, 330), 1, 1, 0, 1),
    (5, 1, (128, 120), 3, 1, 1, 1),
    (4, 3, (128, 120), 3, 1, 0, 1),
]


@pytest.mark.parametrize("geometry", FEW)
@pytest.mark.parametrize("dtype", ["float32", "float64", BF16])
def test_few_results(geometry: Any, dtype: Any) -> None:
    images, side, (cin, cout), kernel, stride, padding, dilation = geometry
    sizes = ((images, cin, side, side), (cout, cin, kernel, kernel))
    check(*sizes, (stride,) * 2, (padding,) * 4, (dilation,) * 2, 1, dtype, bias=images % 2 == 1, spread=images == 2)


@pytest.mark.parametrize("side", [1, 2, 3, 4, 7, 9, 17, 20])
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_planes(side: int, stride: int, dtype: Any) -> None:
    for threads, kernel, padding, dilation in (
        (1, 3, (1, 1, 1, 1), 1),
        (2, 2, (1, 0, 0, 2), 1),
        (2, 3, (2, 3, 2, 2), 2),
    ):
        set_threads(threads)
        sizes = ((3, 37, side, side + 1), (37, 1, kernel, kernel))
        check(*sizes, (stride, stride), padding, (dilation, dilation), 37, dtype, bias=threads == 1)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_any_geometry(data: st.DataObject) -> None:
    def pick(low: int, high: int) -> int:
        return data.draw(st.integers(low, high))

    set_threads(pick(1, 2))
    axes = data.draw(st.sampled_from([1, 2, 2, 2, 3]))
    groups = data.draw(st.sampled_from([1, 1, 2, 3]))
    cin, cout = (
        groups * data.draw(st.sampled_from([1, 2, 5, 16, 19])),
        groups * data.draw(st.sampled_from([1, 2, 3, 7, 12])),
    )
    kernel = tuple(pick(1, 4) for _ in range(axes))
    stride = tuple(pick(1, 3) for _ in range(axes))
    dilation = tuple(pick(1, 3) for _ in range(axes))
    padding = tuple(pick(-1, 4) for _ in range(2 * axes))
    size = tuple(
        max(pick(2, 11), d * (k - 1) + 1 - padding[2 * i] - padding[2 * i + 1])
        for i, (k, d) in enumerate(zip(kernel, dilation, strict=True))
    )
    dtype = data.draw(st.sampled_from(["float32", "float32", "float64", "float16", BF16]))
    check(
        (pick(1, 3), cin, *size),
        (cout, cin // groups, *kernel),
        stride,
        padding,
        dilation,
        groups,
        dtype,
        data.draw(st.booleans()),
        data.draw(st.booleans()),
    )


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize(
    "x_shape, w_shape, stride, pad, groups",
    [
        ((2, 64, 40, 41), (64, 64, 3, 3), 1, 1, 1),  # several tiles of rows
        ((1, 3, 2, 3000), (8, 3, 1, 5), 1, 2, 1),  # rows cut into parts
        ((1, 128, 1, 1500), (8, 128, 1, 3), 1, 1, 1),
        ((9, 16, 4, 4), (32, 16, 3, 3), 1, 1, 1),  # small images, several at a time
        ((5, 40, 3, 3), (200, 40, 3, 3), 1, 1, 1),
        ((1, 700, 7, 7), (20, 700, 1, 1), 1, 0, 1),  # deeper than one kernel call
        ((1, 100, 5, 5), (130, 100, 3, 3), 2, 1, 1),
        ((2, 3, 70, 70), (16, 3, 7, 7), 2, 3, 1),
        ((2, 3, 32, 32), (8, 3, 16, 16), 16, 0, 1),  # patches
        ((2, 24, 30, 30), (24, 1, 3, 3), 1, 1, 24),  # depthwise
        ((2, 24, 30, 30), (48, 1, 5, 5), 2, 2, 24),
        ((3, 10, 9, 9), (40, 1, 3, 3), 1, 1, 10),
        ((3, 32, 12, 12), (1, 32, 3, 3), 1, 1, 1),
    ],
)
def test_paths(
    count: int, x_shape: tuple[int, ...], w_shape: tuple[int, ...], stride: int, pad: int, groups: int
) -> None:
    set_threads(count)
    check(x_shape, w_shape, (stride, stride), (pad,) * 4, (1, 1), groups)


@pytest.mark.parametrize("dtype", ["float16", BF16, "float32", "float64"], ids=str)
def test_dtypes(dtype: Any) -> None:
    check((2, 6, 9, 9), (8, 6, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 1, dtype)


def test_integers_are_exact() -> None:
    x, w = np.arange(18).reshape(1, 2, 3, 3), np.arange(16).reshape(2, 2, 2, 2)
    ref = Reference(x.shape, w.shape, (1, 1), (0,) * 4, (1, 1), 1)
    got = conv.conv2d(x, w)
    assert got.dtype == x.dtype
    assert np.array_equal(got, ref.forward(x, w, None))


def test_empty_batch_and_image() -> None:
    x, w = np.zeros((0, 3, 5, 5), "float32"), np.ones((4, 3, 3, 3), "float32")
    y = conv.conv2d(x, w, np.ones(4, "float32"))
    assert y.shape == (0, 4, 3, 3)
    assert conv.conv2d_grad_input(y, w, x.shape).shape == x.shape
    assert not conv.conv2d_grad_weight(y, x, w.shape).any()
    assert conv.conv2d(np.ones((1, 3, 2, 2), "float32"), w).shape == (1, 4, 0, 0)
    no_channels = conv.conv2d(np.ones((1, 0, 3, 3), "float32"), np.ones((2, 0, 3, 3), "float32"), np.ones(2, "float32"))
    assert no_channels.tolist() == [[[[1.0]], [[1.0]]]]


def test_nan_reaches_only_what_reads_it() -> None:
    x, w = np.ones((1, 16, 8, 8), "float32"), np.ones((8, 16, 3, 3), "float32")
    x[0, 3, 0, 0] = np.nan
    y = conv.conv2d(x, w, None, (1, 1), (1, 1, 1, 1))
    assert np.isnan(y[0, :, :2, :2]).all()
    assert np.isnan(y).sum() == 8 * 4


@pytest.mark.parametrize("count", [1, 2])
def test_same_bits_again(count: int) -> None:
    set_threads(count)
    x, w = fill((6, 20, 17, 15), "float32", 1), fill((30, 20, 3, 3), "float32", 2)
    pad = (1, 1, 1, 1)
    y = conv.conv2d(x, w, None, (1, 1), pad)
    first = conv.conv2d_grad_weight(y, x, w.shape, (1, 1), pad), conv.conv2d_grad_input(y, w, x.shape, (1, 1), pad)
    for _ in range(5):
        assert np.array_equal(conv.conv2d_grad_weight(y, x, w.shape, (1, 1), pad), first[0])
        assert np.array_equal(conv.conv2d_grad_input(y, w, x.shape, (1, 1), pad), first[1])
