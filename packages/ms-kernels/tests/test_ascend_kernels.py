"""Native loops of the emulated chips against the rules' definitions, bit for bit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ms_dtype as mstype
from ms_kernels import Tensor, from_numpy, functional, grad, mint, mint_functional
from ms_kernels.loops import npu as loops
from ms_kernels.targets.ascend import AscendTarget, Choices
from ms_kernels.targets.ascend.casts import hf32
from ms_kernels.targets.ascend.convolution import k_order
from ms_kernels.targets.ascend.precision import Precision
from ms_kernels.targets.ascend.recipes import gelu_tanh_steps, layer_norm_steps, sigmoid_steps, softmax_steps
from ms_kernels.targets.ascend.reduction import tree_sum
from ms_kernels.targets.ascend.vector import pow_steps

BF16 = np.dtype(mstype.np_bfloat16)
CHIPS = [("ascend910b", "infnan"), ("ascend910b", "saturation"), ("ascend910", None), ("ascend310p", None)]
KINDS = [np.dtype(np.float32), np.dtype(np.float16), BF16]
Array = np.ndarray[Any, np.dtype[Any]]


def same(found: Any, wanted: Any) -> None:
    """Equal bits, but any NaN for any other."""
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    wide = found.astype(np.float32), wanted.astype(np.float32)
    both = np.isnan(wide[0]) & np.isnan(wide[1])
    bits = [np.ascontiguousarray(a).view(f"u{a.dtype.itemsize}") for a in (found, wanted)]
    np.testing.assert_array_equal(np.where(both, 0, bits[0]), np.where(both, 0, bits[1]))


def numbers(*shape: int, kind: Any = np.float32, seed: int = 0, scale: float = 3.0) -> Array:
    return (np.random.default_rng(seed).standard_normal(shape) * scale).astype(kind)


def chips(kind: Any = np.float32) -> Iterator[AscendTarget]:
    for profile, mode in CHIPS:
        target = AscendTarget(profile, mode)
        if kind in target.chip.profile.floats:
            yield target


# loops of several steps, or of one in float16
RECIPES = {"exp_half", "log_half", "rsqrt", "sigmoid", "sigmoid_half", "sigmoid_old", "gelu_tanh", "gelu_tanh_old"}
SPECIAL = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3e38, -3e38, 88.8, -104, 1, -1], np.float32)


@pytest.mark.usefixtures("engine")
class TestLoops:
    """Every loop with one and two threads and both instruction sets."""

    @pytest.mark.parametrize("name", sorted(set(loops.names()) - RECIPES))
    def test_functions_are_rounded_once(self, name: str) -> None:
        x = np.concatenate([numbers(3000, scale=s, seed=1) for s in (1e-3, 0.3, 1, 5, 30)] + [SPECIAL])
        if name in ("log", "log2", "log10", "log1p"):
            x = np.abs(x)
        from ms_kernels.loops import elementwise

        with np.errstate(all="ignore"):
            wanted = elementwise.unary(name, x.astype(np.float64)).astype(np.float32)
        same(loops.unary(name, x)[0], wanted)

    @pytest.mark.parametrize(("name", "function"), [("exp_half", np.exp), ("log_half", np.log)])
    def test_one_rounding_to_float16(self, name: str, function: Any) -> None:
        every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
        with np.errstate(all="ignore"):
            wanted = function(every.astype(np.float64)).astype(np.float16)
        same(loops.unary(name, every)[0], wanted)

    @pytest.mark.parametrize("kind", KINDS, ids=str)
    @pytest.mark.parametrize("shape", [(1,), (7,), (64,), (65,), (200,), (3, 129), (70000,), (2, 5, 40), (130, 9)])
    def test_sums(self, kind: Any, shape: tuple[int, ...]) -> None:
        x = numbers(*shape, kind=kind)
        for target in chips(kind):
            chip = target.chip
            for axes in {(0,), (len(shape) - 1,), tuple(range(len(shape)))}:
                turned = np.moveaxis(x, axes, range(x.ndim - len(axes), x.ndim))
                rows = turned.reshape(*turned.shape[: x.ndim - len(axes)], -1).astype(np.float32)
                with target.use():
                    same(functional.reduce_sum(from_numpy(x), axes)._a, chip.to(tree_sum(chip, rows), kind))
                    share = np.float32(1) / np.float32(rows.shape[-1])
                    mean = chip.to(tree_sum(chip, chip.step(np.multiply, rows, share)), kind)
                    same(functional.reduce_mean(from_numpy(x), axes)._a, mean)

    def test_sums_that_overflow(self) -> None:
        x = numbers(300, scale=1e38)
        for place in (0, 63, 64, 299):
            for value in (3e38, -3e38, np.inf, np.nan):
                x[[place, (place + 1) % 300]] = value
                for target in chips():
                    with target.use():
                        same(functional.reduce_sum(from_numpy(x))._a, tree_sum(target.chip, x[None])[0])

    @pytest.mark.parametrize("kind", KINDS, ids=str)
    @pytest.mark.parametrize("shape", [(5, 1), (3, 64), (4, 100), (2, 700)])
    def test_softmax(self, kind: Any, shape: tuple[int, ...]) -> None:
        x = numbers(*shape, kind=kind)
        for target in chips(kind):
            with target.use():
                wanted = softmax_steps(target.chip, x)
                same(functional.softmax(from_numpy(x), -1)._a, wanted)
                same(functional.softmax(from_numpy(np.ascontiguousarray(x.T)), 0)._a, np.ascontiguousarray(wanted.T))

    @pytest.mark.parametrize("kind", KINDS, ids=str)
    @pytest.mark.parametrize("params", [(False, False), (True, False), (False, True), (True, True)])
    def test_layer_norm(self, kind: Any, params: tuple[bool, bool]) -> None:
        x = numbers(6, 70, kind=kind)
        given = [numbers(70, kind=kind, seed=i) if on else None for i, on in enumerate(params)]
        for target in chips(kind):
            with target.use():
                tensors = [None if p is None else from_numpy(p) for p in given]
                found = mint_functional.layer_norm(from_numpy(x), (70,), *tensors, eps=1e-5)
                same(found._a, layer_norm_steps(target.chip, x, *given, 1e-5)[0])

    @pytest.mark.parametrize("kind", KINDS, ids=str)
    def test_recipes(self, kind: Any) -> None:
        with np.errstate(over="ignore"):
            x = np.concatenate([numbers(500), numbers(500, scale=20), SPECIAL]).astype(kind)
        for target in chips(kind):
            chip = target.chip
            old = not chip.profile.new and not (chip.profile.name == "ascend310p" and kind == np.float16)
            inside = x if chip.profile.name == "ascend910" else chip.wide(x)
            with target.use(), np.errstate(all="ignore"):
                same(functional.gelu(from_numpy(x), "tanh")._a, chip.to(gelu_tanh_steps(chip, chip.wide(x), old), kind))
                same(mint.sigmoid(from_numpy(x))._a, chip.to(sigmoid_steps(chip, inside), kind))
                root = chip.step(np.sqrt, chip.wide(x))
                same(mint.rsqrt(from_numpy(x))._a, chip.to(chip.step(np.divide, np.float32(1), root), kind))

    @pytest.mark.parametrize("kind", KINDS, ids=str)
    def test_powers(self, kind: Any) -> None:
        bases = np.array([*SPECIAL, 2, -2, 0.5, -3.5, 7, 1e4], np.float32)
        powers = np.array(
            [0, -0.0, 1, -1, 2, 3, -3, 0.5, -2.5, 33, 1e9, np.inf, -np.inf, np.nan, 10, 16777217], np.float32
        )
        with np.errstate(over="ignore"):
            x, y = (np.ascontiguousarray(v.astype(kind)) for v in np.meshgrid(bases, powers))
        for target in chips(kind):
            chip = target.chip
            with target.use(), np.errstate(all="ignore"):
                wanted = chip.to(pow_steps(chip, chip.wide(x), chip.wide(y)), kind)
                same(functional.pow(from_numpy(x), from_numpy(y))._a, wanted)

    @pytest.mark.parametrize("kind", KINDS, ids=str)
    @pytest.mark.parametrize("shape", [(5,), (3, 20), (17, 9), (2, 6, 33)])
    def test_running_sums(self, kind: Any, shape: tuple[int, ...]) -> None:
        x = numbers(*shape, kind=kind)
        for axis in range(len(shape)):
            wanted = np.cumsum(x.astype(np.float32), axis, dtype=np.float32).astype(kind)
            for target in chips(kind):
                with target.use():
                    same(mint.cumsum(from_numpy(x), axis)._a, wanted)

    def test_maximum_orders_zeros(self) -> None:
        a, b = np.meshgrid(SPECIAL, SPECIAL)
        for smaller in (False, True):
            pick = np.minimum if smaller else np.maximum
            wanted = pick(a, b)
            zeros = (a == 0) & (b == 0)
            sign = np.signbit(a) | np.signbit(b) if smaller else np.signbit(a) & np.signbit(b)
            wanted = np.where(zeros, np.where(sign, np.float32(-0.0), np.float32(0)), wanted)
            same(loops.maximum(np.ascontiguousarray(a), np.ascontiguousarray(b), smaller), wanted)

    @pytest.mark.parametrize("ties", ["away", "even"])
    def test_hf32(self, ties: str) -> None:
        bits = np.random.default_rng(0).integers(0, 1 << 32, 20000, dtype=np.uint64).astype(np.uint32)
        bits[:4000] &= np.uint32(0xFFFFF800)  # ties, and what has few bits
        x = bits.view(np.float32)
        same(loops.hf32(x, ties == "away"), hf32(AscendTarget("ascend910b", "infnan").chip, x, ties))

    @pytest.mark.parametrize("kind", KINDS, ids=str)
    def test_saturation(self, kind: Any) -> None:
        every = np.arange(1 << 16, dtype=np.uint32)
        x = (
            (every << 16).astype(np.uint32).view(np.float32)
            if kind == np.float32
            else every.astype(np.uint16).view(kind)
        )
        most = {"float32": np.float32(3.4028235e38), "float16": np.float16(65504)}.get(
            str(kind), BF16.type(3.3895314e38)
        )
        with np.errstate(invalid="ignore"):
            wide = x.astype(np.float64)
        wanted = np.where(np.isnan(wide), 0, np.clip(wide, -float(most), float(most))).astype(kind)
        found = x.copy()
        assert loops.saturate(found)
        same(found, np.where(np.isfinite(wide), x, wanted).astype(kind))
        assert not loops.saturate(found)

    @pytest.mark.parametrize("shape", [(1, 1), (5, 9), (33, 70), (100, 31)])
    @pytest.mark.parametrize("kind", KINDS, ids=str)
    def test_turned(self, shape: tuple[int, int], kind: Any) -> None:
        x = numbers(3, *shape, kind=kind)
        same(loops.turned(x, 3, *shape), np.ascontiguousarray(np.swapaxes(x, 1, 2)))


def cube(a: Array, b: Array, block: int, saturate: bool) -> Array:
    """AN-CUBE-02, one step after another."""
    acc = np.zeros((a.shape[0], b.shape[1]), np.float32)
    with np.errstate(all="ignore"):
        for first in range(0, a.shape[1], block):
            s = np.zeros(acc.shape)
            for k in range(first, min(first + block, a.shape[1])):
                s = s + a[:, k, None].astype(np.float64) * b[None, k].astype(np.float64)
            acc = (acc.astype(np.float64) + s).astype(np.float32)
            if saturate:
                loops.saturate(acc)
    return acc


@pytest.mark.usefixtures("engine")
class TestCube:
    @pytest.mark.parametrize("kind", KINDS, ids=str)
    @pytest.mark.parametrize("sides", [(1, 1, 1), (5, 3, 7), (6, 8, 8), (13, 40, 33), (70, 300, 20), (3, 0, 2)])
    def test_products(self, kind: Any, sides: tuple[int, int, int]) -> None:
        m, k, n = sides
        a, b = numbers(m, k, kind=kind), numbers(k, n, kind=kind, seed=1)
        for target in chips(kind):
            chip = target.chip
            half = kind == np.float32 and not chip.profile.new
            x, y = (v.astype(np.float16) if half else v for v in (a, b))
            acc = cube(x.astype(np.float32), y.astype(np.float32), 32 // x.dtype.itemsize, chip.saturating)
            with target.use():
                same(mint.matmul(from_numpy(a), from_numpy(b))._a, chip.to(acc, kind))
                turned = functional.MatMul(True, True)(from_numpy(a.T.copy()), from_numpy(b.T.copy()))
                same(turned._a, chip.to(acc, kind))
                views = functional.MatMul()(from_numpy(a.T.copy()).T, from_numpy(b.T.copy()).T)
                same(views._a, chip.to(acc, kind))

    def test_batches(self) -> None:
        a, b = numbers(2, 1, 5, 9), numbers(3, 9, 4, seed=1)
        with AscendTarget().use():
            found = mint.matmul(from_numpy(a), from_numpy(b))._a
            tall = mint.matmul(from_numpy(a), from_numpy(b[0]))._a
        for i in range(2):
            same(np.ascontiguousarray(tall[i, 0]), cube(a[i, 0], b[0], 8, False))
            for j in range(3):
                same(np.ascontiguousarray(found[i, j]), cube(a[i, 0], b[j], 8, False))

    def test_accumulators_saturate(self) -> None:
        a, b = numbers(7, 40, scale=1e19), numbers(40, 9, scale=1e19, seed=1)
        a[2, 5], a[3, 7], b[9, 1] = np.inf, np.nan, -np.inf
        a[5] *= 10
        target = AscendTarget("ascend910b", "saturation")
        with target.use():
            same(mint.matmul(from_numpy(a), from_numpy(b))._a, cube(a, b, 8, True))
        assert target.chip.status.tolist() == [1, 0, 0, 0, 0, 0, 0, 0]

    @pytest.mark.parametrize("kind", [np.dtype(np.float32), np.dtype(np.float16)], ids=str)
    @pytest.mark.parametrize(
        ("channels", "groups", "stride", "padding", "dilation"),
        [(1, 1, 1, 1, 1), (3, 1, 2, 0, 1), (17, 1, 1, 1, 2), (40, 2, 1, 0, 1), (12, 1, 2, 2, 1)],
    )
    def test_convolution(self, kind: Any, channels: int, groups: int, stride: int, padding: int, dilation: int) -> None:
        x, w = numbers(2, channels, 7, 6, kind=kind), numbers(4, channels // groups, 3, 2, kind=kind, seed=1)
        bias = numbers(4, kind=kind, seed=2)
        knobs = Precision()
        knobs.set("conv_allow_hf32", False)
        target = AscendTarget(precision=knobs)
        with target.use():
            tensors = [from_numpy(v) for v in (x, w, bias)]
            found = mint_functional.conv2d(*tensors, stride, padding, dilation, groups)._a
        wide = np.pad(x.astype(np.float32), [(0, 0), (0, 0), (padding, padding), (padding, padding)])
        wanted = np.empty(found.shape, np.float32)
        each = channels // groups
        for n, o, i, j in np.ndindex(*found.shape):
            first = o // (4 // groups) * each
            acc = np.float32(0)
            for low, high, (h, v) in k_order(each, (3, 2)):
                for start in range(low, high, 32 // kind.itemsize):
                    part = slice(start, min(start + 32 // kind.itemsize, high))
                    pixels = wide[n, first : first + each, i * stride + h * dilation, j * stride + v * dilation][part]
                    s = 0.0
                    for p, q in zip(pixels, w[o, part, h, v].astype(np.float32)):
                        s += float(p) * float(q)
                    acc = np.float32(float(acc) + s)
            wanted[n, o, i, j] = acc + np.float32(bias[o])
        same(found, wanted.astype(kind))

    @pytest.mark.parametrize("stride", [1, 2])
    @pytest.mark.parametrize("dilation", [1, 2])
    def test_gradients_of_convolution(self, stride: int, dilation: int) -> None:
        x, w = numbers(2, 6, 9, 8), numbers(4, 3, 3, 2, seed=1)

        def run(a: Any, b: Any) -> Any:
            return (mint_functional.conv2d(a, b, None, stride, 1, dilation, 2) ** 2).sum()

        wanted = grad(run, (0, 1))(from_numpy(x), from_numpy(w))
        knobs = Precision()
        knobs.set("conv_allow_hf32", False)
        with AscendTarget(precision=knobs).use():
            found = grad(run, (0, 1))(from_numpy(x), from_numpy(w))
        for got, want in zip(found, wanted):
            np.testing.assert_allclose(got._a, want._a, rtol=2e-5, atol=2e-4)

    def test_fast_differs_in_order_only(self) -> None:
        a, b = numbers(40, 200), numbers(200, 30, seed=1)
        exact, fast = AscendTarget(), AscendTarget(choices=Choices(cube="fast"))
        found = []
        for target in (exact, fast):
            with target.use():
                found.append(mint.matmul(from_numpy(a), from_numpy(b))._a)
        assert not np.array_equal(*found)
        np.testing.assert_allclose(*found, rtol=1e-4, atol=1e-4)


def test_operators_without_the_flag() -> None:
    """AN-PREC-04: mm and a convolution with a pad_mode read no flag; the sums are those of float32."""
    knobs = Precision()
    knobs.set("matmul_allow_hf32", True)
    x = np.array([[1.0001]], np.float32)
    image = x.reshape(1, 1, 1, 1)
    with AscendTarget(precision=knobs).use():
        plain, coarse = mint.mm(from_numpy(x), from_numpy(x)), mint.matmul(from_numpy(x), from_numpy(x))
        by_mode = functional.conv2d(from_numpy(image), from_numpy(image), pad_mode="same")
        by_number = mint_functional.conv2d(from_numpy(image), from_numpy(image))
    assert plain._a.item() == by_mode._a.item() == np.float32(x.item()) * np.float32(x.item())
    assert coarse._a.item() == by_number._a.item() == 1.0


def test_a_gradient_runs_on_the_target() -> None:
    x = np.full((2, 2), 300.0, np.float16)
    with AscendTarget("ascend910").use():
        found = grad(lambda v: (v * v * v).sum())(from_numpy(x))
    assert found._a.tolist() == [[65504.0, 65504.0], [65504.0, 65504.0]]


@pytest.mark.parametrize("name", ["matmul", "mm", "dot_product", "conv2d"])
def test_refused_dtypes(name: str) -> None:
    double = from_numpy(np.ones((2, 2)))
    image = from_numpy(np.ones((1, 1, 2, 2)))
    calls = {
        "matmul": lambda: mint.matmul(double, double),
        "mm": lambda: mint.mm(double, double),
        "dot_product": lambda: functional.einsum("ij,jk->ik", double, double),
        "conv2d": lambda: mint_functional.conv2d(image, image),
    }
    with AscendTarget().use(), pytest.raises(RuntimeError, match="must be supported on ascend910b, but got float64"):
        calls[name]()


def test_float64_elsewhere_is_the_cpus() -> None:
    x = np.array([0.1, 700.0, 1e300])
    with np.errstate(over="ignore"), AscendTarget("ascend910").use():
        assert mint.exp(from_numpy(x))._a.tolist()[:2] == np.exp(x).tolist()[:2]
        assert np.isinf((from_numpy(x) * 1e10)._a[2])


def test_status_is_sticky_until_it_is_read() -> None:
    target = AscendTarget("ascend910")
    with target.use():
        big = from_numpy(np.array([60000.0], np.float16))
        assert target.chip.all_finite([big._a])
        _ = big + big
        _ = big * 0
        assert not target.chip.all_finite([big._a])
        assert target.chip.all_finite([big._a])


def test_operators_of_the_status() -> None:
    with AscendTarget("ascend910").use():
        flag = functional.NPUAllocFloatStatus()()
        big = from_numpy(np.array([60000.0], np.float16))
        _ = big + big
        assert functional.NPUGetFloatStatus()(flag)._a.tolist() == [0] * 8
        assert flag._a.tolist() == [1] + [0] * 7
        functional.NPUClearFloatStatus()(flag)
        functional.NPUGetFloatStatus()(flag)
        assert flag._a.tolist() == [0] * 8
        with pytest.raises(ValueError, match="shape of 'input_x' must be"):
            functional.NPUGetFloatStatus()(big)


def test_choices_reach_the_kernels() -> None:
    x = np.array([1 << 24, 1, *([0] * 6), 1, *([0] * 7)], np.float32)[None]
    ones = np.ones((16, 1), np.float32)
    sums = []
    for block in (32, 128):
        with AscendTarget(choices=Choices(k_block_bytes=block)).use():
            sums.append(mint.matmul(from_numpy(x), from_numpy(ones))._a.item())
    assert sums == [1 << 24, (1 << 24) + 2]  # the ones are rounded away block by block
    quiet = AscendTarget("ascend910", choices=Choices(saturate_float32=False))
    with quiet.use():
        assert np.isinf((from_numpy(np.float32([3e38])) * 10)._a[0])
    with pytest.raises(ValueError, match="'cube' must be one of"):
        Choices(cube="quick")


def test_bad_profiles_and_modes() -> None:
    with pytest.raises(ValueError, match="'profile' must be one of"):
        AscendTarget("ascend310")
    with pytest.raises(ValueError, match="'mode' must be 'saturation' on ascend910"):
        AscendTarget("ascend910", "infnan")
    with pytest.raises(ValueError, match="'mode' must be 'infnan' or 'saturation'"):
        AscendTarget("ascend910b", "ieee")


def test_tensor_methods_run_on_it() -> None:
    with AscendTarget("ascend910b", "saturation").use():
        x = Tensor(np.array([60000.0], np.float16))
        assert (x + x).item() == 65504.0
        assert x.astype(mstype.float32).item() == 60000.0
