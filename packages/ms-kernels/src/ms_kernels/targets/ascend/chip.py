"""One emulated chip: profile, overflow mode, choices, knobs, and the step that all arithmetic is made of."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.loops import npu
from ms_kernels.targets.ascend.precision import Precision
from ms_kernels.targets.ascend.profiles import BF16, F16, F32, Choices, Profile
from ms_kernels.targets.ascend.rules import rule, state

__all__ = ["Array", "Chip"]

Array = np.ndarray[Any, np.dtype[Any]]

state(
    "AN-OVF-05",
    "Saturation acts on every step of a recipe, in that step's type, not once per operator.",
    "H11 (65504 inside a running sum); the rest by analogy",
    "inferred",
)
state(
    "AN-OVF-06",
    "Inf and NaN inputs enter a step unchanged, only its result is saturated; copies, views, gathers and host "
    "transfers change no bits.",
    "H1; IEEE",
    "inferred",
)
state(
    "AN-TYPE-05",
    "float32 steps are IEEE binary32: subnormals and signed zeros are kept, NaN payloads unspecified.",
    "IEEE; PAPER (gradual underflow on 910A)",
    "approximation",
)
state(
    "AN-TYPE-06",
    "exp, ln, division, tanh, erf and other functions are correctly rounded in the step type: computed in float64 and "
    "rounded (a tie that float64 cannot see may go the other way).",
    "IEEE",
    "approximation",
)


class Chip:
    """What a kernel knows of the chip that it runs on.

    Attributes:
        profile: the chip's data.
        saturating: whether results are saturated.
        choices: what no source decides.
        precision: the knobs.
        flag: the HF32 knob that matrix products read instead of their own; "" when nothing stands in.
        short: whether float32 operands of matrix products hold numbers of a 16-bit type, to be taken as such.
        status: 8 int32 words, the first 1 after a step that would have given Inf or NaN (AN-OVF-07).
    """

    __slots__ = ("choices", "flag", "precision", "profile", "saturating", "short", "status")

    def __init__(self, profile: Profile, saturating: bool, choices: Choices, precision: Precision) -> None:
        self.profile, self.saturating, self.choices, self.precision = profile, saturating, choices, precision
        self.status = np.zeros(8, np.int32)
        self.flag: str | None = ""
        self.short = False

    def twin(self, flag: str | None, short: bool) -> Chip:
        """The same chip with another `flag` or `short`; the status is shared."""
        other = Chip(self.profile, self.saturating, self.choices, self.precision)
        other.status, other.flag, other.short = self.status, flag, short
        return other

    @rule("AN-OVF-04", "H1 wording; no float32 example", "approximation")
    def saturates(self, dtype: Any) -> bool:
        """Results of float32 steps saturate as those of float16 and bfloat16 do (parameter `saturate_float32`)."""
        if not self.saturating or dtype not in (F16, F32, BF16):
            return False
        return self.choices.saturate_float32 or dtype != F32

    @rule("AN-OVF-03", 'H1 (float16 examples; "the matching data type")', "documented")
    def finish(self, out: Array) -> Array:
        """Saturation turns a result +Inf into the type's largest number, -Inf into its negative, NaN into +0.

        It is done in place; the status remembers that there was one.
        """
        if self.saturates(out.dtype) and npu.saturate(out):
            self.status[0] = 1
        return out

    def narrowed(self, out: Array, bad: bool) -> Array:
        """The result of a native loop: `bad` tells of float32 steps only, rounding to 16 bits may overflow as well."""
        return self.finish(out) if bad or (self.saturating and out.dtype != F32) else out

    def to(self, values: Array, dtype: Any) -> Array:
        """RN: round to nearest, ties to even, into a type, then apply the overflow mode."""
        values = np.asarray(values)  # 0-d results of NumPy are scalars
        with np.errstate(all="ignore"):
            if dtype == BF16 and values.dtype == np.float64:
                values = values.astype(F32)
            out = values.astype(dtype)
        return self.finish(out)

    def step(self, function: Any, *operands: Array) -> Array:
        """One operation in the operands' type, correctly rounded, then the overflow mode.

        float16 is computed in float64 and rounded once; float32 arithmetic is exact in NumPy.
        """
        kind = operands[0].dtype
        if function in _EXACT:
            return self.finish(np.asarray(function(*operands)))
        wide = function(*(o.astype(np.float64) for o in operands))
        return self.to(np.asarray(wide), kind)

    @rule("AN-TYPE-02", "TBE common/register/operation_func_mgr.py; dynamic/add.py", "source", "910b")
    def wide(self, values: Array) -> Array:
        """bfloat16 operators take their inputs to float32, compute the float32 recipe and round once."""
        return values if values.dtype == F32 else values.astype(F32)

    @rule("AN-TYPE-01", "H7, H10 type lists", "inferred", "910, 310p")
    def check(self, label: str, dtype: Any) -> None:
        """There are bfloat16 operators on 910b only; elsewhere they raise RuntimeError."""
        if dtype == BF16 and BF16 not in self.profile.floats:
            refuse(self, label, dtype)

    @rule("AN-OVF-07", "MS python/mindspore/amp.py; ops/operations/math_ops.py", "source")
    def all_finite(self, arrays: list[Array], saturating: bool | None = None) -> bool:
        """amp.all_finite: on 910, and on 910b in saturation mode, whether the sticky status is clear, which is then
        cleared; otherwise (also 310p) whether all values are finite. Word 0 becomes 1: our choice."""
        by_status = self.profile.name == "ascend910" or (
            self.profile.new and (self.saturating if saturating is None else saturating)
        )
        if not by_status:
            return all(bool(np.isfinite(a.astype(F32, copy=False)).all()) for a in arrays)
        clear = not self.status.any()
        self.status[:] = 0
        return clear


# NumPy rounds these correctly in float16 and float32
_EXACT = frozenset({np.add, np.subtract, np.multiply, np.divide, np.sqrt, np.floor, np.negative, np.abs, np.trunc})


def refuse(chip: Chip, label: str, dtype: Any) -> None:
    """Raise for an operand type that the chip's operator does not take."""
    known = mstype.from_numpy(np.dtype(dtype)).name
    raise RuntimeError(
        f"For '{label}', the dtype of the inputs must be supported on {chip.profile.name}, but got {known}."
    )
