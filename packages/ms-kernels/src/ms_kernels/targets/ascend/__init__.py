"""An Ascend NPU without one: ops run, round, overflow and refuse as the rules of three chips say.

>>> from ms_kernels.targets import ascend
>>> ascend.get_profile()
'ascend910b'
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ms_kernels.targets.ascend.profiles import PROFILES, Choices, overflow_mode
from ms_kernels.targets.ascend.rules import RULES, rule
from ms_kernels.targets.ascend.target import AscendTarget, emulator

__all__ = [
    "PROFILES",
    "RULES",
    "AscendTarget",
    "Choices",
    "all_finite",
    "emulator",
    "get_profile",
    "set_choices",
    "set_profile",
]


def set_profile(profile: str) -> None:
    """Choose the chip that "Ascend" means: ascend910b, ascend910_93, ascend910 or ascend310p.

    It may be called at any time; ops that follow run on the new chip.

    Raises:
        ValueError: there is no such chip.

    >>> set_profile("ascend910")
    >>> get_profile()
    'ascend910'
    >>> set_profile("ascend910b")
    """
    emulator.change(profile=profile)


def get_profile() -> str:
    """Return the soc string of the chip that "Ascend" means."""
    return emulator.profile


def set_choices(**values: Any) -> Choices:
    """Change named parameters that no source decides (see `Choices`); returns all of them as they were.

    Raises:
        TypeError: there is no such parameter.
        ValueError: a value that it does not take.

    >>> before = set_choices(cube="fast")
    >>> before.cube, emulator.choices.cube
    ('exact', 'fast')
    >>> _ = set_choices(cube="exact")
    """
    before = emulator.choices
    emulator.change(choices=replace(before, **values))
    return before


@rule(
    "AN-KNOB-09", "MS ccsrc/plugin/device/ascend/hal/hardware/ge_device_context.cc; python/mindspore/amp.py", "source"
)
def all_finite(arrays: list[Any]) -> bool:
    """amp.all_finite reads MS_ASCEND_CHECK_OVERFLOW_MODE again at each call, unlike the operators (AN-OVF-02, 07).

    Whether no step has overflowed, or no number of some arrays is Inf or NaN, as the chip in use tells; on a CPU only
    the numbers count.

    >>> import numpy as np
    >>> all_finite([np.array([1.0, np.inf])])
    False
    """
    found = emulator.running()
    if found is None:
        return AscendTarget("ascend310p").chip.all_finite(arrays)
    return found.chip.all_finite(arrays, overflow_mode(found.chip.profile) == "saturation")
