"""The vector unit: elementwise arithmetic, division, comparisons."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.loops import npu
from ms_kernels.targets.ascend.casts import cast, whole
from ms_kernels.targets.ascend.chip import Array, Chip
from ms_kernels.targets.ascend.kernels import kernel
from ms_kernels.targets.ascend.profiles import BF16, F16, F32
from ms_kernels.targets.ascend.rules import rule, state

__all__ = ["function"]

state(
    "AN-TYPE-03",
    "float16 add, sub, mul and maximum are one step in float16: the op's native loop rounds once.",
    "TBE dynamic/add.py, sub.py, mul.py; IEEE",
    "source",
)
state(
    "AN-TYPE-04",
    "Add and Mul of float16 or bfloat16 with float32: both to float32, by the table of promotions.",
    "TBE dynamic/add.py, mul.py",
    "source",
)
state(
    "AN-TYPE-07",
    "float64, complex and types without a rule here: plain C and NumPy arithmetic; the matmul family rejects float64.",
    "H7 type lists",
    "approximation",
    place="ascend.target.AscendTarget",
)
state(
    "AN-VEC-01",
    "int16, int32 and int64 add, sub and mul wrap (two's complement): the op's body does.",
    "none",
    "approximation",
)
state(
    "AN-VEC-02",
    "int8 and uint8 add and sub go through float16, mul through float32, where all are exact; the result wraps to 8 "
    "bits: the op's body does.",
    "TBE dynamic/add.py, sub.py, mul.py; util/util_common.py",
    "source",
)
state(
    "AN-VEC-03",
    "reciprocal: float16 to float32, RN(1/x), back: the op's native loop computes so.",
    "TBE dynamic/reciprocal.py",
    "source",
)
state(
    "AN-VEC-06",
    "True division of float16 is one float16 step; the detour through float32 of high_precision rounds alike.",
    "TBE dynamic/real_div.py",
    "source",
)


def function(chip: Chip, name: str, x: Array) -> Array:
    """A native function of one operand that is one rounding of float64, or whose steps cannot hide an overflow."""
    out, bad = npu.unary(name, x if isinstance(x, np.ndarray) else np.asarray(x))  # 0-d results of NumPy are scalars
    return chip.narrowed(out, bad)


def recipe(chip: Chip, name: str, x: Array, steps: Any) -> Array:
    """The native loop of several float32 steps; the steps themselves where saturation may change one of them."""
    out, bad = npu.unary(name, x)
    if not bad or not chip.saturating:
        return chip.narrowed(out, False)
    with np.errstate(all="ignore"):
        return chip.to(steps(chip, chip.wide(x)), x.dtype)


def exp(chip: Chip, x: Array) -> Array:
    """One exp step in float32."""
    return function(chip, "exp", x)


@kernel("exp")
@rule("AN-VEC-05", "TBE dynamic/exp.py", "source")
def exp_kernel(chip: Chip, op: Any, values: list[Any]) -> Array:
    """exp of float16 is one float16 step; float32 inside when op_precision_mode says high_precision."""
    x = values[0]
    half = x.dtype == F16 and not chip.choices.high_precision
    return function(chip, "exp_half" if half else "exp", x)


@kernel("log")
@rule("AN-VEC-10", "TBE dynamic/log.py, tanh.py, erf.py (vendor fits not copied)", "approximation")
def log_kernel(chip: Chip, op: Any, values: list[Any]) -> Array:
    """log: one step in the tensor's type; tanh, erf and the like: float32 inside, one RN to the tensor's type."""
    return function(chip, "log_half" if values[0].dtype == F16 else "log", values[0])


@kernel("sqrt", "reciprocal")
def body_kernel(chip: Chip, op: Any, values: list[Any]) -> Array:
    return chip.finish(op.body(*values))


@kernel(
    *[
        "expm1",
        "log1p",
        "log2",
        "log10",
        "tanh",
        "erf",
        "sin",
        "cos",
        "sinh",
        "cosh",
        "silu",
        "softplus",
        "logsigmoid",
        "mish",
    ]
)
def function_kernel(chip: Chip, op: Any, values: list[Any]) -> Array:
    return function(chip, op.name, values[0])


@kernel("rsqrt")
@rule("AN-VEC-04", "TBE dynamic/sqrt.py, rsqrt.py", "source")
def rsqrt_kernel(chip: Chip, op: Any, values: list[Any]) -> Array:
    """sqrt and rsqrt: float16 to float32; rsqrt is RN(1 / RN(sqrt x)) in float32; back."""
    return recipe(chip, "rsqrt", values[0], lambda c, x: c.step(np.divide, F32.type(1), c.step(np.sqrt, x)))


@kernel("maximum", "minimum")
@rule("AN-VEC-09", "IEEE 754-2019 maximum", "approximation")
def extremum_kernel(chip: Chip, op: Any, values: list[Any]) -> Array:
    """maximum, minimum, relu and clamp give NaN if an operand is NaN (0 in saturation mode); +0 is above -0."""
    x, y = values
    if x.shape != y.shape:
        x, y = np.broadcast_arrays(x, y)
    return chip.finish(npu.maximum(np.asarray(x, order="C"), np.asarray(y, order="C"), op.name == "minimum"))


@kernel("not_equal")
@rule("AN-VEC-08", "TBE dynamic/not_equal.py", "inferred")
def not_equal_kernel(chip: Chip, op: Any, values: list[Any]) -> Array:
    """not_equal with a NaN: True on 910b (it selects on "equal"), False on 910 and 310p (the difference saturates to
    0)."""
    out: Array = op.body(*values)
    if chip.profile.new:
        return out
    return np.asarray(np.logical_and(out, ~(np.isnan(values[0]) | np.isnan(values[1]))))


@rule("AN-VEC-07", "TBE dynamic/pow.py", "inferred")
def pow_steps(chip: Chip, x: Array, y: Array) -> Array:
    """pow: float32 steps exp(y * ln abs(x)); negative x with odd integer y negates, with non-integer y gives NaN;
    y = 0 or x = 1 gives 1. int32 pow is integer, wrapping.

    The definition, on float32; the chip's interface may take a shorter way for small powers.
    """
    out = exp(chip, chip.step(np.multiply, y, function(chip, "log", np.abs(x))))
    integer = np.floor(y) == y
    odd = integer & (np.abs(np.fmod(y, F32.type(2))) == 1)
    out = np.where(np.signbit(x) & odd, -out, out)
    out = np.where((x < 0) & ~integer & np.isfinite(y), F32.type(np.nan), out)
    return np.where((y == 0) | (x == 1), F32.type(1), out)


@kernel("pow")
def pow_kernel(chip: Chip, op: Any, values: list[Any]) -> Array:
    x, y = values
    if x.shape != y.shape:
        x, y = np.broadcast_arrays(x, y)
    out, bad = npu.power(np.asarray(x, order="C"), np.asarray(y, order="C"))
    if bad and chip.saturating:
        with np.errstate(all="ignore"):
            return chip.to(pow_steps(chip, chip.wide(x), chip.wide(y)), x.dtype)
    return chip.narrowed(out, False)


def _quotient(chip: Chip, x: Array, y: Array) -> Array:
    return chip.step(np.divide, x.astype(F32, copy=False), y.astype(F32, copy=False))


@rule("AN-DIV-01", "TBE dynamic/floor_div.py", "source")
def floor_div_ints(chip: Chip, x: Array, y: Array) -> Array:
    """floor_div of int32, int8 and uint8: both to float32, one division, floor, cast back: wrong beyond 2^24; x // 0
    gives the limits, 0 // 0 gives 0."""
    wide = np.asarray(np.divide(x.astype(F32), y.astype(F32)))
    return cast(chip, np.floor(wide), x.dtype) if x.dtype != np.int32 else whole(np.floor(wide))


@kernel("floor_divide")
@rule(
    "AN-DIV-02",
    "TBE dynamic/floor_div.py",
    "source",
    text="floor_div of float32 and bfloat16: the float32 quotient is rounded first, then floor.",
)
@rule(
    "AN-DIV-03",
    "TBE dynamic/floor_div.py",
    "source",
    text="floor_div of float16: the float16 quotient is rounded first, then floor.",
)
@rule(
    "AN-DIV-04",
    "TBE dynamic/floor_div.py (integer path)",
    "approximation",
    text="floor_div and remainder of int64: exact integer arithmetic.",
)
def floor_divide_kernel(chip: Chip, op: Any, values: list[Any]) -> Any:
    x, y = values
    with np.errstate(all="ignore"):
        if x.dtype in (np.int32, np.int8, np.uint8):
            return floor_div_ints(chip, x, y)
        if x.dtype == F16:
            return chip.step(np.floor, chip.step(np.divide, x, y))
        if x.dtype in (F32, BF16):
            return chip.to(np.floor(_quotient(chip, x, y)), x.dtype)
        return op.body(*values)


@kernel("remainder")
@rule(
    "AN-DIV-05",
    "TBE dynamic/floor_mod.py",
    "source",
    text="remainder of int32: q = floor(float32 quotient) as int32, then x - q*y wrapping; x % 0 gives x.",
)
@rule(
    "AN-DIV-06",
    "TBE dynamic/floor_mod.py",
    "source",
    text="remainder of floats: x - floor(x/y)*y in float32 steps; "
    "910b then: y = +-Inf gives x, x = +-Inf gives NaN, and a non-zero result whose sign bit differs from y's gets "
    "+ y.",
)
def remainder_kernel(chip: Chip, op: Any, values: list[Any]) -> Any:
    x, y = values
    with np.errstate(all="ignore"):
        if x.dtype == np.int32:
            return x - whole(np.floor(np.divide(x.astype(F32), y.astype(F32)))) * y
        if x.dtype not in (F16, F32, BF16):
            return op.body(*values)
        a, b = chip.wide(x), chip.wide(y)
        whole_part = chip.step(np.floor, chip.step(np.divide, a, b))
        out = chip.step(np.subtract, a, chip.step(np.multiply, whole_part, b))
        if chip.profile.new:
            out = np.where(np.isinf(b), a, out)
            out = np.where(np.isinf(a), F32.type(np.nan), out)
            turn = (out != 0) & ~np.isnan(out) & (np.signbit(out) != np.signbit(b))
            out = np.where(turn, chip.step(np.add, out, b), out)
        return chip.to(out, x.dtype)


@kernel("truncate_mod", "fmod")
@rule("AN-DIV-07", "TBE dynamic/mod.py", "source")
def truncate_mod_kernel(chip: Chip, op: Any, values: list[Any]) -> Any:
    """mod (truncated): the float32 quotient truncated, x - q*y in float32, cast back."""
    x, y = values
    if x.dtype in (np.int64, np.float64) or x.dtype.kind == "c":
        return op.body(*values)
    with np.errstate(all="ignore"):
        a, b = x.astype(F32, copy=False), y.astype(F32, copy=False)
        q = np.trunc(chip.step(np.divide, a, b))
        return cast(chip, chip.step(np.subtract, a, chip.step(np.multiply, q, b)), x.dtype)


@kernel("cast")
def cast_kernel(chip: Chip, op: Any, values: list[Any]) -> Array:
    to = getattr(values[1], "np", None)
    return op.body(*values) if to is None else cast(chip, values[0], to)  # the body says what is wrong


@kernel("cast_np")
def cast_np_kernel(chip: Chip, op: Any, values: list[Any]) -> Array:
    return cast(chip, values[0], np.dtype(values[1]))
