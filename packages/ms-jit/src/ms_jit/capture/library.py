"""What is this library's own: its code is not rewritten, and what it reads is not guarded."""

from __future__ import annotations

__all__ = ["EVERYTHING", "LIBRARY"]

# the layers of ms_nn are not among them: their `construct` is rewritten like a user's
LIBRARY = frozenset(
    f"ms_{name}"
    for name in ("common", "dtype", "dynshape", "fs", "generator", "hooks", "initializer", "jit", "kernels")
)
EVERYTHING = LIBRARY | frozenset(f"ms_{name}" for name in ("nn", "dump"))
