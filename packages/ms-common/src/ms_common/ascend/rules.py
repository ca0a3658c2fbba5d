"""The rules of the Ascend target that are spelled in this package, beside those of `ms_kernels.targets.ascend`.

`load()` brings all of them into one table.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from ms_kernels.targets.ascend.rules import RULES, Rule, state

__all__ = ["load"]

_SOURCE = "MS python/mindspore/device_manager.py"
state(
    "AN-KNOB-01",
    "set_device(device_target, device_id=None): targets CPU, GPU, Ascend, else ValueError; negative id ValueError; "
    "wrong argument type TypeError; a second call with other values RuntimeError, with the same values silent; after "
    "the runtime started RuntimeError.",
    _SOURCE,
    "source",
    place="ascend.ms_common.device.set_device",
)
state(
    "AN-KNOB-02",
    'A target that is not there: RuntimeError "Unsupported device target ..." with those that are. The soc string is '
    "the profile's; the switch that selects a profile (MS_ASCEND_PROFILE, set_profile) is this project's own.",
    "MS core/utils/ms_context.cc",
    "source",
    place="ascend.ms_common.context.check_supported",
)
state(
    "AN-KNOB-08",
    'set_deterministic(bool): once a process, else RuntimeError; set_context(deterministic="ON"/"OFF") before it. True '
    "sets HCCL_DETERMINISTIC=true and TE_PARALLEL_COMPILER=1, False deletes contrary values; other words of the old "
    "form ValueError. Results are deterministic either way.",
    f"{_SOURCE}, context.py",
    "source",
    place="ascend.ms_common.device.set_deterministic",
)


def load() -> Mapping[str, Rule]:
    """Return all rules by id, those of ms-kernels and those of this package.

    >>> load()["AN-KNOB-06"].confidence
    'source'
    """
    for name in ("randomness", "report", "formats"):
        import_module(f"ms_kernels.targets.ascend.{name}")
    for name in ("ascend_config", "ascend"):
        import_module(f"ms_common.{name}")
    return RULES
