"""Random numbers of a recomputed call: the very same again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from ms_generator import default_generator

__all__ = ["replay_of_now"]


def replay_of_now() -> Callable[[], AbstractContextManager[None]]:
    """Return a context manager under which the default generator gives again what it is about to give now."""
    start = default_generator.get_state()

    @contextmanager
    def replay() -> Iterator[None]:
        now = default_generator.get_state()
        default_generator.set_state(start)
        try:
            yield
        finally:
            default_generator.set_state(now)

    return replay
