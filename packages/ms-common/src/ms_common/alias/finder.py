"""The import hook that serves `mindspore` and its submodules, and its switch."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import FrameType, ModuleType
from typing import TYPE_CHECKING

from ms_common import log
from ms_common.alias import spawn
from ms_common.alias.module import LACKS, AliasModule
from ms_common.alias.table import rows

if TYPE_CHECKING:
    from importlib.abc import Loader
else:
    Loader = object

__all__ = ["AliasFinder", "activate", "deactivate", "is_active"]

ROOT = "mindspore"


class AliasFinder(Loader):
    """Finds the public modules of the table and makes an `AliasModule` for each.

    It is a meta path finder and a loader by its methods: importing the base classes would cost more than all the rest.
    """

    def __init__(self, force: bool) -> None:
        self.force = force

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname in spawn.STARTERS:
            spawn.install(self.force)
            return None
        if fullname != ROOT and not fullname.startswith(ROOT + "."):
            return None
        row = rows.get(fullname)
        if row is None:
            _lacking(fullname, sys._getframe(1))
            return None
        behind = ", ".join(row.sources) or "its submodules"
        # Every alias module is a package, so that a missing submodule is asked for here and gets a clear error.
        return ModuleSpec(fullname, self, origin=f"ms-common's alias for {behind}", is_package=True)

    def create_module(self, spec: ModuleSpec) -> AliasModule:
        return AliasModule(spec.name, f"{spec.name} of MindSpore 2.6: {spec.origin}.")

    def exec_module(self, module: ModuleType) -> None:
        row = rows[module.__name__]
        for name, value in row.constants.items():
            ModuleType.__setattr__(module, name, value)
        for path in row.loads:
            import_module(path)


def _import_frames(frame: FrameType | None) -> Iterator[str]:
    """The names of the import system's own functions that called the finder, innermost first."""
    while frame is not None and frame.f_code.co_filename == "<frozen importlib._bootstrap>":
        yield frame.f_code.co_name
        frame = frame.f_back


def _lacking(fullname: str, caller: FrameType | None) -> None:
    """Say which module is missing, as 2.6 would: by type of error, after how it was asked for.

    `importlib.util.find_spec` asks without importing and gets None. In `from package import name` Python would replace
    a ModuleNotFoundError by a text of its own that does not tell why, hence the plain ImportError.
    """
    asked = list(_import_frames(caller))
    if "_find_and_load" not in asked:
        return
    parent, _, name = fullname.rpartition(".")
    if "_handle_fromlist" in asked:
        raise ImportError(f"cannot import name '{name}' from '{parent}' ({LACKS})", name=parent)
    raise ModuleNotFoundError(f"No module named '{fullname}' ({LACKS})", name=fullname)


def _current() -> AliasFinder | None:
    return next((f for f in sys.meta_path if isinstance(f, AliasFinder)), None)


def is_active() -> bool:
    """Whether `import mindspore` resolves to our packages.

    >>> from ms_common.alias import is_active
    >>> isinstance(is_active(), bool)
    True
    """
    return _current() is not None


def _real_mindspore() -> str | None:
    """Where an installed MindSpore lies; None when there is none (a mere folder of that name does not count)."""
    for finder in sys.meta_path:
        find = getattr(finder, "find_spec", None)
        spec = find(ROOT, None) if find is not None and not isinstance(finder, AliasFinder) else None
        if spec is not None and spec.has_location:
            return str(spec.origin)
    return None


def activate(force: bool = False) -> None:
    """Make `import mindspore`, `mindspore.nn`, `mindspore.ops` ... resolve to our packages in this process.

    Also sends the packages' log messages to standard error in MindSpore's line format (see `ms_common.log`), and makes
    worker processes that `multiprocessing` spawns activate the alias before they load the main program. Calling it
    again does nothing.

    Args:
        force: take precedence over a MindSpore that is installed beside our packages.

    Raises:
        RuntimeError: a real MindSpore can be imported and `force` is False, or it has been imported already.
        ValueError: the environment variables of the log (GLOG_v ...) hold values that 2.6 refuses, or
            MINDSPORE_DUMP_CONFIG names no valid configuration.

    >>> import ms_common
    >>> ms_common.activate()
    >>> import mindspore
    >>> mindspore.__version__
    '2.6.0'
    >>> ms_common.deactivate()
    """
    if is_active():
        return
    loaded = sys.modules.get(ROOT)
    if loaded is not None and not isinstance(loaded, AliasModule):
        raise RuntimeError(
            f"For 'activate', no other mindspore must be imported before, but got {loaded!r}: call it at the start of "
            "the program."
        )
    real = None if force else _real_mindspore()
    if real is not None:
        raise RuntimeError(
            f"For 'activate', no real MindSpore must be importable, but got one at '{real}': uninstall it, or call "
            "ms_common.activate(force=True) to use ms-common in its place."
        )
    log.attach()
    sys.meta_path.insert(0, AliasFinder(force))
    if any(name in sys.modules for name in spawn.STARTERS):
        spawn.install(force)
    if os.environ.get("MINDSPORE_DUMP_CONFIG"):  # else ms-dump, and with it the kernels, need not be loaded
        from ms_dump import start_once

        start_once()


def deactivate() -> None:
    """Undo `activate`: forget the alias modules, so that `import mindspore` finds what is installed, or nothing.

    Objects made meanwhile stay usable. Does nothing when the alias is not active.

    >>> import ms_common
    >>> ms_common.deactivate()
    """
    finder = _current()
    if finder is None:
        return
    sys.meta_path.remove(finder)
    for name in [n for n, m in sys.modules.items() if isinstance(m, AliasModule)]:
        del sys.modules[name]
    spawn.remove()
    log.detach()
