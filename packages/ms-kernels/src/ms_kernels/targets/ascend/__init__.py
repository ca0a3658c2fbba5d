"""An Ascend NPU without one: ops run, round, overflow and refuse as the rules of three chips say.

>>> from ms_kernels.targets import ascend
>>> ascend.get_profile()
'ascend910b'
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ms_kernels.targets.ascend.profiles import PROFILES, Choices
from ms_kernels.targets.ascend.rules import RULES, as_markdown
from ms_kernels.targets.ascend.target import AscendTarget, emulator

__all__ = [
    "PROFILES",
    "RULES",
    "AscendTarget",
    "Choices",
    "all_finite",
    "as_markdown",
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


def all_finite(arrays: list[Any]) -> bool:
    """Whether no step has overflowed, or no number of some arrays is Inf or NaN, as the chip in use tells (AN-OVF-07).

    On a CPU only the numbers count.
    """
    found = emulator.running()
    return (found or AscendTarget("ascend310p")).chip.all_finite(arrays)
