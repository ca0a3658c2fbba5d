"""The alias module: an empty shell whose attributes are looked up, when used, in the modules that its row names."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any

from ms_common._version import __version__
from ms_common.alias.row import Row
from ms_common.alias.table import rows

__all__ = ["LACKS", "AliasModule"]

LACKS = f"ms-common {__version__} does not have it yet"


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


# A module's own dict, which `AliasModule.__dict__` hides.
_own: Callable[[ModuleType], dict[str, Any]] = vars(ModuleType)["__dict__"].__get__


class AliasModule(ModuleType):
    """A public MindSpore module; what it holds comes from its row of the table."""

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        """For a mirror, what the loaded modules behind hold: test tools look there for the value to restore."""
        own = _own(self)
        row = rows.get(own.get("__name__", ""))
        loaded = [sys.modules[s] for s in row.sources if s in sys.modules] if row is not None and row.mirror else []
        if len(loaded) == 1:
            return loaded[0].__dict__
        return {k: v for source in reversed(loaded) for k, v in vars(source).items()} if loaded else own

    def __getattr__(self, name: str) -> Any:
        row = rows[self.__name__]
        if _is_dunder(name):
            return _special(row, name)
        child = row.links.get(name) or f"{row.path}.{name}"
        if child in rows and name not in row.functions:
            return import_module(child)
        for source in row.owners(name):
            value = getattr(source, name)
            # A mirror has to show what is written to its source later on, so it keeps the way there, not the value: a
            # `__getattr__` in a module's own dict is asked before the one of its class.
            if not row.mirror:
                ModuleType.__setattr__(self, name, value)
            elif len(row.sources) == 1:
                ModuleType.__setattr__(self, "__getattr__", partial(getattr, source))
            return value
        raise AttributeError(f"module '{row.path}' has no attribute '{name}' ({LACKS})", name=name, obj=self)

    def __setattr__(self, name: str, value: Any) -> None:
        row = rows[self.__name__]
        if isinstance(value, AliasModule) and name in row.functions:
            return  # the import system binds a submodule in its parent: here the function of that name stays
        if isinstance(value, AliasModule) or _is_dunder(name) or not row.mirror:
            ModuleType.__setattr__(self, name, value)
            return
        for owner in list(row.owners(name)) or [import_module(row.sources[0])]:
            setattr(owner, name, value)

    def __delattr__(self, name: str) -> None:
        row = rows[self.__name__]
        owners = list(row.owners(name)) if row.mirror and not _is_dunder(name) else []
        for owner in owners:
            delattr(owner, name)
        if not owners:
            ModuleType.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        row = rows[self.__name__]
        prefix = row.path + "."
        children = {p[len(prefix) :] for p in rows if p.startswith(prefix) and "." not in p[len(prefix) :]}
        return sorted({*_own(self), *row.names(), *row.links, *children})

    def __reduce__(self) -> tuple[Any, ...]:
        return import_module, (self.__name__,)


def _special(row: Row, name: str) -> Any:
    """Attributes with double underscores: tools ask every loaded module for them, so nothing may be imported."""
    if name == "__all__":  # the exception: asked by `from module import *` alone
        return row.names()
    if name == "__file__" and len(row.sources) == 1 and row.sources[0] in sys.modules:
        path = getattr(sys.modules[row.sources[0]], "__file__", None)
        if path is not None:
            return path
    raise AttributeError(f"module '{row.path}' has no attribute '{name}'", name=name)
