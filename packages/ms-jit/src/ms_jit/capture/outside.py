"""What code that is not rewritten reads from outside: found by looking at its bytecode."""

from __future__ import annotations

import dis
import functools
import types
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ms_dtype import Type
from ms_jit.capture.convert.make import inner_codes
from ms_jit.capture.errors import Uncapturable
from ms_jit.capture.guards import guard_name, is_cell
from ms_jit.capture.library import foreign, root_of
from ms_jit.capture.snapshot import is_held
from ms_kernels.core.dispatch import Op
from ms_kernels.core.program import Compiled
from ms_kernels.core.tensor import TensorBase

if TYPE_CHECKING:
    from ms_jit.capture.tracer import Tracer

__all__ = ["check_builtin", "check_unrewritten"]

_PLAIN = (bool, int, float, complex, str, bytes, type(None), range, slice, Type, types.ModuleType, TensorBase, Op)
_CHANGES = ("STORE_ATTR", "DELETE_ATTR", "STORE_GLOBAL", "DELETE_GLOBAL")
_CHANCE = ("random", "time", "secrets", "uuid", "datetime", "os", "posix", "numpy.random", "_random", "io", "_io", "gc")
_SEEDS = ("set_seed", "manual_seed", "seed", "initial_seed", "get_rng_state", "set_rng_state", "set_context")
_STATEFUL = ("open", "input", "vars", "globals", "locals", "eval", "exec", "setattr", "delattr", "next", "breakpoint")


def check_unrewritten(tracer: Tracer, fn: Any, args: Iterable[Any]) -> None:
    """Guard the names that a function reads, whose code runs as it is.

    Raises:
        Uncapturable: it changes what is outside of it, or reads what cannot be guarded.
    """
    if isinstance(fn, types.MethodType):
        args, fn = (fn.__self__, *args), fn.__func__
    if not isinstance(fn, types.FunctionType) or not root_of(fn.__module__ or "?"):
        for part in _functions_in((fn, *args), 3):
            _check_code(tracer, part, set())
        return
    if "_ms" in fn.__code__.co_freevars:
        return
    name = fn.__qualname__
    for arg in args:
        if not _harmless(arg):
            raise Uncapturable(f"'{name}' is not rewritten, and gets an object of type '{type(arg).__name__}'")
    _check_code(tracer, fn, set())


def _functions_in(values: Iterable[Any], depth: int) -> Iterator[types.FunctionType]:
    """The user's functions among arguments, and those that functions of a library keep: `grad`, `vmap` make such."""
    for value in values:
        value = getattr(value, "fn", value) if isinstance(value, Compiled) else value
        if isinstance(value, types.MethodType):
            value = value.__func__
        if isinstance(value, types.FunctionType) and root_of(value.__module__ or "?"):
            if "_ms" not in value.__code__.co_freevars:
                yield value
        elif isinstance(value, types.FunctionType) and depth:
            yield from _functions_in(
                (cell.cell_contents for cell in value.__closure__ or () if _filled(cell)), depth - 1
            )


def _filled(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:  # not assigned yet
        return False


def _harmless(value: Any) -> bool:
    """Whether a value has nothing that code might read unseen, or has it guarded as a whole."""
    if isinstance(value, dict):
        return all(map(_harmless, value.values()))
    if isinstance(value, (list, tuple, set, frozenset)):
        return all(map(_harmless, value))
    return isinstance(value, _PLAIN) or is_held(value) or is_cell(value) or foreign(value)


def _check_code(tracer: Tracer, fn: types.FunctionType, seen: set[int]) -> None:
    if id(fn) in seen:
        return
    seen.add(id(fn))
    code, cells = fn.__code__, dict(zip(fn.__code__.co_freevars, fn.__closure__ or ()))
    for part in inner_codes(code):
        for instruction in dis.get_instructions(part):
            kind, name = instruction.opname, instruction.argval
            if kind in _CHANGES or (kind in ("STORE_DEREF", "DELETE_DEREF") and name in cells):
                raise Uncapturable(f"'{name}' is set in '{fn.__qualname__}', which is not rewritten")
            if kind in ("LOAD_GLOBAL", "LOAD_NAME") and name in fn.__globals__:
                _check_value(tracer, fn, name, fn.__globals__[name], seen)
    for name, cell in cells.items():
        try:
            value = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
        _check_value(tracer, fn, name, value, seen)


def _check_value(tracer: Tracer, fn: types.FunctionType, name: str, value: Any, seen: set[int]) -> None:
    if isinstance(value, types.ModuleType):
        if root_of(value.__name__) or value.__name__ in _CHANCE:
            raise Uncapturable(f"'{fn.__qualname__}' is not rewritten, and uses the module '{name}'")
        return
    if isinstance(value, types.FunctionType) and root_of(value.__module__ or "?"):
        _check_code(tracer, value, seen)
    elif not _harmless(value):
        raise Uncapturable(f"'{fn.__qualname__}' is not rewritten, and uses '{name}'")
    guard_name(tracer, fn, name, value)


def check_builtin(fn: Any) -> None:
    """Refuse what gives something else at each call, or changes what is outside.

    Raises:
        Uncapturable: it is such a function.
    """
    if isinstance(fn, functools.partial):
        return
    owner = getattr(fn, "__self__", None)
    home = getattr(fn, "__module__", None) or ""
    kind = type(owner) if not isinstance(owner, (type, types.ModuleType)) else owner
    owned = "" if owner is None else getattr(kind, "__module__", None) or getattr(kind, "__name__", None) or ""
    names: tuple[str, ...] = (home, owned)
    pure = getattr(fn, "__qualname__", "") in ("fspath",)
    if not pure and any(name.partition(".")[0] in _CHANCE or name.startswith("numpy.random") for name in names):
        raise Uncapturable(f"'{getattr(fn, '__qualname__', fn)}' may give something else at each call")
    if getattr(fn, "__name__", "") in _SEEDS:
        raise Uncapturable(f"'{fn.__name__}' changes the state of all random numbers")
    if home == "builtins" and isinstance(fn, types.BuiltinFunctionType) and fn.__name__ in _STATEFUL:
        raise Uncapturable(f"'{fn.__name__}' is called")
    if getattr(fn, "__wrapped__", None) is not None and not isinstance(fn, (types.FunctionType, types.MethodType)):
        if root_of(getattr(fn, "__module__", None) or "?") and hasattr(fn, "cache_info"):
            raise Uncapturable(f"'{getattr(fn, '__qualname__', fn)}' keeps what it gave")
