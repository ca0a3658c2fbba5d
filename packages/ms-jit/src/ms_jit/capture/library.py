"""What is this library's own, or Python's and NumPy's: its code is not rewritten, and what it reads is not guarded."""

from __future__ import annotations

import sys
import types
from typing import Any

__all__ = ["EVERYTHING", "LIBRARY", "OTHERS", "foreign", "root_of"]

# the layers of ms_nn are not among them: their `construct` is rewritten like a user's
LIBRARY = frozenset(
    f"ms_{name}"
    for name in ("common", "dtype", "dynshape", "fs", "generator", "hooks", "initializer", "jit", "kernels")
)
EVERYTHING = LIBRARY | frozenset(f"ms_{name}" for name in ("nn", "dump"))
OTHERS = frozenset(("numpy", "scipy", "torch", "ml_dtypes", *sys.stdlib_module_names)) - {"__main__"}


def root_of(module: Any) -> str:
    """The first part of a module's name; "" for a module of this library, Python's or NumPy's."""
    root = module.partition(".")[0] if isinstance(module, str) else "?"
    return "" if root in LIBRARY or root in OTHERS else root


def foreign(value: Any) -> bool:
    """Whether a value is a function or class of this library, of Python or of NumPy, which nobody exchanges."""
    kinds = (types.FunctionType, types.BuiltinFunctionType, type)
    return isinstance(value, kinds) and not root_of(getattr(value, "__module__", None) or "builtins")
