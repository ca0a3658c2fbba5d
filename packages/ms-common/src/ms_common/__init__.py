"""MindSpore 2.6's common layer in one place: the `mindspore` alias, context and device settings, logging, command line.

>>> import ms_common
>>> ms_common.activate()
>>> from mindspore.common import dtype as mstype
>>> [mstype.float32]
[mindspore.float32]
>>> ms_common.deactivate()

The names of `mindspore` itself are here, too, with or without the alias:

>>> ms_common.float16 is mstype.float16
True
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ms_common._version import __version__
from ms_common.alias import activate, deactivate, is_active, rows

__all__ = ["__version__", "activate", "deactivate", "is_active"]


# names that 2.6 does not have: which chip the emulated Ascend target is
_OWN = ("get_profile", "set_profile")


def __getattr__(name: str) -> Any:
    if name in _OWN:
        return getattr(import_module("ms_kernels.targets.ascend"), name)
    for source in rows["mindspore"].owners(name):
        return getattr(source, name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *rows["mindspore"].names()})
