"""The chips that are emulated, as data, and the choices that no source decides, as named parameters."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.targets.ascend.rules import rule, state

__all__ = [
    "BF16",
    "F16",
    "F32",
    "MODES",
    "PROFILES",
    "Choices",
    "Profile",
    "graph_mode_word",
    "overflow_mode",
    "profile_named",
]

F16, F32 = np.dtype(np.float16), np.dtype(np.float32)
BF16: np.dtype[Any] = np.dtype(mstype.np_bfloat16)

# codes of the cube's input type: keep, allow a smaller one, force float16, force HF32
KEEP, DOWN, HALF, HF32 = 0, 1, 2, 3
_FREE = "allow_fp32_to_fp16 allow_fp32_to_bf16 allow_mix_precision allow_mix_precision_fp16 allow_mix_precision_bf16"
MODES = ("force_fp16", *_FREE.split(), "must_keep_origin_dtype", "force_fp32")
Codes = Mapping[str, tuple[int, int]]


def _codes(default: tuple[int, int]) -> Codes:
    fixed = {"": default, "force_fp32": default, "force_fp16": (HALF, HALF), "must_keep_origin_dtype": (KEEP, KEEP)}
    return MappingProxyType({**fixed, **dict.fromkeys(_FREE.split(), (DOWN, DOWN))})


@dataclass(frozen=True, slots=True)
class Choices:
    """What no source decides, or where sources disagree.

    Attributes:
        k_block_bytes: the cube adds up products in blocks of so many bytes of the input type.
        hf32_matmul_ties, hf32_conv_ties: which way a tie of the HF32 rounding goes, "away" from zero or to "even".
        saturate_float32: whether saturation mode reaches float32 results.
        repeat_bytes: the vector unit adds up trees of so many bytes.
        cube: "exact" is the model of the rules; "fast" takes one float32 matrix product instead, in BLAS's order.
        high_precision: operators that have a fast and an exact form take the exact one (op_precision_mode's word).
    """

    k_block_bytes: int = 32
    hf32_matmul_ties: str = "away"
    hf32_conv_ties: str = "even"
    saturate_float32: bool = True
    repeat_bytes: int = 256
    cube: str = "exact"
    high_precision: bool = False

    def __post_init__(self) -> None:
        for name, words in (("cube", ("exact", "fast")), ("hf32_matmul_ties", _TIES), ("hf32_conv_ties", _TIES)):
            if getattr(self, name) not in words:
                fail(ValueError, "Choices", f"'{name}'", f"be one of {list(words)}", describe(getattr(self, name)))


_TIES = ("away", "even")


@dataclass(frozen=True, slots=True)
class Profile:
    """A chip.

    Attributes:
        name: the soc string.
        hardware: the products that have it.
        floats: the float types that its operators take.
        saturation_only: there is no INF/NAN mode.
        across: how sums of repeats are combined, one after another or by a tree.
        codes: precision mode -> code of the cube's input type with the HF32 flag off and on.
        float32_as: code -> how two float32 matrices are multiplied; a missing code is refused.
        memory: bytes of device memory, for queries only.
    """

    name: str
    hardware: str
    floats: frozenset[np.dtype[Any]]
    saturation_only: bool
    across: str
    codes: Codes
    float32_as: Mapping[int, str]
    memory: int

    @property
    def new(self) -> bool:
        """Whether this is the generation with bfloat16, HF32 and INF/NAN mode."""
        return not self.saturation_only


_NEW = MappingProxyType({KEEP: "float32", DOWN: "hf32", HALF: "float16", HF32: "hf32"})
_OLD = MappingProxyType({DOWN: "float16", HALF: "float16"})


def _older(name: str, hardware: str, memory: int) -> Profile:
    return Profile(name, hardware, frozenset({F16, F32}), True, "tree", _codes((HALF, DOWN)), _OLD, memory << 30)


PROFILES: Mapping[str, Profile] = MappingProxyType(
    {
        "ascend910b": Profile(
            "ascend910b",
            "Atlas A2 (and, as ascend910_93, A3)",
            frozenset({F16, BF16, F32}),
            False,
            "sequential",
            _codes((KEEP, HF32)),
            _NEW,
            64 << 30,
        ),
        "ascend910": _older("ascend910", "910A", 32),
        "ascend310p": _older("ascend310p", "Atlas inference", 24),
    }
)
_ALIASES = MappingProxyType({"ascend910_93": "ascend910b"})

state(
    "AN-OVF-01",
    "INF/NAN mode (IEEE results) is the default, saturation mode can be chosen; 910 and 310p only have the latter.",
    "H2; TBE util/util_soc_common.py",
    "documented",
)
state(
    "AN-PREC-01",
    "The code of the cube's input type follows from precision_mode and the HF32 flag: `Profile.codes`.",
    "MS ops/kernel/ascend/acl_ir/op_api_util.cc",
    "source",
)
state(
    "AN-PREC-02",
    "Codes 0 / 1 / 2 / 3 compute float32 as float32 / HF32 / float16 / HF32 on 910b, and as nothing / float16 / "
    "float16 on the others: `Profile.float32_as`.",
    "H7",
    "documented",
)
state(
    "AN-HF32-06",
    "HF32 is off for matmul and on for conv unless a knob says otherwise: `FLAGS` in `precision`.",
    "MS python/mindspore/device_context/ascend/op_precision.py; ops/kernel/ascend/acl_ir/op_api_util.cc",
    "source",
    "910b",
)


@rule("AN-KNOB-12", "MS ccsrc/backend/ge_backend/executor/ge_utils.cc; common/api.py", "source")
def graph_mode_word(profile: Profile, chosen: str = "", inference: bool = False) -> str:
    """Graph mode (GE): the user's precision_mode; else must_keep_origin_dtype on 910b, allow_fp32_to_fp16 on the
    others; for inference force_fp16. The `jit` backend is GE on 910, ms_backend otherwise.

    >>> graph_mode_word(profile_named("ascend910"))
    'allow_fp32_to_fp16'
    """
    if chosen:
        return chosen
    if inference:
        return "force_fp16"
    return "must_keep_origin_dtype" if profile.new else "allow_fp32_to_fp16"


def profile_named(name: Any) -> Profile:
    """Return a profile by its soc string.

    Raises:
        ValueError: there is none of that name.

    >>> profile_named("ascend910").saturation_only
    True
    """
    found = PROFILES.get(_ALIASES.get(name, name)) if isinstance(name, str) else None
    if found is None:
        fail(ValueError, "set_profile", "'profile'", f"be one of {[*PROFILES, *_ALIASES]}", describe(name))
    assert found is not None
    return found


@rule("AN-OVF-02", "MS ccsrc/plugin/device/ascend/hal/hardware/ge_device_context.cc", "source")
def overflow_mode(profile: Profile, environ: Mapping[str, str] = os.environ) -> str:
    """`MS_ASCEND_CHECK_OVERFLOW_MODE`, read when the target starts: exactly SATURATION_MODE selects saturation,
    anything else INF/NAN; chips without INF/NAN mode ignore it.

    >>> overflow_mode(profile_named("ascend910b"), {"MS_ASCEND_CHECK_OVERFLOW_MODE": "SATURATION_MODE"})
    'saturation'
    """
    asked = environ.get("MS_ASCEND_CHECK_OVERFLOW_MODE") == "SATURATION_MODE"
    return "saturation" if profile.saturation_only or asked else "infnan"
