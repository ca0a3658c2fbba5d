"""Rules of the emulated chips that the vectors leave open, each under its id."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import ms_dtype as mstype
from ms_kernels import Tensor, from_numpy, functional, grad, mint, mint_functional, settings
from ms_kernels.core.dispatch import process_target
from ms_kernels.random.stream import Stream
from ms_kernels.targets import ascend
from ms_kernels.targets.ascend import AscendTarget, Choices, formats, report
from ms_kernels.targets.ascend.precision import FLAGS, Precision
from ms_kernels.targets.ascend.profiles import PROFILES, graph_mode_word, overflow_mode, profile_named
from ms_kernels.targets.ascend.reduction import tree_sum
from ms_kernels.targets.ascend.rules import rule, state

Array = np.ndarray[Any, np.dtype[Any]]
HALF, SINGLE, BF16 = np.float16, np.float32, mstype.np_bfloat16


def on(target: AscendTarget, function: Callable[..., Any], *arrays: Any) -> Any:
    with target.use():
        return function(*(from_numpy(np.asarray(a)) for a in arrays))._a


def test_an_ovf_01_modes() -> None:
    assert AscendTarget("ascend910b").chip.saturating is (overflow_mode(PROFILES["ascend910b"]) == "saturation")
    assert all(AscendTarget(name).chip.saturating for name in ("ascend910", "ascend310p"))
    assert profile_named("ascend910_93") is PROFILES["ascend910b"]


def test_an_type_06_correct_rounding() -> None:
    x = np.random.default_rng(0).standard_normal(5000).astype(SINGLE)
    for name in ("tan", "asinh", "atan", "exp2", "erfc"):
        inside = x if name != "tan" else np.clip(x, -1.5, 1.5)
        from ms_kernels.loops import elementwise

        wanted = elementwise.unary(name, inside.astype(np.float64)).astype(SINGLE)
        assert on(AscendTarget(), getattr(mint, name), inside).tolist() == wanted.tolist()


@pytest.mark.parametrize("name", ["exp", "tanh", "matmul"])
def test_an_type_07_other_types(name: str) -> None:
    x = np.linspace(-1, 1, 9).reshape(3, 3)
    if name == "matmul":
        z = x.astype(np.complex64)
        assert on(AscendTarget(), mint.matmul, z, z).dtype == np.complex64
        with pytest.raises(RuntimeError, match="got float64"):
            on(AscendTarget(), mint.matmul, x, x)
        return
    np.testing.assert_array_equal(
        on(AscendTarget("ascend910"), getattr(mint, name), x), getattr(mint, name)(from_numpy(x))._a
    )


def test_an_vec_10_functions_round_float32_first() -> None:
    every = np.arange(1 << 16, dtype=np.uint16).view(HALF)
    x = every[np.isfinite(every)]
    inside = np.tanh(x.astype(np.float64)).astype(SINGLE)
    assert on(AscendTarget(), mint.tanh, x).tolist() == inside.astype(HALF).tolist()
    positive = x[x > 0]
    assert on(AscendTarget(), mint.log, positive).tolist() == np.log(positive.astype(np.float64)).astype(HALF).tolist()


def test_an_hf32_01_bits() -> None:
    knobs = Precision()
    knobs.set("matmul_allow_hf32", True)
    x = np.random.default_rng(1).standard_normal((1, 1000)).astype(SINGLE)
    found = on(AscendTarget(precision=knobs), mint.matmul, x.T, np.ones((1, 1), SINGLE))
    assert not (found.view(np.uint32) & np.uint32(0xFFF)).any()
    np.testing.assert_allclose(found[:, 0], x[0], rtol=2.0**-12)


def test_an_hf32_02_only_inputs_lose_bits() -> None:
    knobs = Precision()
    knobs.set("matmul_allow_hf32", True)
    a, b = np.full((1, 2), 1 + 2.0**-11, SINGLE), np.full((2, 1), 1 + 2.0**-11, SINGLE)
    assert on(AscendTarget(precision=knobs), mint.matmul, a, b).item() == 2 * (1 + 2.0**-11) ** 2


def test_an_hf32_06_defaults() -> None:
    knobs = Precision()
    assert {name: knobs.latched(name) for name in FLAGS} == {"matmul_allow_hf32": False, "conv_allow_hf32": True}


@pytest.mark.parametrize("mode", ["force_fp16", "must_keep_origin_dtype", "allow_mix_precision"])
@pytest.mark.parametrize("kind", [HALF, BF16])
def test_an_prec_06_short_inputs_ignore_the_code(mode: str, kind: Any) -> None:
    knobs = Precision()
    knobs.set("precision_mode", mode)
    x = np.random.default_rng(2).standard_normal((9, 40)).astype(kind)
    plain = on(AscendTarget(), mint.matmul, x, x.T.copy())
    np.testing.assert_array_equal(on(AscendTarget(precision=knobs), mint.matmul, x, x.T.copy()), plain)


@pytest.mark.parametrize("name", ["dense", "addmm", "addmv", "baddbmm"])
@pytest.mark.parametrize("kind", [HALF, BF16])
def test_an_cube_03_a_bias_is_added_before_the_rounding(name: str, kind: Any) -> None:
    step = float(np.finfo(HALF).eps) if kind is HALF else 2.0**-7
    one, near = np.full((1, 2), 1, kind), np.array([[1], [0.5 * step]], kind)
    bias = np.array([[0.5 * step]], kind)  # together with the half unit of the product it is a whole one
    calls = {
        "dense": lambda: (functional.dense, one, near.T.copy(), bias[0]),
        "addmm": lambda: (mint.addmm, bias, one, near),
        "addmv": lambda: (mint.addmv, bias[0], one, near[:, 0].copy()),
        "baddbmm": lambda: (mint.baddbmm, bias[None], one[None], near[None]),
    }
    assert float(on(AscendTarget(), *calls[name]()).item()) == 1 + step
    if kind is HALF:
        assert float(on(AscendTarget("ascend910"), *calls[name]()).item()) == 1 + step
        return
    with pytest.raises(RuntimeError, match="got bfloat16"):
        on(AscendTarget("ascend910"), *calls[name]())


def test_an_cube_03_has_gradients() -> None:
    x, w, b = (from_numpy(v.astype(HALF)) for v in (np.ones((2, 3)), np.full((4, 3), 2.0), np.zeros(4)))

    def run(*args: Any) -> Any:
        return functional.dense(*args).sum()

    wanted = grad(run, (0, 1, 2))(x, w, b)
    with AscendTarget().use():
        found = grad(run, (0, 1, 2))(x, w, b)
    for got, want in zip(found, wanted, strict=True):
        assert (got._a.dtype, got._a.tolist()) == (want._a.dtype, want._a.tolist())


def test_an_red_05_running_sums_and_extrema() -> None:
    x = np.array([60000.0, 60000.0, -60000.0, 1.0, 2.0**-11], HALF)
    running = np.cumsum(x.astype(SINGLE), dtype=SINGLE)
    for target in (AscendTarget("ascend910b", "infnan"), AscendTarget("ascend910")):
        wanted = target.chip.to(running, HALF)
        assert on(target, lambda t: mint.cumsum(t, 0), x).tolist() == wanted.tolist()
    huge = np.array([3e38, 3e38, -3e38], SINGLE)
    most = np.finfo(SINGLE).max
    assert on(AscendTarget("ascend910"), lambda t: mint.cumsum(t, 0), huge).tolist() == [
        SINGLE(3e38),
        most,
        most - SINGLE(3e38),
    ]
    nan = np.array([1.0, np.nan, 2.0], SINGLE)
    assert np.isnan(on(AscendTarget(), mint.max, nan))
    assert on(AscendTarget("ascend910"), mint.max, nan) == 0


def test_an_op_04_gelu() -> None:
    from math import erfc

    x = np.linspace(-6, 6, 400).astype(SINGLE)
    wanted = [SINGLE(float(v) * 0.5 * erfc(-float(v) / 2**0.5)) for v in x]
    assert on(AscendTarget(), mint_functional.gelu, x).tolist() == wanted


def test_an_rng_02_the_offset_moves_by_12() -> None:
    stream = Stream(7)
    with AscendTarget("ascend910").use():
        first = mint.rand(1000, generator=stream)
        assert stream.peek() == (7, 12)
        mint.randn(1, generator=stream)
    assert stream.peek() == (7, 24)
    assert mint.rand(1000, generator=Stream(7))._a.tolist() == first._a.tolist()  # the CPU draws the same


def test_an_rng_10_the_operator_applies_a_mask_in_the_tensors_type() -> None:
    x, mask = np.array([1, 3, 7, 5], HALF), np.array([11] + [0] * 15, np.uint8)
    found = on(AscendTarget(), lambda a, b: functional.DropoutDoMask()(a, b, 0.9), x, mask)
    keep = HALF(1) - HALF(1 - 0.9)
    assert found.tolist() == [x[0] * (HALF(1) / keep), x[1] * (HALF(1) / keep), 0, x[3] * (HALF(1) / keep)]


SHAPES = {
    "NC1HWC0": (2, 17, 3, 4),
    "NDC1HWC0": (2, 17, 2, 3, 4),
    "FRACTAL_NZ": (2, 20, 33),
    "FRACTAL_Z": (20, 17, 2, 3),
    "FRACTAL_Z_3D": (20, 17, 2, 2, 3),
    "NC1HWC0_C04": (2, 3, 5, 4),
    "FRACTAL_Z_C04": (20, 3, 3, 3),
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("kind", [np.float16, np.float32, np.int8])
def test_an_fmt_formats_hold_every_element_once(name: str, kind: Any) -> None:
    shape = SHAPES[name]
    x = (np.arange(int(np.prod(shape))) % 100 + 1).astype(kind).reshape(shape)
    packed = formats.to_format(name, x)
    assert packed.shape == formats.format_shape(name, shape, kind)
    assert (packed != 0).sum() == x.size  # the rest is padding
    np.testing.assert_array_equal(formats.from_format(name, packed, shape), x)
    last = tuple(n - 1 for n in shape)
    assert packed.reshape(-1)[formats.place_of(name, shape, kind, last)] == x[last]


def test_an_fmt_01_and_03_edges() -> None:
    assert [formats.c0_of(kind) for kind in ("float16", "float32", "int8", "uint8", "int4")] == [16, 16, 32, 32, 64]
    for n in (1, 32, 20):
        x = np.arange(1, n + 1, dtype=np.float16)
        np.testing.assert_array_equal(formats.from_format("FRACTAL_NZ", formats.to_format("FRACTAL_NZ", x), (n,)), x)
    with pytest.raises(ValueError, match="'format' must be one of"):
        formats.to_format("NHWC", np.zeros((1, 1, 1, 1)))


def test_an_knob_12_graph_mode() -> None:
    words = [graph_mode_word(profile) for profile in PROFILES.values()]
    assert words == ["must_keep_origin_dtype", "allow_fp32_to_fp16", "allow_fp32_to_fp16"]
    assert graph_mode_word(PROFILES["ascend910b"], inference=True) == "force_fp16"
    assert graph_mode_word(PROFILES["ascend910"], "force_fp32", True) == "force_fp32"


def test_an_rep_layout_names() -> None:
    name = report.LAYOUT["api"].format(kind="Mint", api="add", call=0, direction="forward", side="input", index=1)
    assert report.LAYOUT["data"].format(name=name) == "dump_tensor_data/Mint.add.0.forward.input.1.npy"
    assert report.LAYOUT["dump"].format(dump_path="d", step=2, rank=0) == "d/step2/rank0/"


def test_an_rep_01_integers_and_empty() -> None:
    found = report.compare(np.array([1, 2, 0]), np.array([1, 3, 0]))
    assert (found["MaxAbsErr"], found["MaxRelativeErr"]) == (1.0, round(1 / 3, 12))
    assert report.compare(np.zeros(0, SINGLE), np.zeros(0, SINGLE))["MaxAbsErr"] == 0.0
    assert report.compare(np.zeros(2), np.zeros(3))["Cosine"] == "shape unmatched"


@pytest.fixture
def process() -> Iterator[None]:
    """The process-wide Ascend target, and everything as before afterwards."""
    settings.device_target = "Ascend"
    yield
    ascend.emulator.change(profile="ascend910b", choices=Choices())
    ascend.emulator.precision.reset()
    settings.device_target = "CPU"
    assert process_target.target is None


@pytest.mark.usefixtures("process")
class TestProcess:
    def test_the_profile_can_be_changed_at_any_time(self) -> None:
        x = Tensor(np.array([60000.0], HALF))
        assert np.isinf((x + x)._a[0])
        ascend.set_profile("ascend310p")
        assert ascend.get_profile() == "ascend310p"
        assert (x + x).item() == 65504.0
        with pytest.raises(ValueError, match="'profile' must be one of"):
            ascend.set_profile("ascend")
        before = ascend.set_choices(cube="fast")
        assert before.cube == "exact"
        assert process_target.target.chip.choices.cube == "fast"  # type: ignore[attr-defined]

    def test_an_knob_09_all_finite_reads_the_variable_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        x = Tensor(np.array([60000.0], HALF))
        found = (x + x)._a
        assert not ascend.all_finite([found])
        monkeypatch.setenv("MS_ASCEND_CHECK_OVERFLOW_MODE", "SATURATION_MODE")
        assert ascend.all_finite([found])  # the status is asked for now, and this mode sets none
        ascend.set_profile("ascend910")
        _ = x + x
        assert not ascend.all_finite([np.zeros(1)])
        assert ascend.all_finite([found])

    def test_the_environment_names_the_profile(self, monkeypatch: pytest.MonkeyPatch) -> None:
        fresh = type(ascend.emulator)()
        monkeypatch.setenv("MS_ASCEND_PROFILE", "ascend310p")
        assert fresh.profile == "ascend310p"
        monkeypatch.setenv("MS_ASCEND_PROFILE", "x")
        with pytest.raises(ValueError, match="got 'x'"):
            fresh.target()


def test_a_rule_is_stated_once_and_with_a_known_confidence() -> None:
    with pytest.raises(ValueError, match="stated twice"):
        state("AN-OVF-01", "text", "source", "documented")
    with pytest.raises(ValueError, match="confidence 'sure'"):
        rule("AN-XXX-01", "source", "sure")(tree_sum)
