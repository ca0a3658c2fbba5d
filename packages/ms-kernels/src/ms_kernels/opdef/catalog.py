"""Which family declares which op and public name, so that a program loads the families that it uses.

The answer stands in `ops/index.txt`, which `tools/op_index.py` writes.  It counts only while every family's source has
the size noted there; with none that fits (a changed source, a zipped package) all families are loaded at once.
"""

from __future__ import annotations

import os
from functools import cached_property
from importlib import import_module
from typing import Any

from ms_kernels.core.dispatch import Op, ops_by_name

__all__ = ["INDEX", "SURFACES", "Catalog", "catalog", "describe_families"]

SURFACES = ("ops", "mint", "mintf", "mintl", "tensor", "inplace", "primitive")
INDEX = "index.txt"
_PACKAGE = "ms_kernels.ops"
_FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "ops")


def _families() -> list[str]:
    """The names of the modules that declare ops."""
    try:
        found = os.listdir(_FOLDER)
    except NotADirectoryError:  # in a zip file
        import pkgutil

        return sorted(m.name for m in pkgutil.iter_modules(import_module(_PACKAGE).__path__) if m.name[0] != "_")
    return sorted(name[:-3] for name in found if name.endswith(".py") and name[0] != "_")


def _size(family: str) -> int:
    return os.stat(os.path.join(_FOLDER, f"{family}.py")).st_size


class Catalog:
    """The families: which there are, what each declares, and the loading of them."""

    def __init__(self) -> None:
        self._loaded: set[str] = set()

    @cached_property
    def _index(self) -> dict[str, dict[str, list[str]]] | None:
        """{surface ("name" for canonical names): {name: families that declare it}}, None when it does not fit."""
        found: dict[str, dict[str, list[str]]] = {kind: {} for kind in ("name", *SURFACES)}
        try:
            with open(os.path.join(_FOLDER, INDEX), encoding="utf-8") as lines:
                listed, family = [], ""
                for line in lines:
                    kind, *names = line.split()
                    if kind == "family":
                        family = names[0]
                        listed.append(family)
                        if _size(family) != int(names[1]):
                            return None
                    else:
                        for name in names:
                            found[kind].setdefault(name, []).append(family)
        except (OSError, ValueError, KeyError, IndexError):
            return None
        return found if listed == _families() else None

    @property
    def fits(self) -> bool:
        """Whether the written index matches the sources."""
        return self._index is not None

    def load(self, *families: str) -> None:
        """Import families; with none given, all."""
        for family in families or _families():
            if family not in self._loaded:
                import_module(f"{_PACKAGE}.{family}")
                self._loaded.add(family)

    def load_op(self, name: str) -> None:
        """Import the family of the op with a canonical name.

        Raises:
            KeyError: no family declares it.
        """
        self.load(*(self._index["name"].get(name, ()) if self._index else ()))
        if not dict.__contains__(ops_by_name, name):
            raise KeyError(name)

    def names(self, surface: str) -> list[str]:
        """Every public name of a surface."""
        if self._index is not None:
            return list(self._index[surface])
        self.load()
        return list(dict.fromkeys(name for op in ops_by_name.values() for name in op.record.public(surface)))

    def ops(self, surface: str, name: str) -> list[Op]:
        """The ops that a public name stands for, in order of their families and of declaration there."""
        families = _families() if self._index is None else self._index[surface][name]
        self.load(*families)
        chosen = [op for op in ops_by_name.values() if name in op.record.public(surface)]
        return sorted(chosen, key=lambda op: families.index(op.record.family))


catalog = Catalog()
ops_by_name.load = catalog.load_op


def describe_families() -> str:
    """Return the text that belongs in the index."""
    catalog.load()
    lines = []
    for family in _families():
        lines.append(f"family {family} {_size(family)}")
        declared: list[Any] = [op for op in ops_by_name.values() if op.record.family == family]
        for kind in ("name", *SURFACES):
            names = (
                [op.name for op in declared] if kind == "name" else [n for o in declared for n in o.record.public(kind)]
            )
            if names:
                lines.append(" ".join((kind, *dict.fromkeys(names))))
    return "\n".join(lines) + "\n"
