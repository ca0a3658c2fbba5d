"""Casts, rounding modes and the HF32 format."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ms_kernels.loops import elementwise
from ms_kernels.targets.ascend.chip import Array, Chip
from ms_kernels.targets.ascend.profiles import BF16, F16, F32
from ms_kernels.targets.ascend.rules import rule, state

__all__ = ["cast", "hf32", "round_to"]

_LOW = (F16, F32, BF16)
_LIMITS = {4: (-(2.0**31), 2.0**31), 8: (-(2.0**63), 2.0**63)}

state("AN-CAST-04", "float16 to bfloat16 and back go through float32.", "TBE dynamic/cast.py", "source", "910b")
state("AN-CAST-19", "NaN to any integer type gives 0.", "none", "approximation", place="ascend.casts.whole")


def _float_to_float(chip: Chip, x: Array, to: np.dtype[Any]) -> Array:
    return chip.finish(elementwise.cast(chip.wide(x) if x.dtype in (F16, BF16) and to in (F16, BF16) else x, to))


rule("AN-CAST-01", "H9; H1", "documented", text="float32 to float16: RN; overflow gives Inf (65504 saturating).")(
    _float_to_float
)
rule(
    "AN-CAST-02",
    "TBE dynamic/cast.py; H1; IEEE",
    "source",
    "910b",
    "float32 to bfloat16: RN; overflow and NaN as for float16.",
)(_float_to_float)


@rule("AN-CAST-05", "H9 (clamp); TBE dsl/compute/cast.py (truncate)", "documented")
def whole(x: Array, size: int = 4) -> Array:
    """float to int32: truncate toward zero, clamp to the limits of the type; +-Inf gives the limits."""
    low, high = _LIMITS[size]
    v = np.trunc(np.nan_to_num(x.astype(np.float64), nan=0.0, posinf=high, neginf=low))
    kind = np.int32 if size == 4 else np.int64
    out = np.where(v >= high, 0, np.clip(v, low, None)).astype(kind)
    return np.where(v >= high, np.iinfo(kind).max, out)


@rule("AN-CAST-06", "TBE dynamic/cast.py", "source")
def to_int64(chip: Chip, x: Array) -> Array:
    """float32 to int64: truncated and clamped directly on 910b, through int32 on the others."""
    return whole(x, 8) if chip.profile.new else whole(x).astype(np.int64)


@rule("AN-CAST-07", "TBE dynamic/cast.py", "source")
def from_int64(chip: Chip, x: Array, to: np.dtype[Any]) -> Array:
    """int64 to float32: one rounding on 910b, through int32 (its low bits) on the others."""
    return from_int(chip, x if chip.profile.new or to != F32 else narrow(x, np.dtype(np.int32)), to)


@rule("AN-CAST-15", "IEEE", "approximation")
def from_int(chip: Chip, x: Array, to: np.dtype[Any]) -> Array:
    """int32 and int64 to float16 or float32: one rounding."""
    if to == BF16:
        return through_float32(chip, x)
    if to == F16:  # float64 holds an int32; of an int64 the float32 limit is far beyond float16
        return chip.to(x.astype(np.float64), F16)
    return chip.to(x, to)


@rule("AN-CAST-16", "TBE dynamic/cast.py", "source", "910b")
def through_float32(chip: Chip, x: Array) -> Array:
    """int32 and int64 to bfloat16: RN to float32, then RN to bfloat16."""
    return chip.to(x.astype(F32), BF16)


@rule("AN-CAST-14", "none", "approximation")
def narrow(x: Array, to: np.dtype[Any]) -> Array:
    """Other narrowing of integers keeps the low bits."""
    return x.astype(to)


@rule("AN-CAST-08", "TBE dynamic/cast.py", "source")
def short_to_int8(x: Array) -> Array:
    """float16 and bfloat16 to int8: truncate and clamp to int32, then keep the low 8 bits."""
    return narrow(whole(x), np.dtype(np.int8))


@rule("AN-CAST-09", "TBE dynamic/cast.py", "source")
def to_uint8(chip: Chip, x: Array) -> Array:
    """float to uint8: truncate to int32 (float32 on 910b: int64), then modulo 256; on 910 and 310p what came from
    float32 passes through float32 again."""
    if x.dtype == F32 and not chip.profile.new:
        return np.mod(whole(x).astype(F32).astype(np.float64), 256.0).astype(np.uint8)
    return narrow(whole(x, 8 if x.dtype == F32 else 4), np.dtype(np.uint8))


@rule("AN-CAST-10", "H10; TBE dynamic/cast.py", "documented")
def half_to_int16(x: Array) -> Array:
    """float16 to int16: truncate, clamp."""
    return np.clip(whole(x), -32768, 32767).astype(np.int16)


@rule("AN-CAST-11", "TBE dynamic/cast.py (first step); narrowing: none", "approximation")
def float_to_short(x: Array, to: np.dtype[Any]) -> Array:
    """float32 to int16 and int8: truncate and clamp to int32, then keep the low bits."""
    return narrow(whole(x), to)


@rule("AN-CAST-12", "TBE dynamic/cast.py, dsl/compute/math.py; H10", "source")
def int32_to_int8(chip: Chip, x: Array) -> Array:
    """int32 to int8: RN to float16, add 128, modulo 256 in float32, subtract 128: exact only near zero."""
    half = _finite(chip, x)
    moved = chip.to(half.astype(np.float64) + 128, F16).astype(F32)
    return np.asarray(np.mod(moved, np.float32(256)) - 128).astype(np.int8)


@rule("AN-CAST-13", "TBE dynamic/cast.py", "source", "910")
def int32_to_uint8(chip: Chip, x: Array) -> Array:
    """int32 to uint8 on 910: through float16 as int8, without the shift."""
    return np.asarray(np.mod(_finite(chip, x).astype(F32), np.float32(256))).astype(np.uint8)


def _finite(chip: Chip, x: Array) -> Array:
    """Integers in float16; modulo has no result for Inf, so the largest number stands in on 910b, too."""
    half = chip.to(x.astype(np.float64), F16)
    return np.clip(half, F16.type(-65504), F16.type(65504))


@rule("AN-CAST-17", "TBE dynamic/cast.py; NaN: inferred", "source")
def to_bool(chip: Chip, x: Array) -> Array:
    """To bool: x != 0, so NaN is True; on 910 and 310p a float32 NaN gives False."""
    out = np.not_equal(x, 0)
    return out if chip.profile.new or x.dtype != F32 else out & ~np.isnan(x)


@rule("AN-CAST-18", "TBE dynamic/cast.py", "source")
def from_byte(chip: Chip, x: Array, to: np.dtype[Any]) -> Array:
    """int8 and uint8 to float32, bfloat16 and int32 pass through float16, without loss."""
    return x.astype(F16).astype(F32).astype(to)


def _to_integer(chip: Chip, x: Array, to: np.dtype[Any]) -> Array:
    if to == np.int32:
        return whole(x)
    if to == np.int64:
        return to_int64(chip, x)
    if to == np.uint8:
        return to_uint8(chip, x)
    if to == np.int8:
        return short_to_int8(x) if x.dtype != F32 else float_to_short(x, to)
    if to == np.int16:
        return half_to_int16(x) if x.dtype == F16 else float_to_short(x, to)
    return narrow(whole(x, 8), to)


def _from_integer(chip: Chip, x: Array, to: np.dtype[Any]) -> Array:
    if to in _LOW:
        if x.dtype.itemsize == 1:
            return from_byte(chip, x, to)
        return from_int64(chip, x, to) if x.dtype == np.int64 else from_int(chip, x, to)
    if x.dtype == np.int32 and to == np.int8:
        return int32_to_int8(chip, x)
    if x.dtype == np.int32 and to == np.uint8 and chip.profile.name == "ascend910":
        return int32_to_uint8(chip, x)
    return narrow(x, to)


def cast(chip: Chip, x: Array, to: np.dtype[Any]) -> Array:
    """Cast as the chip does; types without a rule as NumPy does (AN-TYPE-07)."""
    with np.errstate(all="ignore"):
        if x.dtype == to:
            return np.array(x, order="C")
        if to == np.bool_:
            return to_bool(chip, x)
        if x.dtype in _LOW:
            if to in _LOW:
                return _float_to_float(chip, x, to)
            if to.kind in "iu":
                return _to_integer(chip, x, to)
        elif x.dtype.kind in "iu" and to.kind not in "bc":
            return _from_integer(chip, x, to)
        real = x.real if x.dtype.kind == "c" and to.kind not in "cb" else x
        return chip.finish(real.astype(to, order="C"))


def _nearest_away(v: Array) -> Array:
    return np.copysign(np.floor(np.abs(v) + 0.5), v)


_ROUND: dict[str, Callable[[Array], Array]] = {
    "rint": np.rint,
    "none": np.rint,
    "round": _nearest_away,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
}


@rule("AN-CAST-03", "H9", "documented")
def round_to(chip: Chip, x: Array, to: np.dtype[Any], word: str) -> Array:
    """Where a rounding word is exposed: RINT ties to even, ROUND away, FLOOR, CEIL, TRUNC, ODD (if inexact, the last
    kept bit becomes 1), NONE as RINT.

    `x` is float32; `to` float16, bfloat16 or an integer type.
    """
    v = x.astype(np.float64)
    if to.kind in "iu":
        return whole(_ROUND[word](v), 8 if to.itemsize == 8 else 4).astype(to)
    digits, smallest = (11, -24) if to == F16 else (8, -133)
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(v)
        unit = np.ldexp(1.0, np.maximum(exponent - digits, smallest))
        scaled = v / unit
        if word == "odd":
            cut = np.trunc(scaled)
            kept = np.where((cut != scaled) & (cut % 2 == 0), cut + np.copysign(1.0, v), cut)
        else:
            kept = _ROUND[word](scaled)
        out = np.where(np.isfinite(v), kept * unit, v)
        return chip.to(out, to)


@rule(
    "AN-HF32-03",
    "MSIT mat_mul.py; H4 (mode 1)",
    "source",
    "910b",
    "HF32 of the matmul class: nearest, ties away from zero, `(bits + 0x800) & ~0xFFF`.",
)
@rule(
    "AN-HF32-04",
    "H4 (default mode 0); which mode conv uses is not stated",
    "approximation",
    "910b",
    "HF32 of the conv class: nearest, ties to even, `(bits + 0x7FF + ((bits >> 12) & 1)) & ~0xFFF`.",
)
@rule(
    "AN-HF32-01",
    "H3",
    "documented",
    "910b",
    "HF32 has 1 sign, 8 exponent and 11 mantissa bits and is stored as float32 with 12 zero bits; largest 0x7F7FF000.",
)
@rule(
    "AN-HF32-05",
    "IEEE; MSIT mat_mul.py",
    "approximation",
    "910b",
    "Inf, NaN and zeros pass, subnormals follow the bit rule, a carry out of the exponent gives Inf (0x7F7FF000 in "
    "saturation mode, where NaN gives 0).",
)
def hf32(chip: Chip, x: Array, ties: str) -> Array:
    """float32 values rounded to HF32, "away" from zero or to "even" at ties."""
    bits = np.asarray(x, order="C").view(np.uint32)
    more = np.uint32(0x800) if ties == "away" else np.uint32(0x7FF) + ((bits >> np.uint32(12)) & np.uint32(1))
    special = (bits & np.uint32(0x7FFFFFFF)) >= np.uint32(0x7F800000)
    out = np.where(special, bits, (bits + more) & np.uint32(0xFFFFF000)).view(np.float32)
    if not chip.saturates(F32):
        return out
    out = np.where(np.isnan(out), np.float32(0), out)
    return np.where(np.isinf(out), np.copysign(_MOST, out), out)


_MOST = np.uint32(0x7F7FF000).view(np.float32)
