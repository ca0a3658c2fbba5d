"""Executors: graphs become programs of the native dispatcher."""

from __future__ import annotations

from ms_jit.execute.build import Built, build

__all__ = ["Built", "build"]
