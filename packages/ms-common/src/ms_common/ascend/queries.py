"""`mindspore.device_context.ascend.device`: whether there is a device, and how many."""

from __future__ import annotations

from ms_kernels import settings

__all__ = ["device_count", "is_available"]


def is_available() -> bool:
    """Whether the Ascend target can be used: it is emulated, so always (``device_context.ascend.is_available``).

    >>> is_available()
    True
    """
    return "Ascend" in settings.targets


def device_count() -> int:
    """The number of emulated devices (``device_context.ascend.device_count``).

    >>> device_count()
    1
    """
    return 1
