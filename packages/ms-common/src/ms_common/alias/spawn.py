"""Worker processes started by "spawn" or "forkserver" begin with an empty interpreter: they have to learn of the alias.

The parent sends every such worker a dict of preparation data, which is unpickled before the worker imports the main
program. An entry is added to it whose unpickling activates the alias.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

__all__ = ["STARTERS", "install", "remove"]

# The modules that start such workers; the hook is set when the first of them is imported, so that a program without
# workers does not pay for importing multiprocessing.
STARTERS = frozenset(
    f"multiprocessing.{name}" for name in ("popen_spawn_posix", "popen_spawn_win32", "popen_forkserver", "forkserver")
)


class _Activation:
    """Unpickles by activating the alias."""

    def __init__(self, force: bool, path: list[str]) -> None:
        self.force = force
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        # By a builtin: our own modules may be found only after sys.path has become the parent's.
        source = f"import sys; sys.path[:] = {self.path!r}; import ms_common; ms_common.activate(force={self.force!r})"
        return exec, (source, {})


def install(force: bool) -> None:
    """Add the activation to the preparation data of all workers started from now on; once is enough."""
    from multiprocessing import spawn

    original = spawn.get_preparation_data
    if hasattr(original, "ms_common_original"):
        return

    @functools.wraps(original)
    def get_preparation_data(name: str) -> dict[str, Any]:
        data: dict[str, Any] = original(name)
        # 'sys_path' is what the worker is going to get anyway, a moment later.
        data["ms_common"] = _Activation(force, list(data.get("sys_path", sys.path)))
        return data

    get_preparation_data.ms_common_original = original  # type: ignore[attr-defined]
    spawn.get_preparation_data = get_preparation_data


def remove() -> None:
    """Take the hook away again."""
    spawn: Any = sys.modules.get("multiprocessing.spawn")
    original = getattr(getattr(spawn, "get_preparation_data", None), "ms_common_original", None)
    if original is not None:
        spawn.get_preparation_data = original
