"""Why a function is not captured."""

from __future__ import annotations

__all__ = ["Uncapturable"]


class Uncapturable(BaseException):
    """Code did what a graph cannot repeat: it has to run in Python.

    Not an Exception, so that no handler in the code itself takes it for an error.

    Attributes:
        reason: what was done, for the error under ``fullgraph=True``.
        source: "file:line" of where.
    """

    def __init__(self, reason: str, source: str = "") -> None:
        super().__init__(reason)
        self.reason, self.source = reason, source
