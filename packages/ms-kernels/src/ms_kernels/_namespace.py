"""Module-level `__getattr__` that builds public callables from the op table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from ms_kernels.opdef import surface
from ms_kernels.opdef.catalog import catalog

__all__ = ["Namespace"]


class Namespace:
    """Serves the names of some surfaces as attributes of a module."""

    def __init__(
        self,
        module: str,
        space: dict[str, Any],
        surfaces: tuple[str, ...],
        instances: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.module, self.space, self.surfaces = module, space, surfaces
        self.instances = instances  # name -> the Primitive class of which it is an instance
        self.tables: dict[str, frozenset[str]] = {}

    def table(self, kind: str) -> frozenset[str]:
        if kind not in self.tables:
            self.tables[kind] = frozenset(catalog.names(kind))
        return self.tables[kind]

    def get(self, name: str) -> Any:
        if name == "__all__":
            return self.listed()
        if name in self.instances:
            kind = self.instances[name]
            return self.space.setdefault(name, (self.space.get(kind) or self.get(kind))())
        for kind in self.surfaces:
            if name in self.table(kind):
                made = surface.build(kind, name, self.module)
                return self.space.setdefault(name, made)
        raise AttributeError(f"module '{self.module}' has no attribute '{name}'")

    def listed(self) -> list[str]:
        own = {name for name in self.space if not name.startswith("_")} - {"annotations", "Namespace"}
        return sorted(own.union(self.instances, *(self.table(kind) for kind in self.surfaces)))

    def hooks(self) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
        return self.get, self.listed
