"""Looking inside a program: the tensors of its ops on disk, and what another target computes differently.

`set_dump` and MINDSPORE_DUMP_CONFIG are MindSpore 2.6's; `anywhere`, `start`, `step`, `flush` and `stop` are our own.
The precision report is in `ms_dump.drift`.
"""

from __future__ import annotations

from ms_dump._version import __version__
from ms_dump.config import Config
from ms_dump.flags import set_dump
from ms_dump.session import anywhere, flush, is_anywhere, is_on, start, start_once, step, stop

__all__ = [
    "Config",
    "__version__",
    "anywhere",
    "flush",
    "is_anywhere",
    "is_on",
    "set_dump",
    "start",
    "start_once",
    "step",
    "stop",
]
