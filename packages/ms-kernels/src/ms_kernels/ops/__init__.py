"""The op declarations, one family a module; importing this package declares them all."""

from __future__ import annotations

import importlib
import pkgutil

FAMILIES = tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_")))
for _family in ("_tape", *FAMILIES):
    importlib.import_module(f"{__name__}.{_family}")
