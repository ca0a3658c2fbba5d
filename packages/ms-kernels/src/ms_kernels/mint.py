"""The namespace that `mindspore.mint` shows: functions, built at first use."""

from __future__ import annotations

from ms_kernels._namespace import Namespace

__getattr__, __dir__ = Namespace(__name__, globals(), ("mint",)).hooks()
