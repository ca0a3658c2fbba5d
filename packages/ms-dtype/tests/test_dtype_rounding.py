"""Reference rounding: every pattern of the narrow formats, every halfway point, and independent implementations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, Literal

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import ms_dtype as m
from ms_dtype import rounding

PATTERNS = np.arange(1 << 16, dtype=np.uint16)
TIES: tuple[Literal["away", "even"], ...] = ("away", "even")
NARROW = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16}


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with np.errstate(all="ignore"):  # the libraries compared with warn about NaN and overflow
        yield


def bits_of(name: str) -> Callable[[NDArray[Any]], NDArray[np.uint16]]:
    return {"float16": rounding.float16_bits, "bfloat16": rounding.bfloat16_bits}[name]


def values_of(name: str) -> NDArray[np.float64]:
    """Give all finite non-negative values of a format, in order, and the first that is too large."""
    values = PATTERNS[: 1 << 15].view(NARROW[name]).astype(np.float64)
    values = values[np.isfinite(values)]
    return np.append(values, 2 * values[-1] - values[-2])


@pytest.mark.parametrize("wide", [np.float32, np.float64])
@pytest.mark.parametrize("name", NARROW)
def test_what_fits_stays(name: str, wide: type) -> None:
    values = PATTERNS.view(NARROW[name]).astype(wide)
    found = bits_of(name)(values)
    nan = np.isnan(values)
    np.testing.assert_array_equal(found[~nan], PATTERNS[~nan])
    assert np.isnan(found[nan].view(NARROW[name]).astype(np.float32)).all()


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("wide", [np.float32, np.float64])
@pytest.mark.parametrize("name", NARROW)
def test_every_halfway_point_and_its_neighbours(name: str, wide: type, sign: int) -> None:
    values = values_of(name)
    low = np.arange(len(values) - 1)
    halfway: NDArray[Any] = ((values[:-1] + values[1:]) / 2).astype(wide)
    if name == "bfloat16" and wide is np.float32:
        # the last halfway point lies beyond float32's largest number, subnormal ones below its smallest step do not
        keep = np.isfinite(halfway) & (halfway.astype(np.float64) == (values[:-1] + values[1:]) / 2)
        assert keep.sum() >= len(keep) - 1
        low, halfway = low[keep], halfway[keep]
    offset = 0 if sign == 1 else 1 << 15
    narrow = bits_of(name)
    np.testing.assert_array_equal(narrow(sign * halfway), offset + low + low % 2)
    np.testing.assert_array_equal(narrow(sign * np.nextafter(halfway, wide(0))), offset + low)
    np.testing.assert_array_equal(narrow(sign * np.nextafter(halfway, wide(np.inf))), offset + low + 1)


def test_against_numpy_and_ml_dtypes() -> None:
    random = np.random.default_rng(7)
    singles = random.integers(0, 1 << 32, 300_000, dtype=np.uint32).view(np.float32)
    doubles = random.integers(0, 1 << 64, 300_000, dtype=np.uint64).view(np.float64)
    near = np.ldexp(random.standard_normal(300_000), random.integers(-30, 20, 300_000))
    for values in (singles, doubles, near, near.astype(np.float32)):
        np.testing.assert_array_equal(rounding.round_float16(values), values.astype(np.float16))
    for values in (singles, near.astype(np.float32)):
        expected = values.astype(ml_dtypes.bfloat16).astype(np.float32)
        np.testing.assert_array_equal(rounding.round_bfloat16(values).astype(np.float32), expected)


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(sorted(NARROW)))
def test_the_nearest_value_in_exact_arithmetic(value: float, name: str) -> None:
    values = values_of(name)
    magnitude = min(abs(value), float(values[-1]))
    place = int(np.searchsorted(values, magnitude))
    around = [each for each in (place - 1, place) if 0 <= each < len(values)]
    # of two equally near the even pattern
    nearest = min(around, key=lambda each: (abs(Fraction(float(values[each])) - Fraction(magnitude)), each % 2))
    found = int(bits_of(name)(np.array(value)))
    assert found & 0x7FFF == nearest
    assert found >> 15 == int(np.signbit(value))


def test_double_rounding_is_avoided() -> None:
    value = np.array([1 + 2.0**-8 + 2.0**-40])  # over float32 this would become a tie and go to even
    assert rounding.bfloat16_bits(value)[0] == 0x3F81
    assert rounding.bfloat16_bits(value.astype(np.float32))[0] == 0x3F80


@pytest.mark.parametrize("name", NARROW)
def test_shapes_are_kept(name: str) -> None:
    for shape in ((), (0,), (2, 0), (2, 3), (1, 1, 4)):
        assert bits_of(name)(np.zeros(shape)).shape == shape
    assert bits_of(name)(np.arange(6.0).reshape(2, 3).T).shape == (3, 2)


def test_hf32_every_upper_pattern_with_every_kind_of_tail() -> None:
    upper = np.arange(1 << 20, dtype=np.uint32) << np.uint32(12)
    finite = (upper & 0x7F800000) != 0x7F800000
    step = np.uint32(0x1000)
    for tail, up in ((0, 0), (1, 0), (0x7FF, 0), (0x801, 1), (0xFFF, 1)):
        for ties in TIES:
            found = rounding.round_hf32((upper | np.uint32(tail)).view(np.float32), ties).view(np.uint32)
            np.testing.assert_array_equal(found[finite], (upper + step * np.uint32(up))[finite])
    tie = (upper | np.uint32(0x800)).view(np.float32)
    np.testing.assert_array_equal(rounding.round_hf32(tie).view(np.uint32)[finite], (upper + step)[finite])
    even = upper + step * (upper >> np.uint32(12) & np.uint32(1))
    np.testing.assert_array_equal(rounding.round_hf32(tie, "even").view(np.uint32)[finite], even[finite])


HF32_INPUT = (
    *(0x3F800800, 0x3F801800, 0x3F8007FF, 0x3F800801, 0x3DCCCCCD, 0x40490FDB, 0xBF800800),
    *(0x7F7FFFFF, 0x7F7FF7FF, 0x00000800, 0x00000801, 0x7F800000, 0xFF800000, 0x80000000),
)
HF32_AWAY = (
    *(0x3F801000, 0x3F802000, 0x3F800000, 0x3F801000, 0x3DCCD000, 0x40491000, 0xBF801000),
    *(0x7F800000, 0x7F7FF000, 0x00001000, 0x00001000, 0x7F800000, 0xFF800000, 0x80000000),
)
HF32_EVEN = (
    *(0x3F800000, 0x3F802000, 0x3F800000, 0x3F801000, 0x3DCCD000, 0x40491000, 0xBF800000),
    *(0x7F800000, 0x7F7FF000, 0x00000000, 0x00001000, 0x7F800000, 0xFF800000, 0x80000000),
)


@pytest.mark.parametrize(("ties", "expected"), [("away", HF32_AWAY), ("even", HF32_EVEN)])
def test_hf32_worked_examples(ties: Literal["away", "even"], expected: tuple[int, ...]) -> None:
    values = np.array(HF32_INPUT, np.uint32).view(np.float32)
    found = rounding.round_hf32(values, ties)
    assert found.dtype == np.float32
    assert found.view(np.uint32).tolist() == list(expected)
    nan = np.array([0x7FC00000, 0x7F800001, 0xFFFFFFFF], np.uint32).view(np.float32)
    assert np.isnan(rounding.round_hf32(nan, ties)).all()


def test_wrong_arguments() -> None:
    for function, name in ((rounding.float16_bits, "float16_bits"), (rounding.bfloat16_bits, "bfloat16_bits")):
        with pytest.raises(TypeError, match=f"For '{name}', the 'values' must be float32 or float64, but got int64."):
            function(np.arange(3))
    with pytest.raises(TypeError, match=r"For 'round_hf32', the 'values' must be float32, but got float64."):
        rounding.round_hf32(np.zeros(2))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"For 'round_hf32', the 'ties' must be 'away' or 'even', but got 'zero'."):
        rounding.round_hf32(np.zeros(2, np.float32), "zero")  # type: ignore[arg-type]


def test_results_fit_our_types() -> None:
    assert m.from_numpy(rounding.round_float16(np.ones(2)).dtype) is m.float16
    assert m.from_numpy(rounding.round_bfloat16(np.ones(2)).dtype) is m.bfloat16
