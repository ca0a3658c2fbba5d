"""Random numbers as pure functions of (seed, offset, position): Philox fills, samplers, and the stream of calls."""

from __future__ import annotations

from ms_kernels.random.stream import Stream, default_stream, draw

__all__ = ["Stream", "default_stream", "draw"]
