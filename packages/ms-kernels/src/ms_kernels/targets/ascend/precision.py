"""The precision knobs that operators read: what was set, which value is in force, what is latched.

`mindspore.device_context.ascend.op_precision` and ``set_context(ascend_config=...)`` are spelled in ms-common over one
object of this class.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ms_kernels.opdef.errors import describe, fail
from ms_kernels.targets.ascend.profiles import MODES, Profile
from ms_kernels.targets.ascend.rules import rule, state

__all__ = ["FLAGS", "READS", "Precision"]

# AN-HF32-06: what a flag is when nobody sets it
FLAGS: Mapping[str, bool] = MappingProxyType({"matmul_allow_hf32": False, "conv_allow_hf32": True})
_PATH = "op_precision_mode"
_KEYS = ("precision_mode", *FLAGS, _PATH)
# AN-PREC-04: which flag an operator reads
_MATMUL = "matmul matrix_product bmm addmm addmv addbmm baddbmm mv dense"
_CONV = "convolution conv_grad_input conv_grad_weight"
READS: Mapping[str, str | None] = MappingProxyType(
    {
        **dict.fromkeys(_MATMUL.split(), "matmul_allow_hf32"),
        **dict.fromkeys(_CONV.split(), "conv_allow_hf32"),
        **dict.fromkeys(("mm", "conv2d", "conv2d_channels")),
    }
)
state(
    "AN-PREC-04",
    "matmul_allow_hf32 is read by the matmul family but mint.mm, conv_allow_hf32 by convolutions and their gradients; "
    "no flag by mint.mm, average pooling and, in PyNative, Conv2D with a string pad_mode: `READS`, `target.flagless`.",
    "MS ops/kernel/ascend/pyboost/customize/*.cc, opapi/aclnn/*.cc",
    "source",
)
state(
    "AN-KNOB-07",
    "A value set through op_precision counts before one of ascend_config, that before the profile's default: "
    "`Precision.effective`.",
    "MS ccsrc/plugin/res_manager/ascend/device_context_conf/op_precision_conf.cc",
    "source",
)


class Precision:
    """The precision knobs of one process.

    >>> knobs = Precision()
    >>> knobs.set("precision_mode", "force_fp16")
    >>> knobs.effective("precision_mode")
    'force_fp16'
    """

    __slots__ = ("_config", "_latched", "_own")

    def __init__(self) -> None:
        self._own: dict[str, Any] = {}
        self._config: dict[str, Any] = {}
        self._latched: dict[str, Any] = {}

    def effective(self, name: str) -> Any:
        """The value in force, "" for the default."""
        return self._own.get(name, self._config.get(name, ""))

    @rule("AN-KNOB-03", "MS python/mindspore/device_context/ascend/op_precision.py", "source")
    def set(self, name: str, value: Any) -> None:
        """op_precision.precision_mode: equal to the value in force is silent, set before raises RuntimeError, an
        unknown word ValueError, in this order.

        Raises:
            ValueError: a value that there is not, a file that does not exist.
            RuntimeError: another value was set before.
        """
        check = _CHECKS[name]
        if name != "precision_mode":
            check(name, value)
        if self.effective(name) == value:
            return
        if name in self._own:
            raise RuntimeError(
                f"For '{name}', the value must be set once, but got {value!r} after {self._own[name]!r}."
            )
        check(name, value)
        self._own[name] = value

    def configure(self, values: Mapping[str, Any]) -> None:
        """Take over the precision keys of an ascend_config that has been checked; it may come again."""
        self._config.update({key: value for key, value in values.items() if key in _KEYS})

    @rule("AN-PREC-07", "MS ops/kernel/ascend/acl_ir/op_api_util.cc", "source")
    def latched(self, name: str) -> Any:
        """precision_mode and each flag are latched at the first operator that reads them."""
        if name not in self._latched:
            found = self.effective(name)
            self._latched[name] = FLAGS.get(name, "") if found == "" else found
        return self._latched[name]

    def code(self, profile: Profile, flag: str | None) -> int:
        """The code of the cube's input type for operators that read `flag` (AN-PREC-01)."""
        mode = self.latched("precision_mode")
        return profile.codes[mode][bool(self.latched(flag)) if flag is not None else False]

    def reset(self) -> None:
        """Forget everything, latched values too: what a new process does."""
        for values in (self._own, self._config, self._latched):
            values.clear()


def check_mode(name: str, value: Any) -> None:
    if value not in MODES:
        fail(ValueError, name, "value", f"be one of {list(MODES)}", describe(value))


@rule("AN-KNOB-04", "MS python/mindspore/device_context/ascend/op_precision.py", "source")
def check_flag(name: str, value: Any) -> None:
    """op_precision.matmul_allow_hf32 and conv_allow_hf32 take what equals True or False; a call with the value in
    force stores nothing, so that another value is still accepted later."""
    if value not in (True, False):
        fail(ValueError, name, "value", "be one of [True, False]", describe(value))


@rule("AN-KNOB-05", "MS python/mindspore/device_context/ascend/op_precision.py", "source")
def check_path(name: str, value: Any) -> None:
    """op_precision.op_precision_mode takes text (else TypeError), the path of a file (else ValueError), once."""
    if not isinstance(value, str):
        fail(TypeError, name, "'path'", "be of type str", describe(value))
    if not os.path.exists(value):
        fail(ValueError, name, "'path'", "be the path of a file", describe(value))


_CHECKS = MappingProxyType({"precision_mode": check_mode, **dict.fromkeys(FLAGS, check_flag), _PATH: check_path})
