"""Making the rewritten function of a function."""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
import weakref
from collections.abc import Callable
from typing import Any

from ms_jit.capture.convert.lower import define, lower
from ms_jit.capture.library import LIBRARY, OTHERS

__all__ = ["converted", "inner_codes", "is_own"]

_KEPT = (ast.Global, ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith, ast.Nonlocal)
_codes: weakref.WeakKeyDictionary[types.CodeType, types.CodeType | None] = weakref.WeakKeyDictionary()


def is_own(fn: Any) -> bool:
    """Whether a function may ask for a tensor's truth: the user's and the layers' may, the rest of this library not."""
    root = (getattr(fn, "__module__", None) or "").partition(".")[0]
    return root not in LIBRARY and root not in OTHERS


def converted(fn: Callable[..., Any], control: Any) -> Callable[..., Any] | None:
    """Return a function that does what `fn` does and asks `control` where it branches, calls and reads.

    None when its source cannot be had, or holds what is not rewritten (generators, ``global``, ``nonlocal``).
    """
    if isinstance(fn, types.MethodType):
        inner = converted(fn.__func__, control)
        return None if inner is None else types.MethodType(inner, fn.__self__)
    if not isinstance(fn, types.FunctionType) or not is_own(fn):
        return None
    code = fn.__code__
    if code not in _codes:
        _codes[code] = _rewritten(fn)
    made = _codes[code]
    if made is None:
        return None
    cells = dict(zip(code.co_freevars, fn.__closure__ or ()))
    cells |= {"_ms": types.CellType(control), "_ms_fn": types.CellType(fn)}
    closure = tuple(cells[name] for name in made.co_freevars)
    found = types.FunctionType(made, fn.__globals__, fn.__name__, fn.__defaults__, closure)
    found.__kwdefaults__ = fn.__kwdefaults__
    found.__qualname__ = fn.__qualname__
    return found


def _rewritten(fn: types.FunctionType) -> types.CodeType | None:
    """The code of the rewritten function; its free variables are the old ones and ``_ms``."""
    tree = _definition(fn)
    if tree is None or any(isinstance(node, _KEPT) for node in ast.walk(tree)):
        return None
    code = fn.__code__
    named = {name for inner in inner_codes(code) for name in inner.co_names}
    outside = frozenset(code.co_freevars) | frozenset(
        name for name in named if name in fn.__globals__ and not name.startswith("_ms")
    )
    inside = {*code.co_varnames, *code.co_cellvars}
    try:
        body = lower(tree, outside - inside - {"__class__"}, _class_name(fn))
    except (SyntaxError, RecursionError):
        return None
    free = sorted({*code.co_freevars, "_ms", "_ms_fn"})
    arguments = ast.arguments([], [ast.arg(name) for name in free], None, [], [], None, [])
    parts: list[ast.stmt] = [body, ast.Return(ast.Name(tree.name, ast.Load()))]
    factory = define("_ms_factory", arguments, parts)
    module = ast.fix_missing_locations(ast.Module([factory], []))
    try:
        compiled = compile(module, code.co_filename, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return None
    return _code_named(_code_named(compiled, "_ms_factory"), tree.name)


def _code_named(code: types.CodeType, name: str) -> types.CodeType:
    return next(item for item in code.co_consts if isinstance(item, types.CodeType) and item.co_name == name)


def inner_codes(code: types.CodeType) -> list[types.CodeType]:
    """A code and those of the functions, lambdas and comprehensions inside."""
    found = [code]
    for item in code.co_consts:
        if isinstance(item, types.CodeType):
            found += inner_codes(item)
    return found


def _class_name(fn: types.FunctionType) -> str:
    parts = fn.__qualname__.split(".")
    return parts[-2] if len(parts) > 1 and parts[-2] != "<locals>" else ""


def _definition(fn: types.FunctionType) -> ast.FunctionDef | None:
    """The function's definition, at its lines in the file; a lambda becomes a function that returns its value."""
    try:
        lines, first = inspect.getsourcelines(fn)
    except (OSError, TypeError, IndexError, SyntaxError):
        return None
    source = textwrap.dedent("".join(lines))
    if fn.__name__ == "<lambda>":
        return _lambda(fn, source, first)
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    if not tree.body or not isinstance(tree.body[0], ast.FunctionDef) or tree.body[0].name != fn.__code__.co_name:
        return None
    ast.increment_lineno(tree, first - 1)
    found = tree.body[0]
    found.decorator_list, found.returns = [], None
    every = [*found.args.posonlyargs, *found.args.args, *found.args.kwonlyargs, found.args.vararg, found.args.kwarg]
    for arg in every:
        if arg is not None:
            arg.annotation = None
    found.args.defaults = [ast.Constant(None) for _ in found.args.defaults]  # the function's own are put in
    found.args.kw_defaults = [None if item is None else ast.Constant(None) for item in found.args.kw_defaults]
    return found


def _lambda(fn: types.FunctionType, source: str, first: int) -> ast.FunctionDef | None:
    """The only lambda in some lines of source with this one's parameters; None when it is not the only one."""
    for text in (source, f"({source.strip().rstrip(',')})", source.strip().strip(",()")):
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        names = fn.__code__.co_varnames[: fn.__code__.co_argcount]
        found = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.Lambda) and tuple(arg.arg for arg in node.args.args) == names
        ]
        if len(found) != 1:
            return None
        ast.increment_lineno(tree, first - 1)
        node = found[0]
        node.args.defaults = [ast.Constant(None) for _ in node.args.defaults]
        made = ast.FunctionDef("_ms_lambda", node.args, [ast.Return(node.body)], [], None, None)
        return ast.copy_location(made, node)
    return None
