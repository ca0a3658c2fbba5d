"""One row of the alias table, and how the attributes of its module are found in the modules behind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType
from typing import Any

__all__ = ["Row", "public_names"]


def public_names(module: ModuleType) -> set[str]:
    """What `from module import *` would give, without the module's own version."""
    names = getattr(module, "__all__", None)
    if names is None:
        names = [n for n, v in vars(module).items() if not n.startswith("_") and not isinstance(v, ModuleType)]
    return set(names) - {"__version__"}


@dataclass(frozen=True)
class Row:
    """A public module of MindSpore 2.6 and where its names come from.

    Attributes:
        path: the public module path.
        sources: our modules that serve it, searched in this order. Each is imported only when a name is looked for.
        only: the names that 2.6's module has, where our modules have more; None passes on every public name.
        part: the same for one source, by its path.
        mirror: the module stands for its sources one to one: private names are there too, and writes reach the source.
        functions: names which are functions although submodules are called the same; the function always wins.
        links: attributes that are alias modules living elsewhere, and cannot be imported from here.
        constants: what the module holds itself.
        loads: alias modules that come with this one. Loading is cheap: they are empty until a name is looked for.
    """

    path: str
    sources: tuple[str, ...] = ()
    only: frozenset[str] | None = None
    part: Mapping[str, frozenset[str]] = field(default_factory=dict)
    mirror: bool = False
    functions: frozenset[str] = frozenset()
    links: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, Any] = field(default_factory=dict)
    loads: tuple[str, ...] = ()

    def _allows(self, source: str, name: str) -> bool:
        return (self.only is None or name in self.only) and name in self.part.get(source, (name,))

    def owners(self, name: str) -> Iterator[ModuleType]:
        """The sources that serve `name`, in order; none is imported for a name that the row does not have."""
        for path in self.sources:
            if self._allows(path, name):
                source = import_module(path)
                if hasattr(source, name) and (self.mirror or name in public_names(source)):
                    yield source

    def names(self) -> list[str]:
        """Every public name that the sources serve, sorted."""
        return sorted({n for path in self.sources for n in public_names(import_module(path)) if self._allows(path, n)})
