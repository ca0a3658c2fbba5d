"""Targets: what runs the ops.  The CPU's are the op bodies themselves; others register here."""

from __future__ import annotations

from ms_kernels.targets.registry import Target, names, register, target_named

__all__ = ["Target", "names", "register", "target_named"]
