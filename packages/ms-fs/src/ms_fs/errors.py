"""What goes wrong with checkpoint files."""

from __future__ import annotations

__all__ = ["CheckpointError", "CheckpointNotFoundError", "UnsafeFileError"]


class CheckpointError(ValueError):
    """A file is damaged, encrypted, or no checkpoint; the text names it and says what is wrong.

    2.6 raises ValueError here, so that is its base.
    """


class UnsafeFileError(CheckpointError):
    """A file claims something that its size rules out, such as a tensor larger than the file."""


class CheckpointNotFoundError(FileNotFoundError, ValueError):
    """There is no such file; 2.6 raises ValueError, everything else expects FileNotFoundError."""
