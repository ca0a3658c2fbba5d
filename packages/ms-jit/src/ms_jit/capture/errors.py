"""Why a function is not captured."""

from __future__ import annotations

from ms_kernels.core.dispatch import current_mode_variable

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
        mode = current_mode_variable.get()
        while mode is not None:  # the code may swallow it: an `except:`, a `return` in a `finally`
            failures = getattr(mode.observer, "failures", None)
            if failures is not None:
                failures.append(self)
                break
            mode = mode.inner
