"""Out of a function's source, one whose control flow over tensors can be captured."""

from __future__ import annotations

from ms_jit.capture.convert.make import converted

__all__ = ["converted"]
